package jobs

import (
	"slices"
	"sync"
)

// crew is a set of goroutines that Close waits for: the workers and the watchdog,
// or those of external jobs.
type crew struct {
	mu    sync.Mutex
	count int       // that were called
	ids   []uintptr // of those who have come
	left  func()    // called by who has left
}

// call announces a goroutine that is about to start.
func (c *crew) call() {
	c.mu.Lock()
	c.count++
	c.mu.Unlock()
}

// come enters the calling goroutine.
func (c *crew) come() {
	c.mu.Lock()
	c.ids = append(c.ids, goroutineID())
	c.mu.Unlock()
}

// leave strikes the calling goroutine out; another takes its place if it is
// relieved.
func (c *crew) leave(relieved bool) {
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
func (c *crew) gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count == 0
}

// has reports whether the calling goroutine is one of the crew.
func (c *crew) has() bool {
	me := goroutineID()
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.ids, me)
}
