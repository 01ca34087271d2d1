package ecs

import (
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// What is in this file is for packages that build on a world, as ecs/system
// does: they attach themselves to it, update it in steps, and schedule jobs of
// their own in its order.

// hooks is what other packages have attached to a world.
type hooks struct {
	closers  list[func() error]
	syncs    list[func()]
	waits    list[func(*access.Access) (done func())]
	commits  list[func(op string)]
	hashes   []hashHook     // by name
	hashing  atomic.Uintptr // the goroutine that is in one of them, or 0; written and read by any that hashes
	captures list[func(image any)]
	images   list[func(image any)]
	restores uint32 // how often the world was restored
	attached map[any]any
}

// passed is what counts of order begin with: what has seen one before a Restore does not see it
// again, though the archetypes count on from where they were. Multiples of 2^32 by the golden
// ratio lie far from each other: some 30,000 apart after 65,536 of them.
func (h *hooks) passed() uint32 { return h.restores * 0x9e3779b1 }

// attach keeps a value under a key.
func (h *hooks) attach(key, value any) {
	if h.attached == nil {
		h.attached = map[any]any{}
	}
	h.attached[key] = value
}

// list is the functions of one hook, in the order in which they came.
type list[F any] []*F

// add appends f, and returns what takes it out again. The functions are in a new
// slice each time: a loop over the old one is not disturbed.
func (l *list[F]) add(f F) (remove func()) {
	own := &f
	*l = append(slices.Clone(*l), own)
	return func() {
		*l = slices.DeleteFunc(slices.Clone(*l), func(other *F) bool { return other == own })
		if len(*l) == 0 {
			*l = nil
		}
	}
}

// committing says that a structural change is about to be made.
func (w *changes) committing(op string) {
	if len(w.hooks.commits) == 0 {
		return
	}
	over := false
	w.ask()
	defer func() {
		if w.answered(); !over {
			w.faulted()
		}
	}()
	for _, f := range w.hooks.commits {
		(*f)(op)
	}
	over = true
}

// waiting says that the owner is about to wait; what it returns, that it has.
func (w *changes) waiting(a *access.Access) (done func()) {
	switch hooks := w.hooks.waits; len(hooks) {
	case 0:
		return func() {}
	case 1:
		return (*hooks[0])(a)
	default:
		var over []func()
		for _, f := range hooks {
			over = append(over, (*f)(a))
		}
		return func() {
			for _, f := range slices.Backward(over) {
				f()
			}
		}
	}
}

// namedHash is what was given to OnHash.
type hashHook struct {
	name string
	of   func() (hash uint64, has bool)
}

// hashedNow returns an error while the caller is in a function of OnHash: a hash in it would call it again, and so on.
func (w *changes) hashedNow(op string) error {
	if in := w.hooks.hashing.Load(); in == 0 || in != goroutine() {
		return nil
	}
	return w.fault(ErrState, op, "the world is being hashed, and a function of OnHash is asked for its number: that cannot hash or capture the world itself")
}

// eachNamed calls f with the numbers of the functions of OnHash.
func (h *hooks) eachNamed(f func(name string, sum uint64)) {
	if len(h.hashes) == 0 {
		return
	}
	if in := &h.hashing; in.CompareAndSwap(0, goroutine()) { // or another one hashes it too: both only look
		defer in.Store(0)
	}
	for _, own := range h.hashes {
		if sum, has := own.of(); has {
			f(own.name, sum)
		}
	}
}

// goroutine is the one that calls; 1 where goroutines have no identity, so that one is taken for the other.
func goroutine() uintptr { return max(jobs.Goroutine(), 1) }
