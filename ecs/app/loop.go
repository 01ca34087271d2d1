package app

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
	"github.com/lanewise/lanewise/ecs/system"
)

// The phases of [NewLoop], in the order in which they run.
const (
	PhaseTime           = "Time"
	PhaseInitialization = "Initialization"
	PhaseEarlyUpdate    = "EarlyUpdate"
	PhaseFixedUpdate    = "FixedUpdate"
	PhasePreUpdate      = "PreUpdate"
	PhaseUpdate         = "Update"
	PhasePreLateUpdate  = "PreLateUpdate"
	PhasePostLateUpdate = "PostLateUpdate"
)

// Loop is what happens in a frame: a tree of named phases, and in them the root
// groups of any number of worlds and functions of the application. It belongs to
// one goroutine at a time, which then is the owner of its worlds.
type Loop struct {
	Phases []*Phase

	begun   []driver.World // the worlds of the present frame
	ticking bool

	now  func() time.Duration // the real time of the run; nil outside of one
	held time.Duration        // of that, for how long the frame was held up on purpose

	holding bool // a Pause is under way: one inside of it is part of it
}

// Phase is a part of a frame: first its own steps, then the phases inside it.
type Phase struct {
	Name   string
	Phases []*Phase
	steps  []step
}

// step is a root group, the time of a world, or a function.
type step struct {
	world  *ecs.World // nil: a function
	driver driver.World
	clock  *system.Clock
	group  *system.Instance // nil: the world's time
	call   func() error
}

// NewLoop returns a loop with the usual phases and nothing in them.
func NewLoop() *Loop {
	l := new(Loop)
	for _, name := range []string{
		PhaseTime, PhaseInitialization, PhaseEarlyUpdate, PhaseFixedUpdate,
		PhasePreUpdate, PhaseUpdate, PhasePreLateUpdate, PhasePostLateUpdate,
	} {
		l.Phases = append(l.Phases, &Phase{Name: name})
	}
	return l
}

// clone returns a copy that can be changed without changing l.
func (l *Loop) clone() *Loop { return &Loop{Phases: clonePhases(l.Phases)} }

func clonePhases(ps []*Phase) []*Phase {
	var cs []*Phase
	for _, p := range ps {
		cs = append(cs, &Phase{Name: p.Name, Phases: clonePhases(p.Phases), steps: slices.Clone(p.steps)})
	}
	return cs
}

// Phase returns the first phase of the name, at whatever depth; nil if there is none.
func (l *Loop) Phase(name string) *Phase { return findPhase(l.Phases, name) }

func findPhase(ps []*Phase, name string) *Phase {
	for _, p := range ps {
		if p.Name == name {
			return p
		}
		if found := findPhase(p.Phases, name); found != nil {
			return found
		}
	}
	return nil
}

// Call adds a function to the end of the phase's steps. It panics if f is nil.
func (p *Phase) Call(f func() error) {
	if f == nil {
		panic("app: Phase.Call: the function is nil")
	}
	p.steps = append(p.steps, step{call: f})
}

// Append adds the root groups of w, those that it has, to the ends of phases:
// Initialization to the one of that name, Simulation to Update, Presentation to
// PreLateUpdate. The world's time is stepped in Time, if there is such a phase.
// A nil world is left out. It returns an error, and has changed nothing, if one
// of the three phases is missing ([ecs.ErrArgument]) or the world is closed
// ([ecs.ErrDisposed]).
func (l *Loop) Append(w *ecs.World) error {
	if w == nil {
		return nil
	}
	d := driver.Of(w)
	if err := d.Open("append to a loop"); err != nil {
		return err
	}
	names := [3]string{PhaseInitialization, PhaseUpdate, PhasePreLateUpdate}
	for _, name := range names {
		if l.Phase(name) == nil {
			return fmt.Errorf("app: Loop.Append: world %q: the loop has no phase %s: %w", w.Name(), name, ecs.ErrArgument)
		}
	}
	if p := l.Phase(PhaseTime); p != nil {
		p.steps = append(p.steps, step{world: w, driver: d, clock: system.ClockOf(w)})
	}
	for i, in := range rootGroups(w) {
		if in != nil {
			p := l.Phase(names[i])
			p.steps = append(p.steps, step{world: w, driver: d, group: in})
		}
	}
	return nil
}

// rootGroups returns the root groups of w in the order of their updates; nil where there is none.
func rootGroups(w *ecs.World) (list [3]*system.Instance) {
	there, _ := system.Roots(w)
	for i, t := range []*system.Type{system.Of[system.Initialization](), system.Of[system.Simulation](), system.Of[system.Presentation]()} {
		if k := slices.IndexFunc(there, func(in *system.Instance) bool { return in.Type() == t }); k >= 0 {
			list[i] = there[k]
		}
	}
	return list
}

// Has reports whether a group of w is in the loop; of nil, and of a closed world, none is.
func (l *Loop) Has(w *ecs.World) bool {
	found := false
	l.each(func(p *Phase) {
		found = found || slices.ContainsFunc(p.steps, func(s step) bool { return s.group != nil && s.world == w && !s.driver.Closed() })
	})
	return found
}

// Remove takes everything of w out of the loop, from the next frame on.
func (l *Loop) Remove(w *ecs.World) {
	l.each(func(p *Phase) {
		steps := slices.Clone(p.steps) // a frame may be going through the old ones
		p.steps = slices.DeleteFunc(steps, func(s step) bool { return s.world != nil && s.world == w })
	})
}

// each calls f with every phase of the loop.
func (l *Loop) each(f func(*Phase)) { eachPhase(l.Phases, f) }

func eachPhase(ps []*Phase, f func(*Phase)) {
	for _, p := range ps {
		f(p)
		eachPhase(p.Phases, f)
	}
}

// Pause calls f, which may take its time: real time that passes meanwhile is not time of the
// worlds of the loop. It is for what watches worlds between two frames, see system.FrameEnd.Pause.
func (l *Loop) Pause(f func()) {
	if l.now == nil || l.holding {
		f()
		return
	}
	start := l.now()
	l.holding = true
	defer func() { l.held, l.holding = l.held+l.now()-start, false }()
	f()
}

// Tick runs one frame: the time of every world is stepped by delta seconds, the
// phases run one after the other, and the jobs that are still under way are
// completed. Whatever fails is returned, joined, when everything has had its turn;
// if a world cannot begin a frame, because it is in the middle of one, nothing has.
// What is added meanwhile has its first turn in the next frame.
func (l *Loop) Tick(delta float64) error { return l.tick(delta, false) }

// tick is Tick; no world's time takes more of a real delta than its limit.
func (l *Loop) tick(delta float64, real bool) (err error) {
	if l.ticking {
		return fmt.Errorf("app: Loop.Tick: a frame of the loop is under way; a loop does not tick itself: %w", ecs.ErrState)
	}
	l.ticking, l.begun = true, l.begun[:0]
	var errs []error
	defer func() { // also when a function of a phase panics
		defer func() { l.ticking = false }()
		errs = endFrames(l.begun, errs)
		for _, a := range l.begun { // when all worlds are between two frames
			errs = a.Show(errs)
		}
		err = errors.Join(errs...)
	}()
	if errs = l.begin(l.Phases, nil); errs == nil {
		errs = l.runPhases(l.Phases, delta, real, nil)
	}
	return nil
}

// endFrames ends the frames of worlds, of all even if what is told of the waits of one
// panics.
func endFrames(list []driver.World, errs []error) []error {
	if len(list) == 0 {
		return errs
	}
	whole := false
	defer func() {
		if !whole {
			endFrames(list[1:], nil)
		}
	}()
	errs = list[0].End(errs)
	whole = true
	return endFrames(list[1:], errs)
}

// begin begins a frame of every world in the phases.
func (l *Loop) begin(ps []*Phase, errs []error) []error {
	for _, p := range ps {
		for _, s := range p.steps {
			if s.world == nil || s.driver.Closed() || slices.Contains(l.begun, s.driver) {
				continue
			}
			if err := s.driver.Begin(l); err != nil {
				errs = append(errs, err)
				continue
			}
			l.begun = append(l.begun, s.driver)
		}
		errs = l.begin(p.Phases, errs)
	}
	return errs
}

// runPhases runs phases in order and appends what fails to errs.
func (l *Loop) runPhases(ps []*Phase, delta float64, real bool, errs []error) []error {
	for _, p := range ps {
		for _, s := range p.steps {
			if s.world != nil && !slices.Contains(l.begun, s.driver) {
				continue // added in this frame, or closed
			}
			if err := s.run(delta, real); err != nil {
				errs = append(errs, err)
			}
		}
		errs = l.runPhases(p.Phases, delta, real, errs)
	}
	return errs
}

func (s *step) run(delta float64, real bool) error {
	switch {
	case s.call != nil:
		return s.call()
	case s.group == nil:
		if real {
			delta = min(delta, s.clock.MaximumDelta)
		}
		s.clock.Advance(float64(delta * s.clock.Scale()))
		return nil
	}
	return s.driver.Turn(s.group)
}

// quit reports whether a system of the last frame has asked for the end.
func (l *Loop) quit() bool {
	return slices.ContainsFunc(l.begun, driver.World.Quit)
}
