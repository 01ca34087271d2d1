package ecs

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// What is in this file says whose a world is: that of the goroutine which updates it,
// or else of one at a time. The first is certain; the second is best effort, but while
// the world calls a user's method. What it hangs on, and what builds without assembly lack,
// is in docs/decisions/0009-whose-a-world-is.md.

// owner is what a world knows of the goroutine that may change it.
type owner struct {
	depth  int         // of updates: the goroutine that begins the outermost one owns the world until its end
	asking int         // of the loops that world.visiting counts, methods that are asked for an answer
	caller jobs.Caller // whose the update is; of the owner
	block  uint64      // of that, by jobs.CallerBlock

	// holder is the goroutine that was the last to change the world: each writes its
	// own there, atomically, when it finds another one's. changing is the one that is
	// changing it now, or 0. Both are read plainly by their own goroutine, and changing
	// is written so; others read them atomically, and nothing orders that: they only
	// want to see whether there is one.
	holder   uintptr
	changing uintptr

	// method is the goroutine that is in a user's method which the world has called,
	// or 0. Such a call may take its time: that it is under way is certain.
	method uintptr
}

// hold begins a time in which the world is the caller's.
func (w *gate) hold(op string) {
	o := &w.owner
	if o.depth == 0 {
		if err := w.alone(op); err != nil {
			panic(err)
		}
		w.idle()
		o.caller = w.jobs.pool.Caller()
		o.block = jobs.CallerBlock()
	} else if w.jobs.pool.Caller() != o.caller {
		panic(w.stranger(op))
	}
	o.depth++
}

// called says who else calls than the owner: inJob, a goroutine that runs a job of the world's
// pool, of whatever kind, while the world has jobs or is being updated; stranger, one that runs
// none, or a job of another pool, while it is being updated. The job that owns the world, where it is one that schedules
// them or updates it, is neither. What runs is the innermost body: a job of another pool gets the same answer whether its
// worker runs it, or the owner that waits for it.
func called(w *gate) (inJob, stranger bool) {
	pool := w.jobs.pool
	switch {
	case w.owner.depth > 0:
		c := pool.Caller()
		if c == w.owner.caller {
			return false, false
		}
		in := c.TaskOf(pool) != nil
		return in, !in
	case w.jobs.pending:
		t := pool.Caller().TaskOf(pool)
		return t != nil && t != w.jobs.owner, false
	}
	return false, false
}

// inJob reports whether a job calls; see called.
func (w *gate) inJob() bool {
	in, _ := called(w)
	return in
}

// guarded reports whether another goroutine may be using the world, so that a write has to
// ask: await does.
func (w *gate) guarded() bool {
	return w.jobs.pending || w.owner.depth != 0 || w.owner.changing|w.owner.method != 0
}

// looks returns an error if the world is another goroutine's to look at as a whole:
// it is being updated, or changed.
func (w *gate) looks(op string) error {
	if !w.jobs.pending && w.owner.depth == 0 && w.owner.changing|w.owner.method == 0 {
		return nil
	}
	return w.looksNow(op)
}

func (w *gate) looksNow(op string) error {
	if w.owner.depth > 0 {
		switch inJob, stranger := called(w); {
		case inJob:
			return w.notInJob(op)
		case stranger:
			return w.stranger(op)
		}
		return nil
	}
	if w.jobs.pending && w.inJob() {
		return nil // the note is the owner's: what is not for jobs says so
	}
	return w.calm(op)
}

// mustLook is looks for those that have no error to return.
func (w *gate) mustLook(op string) {
	if err := w.looks(op); err != nil {
		panic(err)
	}
}

// stranger says that the world is being updated by another goroutine. It leaves the
// system out, which only the owner may look at.
func (w *gate) stranger(op string) *Error {
	e := fault(ErrState, op, "the world is being updated by another goroutine, whose it is until the update ends: do it there, or %s", remedy(op, "record it with Commands", "when the update has ended"))
	e.World = w.name
	return e
}

// alone returns an error if another goroutine is changing the world, and else notes
// that the caller does: what is prepared counts. It does so until finish, or until
// idle where nothing is changed after all. A world may go from one to another between
// changes, each time at the price of a look whether the one before has really done
// with it.
func (w *gate) alone(op string) error {
	o, g := &w.owner, jobs.Goroutine()
	if o.holder != g {
		if err := w.take(op, g); err != nil {
			return err
		}
	}
	return w.seize(op)
}

// again is alone for goroutine g, which calls, if it was the last to change the world.
// It reports whether that is so; if not, nothing is noted but what alone overwrites.
func (o *owner) again(g uintptr) bool {
	if o.holder != g {
		return false
	}
	o.changing = g // what is prepared counts
	return atomic.LoadUintptr(&o.holder) == g
}

// seize says that the caller, which was alone, begins to change the world, unless
// another has come since. It is for where changing and holder differ: another has
// come, or a change inside of this one has ended.
func (w *gate) seize(op string) error {
	o, g := &w.owner, jobs.Goroutine()
	o.changing = g
	if atomic.LoadUintptr(&o.holder) != g {
		o.changing = 0
		return w.crowded(op)
	}
	return nil
}

// idle ends a change of the caller that changed nothing.
func (w *gate) idle() { w.owner.changing = 0 }

// faulted ends the change of the caller, if it was making one: an operation failed. It
// may be one that a job was refused while the owner changes the world: what the job
// reads here is then not its own, whatever it is.
//
//go:norace
func (w *gate) faulted() {
	if g := jobs.Goroutine(); g != 0 && w.owner.changing == g {
		w.owner.changing = 0
	}
}

// take makes the world goroutine g's. One that comes while it is changed leaves it as it is.
func (w *gate) take(op string, g uintptr) error {
	o := &w.owner
	if err := w.calm(op); err != nil {
		return err
	}
	if before := atomic.SwapUintptr(&o.holder, g); before == 0 {
		return nil
	}
	by := atomic.LoadUintptr(&o.changing)
	for range 1000 { // long enough for the other one's store to be seen here
		if atomic.LoadUintptr(&o.holder) != g || atomic.LoadUintptr(&o.changing) != by {
			return w.crowded(op)
		}
	}
	return nil
}

// patience is how long a change of another goroutine is watched that does not end: it
// may have been left half-way.
const patience = 100 * time.Millisecond

// calm returns an error if another goroutine is changing the world. A change that was
// left half-way, by a panic, looks like one; it does not move. One that is in a user's
// method is told from it, however long that takes.
func (w *gate) calm(op string) error {
	o := &w.owner
	by, in := atomic.LoadUintptr(&o.changing), atomic.LoadUintptr(&o.method)
	if by == 0 && in == 0 {
		return nil
	}
	g := jobs.Goroutine()
	if in != 0 && in != g {
		return w.crowded(op)
	}
	if by == 0 || by == g {
		return nil
	}
	for start := time.Now(); time.Since(start) < patience; runtime.Gosched() {
		if atomic.LoadUintptr(&o.changing) != by {
			return w.crowded(op)
		}
	}
	return nil
}

// entry is what a call of a user's method has found, for exit to restore.
type entry struct {
	method, changing uintptr
	update           bool
}

// enter notes that a user's method is about to be called, which may take its time and
// use the world too; exit, deferred, undoes that. In an update that is known to be the
// caller's there is nothing to note.
func (w *gate) enter(op string) (entry, error) {
	o := &w.owner
	was := entry{o.method, o.changing, o.depth > 0}
	if was.update {
		return was, nil
	}
	if err := w.alone(op); err != nil {
		return was, err
	}
	atomic.StoreUintptr(&o.method, o.changing)
	return was, nil
}

// exit ends what enter has begun; whole says that the method has not panicked.
func (w *gate) exit(was entry, whole bool) {
	if was.update {
		return
	}
	o := &w.owner
	atomic.StoreUintptr(&o.method, was.method)
	if o.changing = was.changing; !whole {
		w.idle()
	}
}

// crowded says that two goroutines use the world at once.
func (w *gate) crowded(op string) *Error {
	e := fault(ErrState, op, "another goroutine is changing the world now: a world is for one at a time, so let one do it, or lock a mutex around every use")
	e.World = w.name
	return e
}

// ownerBlock returns the block of a parallel-for to which the world belongs, 0 for none, and whether the world has jobs or is being
// updated. A job that is refused for it may look while the owner goes on.
//
//go:norace
func (w *gate) ownerBlock() (block uint64, busy bool) {
	switch {
	case w.owner.depth > 0:
		return w.owner.block, true
	case w.jobs.pending:
		return w.jobs.block, true
	}
	return 0, false
}

// gate is what every operation passes first: whether the world is there, whose it is, and
// by what name and in what version things happen. It knows of no entities.
type gate struct {
	structural uint32 // counts structural changes: the first word, every view compares it
	version    uint32 // the global version
	visiting   int    // loops over chunks on the owner's goroutine
	alive      bool   // the world was made, has its contents, and is not closed
	concludes  bool   // finish has more to do: ids are promised, or values want to be told
	owner      owner  // beside these: every change asks all of them
	jobs       schedule
	name       string
	running    string  // the system that is being updated
	recorder   string  // the system that has recorded the commands being played; empty if none is known
	lent       *lease  // to the jobs of a transaction
	borrowed   bool    // the world is that of a transaction's jobs
	labels     *labels // names of entities, for errors
}

// refuseLent panics while the contents are lent; otherwise it is false.
func (w *gate) refuseLent(op string) bool {
	if w.lent != nil {
		panic(w.unavailable(op))
	}
	return false
}

// open returns an error if there is no world, or it is closed.
func (w *gate) open(op string) error {
	if !w.alive {
		return w.unavailable(op)
	}
	return nil
}

// unavailable says that the world has no contents, or not now.
func (w *gate) unavailable(op string) *Error {
	switch {
	case w.lent != nil:
		return w.fault(ErrState, op, "the world is lent to a transaction: its jobs have the world now, use it when the transaction has ended")
	case w.borrowed:
		return w.fault(ErrState, op, "the job of a transaction that had this world is done: schedule another one, or End the transaction and use the world that it began with")
	case w.version == 0:
		return fault(ErrState, op, "the world is the zero World: make one with NewWorld")
	}
	return w.fault(ErrDisposed, op, "the world is closed")
}

// ask keeps changes of the world away while an operation calls a method of a shared
// value that it asks for an answer, or the tools that want to know of it: it has found
// rows and groups already, and they must be there when it goes on. So it refuses what a
// loop over chunks does.
func (w *gate) ask() {
	w.visiting++
	w.owner.asking++
}

// answered ends what ask has begun.
func (w *gate) answered() {
	w.visiting--
	w.owner.asking--
}

// bump moves the world's version on.
func (w *gate) bump() {
	if w.version++; w.version == 0 {
		w.version = 1
	}
}

// fault makes an error of op in this world.
func (w *gate) fault(category error, op, text string, args ...any) *Error {
	w.faulted()
	e := fault(category, op, text, args...)
	e.World, e.System, e.labels = w.name, w.callingSystem(), w.labels
	return e
}

// callingSystem returns the system that an error names: the one that is being updated or, in a job, the one that has scheduled the
// job. It is empty in a job that is not over a query, because nothing says whose that is; the system that is being updated by then is the
// owner's to look at, and often another one, which only waits for the job.
func (w *gate) callingSystem() string {
	if !w.inJob() {
		return w.running
	}
	if r, ok := w.jobs.pool.Caller().Job().(*chunkRun); ok {
		return r.query.owner
	}
	return ""
}

// canChange returns an error if a structural change cannot be made now: the world
// is closed, its chunks are being visited, or the caller is not its owner.
func (w *World) canChange(op string) error {
	if w.gate.barred() {
		return w.cannotChange(op)
	}
	if w.gate.owner.again(jobs.Goroutine()) {
		return nil
	}
	return w.gate.alone(op)
}

// barred reports whether something may be in the way of a structural change, beside
// another goroutine.
func (w *gate) barred() bool {
	return w.jobs.pending || !w.alive || w.visiting != 0 || w.owner.depth != 0
}

// cannotChange is canChange when something may be in the way.
func (w *World) cannotChange(op string) error {
	switch inJob, stranger := called(&w.gate); {
	case inJob: // first: the rest is the owner's to look at
		return w.gate.fault(ErrState, op, "structural changes are not for jobs: %s", remedy(op, "record the change with Commands.Parallel and For", "when the jobs are done"))
	case stranger:
		return w.gate.stranger(op)
	case !w.gate.alive:
		return w.gate.unavailable(op)
	case w.gate.owner.asking > 0:
		if err := w.gate.calm(op); err != nil {
			return err // another goroutine's method
		}
		return w.gate.fault(ErrState, op, "the world is about to be changed, and asks for something first (Hash or Equal of a shared value, a function of OnCommit): that cannot change it")
	case w.gate.visiting > 0:
		return w.gate.fault(ErrState, op, "a loop over chunks or entities is under way: %s", remedy(op, "record the change with Commands and play it back after the loop", "after the loop"))
	}
	if w.gate.owner.depth > 0 {
		return nil // others are refused: it is the same goroutine as when it began
	}
	return w.gate.alone(op)
}

// remedy says what to do instead of op: to record it if it can be, or else to do
// it later.
func remedy(op, record, later string) string {
	if slices.Contains(opNames[:], strings.TrimSuffix(op, "All")) {
		return record
	}
	return "call it " + later
}

// change begins a structural change: it is a sync point, after which no job of
// the world runs, and it ends the life of all views. It returns an error, and
// has changed nothing, if the change cannot be made now.
func (w *World) change(op string) error {
	if !w.gate.barred() && w.hooks.commits == nil && w.gate.owner.again(jobs.Goroutine()) { // canChange and commit, in short
		w.gate.structural++
		return nil
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	return w.commit(op)
}

// commit begins a structural change that canChange has allowed.
func (w *World) commit(op string) error {
	if w.gate.jobs.pending || w.gate.owner.changing != w.gate.owner.holder || w.hooks.commits != nil {
		return w.begin(op)
	}
	w.gate.structural++
	return nil
}

// begin is commit where there is more to it.
func (w *World) begin(op string) error {
	if w.gate.jobs.pending {
		if err := w.complete(op); err != nil {
			return err
		}
	}
	if w.gate.owner.depth == 0 {
		if err := w.gate.seize(op); err != nil {
			return err
		}
	}
	w.committing(op)
	w.gate.structural++
	return nil
}

// may is canChange for what is no change that finish ends.
func (w *World) may(op string) error {
	err := w.canChange(op)
	if err == nil {
		w.gate.idle()
	}
	return err
}

// expect notes that a job of the world is about to be scheduled, before it can
// run: from now on there are two sides, and inJob tells them apart. Once that is
// noted nothing is written that jobs may be reading; the count is the owner's.
func (w *World) expect() {
	w.gate.jobs.noted++
	if !w.gate.jobs.pending {
		pool := w.gate.workers()
		w.gate.jobs.owner = pool.Caller().TaskOf(pool)
		w.gate.jobs.block = jobs.CallerBlock()
		w.gate.jobs.pending = true
	}
}
