package jobs

import (
	"slices"
	"sync"
)

// Only this file and its variants for builds with and without assembly find out which goroutine is
// running. Go has no public function that identifies a goroutine, so there are two implementations.
// goroutine_asm.go reads the register or the thread-local word where Go stores the goroutine's
// address. goroutine_noasm.go reads the number in the first line of the stack trace.
// docs/decisions/0009 lists the limits of builds without assembly.

// Goroutine returns a number that differs between goroutines that are alive at the same time. The
// number is 0 if finding it would take more than a nanosecond or two, as in builds with the tag
// purego.
func Goroutine() uintptr { return goroutine() }

// workerContext.holder can have one of these values instead of the number of a goroutine. No
// goroutine has one of these numbers, because a goroutine's number is an address or larger than
// both values.
const (
	unknownGoroutine = 1 // finding out would have been too slow; see Pool.acquire
	countReader      = 2 // a goroutine reads the counters of the context; see workerContext.publishIfIdle
)

// goroutineSet is a set of goroutines that Close waits for: the workers and the watchdog, or the
// goroutines of external jobs.
type goroutineSet struct {
	mu            sync.Mutex
	expectedCount int         // goroutines that were announced and have not left
	members       []setMember // those of them that run
	onLeave       func()      // called after a member has left
}

// setMember is a goroutine of a set, with the task of the external job that it runs.
type setMember struct {
	id   uintptr
	task *Task // nil for a worker and for the watchdog
}

// expectOne announces a goroutine that is about to start.
func (c *goroutineSet) expectOne() {
	c.mu.Lock()
	c.expectedCount++
	c.mu.Unlock()
}

// joinSet adds the calling goroutine. Parameter t is the task of the external job that the
// goroutine runs, or nil.
func (c *goroutineSet) joinSet(t *Task) {
	c.mu.Lock()
	c.members = append(c.members, setMember{goroutineID(), t})
	c.mu.Unlock()
}

// leaveSet removes the calling goroutine. If another goroutine takes the place of this goroutine,
// the count stays the same.
func (c *goroutineSet) leaveSet(relieved bool) {
	me := goroutineID()
	c.mu.Lock()
	c.members = slices.DeleteFunc(c.members, func(m setMember) bool { return m.id == me })
	if !relieved {
		c.expectedCount--
	}
	c.mu.Unlock()
	c.onLeave()
}

// allGone reports whether all members have left.
func (c *goroutineSet) allGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.expectedCount == 0
}

// hasCaller reports whether the calling goroutine is a member.
func (c *goroutineSet) hasCaller() bool {
	me := goroutineID()
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.members, func(m setMember) bool { return m.id == me })
}

// taskOf returns the task of the external job that a goroutine runs, or nil.
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
