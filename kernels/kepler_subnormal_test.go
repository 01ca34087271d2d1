package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestKeplerSubnormal compares every path with M/(1-e) for anomalies that are subnormal, minimal, or
// slightly larger. The quotient is rounded to the number of bits that a subnormal number of its size
// has. It is the exact solution, because the sine of a number so close to zero equals the number to
// more than 150 bits.
func TestKeplerSubnormal(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		t.Run("type=f32", testKeplerSubnormal[float32])
		t.Run("type=f64", testKeplerSubnormal[float64])
	})
}

func testKeplerSubnormal[T Float](t *testing.T) {
	normal, bits, bound := math.Float64frombits(1<<52), 53, float64(keplerULP64)
	if single[T]() {
		normal, bits, bound = 0x1p-126, 24, keplerULP32
	}
	least := math.Ldexp(normal, 1-bits)
	M, e := []T{T(1.198173e-318), T(least), T(normal), 1}, []T{0.9999999999974714, T(1 - math.Ldexp(1, -bits)), 0.5, 0.9}
	if single[T]() {
		e[0] = 0.99999994
	}
	r := rand.New(rand.NewPCG(14, 14))
	for range samples(3000) {
		m := T(math.Ldexp(1+r.Float64(), int(math.Log2(normal))-bits+r.IntN(bits+30)))
		switch r.IntN(4) {
		case 0:
			m = T(normal + least*float64(r.IntN(17)-8))
		case 1:
			m = T(least * float64(1+r.IntN(17)))
		}
		g := T(math.Ldexp(1+r.Float64(), -1-r.IntN(bits)))
		if r.IntN(8) == 0 {
			m = T(math.Ldexp(float64(m), bits+60)) // an ordinary number as a neighbour in the vector
		}
		M, e = append(M, m, -m), append(e, max(0, 1-g), max(0, 1-g))
	}
	E := make([]T, len(M))
	Kepler(E, M, e)
	worst := 0.0
	for i := range E {
		if math.Abs(float64(M[i])) > math.Ldexp(normal, 30) {
			continue // the ordinary neighbour
		}
		want := newBig(float64(M[i]))
		want.Quo(want, new(big.Float).Sub(newBig(1), newBig(float64(e[i]))))
		ulp := math.Ldexp(1, want.MantExp(nil)-bits)
		if x := math.Ldexp(normal, 1-bits); ulp < x {
			ulp = x
		}
		d, _ := new(big.Float).Sub(newBig(float64(E[i])), want).Float64()
		got := math.Abs(d) / ulp
		worst = max(worst, got)
		if got > bound {
			w, _ := want.Float64()
			t.Fatalf("Kepler(%v, %v) is %v, want %v: %.3g ulp off", M[i], e[i], E[i], w, got)
		}
	}
	t.Logf("%.3f ulp", worst)
	keplerSides(t, M, e)
	for _, n := range []int{1, 3, 4, 7, 17, 65} { // lengths with every tail
		keplerSides(t, M[:n], e[:n])
	}
}
