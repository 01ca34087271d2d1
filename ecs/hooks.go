package ecs

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Hooks attaches functions and values to a world, for packages that build on one, as ecs/system and ecs/render do. A hook is a
// function that the world calls when something happens to it. The function remove takes the hook out again. A program may call it in any
// order, during a call of the hook, and more than once. Nil as a hook, and a nil world, are refused by a panic with an *Error. Hooks are
// for the owner of the world.
type Hooks struct{ world *World }

// Hooks returns the hooks of w.
func (w *World) Hooks() Hooks { return Hooks{w} }

// OnSync makes the world call f at every sync point that has jobs to wait for, before it waits. If there are several functions, the world
// calls them in the order in which they were given.
func (h Hooks) OnSync(f func()) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnSync", f != nil)
	return addHook(&w.hooks.syncs, f)
}

// OnWait makes the world call f before its owner waits for jobs, and the function that f returns after the wait. At a sync point the
// argument is nil, and the call comes after those of [Hooks.OnSync]. At other waits the argument is the access that the jobs conflict
// with, which is valid during the call only. If all these jobs are done already there is no call. If there are several functions, the
// world calls the first one first, and the function that the first one has returned last.
func (h Hooks) OnWait(f func(a *access.Access) (done func())) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnWait", f != nil)
	return addHook(&w.hooks.waits, f)
}

// OnCommit makes the world call f with the name of the operation just before each structural change, when nothing can refuse the change
// any more and no job of the world runs. A tool finds the system that makes the change with [Scheduler.ChangingSystem].
//
// A playback is one change, and each of its commands is another one. Neighbouring commands that destroy one entity each, or add, set and
// remove components of one entity, count as one command. All changes that the jobs of a transaction make are one, "Transaction.End".
//
// Function f may look at the world, but it is refused to change it. If f panics nothing has changed.
func (h Hooks) OnCommit(f func(op string)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnCommit", f != nil)
	return addHook(&w.hooks.commits, f)
}

// hook refuses a hook of no world, and a nil function of one.
func hook(w *World, op string, given bool) {
	w.mustExist(op)
	if !given {
		panic(w.gate.fault(ErrArgument, op, "the function is nil: to end a hook call what it has returned"))
	}
}

// OnHash makes [World.Hash] include a number of the caller, after everything that the world contains, as long as f reports true. The
// numbers are hashed in the order of their names: for each the list of the name's length (uint64), the name, and the list of the number.
// [Capture] asks for the number too.
//
// Function f may look at the world, but must not change it. It cannot hash or capture the world, because that would call f again. Where
// goroutines have no identity, as with the tag purego, no other goroutine can hash the world meanwhile either.
//
// There is no function to remove f: it stays as long as the world does, and returns false if there is no number. A second call with the
// same name adds another number, in front of the first one.
func (h Hooks) OnHash(name string, f func() (hash uint64, has bool)) {
	w := h.world
	const op = "Hooks.OnHash"
	w.mustExist(op)
	if f == nil {
		panic(w.gate.fault(ErrArgument, op, "the function is nil: give one that returns the number, and whether there is one"))
	}
	at, _ := slices.BinarySearchFunc(w.hooks.hashes, name, func(h hashHook, name string) int { return strings.Compare(h.name, name) })
	w.hooks.hashes = slices.Insert(w.hooks.hashes, at, hashHook{name, f})
}

// OnClose makes [World.Close] call f after the jobs are complete and before the entities are gone. If there are several functions, the
// world calls the last one first. Close returns the error of f.
func (h Hooks) OnClose(f func() error) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnClose", f != nil)
	return addHook(&w.hooks.closers, f)
}

// Attach keeps a value with the world under a key, in place of an earlier value of that key. The key should be of a type that only the
// caller can name, so that no other package uses the same key.
func (h Hooks) Attach(key any, value any) {
	w := h.world
	w.mustExist("Hooks.Attach")
	w.hooks.attach(key, value)
}

// Attached returns the value that Attach has kept under a key, or nil.
func (h Hooks) Attached(key any) any {
	w := h.world
	w.mustExist("Hooks.Attached")
	return w.hooks.attached[key]
}

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

// addHook appends f to l, and returns a function that takes it out again. The functions are in a new
// slice each time: a loop over the old one is not disturbed. It is not a method, because every package
// that imports ecs would compile the methods of list again.
func addHook[F any](l *list[F], f F) (remove func()) {
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
func (w *World) committing(op string) {
	if len(w.hooks.commits) == 0 {
		return
	}
	over := false
	w.gate.ask()
	defer func() {
		if w.gate.answered(); !over {
			w.gate.faulted()
		}
	}()
	for _, f := range w.hooks.commits {
		(*f)(op)
	}
	over = true
}

// waiting says that the owner is about to wait; what it returns, that it has.
func (w *World) waiting(a *access.Access) (done func()) {
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

// hashHook is a function of OnHash.
type hashHook struct {
	name string
	of   func() (hash uint64, has bool)
}

// hashedNow returns an error while the caller is in a function of OnHash: a hash in it would call it again, and so on.
func (w *World) hashedNow(op string) error {
	if in := w.hooks.hashing.Load(); in == 0 || in != goroutine() {
		return nil
	}
	return w.gate.fault(ErrState, op, "the world is being hashed, and a function of OnHash is asked for its number: that cannot hash or capture the world itself")
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
