package system_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

type (
	failHeat struct{ V float32 }
	failAge  struct{ N int32 }
)

func (failHeat) Column() (c []float32) { return }
func (failAge) Column() (c []int32)    { return }

// failing is the common part of the systems of TestFailingFrames. The bodies of its jobs panic at a
// row that depends on the seed, the frame, the system and the chunk.
type failing struct {
	q     *ecs.Query
	later ecs.ParallelCommands
	seed  uint64
	frame uint64
	salt  uint64
}

func (s *failing) begin(f *system.Frame, salt uint64) {
	s.seed, s.salt = failingSeed, salt
	s.frame++
	s.later = system.Commands[system.EndSimulation](f).Parallel()
}

// eachRow calls f for the rows of a chunk, and panics at one of them or at none.
func (s *failing) eachRow(c *ecs.Chunk, f func(later *ecs.Commands, i int, e ecs.Entity)) {
	ids, later := c.Entities(), s.later.For(c)
	rng := rand.New(rand.NewPCG(s.seed<<32^s.frame<<8^s.salt, uint64(ids[0].Index)))
	bad := -1
	if often := []int{1, 3, 8, 1000}[(s.seed+s.frame*7+s.salt)%4]; rng.IntN(often) == 0 {
		bad = rng.IntN(len(ids))
	}
	for i, e := range ids {
		if i == bad {
			panic(fmt.Sprintf("row %d", i))
		}
		f(later, i, e)
	}
}

var failingSeed uint64 // of the world that runs

// failWarm writes heat and spawns entities.
type failWarm struct{ failing }

func (s *failWarm) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[failHeat]())
	return nil
}

func (s *failWarm) Update(f *system.Frame) error {
	s.begin(f, 1)
	f.ParallelFor(s.q, s)
	_, err := f.Commands().Spawn(failAge{int32(s.frame)}) // by the owner
	return err
}

func (s *failWarm) Chunk(c *ecs.Chunk) {
	heat := *ecs.Column[failHeat](c)
	s.eachRow(c, func(later *ecs.Commands, i int, e ecs.Entity) {
		if heat[i]++; e.Index%97 == int32(s.frame) {
			if _, err := later.Spawn(failHeat{heat[i]}, failAge{}); err != nil {
				panic(err)
			}
		}
	})
}

// failGrow reads components that failWarm writes, so its job is skipped if the job of failWarm fails.
type failGrow struct {
	_ system.After[failWarm]
	failing
}

func (s *failGrow) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Read[failHeat](), ecs.Write[failAge]())
	return nil
}

func (s *failGrow) Update(f *system.Frame) error {
	s.begin(f, 2)
	f.ParallelFor(s.q, s)
	return nil
}

func (s *failGrow) Chunk(c *ecs.Chunk) {
	heat, age := *ecs.Column[failHeat](c), *ecs.Column[failAge](c)
	s.eachRow(c, func(later *ecs.Commands, i int, e ecs.Entity) {
		if age[i] += int32(heat[i]); e.Index%89 == int32(s.frame) {
			if err := later.Destroy(e); err != nil {
				panic(err)
			}
		}
	})
}

// failCount uses no component of failWarm and failGrow.
type failCount struct {
	failing
	n []uint64
}

func (s *failCount) Update(f *system.Frame) error {
	s.begin(f, 3)
	s.n = make([]uint64, 500)
	f.ParallelRange(s, len(s.n), 7, nil)
	return nil
}

func (s *failCount) RunRange(t *jobs.Task, lo, hi int) {
	later := s.later.ForKey(t, lo)
	for i := lo; i < hi; i++ {
		if uint64(i*31)%(40+s.seed+s.frame) == 0 {
			panic(i)
		}
		if s.n[i]++; i%50 == 0 {
			if _, err := later.Spawn(failAge{int32(i)}); err != nil {
				panic(err)
			}
		}
	}
}

func failingFrames(t *testing.T, seed uint64, workers, frames int) (told []string) {
	pool := jobs.New(jobs.Workers(workers))
	defer pool.Close()
	failingSeed = seed
	w, err := system.NewWorld("failing", system.Only(system.Of[failWarm](), system.Of[failGrow](), system.Of[failCount]()), system.OnPool(pool))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Create(w.Archetype(ecs.With[failHeat](), ecs.With[failAge]()), 20_000)
	w.Create(w.Archetype(ecs.With[failHeat]()), 5000)
	for range frames {
		err := system.Update(w)
		told = append(told, fmt.Sprintf("hash %016x, %d entities, %v", w.Hash(), w.Len(), err))
	}
	return told
}

// TestFailingFrames: a frame with jobs that panic leaves the same world and the same error for any
// number of workers.
func TestFailingFrames(t *testing.T) {
	for seed := range uint64(2) {
		var want []string
		for _, procs := range []int{1, 2} {
			before := runtime.GOMAXPROCS(procs)
			for _, workers := range []int{1, 2, 3, 8} {
				got := failingFrames(t, seed, workers, 10)
				if want == nil {
					want = got
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("seed %d, %d workers, GOMAXPROCS %d, frame %d:\n  got %s\n want %s", seed, workers, procs, i, got[i], want[i])
					}
				}
			}
			runtime.GOMAXPROCS(before)
		}
	}
}
