package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestSizes sorts lanes near each length at which the method changes: one row shorter, equal, and
// one row longer. All lengths use the same sorters, so that a sort uses the memory that the
// previous sort has left.
func TestSizes(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	most, wide := minParallelRows, maxWideRows
	if testing.Short() {
		most, wide = minWideRows, minWideRows
	}
	for i, p := range []*jobs.Pool{nil, pool} {
		sortSizes[uint32, int32](t, p, most, 1)
		sortSizes[uint64, int32](t, p, wide, 2)
		if i == 1 || !testing.Short() {
			sortSizes[uint32, int64](t, p, most, 3) // values that are not packed
			sortSizes[int32, uint32](t, p, minBlockRows, 4)
			sortSizes[int64, int32](t, p, minBlockRows, 5)
			sortSizes[float32, int32](t, p, most, 6)
			sortSizes[float64, int32](t, p, minBlockRows, 7)
		}
	}
	if !testing.Short() {
		s := &Sorter[uint32, int32]{Pool: pool}
		for i, n := range []int{maxWidePackedRows, maxWidePackedRows + 1, 1<<20 - 1} { // wide digits, narrow digits, and wide digits again
			checkSort(t, s, rand.New(rand.NewPCG(21, uint64(i))), n, 4)
		}
		checkSort(t, &Sorter[float32, int32]{}, rand.New(rand.NewPCG(22, 1)), maxWidePackedRows+1, 2)
	}
}

// sortSizes sorts lanes of up to most+1 rows. The order of the lengths is random.
func sortSizes[K Key, V int32 | uint32 | int64](t *testing.T, pool *jobs.Pool, most int, seed uint64) {
	t.Helper()
	s, r := Sorter[K, V]{Pool: pool}, rand.New(rand.NewPCG(20, seed))
	var lengths []int
	for _, border := range []int{maxInsertion, 1 << 8, maxBuckets, minWideRows, minBlockRows, 1 << 16, minParallelRows, maxWideRows} {
		if border <= most {
			lengths = append(lengths, border-1, border, border+1)
		}
	}
	r.Shuffle(len(lengths), func(i, j int) { lengths[i], lengths[j] = lengths[j], lengths[i] })
	for i, n := range lengths {
		checkSort(t, &s, r, n, i)
		if i%7 == 6 {
			s.Trim()
		}
	}
}

// checkSort sorts n keys of a kind with their rows and checks the result. No key may be less than the key
// before, equal keys must keep the order of their rows, and each key must be the key of its row.
// Together, these conditions prove that the result has all rows and that they are in the only correct
// order.
func checkSort[K Key, V int32 | uint32 | int64](t *testing.T, s *Sorter[K, V], r *rand.Rand, n, kind int) {
	t.Helper()
	keys, values := lane[K](r, n, kind), make([]V, n)
	for i := range values {
		values[i] = V(i)
	}
	pairs, alone := slices.Clone(keys), slices.Clone(keys)
	s.SortPairs(pairs, values)
	s.Sort(alone)
	for i, k := range pairs {
		row := values[i]
		if row < 0 || int(row) >= n || compare(k, keys[row]) != 0 || i > 0 && (compare(pairs[i-1], k) > 0 || compare(pairs[i-1], k) == 0 && values[i-1] >= row) {
			t.Fatalf("%T: %d rows of kind %d: place %d has row %d with key %v", *s, n, kind, i, row, k)
		}
	}
	if !sameKeys(alone, pairs) {
		t.Fatalf("%T: %d rows of kind %d: keys alone are in another order", *s, n, kind)
	}
}
