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
	closers  list[func() error]
	syncs    list[func()]
	waits    list[func(*jobs.Access) (done func())]
	commits  list[func(op string)]
	hashes   []namedHash // by name
	attached map[any]any
}

// list is the functions of one hook, in the order in which they came.
type list[F any] []*F

// add appends f, and returns what takes it out again. The functions are in a new
// slice each time: whoever goes through the old one is not disturbed.
func (l *list[F]) add(f F) (remove func()) {
	own := &f
	*l = append(slices.Clone(*l), own)
	return func() {
		*l = slices.DeleteFunc(slices.Clone(*l), func(other *F) bool { return other == own })
		if len(*l) == 0 {
			*l = nil
		}
	}
}

// hook refuses a nil function of a hook.
func (w *World) hook(op string, given bool) {
	if !given {
		panic(w.fault(ErrArgument, op, "the function is nil: to end a hook call what it has returned"))
	}
}

// OnClose makes Close call f, after the jobs are complete and before the
// entities are gone; what was given last is called first. Remove takes f out again,
// as that of every hook does: in any order, during a call of f too, and more than once.
// It panics with an *Error if f is nil, as every hook does.
func (w *World) OnClose(f func() error) (remove func()) {
	w.hook("OnClose", f != nil)
	return w.hooks.closers.add(f)
}

// OnSync makes every sync point that has jobs to wait for call f first, after what
// was given before.
func (w *World) OnSync(f func()) (remove func()) {
	w.hook("OnSync", f != nil)
	return w.hooks.syncs.add(f)
}

// OnWait makes every wait of the owner for jobs of the world call f first, and
// what f returns when it is over: at a sync point, after [World.OnSync], with nil,
// and else with the access that the jobs conflict with, which is good for the call
// only, unless all of them are done already. Of several functions the first is called
// first, and what it has returned last.
func (w *World) OnWait(f func(a *jobs.Access) (done func())) (remove func()) {
	w.hook("OnWait", f != nil)
	return w.hooks.waits.add(f)
}

// OnCommit makes every structural change call f just before it is made, when nothing can
// refuse it any more and no job of the world runs, with the name of the operation: what
// it is that changes the world, and in which system, see [World.Running], for tools. A
// playback is one change, and each of its commands another one, or neighbouring ones that
// destroy one entity each; changes that the jobs of a transaction make are one,
// "Transaction.End". Function f may look at the world and is refused to change it. If it
// panics nothing has changed.
func (w *World) OnCommit(f func(op string)) (remove func()) {
	w.hook("OnCommit", f != nil)
	return w.hooks.commits.add(f)
}

// committing says that a structural change is about to be made.
func (w *World) committing(op string) {
	if len(w.hooks.commits) == 0 {
		return
	}
	over := false
	w.ask()
	defer func() {
		if w.answered(); !over {
			w.faulted()
		}
	}()
	for _, f := range w.hooks.commits {
		(*f)(op)
	}
	over = true
}

// waiting says that the owner is about to wait; what it returns, that it has.
func (w *World) waiting(a *jobs.Access) (done func()) {
	switch hooks := w.hooks.waits; len(hooks) {
	case 0:
		return func() {}
	case 1:
		return (*hooks[0])(a)
	default:
		var over []func()
		for _, f := range hooks {
			over = append(over, (*f)(a))
		}
		return func() {
			for _, f := range slices.Backward(over) {
				f()
			}
		}
	}
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
