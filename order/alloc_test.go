//go:build !race && !lanewise_guard

package order

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestAllocs sorts again and again, with and without a pool, and checks that nothing is allocated.
func TestAllocs(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(1, 2))
	keys, wide := lane[float32](r, minParallelRows, 4), lane[uint64](r, 1000, 4)
	was, index, values := append([]float32(nil), keys...), make([]int32, minParallelRows), make([]int32, minParallelRows)
	merged, wideWas, starts := make([]float32, 2*minParallelRows), append([]uint64(nil), wide...), make([]int32, 0, minParallelRows+1)
	s, alones := Sorter[float32, int32]{Pool: pool}, Sorter[uint64, int32]{}
	for _, pooled := range []*jobs.Pool{pool, nil} {
		s.Pool = pooled
		run := func() {
			copy(keys, was)
			copy(wide, wideWas)
			Argsort(&s, index, keys)
			s.SortPairs(keys, values)
			s.Merge(merged, nil, keys, nil, keys, nil)
			starts = Groups(starts[:0], keys)
			alones.Sort(wide)
			alones.Nth(wide, values[:1000], 500)
		}
		for range 10 { // in the first ones the pool measures the cost of jobs
			run()
		}
		if got := testing.AllocsPerRun(10, run); got != 0 {
			t.Errorf("%v allocations", got)
		}
	}
}

// TestLateAllocs sorts keys that need more digits, and digits of other widths, than the keys before. The sorter must have
// enough counts from the first keys on.
func TestLateAllocs(t *testing.T) {
	lateAllocs[float32](t)
	lateAllocs[float64](t)
	lateAllocs[uint64](t)
}

func lateAllocs[K Key](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1000, 4001, minWideRows + 1} {
		few, keys := make([]K, n), make([]K, n)
		for i := range few {
			few[i] = K(r.IntN(200))
		}
		var s Sorter[K, int32]
		s.Sort(few)
		for kind := range 5 {
			copy(keys, lane[K](r, n, kind))
			was := len(s.small.counts) + len(s.large.counts)
			if s.Sort(keys); len(s.small.counts)+len(s.large.counts) != was {
				t.Errorf("%T: more counts for %d keys of kind %d", s, n, kind)
			}
		}
	}
}
