package jobs

import (
	"sync"
	"sync/atomic"
	"weak"
)

// known is all pools on which a job may run, also closed ones that have some left. What is slow
// anyway goes through them: a wait that is about to sleep, a body that runs apart, a job that belongs to one goroutine; and innermost,
// which takes some 20 nanoseconds for each pool but the first, and every wait asks it.
var known struct {
	mu   sync.Mutex
	list atomic.Pointer[[]weak.Pointer[Pool]] // a new list is stored under mu; read anywhere
}

// enlistPool adds a new pool.
func enlistPool(p *Pool) {
	p.self = weak.Make(p)
	changePools(nil, p)
}

// strikePool takes a pool out on which nothing will run again.
func strikePool(p *Pool) { changePools(p, nil) }

// changePools stores a new list, without the pools that the garbage collector has taken.
func changePools(without, with *Pool) {
	known.mu.Lock()
	defer known.mu.Unlock()
	var list []weak.Pointer[Pool]
	for p := range allPools {
		if p != without {
			list = append(list, weak.Make(p))
		}
	}
	if with != nil {
		list = append(list, weak.Make(with))
	}
	known.list.Store(&list)
}

// allPools yields the pools that are in use.
func allPools(yield func(*Pool) bool) {
	list := known.list.Load()
	if list == nil {
		return
	}
	for _, w := range *list {
		if p := w.Value(); p != nil && !yield(p) {
			return
		}
	}
}
