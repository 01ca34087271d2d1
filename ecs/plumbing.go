package ecs

import (
	"errors"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Plumbing is what packages that build on a world connect to, as ecs/system does: they
// attach themselves to it, update it in steps, and schedule jobs of their own in its
// order. Programs have no use for it: what it is made of may change with those packages.
type Plumbing struct{ w *World }

// Plumbing returns what packages that build on the world connect to.
func (w *World) Plumbing() Plumbing { return Plumbing{w} }

// OnSync makes every sync point that has jobs to wait for call f first, after what
// was given before.
func (p Plumbing) OnSync(f func()) (remove func()) {
	w := p.w
	w.hook("OnSync", f != nil)
	return w.hooks.syncs.add(f)
}

// OnWait makes every wait of the owner for jobs of the world call f first, and
// what f returns when it is over: at a sync point, after [Plumbing.OnSync], with nil,
// and else with the access that the jobs conflict with, which is good for the call
// only, unless all of them are done already. Of several functions the first is called
// first, and what it has returned last.
func (p Plumbing) OnWait(f func(a *access.Access) (done func())) (remove func()) {
	w := p.w
	w.hook("OnWait", f != nil)
	return w.hooks.waits.add(f)
}

// OnCommit makes every structural change call f just before it is made, when nothing can
// refuse it any more and no job of the world runs, with the name of the operation: what
// it is that changes the world, and in which system, see [Plumbing.Running], for tools. A
// playback is one change, and each of its commands another one, or neighbouring ones that
// destroy one entity each, or add, set and remove components of one; changes that the jobs of a transaction make are one,
// "transaction.Transaction.End". Function f may look at the world and is refused to change it. If it
// panics nothing has changed.
func (p Plumbing) OnCommit(f func(op string)) (remove func()) {
	w := p.w
	w.hook("OnCommit", f != nil)
	return w.hooks.commits.add(f)
}

// OnHash makes Hash take a number of the caller's in, behind what the world contains,
// while f says that there is one. They are hashed in the order of their names: for
// each the list of the name's length (uint64), the name, and the list of the number.
func (p Plumbing) OnHash(name string, f func() (hash uint64, has bool)) {
	w := p.w
	at, _ := slices.BinarySearchFunc(w.hooks.hashes, name, func(h namedHash, name string) int { return strings.Compare(h.name, name) })
	w.hooks.hashes = slices.Insert(w.hooks.hashes, at, namedHash{name, f})
}

// Attach keeps a value with the world under a key, which should be of a type of
// the caller's own.
func (p Plumbing) Attach(key, value any) {
	w := p.w
	if w.hooks.attached == nil {
		w.hooks.attached = map[any]any{}
	}
	w.hooks.attached[key] = value
}

// Attached returns the value kept under a key, or nil.
func (p Plumbing) Attached(key any) any { return p.w.hooks.attached[key] }

// BeginUpdate begins the update of a system: the world's version moves on, and
// errors name the system until EndUpdate. It returns the name of the system in
// whose update this one happens, or "". It panics with an *Error while the world is
// lent to a transaction: the system would have missed what that
// does. Until EndUpdate the world is the caller's, as in [Plumbing.BeginFrame].
func (p Plumbing) BeginUpdate(system string) (outer string) {
	w := p.w
	w.refuseLent("BeginUpdate")
	w.hold("BeginUpdate")
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// EndUpdate ends the update of a system and returns the version that its queries
// compare with next time: what it has written itself is not newer than that,
// what is written afterwards is, by a transaction that the update has begun too.
func (p Plumbing) EndUpdate(outer string) (last uint32) {
	w := p.w
	w.running = outer
	w.owner.depth--
	last = w.version
	if w.lent == nil {
		w.bump()
	}
	return last
}

// RestoredVersion returns which version of the world one of the image is that the world was restored
// from last, or forked: for those who keep versions with an image.
func (p Plumbing) RestoredVersion(v uint32) uint32 { return shifted(v, p.w.returns.shift) }

// Running returns the name of the system that is being updated, or "".
func (p Plumbing) Running() string { return p.w.running }

// RunOn makes ParallelFor schedule on r, which must belong to the world's pool:
// a scope, for a frame that can be cancelled. Nil is the pool. It returns the
// one before.
func (p Plumbing) RunOn(r Runner) (before Runner) {
	w := p.w
	before, w.jobs.on = w.jobs.on, r
	return before
}

// Before appends the handles of the jobs that a job with access a must come
// after. Component indices are those of AddAccess. It is called before the job is
// scheduled, and Track afterwards: Close reports a job that was never given to Track,
// since nothing waits for it.
func (p Plumbing) Before(a *access.Access, buf []jobs.Handle) []jobs.Handle {
	w := p.w
	w.expect()
	w.jobs.asked++
	return w.jobs.tracker.Before(a, buf)
}

// Track puts a job with access a into the order of the world's jobs.
func (p Plumbing) Track(a *access.Access, h jobs.Handle) {
	w := p.w
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Add(a, h)
}

// TrackOrdered is Track for a job whose order was given by hand. The error is of
// category ErrState, and its cause a *access.ConflictError, if a job conflicts with it
// that it does not come after; it is in the order of the world's jobs all the same.
func (p Plumbing) TrackOrdered(a *access.Access, h jobs.Handle) error {
	w := p.w
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Name = ComponentName
	err := w.jobs.tracker.AddOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return w.fault(ErrState, "TrackOrdered", "two jobs are in no order").because(conflict)
}

// AddAccess adds the access that the terms declare, Read and Write, to a. It is
// for jobs that are not over a query. The terms may name [Worldwide] types.
func (p Plumbing) AddAccess(a *access.Access, terms ...Term) error {
	w := p.w
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
func (p Plumbing) CloseQueries(owner string) error {
	w := p.w
	list := w.owned[owner]
	if owner == "" {
		list = w.queries
	}
	for _, q := range slices.Clone(list) {
		if q.owner == owner {
			if err := q.end("CloseQueries"); err != nil {
				return err
			}
		}
	}
	return nil
}

// QueryFor is Query for a system: queries of different owners are different,
// even of the same terms, since each is set its own version to compare with. The owner is named
// in errors.
func (p Plumbing) QueryFor(owner string, terms ...Term) *Query {
	w := p.w
	const op = "Query"
	w.mustBeOpen(op)
	return w.queryFor(op, owner, terms)
}

// Report adds an error to those that the next Sync returns.
func (p Plumbing) Report(err error) { p.w.report(err) }

// Await completes the jobs that conflict with access a.
func (p Plumbing) Await(a *access.Access) error {
	w := p.w
	const op = "Await"
	if err := w.notInJob(op); err != nil {
		return err
	}
	if err := w.looks(op); err != nil {
		return err
	}
	return w.awaitAccess(op, a)
}

// BeginFrame makes the world the caller's until EndFrame: other goroutines, and jobs,
// are refused what is the owner's, whatever is under way. Frames and updates of systems
// nest. It panics with an *Error if the world is being updated by somebody else.
func (p Plumbing) BeginFrame() { p.w.hold("BeginFrame") }

// EndFrame undoes one BeginFrame.
func (p Plumbing) EndFrame() { p.w.owner.depth-- }
