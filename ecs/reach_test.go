package ecs

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestReachesKeepNoMemory checks that a lookup does not keep freed chunks in memory, not even after Close.
func TestReachesKeepNoMemory(t *testing.T) {
	w := NewWorld("reaches")
	l := NewWorldLookup[Position](w)
	ids := make([]Entity, 3000)
	must(t, w.CreateInto(w.Archetype(With[Position]()), ids))
	must(t, l.Refresh())
	if got := l.Gather(make([]Position, len(ids)), ids); got != len(ids) {
		t.Fatalf("Gather found %d of %d", got, len(ids))
	}
	must(t, DestroyAll(w, Entities(ids[1:])))
	live := 0
	for _, p := range l.places.reaches {
		if p != (reach{}) {
			live++
		}
	}
	if live != 1 {
		t.Errorf("%d reaches for one chunk", live)
	}
	must(t, w.Close())
	if l.places.reaches != nil {
		t.Errorf("%d reaches after Close", len(l.places.reaches))
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, ErrDisposed) {
			t.Errorf("Get after Close: %v, want an error of category ErrDisposed", err)
		}
	}()
	l.Get(ids[0])
}

// TestNewLookupWhileJobsRun creates the first lookups of several components, while jobs use lookups of another
// component. If this stored into a table that the jobs read, the race detector would report it.
func TestNewLookupWhileJobsRun(t *testing.T) {
	w := newWorld(t, 2)
	ids := make([]Entity, 5000)
	for i := range ids {
		if ids[i] = w.Spawn(A{int32(i)}, Position{X: float32(i)}, Velocity{}); i%2 == 0 {
			must(t, Add(w, ids[i], D{}))
		}
	}
	read := w.Query(With[Velocity](), Anywhere(Read[Position]()))
	other := w.Query(With[Velocity](), Anywhere(Read[D]()))
	positions := NewLookup[Position](read)
	var stop atomic.Bool
	begun := make(chan bool, len(ids))
	read.ParallelFor(chunkFunc(func(c *Chunk) {
		begun <- true
		for done := false; !done; done = stop.Load() {
			runtime.Gosched() // on one thread, the goroutine of the test must run too
			for i, e := range ids {
				if p, ok := positions.Get(e); !ok || p.X != float32(i) {
					t.Errorf("Get returns %v, %v for entity %d", p, ok, i)
					return
				}
			}
		}
	}))
	<-begun
	all := NewWorldLookup[A](w)
	some := NewLookup[D](other)
	stop.Store(true)
	must(t, w.Sync())
	for i, e := range ids {
		if v, ok := all.Get(e); !ok || v.Value != int32(i) {
			t.Fatalf("entity %d: Get returns %v, %v", i, v, ok)
		}
	}
	must(t, other.Run(chunkFunc(func(*Chunk) {
		for i, e := range ids {
			if some.Has(e) != (i%2 == 0) {
				t.Fatalf("entity %d: Has returns %v", i, some.Has(e))
			}
		}
	})))
}

// TestNewLookupInJob checks that a job gets an error of category ErrState for a new lookup, and that the refused call
// changes nothing.
func TestNewLookupInJob(t *testing.T) {
	for _, inUpdate := range []bool{false, true} {
		w := newWorld(t, 2)
		for range 3000 {
			w.Spawn(A{1}, B{})
		}
		q := w.Query(Read[A](), Anywhere(Read[B]()))
		if inUpdate {
			w.Scheduler().BeginFrame()
		}
		components := len(w.types.byName)
		q.ParallelFor(chunkFunc(func(*Chunk) {
			wantPanic(t, ErrState, func() { NewWorldLookup[A](w) })
			wantPanic(t, ErrState, func() { NewWorldLookup[D](w) })
			wantPanic(t, ErrState, func() { NewLookup[B](q) })
		}))
		must(t, w.Sync())
		if inUpdate {
			w.Scheduler().EndFrame()
		}
		if len(w.tables.reachTables) != 0 || len(q.lookups) != 0 || len(w.types.byName) != components {
			t.Errorf("in an update %v: the refused calls have left %d tables, %d lookups and %d new components", inUpdate,
				len(w.tables.reachTables), len(q.lookups), len(w.types.byName)-components)
		}
		NewLookup[B](q)
		NewWorldLookup[D](w)
		if len(w.tables.reachTables) != 2 || len(q.lookups) != 1 {
			t.Errorf("in an update %v: %d tables and %d lookups, want 2 and 1", inUpdate, len(w.tables.reachTables), len(q.lookups))
		}
	}
}
