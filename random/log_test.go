package random

import (
	"flag"
	"math"
	"math/big"
	"testing"
)

var full = flag.Bool("lanewise.full", false, "long tests at their full length")

var nan = math.NaN()

// exactLog computes log x with 150 bits in big floats. It uses the same reduction as log64
// and the series 2·atanh(s) = 2s·(1 + s²/3 + s⁴/5 + …).
func exactLog(x float64) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(150).SetFloat64(v) }
	series := func(f *big.Float) *big.Float { // log(1+f)
		s := new(big.Float).Quo(f, new(big.Float).Add(f, number(2)))
		z, power, sum := new(big.Float).Mul(s, s), number(1), number(0)
		for k := range 70 {
			sum.Add(sum, new(big.Float).Quo(power, number(float64(2*k+1))))
			power.Mul(power, z)
		}
		return sum.Mul(sum, s).Mul(sum, number(2))
	}
	m, k := math.Frexp(x)
	sum := series(number(1)) // log 2
	sum.Mul(sum, number(float64(k)))
	return sum.Add(sum, series(new(big.Float).Sub(number(m), number(1))))
}

// ulps returns the distance of got from want, in units of the last place of want.
func ulps(got float64, want *big.Float, mantissa int) float64 {
	w, _ := want.Float64()
	if w == 0 {
		return math.Abs(got) * 1e300
	}
	_, e := math.Frexp(w)
	d, _ := new(big.Float).Sub(want, new(big.Float).SetPrec(150).SetFloat64(got)).Float64()
	return math.Abs(d) / math.Ldexp(1, e-mantissa)
}

// TestLogULP checks that the error of the logarithms is less than 1 ulp: near 1, near the borders of
// the reduction, and at random points.
func TestLogULP(t *testing.T) {
	points := 400
	if *full {
		points = 10_000
	}
	worst32, worst64 := 0.0, 0.0
	check := func(u uint64) {
		if x := positive64(u); x != 1 {
			worst64 = max(worst64, ulps(log64(x), exactLog(x), 53))
		}
		if x := positive32(uint32(u >> 32)); x != 1 {
			worst32 = max(worst32, ulps(float64(log32(x)), exactLog(float64(x)), 24))
		}
	}
	for i := range points {
		u := splitMix64(uint64(i))
		check(u)
		check(u >> (i % 53))    // small numbers
		check(^(u >> (i % 60))) // near 1
		check(uint64(0x1p64/math.Sqrt2/float64(uint64(1)<<(i%53))) + u>>12)
	}
	t.Logf("float32 within %.3f ulp, float64 within %.3f", worst32, worst64)
	if worst32 > 1 || worst64 > 1 {
		t.Errorf("float32 is %.3f ulp off, float64 %.3f: want at most 1", worst32, worst64)
	}
	if log32(1) != 0 || log64(1) != 0 {
		t.Errorf("log 1 is %v and %v", log32(1), log64(1))
	}
}

// TestNormalULP compares standard normal numbers with Box and Muller's formula.
func TestNormalULP(t *testing.T) {
	worst32, worst64 := 0.0, 0.0
	for i := range uint64(20_000) {
		r := key.ID(i)
		u, a := positive32(r.word(0)), float64(angle32(r.word(1)))
		root := math.Sqrt(-2 * math.Log(float64(u)))
		_, e := math.Frexp(root)
		worst32 = max(worst32, math.Abs(float64(NormalOf[float32](r, 0, 1))-float64(root*math.Cos(a)))/math.Ldexp(1, e-24))
		u64, a64 := positive64(r.word64(0)), angle64(r.word64(1))
		root = math.Sqrt(-2 * math.Log(u64))
		_, e = math.Frexp(root)
		worst64 = max(worst64, math.Abs(NormalOf[float64](r, 0, 1)-float64(root*math.Cos(a64)))/math.Ldexp(1, e-53))
	}
	t.Logf("in ulps of √(-2 log u): float32 within %.2f, float64 within %.2f", worst32, worst64)
	if worst32 > 2 || worst64 > 2.5 {
		t.Errorf("float32 is %.2f ulps of √(-2 log u) off, float64 %.2f", worst32, worst64)
	}
}

// TestTails checks that the smallest and largest results of each distribution are those that the
// comments state.
func TestTails(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"largest |z| of float32", float64(radius32(0)), 6.5556},
		{"largest |z| of float64", radius64(0), 8.5717},
		{"least |z|", float64(radius32(math.MaxUint32)) + radius64(math.MaxUint64), 0},
		{"longest wait of float32", float64(exponential32(0)), 21.4876},
		{"longest wait of float64", exponential64(0), 36.7368},
		{"shortest wait", float64(exponential32(math.MaxUint32)) + exponential64(math.MaxUint64), 0},
		{"largest float32 below 1", float64(unit32(math.MaxUint32)), 1 - 0x1p-24},
		{"largest float64 below 1", unit64(math.MaxUint64), 1 - 0x1p-53},
		{"smallest", float64(unit32(255)) + unit64(2047), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-4 || c.want < 1 && c.got != c.want || math.Signbit(c.got) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	// A result of Range must be below hi, even if the sum is rounded up.
	for i := range uint64(2000) {
		if x := RangeOf[float32](key.Row(i), 1<<24-2, 1<<24); x >= 1<<24 || x < 1<<24-2 {
			t.Fatalf("row %d: %v is not below its end", i, x)
		}
	}
}
