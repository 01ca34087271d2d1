package ecs

import (
	"slices"

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
	hashes   []namedHash // by name
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
type namedHash struct {
	name string
	of   func() (hash uint64, has bool)
}
