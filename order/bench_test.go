package order

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

var lengthsOf = []int{1 << 10, 100_000, 1_000_000}

// benchmarkSort measures one way to sort random keys. The time includes the copy that restores the random
// order before each sort.
func benchmarkSort[K Key](b *testing.B, n int, body func(keys []K)) {
	keys := lane[K](rand.New(rand.NewPCG(1, 2)), n, 4)
	work := make([]K, n)
	for b.Loop() {
		copy(work, keys)
		body(work)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}

func benchSort[K Key](b *testing.B) {
	for _, n := range lengthsOf {
		name := fmt.Sprintf("/type=%T/n=%d", *new(K), n)
		for _, workers := range []int{1, 2} {
			var s Sorter[K, int32]
			var pool *jobs.Pool
			if workers > 1 {
				pool = jobs.New(jobs.Workers(workers))
				s.Pool = pool
			}
			index := make([]int32, n)
			b.Run(fmt.Sprintf("keys/workers=%d%s", workers, name), func(b *testing.B) { benchmarkSort(b, n, func(k []K) { s.Sort(k) }) })
			b.Run(fmt.Sprintf("pairs/workers=%d%s", workers, name), func(b *testing.B) { benchmarkSort(b, n, func(k []K) { s.SortPairs(k, index) }) })
			b.Run(fmt.Sprintf("argsort/workers=%d%s", workers, name), func(b *testing.B) { benchmarkSort(b, n, func(k []K) { Argsort(&s, index, k) }) })
			if pool != nil {
				_ = pool.Close()
			}
		}
		b.Run("slices.Sort"+name, func(b *testing.B) { benchmarkSort(b, n, func(k []K) { slices.Sort(k) }) })
		b.Run("nth"+name, func(b *testing.B) {
			var s Sorter[K, int32]
			benchmarkSort(b, n, func(k []K) { s.Nth(k, nil, n/2) })
		})
	}
}

// BenchmarkSort sorts random keys with a Sorter and with slices.Sort.
func BenchmarkSort(b *testing.B) {
	benchSort[uint32](b)
	benchSort[uint64](b)
	benchSort[float32](b)
	benchSort[float64](b)
}

// BenchmarkStandardPairs sorts rows by keys with the standard library only.
func BenchmarkStandardPairs(b *testing.B) {
	for _, n := range lengthsOf {
		type row struct {
			key   uint32
			value int32
		}
		keys := lane[uint32](rand.New(rand.NewPCG(1, 2)), n, 4)
		rows := make([]row, n)
		fill := func() {
			for i, k := range keys {
				rows[i] = row{k, int32(i)}
			}
		}
		b.Run(fmt.Sprintf("SortStableFunc/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				fill()
				slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.key, b.key) })
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
		b.Run(fmt.Sprintf("sort.Slice/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				fill()
				sort.Slice(rows, func(i, j int) bool { return rows[i].key < rows[j].key })
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}

// BenchmarkMerge merges two halves.
func BenchmarkMerge(b *testing.B) {
	const n = 100_000
	var s Sorter[float32, int32]
	a, c := lane[float32](rand.New(rand.NewPCG(1, 2)), n/2, 4), lane[float32](rand.New(rand.NewPCG(3, 4)), n/2, 4)
	s.Sort(a)
	s.Sort(c)
	dst := make([]float32, n)
	for b.Loop() {
		s.Merge(dst, nil, a, nil, c, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}
