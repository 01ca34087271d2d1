package system

import (
	"slices"
	"time"
)

// These are the root groups of a world, in the order in which [Update] runs them.
type (
	// Initialization is for work that must be finished before the simulation, such as reading
	// inputs and creating entities.
	Initialization struct{ Group }

	// Simulation is for the work of the simulation. Systems without an attribute for a group are in
	// Simulation.
	Simulation struct{ Group }

	// Presentation is for systems that show the state after the simulation, such as renderers.
	Presentation struct{ Group }
)

// These are the groups in Simulation. Every world of [NewWorld] has them.
type (
	// FixedStep runs its members at a fixed step of world time. The default is 60 times a second.
	// FixedStep is the first group in Simulation.
	FixedStep struct {
		Group
		_ First[Simulation]
		_ After[BeginSimulation]
	}

	// VariableRate runs its members about 15 times a second of world time. The delta of these members
	// is the time since their last update.
	VariableRate struct {
		Group
		_ First[Simulation]
		_ After[BeginSimulation]
		_ After[FixedStep]
	}

	// LateSimulation runs after the rest of Simulation.
	LateSimulation struct {
		Group
		_ Last[Simulation]
		_ Before[EndSimulation]
	}
)

// These are the command-buffer systems of the default groups. Each group has one at its beginning
// and one at its end. [Commands] returns a buffer of one of them.
type (
	BeginInitialization struct {
		CommandBuffers
		_ First[Initialization]
	}
	EndInitialization struct {
		CommandBuffers
		_ Last[Initialization]
	}
	BeginSimulation struct {
		CommandBuffers
		_ First[Simulation]
	}
	EndSimulation struct {
		CommandBuffers
		_ Last[Simulation]
	}
	BeginFixedStep struct {
		CommandBuffers
		_ First[FixedStep]
	}
	EndFixedStep struct {
		CommandBuffers
		_ Last[FixedStep]
	}
	BeginVariableRate struct {
		CommandBuffers
		_ First[VariableRate]
	}
	EndVariableRate struct {
		CommandBuffers
		_ Last[VariableRate]
	}
	BeginPresentation struct {
		CommandBuffers
		_ First[Presentation]
	}
	EndPresentation struct {
		CommandBuffers
		_ Last[Presentation]
	}
)

// DefaultStep is the step of [FixedStep] in seconds.
const DefaultStep = 1.0 / 60

// defaultInterval is the interval of [VariableRate].
const defaultInterval = 66 * time.Millisecond

// Create sets the rate to the default, CatchUpRate(DefaultStep).
func (g *FixedStep) Create(*Setup) error {
	g.SetRate(CatchUpRate(DefaultStep))
	return nil
}

// Create sets the rate to the default, an interval of 66 ms of world time.
func (g *VariableRate) Create(*Setup) error {
	g.SetRate(IntervalRate(defaultInterval, nil))
	return nil
}

// roots returns the root groups in the order of their updates.
func roots() [3]*Type {
	return [3]*Type{typeFor[Initialization](), typeFor[Simulation](), typeFor[Presentation]()}
}

// isRoot reports whether t is one of the root groups.
func isRoot(t *Type) bool {
	first := roots()
	return slices.Contains(first[:], t)
}

// defaultTypes returns the system types that are in every world of NewWorld.
func defaultTypes() []*Type {
	return []*Type{
		typeFor[Initialization](), typeFor[BeginInitialization](), typeFor[EndInitialization](),
		typeFor[Simulation](), typeFor[BeginSimulation](), typeFor[EndSimulation](),
		typeFor[FixedStep](), typeFor[BeginFixedStep](), typeFor[EndFixedStep](),
		typeFor[VariableRate](), typeFor[BeginVariableRate](), typeFor[EndVariableRate](),
		typeFor[LateSimulation](),
		typeFor[Presentation](), typeFor[BeginPresentation](), typeFor[EndPresentation](),
	}
}
