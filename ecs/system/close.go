package system

import (
	"errors"
	"slices"
)

// close ends the systems of a world that is being closed, all of them the last
// created first: it stops those that run, then destroys them, then lets go of
// what they hold. Systems can be looked up, and created, while others stop and no
// longer while others are destroyed. Resources end behind them, the last made first.
// What fails does not keep the rest from ending.
func (r *roster) close() error {
	var errs []error
	for _, in := range slices.Backward(slices.Clone(r.instances)) {
		if in.running {
			errs = append(errs, in.stopAlone())
		}
	}
	r.closing = true
	all := slices.Clone(r.instances)
	slices.Reverse(all)
	for _, in := range all {
		in.complete()
		errs = append(errs, in.callDestroy())
	}
	for _, in := range all {
		errs = append(errs, in.release())
		r.strike(in)
	}
	errs = append(errs, r.endResources())
	r.closed = true
	worlds.remove(r)
	forget(r.world)
	return errors.Join(errs...)
}
