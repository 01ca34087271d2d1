package jobs

import (
	"sync"
	"sync/atomic"
	"weak"
)

// known is all pools on which a job may run, also closed ones that have some left. What is slow
// anyway goes through them: a wait that is about to sleep, a body that runs apart, a job that belongs to one goroutine; and innermost,
// which takes some 8 nanoseconds for each pool but the first, and every wait asks it.
var known struct {
	mu   sync.Mutex
	list atomic.Pointer[[]knownPool] // a new list is stored under mu; read anywhere
}

// knownPool is a pool that the garbage collector may take. One whose workers hold it is held here too, because a look through a weak
// pointer takes some 20 nanoseconds.
type knownPool struct {
	held *Pool // nil if nothing but the users of the pool holds it
	weak weak.Pointer[Pool]
}

func (k *knownPool) pool() *Pool {
	if k.held != nil {
		return k.held
	}
	return k.weak.Value()
}

// kept returns the pool if its workers hold it, which is until it is closed, and else nil.
func (p *Pool) kept() *Pool {
	if p.workers > 1 && !p.closed.Load() {
		return p
	}
	return nil
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
	var list []knownPool
	for p := range allPools {
		if p != without {
			list = append(list, knownPool{p.kept(), p.self})
		}
	}
	if with != nil {
		list = append(list, knownPool{with.kept(), with.self})
	}
	known.list.Store(&list)
}

// allPools yields the pools that are in use.
func allPools(yield func(*Pool) bool) {
	list := known.list.Load()
	if list == nil {
		return
	}
	for i := range *list {
		if p := (*list)[i].pool(); p != nil && !yield(p) {
			return
		}
	}
}
