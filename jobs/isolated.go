package jobs

import "sync"

// proxy makes calls for the goroutines that run bodies apart from it: what belongs to the
// goroutine that waits for them.
type proxy struct {
	owner uintptr // the goroutine that makes the calls
	calls chan func()
}

// serve makes calls until it is over, even if one of them ends the goroutine.
func (x *proxy) serve(over <-chan struct{}) {
	ended := false
	defer func() {
		if !ended {
			x.serve(over)
		}
	}()
	for {
		select {
		case <-over:
			ended = true
			return
		case f := <-x.calls:
			f()
		}
	}
}

// apart knows the goroutines that run bodies apart, for all pools: what belongs to the goroutine
// that waits for them may be a job of any.
var apart isolated

type isolated struct {
	mu   sync.Mutex
	list map[uintptr]*proxy
}

func (a *isolated) add(id uintptr, x *proxy) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.list == nil {
		a.list = map[uintptr]*proxy{}
	}
	a.list[id] = x
}

func (a *isolated) remove(id uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.list, id)
}

// self is the goroutine whose jobs of ScheduleHere the calling one runs: itself, or,
// if it runs a body apart, the one that waits for that, and the proxy through which it does.
func (a *isolated) self() (id uintptr, by *proxy) {
	id = goroutineID()
	a.mu.Lock()
	defer a.mu.Unlock()
	if by = a.list[id]; by != nil {
		id = by.owner
	}
	return id, by
}
