package app

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// What is in this file tells tools about loops.

// Worlds returns the worlds of which there is something in the loop, in the order of the
// frame.
func (l *Loop) Worlds() []*ecs.World {
	var all []*ecs.World
	l.each(func(p *Phase) {
		for _, s := range p.steps {
			if s.world != nil && !s.driver.Closed() && !slices.Contains(all, s.world) {
				all = append(all, s.world)
			}
		}
	})
	return all
}

// PhaseStep is one thing that a [Phase] does.
type PhaseStep struct {
	World *ecs.World       // of the group, or whose time is stepped; nil is a function
	Group *system.Instance // nil: the step is of the world's time, or a function
}

// Steps returns what the phase does itself, in order: the phases inside it come after that.
func (p *Phase) Steps() []PhaseStep {
	var all []PhaseStep
	for _, s := range p.steps {
		all = append(all, PhaseStep{World: s.world, Group: s.group})
	}
	return all
}
