package park

import (
	"sync"
	"sync/atomic"
)

// Waiters is a set of goroutines. Each sleeps until an event, which it knows by a key, has
// happened. The zero Waiters is empty.
type Waiters struct {
	// count is the number of waiters, and inside is the number of waiters that wait inside jobs.
	// Waiters change these numbers under the lock. Goroutines that have made a job ready read these
	// numbers without the lock. A waiter registers first and then looks for jobs, so that at least
	// one of the two goroutines sees the other.
	count       atomic.Int32
	insideCount atomic.Int32

	mu   sync.Mutex
	list []waiter
}

// Key says which job a goroutine waits for. A Key is a struct and not a type parameter of Waiters,
// because a package that imports jobs would compile the methods of a generic type again.
type Key struct {
	Job        any // a pointer
	Generation uint32
}

type waiter struct {
	parker    Parker
	key       Key
	insideJob bool
}

// Count is the number of waiters.
func (w *Waiters) Count() int { return int(w.count.Load()) }

// Inside is the number of waiters inside jobs.
func (w *Waiters) Inside() int { return int(w.insideCount.Load()) }

// Add adds a goroutine that is about to sleep on a Parker until key is done. Before it sleeps it
// must look once more whether key is done.
func (w *Waiters) Add(p Parker, key Key, inside bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, waiter{p, key, inside})
	w.count.Add(1)
	if inside {
		w.insideCount.Add(1)
	}
}

// Remove undoes one Add of the same Parker and key.
func (w *Waiters) Remove(p Parker, key Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.list {
		if other.parker == p && other.key == key {
			last := len(w.list) - 1
			w.list[i] = w.list[last]
			w.list[last] = waiter{}
			w.list = w.list[:last]
			if other.insideJob {
				w.insideCount.Add(-1)
			}
			break
		}
	}
	w.count.Add(-1)
}

// Has reports whether any goroutine waits for a key.
func (w *Waiters) Has(key Key) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.list {
		if other.key == key {
			return true
		}
	}
	return false
}

// WakeFor wakes all goroutines that wait for a key.
func (w *Waiters) WakeFor(key Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.list {
		if other.key == key {
			other.parker.Unpark()
		}
	}
}

// WakeAll wakes all waiters, so that each one looks whether a ready job is for it.
func (w *Waiters) WakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.list {
		other.parker.Unpark()
	}
}

// WakeInside wakes all waiters inside jobs.
func (w *Waiters) WakeInside() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.list {
		if other.insideJob {
			other.parker.Unpark()
		}
	}
}
