package ecs

import (
	"cmp"
	"errors"
	"slices"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Scheduler updates a world in steps and orders jobs. Packages that run systems use it, for example
// ecs/system. Programs that run systems without such a package use it too. [Scheduler.BeginUpdate] and
// [Scheduler.EndUpdate] enclose one update of a system. [Scheduler.Query] returns a query that belongs
// to one system. So the query remembers which changes this system has already seen.
//
// An access is the set of components that a job reads and writes. It contains the indices of these
// components. Package jobs/access orders jobs by their accesses.
//
// Only the owner of the world may use a Scheduler. Most methods check their arguments: if the world or
// the access is nil, they return an error, or panic with an *Error. Methods that run in every update
// or for every job do not check this, because the check would cost time in every frame. They are
// BeginFrame, EndFrame, BeginUpdate, BeginMember, EndUpdate, RunningSystem, ChangingSystem, Before and
// Track. With a nil world, these methods panic with a nil dereference.
type Scheduler struct {
	world *World
	op    string // the operation for errors; "" for the method
}

// Scheduler returns the scheduler of w.
func (w *World) Scheduler() Scheduler { return Scheduler{world: w} }

// As returns a scheduler whose errors name op instead of the method. So if a package calls the
// scheduler, its users see the name of the function that they have called themselves. Only the
// errors of Query, AddAccess and CheckCommands contain this name.
func (s Scheduler) As(op string) Scheduler { return Scheduler{s.world, op} }

// BeginUpdate begins the update of a system. It increments the world's version, and errors name the system
// until EndUpdate. It returns the name of the system whose update was in progress before, or "". Pass this
// name to [Scheduler.EndUpdate]. Until EndUpdate the world belongs to the caller, as after
// [Scheduler.BeginFrame]. BeginUpdate panics with an *Error while the world is lent to a transaction (see
// [World.InTransaction]), because the system would not see the changes of the transaction.
func (s Scheduler) BeginUpdate(system string) (outer string) {
	w := s.world
	const op = "Scheduler.BeginUpdate"
	w.gate.mustNotBeLent(op)
	w.gate.beginOwned(op)
	w.gate.advanceVersion()
	outer, w.gate.runningSystem = w.gate.runningSystem, system
	return outer
}

// BeginMember is like [Scheduler.BeginUpdate], but without the checks. The caller must own the world
// through its own BeginFrame or BeginUpdate, and must know that the world is not lent. For example, a
// group of systems uses it for its members.
func (s Scheduler) BeginMember(system string) (outer string) {
	w := s.world
	w.gate.owner.updateDepth++
	w.gate.advanceVersion()
	outer, w.gate.runningSystem = w.gate.runningSystem, system
	return outer
}

// EndUpdate ends the update of a system. The argument is the name that BeginUpdate has returned. The
// result is the version for [Query.SetSince] of the system's queries. So in its next update the system
// does not see its own writes as new. It sees all later writes, and the writes of a transaction that the
// update has begun.
func (s Scheduler) EndUpdate(outer string) (last uint32) {
	w := s.world
	w.gate.runningSystem = outer
	w.gate.owner.updateDepth--
	last = w.gate.changeVersion
	if w.gate.lease == nil {
		w.gate.advanceVersion()
	}
	return last
}

// RestoredVersion converts a version of an image to a version of the world. The image must be the one
// from which the world was last restored or forked. Packages that store versions together with an
// image use it.
func (s Scheduler) RestoredVersion(v uint32) uint32 {
	w := s.world
	w.mustNotBeNil("Scheduler.RestoredVersion")
	return shiftVersion(v, w.tables.restoreMemo.versionShift)
}

// RunningSystem returns the name of the system that is being updated, or "" outside of updates.
func (s Scheduler) RunningSystem() string {
	w := s.world
	return w.gate.runningSystem
}

// ChangingSystem returns the name of the system that makes the present structural change, or "". During a
// playback, this is the system that has recorded the commands, if the buffer knows it. Otherwise it is
// the system that is being updated.
func (s Scheduler) ChangingSystem() string {
	w := s.world
	return cmp.Or(w.gate.recorderSystem, w.gate.runningSystem)
}

// SetRecorder makes the system that is being updated the recorder of c. Errors and
// [Scheduler.ChangingSystem] name the recorder. Call it when one system gets a buffer that another system
// has used.
func (c *Commands) SetRecorder() {
	if c.world != nil {
		c.recorderSystem = c.world.gate.runningSystem
	}
}

// RunOn makes the world schedule its jobs, including those of [Query.ParallelFor], on r, and returns the
// previous runner. The runner must belong to the world's pool. For example, it may be a scope for a frame
// that can be cancelled. If r is nil, jobs run on the pool itself.
func (s Scheduler) RunOn(r Runner) (before Runner) {
	w := s.world
	w.mustNotBeNil("Scheduler.RunOn")
	before, w.gate.jobs.runner = w.gate.jobs.runner, r
	return before
}

// Before appends to buf the handles of the jobs that a job with access a must wait for, and returns the
// longer list. The access uses the component indices of [Scheduler.AddAccess]. Call Before, schedule
// the job after these handles, and pass the job to [Scheduler.Track]. If a job is never passed to
// Track, nothing waits for it, and [World.Close] reports that.
func (s Scheduler) Before(a *access.Access, buf []jobs.Handle) []jobs.Handle {
	w := s.world
	w.expectJob()
	w.gate.jobs.untrackedJobs++
	return w.gate.jobs.tracker.Before(a, buf)
}

// Track tells the world that the job h has the access a. Later jobs that conflict with this access wait
// for h, and sync points wait for it too.
func (s Scheduler) Track(a *access.Access, h jobs.Handle) {
	w := s.world
	w.expectJob()
	w.gate.jobs.untrackedJobs = max(0, w.gate.jobs.untrackedJobs-1)
	w.gate.jobs.tracker.Add(a, h)
}

// TrackOrdered is like [Scheduler.Track], but for a job that the caller itself has ordered among other
// jobs with handles. The error is of category [ErrState], with a *access.ConflictError as its cause, if
// the job conflicts with another one and does not wait for it. The world tracks the job in that case
// too.
func (s Scheduler) TrackOrdered(a *access.Access, h jobs.Handle) error {
	w := s.world
	w.expectJob()
	w.gate.jobs.untrackedJobs = max(0, w.gate.jobs.untrackedJobs-1)
	w.gate.jobs.tracker.Name = ComponentName
	err := w.gate.jobs.tracker.AddOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return w.gate.fault(ErrState, "Scheduler.TrackOrdered", "two jobs are in no order").withCause(conflict)
}

// AddAccess adds the components of the terms, which are Read or Write, to a. Use it for jobs that are not
// over a query. The terms may name [Worldwide] types. The error is of category [ErrArgument] if the world
// or a is nil, or a term is neither Read nor Write.
func (s Scheduler) AddAccess(a *access.Access, terms ...Term) error {
	w, op := s.world, cmp.Or(s.op, "Scheduler.AddAccess")
	switch {
	case w == nil:
		return noWorldError(op)
	case a == nil:
		return noAccessError(w, op)
	}
	for _, t := range terms {
		if t.mode != modeRead && t.mode != modeWrite {
			return w.gate.fault(ErrArgument, op, "%v declares no access: use Read or Write", t)
		}
		c, err := w.types.declaredOf(op, t)
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

// noAccessError returns the error of an operation whose access is nil.
func noAccessError(w *World, op string) error {
	return w.gate.fault(ErrArgument, op, "the access is nil: give one that AddAccess or Access has filled")
}

// ComponentName returns the full name, with the package path, of the component with the given index in
// accesses, or "" if there is none. Any goroutine may call it.
func ComponentName(index int) string {
	if all := allComponents(); index >= 0 && index < len(all) {
		return all[index].name
	}
	return ""
}

// CloseQueries closes all queries that [Scheduler.Query] has created for the owner, so that they use no
// memory when a system is gone. For the owner "" these are the queries of [World.Query]. It first
// completes all jobs of the world. The error is of category [ErrState] if the world cannot be changed now.
func (s Scheduler) CloseQueries(owner string) error {
	w := s.world
	const op = "Scheduler.CloseQueries"
	if w == nil {
		return noWorldError(op)
	}
	list := w.queries.byOwner[owner]
	if owner == "" {
		list = w.queries.list
	}
	for _, q := range slices.Clone(list) {
		if q.owner == owner {
			if err := q.remove(op); err != nil {
				return err
			}
		}
	}
	return nil
}

// Query is like [World.Query], but for a system. The owner is the name of that system. Errors name it
// too. Two owners have different queries, even for the same terms, because each query compares with its
// own version; see [Query.SetSince]. It panics with an *Error as World.Query does.
func (s Scheduler) Query(owner string, terms ...Term) *Query {
	w, op := s.world, cmp.Or(s.op, "Scheduler.Query")
	w.mustBeOpen(op)
	return w.findOrMakeQuery(op, owner, terms)
}

// CheckCommands panics with an *Error if the caller is a block of a parallel job, and the world does not
// belong to this block. A package that hands out command buffers calls it first, because such a block
// must not take a buffer. A buffer may be taken only in the update of a system.
func (s Scheduler) CheckCommands() {
	w, op := s.world, cmp.Or(s.op, "Scheduler.CheckCommands")
	block := jobs.CallerBlock()
	if block == 0 {
		return
	}
	if own, _ := w.gate.ownerBlock(); block != own {
		e := fault(ErrState, op, "a block of a parallel job cannot take a buffer: take it in the update of the system, and keep its Parallel() in the job")
		e.World = w.gate.name
		panic(e)
	}
}

// Report adds an error to the errors that the next [World.Sync] returns. It is for failures in functions
// that return no error.
func (s Scheduler) Report(err error) {
	w := s.world
	w.mustNotBeNil("Scheduler.Report")
	w.gate.addJobError(err)
}

// Await waits for the jobs of the world that conflict with access a, and returns the error of a job that
// has failed. The error is of category [ErrArgument] if the world or a is nil, and of category [ErrState]
// in a job.
func (s Scheduler) Await(a *access.Access) error {
	w := s.world
	const op = "Scheduler.Await"
	switch {
	case w == nil:
		return noWorldError(op)
	case a == nil:
		return noAccessError(w, op)
	}
	if err := w.gate.checkNotInJob(op); err != nil {
		return err
	}
	if err := w.gate.checkRead(op); err != nil {
		return err
	}
	return w.awaitAccess(op, a)
}

// BeginFrame gives the world to the calling goroutine until EndFrame. During that time, other goroutines
// and jobs cannot call methods of the owner, whether or not jobs are scheduled. A frame may contain another frame,
// and an update of a system another update. It panics with an *Error if another goroutine updates the world.
func (s Scheduler) BeginFrame() {
	w := s.world
	w.gate.beginOwned("Scheduler.BeginFrame")
}

// EndFrame ends the frame of one BeginFrame. The goroutine that called BeginFrame must call
// EndFrame.
func (s Scheduler) EndFrame() {
	w := s.world
	w.gate.owner.updateDepth--
}
