package order

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

var count = flag.Int("order.cases", 200, "cases of each type of key against sorts of the standard library")

// number returns random keys of many kinds: few different values, arbitrary bits, close values, and
// special values.
func number[K Key](r *rand.Rand, kind int) (k K) {
	b := r.Uint64()
	switch kind % 5 {
	case 0:
		b %= 5
	case 1:
		b = b >> 40 << 7
	case 2:
		b = math.Float64bits(r.NormFloat64())
	}
	switch p := any(&k).(type) {
	case *uint32:
		*p = uint32(b)
	case *uint64:
		*p = b
	case *int32:
		*p = int32(b)
	case *int64:
		*p = int64(b)
	case *float32:
		*p = special(r, kind, math.Float32frombits(uint32(b>>uint(kind%2*32))))
	case *float64:
		*p = special(r, kind, math.Float64frombits(b))
	}
	return k
}

func special[T float32 | float64](r *rand.Rand, kind int, x T) T {
	if kind%5 == 3 {
		return []T{0, T(math.Copysign(0, -1)), T(math.NaN()), -T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), 1, -1}[r.IntN(8)]
	}
	return x
}

// lane returns n keys of a kind. Every seventh lane is nearly sorted.
func lane[K Key](r *rand.Rand, n, kind int) []K {
	keys := make([]K, n)
	for i := range keys {
		keys[i] = number[K](r, kind)
	}
	if kind%7 == 6 {
		slices.SortFunc(keys, compare)
		if kind%2 == 0 && n > 1 {
			i := r.IntN(n - 1)
			keys[i], keys[i+1] = keys[i+1], keys[i]
		}
	}
	return keys
}

// compare compares keys in their order. It is written differently from the package.
func compare[K Key](a, b K) int {
	rank := func(k K) (nan bool, zero int) {
		zero = 1
		if k == 0 && math.Signbit(float64(k)) {
			zero = 0
		}
		return k != k, zero
	}
	aNaN, aZero := rank(a)
	bNaN, bZero := rank(b)
	switch {
	case aNaN || bNaN:
		return btoi(aNaN) - btoi(bNaN)
	case a < b:
		return -1
	case a > b:
		return 1
	case a == 0:
		return aZero - bZero
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameKeys reports whether two lanes have the same keys in the same order. All NaNs count as equal.
func sameKeys[K Key](a, b []K) bool {
	return slices.EqualFunc(a, b, func(x, y K) bool { return compare(x, y) == 0 })
}

// checkAll runs every function on keys of one kind and compares it with the standard library.
func checkAll[K Key](t *testing.T, s *Sorter[K, int32], keys []K, what string) {
	t.Helper()
	n := len(keys)
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i)
	}
	slices.SortStableFunc(index, func(a, b int32) int { return compare(keys[a], keys[b]) })
	want := make([]K, n)
	for i, k := range index {
		want[i] = keys[k]
	}

	got, alone, values := make([]int32, n), slices.Clone(keys), make([]int32, n)
	Argsort(s, got, keys)
	if !slices.Equal(got, index) {
		t.Fatalf("%s: Argsort differs", what)
	}
	s.Sort(alone)
	if !sameKeys(alone, want) || !Sorted(alone) {
		t.Fatalf("%s: Sort differs", what)
	}
	pairs := slices.Clone(keys)
	for i := range values {
		values[i] = int32(i)
	}
	s.SortPairs(pairs, values)
	if !sameKeys(pairs, want) || !slices.Equal(values, index) {
		t.Fatalf("%s: SortPairs differs", what)
	}
	if n == 0 {
		return
	}
	// Two sorted halves must merge to the same result.
	cut := int(uint32(n) * 2654435761 % uint32(n+1))
	a, b := slices.Clone(keys[:cut]), slices.Clone(keys[cut:])
	av, bv := make([]int32, cut), make([]int32, n-cut)
	for i := range n {
		if i < cut {
			av[i] = int32(i)
		} else {
			bv[i-cut] = int32(i)
		}
	}
	s.SortPairs(a, av)
	s.SortPairs(b, bv)
	s.Merge(pairs, values, a, av, b, bv)
	s.Merge(alone, nil, a, nil, b, nil)
	if !sameKeys(pairs, want) || !slices.Equal(values, index) || !sameKeys(alone, want) {
		t.Fatalf("%s: Merge differs", what)
	}
	// The nth key must be at its place in the sorted order.
	nth := (cut * 7) % n
	copy(pairs, keys)
	for i := range values {
		values[i] = int32(i)
	}
	s.Nth(pairs, values, nth)
	copy(alone, keys)
	s.Nth(alone, nil, nth)
	if !sameKeys(pairs, alone) {
		t.Fatalf("%s: Nth of keys alone differs", what)
	}
	for i, k := range pairs {
		if compare(k, keys[values[i]]) != 0 || i < nth && Less(want[nth], k) || i > nth && Less(k, want[nth]) || i == nth && compare(k, want[nth]) != 0 {
			t.Fatalf("%s: Nth %d: row %d is %v", what, nth, i, k)
		}
	}
	// A loop over the sorted keys must find the same groups.
	starts := Groups(nil, want)
	for g, start := range starts[:len(starts)-1] {
		end := starts[g+1]
		if start >= end || compare(want[start], want[end-1]) != 0 || start > 0 && compare(want[start-1], want[start]) == 0 {
			t.Fatalf("%s: group %d is %d to %d", what, g, start, end)
		}
	}
	if starts[0] != 0 || int(starts[len(starts)-1]) != n {
		t.Fatalf("%s: groups from %d to %d", what, starts[0], starts[len(starts)-1])
	}
}

// checkCases calls checkAll for many lanes, with the same sorter.
func checkCases[K Key](t *testing.T) {
	var s Sorter[K, int32]
	r := rand.New(rand.NewPCG(1, 2))
	for i := range *count {
		n := r.IntN(200)
		if i%20 == 0 {
			n = r.IntN(3000)
		}
		if i%97 == 0 {
			s.Trim()
		}
		checkAll(t, &s, lane[K](r, n, i), fmt.Sprintf("%T: case %d, %d rows", s, i, n))
	}
	for n := maxInsertion - 3; n < maxInsertion+3; n++ {
		checkAll(t, &s, lane[K](r, n, n), fmt.Sprintf("%T: %d rows", s, n))
	}
}

// TestAgainstStandard sorts many lanes as slices.SortStableFunc does.
func TestAgainstStandard(t *testing.T) {
	t.Run("uint32", checkCases[uint32])
	t.Run("uint64", checkCases[uint64])
	t.Run("int32", checkCases[int32])
	t.Run("int64", checkCases[int64])
	t.Run("float32", checkCases[float32])
	t.Run("float64", checkCases[float64])
}

// TestWorkers sorts long lanes on pools with different numbers of workers. The results must be
// equal.
func TestWorkers(t *testing.T) {
	several := []int{1, 2, 3, 8, 64}
	if testing.Short() {
		several = []int{3, 8} // as many blocks as workers, and the largest number of blocks
	}
	for _, workers := range several {
		pool := jobs.New(jobs.Workers(workers))
		wide(t, pool, &Sorter[uint32, int32]{Pool: pool})
		wide(t, pool, &Sorter[float64, int32]{Pool: pool})
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

func wide[K Key](t *testing.T, pool *jobs.Pool, s *Sorter[K, int32]) {
	r := rand.New(rand.NewPCG(3, 4))
	lengths := []int{minParallelRows, 150_001}
	if testing.Short() {
		lengths = lengths[:1]
	}
	for i, n := range lengths {
		checkAll(t, s, lane[K](r, n, i), fmt.Sprintf("%T: %d rows", *s, n))
	}
	// The keys are sorted except at one place, between the first two blocks.
	keys := lane[K](r, minParallelRows, 4)
	s.Sort(keys)
	keys[minParallelRows/2-1], keys[minParallelRows/2] = keys[minParallelRows/2], keys[minParallelRows/2-1]
	checkAll(t, s, keys, "in order except for one place")
}

// TestInsideJobs sorts in jobs that run on the pool that the sorter uses.
func TestInsideJobs(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := pool.Range(3, 1, func(lo, hi int) {
		r := rand.New(rand.NewPCG(uint64(lo), 1))
		keys := lane[uint32](r, minParallelRows+lo, 4)
		s := Sorter[uint32, int32]{Pool: pool}
		s.Sort(keys)
		if !Sorted(keys) {
			t.Error("not sorted")
		}
	}); err != nil {
		t.Error(err)
	}
}

// TestLargeValues moves values that are larger than keys, and values with pointers.
func TestLargeValues(t *testing.T) {
	type thing struct {
		name *string
		at   [5]int64
	}
	var s Sorter[int64, thing]
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{3, maxInsertion, 1000} {
		keys, things := lane[int64](r, n, 4), make([]thing, n)
		for i, k := range keys {
			name := fmt.Sprint(k)
			things[i] = thing{&name, [5]int64{4: k}}
		}
		s.SortPairs(keys, things)
		for i, k := range keys {
			if things[i].at[4] != k || *things[i].name != fmt.Sprint(k) || i > 0 && keys[i-1] > k {
				t.Fatalf("row %d of %d is %v %v", i, n, k, things[i])
			}
		}
	}
}

// TestOrder checks that Less has the order that the comments describe.
func TestOrder(t *testing.T) {
	order := []float32{float32(math.Inf(-1)), -math.MaxFloat32, -1, -1e-45, float32(math.Copysign(0, -1)), 0, 1e-45, 1, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN())}
	for i, a := range order {
		for j, b := range order {
			if Less(a, b) != (i < j) || Less(float64(a), float64(b)) != (i < j) {
				t.Errorf("Less(%v, %v) is %v", a, b, Less(a, b))
			}
			if words, wide := wordsOf(a, b); (words[0] < words[1]) != (i < j) || (wide[0] < wide[1]) != (i < j) {
				t.Errorf("words of %v and %v are in another order", a, b)
			}
		}
	}
	if !Sorted(order) || Sorted([]int32{1, 0}) || !Less(int32(-1), 0) || !Less(uint64(1), 1<<63) {
		t.Error("the order of these is another")
	}
}

// wordsOf returns the 32-bit words and the 64-bit words of two numbers.
func wordsOf(a, b float32) (words [2]uint32, wide [2]uint64) {
	toWords(words[:], nil, []float32{a, b})
	toWords(nil, wide[:], []float64{float64(a), float64(b)})
	return words, wide
}

// FuzzSort compares sorts of any bytes with those of the standard library.
func FuzzSort(f *testing.F) {
	f.Add([]byte("sorted?"), uint8(0))
	f.Add(bytes.Repeat([]byte{0, 0, 192, 127, 1, 0, 0, 128}, 40), uint8(2))
	f.Add(bytes.Repeat([]byte{9, 8, 7, 6, 5, 4, 3, 2, 1}, 200), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		data = data[:min(len(data), 1<<14)]
		switch kind % 6 {
		case 0:
			fuzzed(t, data, func(b uint64) uint32 { return uint32(b) })
		case 1:
			fuzzed(t, data, func(b uint64) uint64 { return b })
		case 2:
			fuzzed(t, data, func(b uint64) float32 { return math.Float32frombits(uint32(b)) })
		case 3:
			fuzzed(t, data, math.Float64frombits)
		case 4:
			fuzzed(t, data, func(b uint64) int32 { return int32(b) })
		case 5:
			fuzzed(t, data, func(b uint64) int64 { return int64(b) })
		}
	})
}

func fuzzed[K Key](t *testing.T, data []byte, key func(uint64) K) {
	var keys []K
	for ; len(data) >= 8; data = data[8:] {
		keys = append(keys, key(binary.LittleEndian.Uint64(data)))
	}
	checkAll(t, new(Sorter[K, int32]), keys, "fuzz")
}

// TestMessages checks that wrong arguments are refused before anything moves, and compares the
// messages.
func TestMessages(t *testing.T) {
	var s Sorter[uint32, int32]
	keys := []uint32{3, 2, 1}
	for want, call := range map[string]func(){
		"order: Sorter.SortPairs: len(values) is 2, len(keys) is 3": func() { s.SortPairs(keys, make([]int32, 2)) },
		"order: Argsort: len(index) is 2, len(keys) is 3":           func() { Argsort(&s, make([]int32, 2), keys) },
		"order: Sorter.Nth: n is 3, there are 3 keys":               func() { s.Nth(keys, nil, 3) },
		"order: Sorter.Nth: n is -1, there are 3 keys":              func() { s.Nth(keys, nil, -1) },
		"order: Sorter.Nth: len(values) is 1, len(keys) is 3":       func() { s.Nth(keys, make([]int32, 1), 1) },
		"order: Sorter.Merge: len(keys) is 3, len(a)+len(b) is 2":   func() { s.Merge(keys, nil, []uint32{1}, nil, []uint32{2}, nil) },
		"order: Sorter.Merge: len(values) is 0, len(keys) is 3":     func() { s.Merge(keys, nil, []uint32{1}, make([]int32, 1), []uint32{2, 3}, nil) },
		"order: Sorter.Merge: len(aValues) is 0, len(a) is 1":       func() { s.Merge(keys, make([]int32, 3), []uint32{1}, nil, []uint32{2, 3}, nil) },
		"order: Sorter.Merge: len(bValues) is 1, len(b) is 2": func() {
			s.Merge(keys, make([]int32, 3), []uint32{1}, make([]int32, 1), []uint32{2, 3}, make([]int32, 1))
		},
		"order: Groups: there are 2147483648 rows, the most is 2147483647": func() { checkRows("Groups", 1<<31) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}()
			call()
		}()
	}
	if !slices.Equal(keys, []uint32{3, 2, 1}) {
		t.Error("keys were moved before the arguments were checked")
	}
}

// TestMergeUnsorted merges lanes that are not sorted. All rows must be kept, in the same order with
// and without a pool.
func TestMergeUnsorted(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{1, minParallelRows} {
		a, b := lane[uint32](r, n, 4), lane[uint32](r, minParallelRows, 4)
		all, one, some := slices.Concat(a, b), make([]uint32, n+minParallelRows), make([]uint32, n+minParallelRows)
		(&Sorter[uint32, int32]{}).Merge(one, nil, a, nil, b, nil)
		(&Sorter[uint32, int32]{Pool: pool}).Merge(some, nil, a, nil, b, nil)
		if !slices.Equal(one, some) {
			t.Errorf("%d rows and %d: what comes out depends on the pool", n, minParallelRows)
		}
		slices.Sort(all)
		slices.Sort(one)
		if !slices.Equal(one, all) {
			t.Errorf("%d rows and %d: not all of them come out", n, minParallelRows)
		}
	}
}
