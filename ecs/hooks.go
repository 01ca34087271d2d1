package ecs

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Hooks attaches functions and values to a world. Packages that build on worlds use it, for example
// ecs/system and ecs/render. A hook is a function that the world calls at a certain event. Each
// method that adds a hook, except OnHash, returns a function that removes it. The returned
// functions may be called in any order, more than once, and inside a hook. The methods panic with
// an *Error if the function or the world is nil. Only the owner of the world may use hooks.
type Hooks struct{ world *World }

// Hooks returns the hooks of w.
func (w *World) Hooks() Hooks { return Hooks{w} }

// OnSync adds a hook that the world calls at every sync point that has jobs to wait for, before it
// waits. Several hooks are called in the order in which they were added.
func (h Hooks) OnSync(f func()) (remove func()) {
	w := h.world
	mustBeHook(w, "Hooks.OnSync", f != nil)
	return addHook(&w.hooks.onSync, f)
}

// OnWait adds a hook that the world calls before its owner waits for jobs. After the wait, the
// world calls the function that f has returned. At a sync point the argument is nil, and the call
// comes after the hooks of [Hooks.OnSync]. At other waits the argument is the access that conflicts
// with the jobs; it is valid only during the call. If all jobs are already done, the world does not
// call the hook. Several hooks are called in the order in which they were added; the functions that
// they return are called in reverse order.
func (h Hooks) OnWait(f func(a *access.Access) (done func())) (remove func()) {
	w := h.world
	mustBeHook(w, "Hooks.OnWait", f != nil)
	return addHook(&w.hooks.onWait, f)
}

// OnCommit adds a hook that the world calls just before each structural change. The argument of
// the hook is the name of the operation. At this point the change can no longer be refused, and
// no job of the world runs. [Scheduler.ChangingSystem] returns the system that makes the change.
//
// A playback is one change, and each of its commands is another change. Consecutive commands count
// as one command in two cases: each of them destroys one entity, or each of them adds, sets or
// removes a component of one entity. All changes that the jobs of a transaction make are one
// change, named "Transaction.End".
//
// The hook may read the world, but cannot change it. If it panics, nothing has changed.
func (h Hooks) OnCommit(f func(op string)) (remove func()) {
	w := h.world
	mustBeHook(w, "Hooks.OnCommit", f != nil)
	return addHook(&w.hooks.onCommit, f)
}

// mustBeHook panics if the world or the function of a hook is nil.
func mustBeHook(w *World, op string, given bool) {
	w.mustNotBeNil(op)
	if !given {
		panic(w.gate.fault(ErrArgument, op, "the function is nil: to end a hook call what it has returned"))
	}
}

// OnHash makes [World.Hash] include a number of the caller, after the contents of the world. The
// hash includes it whenever f returns true as its second result. The numbers are hashed in the
// order of the names under which they were added. For each number the hash reads the length of
// its name as a uint64, the name, and the number. [Capture] also calls f.
//
// The function may read the world, but must not change it. It must not hash or capture the world,
// because that would call f again. With the tag purego, goroutines have no identity, so during the
// call no other goroutine can hash the world either.
//
// The function stays registered as long as the world exists. It returns false if there is no
// number. A second call with the same name adds a second number, before the first one.
func (h Hooks) OnHash(name string, f func() (hash uint64, has bool)) {
	w := h.world
	const op = "Hooks.OnHash"
	w.mustNotBeNil(op)
	if f == nil {
		panic(w.gate.fault(ErrArgument, op, "the function is nil: give one that returns the number, and whether there is one"))
	}
	at, _ := slices.BinarySearchFunc(w.hooks.onHash, name, func(h hashHook, name string) int { return strings.Compare(h.name, name) })
	w.hooks.onHash = slices.Insert(w.hooks.onHash, at, hashHook{name, f})
}

// OnClose adds a hook that [World.Close] calls after the jobs are complete and before the entities
// are destroyed. If there are several hooks, Close calls them in reverse order. Close returns their
// errors.
func (h Hooks) OnClose(f func() error) (remove func()) {
	w := h.world
	mustBeHook(w, "Hooks.OnClose", f != nil)
	return addHook(&w.hooks.onClose, f)
}

// Attach stores a value with the world under a key. It replaces an earlier value of the key. The
// key should be of an unexported type, so that no other package uses the same key.
func (h Hooks) Attach(key any, value any) {
	w := h.world
	w.mustNotBeNil("Hooks.Attach")
	w.hooks.attach(key, value)
}

// Attached returns the value that Attach stored under a key, or nil.
func (h Hooks) Attached(key any) any {
	w := h.world
	w.mustNotBeNil("Hooks.Attached")
	return w.hooks.attached[key]
}

// hooks holds the functions and values that other packages have attached to a world.
type hooks struct {
	onClose          hookList[func() error]
	onSync           hookList[func()]
	onWait           hookList[func(*access.Access) (done func())]
	onCommit         hookList[func(op string)]
	onHash           []hashHook     // sorted by name
	hashingGoroutine atomic.Uintptr // the goroutine that runs one of these functions, or 0; atomic, because several goroutines may hash
	onCapture        hookList[func(image any)]
	onRestore        hookList[func(image any)]
	restoreCount     uint32 // how often the world was restored
	attached         map[any]any
}

// orderCountBase returns the start value of all order counts, such as Query.OrderCount. The value
// changes with each Restore. Restore sets the counts of the archetypes back. Because of the new start
// value, the sum still differs from every count before the Restore. Multiples of 2^32 divided by the
// golden ratio are far apart: about 30,000 after 65,536 restores.
func (h *hooks) orderCountBase() uint32 { return h.restoreCount * 0x9e3779b1 }

// attach stores a value under a key.
func (h *hooks) attach(key, value any) {
	if h.attached == nil {
		h.attached = map[any]any{}
	}
	h.attached[key] = value
}

// hookList holds the functions of one hook, in the order in which they were added.
type hookList[F any] []*F

// addHook appends f to l, and returns a function that removes f again. Each of the two copies the
// list, because a loop may be calling the functions of the old list. addHook is not a method,
// because every package that imports ecs would compile the methods of the list again.
func addHook[F any](l *hookList[F], f F) (remove func()) {
	own := &f
	*l = append(slices.Clone(*l), own)
	return func() {
		*l = slices.DeleteFunc(slices.Clone(*l), func(other *F) bool { return other == own })
		if len(*l) == 0 {
			*l = nil
		}
	}
}

// callCommitHooks calls the hooks of OnCommit.
func (w *World) callCommitHooks(op string) {
	if len(w.hooks.onCommit) == 0 {
		return
	}
	over := false
	w.gate.blockChanges()
	defer func() {
		if w.gate.unblockChanges(); !over {
			w.gate.endFailed()
		}
	}()
	for _, f := range w.hooks.onCommit {
		(*f)(op)
	}
	over = true
}

// callWaitHooks calls the hooks of OnWait, and returns the function to call after the wait.
func (w *World) callWaitHooks(a *access.Access) (done func()) {
	switch hooks := w.hooks.onWait; len(hooks) {
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
	hash func() (hash uint64, has bool)
}

// checkNotHashing returns an error if the caller is a function of OnHash, because hashing the same
// world there would never end.
func (w *World) checkNotHashing(op string) error {
	if in := w.hooks.hashingGoroutine.Load(); in == 0 || in != goroutineID() {
		return nil
	}
	return w.gate.fault(ErrState, op, "the world is being hashed, and a function of OnHash is asked for its number: that cannot hash or capture the world itself")
}

// eachHash calls f with the numbers of OnHash.
func (h *hooks) eachHash(f func(name string, sum uint64)) {
	if len(h.onHash) == 0 {
		return
	}
	if in := &h.hashingGoroutine; in.CompareAndSwap(0, goroutineID()) { // if it fails, another goroutine hashes too, which is allowed because both only read
		defer in.Store(0)
	}
	for _, own := range h.onHash {
		if sum, has := own.hash(); has {
			f(own.name, sum)
		}
	}
}

// goroutineID returns the identity of the calling goroutine. If goroutines have no identity, it
// returns 1, so that all goroutines count as the same.
func goroutineID() uintptr { return max(jobs.Goroutine(), 1) }
