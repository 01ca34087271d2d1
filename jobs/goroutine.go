package jobs

import (
	"slices"
	"sync"
)

// Which goroutine runs is asked here and nowhere else. Go has no name for it that a program may
// read, so it is found out in one of two ways, each in a file of its own: from the register
// or the thread-local word where Go keeps it (goroutine_asm.go), or from the head line of its stack
// trace (goroutine_noasm.go). docs/decisions/0009 says what builds without assembly lack.

// Goroutine tells goroutines apart that are alive at the same time; 0 where that
// would take more than a nanosecond or two, which is with the tag purego above all.
func Goroutine() uintptr { return goroutine() }

// Stored in place of a goroutine. None has such an identity: it is the address of what Go knows of
// a goroutine, or a number above these.
const (
	unknownGoroutine = 1 // it was too slow to find out; see Pool.enter
	countReader      = 2 // of a seat whose counts are read; see seat.flush
)

// goroutineSet is goroutines that Close waits for: the workers and the watchdog,
// or those of external jobs.
type goroutineSet struct {
	mu       sync.Mutex
	expected int         // that were called
	members  []setMember // of those that have come
	onLeave  func()      // called by those that have left
}

// member is a goroutine of a set, and the task of the external job that it runs.
type setMember struct {
	id   uintptr
	task *Task // nil for a worker and the watchdog
}

// call announces a goroutine that is about to start.
func (c *goroutineSet) expectOne() {
	c.mu.Lock()
	c.expected++
	c.mu.Unlock()
}

// come enters the calling goroutine; t is the task of the external job that it runs, or nil.
func (c *goroutineSet) joinSet(t *Task) {
	c.mu.Lock()
	c.members = append(c.members, setMember{goroutineID(), t})
	c.mu.Unlock()
}

// leave strikes the calling goroutine out; another takes its place if it is
// relieved.
func (c *goroutineSet) leaveSet(relieved bool) {
	me := goroutineID()
	c.mu.Lock()
	c.members = slices.DeleteFunc(c.members, func(m setMember) bool { return m.id == me })
	if !relieved {
		c.expected--
	}
	c.mu.Unlock()
	c.onLeave()
}

// gone reports whether all have left.
func (c *goroutineSet) allGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.expected == 0
}

// has reports whether the calling goroutine is one of the set.
func (c *goroutineSet) hasCaller() bool {
	me := goroutineID()
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.members, func(m setMember) bool { return m.id == me })
}

// task is the task of the external job that a goroutine runs, nil if it runs none.
func (c *goroutineSet) taskOf(id uintptr) *Task {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.id == id {
			return m.task
		}
	}
	return nil
}
