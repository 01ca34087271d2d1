package system

import (
	"context"
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Update runs one frame of w at the world's present time: its root groups
// Initialization, Simulation and Presentation, those that it has, and then
// completes the jobs that are still under way. It does not step the time; app.Run
// does, or Advance of the world's clock.
//
// Whatever fails, in a system or in a job, is returned, joined, after everything
// has had its turn. A system that has failed has its turn again in the next frame;
// what the failed update has seen is not new to it then, see [Instance.LastVersion].
func Update(w *ecs.World) (err error) {
	if err := worldGiven("Update", w); err != nil {
		return err
	}
	a := attachmentOf(w)
	if err := a.beginFrame(nil); err != nil {
		return err
	}
	var errs []error
	defer func() { err = errors.Join(a.frameEnded(a.endFrame(errs))...) }() // also when a test ends in a system
	for _, t := range roots() {
		in := a.find(t)
		if in == nil || a.quit {
			continue
		}
		if err := in.Update(); err != nil {
			errs = append(errs, err)
		}
	}
	return nil
}

// beginFrame begins a frame of the world, in a loop or alone: until endFrame its workers stay awake.
func (a *attachment) beginFrame(by Pauser) error {
	if err := a.open("update"); err != nil {
		return err
	}
	if what := a.busy(); what != "" {
		if what != elsewhere {
			what += "; a world does not update itself"
		}
		return fmt.Errorf("system: Update: world %q: %s: %w", a.world.Name(), what, ecs.ErrState)
	}
	a.world.Scheduler().BeginFrame()
	a.updating, a.quit, a.depth = true, false, a.clock.depth()
	a.began = profile.Clock()
	if a.measure != nil {
		a.sample()
	}
	a.by = by
	if a.scope == nil {
		a.scope = a.world.Pool().Scope(context.Background())
	} else {
		a.scope.Begin(context.Background())
	}
	a.outside = a.world.Scheduler().RunOn(a.scope)
	return nil
}

// completeJobs completes all jobs of the world and appends what has failed to errs.
func (a *attachment) completeJobs(errs []error) []error {
	if a.closed {
		return errs
	}
	if a.measure != nil && !a.skipped {
		a.measure.awaitFrame()
	}
	for _, in := range a.instances {
		in.complete()
	}
	if err := a.world.Sync(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// endFrame completes all jobs of the frame and appends what has failed to errs.
func (a *attachment) endFrame(errs []error) (all []error) {
	all = errs
	defer func() { // also when a hook for waits panics
		_ = a.scope.End() // the same failures
		if a.measure != nil && !a.skipped {
			a.measure.endFrame()
		}
		a.world.Scheduler().RunOn(a.outside)
		a.world.Scheduler().EndFrame()
		a.updating = false
		if extra := a.clock.unwind(a.depth); extra > 0 {
			all = append(all, fmt.Errorf("system: Update: world %q: time was pushed %d times more than popped: %w", a.world.Name(), extra, ecs.ErrState))
		}
	}()
	all = a.completeJobs(all)
	for _, guest := range a.guests {
		if !guest.closed {
			all = attachmentOf(guest.world).completeJobs(all)
		}
	}
	clear(a.guests)
	a.guests = a.guests[:0]
	return all
}

// The rest of this file is the seam to package app, which drives the frames of worlds in parts and makes worlds with a bootstrap in
// between. Programs cannot call it.

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

// Unwanted reports whether an option keeps package app from making the default world, or the editor world.
func (p *plan) Unwanted() (noDefault, noEditor bool) { return p.noDefault, p.noEditor }

// Open says why the world can do what is asked no more.
func (a *attachment) Open(what string) error { return a.open(what) }

// Closed reports whether the world is closed.
func (a *attachment) Closed() bool { return a.closed }

// Begin begins a frame that is ticked from outside.
func (a *attachment) Begin(by driver.Pauser) error { return a.beginFrame(by) }

// Turn updates a root group, unless it is destroyed or the frame is to end.
func (a *attachment) Turn(group driver.Group) error {
	if in := group.(*Instance); in.phase == destroyed || a.quit {
		return nil
	}
	return group.Update()
}

// Quit reports whether a system of the last frame has asked for the end.
func (a *attachment) Quit() bool { return a.quit }

// End ends the frame.
func (a *attachment) End(errs []error) []error { return a.endFrame(errs) }

// Show shows those that watch the world that the frame is over.
func (a *attachment) Show(errs []error) []error { return a.frameEnded(errs) }
