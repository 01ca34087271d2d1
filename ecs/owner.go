package ecs

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// This file decides which goroutine owns a world. During an update, the goroutine that updates the world
// owns it. At other times one goroutine at a time owns it. The first rule is enforced. The second rule is
// usually checked only where this costs little. While the world calls a method of a user's value, the
// second rule is enforced too. docs/decisions/0009-whose-a-world-is.md explains the reasons and the limits
// of builds without assembly.

// ownerState holds the world's data about the goroutine that may change it.
type ownerState struct {
	updateDepth  int         // nested updates: the goroutine that begins the outermost one owns the world until its end
	awaitedCalls int         // how many of world.visiting are calls of methods whose answer the world waits for
	updateCaller jobs.Caller // the goroutine and task of the update; only the owner reads it
	callerBlock  uint64      // its block, from jobs.CallerBlock

	// holderG is the last goroutine that changed the world. A goroutine that changes the world and finds
	// another goroutine in holderG stores itself there, atomically. changingG is the goroutine that is
	// changing the world now, or 0. The goroutine in holderG reads both fields without atomic operations,
	// and writes changingG without them. Other goroutines read atomically. These fields do not order any
	// memory accesses. The fields only show whether another goroutine uses the world.
	holderG   uintptr
	changingG uintptr

	// methodG is the goroutine that is running a method of a user's value for the world, or 0. The call
	// may take long; methodG keeps its value until the call ends.
	methodG uintptr
}

// beginOwned begins a period in which the world belongs to the caller.
func (g *gate) beginOwned(op string) {
	o := &g.owner
	if o.updateDepth == 0 {
		if err := g.beginAlone(op); err != nil {
			panic(err)
		}
		g.endUnchanged()
		o.updateCaller = g.jobs.pool.Caller()
		o.callerBlock = jobs.CallerBlock()
	} else if g.jobs.pool.Caller() != o.updateCaller {
		panic(g.strangerError(op))
	}
	o.updateDepth++
}

// classifyCaller reports whether the caller is not the owner. inJob is true if the caller runs a job of the
// world's pool while the world has jobs or is being updated. stranger is true if the world is being updated
// and the caller runs no job, or a job of another pool. Both results are false for a job that owns the
// world, because the job itself schedules the world's jobs or updates the world. The innermost body
// decides. So a job of another pool gets the same result wherever it runs: on a worker, or on the goroutine
// of an owner that waits for it.
func classifyCaller(w *gate) (inJob, stranger bool) {
	pool := w.jobs.pool
	switch {
	case w.owner.updateDepth > 0:
		c := pool.Caller()
		if c == w.owner.updateCaller {
			return false, false
		}
		in := c.TaskOf(pool) != nil
		return in, !in
	case w.jobs.jobsPending:
		t := pool.Caller().TaskOf(pool)
		return t != nil && t != w.jobs.ownerTask, false
	}
	return false, false
}

// inJob reports whether the caller is in a job; see classifyCaller.
func (g *gate) inJob() bool {
	in, _ := classifyCaller(g)
	return in
}

// mayBeConcurrent reports whether another goroutine may be using the world. If it returns true, a write
// must call await first.
func (g *gate) mayBeConcurrent() bool {
	return g.jobs.jobsPending || g.owner.updateDepth != 0 || g.owner.changingG|g.owner.methodG != 0
}

// checkRead returns an error if the caller must not read the whole world, because another goroutine is
// updating or changing it.
func (g *gate) checkRead(op string) error {
	if !g.jobs.jobsPending && g.owner.updateDepth == 0 && g.owner.changingG|g.owner.methodG == 0 {
		return nil
	}
	return g.checkReadNow(op)
}

func (g *gate) checkReadNow(op string) error {
	if g.owner.updateDepth > 0 {
		switch inJob, stranger := classifyCaller(g); {
		case inJob:
			return g.checkNotInJob(op)
		case stranger:
			return g.strangerError(op)
		}
		return nil
	}
	if g.jobs.jobsPending && g.inJob() {
		return nil // changingG is the owner's; other checks refuse jobs
	}
	return g.checkNotChanging(op)
}

// mustBeReadable does the check of checkRead for functions that return no error. mustBeReadable
// panics instead.
func (g *gate) mustBeReadable(op string) {
	if err := g.checkRead(op); err != nil {
		panic(err)
	}
}

// strangerError returns the error for a goroutine that calls while another goroutine updates the world.
// It does not name the system, because only the owner may read that field.
func (g *gate) strangerError(op string) *Error {
	e := fault(ErrState, op, "another goroutine is updating the world, and owns it until the update ends: make the call there, or %s", remedy(op, "record it with Commands", "when the update has ended"))
	e.World = g.name
	return e
}

// beginAlone returns an error if another goroutine is changing the world. Otherwise it records that the
// caller changes the world. The record stays until endChange, or until endUnchanged if the caller has
// changed nothing. beginAlone is called early, because the preparation already writes to the world.
// Between changes another goroutine may take over the world. The new goroutine then has to check once
// that the previous one has finished.
func (g *gate) beginAlone(op string) error {
	o, self := &g.owner, jobs.Goroutine()
	if o.holderG != self {
		if err := g.becomeHolder(op, self); err != nil {
			return err
		}
	}
	return g.confirmAlone(op)
}

// stillHolder does the work of beginAlone if the calling goroutine g was the last goroutine that changed the
// world. Otherwise it returns false and records nothing.
func (o *ownerState) stillHolder(g uintptr) bool {
	if o.holderG != g {
		return false
	}
	o.changingG = g // preparation is a part of the change
	return atomic.LoadUintptr(&o.holderG) == g
}

// confirmAlone begins the change of a caller that has called beginAlone. confirmAlone returns an error if another
// goroutine has begun a change since. The caller needs confirmAlone if changingG and holderG differ, because then
// another goroutine has come, or a nested change has ended.
func (g *gate) confirmAlone(op string) error {
	o, self := &g.owner, jobs.Goroutine()
	o.changingG = self
	if atomic.LoadUintptr(&o.holderG) != self {
		o.changingG = 0
		return g.concurrentUseError(op)
	}
	return nil
}

// endUnchanged ends a change in which the caller has changed nothing.
func (g *gate) endUnchanged() { g.owner.changingG = 0 }

// endFailed ends the change of the caller, if there is one, after an operation has failed. A job whose call was
// refused may call endFailed while the owner changes the world. The race is harmless. The job only checks whether
// the field contains its own goroutine, and every other value leads to the same result.
//
//go:norace
func (g *gate) endFailed() {
	if self := jobs.Goroutine(); self != 0 && g.owner.changingG == self {
		g.owner.changingG = 0
	}
}

// becomeHolder makes goroutine self the holder of the world. becomeHolder returns an error, and changes nothing,
// if the world is being changed.
func (g *gate) becomeHolder(op string, self uintptr) error {
	o := &g.owner
	if err := g.checkNotChanging(op); err != nil {
		return err
	}
	if before := atomic.SwapUintptr(&o.holderG, self); before == 0 {
		return nil
	}
	by := atomic.LoadUintptr(&o.changingG)
	for range 1000 { // long enough to see a store of the other goroutine
		if atomic.LoadUintptr(&o.holderG) != self || atomic.LoadUintptr(&o.changingG) != by {
			return g.concurrentUseError(op)
		}
	}
	return nil
}

// abandonTimeout is the time after which a change of another goroutine counts as abandoned if it shows
// no progress.
const abandonTimeout = 100 * time.Millisecond

// checkNotChanging returns an error if another goroutine is changing the world. A change that was abandoned because
// of a panic looks the same at first. It is recognized because changingG does not change during abandonTimeout.
// While a goroutine is in a method of a user's value, methodG contains the goroutine, no matter how long the call
// takes.
func (g *gate) checkNotChanging(op string) error {
	o := &g.owner
	by, in := atomic.LoadUintptr(&o.changingG), atomic.LoadUintptr(&o.methodG)
	if by == 0 && in == 0 {
		return nil
	}
	self := jobs.Goroutine()
	if in != 0 && in != self {
		return g.concurrentUseError(op)
	}
	if by == 0 || by == self {
		return nil
	}
	for start := time.Now(); time.Since(start) < abandonTimeout; runtime.Gosched() {
		if atomic.LoadUintptr(&o.changingG) != by {
			return g.concurrentUseError(op)
		}
	}
	return nil
}

// methodCall is the state before a call of a user's method, which exitMethod restores.
type methodCall struct {
	methodG, changingG uintptr
	inUpdate           bool
}

// enterMethod records that the world is about to call a user's method. The method may take long and may use the
// world too. The caller must defer exitMethod, which undoes the record. In an update there is nothing to
// record, because the caller is known to be the owner.
func (g *gate) enterMethod(op string) (methodCall, error) {
	o := &g.owner
	was := methodCall{o.methodG, o.changingG, o.updateDepth > 0}
	if was.inUpdate {
		return was, nil
	}
	if err := g.beginAlone(op); err != nil {
		return was, err
	}
	atomic.StoreUintptr(&o.methodG, o.changingG)
	return was, nil
}

// exitMethod ends the call that enterMethod has recorded. whole reports that the method has not
// panicked.
func (g *gate) exitMethod(was methodCall, whole bool) {
	if was.inUpdate {
		return
	}
	o := &g.owner
	atomic.StoreUintptr(&o.methodG, was.methodG)
	if o.changingG = was.changingG; !whole {
		g.endUnchanged()
	}
}

// concurrentUseError returns the error for two goroutines that use the world at the same time.
func (g *gate) concurrentUseError(op string) *Error {
	e := fault(ErrState, op, "another goroutine is changing the world now: a world is for one at a time, so let one do it, or lock a mutex around every use")
	e.World = g.name
	return e
}

// ownerBlock returns the block of a parallel-for that owns the world, or 0. It also reports whether the
// world has jobs or is being updated. A job may read this state for an error message while the owner
// continues.
//
//go:norace
func (g *gate) ownerBlock() (block uint64, busy bool) {
	switch {
	case g.owner.updateDepth > 0:
		return g.owner.callerBlock, true
	case g.jobs.jobsPending:
		return g.jobs.ownerBlock, true
	}
	return 0, false
}

// remedy returns the advice for a refused operation. The advice is to record the operation if Commands
// can, and otherwise to call it later.
func remedy(op, record, later string) string {
	if slices.Contains(opNames[:], strings.TrimSuffix(op, "All")) {
		return record
	}
	return "call it " + later
}
