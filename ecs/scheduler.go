package ecs

import (
	"cmp"
	"errors"
	"slices"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Scheduler updates a world in steps and puts jobs into the order of the world's jobs, for packages that run systems, as ecs/system does,
// and for programs that run systems without it. [Scheduler.BeginUpdate] and [Scheduler.EndUpdate] are one update of a
// system, and [Scheduler.Query] is a query that only this system has, so that the changes which it has seen are its own.
//
// An access is what a job reads and writes, by indices of components; package jobs/access orders jobs by it.
// Methods that are called once return an error, or panic with one, if a world or an access is missing. Those that are called for each update,
// job or chunk do not check it, because a check would cost time in every frame: a nil world is a nil dereference there. All of them are for the owner of the world.
type Scheduler struct {
	world *World
	op    string // that errors name instead of the method; "" for the method
}

// Scheduler returns the scheduler of w.
func (w *World) Scheduler() Scheduler { return Scheduler{world: w} }

// As returns the scheduler with another name for errors: they name op in place of the method, because a package that calls s for its own
// users wants them to read the name of the function that they have called. Query, AddAccess and CheckCommands heed it.
func (s Scheduler) As(op string) Scheduler { return Scheduler{s.world, op} }

// BeginUpdate begins the update of a system: the world's version moves on, and
// errors name the system until EndUpdate. It returns the name of the system in
// whose update this one happens, or "". It panics with an *Error while the world is
// lent to a transaction, see World.InTransaction: the system would have missed what that
// does. Until EndUpdate the world is the caller's, as in [Scheduler.BeginFrame].
func (s Scheduler) BeginUpdate(system string) (outer string) {
	w := s.world
	const op = "Scheduler.BeginUpdate"
	w.refuseLent(op)
	w.hold(op)
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// BeginMember is BeginUpdate for a caller that has the world already, by a BeginFrame or BeginUpdate that it has made itself, and
// knows that the world is not lent: nothing is asked. A group of systems begins the updates of its members so.
func (s Scheduler) BeginMember(system string) (outer string) {
	w := s.world
	w.owner.depth++
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// EndUpdate ends the update of a system, with what BeginUpdate has returned, and returns the version that its queries
// compare with next time, see [Query.SetSince]: what it has written itself is not newer than that,
// what is written afterwards is, by a transaction that the update has begun too.
func (s Scheduler) EndUpdate(outer string) (last uint32) {
	w := s.world
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
func (s Scheduler) RestoredVersion(v uint32) uint32 {
	w := s.world
	w.given("Scheduler.RestoredVersion")
	return shifted(v, w.returns.shift)
}

// RunningSystem returns the name of the system that is being updated, or "".
func (s Scheduler) RunningSystem() string {
	w := s.world
	return w.running
}

// ChangingSystem returns the name of the system whose structural change is being made: during a
// playback the one that has recorded the commands, if it is known, and else the one that
// is being updated; or "".
func (s Scheduler) ChangingSystem() string {
	w := s.world
	return cmp.Or(w.recorder, w.running)
}

// SetRecorder makes the system that is being updated the recorder of c, which errors and
// [Scheduler.ChangingSystem] name. Call it before a buffer of another system is given to this one.
func (c *Commands) SetRecorder() {
	if c.world != nil {
		c.recorder = c.world.running
	}
}

// RunOn makes the world schedule its jobs, [Query.ParallelFor] among them, on r, which must belong to the world's pool:
// a scope, for a frame that can be cancelled. Nil is the pool. It returns the
// one before.
func (s Scheduler) RunOn(r Runner) (before Runner) {
	w := s.world
	w.given("Scheduler.RunOn")
	before, w.jobs.on = w.jobs.on, r
	return before
}

// Before appends the handles of the jobs that a job with access a must come
// after. Component indices are those of [Scheduler.AddAccess]. It is called before the job is
// scheduled, and [Scheduler.Track] afterwards: [World.Close] reports a job that was never given to Track,
// since nothing waits for it.
func (s Scheduler) Before(a *access.Access, buf []jobs.Handle) []jobs.Handle {
	w := s.world
	w.expect()
	w.jobs.asked++
	return w.jobs.tracker.Before(a, buf)
}

// Track puts a job with access a into the order of the world's jobs.
func (s Scheduler) Track(a *access.Access, h jobs.Handle) {
	w := s.world
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Add(a, h)
}

// TrackOrdered is [Scheduler.Track] for a job whose order was given by hand. The error is of
// category ErrState, and its cause a *access.ConflictError, if a job conflicts with it
// that it does not come after; it is in the order of the world's jobs all the same.
func (s Scheduler) TrackOrdered(a *access.Access, h jobs.Handle) error {
	w := s.world
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Name = ComponentName
	err := w.jobs.tracker.AddOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return w.fault(ErrState, "Scheduler.TrackOrdered", "two jobs are in no order").because(conflict)
}

// AddAccess adds the access that the terms declare, Read and Write, to a. It is
// for jobs that are not over a query. The terms may name [Worldwide] types.
func (s Scheduler) AddAccess(a *access.Access, terms ...Term) error {
	w, op := s.world, cmp.Or(s.op, "Scheduler.AddAccess")
	switch {
	case w == nil:
		return noWorld(op)
	case a == nil:
		return noAccess(w, op)
	}
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

// noAccess is the error of an operation that was given no access.
func noAccess(w *World, op string) error {
	return w.fault(ErrArgument, op, "the access is nil: give one that AddAccess or Access has filled")
}

// ComponentName returns the name of the component that accesses know by an
// index, with its package; "" if there is none.
func ComponentName(index int) string {
	if all := components(); index >= 0 && index < len(all) {
		return all[index].name
	}
	return ""
}

// CloseQueries closes the queries that were made for owner.
func (s Scheduler) CloseQueries(owner string) error {
	w := s.world
	const op = "Scheduler.CloseQueries"
	if w == nil {
		return noWorld(op)
	}
	list := w.owned[owner]
	if owner == "" {
		list = w.queries
	}
	for _, q := range slices.Clone(list) {
		if q.owner == owner {
			if err := q.end(op); err != nil {
				return err
			}
		}
	}
	return nil
}

// Query is [World.Query] for a system: queries of different owners are different,
// even of the same terms, since each is set its own version to compare with. The owner is named
// in errors.
func (s Scheduler) Query(owner string, terms ...Term) *Query {
	w, op := s.world, cmp.Or(s.op, "Scheduler.Query")
	w.mustBeOpen(op)
	return w.queryFor(op, owner, terms)
}

// CheckCommands panics with an *Error if the call comes from a block of a parallel job to which the world does not belong, because the
// update of a system takes command buffers, and not such a block.
func (s Scheduler) CheckCommands() {
	w, op := s.world, cmp.Or(s.op, "Scheduler.CheckCommands")
	block := jobs.CallerBlock()
	if block == 0 {
		return
	}
	if own, _ := w.ownerBlock(); block != own {
		e := fault(ErrState, op, "a block of a parallel job cannot take a buffer: take it in the update of the system, and keep its Parallel() in the job")
		e.World = w.name
		panic(e)
	}
}

// Report adds an error to those that the next [World.Sync] returns.
func (s Scheduler) Report(err error) {
	w := s.world
	w.given("Scheduler.Report")
	w.report(err)
}

// Await completes the jobs of the world that conflict with access a.
func (s Scheduler) Await(a *access.Access) error {
	w := s.world
	const op = "Scheduler.Await"
	switch {
	case w == nil:
		return noWorld(op)
	case a == nil:
		return noAccess(w, op)
	}
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
// nest. It panics with an *Error if the world is being updated by another goroutine.
func (s Scheduler) BeginFrame() {
	w := s.world
	w.hold("Scheduler.BeginFrame")
}

// EndFrame undoes one BeginFrame.
func (s Scheduler) EndFrame() {
	w := s.world
	w.owner.depth--
}
