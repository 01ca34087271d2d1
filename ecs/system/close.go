package system

import (
	"errors"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// close ends the systems of a world that is being closed, all of them the last
// created first: it stops those that run, then destroys them, then lets go of
// what they hold. Systems can be looked up, and created, while others stop and no
// longer while others are destroyed. Resources end behind them, the last made first.
// What fails does not keep the rest from ending.
func (a *attachment) close() error {
	var errs []error
	for _, in := range slices.Backward(slices.Clone(a.instances)) {
		if in.running {
			errs = append(errs, in.stopAlone())
		}
	}
	a.closing = true
	all := slices.Clone(a.instances)
	slices.Reverse(all)
	for _, in := range all {
		in.complete()
		errs = append(errs, in.callDestroy())
	}
	for _, in := range all {
		errs = append(errs, in.release())
		a.unlist(in)
	}
	errs = append(errs, a.endResources())
	a.closed = true
	a.meter(false)
	worlds.remove(&a.roster)
	noteClosed(&a.roster)
	if driver.Ended != nil {
		driver.Ended(a.world)
	}
	return errors.Join(errs...)
}

// endResources ends the resources of a world, the last made first.
func (a *attachment) endResources() error {
	if len(a.resources) == 0 {
		return nil
	}
	errs := []error{a.world.Sync()} // systems may have scheduled jobs as they ended
	for _, own := range slices.Backward(a.resources) {
		errs = append(errs, own.end())
	}
	a.resources = nil
	return errors.Join(errs...)
}
