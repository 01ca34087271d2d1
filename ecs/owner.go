package ecs

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// This file decides which goroutine owns a world: the one that updates it or, outside of updates, one at a
// time. The first rule is enforced. The second is checked as far as that costs little, and is enforced
// while the world calls a method of a user's value. docs/decisions/0009-whose-a-world-is.md explains the
// reasons and the limits of builds without assembly.

// owner is the world's knowledge of the goroutine that may change it.
type owner struct {
	depth  int         // nested updates: the goroutine that begins the outermost one owns the world until its end
	asking int         // how many of world.visiting are calls of methods whose answer the world waits for
	caller jobs.Caller // the goroutine and task of the update; only the owner reads it
	block  uint64      // its block, from jobs.CallerBlock

	// holder is the last goroutine that changed the world: each writes itself there, atomically, if it
	// finds another one. changing is the goroutine that is changing the world now, or 0. A goroutine reads
	// both plainly, and writes changing plainly; other goroutines read atomically. This orders nothing: it
	// only shows whether another goroutine is there.
	holder   uintptr
	changing uintptr

	// method is the goroutine that is in a method of a user's value which the world has called, or 0. The
	// call may take long, and this field is reliable until its end.
	method uintptr
}

// hold begins a period in which the world belongs to the caller.
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

// called reports whether the caller is not the owner. A caller in a job (inJob) runs a job of the world's
// pool while the world has jobs or is being updated. A stranger runs no job, or a job of another pool,
// while the world is being updated. A job that owns the world, because it schedules its jobs or updates
// it, is neither. The innermost body decides: a job of another pool gets the same answer on a worker as on
// an owner that waits for it.
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

// inJob reports whether the caller is in a job; see called.
func (g *gate) inJob() bool {
	in, _ := called(g)
	return in
}

// guarded reports whether another goroutine may be using the world. A write must then call await.
func (g *gate) guarded() bool {
	return g.jobs.pending || g.owner.depth != 0 || g.owner.changing|g.owner.method != 0
}

// looks returns an error if the caller may not read the whole world, because another goroutine is updating
// or changing it.
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
		return nil // changing is the owner's; other checks refuse jobs
	}
	return g.calm(op)
}

// mustLook is looks for functions that return no error. It panics instead.
func (g *gate) mustLook(op string) {
	if err := g.looks(op); err != nil {
		panic(err)
	}
}

// stranger returns the error for a goroutine while another one updates the world. It does not name the
// system, because only the owner may read that field.
func (g *gate) stranger(op string) *Error {
	e := fault(ErrState, op, "the world is being updated by another goroutine, whose it is until the update ends: do it there, or %s", remedy(op, "record it with Commands", "when the update has ended"))
	e.World = g.name
	return e
}

// alone returns an error if another goroutine is changing the world. Otherwise it notes that the caller
// changes the world. The note stays until finish, or until idle if the caller changes nothing after all.
// It begins early, because preparation already writes to the world. Between changes another goroutine may
// take over the world. It then has to check once that the previous one has finished.
func (g *gate) alone(op string) error {
	o, self := &g.owner, jobs.Goroutine()
	if o.holder != self {
		if err := g.take(op, self); err != nil {
			return err
		}
	}
	return g.seize(op)
}

// again is alone for the calling goroutine g if it was the last to change the world. It returns false, and
// notes nothing, if it was not.
func (o *owner) again(g uintptr) bool {
	if o.holder != g {
		return false
	}
	o.changing = g // preparation is a part of the change
	return atomic.LoadUintptr(&o.holder) == g
}

// seize begins the change of a caller that has called alone, and returns an error if another goroutine has
// come since. The caller needs it if changing and holder differ: then another goroutine has come, or a
// nested change has ended.
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

// faulted ends the change of the caller, if there is one, because an operation failed. A job may call it
// after a refusal while the owner changes the world. The race is harmless: the job only checks whether the
// field is its own goroutine, and all other values have the same effect.
//
//go:norace
func (g *gate) faulted() {
	if self := jobs.Goroutine(); self != 0 && g.owner.changing == self {
		g.owner.changing = 0
	}
}

// take makes goroutine g the holder of the world. It returns an error, and changes nothing, if the world
// is being changed.
func (g *gate) take(op string, self uintptr) error {
	o := &g.owner
	if err := g.calm(op); err != nil {
		return err
	}
	if before := atomic.SwapUintptr(&o.holder, self); before == 0 {
		return nil
	}
	by := atomic.LoadUintptr(&o.changing)
	for range 1000 { // long enough to see a store of the other goroutine
		if atomic.LoadUintptr(&o.holder) != self || atomic.LoadUintptr(&o.changing) != by {
			return g.crowded(op)
		}
	}
	return nil
}

// patience is the time after which a change of another goroutine that shows no progress counts as
// abandoned.
const patience = 100 * time.Millisecond

// calm returns an error if another goroutine is changing the world. A change that a panic has abandoned
// looks the same, except that changing does not move during patience. A goroutine in a method of a user's
// value is recognised by the field method, however long the call takes.
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

// entry is the state before a call of a user's method, which exit restores.
type entry struct {
	method, changing uintptr
	update           bool
}

// enter notes that the world is about to call a user's method, which may take long and may use the world
// too. A deferred exit undoes that. In an update there is nothing to note, because the caller is known to
// be the owner.
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

// exit ends the call that enter has noted; whole reports that the method has not panicked.
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

// crowded returns the error for two goroutines that use the world at the same time.
func (g *gate) crowded(op string) *Error {
	e := fault(ErrState, op, "another goroutine is changing the world now: a world is for one at a time, so let one do it, or lock a mutex around every use")
	e.World = g.name
	return e
}

// ownerBlock returns the block of a parallel-for to which the world belongs, or 0, and reports whether the
// world has jobs or is being updated. A refused job may read this while the owner goes on.
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

// remedy returns the advice for a refused operation: to record it if Commands can, and otherwise to call
// it later.
func remedy(op, record, later string) string {
	if slices.Contains(opNames[:], strings.TrimSuffix(op, "All")) {
		return record
	}
	return "call it " + later
}
