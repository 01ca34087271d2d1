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

// These are the phases of [NewLoop], in the order in which they run.
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

// Loop is a main loop. It is a tree of named phases. The phases contain root groups of any number
// of worlds, and functions of the application. Only one goroutine at a time may use a Loop, and
// that goroutine is the owner of the loop's worlds.
type Loop struct {
	Phases []*Phase

	begunWorlds []driver.World // the worlds whose frame has begun
	ticking     bool

	now        func() time.Duration // the real time of the run; nil while no run ticks the loop
	pausedTime time.Duration        // sum of the pauses, by which the time of the worlds does not advance
	done       <-chan struct{}      // closed when the context of the run ends; nil while no run ticks the loop

	pausing bool // Pause is running; it includes the pauses inside of it
}

// Phase is a part of a frame. A phase runs its own steps first, and then the phases inside of it.
type Phase struct {
	Name   string
	Phases []*Phase
	steps  []step
}

// step updates a root group, advances the time of a world, or calls a function.
type step struct {
	world  *ecs.World // nil if the step calls a function
	driver driver.World
	clock  *system.Clock
	group  *system.Instance // nil if the step advances the time of the world
	call   func() error
}

// NewLoop returns a loop with the usual phases, without steps.
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

// clone returns a copy of l; changing the phases of the copy does not change l.
func (l *Loop) clone() *Loop { return &Loop{Phases: clonePhases(l.Phases)} }

func clonePhases(ps []*Phase) []*Phase {
	var cs []*Phase
	for _, p := range ps {
		cs = append(cs, &Phase{Name: p.Name, Phases: clonePhases(p.Phases), steps: slices.Clone(p.steps)})
	}
	return cs
}

// Phase returns the first phase with the name, at any depth, or nil if there is none.
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

// Call adds a function to the end of the phase's steps. The frame returns the error of f. Call
// panics if f is nil.
func (p *Phase) Call(f func() error) {
	if f == nil {
		panic("app: Phase.Call: the function is nil")
	}
	p.steps = append(p.steps, step{call: f})
}

// Append adds the root groups of w to the ends of phases. The group Initialization goes to the
// phase Initialization, Simulation to Update, and Presentation to PreLateUpdate. The time of w is
// advanced in the phase Time, if there is one. A nil world is ignored. Append changes nothing and
// returns an error if one of the three phases is missing ([ecs.ErrArgument]) or w is closed
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

// rootGroups returns the root groups of w in the order of their updates. A missing group is nil.
func rootGroups(w *ecs.World) (list [3]*system.Instance) {
	there, _ := system.Roots(w)
	for i, t := range []*system.Type{system.Of[system.Initialization](), system.Of[system.Simulation](), system.Of[system.Presentation]()} {
		if k := slices.IndexFunc(there, func(in *system.Instance) bool { return in.Type() == t }); k >= 0 {
			list[i] = there[k]
		}
	}
	return list
}

// Has reports whether a group of w is in the loop. Has returns false if w is nil or closed.
func (l *Loop) Has(w *ecs.World) bool {
	found := false
	l.each(func(p *Phase) {
		found = found || slices.ContainsFunc(p.steps, func(s step) bool { return s.group != nil && s.world == w && !s.driver.Closed() })
	})
	return found
}

// Remove removes all steps of w from the loop, from the next frame on.
func (l *Loop) Remove(w *ecs.World) {
	l.each(func(p *Phase) {
		steps := slices.Clone(p.steps) // copy, because a frame may be iterating over the old steps
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

// Done returns a channel that is closed when the context of the current [Run] of the loop ends, for example
// because of a signal. If no Run ticks the loop, the channel is nil. A tool that pauses the loop ends the pause when
// the channel is closed, because Run cannot return before. Only the owner of the loop may call Done.
func (l *Loop) Done() <-chan struct{} { return l.done }

// endRun forgets the clock and the context of a run.
func (l *Loop) endRun() {
	if l != nil {
		l.now, l.done = nil, nil
	}
}

// Pause calls f, which may take a long time. The time of the worlds does not advance during the
// call. Tools that inspect worlds between two frames use Pause: see system.FrameEnd.Pause. f should return
// when [Loop.Done] is closed.
func (l *Loop) Pause(f func()) {
	if l.now == nil || l.pausing {
		f()
		return
	}
	now := l.now // f may call Run, which forgets the clock at its end
	start := now()
	l.pausing = true
	defer func() { l.pausedTime, l.pausing = l.pausedTime+now()-start, false }()
	f()
}

// Tick runs one frame. Tick advances the time of every world by delta seconds, runs the phases one
// after the other, and waits for the remaining jobs. Tick runs all steps even if some of them fail,
// and then returns the joined errors. If a frame of one of the worlds is already in progress, Tick
// runs nothing and returns an error. Steps that are added during a frame run from the next frame
// on.
func (l *Loop) Tick(delta float64) error { return l.tick(delta, false) }

// tick implements Tick. If real is set, the time of a world advances by at most its MaximumDelta.
func (l *Loop) tick(delta float64, real bool) (err error) {
	if l.ticking {
		return fmt.Errorf("app: Loop.Tick: a frame of the loop is under way; a loop does not tick itself: %w", ecs.ErrState)
	}
	l.ticking, l.begunWorlds = true, l.begunWorlds[:0]
	var errs []error
	defer func() { // deferred, because a function of a phase may panic
		defer func() { l.ticking = false }()
		errs = endFrames(l.begunWorlds, errs)
		for _, a := range l.begunWorlds { // after the frames of all worlds have ended
			errs = a.Show(errs)
		}
		err = errors.Join(errs...)
	}()
	if errs = l.begin(l.Phases, nil); errs == nil {
		errs = l.runPhases(l.Phases, delta, real, nil)
	}
	return nil
}

// endFrames ends the frames of worlds. If a hook of one world panics, endFrames still ends the
// frames of the other worlds.
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
			if s.world == nil || s.driver.Closed() || slices.Contains(l.begunWorlds, s.driver) {
				continue
			}
			if err := s.driver.Begin(l); err != nil {
				errs = append(errs, err)
				continue
			}
			l.begunWorlds = append(l.begunWorlds, s.driver)
		}
		errs = l.begin(p.Phases, errs)
	}
	return errs
}

// runPhases runs phases in order and appends their errors to errs.
func (l *Loop) runPhases(ps []*Phase, delta float64, real bool, errs []error) []error {
	for _, p := range ps {
		for _, s := range p.steps {
			if s.world != nil && !slices.Contains(l.begunWorlds, s.driver) {
				continue // the world was added in this frame, or is closed
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

// quitRequested reports whether a system of the last frame has called Frame.Quit.
func (l *Loop) quitRequested() bool {
	return slices.ContainsFunc(l.begunWorlds, driver.World.Quit)
}
