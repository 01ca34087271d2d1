package ecs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// recorders holds all functions that record in a buffer, or that return a buffer.
var recorders = map[string]func(c *ecs.Commands, e ecs.Entity, a ecs.Archetype) error{
	"Create":      func(c *ecs.Commands, _ ecs.Entity, a ecs.Archetype) error { _, err := c.Create(a); return err },
	"Spawn":       func(c *ecs.Commands, _ ecs.Entity, _ ecs.Archetype) error { _, err := c.Spawn(age{1}); return err },
	"Instantiate": func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error { _, err := c.Instantiate(e); return err },
	"Destroy":     func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error { return c.Destroy(e) },
	"Add":         func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error { return ecs.Add(c, e, awake{1}) },
	"Set":         func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error { return ecs.Set(c, e, age{2}) },
	"Ensure": func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error {
		_, err := ecs.Ensure[awake](c, e)
		return err
	},
	"Remove": func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error {
		_, err := ecs.Remove[awake](c, e)
		return err
	},
	"SetArchetype": func(c *ecs.Commands, e ecs.Entity, a ecs.Archetype) error { return c.SetArchetype(e, a) },
	"SetActive":    func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error { return c.SetActive(e, true) },
	"AddTypes": func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error {
		return ecs.AddTypes(c, ecs.One(e), ecs.With[awake]())
	},
	"DestroyAll": func(c *ecs.Commands, e ecs.Entity, _ ecs.Archetype) error {
		return ecs.DestroyAll(c, ecs.Entities([]ecs.Entity{e}))
	},
	"Parallel": func(c *ecs.Commands, _ ecs.Entity, _ ecs.Archetype) error { return panicOf(func() { c.Parallel() }) },
	"Reset":    func(c *ecs.Commands, _ ecs.Entity, _ ecs.Archetype) error { return panicOf(c.Reset) },
}

// panicOf returns the error with which f panics, or nil.
func panicOf(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if err, _ = v.(error); err == nil {
				err = fmt.Errorf("%v", v)
			}
		}
	}()
	f()
	return nil
}

type chunkBody func(c *ecs.Chunk)

func (f chunkBody) Chunk(c *ecs.Chunk) { f(c) }
func (f chunkBody) Run(c *ecs.Chunk)   { f(c) }

// TestBlocksDoNotRecord checks that a block of a parallel job, or a child of the block, cannot use a
// buffer of the world. Each such call must be refused, for any number of workers, and must leave the
// buffer unchanged. The owner records in the buffer meanwhile.
func TestBlocksDoNotRecord(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		pool := jobs.New(jobs.Workers(workers))
		w := ecs.NewWorld("blocks", ecs.OnPool(pool))
		a := w.Archetype(ecs.With[age]())
		w.Create(a, 20_000)
		e := w.Spawn(age{})
		q := w.Query(ecs.Write[age]())
		for verb, record := range recorders {
			buffer := w.NewCommands()
			check(buffer.Destroy(e))
			var refused, tried atomic.Int32
			misuse := func() {
				tried.Add(1)
				if err := record(buffer, e, a); errors.Is(err, ecs.ErrState) && strings.Contains(err.Error(), "Parallel()") {
					refused.Add(1)
				} else {
					t.Errorf("%s, %d workers: %v", verb, workers, err)
				}
			}
			h := q.ParallelFor(chunkBody(func(*ecs.Chunk) { misuse() }))
			q.ParallelForSpans(chunkBody(func(*ecs.Chunk) { misuse() }), h)
			q.ParallelFor(chunkBody(func(c *ecs.Chunk) { // its children
				check(c.Task().Wait(c.Task().Schedule(jobs.Func(func(*jobs.Task) { misuse() }))))
			}))
			inside := pool.ParallelFor(jobs.RangeFunc(func(*jobs.Task, int, int) { misuse() }), 50, 1)
			for range 20 { // the owner continues
				check(buffer.Destroy(e))
			}
			check(inside.Wait())
			check(w.Sync())
			if refused.Load() != tried.Load() || tried.Load() < 60 || buffer.Len() != 21 {
				t.Errorf("%s, %d workers: %d of %d refused, %d commands", verb, workers, refused.Load(), tried.Load(), buffer.Len())
			}
		}
		check(w.Close())
		check(pool.Close())
	}
}

// TestLoopOfAnIdleWorld checks recording in the blocks of a loop while the world has no running
// jobs. One block may record commands, because the world's owner may be running that block. All
// other blocks are refused.
func TestLoopOfAnIdleWorld(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		pool := jobs.New(jobs.Workers(workers))
		w := ecs.NewWorld("idle", ecs.OnPool(pool))
		buffer := w.NewCommands()
		for range 3 {
			var good, bad atomic.Int32
			check(pool.Range(50, 1, func(lo, hi int) {
				if lo == 7 && workers > 1 {
					return // so that each block can be the first one
				}
				if _, err := buffer.Spawn(age{}); err == nil {
					good.Add(1)
				} else if errors.Is(err, ecs.ErrState) {
					bad.Add(1)
				}
			}))
			if good.Load() != 1 || bad.Load() < 48 {
				t.Errorf("%d workers: %d blocks have recorded, %d were refused", workers, good.Load(), bad.Load())
			}
			check(buffer.Playback(w))
			buffer.Reset()
		}
		check(w.Close())
		check(pool.Close())
	}
}

// TestThoseWhoRecord checks the callers that may record: single jobs, external jobs, the owner while a
// loop runs, and a block that has its own world or buffer.
func TestThoseWhoRecord(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		rng := rand.New(rand.NewPCG(8, uint64(workers)))
		pool := jobs.New(jobs.Workers(workers))
		w := ecs.NewWorld("outer", ecs.OnPool(pool))
		w.Create(w.Archetype(ecs.With[age]()), 10_000)
		q := w.Query(ecs.Write[age]())
		worlds := make([]*ecs.World, 20)
		buffers := make([]*ecs.Commands, len(worlds))
		for i := range worlds {
			worlds[i] = ecs.NewWorld("inner", ecs.OnPool(pool))
			buffers[i] = worlds[i].NewCommands()
		}
		of := w.NewCommands()
		for round := range 6 {
			q.ParallelFor(chunkBody(func(c *ecs.Chunk) {
				own := w.NewCommands() // a buffer of the block
				for range 3 {
					_, err := own.Spawn(age{1})
					check(err)
				}
				own.Reset()
				_, err := own.Spawn(age{1})
				check(err)
			}))
			var after jobs.Handle
			for range 3 { // one after the other
				if rng.IntN(2) == 0 {
					after = pool.Schedule(jobs.Func(func(*jobs.Task) { check(second(of.Spawn(age{2}))) }), after)
				} else {
					after = pool.External(context.Background(), func(context.Context) error { return second(of.Spawn(age{3})) }, after)
				}
			}
			check(after.Wait())
			check(second(of.Spawn(age{4})))
			check(w.Sync())
			check(of.Playback(w))
			of.Reset()
			check(pool.Range(len(worlds), 1, func(i, _ int) {
				inner, b := worlds[i], buffers[i]
				if round%2 == 0 {
					check(second(b.Spawn(age{int32(i)})))
				}
				inner.Query(ecs.Write[age]()).ParallelFor(chunkBody(func(*ecs.Chunk) {}))
				check(second(b.Spawn(age{int32(i)})))
				check(inner.Sync())
				if round%3 != 0 { // or it is kept for the next round
					check(b.Playback(inner))
					b.Reset()
				}
			}))
		}
		for _, inner := range worlds {
			check(inner.Close())
		}
		check(w.Close())
		check(pool.Close())
	}
}

func second(_ ecs.Entity, err error) error { return err }

// TestForeignBlocks checks that blocks of a loop on another pool get the same results as blocks on the
// world's pool. The world may have its own pool or none, and it may or may not have run jobs before.
// While the world is not in use, one block of a loop may record in it. While the world is being updated
// or has jobs, no block may record.
func TestForeignBlocks(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		own, other := jobs.New(jobs.Workers(workers)), jobs.New(jobs.Workers(workers))
		for name, on := range map[string]struct {
			world []ecs.Option
			loop  *jobs.Pool
			took  bool // the world has had jobs
		}{
			"own":            {[]ecs.Option{ecs.OnPool(own)}, own, false},
			"other":          {[]ecs.Option{ecs.OnPool(own)}, other, false},
			"other, after":   {[]ecs.Option{ecs.OnPool(own)}, other, true},
			"no pool":        {nil, jobs.Default(), false},
			"no pool, other": {nil, other, false},
			"default":        {nil, jobs.Default(), true},
		} {
			w := ecs.NewWorld("foreign", on.world...)
			a := w.Archetype(ecs.With[age]())
			w.Create(a, 100)
			e := w.Spawn(age{})
			q := w.Query(ecs.Write[age]())
			if on.took {
				q.ParallelFor(chunkBody(func(*ecs.Chunk) {}))
				check(w.Sync())
			}
			for verb, record := range recorders {
				buffer := w.NewCommands()
				let := func() int {
					var good atomic.Int32
					body := func(*jobs.Task, int, int) {
						switch err := record(buffer, e, a); {
						case err == nil:
							good.Add(1)
						case !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "Parallel()"):
							t.Errorf("%s, %s: %v", name, verb, err)
						}
					}
					check(on.loop.ParallelFor(jobs.RangeFunc(body), 12, 1).Wait())
					return int(good.Load())
				}
				if n := let(); n != 1 && verb != "Reset" || n > 12 { // Reset frees the buffer for the next block
					t.Errorf("%s, %s, %d workers: %d blocks have recorded in an idle world", name, verb, workers, n)
				}
				w.Scheduler().BeginFrame()
				if n := let(); n != 0 {
					t.Errorf("%s, %s, %d workers: %d blocks have recorded in an update", name, verb, workers, n)
				}
				q.ParallelFor(chunkBody(func(*ecs.Chunk) {}))
				w.Scheduler().EndFrame()
				if n := let(); n != 0 {
					t.Errorf("%s, %s, %d workers: %d blocks have recorded beside a job", name, verb, workers, n)
				}
				check(w.Sync())
				buffer.Reset()
			}
			check(w.Close())
		}
		check(own.Close())
		check(other.Close())
	}
}
