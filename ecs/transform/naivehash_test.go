package transform_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// grow makes some roots, and two levels below them that are large enough for several workers.
func (m *model[T]) grow() {
	for range 8 {
		m.spawn(ecs.Entity{})
	}
	level := m.ids
	for range 2 {
		for range 2 * transform.Wide {
			m.spawn(level[m.r.IntN(len(level))])
		}
		level = m.ids[len(m.ids)-2*transform.Wide:]
	}
}

// hashes returns the hash of a world with random edits after each frame.
func hashes[T kernels.Float](t *testing.T, pool *jobs.Pool, local bool, seed uint64) (hashes []uint64) {
	frames := 6
	if *full {
		frames = 20
	}
	m := newModel[T](newBench(t, system.OnPool(pool)), local, rand.New(rand.NewPCG(seed, 26)))
	m.grow()
	for range frames {
		for range m.r.IntN(40) {
			m.edit()
		}
		m.update()
		hashes = append(hashes, m.w.Hash())
	}
	m.ok(m.w.Close())
	return hashes
}

func testHashes[T kernels.Float](t *testing.T, local bool) {
	seeds := 1
	if *full {
		seeds = 4
	}
	want := make([][]uint64, seeds)
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		for seed := range want {
			got := hashes[T](t, pool, local, uint64(seed))
			if want[seed] == nil {
				want[seed] = got
			}
			if !slices.Equal(got, want[seed]) {
				t.Errorf("seed %d: hashes %x, with one worker %x", seed, got, want[seed])
			}
		}
	})
}

// The worlds are the same after random edits, frame by frame, for any number of workers.
func TestHashesOfRandomEdits(t *testing.T) {
	for name, local := range map[string]bool{"TRS": false, "LocalTransform": true} {
		t.Run(name+"/float32", func(t *testing.T) { testHashes[float32](t, local) })
		t.Run(name+"/float64", func(t *testing.T) { testHashes[float64](t, local) })
	}
}
