package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The bounds of Kepler's results are measured and rounded up.
const (
	keplerULP32 = 3.5
	keplerULP64 = 3
)

// bigKepler refines the approximate solution E by Newton's method until it has 150 correct bits.
func bigKepler(E, M, e float64) *big.Float {
	const prec = 220
	set := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	x, ecc, one := set(E), set(e), set(1)
	// Subtract whole turns from M.
	turn := new(big.Float).SetMantExp(bigHalfPi, 2)
	k, _ := new(big.Float).SetPrec(bigBits).Quo(newBig(M), turn).Float64()
	m := new(big.Float).SetPrec(bigBits).Mul(newBig(math.Round(k)), turn)
	m.Sub(newBig(M), m)
	if new(big.Float).Sub(m, x).MantExp(nil) >= 3 { // m and E are on different sides of half a turn
		m.Sub(m, turn.Mul(turn, newBig(float64(m.Sign()))))
	}
	for range 100 {
		s, c := bigSincos(x)
		f := new(big.Float).SetPrec(prec).Mul(ecc, s)
		f.Sub(x, f)
		f.Sub(f, m)
		f1 := new(big.Float).SetPrec(prec).Mul(ecc, c)
		f1.Sub(one, f1)
		f.Quo(f, f1)
		x.Sub(x, f)
		if f.Sign() == 0 || f.MantExp(nil) < x.MantExp(nil)-150 {
			return x
		}
	}
	panic("Newton's method does not end")
}

// eachOrbit yields anomalies and eccentricities of every kind, including nearly parabolic orbits.
func eachOrbit(n int, yield func(M, e float64)) {
	r := rand.New(rand.NewPCG(9, 9))
	for i := range n {
		M := r.Float64() * math.Pi
		switch i % 5 {
		case 1:
			M = math.Pi * math.Exp2(-60*r.Float64())
		case 2:
			M = math.Pi * (1 - math.Exp2(-30*r.Float64()))
		case 3:
			M = math.Exp2(40 * r.Float64())
		}
		e := r.Float64()
		switch i / 5 % 4 {
		case 1:
			e = 1 - math.Exp2(-53*r.Float64())
		case 2:
			e = []float64{0, 0x1p-1074, 1e-300, 0.5, 0.97, 0.999999, 1 - 0x1p-53}[i/20%7]
		}
		if i%2 == 0 {
			M = -M
		}
		yield(M, min(e, 1-0x1p-53))
	}
}

func TestKeplerULP64(t *testing.T) {
	worst := 0.0
	eachOrbit(samples(20_000), func(M, e float64) {
		E := []float64{0}
		Kepler(E, []float64{M}, []float64{e})
		if got := ulps(E[0], bigKepler(E[0], M, e), 53); got > worst {
			worst = got
			if worst > keplerULP64 {
				t.Errorf("Kepler(%v, %v) is %v, %.3f ulp off", M, e, E[0], got)
			}
		}
	})
	t.Logf("%.3f ulp", worst)
}

func TestKeplerULP32(t *testing.T) {
	worst := 0.0
	eachOrbit(samples(400_000), func(M, e float64) {
		m, ecc := float32(M), min(float32(e), 1-0x1p-24)
		if m == 0 {
			return
		}
		E, want := []float32{0}, []float64{0}
		Kepler(E, []float32{m}, []float32{ecc})
		Kepler(want, []float64{float64(m)}, []float64{float64(ecc)})
		if math.Abs(want[0]-float64(E[0])) > 3 { // half a turn has two solutions
			want[0] += math.Copysign(2*math.Pi, float64(E[0]))
		}
		if got := ulps32(E[0], want[0]); got > worst {
			worst = got
			if worst > keplerULP32 {
				t.Errorf("Kepler(%v, %v) is %v, want %v: %.3f ulp off", m, ecc, E[0], want[0], got)
			}
		}
	})
	t.Logf("%.3f ulp", worst)
}

func TestKeplerSpecial(t *testing.T) {
	t.Run("type=f32", testKeplerSpecial[float32])
	t.Run("type=f64", testKeplerSpecial[float64])
}

func testKeplerSpecial[T Float](t *testing.T) {
	nan, inf, minusZero := T(math.NaN()), T(math.Inf(1)), T(math.Copysign(0, -1))
	solve := func(M, e T) T {
		E := []T{0}
		Kepler(E, []T{M}, []T{e})
		return E[0]
	}
	for _, c := range []struct{ M, e, want T }{
		{0, 0, 0}, {0, 0.5, 0}, {minusZero, 0.5, minusZero}, {minusZero, 0, minusZero},
		{1, 0, 1}, {-1, 0, -1}, {1, minusZero, 1},
		{1, 1, nan}, {1, -0.1, nan}, {1, nan, nan}, {1, inf, nan}, {1, -inf, nan}, {1, 1.5, nan},
		{nan, 0.5, nan}, {inf, 0.5, nan}, {-inf, 0.5, nan}, {0, 1, nan},
	} {
		if got := solve(c.M, c.e); bitsOf(got) != bitsOf(c.want) && (got == got || c.want == c.want) {
			t.Errorf("Kepler(%v, %v) is %v, want %v", c.M, c.e, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(10, 10))
	for range samples(20_000) {
		M, e := pattern[T](r), T(r.Float64())
		plus, minus := solve(M, e), solve(-M, e)
		if plus == plus && bitsOf(plus) != bitsOf(-minus) {
			t.Fatalf("Kepler(%v, %v) is %v, that of its negative %v", M, e, plus, minus)
		}
		if (plus != plus) != (M-M != 0 || !(e < 1)) {
			t.Fatalf("Kepler(%v, %v) is %v", M, e, plus)
		}
	}
}
