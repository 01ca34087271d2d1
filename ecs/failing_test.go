package ecs_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var failingSteps = flag.Int("ecs.failing", 0, "TestFailingLoops runs so many steps for each number of workers; a few if 0")

type (
	heat  struct{ X, Y, Z float32 }
	age   struct{ N int32 }
	herd  struct{ ID int32 }
	awake struct{ N int32 }
)

func (heat) Column() (c kernels.Vec3s[float32]) { return }
func (age) Column() (c struct{ N []int32 })     { return }
func (awake) Column() (c struct{ N []int32 })   { return }

// faults decides which calls of Chunk fail, how they fail, and at which row. The decision depends
// only on the seed, the step and the first row.
type faults struct {
	seed, step uint64
	one        int // one body in this many; 0: none
}

// row decides whether a body that processes n rows fails. It returns the row before which the body
// fails, or -1.
func (f faults) row(first ecs.Entity, n int) int {
	rng := rand.New(rand.NewPCG(f.seed<<20^f.step, uint64(first.Index)))
	if f.one == 0 || n == 0 || rng.IntN(f.one) != 0 {
		return -1
	}
	return rng.IntN(n)
}

var errFault = errors.New("a fault")

func (f faults) fail(row int, exits bool) {
	switch {
	case exits && row%3 == 0:
		runtime.Goexit()
	case row%3 == 1:
		var none []int
		none[row]++
	}
	panic(errFault)
}

// work is a job that increases the age of rows, and records commands for them.
type work struct {
	faults
	exits bool // some bodies end their goroutines
	later ecs.ParallelCommands
	plain *ecs.Commands // instead, for a loop without jobs
}

func (j *work) Chunk(c *ecs.Chunk) { j.body(c) }
func (j *work) Run(c *ecs.Chunk)   { j.body(c) }

func (j *work) body(c *ecs.Chunk) {
	ids, ages := c.Entities(), *ecs.Column[age](c)
	bad := j.row(ids[0], len(ids))
	hot := ecs.Column[heat](c)
	later := j.plain
	if later == nil {
		later = j.later.For(c)
	}
	for i, e := range ids {
		if i == bad {
			j.fail(bad, j.exits)
		}
		ages.N[i]++
		hot.Y[i] += float32(ages.N[i])
		switch h := uint32(e.Index)*2654435761 + uint32(j.step)*40503; h >> 20 % 64 {
		case 0:
			check(later.Destroy(e))
		case 1:
			made, err := later.Spawn(age{ages.N[i]}, heat{X: hot.X[i]}, herd{e.Index % 3})
			check(err)
			check(ecs.Set(later, made, age{-1}))
		case 2:
			_, err := ecs.Remove[awake](later, e)
			check(err)
		case 3:
			_, err := ecs.Ensure[awake](later, e)
			check(err)
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// sow is a job without a query. It creates an entity for each index.
type sow struct {
	faults
	exits bool
	later ecs.ParallelCommands
	kind  ecs.Archetype
}

func (j *sow) RunRange(t *jobs.Task, lo, hi int) {
	j.block(j.later.ForKey(t, t.Lo()), lo, hi, j.exits)
}

func (j *sow) block(later *ecs.Commands, lo, hi int, exits bool) {
	bad := j.row(ecs.Entity{Index: int32(lo)}, hi-lo)
	for i := lo; i < hi; i++ {
		if i-lo == bad {
			j.fail(bad, exits)
		}
		e, err := later.Create(j.kind)
		check(err)
		check(ecs.Set(later, e, age{int32(i)}))
	}
}

// runBody calls a function and reports whether it panicked, as a block of a loop does.
func runBody(body func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	body()
	return
}

// failingRun steps a world whose loops fail. It uses jobs or, if the pool is nil, plain loops over the
// same rows. It returns the world after each step, and the block of each error. If exits is set, some
// calls of Chunk end their goroutines.
func failingRun(t *testing.T, seed uint64, steps int, pool *jobs.Pool, runs, exits bool) (told []string) {
	w := ecs.NewWorld("failing", ecs.OnPool(pool))
	defer w.Close()
	rng := rand.New(rand.NewPCG(seed, 14))
	kinds := []ecs.Archetype{
		w.Archetype(ecs.With[age](), ecs.With[heat]()),
		w.Archetype(ecs.With[age](), ecs.With[heat](), ecs.With[awake]()),
	}
	for range 4 {
		w.Create(kinds[rng.IntN(2)], 100+rng.IntN(4000))
	}
	queries := []*ecs.Query{
		w.Query(ecs.Write[age](), ecs.Write[heat]()),
		w.Query(ecs.Write[age](), ecs.Write[heat](), ecs.With[awake]()),
	}
	ofRows, ofKeys := w.NewCommands(), w.NewCommands()
	for step := range uint64(steps) {
		f := faults{seed, step, []int{0, 1, 2, 3, 10}[rng.IntN(5)]}
		q, n, grain := queries[rng.IntN(2)], rng.IntN(200), 1+rng.IntN(20)
		j := &work{faults: f, exits: exits}
		s := &sow{faults: f, exits: j.exits, kind: kinds[rng.IntN(2)]}
		bad := [2]int{-1, -1}
		if pool == nil {
			j.plain = ofRows
			for c := range q.Chunks() {
				if runBody(func() { j.Chunk(c) }) && bad[0] < 0 {
					bad[0] = c.Index()
				}
			}
			for lo := 0; lo < n; lo += grain {
				if runBody(func() { s.block(ofKeys, lo, min(n, lo+grain), false) }) && bad[1] < 0 {
					bad[1] = lo
				}
			}
		} else {
			j.later, s.later = ofRows.Parallel(), ofKeys.Parallel()
			h := jobs.Handle{}
			if runs {
				h = q.ParallelForSpans(j)
			} else {
				h = q.ParallelFor(j)
			}
			bad[1] = failedIndex(pool.ParallelFor(s, n, grain).Wait())
			bad[0] = failedIndex(h.Wait())
			_ = w.Sync()
		}
		for _, later := range []*ecs.Commands{ofRows, ofKeys} {
			if err := later.Playback(w); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			later.Reset()
		}
		told = append(told, fmt.Sprintf("step %d: hash %016x, %d entities, one in %d fails, first at %v", step, w.Hash(), w.Len(), f.one, bad))
	}
	return told
}

// TestFailingLoops checks that if some blocks of a loop fail, all other blocks still run. The writes and
// commands of each block from before its failure must remain. The error must be the error of the lowest
// block, for any number of workers.
func TestFailingLoops(t *testing.T) {
	seeds, steps := uint64(3), 12
	if *failingSteps > 0 {
		seeds, steps = 8, *failingSteps/8
	}
	for seed := range seeds {
		for _, runs := range []bool{false, true} {
			var want []string
			if !runs {
				want = failingRun(t, seed, steps, nil, false, false)
			}
			for _, procs := range []int{1, 2} {
				before := runtime.GOMAXPROCS(procs)
				for _, workers := range []int{1, 2, 3, 8} {
					exits, level := (workers+procs)%2 == 0, jobs.Check
					if exits {
						level = jobs.Panic // at other levels a wait for a job that exits may end its goroutine
					}
					pool := jobs.New(jobs.Workers(workers), jobs.Safety(level))
					got := failingRun(t, seed, steps, pool, runs, exits)
					check(pool.Close())
					if want == nil {
						want = got
					}
					for i := range want {
						if got[i] != want[i] {
							t.Fatalf("seed %d, runs %v, %d workers, GOMAXPROCS %d:\n  got %s\n want %s", seed, runs, workers, procs, got[i], want[i])
						}
					}
				}
				runtime.GOMAXPROCS(before)
			}
		}
	}
}

// failedIndex returns the first index of the block that an error names, or -1 if there is no error.
func failedIndex(err error) int {
	var panicked *jobs.PanicError
	var exited *jobs.ExitError
	switch {
	case errors.As(err, &panicked):
		return panicked.Index
	case errors.As(err, &exited):
		return exited.Index
	case err != nil:
		return -2
	}
	return -1
}
