package kernels

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// exactSum returns the sum of x that math/big computes with a single rounding.
func exactSum[T Float](x []T) T {
	sum := new(big.Float).SetPrec(4000)
	for _, v := range x {
		sum.Add(sum, new(big.Float).SetFloat64(float64(v)))
	}
	if single[T]() {
		v, _ := sum.Float32()
		return T(v) + 0
	}
	v, _ := sum.Float64()
	return T(v) + 0 // a zero of math/big can have a sign
}

// ofAllSizes returns a number whose exponent is uniformly distributed, or, if narrow is set, a number
// with an exponent in a narrow range.
func ofAllSizes[T Float](r *rand.Rand, narrow bool) T {
	if single[T]() {
		b := r.Uint32()
		if narrow {
			b = b&^(0xff<<23) | (120+b>>23&3)<<23
		} else if b>>23&0xff == 0xff {
			b &^= 1 << 30
		}
		return T(math.Float32frombits(b))
	}
	b := r.Uint64()
	if narrow {
		b = b&^(0x7ff<<52) | (1020+b>>52&3)<<52
	} else if b>>52&0x7ff == 0x7ff {
		b &^= 1 << 62
	}
	return T(math.Float64frombits(b))
}

func TestSumExact(t *testing.T) {
	t.Run("float32", testSumExact[float32])
	t.Run("float64", testSumExact[float64])
}

func testSumExact[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for round := range samples(400) {
		x := make([]T, r.IntN(1+round))
		for i := range x {
			x[i] = ofAllSizes[T](r, round%2 == 0)
			switch {
			case i > 0 && r.IntN(3) == 0:
				x[i] = -x[r.IntN(i)] // numbers that cancel each other
			case r.IntN(9) == 0:
				x[i] = T(math.Copysign(0, float64(x[i])))
			case r.IntN(9) == 0:
				x[i] = tiniest[T]() * T(r.IntN(9))
			}
		}
		want := exactSum(x)
		if got := SumExact(x); got != want || math.Signbit(float64(got)) != math.Signbit(float64(want)) {
			t.Fatalf("%d rows: %v, want %v", len(x), got, want)
		}

		r.Shuffle(len(x), func(i, k int) { x[i], x[k] = x[k], x[i] })
		cut := r.IntN(len(x) + 1)
		var a, b ExactSum[T]
		a.Add(x[cut:])
		b.Add(x[:cut])
		text, err := b.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var c ExactSum[T]
		if err := c.UnmarshalBinary(text); err != nil || c != b {
			t.Fatalf("an exact sum comes back as another one, error %v", err)
		}
		a.Merge(&c)
		if got := a.Value(); got != want {
			t.Fatalf("%d rows in two parts: %v, want %v", len(x), got, want)
		}
		var whole ExactSum[T]
		whole.Add(x)
		if whole != a {
			t.Fatal("equal sums are not equal")
		}
	}
}

// tiniest is the smallest positive number of the type.
func tiniest[T Float]() T {
	if single[T]() {
		return T(float32(math.SmallestNonzeroFloat32))
	}
	return T(math.SmallestNonzeroFloat64)
}

func hugest[T Float]() T {
	if single[T]() {
		return T(float32(math.MaxFloat32))
	}
	f := math.MaxFloat64
	return T(f)
}

func TestSumExactOfSpecialValues(t *testing.T) {
	t.Run("float32", testSumExactOfSpecialValues[float32])
	t.Run("float64", testSumExactOfSpecialValues[float64])
}

func testSumExactOfSpecialValues[T Float](t *testing.T) {
	inf, nan, zero := T(math.Inf(1)), T(math.NaN()), T(0)
	big, small := hugest[T](), tiniest[T]()
	ulp := T(math.Ldexp(1, -23))
	if !single[T]() {
		ulp = T(math.Ldexp(1, -52))
	}
	for _, c := range []struct {
		x    []T
		want T
	}{
		{nil, 0},
		{[]T{-zero}, 0},
		{[]T{inf}, inf},
		{[]T{1, -inf, 2}, -inf},
		{[]T{inf, 1, -inf}, nan},
		{[]T{nan}, nan},
		{[]T{1, 2, 3, 4, nan, inf}, nan},
		{[]T{big, big}, inf},
		{[]T{-big, -big}, -inf},
		{[]T{big, big, -big}, big},
		{[]T{big, big * ulp / 4}, big}, // a quarter of a unit
		{[]T{big, big * ulp / 2}, inf}, // half a unit: ties go to even, which is beyond the largest number
		{[]T{small, small, -small}, small},
		{[]T{big, small, -big}, small},
		{[]T{1, ulp / 2}, 1},                     // half a unit: ties go to even
		{[]T{1, ulp / 2, small}, 1 + ulp},        // more than half
		{[]T{1 + ulp, ulp / 2}, 1 + 2*ulp},       // half a unit: ties go to even
		{[]T{1 + ulp, ulp / 2, -small}, 1 + ulp}, // less than half
		{[]T{-1 - ulp, -ulp / 2}, -1 - 2*ulp},
	} {
		got := SumExact(c.x)
		if got != c.want && !(got != got && c.want != c.want) || math.Signbit(float64(got)) != math.Signbit(float64(c.want)) && got == got {
			t.Errorf("the sum of %v is %v, want %v", c.x, got, c.want)
		}
	}
}

// TestSumExactOfBlocks checks that the way in which a block is added does not change the sum. If the
// rows of a block have similar exponents, the block is added in parts; otherwise its rows are added
// one by one.
func TestSumExactOfBlocks(t *testing.T) {
	t.Run("float32", testSumExactOfBlocks[float32])
	t.Run("float64", testSumExactOfBlocks[float64])
}

func testSumExactOfBlocks[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	x := make([]T, 3*exactBlock+77)
	for kind, fill := range []func(i int) T{
		func(int) T { return T(r.NormFloat64()) },
		func(int) T { return T(r.Float64()) * tiniest[T]() * 1000 },
		func(int) T { return hugest[T]() * T(r.Float64()-0.5) },
		func(int) T { return T(math.Ldexp(r.NormFloat64(), r.IntN(80)-40)) },
		func(i int) T { return T(math.Ldexp(1+r.Float64(), -28*(i%2)-30*(i%exactBlock&1))) },
		func(int) T { return ofAllSizes[T](r, false) },
		func(i int) T { return T(1) - T(i%2)*2 + T(i%(exactBlock+1))*tiniest[T]() },
		func(i int) T {
			if i == exactBlock+9 {
				return T(math.Inf(-1))
			}
			return 1
		},
		func(i int) T {
			if i == 2*exactBlock {
				return T(math.NaN())
			}
			return -1
		},
	} {
		for i := range x {
			x[i] = fill(i)
		}
		want := T(math.NaN())
		if kind == 7 {
			want = T(math.Inf(-1))
		} else if kind < 7 {
			want = exactSum(x)
		}
		eachPathOf(func(path string) {
			if got := SumExact(x); got != want && (got == got || want == want) {
				t.Errorf("path %s, rows of kind %d: %v, want %v", path, kind, got, want)
			}
		})
	}
}

// TestSumExactOfManyRows checks that the carries within one piece do not overflow the digits, and
// that the addition of the sums of pieces does not either.
func TestSumExactOfManyRows(t *testing.T) {
	rows := 2*piece + 5
	check := func(v float64) {
		x := slices.Repeat([]float64{v}, rows)
		if got := SumExact(x); got != exactProduct(v, rows) {
			t.Errorf("%d times %v is %v", rows, v, got)
		}
		y := slices.Repeat([]float32{float32(v)}, rows)
		if got := SumExact(y); got != float32(exactProduct(float64(float32(v)), rows)) {
			t.Errorf("%d times %v of float32 is %v", rows, float32(v), got)
		}
	}
	for _, v := range []float64{1, -1, 0.1, -0.1, math.Nextafter(2, 0), math.Ldexp(math.Nextafter(2, 0), 31), -math.Ldexp(math.Nextafter(2, 0), -95)} {
		check(v)
	}
	var all ExactSum[float64]
	x := slices.Repeat([]float64{math.MaxFloat64}, 1<<12)
	all.Add(x)
	for range 40 { // 2^52 times the largest number
		all.Merge(&all)
	}
	if all.Value() != math.Inf(1) {
		t.Error("2^52 times the largest number is no infinity")
	}
	less := all
	for i := range less.digit {
		less.digit[i] = -less.digit[i]
	}
	carry(&less.digit)
	all.Add([]float64{-3})
	all.Merge(&less)
	if all.Value() != -3 {
		t.Errorf("what remains is %v, want -3", all.Value())
	}
}

func exactProduct(v float64, n int) float64 {
	f, _ := new(big.Float).SetPrec(200).Mul(big.NewFloat(v), big.NewFloat(float64(n))).Float64()
	return f
}

func TestExactSumRefusesBytes(t *testing.T) {
	var s ExactSum[float64]
	s.Add([]float64{1, 2, -4})
	text, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	was := s
	for _, bad := range [][]byte{nil, text[1:], append(bytes.Clone(text), 0), append([]byte{8}, text[1:]...)} {
		if err := s.UnmarshalBinary(bad); err == nil || s != was {
			t.Errorf("%d bytes: error %v", len(bad), err)
		}
	}
}

func BenchmarkSumExact(b *testing.B) {
	b.Run("float32", benchmarkSumExact[float32])
	b.Run("float64", benchmarkSumExact[float64])
}

func benchmarkSumExact[T Float](b *testing.B) {
	x := make([]T, 64<<20/rowBytes[T](1)) // larger than the caches
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	for _, c := range []struct {
		name string
		sum  func([]T) T
	}{{"Sum", Sum[T]}, {"Exact", SumExact[T]}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.sum(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/row")
		})
	}
}
