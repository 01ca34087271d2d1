package system

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Update runs one frame of w at the world's present time: its root groups
// Initialization, Simulation and Presentation, those that it has, and then
// completes the jobs that are still under way. It does not step the time; [Run]
// does, or Advance of the world's [Clock].
//
// Whatever fails, in a system or in a job, is returned, joined, after everything
// has had its turn. A system that has failed has its turn again in the next frame;
// what the failed update has seen is not new to it then, see [Instance.LastVersion].
func Update(w *ecs.World) (err error) {
	if err := given("Update", w); err != nil {
		return err
	}
	r := rosterOf(w)
	if err := r.beginFrame(nil); err != nil {
		return err
	}
	var errs []error
	defer func() { err = errors.Join(r.endBorder(r.endFrame(errs))...) }() // also when a test ends in a system
	for _, t := range roots() {
		in := r.find(t)
		if in == nil || r.quit {
			continue
		}
		if err := in.Update(); err != nil {
			errs = append(errs, err)
		}
	}
	return nil
}

// beginFrame begins a frame of the world, in a loop or alone: until endFrame its workers stay awake.
func (r *roster) beginFrame(l *Loop) error {
	if err := r.open("update"); err != nil {
		return err
	}
	if what := r.busy(); what != "" {
		return fmt.Errorf("system: Update: world %q: %s; a world does not update itself: %w", r.world.Name(), what, ecs.ErrState)
	}
	r.world.BeginFrame()
	r.updating, r.quit, r.depth = true, false, r.clock.Depth()
	if r.measure != nil {
		r.measure.beginFrame()
	}
	r.began = jobs.Clock()
	r.loop = l
	if r.scope == nil {
		r.scope = r.world.Pool().Scope(context.Background())
	} else {
		r.scope.Begin(context.Background())
	}
	r.outside = r.world.RunOn(r.scope)
	return nil
}

// host takes note of another world, of which a system was updated in this one's
// groups: its jobs are part of the frame, and its systems can end it.
func (r *roster) host(guest *roster) {
	r.quit = r.quit || guest.quit
	if !slices.Contains(r.guests, guest) {
		r.guests = append(r.guests, guest)
	}
}

// settle completes all jobs of the world and appends what has failed to errs.
func (r *roster) settle(errs []error) []error {
	if r.closed {
		return errs
	}
	if r.measure != nil {
		r.measure.settle()
	}
	for _, in := range r.instances {
		in.complete()
	}
	if err := r.world.Sync(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// endFrame completes all jobs of the frame and appends what has failed to errs.
func (r *roster) endFrame(errs []error) (all []error) {
	all = errs
	defer func() { // also when what is told of waits panics
		_ = r.scope.End() // the same failures
		if r.measure != nil {
			r.measure.endFrame()
		}
		r.world.RunOn(r.outside)
		r.world.EndFrame()
		r.updating = false
		if extra := r.clock.unwind(r.depth); extra > 0 {
			all = append(all, fmt.Errorf("system: Update: world %q: time was pushed %d times more than popped: %w", r.world.Name(), extra, ecs.ErrState))
		}
	}()
	all = r.settle(all)
	for _, guest := range r.guests {
		all = guest.settle(all)
	}
	clear(r.guests)
	r.guests = r.guests[:0]
	return all
}
