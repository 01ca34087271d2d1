package jobs

import (
	"slices"
	"sync"
)

// goroutineSet is goroutines that Close waits for: the workers and the watchdog,
// or those of external jobs.
type goroutineSet struct {
	mu    sync.Mutex
	count int       // that were called
	ids   []uintptr // of those that have come
	left  func()    // called by those that have left
}

// call announces a goroutine that is about to start.
func (c *goroutineSet) call() {
	c.mu.Lock()
	c.count++
	c.mu.Unlock()
}

// come enters the calling goroutine.
func (c *goroutineSet) come() {
	c.mu.Lock()
	c.ids = append(c.ids, goroutineID())
	c.mu.Unlock()
}

// leave strikes the calling goroutine out; another takes its place if it is
// relieved.
func (c *goroutineSet) leave(relieved bool) {
	me := goroutineID()
	c.mu.Lock()
	c.ids = slices.DeleteFunc(c.ids, func(id uintptr) bool { return id == me })
	if !relieved {
		c.count--
	}
	c.mu.Unlock()
	c.left()
}

// gone reports whether all have left.
func (c *goroutineSet) gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count == 0
}

// has reports whether the calling goroutine is one of the set.
func (c *goroutineSet) has() bool {
	me := goroutineID()
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.ids, me)
}
