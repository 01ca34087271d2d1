package inspect

import (
	"context"
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Worlds is the answer of /api/worlds.
type Worlds struct {
	Worlds  []WorldInfo `json:"worlds"`
	Control bool        `json:"control"` // a page may pause
	Edit    bool        `json:"edit"`    // and change values
	Box     string      `json:"box"`     // why there is no black box; empty if there is one
}

// WorldInfo is one world.
type WorldInfo struct {
	ID     string  `json:"id"` // for w= of all other requests
	Name   string  `json:"name"`
	Frame  uint64  `json:"frame"` // the last one; 0 before its first since somebody looks
	Paused bool    `json:"paused"`
	Still  float64 `json:"still"` // microseconds since its last frame
}

// worldsPage needs no owner.
func (i *Inspector) worldsPage() *Worlds {
	i.touch()
	out := &Worlds{Worlds: []WorldInfo{}, Control: i.allow&Control != 0, Edit: i.allow&Edit != 0, Box: i.boxState()}
	for _, w := range i.worlds() {
		one := WorldInfo{ID: fmt.Sprint(system.Sequence(w)), Name: w.Name()}
		if v := i.find(w); v != nil {
			one.Frame, one.Paused, one.Still = v.number.Load(), v.paused.Load(), micros(now()-time.Duration(v.seen.Load()))
		}
		out.Worlds = append(out.Worlds, one)
	}
	return out
}

// worlds returns those that the inspector is for, in the order of their making.
func (i *Inspector) worlds() (list []*ecs.World) {
	for _, w := range system.Worlds() {
		if i.shows(w) {
			list = append(list, w)
		}
	}
	return list
}

// pick returns the view of the world of an id or a name; "" is the first. A world that nobody
// has looked at has none before its next frame.
func (i *Inspector) pick(ctx context.Context, id string) (*view, error) {
	i.touch()
	var world *ecs.World
	all := i.worlds()
	for _, w := range all {
		if id == "" || id == fmt.Sprint(system.Sequence(w)) {
			world = w
			break
		}
	}
	for _, w := range all {
		if world == nil && id == w.Name() {
			world = w
		}
	}
	switch {
	case world == nil && id == "":
		return nil, &stillError{"inspect: there is no world with systems"}
	case world == nil:
		return nil, notFound("there is no world " + clip(id, 100) + " with systems, or it is closed")
	}
	begin := now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if v := i.find(world); v != nil {
			return v, nil
		}
		if now()-begin > patience {
			return nil, &stillError{fmt.Sprintf("inspect: world %q has had no frame for %v: its loop does not run, or a system does not return", world.Name(), patience)}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// Loops is the answer of /api/loop: the loop that ticks the world.
type Loops struct {
	Frame  uint64  `json:"frame"`
	Loop   bool    `json:"loop"` // false: the world is updated by hand
	Phases []Phase `json:"phases"`
}

// Phase is one phase of a loop.
type Phase struct {
	Name  string      `json:"name"`
	Depth int         `json:"depth"`
	Steps []PhaseStep `json:"steps"`
}

// PhaseStep is one thing that a phase does: the update of a group, the step of a world's time, or
// a function of the application.
type PhaseStep struct {
	Kind  string `json:"kind"` // group, time or function
	World string `json:"world"`
	ID    string `json:"id"`
	Group string `json:"group"`
}

func (v *view) loopPage(ctx context.Context) (*Loops, error) {
	out := &Loops{Phases: []Phase{}}
	_, err := v.at(ctx, "loop", func(*look) (bool, error) {
		out.Frame = v.number.Load()
		l := v.loop.Load()
		if out.Loop = l != nil; l == nil {
			return false, nil
		}
		var add func(ps []*system.Phase, depth int)
		add = func(ps []*system.Phase, depth int) {
			for _, p := range ps {
				one := Phase{Name: p.Name, Depth: depth, Steps: []PhaseStep{}}
				for _, s := range p.Steps() {
					step := PhaseStep{Kind: "function"}
					if s.World != nil {
						step.Kind, step.World, step.ID = "time", s.World.Name(), fmt.Sprint(system.Sequence(s.World))
					}
					if s.Group != nil {
						step.Kind, step.Group = "group", short(s.Group.Name())
					}
					one.Steps = append(one.Steps, step)
				}
				out.Phases = append(out.Phases, one)
				if depth < 16 {
					add(p.Phases, depth+1)
				}
			}
		}
		add(l.Phases, 0)
		return false, nil
	})
	return out, err
}

// Controlled is the answer of /api/control.
type Controlled struct {
	Paused bool    `json:"paused"`
	Frame  uint64  `json:"frame"`
	Steps  int64   `json:"steps"` // still to be done
	Pace   float64 `json:"pace"`
	Scale  float64 `json:"scale"`
}
