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
func (g *gate) hold(op string) {
	o := &g.owner
	if o.depth == 0 {
		if err := g.alone(op); err != nil {
			panic(err)
		}
		g.idle()
		o.caller = g.jobs.pool.Caller()
		o.block = jobs.CallerBlock()
	} else if g.jobs.pool.Caller() != o.caller {
		panic(g.stranger(op))
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
func (g *gate) inJob() bool {
	in, _ := called(g)
	return in
}

// guarded reports whether another goroutine may be using the world, so that a write has to
// ask: await does.
func (g *gate) guarded() bool {
	return g.jobs.pending || g.owner.depth != 0 || g.owner.changing|g.owner.method != 0
}

// looks returns an error if the world is another goroutine's to look at as a whole:
// it is being updated, or changed.
func (g *gate) looks(op string) error {
	if !g.jobs.pending && g.owner.depth == 0 && g.owner.changing|g.owner.method == 0 {
		return nil
	}
	return g.looksNow(op)
}

func (g *gate) looksNow(op string) error {
	if g.owner.depth > 0 {
		switch inJob, stranger := called(g); {
		case inJob:
			return g.notInJob(op)
		case stranger:
			return g.stranger(op)
		}
		return nil
	}
	if g.jobs.pending && g.inJob() {
		return nil // the note is the owner's: what is not for jobs says so
	}
	return g.calm(op)
}

// mustLook is looks for those that have no error to return.
func (g *gate) mustLook(op string) {
	if err := g.looks(op); err != nil {
		panic(err)
	}
}

// stranger says that the world is being updated by another goroutine. It leaves the
// system out, which only the owner may look at.
func (g *gate) stranger(op string) *Error {
	e := fault(ErrState, op, "the world is being updated by another goroutine, whose it is until the update ends: do it there, or %s", remedy(op, "record it with Commands", "when the update has ended"))
	e.World = g.name
	return e
}

// alone returns an error if another goroutine is changing the world, and else notes
// that the caller does: what is prepared counts. It does so until finish, or until
// idle where nothing is changed after all. A world may go from one to another between
// changes, each time at the price of a look whether the one before has really done
// with it.
func (g *gate) alone(op string) error {
	o, self := &g.owner, jobs.Goroutine()
	if o.holder != self {
		if err := g.take(op, self); err != nil {
			return err
		}
	}
	return g.seize(op)
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
func (g *gate) seize(op string) error {
	o, self := &g.owner, jobs.Goroutine()
	o.changing = self
	if atomic.LoadUintptr(&o.holder) != self {
		o.changing = 0
		return g.crowded(op)
	}
	return nil
}

// idle ends a change of the caller that changed nothing.
func (g *gate) idle() { g.owner.changing = 0 }

// faulted ends the change of the caller, if it was making one: an operation failed. It
// may be one that a job was refused while the owner changes the world: what the job
// reads here is then not its own, whatever it is.
//
//go:norace
func (g *gate) faulted() {
	if self := jobs.Goroutine(); self != 0 && g.owner.changing == self {
		g.owner.changing = 0
	}
}

// take makes the world goroutine g's. One that comes while it is changed leaves it as it is.
func (g *gate) take(op string, self uintptr) error {
	o := &g.owner
	if err := g.calm(op); err != nil {
		return err
	}
	if before := atomic.SwapUintptr(&o.holder, self); before == 0 {
		return nil
	}
	by := atomic.LoadUintptr(&o.changing)
	for range 1000 { // long enough for the other one's store to be seen here
		if atomic.LoadUintptr(&o.holder) != self || atomic.LoadUintptr(&o.changing) != by {
			return g.crowded(op)
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
func (g *gate) calm(op string) error {
	o := &g.owner
	by, in := atomic.LoadUintptr(&o.changing), atomic.LoadUintptr(&o.method)
	if by == 0 && in == 0 {
		return nil
	}
	self := jobs.Goroutine()
	if in != 0 && in != self {
		return g.crowded(op)
	}
	if by == 0 || by == self {
		return nil
	}
	for start := time.Now(); time.Since(start) < patience; runtime.Gosched() {
		if atomic.LoadUintptr(&o.changing) != by {
			return g.crowded(op)
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
func (g *gate) enter(op string) (entry, error) {
	o := &g.owner
	was := entry{o.method, o.changing, o.depth > 0}
	if was.update {
		return was, nil
	}
	if err := g.alone(op); err != nil {
		return was, err
	}
	atomic.StoreUintptr(&o.method, o.changing)
	return was, nil
}

// exit ends what enter has begun; whole says that the method has not panicked.
func (g *gate) exit(was entry, whole bool) {
	if was.update {
		return
	}
	o := &g.owner
	atomic.StoreUintptr(&o.method, was.method)
	if o.changing = was.changing; !whole {
		g.idle()
	}
}

// crowded says that two goroutines use the world at once.
func (g *gate) crowded(op string) *Error {
	e := fault(ErrState, op, "another goroutine is changing the world now: a world is for one at a time, so let one do it, or lock a mutex around every use")
	e.World = g.name
	return e
}

// ownerBlock returns the block of a parallel-for to which the world belongs, 0 for none, and whether the world has jobs or is being
// updated. A job that is refused for it may look while the owner goes on.
//
//go:norace
func (g *gate) ownerBlock() (block uint64, busy bool) {
	switch {
	case g.owner.depth > 0:
		return g.owner.block, true
	case g.jobs.pending:
		return g.jobs.block, true
	}
	return 0, false
}

// remedy says what to do instead of op: to record it if it can be, or else to do
// it later.
func remedy(op, record, later string) string {
	if slices.Contains(opNames[:], strings.TrimSuffix(op, "All")) {
		return record
	}
	return "call it " + later
}
