package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The bounds below are measured and rounded up, because the comments of the kernels quote them as
// guarantees.

// TestSincosULP measures the distance of Sincos from the exact sine and cosine.
func TestSincosULP(t *testing.T) {
	ranges := []struct {
		limit            float64
		bound32, bound64 float64
	}{
		{math.Pi / 4, 1.0, 0.8},
		{math.Pi, 1.5, 0.8},
		{125, 1.5, 0.8},
		{1000, 2.0, 0.8},
		{12800, 2.5, 0.8},
		{51200, 1.6, 0.8},
		{3e38, 1.6, 0.8},
		{1e308, 0, 0.8},
	}
	low := 1e-6
	for _, c := range ranges {
		worst32, worst64 := 0.0, 0.0
		r := rand.New(rand.NewPCG(7, math.Float64bits(c.limit)))
		for i := range samples(300_000) {
			x := math.Exp(math.Log(low) + r.Float64()*(math.Log(c.limit)-math.Log(low)))
			if i%10 == 0 { // close to a multiple of a quarter turn
				x = math.Round(x/(math.Pi/2)) * (math.Pi / 2)
			}
			if c.bound32 > 0 && x <= c.limit {
				y := float32(x)
				s, c := sincos32(y)
				ws, wc := math.Sincos(float64(y))
				worst32 = max(worst32, ulps32(s, ws), ulps32(c, wc))
			}
			if i%50 < 2 {
				s, c := sincos64(x)
				ws, wc := bigSincos(newBig(x))
				worst64 = max(worst64, ulps(s, ws, 53), ulps(c, wc, 53))
			}
		}
		t.Logf("|x| ≤ %8.3g: f32 %.3f ulp, f64 %.3f ulp", c.limit, worst32, worst64)
		if worst32 > c.bound32 || worst64 > c.bound64 {
			t.Errorf("|x| ≤ %g: f32 is %.3f ulp off, at most %v are promised; f64 %.3f, %v",
				c.limit, worst32, c.bound32, worst64, c.bound64)
		}
		low = c.limit
	}
}

func ulps32(got float32, want float64) float64 {
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) * math.Ldexp(1, 24-max(e, -125))
}

// TestSincosHard tries the arguments closest to a multiple of a quarter turn. For these arguments the
// reduction loses the most bits. The arguments come from the continued fractions of 2^e/(π/2).
func TestSincosHard(t *testing.T) {
	worst, closest := 0.0, 1.0
	for e := -52; e <= 971; e++ {
		for _, x := range hardArguments(e) {
			s, c := sincos64(x)
			ws, wc := bigSincos(newBig(x))
			worst = max(worst, ulps(s, ws, 53), ulps(c, wc, 53))
			a, _ := ws.Float64()
			b, _ := wc.Float64()
			closest = min(closest, math.Abs(a), math.Abs(b))
		}
	}
	t.Logf("%.3f ulp, remainders down to %.3g", worst, closest)
	if worst > 0.8 {
		t.Errorf("%.3f ulp off, at most 0.8 are promised", worst)
	}
	if closest > 1e-18 {
		t.Errorf("the hardest argument is %g from a multiple: the search is broken", closest)
	}
}

// hardArguments returns mantissas m < 2^53 for which m·2^e/(π/2) is closest to an integer. They are
// the denominators of the convergents of 2^e/(π/2).
func hardArguments(e int) []float64 {
	x := new(big.Float).SetPrec(bigBits)
	x.Quo(new(big.Float).SetMantExp(newBig(1), e), bigHalfPi)
	var found []float64
	before, last := big.NewInt(1), big.NewInt(0) // denominators
	limit := new(big.Int).Lsh(big.NewInt(1), 53)
	for {
		a, _ := x.Int(nil)
		m := new(big.Int).Mul(a, last)
		m.Add(m, before)
		if m.Cmp(limit) >= 0 {
			break
		}
		before, last = last, m
		if m.BitLen() > 40 {
			f, _ := new(big.Float).SetInt(m).Float64()
			found = append(found, math.Ldexp(f, e))
		}
		x.Sub(x, new(big.Float).SetPrec(bigBits).SetInt(a))
		x.Quo(newBig(1), x)
	}
	return found
}

// TestSincosSpecial checks zeros, infinities, NaN and other values that random samples do not reach.
func TestSincosSpecial(t *testing.T) {
	t.Run("type=f32", testSincosSpecial[float32])
	t.Run("type=f64", testSincosSpecial[float64])
}

func testSincosSpecial[T Float](t *testing.T) {
	zero := T(0)
	for _, x := range []T{zero, -zero, T(math.Copysign(0, -1))} {
		s, c := sincos(x)
		if bitsOf(s) != bitsOf(x) || c != 1 {
			t.Errorf("sincos(%v) is %v, %v", x, s, c)
		}
	}
	for _, x := range []T{T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1))} {
		if s, c := sincos(x); s == s || c == c {
			t.Errorf("sincos(%v) is %v, %v", x, s, c)
		}
	}
	r := rand.New(rand.NewPCG(8, 8))
	for range samples(100_000) {
		x := pattern[T](r)
		s, c := sincos(x)
		ms, mc := sincos(-x)
		if x == x && s == s && (bitsOf(-s) != bitsOf(ms) || bitsOf(c) != bitsOf(mc)) {
			t.Fatalf("sincos(%v) is %v, %v, that of its negative %v, %v", x, s, c, ms, mc)
		}
	}
}
