package jobs

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

// errands are calls that a goroutine makes for those that run apart from it.
type errands struct {
	owner uintptr // the goroutine that makes them
	calls chan func()
}

// run makes errands until it is over, even if one of them ends the goroutine.
func (e *errands) run(over <-chan struct{}) {
	ended := false
	defer func() {
		if !ended {
			e.run(over)
		}
	}()
	for {
		select {
		case <-over:
			ended = true
			return
		case f := <-e.calls:
			f()
		}
	}
}

// isolated knows the goroutines that run bodies apart.
type isolated struct {
	mu   sync.Mutex
	list map[uintptr]*errands
}

func (a *isolated) add(id uintptr, e *errands) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.list == nil {
		a.list = map[uintptr]*errands{}
	}
	a.list[id] = e
}

func (a *isolated) remove(id uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.list, id)
}

// Goroutine tells goroutines apart that are alive at the same time; 0 where that
// would take more than a nanosecond or two, which is with the tag purego above all.
func Goroutine() uintptr { return goroutine() }

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

// goroutineID tells goroutines apart on every CPU. Where the fast way is
// missing it reads the number from the stack's head line, "goroutine 7 […".
func goroutineID() uintptr {
	if g := goroutine(); g != 0 {
		return g
	}
	buf := stackLines.Get().(*[64]byte)
	defer stackLines.Put(buf)
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	n := uintptr(0)
	for _, digit := range line {
		if digit < '0' || digit > '9' {
			break
		}
		n = 10*n + uintptr(digit-'0')
	}
	if n == 0 {
		panic("jobs: the stack of a goroutine begins with " + strconv.Quote(string(line)))
	}
	return n
}

// stackLines are beginnings of stack traces that are not being read.
var stackLines = sync.Pool{New: func() any { return new([64]byte) }}

// self is the goroutine whose jobs of ScheduleHere the calling one runs: itself, or,
// if it runs a body apart, the one that waits for that; then away makes errands there.
func (a *isolated) self() (id uintptr, given *errands) {
	id = goroutineID()
	a.mu.Lock()
	defer a.mu.Unlock()
	if given = a.list[id]; given != nil {
		id = given.owner
	}
	return id, given
}
