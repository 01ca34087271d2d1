package ecs_test

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// While a world is updated it belongs to the owner. Operations of other goroutines are refused, even if
// the world has no jobs. Operations of a job are refused too, on a worker as well as on the owner's
// goroutine.
func TestOwnerOfUpdate(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			w, other := newWorld(t, workers), newWorld(t, workers)
			var e, on ecs.Entity
			for range 3000 {
				e = w.Spawn(Position{}, A{1})
				on = w.Spawn(En{})
			}
			full := w.Spawn(ecs.BufferOf(Elem{1}))
			q, cmd, hash := w.Query(ecs.Write[A]()), w.NewCommands(), w.Hash()
			cmd.Spawn(A{1})
			tries := 0
			misuse := func() {
				tries++
				panics(t, ecs.ErrState, func() { w.Spawn(A{}) })
				panics(t, ecs.ErrState, func() { w.Create(w.Archetype(ecs.With[A]()), 3) })
				panics(t, ecs.ErrState, func() { q.Count() })
				panics(t, ecs.ErrState, func() { q.CountUnfiltered() })
				panics(t, ecs.ErrState, func() { q.EmptyUnfiltered() })
				panics(t, ecs.ErrState, func() { q.Empty() })
				panics(t, ecs.ErrState, func() { q.AppendEntities(nil) })
				panics(t, ecs.ErrState, func() { q.AppendOffsets(nil) })
				panics(t, ecs.ErrState, func() { w.Hash() })
				panics(t, ecs.ErrState, func() { w.Stats() })
				panics(t, ecs.ErrState, func() { q.ParallelFor(chunkFunc(func(*ecs.Chunk) {})) })
				panics(t, ecs.ErrState, func() { w.Scheduler().BeginUpdate("intruder") })
				panics(t, ecs.ErrState, func() { w.Scheduler().BeginFrame() })
				fails(t, ecs.ErrState, w.Destroy(e))
				fails(t, ecs.ErrState, ecs.DestroyAll(w, ecs.Matching(q)))
				fails(t, ecs.ErrState, ecs.Set(w, e, A{2}))
				fails(t, ecs.ErrState, ecs.Add(w, e, A{2}))
				fails(t, ecs.ErrState, ecs.Add(w, e, B{}))
				fails(t, ecs.ErrState, ecs.AppendBuffer(w, full, Elem{2}))
				fails(t, ecs.ErrState, ecs.SetEnabled[En](w, on, false))
				fails(t, ecs.ErrState, ecs.MoveEntities(other, w, nil))
				fails(t, ecs.ErrState, ecs.MoveEntities(w, other, nil))
				fails(t, ecs.ErrState, cmd.Playback(w))
				fails(t, ecs.ErrState, w.Sync())
				fails(t, ecs.ErrState, w.Close())
				fails(t, ecs.ErrState, q.Run(chunkFunc(func(*ecs.Chunk) { t.Error("visited") })))
				_, err := ecs.Remove[A](w, e)
				fails(t, ecs.ErrState, err)
				_, err = ecs.GetBuffer[Elem](w, full)
				fails(t, ecs.ErrState, err)
				_, err = w.Instantiate(e, 2)
				fails(t, ecs.ErrState, err)
				_, err = ecs.BeginTransaction(w)
				fails(t, ecs.ErrState, err)
			}
			outer := w.Scheduler().BeginUpdate("owner")
			apart(misuse)
			must(t, w.Pool().Schedule(jobs.Func(func(*jobs.Task) { misuse() })).Wait())
			must(t, w.Pool().ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, _ int) {
				if lo == 0 {
					misuse()
				}
			}), 8, 1).Wait())
			inner := w.Scheduler().BeginUpdate("inner") // by the owner
			must(t, ecs.Set(w, e, A{1}))
			w.Scheduler().EndUpdate(inner)
			apart(misuse)
			w.Scheduler().EndUpdate(outer)
			if tries < 2 || w.Hash() != hash {
				t.Errorf("after %d tries the world has changed", tries)
			}
			apart(func() { // the next owner
				outer := w.Scheduler().BeginUpdate("next")
				w.Spawn(A{3})
				w.Scheduler().EndUpdate(outer)
			})
			w.Spawn(A{4})
		})
	}
}

// The owner may run a loop over chunks on a coroutine, even during an update.
func TestOwnerPulls(t *testing.T) {
	w := newWorld(t, 1)
	must(t, w.CreateInto(w.Archetype(ecs.With[A]()), make([]ecs.Entity, 5000)))
	q := w.Query(ecs.Read[A]())
	defer w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("owner"))
	n := 0
	next, stop := iter.Pull(q.Chunks())
	for c, ok := next(); ok; c, ok = next() {
		n += c.Len()
	}
	stop()
	if n != 5000 {
		t.Error(n)
	}
}

// A job may update a world that only this job uses.
func TestJobUpdatesWorld(t *testing.T) {
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	must(t, p.ParallelFor(jobs.RangeFunc(func(*jobs.Task, int, int) {
		w := ecs.NewWorld("inner", ecs.OnPool(p))
		outer := w.Scheduler().BeginUpdate("system")
		e := w.Spawn(A{1})
		if err := errors.Join(ecs.Set(w, e, A{2}), w.Destroy(e)); err != nil {
			t.Error(err)
		}
		w.Scheduler().EndUpdate(outer)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}), 16, 1).Wait())
}

// Between updates, different goroutines may use a world one after the other, and none of them is
// refused.
func TestOwnersInTurn(t *testing.T) {
	w := newWorld(t, 1)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				mu.Lock()
				e := w.Spawn(A{1}, Sh{Value: 1})
				if err := errors.Join(ecs.Set(w, e, Sh{Value: 2}), w.Destroy(e)); err != nil {
					t.Error(err)
				}
				mu.Unlock()
				runtime.Gosched()
			}
		})
	}
	all.Wait()
	if w.Len() != 0 {
		t.Error(w.Len())
	}
}
