package system

import (
	"context"
	"errors"
	"fmt"
	"runtime/trace"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Update runs one frame of w at the current time of w's clock. Update updates those root groups
// that w has (Initialization, Simulation and Presentation), and then waits for the remaining jobs.
// Update does not advance the clock. To do that, use app.Run or Clock.Advance. Only the owner of w
// may call Update. In the steady state, Update allocates nothing.
//
// Update returns the joined errors of all systems and jobs, after every system has had its turn. A
// system that failed has another turn in the next frame. In that frame, the rows that the failed
// update has seen are not new for it (see [Instance.LastVersion]).
func Update(w *ecs.World) (err error) {
	if err := checkWorld("Update", w); err != nil {
		return err
	}
	a := attachmentOf(w)
	if err := a.beginFrame(nil); err != nil {
		return err
	}
	var errs []error
	defer func() { err = errors.Join(a.callFrameEndWatchers(a.endFrame(errs))...) }() // deferred, because a test that fails inside of a system ends the goroutine
	for _, t := range roots() {
		in := a.findType(t)
		if in == nil || a.quit {
			continue
		}
		if err := in.Update(); err != nil {
			errs = append(errs, err)
		}
	}
	return nil
}

// beginFrame begins a frame of the world. The workers of its pool stay awake until endFrame.
func (a *attachment) beginFrame(by Pauser) error {
	if err := a.checkOpen("update"); err != nil {
		return err
	}
	if what := a.busyReason(); what != "" {
		if what != busyElsewhere {
			what += "; a world does not update itself"
		}
		return fmt.Errorf("system: Update: world %q: %s: %w", a.world.Name(), what, ecs.ErrState)
	}
	a.world.Scheduler().BeginFrame()
	a.updating, a.quit, a.clockDepth = true, false, a.clock.depth()
	a.frameStart = profile.Clock()
	if a.measure != nil {
		a.chooseTimed()
	}
	a.pauser = by
	if a.scope == nil {
		a.scope = a.world.Pool().Scope(context.Background())
	} else {
		a.scope.Begin(context.Background())
	}
	a.frameRunner = a.world.Pool()
	if trace.IsEnabled() {
		a.frameRunner = a.scope // the jobs belong to the trace task of the frame
	}
	a.outsideRunner = a.world.Scheduler().RunOn(a.frameRunner)
	return nil
}

// completeJobs waits for all jobs of the world and appends their errors to errs.
func (a *attachment) completeJobs(errs []error) []error {
	if a.closed {
		return errs
	}
	if a.measure != nil && !a.frameUntimed {
		a.measure.awaitFrame()
	}
	defer func() { // deferred, because a hook that observes waits may panic
		for _, in := range a.instances {
			in.complete()
		}
	}()
	if err := a.world.Sync(); err != nil { // wait for the jobs of all systems in one pass
		errs = append(errs, err)
	}
	return errs
}

// endFrame waits for all jobs of the frame and appends their errors to errs.
func (a *attachment) endFrame(errs []error) (all []error) {
	all = errs
	defer func() { // deferred, because a hook that observes waits may panic
		_ = a.scope.End() // completeJobs has already returned these errors
		if a.measure != nil && !a.frameUntimed {
			a.measure.endFrame()
		}
		a.world.Scheduler().RunOn(a.outsideRunner)
		a.world.Scheduler().EndFrame()
		a.updating, a.frameEnd = false, profile.Clock()
		if extra := a.clock.unwind(a.clockDepth); extra > 0 {
			all = append(all, fmt.Errorf("system: Update: world %q: time was pushed %d times more than popped: %w", a.world.Name(), extra, ecs.ErrState))
		}
	}()
	all = a.completeJobs(all)
	for _, guest := range a.guestWorlds {
		if !guest.closed {
			all = attachmentOf(guest.world).completeJobs(all)
		}
	}
	clear(a.guestWorlds)
	a.guestWorlds = a.guestWorlds[:0]
	return all
}

// The rest of this file is for package app: app runs the parts of a frame one by one, and lets a
// bootstrap take part in creating a world. Programs cannot call these functions, because only
// ecs/internal/driver provides access to them.

func init() {
	driver.Of = func(w *ecs.World) driver.World { return attachmentOf(w) }
	driver.Plans = driver.Planner[*Type, WorldKind, Option]{
		New: func(call string, unless WorldKind, opts ...Option) driver.Plan[*Type, WorldKind] {
			return newPlan(call, unless, opts...)
		},
		NoDefault: func(p *plan) { p.noDefault = true },
		NoEditor:  func(p *plan) { p.noEditor = true },
	}
}

// Unwanted reports whether the options forbid package app to create the default world, and whether they
// forbid the editor world.
func (p *plan) Unwanted() (noDefault, noEditor bool) { return p.noDefault, p.noEditor }

// Open returns an error if the world is closing or closed. The parameter what names the refused
// operation.
func (a *attachment) Open(what string) error { return a.checkOpen(what) }

// Closed reports whether the world is closed.
func (a *attachment) Closed() bool { return a.closed }

// Begin begins a frame that the caller drives.
func (a *attachment) Begin(by driver.Pauser) error { return a.beginFrame(by) }

// Turn updates a root group, unless the group was destroyed or a system has quit the frame.
func (a *attachment) Turn(group driver.Group) error {
	if in := group.(*Instance); in.phase == destroyed || a.quit {
		return nil
	}
	return group.Update()
}

// Quit reports whether a system of the last frame has called Frame.Quit.
func (a *attachment) Quit() bool { return a.quit }

// End ends the frame.
func (a *attachment) End(errs []error) []error { return a.endFrame(errs) }

// Show calls the functions that observe the ends of frames.
func (a *attachment) Show(errs []error) []error { return a.callFrameEndWatchers(errs) }
