package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestGatherScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for rows := range 70 {
		x := make([]float32, rows+1)
		for i := range x {
			x[i] = r.Float32()
		}
		index := make([]int32, r.IntN(100))
		for i := range index {
			index[i] = int32(r.IntN(len(x)))
		}
		dst := make([]float32, len(index))
		Gather(dst, x, index)
		for i, k := range index {
			if dst[i] != x[k] {
				t.Fatalf("row %d of %d is %v, want row %d: %v", i, len(index), dst[i], k, x[k])
			}
		}
		want := slices.Clone(x)
		for i, k := range index {
			want[k] = float32(i)
			dst[i] = float32(i)
		}
		if Scatter(x, index, dst); !slices.Equal(x, want) {
			t.Fatalf("%d rows: %v, want %v", len(index), x, want)
		}
	}
}

// TestGatherIsWhole checks that Gather finds a bad index before it writes the first row, so that a
// panic leaves no partial result.
func TestGatherIsWhole(t *testing.T) {
	x, dst := []int32{1, 2, 3}, []int32{7, 7, 7}
	for _, bad := range []int32{3, -1, math.MinInt32, math.MaxInt32} {
		index := []int32{0, bad, 2}
		for _, f := range []func(){func() { Gather(dst, x, index) }, func() { Scatter(dst, index, x) }} {
			if got := panicOf(f); got == "" || !slices.Equal(dst, []int32{7, 7, 7}) {
				t.Errorf("index %d: panic %q, dst %v", bad, got, dst)
			}
		}
	}
	Gather([]int32{}, nil, nil)
}

// TestGatherOfManyRows checks that a negative index panics even if the slice has more rows than the
// largest int32.
func TestGatherOfManyRows(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no slice has more rows than an int32 counts")
	}
	many := make([]struct{}, math.MaxInt/2) // elements without size need no memory
	few := make([]struct{}, 2)
	for _, bad := range []int32{-1, math.MinInt32} {
		index := []int32{math.MaxInt32, bad}
		for _, f := range []func(){func() { Gather(few, many, index) }, func() { Scatter(many, index, few) }} {
			if got := panicOf(f); !strings.Contains(got, "index[1] is -") {
				t.Errorf("index %d: panic %q", bad, got)
			}
		}
	}
}

func TestHistogram(t *testing.T) {
	t.Run("float32", testHistogram[float32])
	t.Run("float64", testHistogram[float64])
}

func testHistogram[T Float](t *testing.T) {
	counts := make([]int, 4)
	nan, inf := T(math.NaN()), T(math.Inf(1))
	if out := Histogram(counts, []T{0, 0.5, 1, 1.5, 2, 3.999, 4, -0.1, 4.5, nan, inf, -inf}, 0, 4); out != 5 || !slices.Equal(counts, []int{2, 2, 1, 2}) {
		t.Errorf("counts %v, %d outside", counts, out)
	}
	if out := Histogram(counts, []T{3}, 0, 4); out != 0 || counts[3] != 3 {
		t.Errorf("counts do not add up: %v, %d outside", counts, out)
	}
	if got := panicOf(func() { Histogram(counts, []T{0}, 0, tiniest[T]()) }); got == "" {
		t.Error("bins without width are taken")
	}
	r := rand.New(rand.NewPCG(5, 5))
	x := make([]T, 1000)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	for bins := 1; bins < 100; bins++ {
		counts := make([]int, bins)
		lo, hi := T(-1.25), T(1.7)
		out := Histogram(counts, x, lo, hi)
		want := make([]int, bins)
		for _, v := range x {
			if v < lo || v > hi {
				out--
				continue
			}
			k := 0
			for k+1 < bins && (v-lo)*(T(bins)/(hi-lo)) >= T(k+1) {
				k++
			}
			want[k]++
		}
		if out != 0 || !slices.Equal(counts, want) {
			t.Fatalf("%d bins: %v, want %v, outside off by %d", bins, counts, want, out)
		}
	}
}

func TestMaskWords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 200 {
		x, y := make([]uint64, MaskLen(n)), make([]uint64, MaskLen(n))
		for i := range x {
			x[i], y[i] = maskWord(r), maskWord(r)
		}
		if n%64 != 0 {
			x[n/64] &= 1<<(n%64) - 1
		}
		at := func(m []uint64, i int) bool { return m[i/64]>>(i%64)&1 != 0 }
		and, or, andNot, not := make([]uint64, len(x)), make([]uint64, len(x)), make([]uint64, len(x)), make([]uint64, len(x))
		And(and, x, y)
		Or(or, x, y)
		AndNot(andNot, x, y)
		Not(not, x, n)
		count := 0
		for i := range n {
			a, b := at(x, i), at(y, i)
			if at(and, i) != (a && b) || at(or, i) != (a || b) || at(andNot, i) != (a && !b) || at(not, i) == a {
				t.Fatalf("bit %d of %d: %v and %v", i, n, a, b)
			}
			if a {
				count++
			}
		}
		if Count(x) != count || Count(not) != n-count {
			t.Fatalf("%d bits: %d are set, %d are not, want %d", n, Count(x), Count(not), count)
		}
		if All(x, n) != (count == n) {
			t.Fatalf("All of %d bits with %d set is %v", n, count, All(x, n))
		}
		Or(or, x, not)
		if !All(or, n) || n > 0 && All(and, n) && count < n {
			t.Fatalf("All does not hold of %d bits", n)
		}
	}
}
