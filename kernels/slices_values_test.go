package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The harness compares paths with the generic bodies. These tests check that the generic bodies do
// what their comments say. Every test runs on every path.

var (
	nan      = math.NaN()
	inf      = math.Inf(1)
	negative = math.Copysign(0, -1)
)

// testEach runs a test on every path and for both types.
func testEach(t *testing.T, test32, test64 func(t *testing.T)) {
	eachPath(t, func(t *testing.T) {
		t.Run("type=f32", test32)
		t.Run("type=f64", test64)
	})
}

// sliceOf converts numbers to a slice of T.
func sliceOf[T Float](v ...float64) []T {
	x := make([]T, len(v))
	for i := range v {
		x[i] = T(v[i])
	}
	return x
}

// TestArithmeticValues checks the cases in which floating-point results differ from exact
// arithmetic.
func TestArithmeticValues(t *testing.T) {
	testEach(t, testArithmeticValues[float32], testArithmeticValues[float64])
}

func testArithmeticValues[T Float](t *testing.T) {
	two := func(k func(dst, x, y []T)) func(dst, x, y []T) { return k }
	one := func(k func(dst, x []T)) func(dst, x, y []T) { return func(dst, x, _ []T) { k(dst, x) } }
	clamp := func(lo, hi float64) func(dst, x, y []T) {
		return one(func(dst, x []T) { Clamp(dst, x, T(lo), T(hi)) })
	}
	for _, c := range []struct {
		name       string
		run        func(dst, x, y []T)
		x, y, want float64
	}{
		{"sum", two(Add[T]), 1, 2, 3},
		{"difference", two(Sub[T]), 1, 2, -1},
		{"product", two(Mul[T]), 3, -2, -6},
		{"quotient", two(Div[T]), 1, -4, -0.25},
		{"by zero", two(Div[T]), 1, negative, -inf},
		{"minimum", two(Minimum[T]), 1, 2, 1},
		{"minimum, first NaN", two(Minimum[T]), nan, 2, 2},
		{"minimum, second NaN", two(Minimum[T]), 1, nan, nan},
		{"minimum of zeros", two(Minimum[T]), negative, 0, 0},
		{"minimum of zeros, the other way", two(Minimum[T]), 0, negative, negative},
		{"maximum", two(Maximum[T]), 1, 2, 2},
		{"maximum, first NaN", two(Maximum[T]), nan, 2, 2},
		{"maximum, second NaN", two(Maximum[T]), 1, nan, nan},
		{"maximum of zeros", two(Maximum[T]), 0, negative, negative},
		{"inside", clamp(-1, 1), 0.5, 0, 0.5},
		{"below", clamp(-1, 1), -3, 0, -1},
		{"above", clamp(-1, 1), inf, 0, 1},
		{"NaN stays", clamp(-1, 1), nan, 0, nan},
		{"no lower bound", clamp(nan, 1), -3, 0, -3},
		{"no upper bound", clamp(-1, nan), 3, 0, 3},
		{"bounds crossed", clamp(1, -1), 0, 0, -1},
		{"a zero keeps its sign", clamp(0, 1), negative, 0, negative},
		{"magnitude", one(Abs[T]), negative, 0, 0},
		{"negative", one(Neg[T]), 0, 0, negative},
		{"root", one(Sqrt[T]), 2.25, 0, 1.5},
		{"root of -0", one(Sqrt[T]), negative, 0, negative},
		{"root below zero", one(Sqrt[T]), -1, 0, nan},
		{"lerp", func(dst, x, y []T) { Lerp(dst, x, y, 0.25) }, 2, 10, 4},
		{"product and sum", func(dst, x, y []T) { MulAdd(dst, x, y, y) }, 3, 2, 8},
		{"multiple", one(func(dst, x []T) { Scale(dst, x, 3) }), 1.5, 0, 4.5},
	} {
		dst, x, y := make([]T, 33), make([]T, 33), make([]T, 33)
		for i := range dst {
			x[i], y[i] = T(c.x), T(c.y)
		}
		c.run(dst, x, y)
		want := make([]T, 33)
		for i := range want {
			want[i] = T(c.want)
		}
		if err := sameBits(dst, want); err != nil {
			t.Errorf("%s of %v and %v: %v", c.name, c.x, c.y, err)
		}
	}
}

// TestRounding checks that products are rounded before they are added, and that conversions round to
// the nearest value.
func TestRounding(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		x := slices.Repeat([]float32{1 + 0x1p-12}, 33)
		dst := make([]float32, 33)
		MulAdd(dst, x, x, slices.Repeat([]float32{-1}, 33)) // (1+2^-12)² = 1 + 2^-11 + 2^-24
		if err := sameBits(dst, slices.Repeat([]float32{0x1p-11}, 33)); err != nil {
			t.Errorf("a product was not rounded before the sum: %v", err)
		}
		wide := []float64{1 + 0x1p-24, 1 + 0x1.8p-23, 1e39, -1e39, 0x1p-149, 0x1p-150, 0x1.8p-150, negative, inf, nan}
		want := []float32{1, 1 + 0x1p-22, float32(inf), float32(-inf), 0x1p-149, 0, 0x1p-149, float32(negative), float32(inf), float32(nan)}
		narrow := make([]float32, len(wide))
		Convert(narrow, wide)
		if err := sameBits(narrow, want); err != nil {
			t.Error(err)
		}
		back := make([]float64, len(wide))
		Convert(back, want)
		if err := sameBits(back, []float64{1, 1 + 0x1p-22, inf, -inf, 0x1p-149, 0, 0x1p-149, negative, inf, nan}); err != nil {
			t.Error(err)
		}
		Convert(back, wide)
		if err := sameBits(back, wide); err != nil {
			t.Errorf("to the same type: %v", err)
		}
	})
}

// TestSumOrder checks the tree of additions of Sum, Dot and PrefixSum. It uses numbers for which
// each order of additions gives a different result.
func TestSumOrder(t *testing.T) { testEach(t, testSumOrder[float32], testSumOrder[float64]) }

func testSumOrder[T Float](t *testing.T) {
	acc, huge := 64, T(0x1p24) // huge + 1 is huge, huge + 2 is not
	if !single[T]() {
		acc, huge = 32, T(0x1p53)
	}
	for _, c := range []struct {
		name string
		ones []int // rows that are 1; row 0 is huge
		want T
	}{
		{"its own accumulator, one by one", []int{acc, 2 * acc}, huge},
		{"another accumulator, together", []int{acc / 2, acc/2 + acc}, huge + 2},
		{"two accumulators, folded before", []int{1, 1 + acc/2}, huge + 2},
		{"two accumulators, folded one by one", []int{acc / 2, acc / 4}, huge},
		{"the rest of a block", []int{2*acc + 1, 3*acc + 1}, huge + 2},
	} {
		x := make([]T, 3*acc+2)
		x[0] = huge
		for _, i := range c.ones {
			x[i] = 1
		}
		if got := Sum(x); got != c.want {
			t.Errorf("%s: Sum is %v, want %v", c.name, got, c.want)
		}
		if got := Dot(x, sliceOf[T](slices.Repeat([]float64{1}, len(x))...)); got != c.want {
			t.Errorf("%s: Dot is %v, want %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name string
		ones []int
		want T // of row 16
	}{
		{"one by one within a run", []int{1, 2}, huge},
		{"a run of two", []int{2, 3}, huge + 2},
		{"over the block", []int{15, 16}, huge},
		{"a run of eight", []int{8, 15}, huge + 2},
	} {
		x := make([]T, 17)
		x[0] = huge
		for _, i := range c.ones {
			x[i] = 1
		}
		PrefixSum(x, x)
		if x[0] != huge || x[16] != c.want {
			t.Errorf("%s: PrefixSum begins with %v and ends with %v, want %v", c.name, x[0], x[16], c.want)
		}
	}
	for _, zeros := range [][]T{nil, sliceOf[T](negative), make([]T, 70)} {
		if s := Sum(zeros); bitsOf(s) != 0 {
			t.Errorf("Sum of %d zeros is %v", len(zeros), s)
		}
	}
}

// TestSumError checks that the error of a sum is not above the bound that follows from the depth
// of its tree of additions. Exact sums are the reference.
func TestSumError(t *testing.T) { testEach(t, testSumError[float32], testSumError[float64]) }

func testSumError[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	ulp := 0x1p-24
	if !single[T]() {
		ulp = 0x1p-53
	}
	for _, n := range []int{1, 10, 100, 1000, 100_000} {
		x, y, prefix := make([]T, n), make([]T, n), make([]T, n)
		sum, dot := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000)
		size := 0.0
		for i := range x {
			x[i], y[i] = pattern20[T](r), pattern20[T](r)
			sum.Add(sum, big.NewFloat(float64(x[i])))
			dot.Add(dot, new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(x[i])), big.NewFloat(float64(y[i]))))
			size += math.Abs(float64(x[i])) * max(1, math.Abs(float64(y[i])))
		}
		PrefixSum(prefix, x)
		bound := size * ulp * float64(n/32+8)
		for name, got := range map[string]float64{
			"Sum":       distance(sum, Sum(x)),
			"Dot":       distance(dot, Dot(x, y)),
			"PrefixSum": distance(sum, prefix[n-1]) / 3, // a block of PrefixSum has 16 rows, not 64 or 32
		} {
			if got > bound {
				t.Errorf("n=%d: %s is %g off, at most %g are expected", n, name, got, bound)
			}
		}
		if got, want := Norm(x), T(math.Sqrt(float64(Dot(x, x)))); got != want {
			t.Errorf("n=%d: Norm is %v, √Dot %v", n, got, want)
		}
	}
}

// pattern20 returns numbers of both signs over a range of 2^20.
func pattern20[T Float](r *rand.Rand) T {
	return T(math.Ldexp(r.Float64()*2-1, r.IntN(20)))
}

func distance[T Float](exact *big.Float, got T) float64 {
	d, _ := new(big.Float).Sub(exact, big.NewFloat(float64(got))).Float64()
	return math.Abs(d)
}

// TestExtremes checks the rules of Min, Max, ArgMin and ArgMax for zeros, NaN and ties, with the
// deciding rows at the beginning, in the middle and at the end.
func TestExtremes(t *testing.T) { testEach(t, testExtremes[float32], testExtremes[float64]) }

func testExtremes[T Float](t *testing.T) {
	for _, c := range []struct {
		x              []float64
		least, most    float64
		atLeast, atMax int
	}{
		{nil, nan, nan, -1, -1},
		{[]float64{nan}, nan, nan, -1, -1},
		{[]float64{nan, nan, nan}, nan, nan, -1, -1},
		{[]float64{3, 1, 2}, 1, 3, 1, 0},
		{[]float64{nan, 1, nan, 2, nan}, 1, 2, 1, 3},
		{[]float64{2, 1, 2, 1}, 1, 2, 1, 0},
		{[]float64{0, negative, 0, negative}, negative, 0, 1, 0},
		{[]float64{negative, 0}, negative, 0, 0, 1},
		{[]float64{0, nan, 0}, 0, 0, 0, 0},
		{[]float64{negative, negative}, negative, negative, 0, 0},
		{[]float64{inf, nan}, inf, inf, 0, 0},
		{[]float64{nan, -inf}, -inf, -inf, 1, 1},
		{[]float64{inf, -inf, inf}, -inf, inf, 1, 0},
		{[]float64{-1, negative}, -1, negative, 0, 1},
		{[]float64{1, 0}, 0, 1, 1, 0},
	} {
		for _, before := range []int{0, 1, 7, 64, 200, piece - 1, piece + 3} {
			for _, after := range []int{0, 3, 70} {
				if !*full && before > 200 {
					continue
				}
				x := slices.Concat(slices.Repeat([]T{T(nan)}, before), sliceOf[T](c.x...), slices.Repeat([]T{T(nan)}, after))
				at := func(i int) int {
					if i < 0 {
						return i
					}
					return i + before
				}
				got := fmt.Sprint(bits1(Min(x)), bits1(Max(x)), ArgMin(x), ArgMax(x))
				want := fmt.Sprint(bits1(T(c.least)), bits1(T(c.most)), at(c.atLeast), at(c.atMax))
				if got != want {
					t.Errorf("%v behind %d and before %d NaN: got %s, want %s", c.x, before, after, got, want)
				}
			}
		}
	}
}

// bits1 is like bitsOf, but returns the same value for all NaNs.
func bits1[T Float](x T) uint64 {
	if x != x {
		return math.MaxUint64
	}
	return bitsOf(x)
}

// TestMasks compares, selects and compresses rows, and checks each row with Go's own operators.
func TestMasks(t *testing.T) { testEach(t, testMasks[float32], testMasks[float64]) }

func testMasks[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	few := sliceOf[T](nan, negative, 0, 1, 2, inf, -inf)
	for _, n := range []int{0, 1, 63, 64, 65, 200} {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = few[r.IntN(len(few))], few[r.IntN(len(few))]
		}
		mask := make([]uint64, MaskLen(n))
		for name, c := range map[string]struct {
			run func(s T)
			op  func(a, b, s T) bool
		}{
			"Less":      {func(T) { Less(mask, x, y) }, func(a, b, _ T) bool { return a < b }},
			"LessEqual": {func(T) { LessEqual(mask, x, y) }, func(a, b, _ T) bool { return a <= b }},
			"Equal":     {func(T) { Equal(mask, x, y) }, func(a, b, _ T) bool { return a == b }},
			"Below":     {func(s T) { Below(mask, x, s) }, func(a, _, s T) bool { return a < s }},
			"AtMost":    {func(s T) { AtMost(mask, x, s) }, func(a, _, s T) bool { return a <= s }},
			"Above":     {func(s T) { Above(mask, x, s) }, func(a, _, s T) bool { return a > s }},
			"AtLeast":   {func(s T) { AtLeast(mask, x, s) }, func(a, _, s T) bool { return a >= s }},
			"EqualTo":   {func(s T) { EqualTo(mask, x, s) }, func(a, _, s T) bool { return a == s }},
		} {
			for _, s := range few {
				for i := range mask {
					mask[i] = r.Uint64() // is overwritten
				}
				c.run(s)
				for i := range 64 * len(mask) {
					want := i < n && c.op(x[i], y[min(i, n-1)], s)
					if got := mask[i/64]>>(i%64)&1 != 0; got != want {
						t.Fatalf("%s: n=%d s=%v: bit %d is %v, want %v", name, n, s, i, got, want)
					}
				}
			}
		}
		for i := range mask {
			mask[i] = r.Uint64() // bits beyond the last row must be ignored
		}
		var kept []T
		chosen := slices.Clone(y)
		for i := range x {
			if mask[i/64]>>(i%64)&1 != 0 {
				kept, chosen[i] = append(kept, x[i]), x[i]
			}
		}
		dst := make([]T, n)
		Select(dst, mask, x, y)
		if err := sameBits(dst, chosen); err != nil {
			t.Errorf("Select: n=%d: %v", n, err)
		}
		if count := Compress(x, x, mask); count != len(kept) {
			t.Errorf("Compress: n=%d: kept %d rows, want %d", n, count, len(kept))
		} else if err := sameBits(x[:count], kept); err != nil {
			t.Errorf("Compress: n=%d: %v", n, err)
		}
	}
}

// TestSliceOverlap checks that checking builds refuse overlapping slices.
func TestSliceOverlap(t *testing.T) {
	if !checked {
		t.Skip("overlaps are looked for in race and guard builds")
	}
	p, mask := make([]float32, 100), []uint64{1<<8 - 1, 0}
	for _, c := range []struct {
		name string
		run  func()
		want string
	}{
		{"in place", func() { Add(p[:8], p[:8], p[8:16]) }, ""},
		{"one row on", func() { Add(p[1:9], p[:8], p[20:28]) }, "kernels: Add: dst and x overlap: x starts 4 bytes before dst"},
		{"third operand", func() { MulAdd(p[:8], p[20:28], p[30:38], p[7:15]) }, "kernels: MulAdd: dst and z overlap"},
		{"compressed in place", func() { Compress(p, p, mask) }, ""},
		{"compressed backwards", func() { Compress(p[4:24], p[8:88], mask) }, "kernels: Compress: dst and x overlap"},
		{"chosen", func() { Select(p[:8], mask[:1], p[:8], p[8:16]) }, ""},
		{"running sum", func() { PrefixSum(p[1:9], p[:8]) }, "kernels: PrefixSum: dst and x overlap"},
	} {
		if got := panicOf(c.run); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: panic %q, want %q", c.name, got, c.want)
		}
	}
}

// TestStack checks that arrays of a caller stay on its stack. Otherwise small uses of kernels would
// be expensive.
func TestStack(t *testing.T) {
	if checked {
		t.Skip("race and guard builds allocate for their checks")
	}
	eachPath(t, func(t *testing.T) {
		for name, f := range map[string]func(){
			"Add":       func() { var a, b [16]float32; Add(a[:], a[:], b[:]) },
			"Scale":     func() { var a, b [16]float64; Scale(a[:], b[:], 2) },
			"MulAdd":    func() { var a, b [16]float32; MulAdd(a[:], a[:], b[:], b[:]) },
			"Clamp":     func() { var a, b [16]float64; Clamp(a[:], b[:], 0, 1) },
			"Copy":      func() { var a, b [16]float32; Copy(a[:], b[:]) },
			"Convert":   func() { var a [16]float64; var b [16]float32; Convert(a[:], b[:]) },
			"Less":      func() { var a [16]float32; var m [1]uint64; Less(m[:], a[:], a[:]) },
			"Select":    func() { var a [16]float64; var m [1]uint64; Select(a[:], m[:], a[:], a[:]) },
			"Compress":  func() { var a [16]float32; var m [1]uint64; Compress(a[:], a[:], m[:]) },
			"PrefixSum": func() { var a [17]float64; PrefixSum(a[:], a[:]) },
			"Dot":       func() { var a [16]float32; sink = float64(Dot(a[:], a[:])) },
			"Sum":       func() { var a [16]float64; sink = Sum(a[:]) },
			"ArgMin":    func() { var a [16]float32; sink = float64(ArgMin(a[:])) },
		} {
			if n := testing.AllocsPerRun(10, f); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

var sink float64
