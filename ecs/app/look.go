package app

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// This file describes loops to tools.

// Worlds returns the worlds of the loop, in the order in which a frame first uses them.
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

// PhaseStep is one step of a [Phase].
type PhaseStep struct {
	World *ecs.World       // the world of the group, or the world whose time is advanced; nil for a function
	Group *system.Instance // nil if the step advances the time of a world or calls a function
}

// Steps returns the steps of the phase itself, in order. It does not include the steps of inner
// phases. The inner phases run after these steps.
func (p *Phase) Steps() []PhaseStep {
	var all []PhaseStep
	for _, s := range p.steps {
		all = append(all, PhaseStep{World: s.world, Group: s.group})
	}
	return all
}
