package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestExactMoments(t *testing.T) {
	t.Run("float32", testExactMoments[float32])
	t.Run("float64", testExactMoments[float64])
}

func testExactMoments[T Float](t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 60))
		x := randomSamples[T](rng, rng.IntN(60))
		var whole, merged ExactMoments[T]
		whole.Add(x)
		shuffled := slices.Clone(x)
		rng.Shuffle(len(x), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
		for len(shuffled) > 0 {
			n := 1 + rng.IntN(len(shuffled))
			var part ExactMoments[T]
			part.Add(shuffled[:n])
			merged.Merge(&part)
			shuffled = shuffled[n:]
		}
		if !sameMoments(&whole, &merged) {
			t.Fatalf("seed %d: n %d, mean %v and variance %v, merged n %d, %v and %v", seed, whole.N(), whole.Mean(), whole.Variance(), merged.N(), merged.Mean(), merged.Variance())
		}
		if got, want := whole.Mean(), MeanExact(x); !sameNumber(got, want) || whole.N() != len(x) {
			t.Fatalf("seed %d: the mean of %d numbers is %v, want %v", seed, whole.N(), got, want)
		}
		checkVariance(t, seed, x, whole.Variance())
	}
}

// randomSamples returns numbers of a random size and spread, of which some are huge, tiny, equal, or close to each other.
func randomSamples[T Float](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	center, spread := math.Ldexp(rng.Float64()-0.5, rng.IntN(80)-40), math.Ldexp(1, rng.IntN(80)-60)
	for i := range x {
		switch x[i] = T(center + float64(spread*rng.NormFloat64())); rng.IntN(40) {
		case 0:
			x[i] = T(math.Ldexp(rng.Float64(), rng.IntN(100)-50))
		case 1:
			x[i] = 0
		}
	}
	return x
}

func sameNumber[T Float](a, b T) bool { return a == b || a != a && b != b }

func sameMoments[T Float](a, b *ExactMoments[T]) bool {
	return a.N() == b.N() && sameNumber(a.Mean(), b.Mean()) && sameNumber(a.Variance(), b.Variance())
}

// checkVariance compares got with the variance of x computed in rational numbers.
func checkVariance[T Float](t *testing.T, seed uint64, x []T, got T) {
	t.Helper()
	if len(x) < 2 {
		if got == got {
			t.Errorf("seed %d: the variance of %d numbers is %v, want NaN", seed, len(x), got)
		}
		return
	}
	sum, squares := new(big.Rat), new(big.Rat)
	for _, v := range x {
		r := new(big.Rat).SetFloat64(float64(v))
		sum.Add(sum, r)
		squares.Add(squares, new(big.Rat).Mul(r, r))
	}
	n := new(big.Rat).SetInt64(int64(len(x)))
	sum.Mul(sum, sum)
	squares.Sub(squares, sum.Quo(sum, n))
	squares.Quo(squares, n.SetInt64(int64(len(x)-1)))
	want, _ := squares.Float64()
	if off := math.Abs(float64(got) - want); off > 4*float64(unitOf(T(want))) {
		t.Errorf("seed %d: the variance of %d numbers is %v, want %v", seed, len(x), got, T(want))
	}
}

// TestExactMomentsOfExtremes adds the largest and the smallest numbers, infinities and NaN.
func TestExactMomentsOfExtremes(t *testing.T) {
	const big, small = math.MaxFloat64, math.SmallestNonzeroFloat64
	for _, c := range []struct {
		x              []float64
		mean, variance float64
	}{
		{nil, math.NaN(), math.NaN()},
		{[]float64{5}, 5, math.NaN()},
		{[]float64{big, big, big}, big, 0},
		{[]float64{big, -big}, 0, math.Inf(1)},
		{[]float64{small, small}, small, 0},
		{[]float64{3, 5, small}, 8. / 3, 19. / 3},
		{[]float64{1, math.Inf(1)}, math.Inf(1), math.NaN()},
		{[]float64{1, math.NaN()}, math.NaN(), math.NaN()},
	} {
		var m ExactMoments[float64]
		m.Add(c.x)
		if mean, variance := m.Mean(), m.Variance(); !sameNumber(mean, c.mean) || !sameNumber(variance, c.variance) {
			t.Errorf("%v: mean %v and variance %v, want %v and %v", c.x, mean, variance, c.mean, c.variance)
		}
	}
}

func TestExactMomentsAllocateNothing(t *testing.T) {
	var m ExactMoments[float32]
	x := make([]float32, 100)
	if n := testing.AllocsPerRun(10, func() { m.Add(x); m.Merge(&m); _, _ = m.Mean(), m.Variance() }); n != 0 && !checked { // checks of overlaps may allocate
		t.Errorf("%v allocations", n)
	}
}
