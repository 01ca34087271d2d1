package ecs_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// TestForeignJobs checks that a job of another pool gets the same results from a world on every goroutine
// that may run the job. The job may run on a worker of its pool. It may also run on the goroutine that
// waits for it, which may own the world or run a block of a loop of the world's pool.
func TestForeignJobs(t *testing.T) {
	uses := map[string]func(w *ecs.World, c *ecs.Commands) error{
		"Spawn": func(w *ecs.World, _ *ecs.Commands) error { return panicOf(func() { w.Spawn(age{1}) }) },
		"Create": func(w *ecs.World, _ *ecs.Commands) error {
			return panicOf(func() { w.Create(w.Archetype(ecs.With[age]()), 1) })
		},
		"Sync":    func(w *ecs.World, _ *ecs.Commands) error { return w.Sync() },
		"Hash":    func(w *ecs.World, _ *ecs.Commands) error { return panicOf(func() { w.Hash() }) },
		"record":  func(_ *ecs.World, c *ecs.Commands) error { return second(c.Spawn(age{1})) },
		"through": nil, // the world's pool: one of its jobs waits for a job of the other pool
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(36, seed))
	refusals := 0
	for name, use := range uses {
		for _, inBlock := range []bool{false, true} {
			answers := map[string]string{}
			for workers := 1; workers <= 3; workers++ {
				for procs := 1; procs <= 2; procs++ {
					was := runtime.GOMAXPROCS(procs)
					for range 2 {
						pause := time.Duration(rng.IntN(2)) * time.Millisecond // so that a worker takes the job, or does not
						got := foreignUse(workers, inBlock, pause, use)
						answers[got] = fmt.Sprintf("%d workers, GOMAXPROCS %d, %v", workers, procs, pause)
						if got != "<nil>" {
							refusals++
						}
					}
					runtime.GOMAXPROCS(was)
				}
			}
			if len(answers) != 1 {
				t.Errorf("%s, in a block %v, seed %d: %q", name, inBlock, seed, answers)
			}
			for got := range answers {
				if refused := got != "<nil>"; refused == (name == "record") {
					t.Errorf("%s, in a block %v: %s", name, inBlock, got)
				}
			}
		}
	}
	if refusals == 0 {
		t.Error("nothing was refused")
	}
}

// foreignUse returns the result that a world gives to a job of another pool. That pool has the given
// number of workers.
func foreignUse(workers int, inBlock bool, pause time.Duration, use func(*ecs.World, *ecs.Commands) error) (answer string) {
	pool, other := jobs.New(jobs.Workers(2)), jobs.New(jobs.Workers(workers))
	defer pool.Close()
	defer other.Close()
	w := ecs.NewWorld("own", ecs.OnPool(pool))
	w.Scheduler().BeginFrame()
	c := w.NewCommands()
	h := other.Schedule(jobs.Func(func(*jobs.Task) {
		if use != nil {
			answer = fmt.Sprint(use(w, c))
			return
		}
		check(pool.Schedule(jobs.Func(func(*jobs.Task) {
			check(other.Schedule(jobs.Func(func(*jobs.Task) { // three levels deep, on worker contexts of two pools
				answer = fmt.Sprint(panicOf(func() { w.Spawn(age{1}) }))
			})).Wait())
		})).Wait())
	}))
	time.Sleep(pause)
	if inBlock {
		check(pool.Range(2, 1, func(lo, _ int) {
			if lo == 0 {
				check(h.Wait())
			}
		}))
	}
	check(h.Wait())
	w.Spawn(age{2}) // it still belongs to the owner
	w.Scheduler().EndFrame()
	check(w.Close())
	return answer
}
