package ecs

import (
	"errors"
	"slices"

	"github.com/lanewise/lanewise/jobs"
)

// What is in this file is for packages that build on a world, as ecs/system
// does: they attach themselves to it, update it in steps, and schedule jobs of
// their own in its order.

// hooks is what other packages have attached to a world.
type hooks struct {
	closers  []func() error
	sync     func()
	wait     func(*jobs.Access) (done func())
	hashes   []namedHash // by name
	attached map[any]any
}

// OnClose makes Close call f, after the jobs are complete and before the
// entities are gone; what was given last is called first.
func (w *World) OnClose(f func() error) { w.hooks.closers = append(w.hooks.closers, f) }

// OnSync makes every sync point that has jobs to wait for call f first. There is
// one such function; it returns the one before.
func (w *World) OnSync(f func()) (before func()) {
	before, w.hooks.sync = w.hooks.sync, f
	return before
}

// OnWait makes every wait of the owner for jobs of the world call f first, and
// what f returns when it is over: at a sync point, after [World.OnSync], with nil,
// and else with the access that the jobs conflict with, which is good for the call
// only, unless all of them are done already. There is one such function; it returns
// the one before.
func (w *World) OnWait(f func(a *jobs.Access) (done func())) (before func(*jobs.Access) (done func())) {
	before, w.hooks.wait = w.hooks.wait, f
	return before
}

// waiting says that the owner is about to wait; what it returns, that it has.
func (w *World) waiting(a *jobs.Access) (done func()) {
	if w.hooks.wait == nil {
		return func() {}
	}
	return w.hooks.wait(a)
}

// Attach keeps a value with the world under a key, which should be of a type of
// the caller's own.
func (w *World) Attach(key, value any) {
	if w.hooks.attached == nil {
		w.hooks.attached = map[any]any{}
	}
	w.hooks.attached[key] = value
}

// Attached returns the value kept under a key, or nil.
func (w *World) Attached(key any) any { return w.hooks.attached[key] }

// BeginUpdate begins the update of a system: the world's version moves on, and
// errors name the system until EndUpdate. It returns the name of the system in
// whose update this one happens, or "". It panics with an *Error while the world is
// lent to a transaction, see [World.Lent]: the system would have missed what that
// does. Until EndUpdate the world is the caller's, as in [World.BeginFrame].
func (w *World) BeginUpdate(system string) (outer string) {
	w.away("BeginUpdate")
	w.hold("BeginUpdate")
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// EndUpdate ends the update of a system and returns the version that its queries
// compare with next time: what it has written itself is not newer than that,
// what is written afterwards is, by a transaction that the update has begun too.
func (w *World) EndUpdate(outer string) (last uint32) {
	w.running = outer
	w.owner.depth--
	last = w.version
	if w.lent == nil {
		w.bump()
	}
	return last
}

// Running returns the name of the system that is being updated, or "".
func (w *World) Running() string { return w.running }

// RunOn makes ParallelFor schedule on r, which must belong to the world's pool:
// a scope, for a frame that can be cancelled. Nil is the pool. It returns the
// one before.
func (w *World) RunOn(r Runner) (before Runner) {
	before, w.jobs.on = w.jobs.on, r
	return before
}

// Before appends the handles of the jobs that a job with access a must come
// after. Component indices are those of AddAccess. It is called before the job is
// scheduled, and Track afterwards: Close reports a job that was never given to Track,
// since nothing waits for it.
func (w *World) Before(a *jobs.Access, buf []jobs.Handle) []jobs.Handle {
	w.expect()
	w.jobs.asked++
	return w.jobs.tracker.Before(a, buf)
}

// Track puts a job with access a into the order of the world's jobs.
func (w *World) Track(a *jobs.Access, h jobs.Handle) {
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Add(a, h)
}

// TrackOrdered is Track for a job whose order was given by hand. The error is of
// category ErrState, and its cause a *jobs.ConflictError, if a job conflicts with it
// that it does not come after; it is in the order of the world's jobs all the same.
func (w *World) TrackOrdered(a *jobs.Access, h jobs.Handle) error {
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Name = ComponentName
	err := w.jobs.tracker.AddOrdered(a, h)
	var conflict *jobs.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return w.fault(ErrState, "TrackOrdered", "two jobs are in no order").because(conflict)
}

// AddAccess adds the access that the terms declare, Read and Write, to a. It is
// for jobs that are not over a query. The terms may name [Worldwide] types.
func (w *World) AddAccess(a *jobs.Access, terms ...Term) error {
	const op = "AddAccess"
	for _, t := range terms {
		if t.mode != modeRead && t.mode != modeWrite {
			return w.fault(ErrArgument, op, "%v declares no access: use Read or Write", t)
		}
		c, err := w.declaredOf(op, t)
		if err != nil {
			return err
		}
		if t.mode == modeWrite {
			a.Write.Add(c.index)
		} else {
			a.Read.Add(c.index)
		}
	}
	return nil
}

// CloseQueries closes the queries that were made for owner.
func (w *World) CloseQueries(owner string) error {
	for _, q := range slices.Clone(w.queries) {
		if q.owner == owner {
			if err := q.end("CloseQueries"); err != nil {
				return err
			}
		}
	}
	return nil
}

// ComponentName returns the name of the component that accesses know by an
// index, with its package; "" if there is none.
func ComponentName(index int) string {
	registry.RLock()
	defer registry.RUnlock()
	if index >= 0 && index < len(registry.all) {
		return registry.all[index].name
	}
	return ""
}
