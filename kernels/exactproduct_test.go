package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func wide() *big.Float { return new(big.Float).SetPrec(9000) }

// roundOnce returns a number of math/big, rounded once to T.
func roundOnce[T Float](f *big.Float) T {
	if single[T]() {
		v, _ := f.Float32()
		return T(v) + 0
	}
	v, _ := f.Float64()
	return T(v) + 0
}

// exactInputs returns lanes of numbers. The numbers have all sizes, or are from a narrow range in
// which numbers cancel each other. Zeros and the smallest numbers occur in both cases.
func exactInputs[T Float](r *rand.Rand, n int, narrow bool) (x, y []T) {
	x, y = make([]T, n), make([]T, n)
	for i := range x {
		x[i], y[i] = ofAllSizes[T](r, narrow), ofAllSizes[T](r, narrow)
		switch k := r.IntN(12); {
		case k < 4 && i > 0:
			from := r.IntN(i)
			x[i], y[i] = -x[from], y[from]
		case k == 4:
			x[i] = tiniest[T]() * T(r.IntN(9))
		case k == 5:
			y[i] = T(math.Copysign(0, float64(y[i])))
		case k == 6:
			x[i] = hugest[T]()
		}
	}
	return x, y
}

// TestProductsExact compares DotExact, NormExact, Norm1Exact, DistanceExact and MeanExact with math/big.
func TestProductsExact(t *testing.T) {
	t.Run("float32", testProductsExact[float32])
	t.Run("float64", testProductsExact[float64])
}

func testProductsExact[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(45, 7))
	for round := range samples(2000) {
		n := 1 + r.IntN(1+round%40)
		x, y := exactInputs[T](r, n, round%2 == 0)
		dot, squares, distance, sum, abs := wide(), wide(), wide(), wide(), wide()
		product := func(to *big.Float, a, b T) {
			to.Add(to, wide().Mul(wide().SetFloat64(float64(a)), wide().SetFloat64(float64(b))))
		}
		overflows := false
		for i := range x {
			product(dot, x[i], y[i])
			product(squares, x[i], x[i])
			product(sum, x[i], 1)
			product(abs, T(math.Abs(float64(x[i]))), 1)
			d := x[i] - y[i]
			if overflows = overflows || d-d != 0; !overflows {
				product(distance, d, d)
			}
		}
		check := func(name string, got, want T) {
			if bitsOf(got) != bitsOf(want) && !(got == 0 && want == 0) {
				t.Fatalf("round %d: %s of %d rows is %x, want %x", round, name, n, bitsOf(got), bitsOf(want))
			}
		}
		check("DotExact", DotExact(x, y), roundOnce[T](dot))
		check("NormExact", NormExact(x), roundOnce[T](wide().Sqrt(squares)))
		check("Norm1Exact", Norm1Exact(x), roundOnce[T](abs))
		check("MeanExact", MeanExact(x), roundOnce[T](wide().Quo(sum, wide().SetInt64(int64(n)))))
		if overflows {
			check("DistanceExact", DistanceExact(x, y), T(math.Inf(1)))
		} else {
			check("DistanceExact", DistanceExact(x, y), roundOnce[T](wide().Sqrt(distance)))
		}
	}
}

// TestRoundedOnce checks roots and means that are exactly halfway between two floats, where the even
// float is right. It also checks roots that differ from the halfway point by the smallest possible
// amount.
func TestRoundedOnce(t *testing.T) {
	t.Run("float32", testRoundedOnce[float32])
	t.Run("float64", testRoundedOnce[float64])
}

func testRoundedOnce[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(45, 8))
	for range samples(4000) {
		c := ofAllSizes[T](r, false)
		if c = T(math.Abs(float64(c))); c == 0 || neighbor(c, 1)-neighbor(c, 1) != 0 {
			continue
		}
		next := neighbor(c, 1)
		even := c
		if isOdd(c) {
			even = next
		}
		if got := MeanExact([]T{c, next}); got != even {
			t.Errorf("the mean of %v and %v is %v, want %v", c, next, got, even)
		}
		if got := MeanExact([]T{-c, -next}); got != -even {
			t.Errorf("the mean of %v and %v is %v, want %v", -c, -next, got, -even)
		}
		// The sum s is the square of the midpoint between c and next.
		var s productSum
		u := unitOf(c)
		s.add(float64(c), float64(c))
		s.add(float64(c), u)
		s.addScaled(u, u, -2)
		below, above := s, s
		if got := rootOf[T](&s); got != even {
			t.Errorf("the root of the square between %v and %v is %v, want %v", c, next, got, even)
		}
		above.addScaled(math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64, -13)
		if got := rootOf[T](&above); got != next {
			t.Errorf("the root just above the middle of %v and %v is %v", c, next, got)
		}
		below.addScaled(-math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64, -13)
		if got := rootOf[T](&below); got != c {
			t.Errorf("the root just below the middle of %v and %v is %v", c, next, got)
		}
	}
}

// TestExactOrder shuffles rows: no result that is called exact may change.
func TestExactOrder(t *testing.T) {
	t.Run("float32", testExactOrder[float32])
	t.Run("float64", testExactOrder[float64])
}

func testExactOrder[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(45, 9))
	for round := range samples(400) {
		n := 2 + r.IntN(80)
		if round == 0 {
			n = 1<<16 + 100 // more rows than additions between two carries
		}
		x, y := make([]T, n), make([]T, n)
		fillNumbers(x, r, false)
		fillNumbers(y, r, false)
		results := func() []T {
			mean, std := MeanStdDevExact(x)
			return []T{mean, std, DotExact(x, y), NormExact(x), Norm1Exact(x), DistanceExact(x, y), CovarianceExact(x, y), CorrelationExact(x, y)}
		}
		want := results()
		r.Shuffle(n, func(i, k int) { x[i], x[k], y[i], y[k] = x[k], x[i], y[k], y[i] })
		if err := sameBits(results(), want); err != nil {
			t.Fatalf("round %d: %d rows in another order: %v", round, n, err)
		}

		d, e := make([]T, n), make([]T, n)
		xMean, yMean := MeanExact(x), MeanExact(y)
		for i := range x {
			d[i], e[i] = x[i]-xMean, y[i]-yMean
		}
		rows, xs, ys := T(n), SumExact(d), SumExact(e)
		xx, xy := DotExact(d, d)-T(xs*xs)/rows, DotExact(d, e)-T(xs*ys)/rows
		yy := DotExact(e, e) - T(ys*ys)/rows
		roots := T(math.Sqrt(float64(xx))) * T(math.Sqrt(float64(yy)))
		composed := []T{T(math.Sqrt(float64(xx / (rows - 1)))), xy / (rows - 1), max(-1, min(1, xy/roots))}
		if err := sameBits([]T{want[1], want[6], want[7]}, composed); err != nil {
			t.Fatalf("round %d: %d rows: deviation, covariance and correlation: %v", round, n, err)
		}
	}
}

// TestExactOfSpecials checks infinities and NaN, which the integer of an exact sum cannot
// represent.
func TestExactOfSpecials(t *testing.T) {
	t.Run("float32", testExactOfSpecials[float32])
	t.Run("float64", testExactOfSpecials[float64])
}

func testExactOfSpecials[T Float](t *testing.T) {
	inf, nan, huge := T(math.Inf(1)), T(math.NaN()), hugest[T]()
	for _, c := range []struct {
		name      string
		got, want T
	}{
		{"Dot of an infinity", DotExact([]T{1, inf}, []T{2, -1}), -inf},
		{"Dot of an infinity and 0", DotExact([]T{1, inf}, []T{2, 0}), nan},
		{"Dot of both infinities", DotExact([]T{inf, inf}, []T{1, -1}), nan},
		{"Dot of NaN and 0", DotExact([]T{nan}, []T{0}), nan},
		{"Dot beyond the largest number", DotExact([]T{huge, huge}, []T{huge, 1}), inf},
		{"Dot that comes back", DotExact([]T{huge, -huge, 3}, []T{huge, huge, 1}), 3},
		{"Dot of no rows", DotExact[T](nil, nil), 0},
		{"Norm of an infinity", NormExact([]T{-inf, 1}), inf},
		{"Norm of NaN", NormExact([]T{inf, nan}), nan},
		{"Norm of the largest", NormExact([]T{-huge}), huge},
		{"Norm of two of the largest", NormExact([]T{huge, huge}), inf},
		{"Norm of the smallest", NormExact([]T{tiniest[T]()}), tiniest[T]()},
		{"Norm of no rows", NormExact[T](nil), 0},
		{"Mean of the largest", MeanExact([]T{huge, huge, huge}), huge},
		{"Mean of an infinity", MeanExact([]T{1, -inf}), -inf},
		{"Mean of no rows", MeanExact[T](nil), nan},
		{"Mean of half the smallest", MeanExact([]T{tiniest[T](), 0}), 0},
		{"Norm1 of an infinity", Norm1Exact([]T{-inf, inf}), inf},
		{"Covariance of one row", CovarianceExact([]T{1}, []T{2}), nan},
		{"Correlation of equal rows", CorrelationExact([]T{1, 1}, []T{2, 3}), nan},
	} {
		if err := sameBits([]T{c.got}, []T{c.want}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
