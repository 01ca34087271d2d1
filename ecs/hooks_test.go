package ecs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// TestHooksAreLists checks that several functions of one hook are called in order. Each function
// can be removed separately and in any order, also while the functions are being called. Removing
// it again has no effect.
func TestHooksAreLists(t *testing.T) {
	for name, hook := range map[string]func(w *World, f func()) (remove func()){
		"OnSync": func(w *World, f func()) func() { return w.Hooks().OnSync(f) },
		"OnWait": func(w *World, f func()) func() {
			return w.Hooks().OnWait(func(*access.Access) func() { f(); return func() {} })
		},
		"OnCommit": func(w *World, f func()) func() { return w.Hooks().OnCommit(func(string) { f() }) },
	} {
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}} {
			w := newWorld(t, 2)
			q := w.Query(Write[A]())
			w.Spawn(A{})
			var said []int
			var remove [3]func()
			for k := range 3 {
				remove[k] = hook(w, func() { said = append(said, k) })
			}
			left := []int{0, 1, 2}
			for _, gone := range append([]int{-1}, order...) {
				if gone >= 0 {
					remove[gone]()
					remove[gone]()
					left = slices.DeleteFunc(left, func(k int) bool { return k == gone })
				}
				hold := make(chan bool)
				said = nil
				q.ParallelFor(chunkFunc(func(*Chunk) { <-hold }))
				close(hold)
				w.Spawn(B{})
				if name == "OnWait" && len(said) == 0 {
					continue // the job was done already
				}
				if !slices.Equal(said, left) {
					t.Errorf("%s, removed up to %d of %v: called %v, want %v", name, gone, order, said, left)
				}
			}
		}
		w := newWorld(t, 1)
		q := w.Query(Write[A]())
		w.Spawn(A{})
		calls := 0
		var remove func()
		remove = hook(w, func() { calls++; remove() })
		hook(w, func() { calls += 10 })
		q.ParallelFor(chunkFunc(func(*Chunk) {}))
		w.Spawn(B{})
		q.ParallelFor(chunkFunc(func(*Chunk) {}))
		w.Spawn(B{})
		if calls != 21 {
			t.Errorf("%s: one that removes itself: %d", name, calls)
		}
	}
	w := newWorld(t, 1)
	var order []int
	for k := range 3 {
		remove := w.Hooks().OnClose(func() error { order = append(order, k); return nil })
		if k == 1 {
			remove()
			remove()
		}
	}
	must(t, w.Close())
	if !slices.Equal(order, []int{2, 0}) {
		t.Errorf("Close has called %v", order)
	}
}

// TestOnWaitNests checks that the returned functions are called in reverse order.
func TestOnWaitNests(t *testing.T) {
	w := newWorld(t, 2)
	var log []string
	for k := range 2 {
		w.Hooks().OnWait(func(*access.Access) func() {
			log = append(log, fmt.Sprint("begin ", k))
			return func() { log = append(log, fmt.Sprint("end ", k)) }
		})
	}
	w.callWaitHooks(nil)()
	if want := []string{"begin 0", "begin 1", "end 1", "end 0"}; !slices.Equal(log, want) {
		t.Errorf("%q", log)
	}
}

// TestOnCommit checks that every structural change calls the function with the change's name, when
// the change can no longer fail. Refused changes, and writes of values, do not call it.
func TestOnCommit(t *testing.T) {
	w, src := newWorld(t, 2), newWorld(t, 1)
	e := w.Spawn(A{}, Sh{Value: 1})
	q := w.Query(With[B]())
	var ops []string
	w.Hooks().OnCommit(func(op string) {
		if !w.Exists(e) && op != "Playback" {
			t.Error("the world is not whole")
		}
		ops = append(ops, op)
	})
	arch := w.Archetype(With[A](), With[B]())
	buf := w.NewCommands()
	for _, c := range []struct {
		want string
		do   func() error
	}{
		{"Spawn", func() error { w.Spawn(B{}); return nil }},
		{"Create", func() error {
			w.Create(arch, 300)
			return nil
		}},
		{"Add", func() error { return Add(w, e, B{}) }},
		{"Remove", func() error { _, err := Remove[B](w, e); return err }},
		{"SetShared", func() error { return Set(w, e, Sh{Value: 2}) }},
		{"DestroyAll", func() error { return DestroyAll(w, Matching(q)) }},
		{"MoveEntities", func() error { src.Spawn(A{}); return MoveEntities(w, src, nil) }},
		{"CopyEntities", func() error { _, err := CopyEntities(w, src, []Entity{src.Spawn(A{}, Sh{Value: 7})}); return err }},
		{"Playback Spawn", func() error { buf.Spawn(A{}); return buf.Playback(w) }},
		{"BeginTransaction Transaction.End", func() error {
			x, err := BeginTransaction(w)
			must(t, err)
			x.Schedule(TransactionFunc(func(w *World) error { w.Spawn(A{}); w.Spawn(A{}); return nil }))
			return x.End()
		}},
		{"", func() error { return Set(w, e, A{2}) }},
		{"", func() error { wantCategory(t, ErrArgument, Add(w, Entity{}, B{})); return nil }},
	} {
		ops = nil
		must(t, c.do())
		got := strings.Join(ops, " ")
		if got != c.want && !(c.want == "SetShared" && len(ops) == 1) && !(c.want == "Playback Spawn" && len(ops) == 2 && ops[0] == "Playback") {
			t.Errorf("got %q, want %q", got, c.want)
		}
		must(t, integrity(w))
	}
}

// TestCommitHookChangesNothing checks that a function of OnCommit cannot make a structural change.
func TestCommitHookChangesNothing(t *testing.T) {
	w := newWorld(t, 1)
	e, other := w.Spawn(A{1}), w.Spawn(A{2})
	calls := 0
	remove := w.Hooks().OnCommit(func(string) {
		calls++
		wantCategory(t, ErrState, w.Destroy(other))
		wantCategory(t, ErrState, w.Close())
		wantPanic(t, ErrState, func() { w.Spawn(A{3}) })
	})
	must(t, Add(w, e, B{}))
	must(t, w.Destroy(e))
	if calls != 2 || w.Len() != 1 || !w.Exists(other) {
		t.Errorf("%d calls, %d entities", calls, w.Len())
	}
	remove()
	must(t, integrity(w))
	must(t, w.Destroy(other))
}

// TestCommitHookPanics checks that if a function of OnCommit panics, the operation changes nothing.
// This must also hold for an operation that adds shared values or moves whole worlds.
func TestCommitHookPanics(t *testing.T) {
	w, src := newWorld(t, 1), newWorld(t, 1)
	e := w.Spawn(A{}, Sh{Value: 1})
	other := src.Spawn(A{}, Sh{Value: 9})
	remove := w.Hooks().OnCommit(func(string) { spring() })
	hash, there := w.Hash(), src.Hash()
	for name, do := range map[string]func() error{
		"Spawn":        func() error { w.Spawn(B{}, Sh{Value: 3}); return nil },
		"Destroy":      func() error { return w.Destroy(e) },
		"Set":          func() error { return Set(w, e, Sh{Value: 4}) },
		"MoveEntities": func() error { return MoveEntities(w, src, nil) },
		"CopyEntities": func() error { _, err := CopyEntities(w, src, []Entity{other}); return err },
	} {
		if panicked, err := callFailing(1, do); !panicked || err != nil {
			t.Errorf("%s: a panic: %v, error %v", name, panicked, err)
		}
		must(t, integrity(w))
		must(t, integrity(src))
		if w.Hash() != hash || src.Hash() != there {
			t.Errorf("%s has changed something", name)
		}
	}
	remove()
	must(t, MoveEntities(w, src, nil))
	must(t, integrity(w))
}

// TestNames checks that a name belongs to the entity, is not in the hash, and disappears with the
// entity.

// TestHashInOnHash checks that a function of OnHash cannot hash or capture its own world. The failed
// attempt must not change the world. The function can hash another world.
func TestHashInOnHash(t *testing.T) {
	for name, again := range map[string]func(w *World) error{
		"Hash":    func(w *World) error { w.Hash(); return nil },
		"Capture": func(w *World) error { _, err := Capture(w, nil); return err },
	} {
		w, other := newWorld(t, 1), newWorld(t, 1)
		w.Spawn(A{})
		before, ask := w.Hash(), false
		w.Hooks().OnHash("sum", func() (uint64, bool) {
			if ask {
				if err := again(w); err != nil {
					panic(err)
				}
			}
			return other.Hash(), ask
		})
		for range 2 {
			ask = true
			for _, call := range []func(){func() { w.Hash() }, func() { _, _ = Capture(w, nil) }} {
				err := wantPanic(t, ErrState, call)
				if want := "ecs: " + name + ":"; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "a function of OnHash is asked for its number") {
					t.Errorf("%s in a function of OnHash: %v", name, err)
				}
			}
			if ask = false; w.Hash() != before {
				t.Errorf("%s: the hash has changed", name)
			}
			w.Spawn(A{})
			before = w.Hash()
		}
	}
}

// TestHashTogether checks that several goroutines may hash a world at the same time if they only
// read it. Each of them calls the function of OnHash.
func TestHashTogether(t *testing.T) {
	n := 4
	if jobs.Goroutine() == 0 {
		n = 1 // without goroutine identities one is taken for the other
	}
	w := newWorld(t, 1)
	w.Spawn(A{})
	w.Hooks().OnHash("sum", func() (uint64, bool) { return 7, true })
	want := w.Hash()
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			for range 100 {
				if got := w.Hash(); got != want {
					t.Errorf("hash %x, want %x", got, want)
				}
			}
		})
	}
	wait.Wait()
}
