package ecs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// barrier is called by the methods of users' values in these tests. It does nothing, or blocks.
var barrier = func(method string) {}

// gated is a shared value whose methods call barrier.
type gated struct {
	Shared
	N int
}

func (v gated) Hash() uint64       { barrier("Hash"); return uint64(v.N % 2) }
func (v gated) Equal(o gated) bool { barrier("Equal"); return v == o }
func (v gated) Retain()            { barrier("Retain") }
func (v gated) Release()           { barrier("Release") }

// While one goroutine changes a world and blocks in a user's method, every operation of another goroutine
// is refused, no matter how long the method takes. The change of the first goroutine succeeds, and then
// the other goroutine can change the world.
func TestTwoGoroutines(t *testing.T) {
	if jobs.Goroutine() == 0 {
		t.Skip("goroutines have no identity that can be had in a nanosecond")
	}
	defer func() { barrier = func(string) {} }()
	for _, first := range []struct {
		method string
		change func(w *World, e Entity) error
	}{
		{"Hash", func(w *World, _ Entity) error { w.Spawn(B{}, gated{N: 3}); return nil }},
		{"Equal", func(w *World, _ Entity) error { w.Spawn(B{}, gated{N: 3}); return nil }},
		{"Hash", func(w *World, e Entity) error { return Set(w, e, gated{N: 4}) }},
		{"Equal", func(w *World, e Entity) error { return AddAll(w, Entities([]Entity{e, w.Spawn(B{})}), gated{N: 5}) }},
		{"Retain", func(w *World, e Entity) error { return Set(w, e, gated{N: 6}) }},
		{"Release", func(w *World, e Entity) error { return w.Destroy(e) }},
		{"Equal", func(w *World, e Entity) error { w.Query(WithShared(gated{N: 7})); return nil }},
		{"Hash", func(w *World, e Entity) error {
			c := w.NewCommands()
			return errors.Join(Set(c, e, gated{N: 8}), c.Playback(w))
		}},
	} {
		barrier = func(string) {}
		w, other := newWorld(t, 1), newWorld(t, 1)
		for range 3000 { // more than a chunk
			w.Spawn(A{1}, B{})
		}
		w.Spawn(A{1}, gated{N: 2})
		theirs := w.Spawn(A{1}, gated{N: 1})
		mine := w.Spawn(A{1}, gated{N: 9})
		on, e := w.Spawn(En{}), w.Spawn(A{2}, Sh{Value: 1})
		full := w.Spawn(BufferOf(Elem{1}))
		q, cmd := w.Query(Write[A]()), w.NewCommands()
		cmd.Spawn(A{1})
		before := w.Len()

		stands, goes, done := make(chan struct{}), make(chan struct{}), make(chan error)
		once := false
		barrier = func(method string) {
			if method == first.method && !once {
				once = true
				close(stands)
				<-goes
			}
		}
		go func() {
			defer func() {
				if v := recover(); v != nil {
					done <- fmt.Errorf("panic: %v", v)
				}
			}()
			done <- first.change(w, mine)
		}()
		select {
		case <-stands:
		case err := <-done:
			t.Fatalf("%s: not called: %v", first.method, err)
		}
		told := func(what string, err error) {
			var e *Error
			if !errors.Is(err, ErrState) || !errors.As(err, &e) || !strings.Contains(err.Error(), "another goroutine is changing the world") || e.World != w.Name() {
				t.Errorf("%s while another goroutine is in %s: %v", what, first.method, err)
			}
		}
		for range 2 {
			for _, way := range []struct {
				name string
				f    func()
			}{
				{"Spawn", func() { w.Spawn(A{}) }},
				{"Spawn shared", func() { w.Spawn(A{}, gated{N: 9}) }},
				{"Create", func() { w.Create(w.Archetype(With[A]()), 3) }},
				{"Count", func() { q.Count() }},
				{"CountUnfiltered", func() { q.CountUnfiltered() }},
				{"Empty", func() { q.Empty() }},
				{"Stats", func() { w.Stats() }},
				{"Hash", func() { w.Hash() }},
				{"ParallelFor", func() { q.ParallelFor(chunkFunc(func(*Chunk) {})) }},
				{"BeginUpdate", func() { w.Scheduler().BeginUpdate("intruder") }},
				{"BeginFrame", func() { w.Scheduler().BeginFrame() }},
			} {
				told(way.name, wantPanic(t, ErrState, way.f))
			}
			told("Destroy", w.Destroy(e))
			told("DestroyAll(Matching)", DestroyAll(w, Matching(q)))
			told("Set", Set(w, e, A{3}))
			told("Set shared", Set(w, e, Sh{Value: 2}))
			told("Set the value", Set(w, theirs, gated{N: 9}))
			told("Add", Add(w, e, B{}))
			told("AddAll", AddAll(w, Entities([]Entity{on, e}), gated{N: 9}))
			told("AppendBuffer", AppendBuffer(w, full, Elem{2}))
			told("SetEnabled", SetEnabled[En](w, on, false))
			told("MoveEntities", MoveEntities(w, other, nil))
			told("MoveEntities it", MoveEntities(other, w, nil))
			told("Playback", cmd.Playback(w))
			told("Sync", w.Sync())
			told("Close", w.Close())
			told("Run", q.Run(chunkFunc(func(*Chunk) { t.Error("visited") })))
		}
		if other.gate.owner.changingG != 0 {
			t.Error("the other world was left half-way")
		}
		barrier = func(string) {}
		close(goes)
		if err := <-done; err != nil {
			t.Errorf("%s: the one that was first: %v", first.method, err)
		}
		// No change is in progress any more, so the world works at once.
		if w.gate.owner.changingG != 0 || w.gate.owner.methodG != 0 {
			t.Errorf("%s: after the change: %+v", first.method, w.gate.owner)
		}
		if n := w.Len(); n < before-1 || n > before+1 {
			t.Errorf("%s: %d entities, there were %d", first.method, n, before)
		}
		must(t, w.Destroy(e))
		must(t, cmd.Playback(w))
		if e := w.Spawn(A{}, gated{N: 3}); !w.Exists(e) {
			t.Error("spawned nothing")
		}
	}
}

// A user's method may panic, or change the world itself. Afterwards, other goroutines must still be
// able to use the world.
func TestUsersMethodLeavesTheWorld(t *testing.T) {
	defer func() { barrier = func(string) {} }()
	for _, method := range []string{"Hash", "Equal", "Retain", "Release"} {
		for _, update := range []bool{false, true} {
			barrier = func(string) {}
			w := newWorld(t, 1)
			w.Spawn(A{1}, gated{N: 2})
			e := w.Spawn(A{1}, gated{N: 4})
			for _, act := range []func(){
				func() { panic("the user's method") },
				func() { w.Destroy(w.Spawn(A{1}, B{})) },
				func() {
					runApart(func() {
						if jobs.Goroutine() != 0 {
							wantPanic(t, ErrState, func() { w.Spawn(A{}) })
						}
					})
				},
			} {
				called := false
				barrier = func(m string) {
					if m == method && !called {
						called = true
						act()
					}
				}
				func() {
					defer func() { recover() }()
					if update {
						defer w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("system"))
					}
					must(t, Set(w, e, gated{N: 6}))
				}()
				barrier = func(string) {}
				if !called {
					t.Errorf("%s was not called", method)
				}
				if w.gate.owner.changingG != 0 || w.gate.owner.methodG != 0 {
					t.Errorf("%s, update=%v: left %+v", method, update, w.gate.owner)
				}
				runApart(func() { must(t, Set(w, e, gated{N: 4})) })
			}
		}
	}
}

// A goroutine prepares a change. If another goroutine begins a change before the prepared change
// begins, the prepared change fails and has no effect.
func TestCrowded(t *testing.T) {
	if jobs.Goroutine() == 0 {
		t.Skip("goroutines have no identity that can be had in a nanosecond")
	}
	w := newWorld(t, 1)
	w.Spawn(A{1})
	must(t, w.checkCanChange("Spawn"))
	runApart(func() { w.gate.owner.holderG = jobs.Goroutine() })
	wantCategory(t, ErrState, w.beginAllowedChange("Spawn"))
	if w.gate.owner.changingG != 0 {
		t.Error("the change has not ended")
	}
	w.Spawn(A{1})

	// A change that shows no progress for a while counts as abandoned.
	runApart(func() { w.gate.owner.holderG, w.gate.owner.changingG = jobs.Goroutine(), jobs.Goroutine() })
	w.Spawn(A{1})
	if q := w.Query(With[A]()); q.Count() != 3 || w.gate.owner.changingG != 0 {
		t.Error(q.Count(), w.gate.owner)
	}
}

// A change also ends if it changes nothing or fails. So the next goroutine does not have to wait
// for it.
func TestNoChangeEnds(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	e, to := w.Spawn(A{1}, Sh{Value: 1}, gated{N: 1}), w.Spawn(A{1}, Sh{Value: 1}, gated{N: 1})
	root := w.Spawn(BufferOf[Linked]())
	must(t, Set(w, root, BufferOf(Linked{root}, Linked{e})))
	q, cmd, a := w.Query(With[A]()), w.NewCommands(), w.Archetype(With[A]())
	gone := w.Spawn()
	must(t, w.Destroy(gone))
	for _, way := range []struct {
		name string
		f    func()
	}{
		{"Create none", func() { must(t, w.CreateInto(a, nil)) }},
		{"Create too few", func() { wantPanic(t, ErrArgument, func() { w.Create(a, -1) }) }},
		{"Swap with itself", func() { must(t, w.Swap(e, e)) }},
		{"Swap", func() { must(t, w.Swap(e, to)) }},
		{"Destroy none", func() { must(t, DestroyAll(w, Entities(nil))) }},
		{"Destroy gone", func() { w.Destroy(gone) }},
		{"Instantiate none", func() { must(t, w.InstantiateInto(e, nil)) }},
		{"Instantiate gone", func() { w.InstantiateInto(gone, make([]Entity, 2)) }},
		{"Clone none", func() { w.CloneAll(nil) }},
		{"AddTypes", func() { AddTypes(w, One(e), With[A]()) }},
		{"RemoveTypes", func() { RemoveTypes(w, One(e), With[B]()) }},
		{"Spawn wrongly", func() { wantPanic(t, ErrArgument, func() { w.Spawn(A{}, A{}) }) }},
		{"Spawn no component", func() { wantPanic(t, ErrArgument, func() { w.Spawn(1) }) }},
		{"Set as it is", func() { must(t, errors.Join(Set(w, e, Sh{Value: 1}), Set(w, e, gated{N: 1}))) }},
		{"AddAll as it is", func() { must(t, AddAll(w, Entities([]Entity{to, e}), gated{N: 1})) }},
		{"AddAll(Matching)", func() { must(t, AddAll(w, Matching(q), gated{N: 1})) }},
		{"Playback", func() { must(t, w.NewCommands().Playback(w)) }},
		{"Playback of that", func() { cmd.Reset(); cmd.Destroy(gone); cmd.Playback(w) }},
		{"ParallelFor", func() { must(t, errors.Join(q.ParallelFor(chunkFunc(func(*Chunk) {})).Wait(), w.Sync())) }},
		{"Query", func() { must(t, w.Query(WithShared(gated{N: 8})).Close()) }},
		{"MoveEntities", func() { must(t, MoveEntities(w, other, nil)) }},
		{"MoveEntities itself", func() { wantCategory(t, ErrArgument, MoveEntities(w, w, nil)) }},
		{"CopyFrom none", func() { CopyEntities(w, other, nil) }},
		{"CopyFrom gone", func() { CopyEntities(w, other, []Entity{e}) }},
		{"CopyFrom", func() { CopyEntities(other, w, []Entity{e}) }},
		{"SetActive", func() {
			must(t, errors.Join(w.SetActive(root, false), w.SetActive(root, true), w.SetActive(root, true)))
		}},
		{"AddAll(LinkedTo)", func() { must(t, AddAll(w, LinkedTo(root, q), B{})) }},
		{"Transaction", func() {
			x, err := BeginTransaction(w)
			must(t, errors.Join(err, x.End()))
		}},
	} {
		way.f()
		if w.gate.owner.changingG != 0 || other.gate.owner.changingG != 0 {
			t.Errorf("%s goes on", way.name)
			w.gate.endUnchanged()
			other.gate.endUnchanged()
		}
	}
}
