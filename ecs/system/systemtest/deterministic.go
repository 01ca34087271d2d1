package systemtest

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// workers holds the sizes of the pools that AssertDeterministic compares: one worker, a few
// workers, a number that does not divide most counts of chunks, and more workers than most machines
// have cores.
var workers = []int{1, 2, 3, 8, 64}

// AssertDeterministic fails the test if results depend on the number of workers.
// AssertDeterministic creates the same world on pools of 1, 2, 3, 8 and 64 workers, and runs the
// given number of frames in each. A frame is [system.DefaultStep] seconds long. After each frame
// the worlds must have the same hash ([ecs.World.Hash]). The failure names the first frame that
// differs.
//
//	systemtest.AssertDeterministic(t, 60, func(w *ecs.World) {
//		for i := range 1000 {
//			w.Spawn(Position{}, Velocity{X: float32(i)})
//		}
//	}, system.Only(system.Of[Move]()))
//
// AssertDeterministic calls fill for each world before the world's first frame. Each world is
// created with the given options, as in [WorldWith]. There must be enough work for several workers:
// use several chunks of entities, or a small grain. The test fails if the world has no entities,
// because all empty worlds have the same hash.
func AssertDeterministic(t testing.TB, frames int, fill func(w *ecs.World), options ...system.Option) {
	t.Helper()
	var want []uint64
	for _, n := range workers {
		got := runHashes(t, n, frames, fill, options)
		if got == nil {
			t.Errorf("systemtest: AssertDeterministic: the world has no entities, neither before the first frame nor after the last one: spawn some in fill, because an empty world has the same hash on every pool")
			return
		}
		if want == nil {
			want = got
		}
		for i := range got {
			switch {
			case got[i] == want[i]:
				continue
			case i == 0:
				t.Errorf("systemtest: AssertDeterministic: before the first frame: fill makes another world each time")
			default:
				t.Errorf("systemtest: AssertDeterministic: after frame %d of %d: with %d workers the hash is %#016x, with %d it was %#016x", i, frames, n, got[i], workers[0], want[i])
			}
			return
		}
	}
}

// runHashes runs a world on a pool of n workers and returns the world's hashes: one before the first
// frame, and one after each frame. If the world is empty before the first frame and after the last
// one, runHashes returns nil.
func runHashes(t testing.TB, n, frames int, fill func(w *ecs.World), options []system.Option) (list []uint64) {
	t.Helper()
	pool := jobs.New(jobs.Workers(n))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Errorf("systemtest: AssertDeterministic: %v", err)
		}
	})
	w := WorldWith(t, append(options[:len(options):len(options)], system.OnPool(pool))...) // the test closes the world before the pool
	fill(w)
	empty := w.Len() == 0
	list = append(list, w.Hash())
	for range frames {
		Step(t, w, 1)
		list = append(list, w.Hash())
	}
	if empty && w.Len() == 0 {
		return nil
	}
	return list
}
