package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMomentsOfEqualRows checks lanes in which all rows are equal and the computed mean has a rounding
// error. A standard deviation must be a small number and not NaN. A correlation must be NaN and not a
// quotient of rounding errors.
func TestMomentsOfEqualRows(t *testing.T) {
	testEach(t, testMomentsOfEqualRows[float32], testMomentsOfEqualRows[float64])
}

func testMomentsOfEqualRows[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(12, 3))
	negative := 0 // lanes whose sum of squares is negative before it becomes 0; float64 lanes are too short for one
	check := func(v T, n int) {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = v, T(i)
		}
		mean, std := MeanStdDev(x)
		exactMean, exactStd := MeanStdDevExact(x)
		most := math.Abs(float64(v)) * (2 * epsilon[T]() * float64(n))
		for name, got := range map[string]T{"Variance": Variance(x), "StdDev": StdDev(x), "MeanStdDev": std, "MeanStdDevExact": exactStd} {
			if !(got >= 0 && float64(got) <= most) {
				t.Errorf("%s of %d rows of %v is %v", name, n, v, got)
			}
		}
		if exactMean != v || math.Abs(float64(mean-v)) > most {
			t.Errorf("%d rows of %v: the means are %v and %v", n, v, mean, exactMean)
		}
		for name, got := range map[string]T{"Correlation of x": Correlation(x, y), "Correlation of y": Correlation(y, x), "CorrelationExact": CorrelationExact(x, y)} {
			if got == got {
				t.Errorf("%s: %d rows of %v: %v", name, n, v, got)
			}
		}
		var m moments[T]
		m.add(x, mean)
		if m.xx-T(m.x*m.x)/T(n) < 0 {
			negative++
		}
	}
	check(0.922, 1763)
	check(0.1, 100_000)
	for range samples(300) {
		check(T(r.NormFloat64()), 2+r.IntN(3000))
	}
	if negative == 0 && single[T]() {
		t.Error("no lane has a negative sum of squares")
	}
}

// TestCorrelationOfAllSizes checks that a correlation does not depend on the scale of its lanes.
// In some lanes, the sums of squares are in the range of the type but their product is not.
func TestCorrelationOfAllSizes(t *testing.T) {
	testEach(t, func(t *testing.T) { testCorrelationOfAllSizes[float32](t, 50) }, func(t *testing.T) { testCorrelationOfAllSizes[float64](t, 490) })
}

func testCorrelationOfAllSizes[T Float](t *testing.T, exponents int) {
	r := rand.New(rand.NewPCG(13, 4))
	for range samples(300) {
		n := 2 + r.IntN(200)
		x, y := make([]T, n), make([]T, n)
		xs, ys := make([]T, n), make([]T, n)
		a, b := T(math.Ldexp(1, r.IntN(2*exponents)-exponents)), T(math.Ldexp(1, r.IntN(2*exponents)-exponents))
		for i := range x {
			x[i], y[i] = T(r.NormFloat64()), T(r.NormFloat64())
			if n%3 == 0 {
				y[i] = -x[i]
			}
			xs[i], ys[i] = x[i]*a, y[i]*b
		}
		for name, f := range map[string]func(x, y []T) T{"Correlation": Correlation[T], "CorrelationExact": CorrelationExact[T]} {
			want, got := float64(f(x, y)), float64(f(xs, ys))
			if !(math.Abs(got-want) <= 4*epsilon[T]()) || math.Abs(got) > 1 {
				t.Errorf("%s of %d rows, scaled by %v and %v: %v, without %v", name, n, a, b, got, want)
			}
			if n%3 == 0 && got > -1+8*epsilon[T]() {
				t.Errorf("%s of %d rows and their negatives: %v", name, n, got)
			}
		}
	}
	huge := hugest[T]()
	for name, got := range map[string]T{
		"differences beyond the range of squares": Correlation([]T{0, huge / 8}, []T{0, 1}),
		"differences whose squares are 0":         Correlation([]T{0, tiniest[T]()}, []T{0, 1}),
		"no rows":                                 Correlation[T](nil, nil),
		"one row":                                 CorrelationExact([]T{1}, []T{2}),
		"an infinity":                             Correlation([]T{1, T(math.Inf(1))}, []T{1, 2}),
		"differences beyond the range, for the exact": CorrelationExact([]T{0, huge / 8}, []T{0, 1}),
	} {
		if got == got {
			t.Errorf("%s: %v, want NaN", name, got)
		}
	}
	for _, scale := range []T{1e10, 1e-12} {
		if x := []T{0, scale}; Correlation(x, x) != 1 && math.Abs(float64(Correlation(x, x))-1) > 2*epsilon[T]() {
			t.Errorf("0 and %v: %v", scale, Correlation(x, x))
		}
	}
}
