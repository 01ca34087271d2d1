package ecs

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// track schedules a job that has no query, so that it is ordered like the other jobs of w.
func track(w *World, schedule func(after ...jobs.Handle) jobs.Handle) jobs.Handle {
	var a access.Access
	h := schedule(w.Scheduler().Before(&a, nil)...)
	w.Scheduler().Track(&a, h)
	return h
}

// No kind of job can call an operation of the owner. A refused call changes nothing.
func TestChangeInAnyJob(t *testing.T) {
	w := newWorld(t, 4)
	var e Entity
	for range 3000 {
		e = w.Spawn(Position{}, A{1})
	}
	q, hash := w.Query(Write[Position]()), w.Hash()
	cmd := w.NewCommands()
	var tries atomic.Int32
	misuse := func() {
		tries.Add(1)
		wantPanic(t, ErrState, func() { w.Spawn(A{}) })
		wantPanic(t, ErrState, func() { w.Hash() })
		wantPanic(t, ErrState, func() { q.ParallelFor(chunkFunc(func(*Chunk) {})) })
		wantCategory(t, ErrState, w.Destroy(e))
		wantCategory(t, ErrState, Add(w, e, B{}))
		wantCategory(t, ErrState, Set(w, e, A{2}))
		wantCategory(t, ErrState, cmd.Playback(w))
		wantCategory(t, ErrState, w.Sync())
		wantCategory(t, ErrState, w.Close())
		wantCategory(t, ErrState, q.Run(chunkFunc(func(*Chunk) { t.Error("visited") })))
		_, err := Get[A](w, e)
		wantCategory(t, ErrState, err)
		_, err = Remove[A](w, e)
		wantCategory(t, ErrState, err)
	}
	p := w.Pool()
	track(w, func(after ...jobs.Handle) jobs.Handle {
		return p.Schedule(jobs.Func(func(*jobs.Task) { misuse() }), after...)
	})
	track(w, func(after ...jobs.Handle) jobs.Handle {
		return p.ParallelFor(jobs.RangeFunc(func(*jobs.Task, int, int) { misuse() }), 64, 1, after...)
	})
	q.ParallelFor(chunkFunc(func(*Chunk) { misuse() }))
	must(t, w.Sync())
	if want := int32(1 + 64 + q.ChunkCount()); tries.Load() != want {
		t.Errorf("%d jobs have tried, want %d", tries.Load(), want)
	}
	if w.Hash() != hash {
		t.Error("a job has changed the world")
	}
}

// A refused copy in a job does not touch the owner's scratch, and makes no archetype.
func TestNoCopiesInJob(t *testing.T) {
	w := newWorld(t, 2)
	must(t, w.CreateInto(w.Archetype(With[A]()), make([]Entity, 10_000)))
	e, gone := w.Spawn(D{}, Prefab{}), w.Spawn()
	must(t, w.Destroy(gone))
	archetypes := len(w.tables.archetypes)
	w.Query(With[A]()).ParallelFor(chunkFunc(func(*Chunk) {
		for _, e := range []Entity{e, gone} {
			_, err := w.Instantiate(e, 1)
			wantCategory(t, ErrState, err)
			wantCategory(t, ErrState, w.InstantiateInto(e, nil))
			_, err = w.InstantiateAll([]Entity{e})
			wantCategory(t, ErrState, err)
			_, err = w.CloneAll([]Entity{e})
			wantCategory(t, ErrState, err)
		}
	}))
	must(t, w.Sync())
	if n := len(w.tables.archetypes); n != archetypes || len(w.editScratch.copySources) > 0 {
		t.Errorf("%d archetypes, %d sources; want %d and none", n, len(w.editScratch.copySources), archetypes)
	}
}

// A job may create a private world and run the world's jobs on the same pool.
func TestJobOwnsWorld(t *testing.T) {
	p := jobs.New(jobs.Workers(3))
	defer p.Close()
	h := p.ParallelFor(jobs.RangeFunc(func(*jobs.Task, int, int) {
		w := NewWorld("inner", OnPool(p))
		for range 1000 {
			w.Spawn(A{1})
		}
		q := w.Query(Write[A]())
		for range 3 {
			q.ParallelFor(chunkFunc(func(c *Chunk) {
				wantPanic(t, ErrState, func() { w.Spawn() })
				for i := range *Column[A](c) {
					(*Column[A](c))[i]++
				}
			}))
			e := w.Spawn(A{1})
			if err := w.Destroy(e); err != nil {
				t.Error(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}), 16, 1)
	must(t, h.Wait())
}

// Jobs of worlds on different pools may depend on each other. A job over one world is scheduled after a
// job over another world, and a job of one pool waits for a loop over a world on another pool. Waiting
// must work even if the waiting goroutine is the only worker, on one CPU.
func TestWorldsOnTwoPools(t *testing.T) {
	for _, procs := range []int{1, runtime.GOMAXPROCS(0)} {
		for _, workers := range []int{1, 3} {
			old := runtime.GOMAXPROCS(procs)
			pools := []*jobs.Pool{jobs.New(jobs.Workers(workers)), jobs.New(jobs.Workers(workers))}
			var worlds []*World
			var queries []*Query
			for _, p := range pools {
				w := NewWorld("test", OnPool(p))
				for i := range 2000 {
					w.Spawn(A{int32(i)})
				}
				worlds = append(worlds, w)
				queries = append(queries, w.Query(Write[A]()))
			}
			add := chunkFunc(func(c *Chunk) {
				for i := range *Column[A](c) {
					(*Column[A](c))[i]++
				}
			})
			var h jobs.Handle
			for i := range 20 {
				h = queries[i%2].ParallelFor(add, h)
			}
			must(t, h.Wait())
			var inner error
			must(t, pools[0].Schedule(jobs.Func(func(*jobs.Task) {
				w := NewWorld("inner", OnPool(pools[1]))
				w.Spawn(A{1})
				inner = errors.Join(w.Query(Write[A]()).ParallelFor(add, h).Wait(), w.Close())
			}), queries[0].ParallelFor(add)).Wait())
			must(t, inner)
			for i, w := range worlds {
				must(t, w.Sync())
				if n := queries[i].Count(); n != 2000 {
					t.Errorf("procs %d, workers %d, world %d: %d rows", procs, workers, i, n)
				}
				must(t, w.Close())
				must(t, pools[i].Close())
			}
			runtime.GOMAXPROCS(old)
		}
	}
}

// The remedy that an error names must be possible.
func TestRemedies(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{})
	for range w.Query(Read[A]()).Chunks() {
		err := w.Close()
		wantCategory(t, ErrState, err)
		if strings.Contains(err.Error(), "record") || !strings.Contains(err.Error(), "after the loop") {
			t.Error(err)
		}
		if err := w.Destroy(e); !strings.Contains(err.Error(), "record the change") {
			t.Error(err)
		}
	}
	w = NewWorld("closed")
	e = w.Spawn(A{})
	must(t, w.Close())
	wantCategory(t, ErrDisposed, w.Destroy(e))
	wantCategory(t, ErrDisposed, DestroyAll(w, Entities([]Entity{e})))
}
