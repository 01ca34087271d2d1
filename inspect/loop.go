package inspect

import (
	"context"
	"fmt"

	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// Loops is the answer of /api/loop: the phases of the loop that updates the
// world.
type Loops struct {
	Frame  uint64  `json:"frame"`
	Loop   bool    `json:"loop"` // false: the world is not updated by a loop
	Phases []Phase `json:"phases"`
}

// Phase is one phase of a loop.
type Phase struct {
	Name  string      `json:"name"`
	Depth int         `json:"depth"`
	Steps []PhaseStep `json:"steps"`
}

// PhaseStep is one action of a phase. It updates a group, advances the time of
// a world, or calls a function of the application.
type PhaseStep struct {
	Kind  string `json:"kind"` // group, time or function
	World string `json:"world"`
	ID    string `json:"id"`
	Group string `json:"group"`
}

func loopPage(ctx context.Context, v *view) (*Loops, error) {
	out := &Loops{Phases: []Phase{}}
	_, err := v.runBetween(ctx, "loop", func(*ownerSlice) (bool, error) {
		out.Frame = v.lastFrame.Load()
		l := v.loop.Load()
		if out.Loop = l != nil; l != nil {
			out.add(l.Phases, 0)
		}
		return false, nil
	})
	return out, err
}

// add adds phases to the answer, and the phases inside of these phases.
func (out *Loops) add(phases []*app.Phase, depth int) {
	for _, p := range phases {
		one := Phase{Name: p.Name, Depth: depth, Steps: []PhaseStep{}}
		for _, s := range p.Steps() {
			step := PhaseStep{Kind: "function"}
			if s.World != nil {
				step.Kind, step.World, step.ID = "time", s.World.Name(), fmt.Sprint(system.WorldID(s.World))
			}
			if s.Group != nil {
				step.Kind, step.Group = "group", shortName(s.Group.Name())
			}
			one.Steps = append(one.Steps, step)
		}
		out.Phases = append(out.Phases, one)
		if depth < 16 {
			out.add(p.Phases, depth+1)
		}
	}
}
