package kernels

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// A roundedFunction consists of a correctly rounded function, the function of package math, and the hard
// cases from its table.
type roundedFunction struct {
	function[float32]
	math func(float64) float64
	hard hardCases
}

func roundedFunctions() []roundedFunction {
	return []roundedFunction{
		{function[float32]{name: "ExpRounded", one: ExpRounded, oneOf: ExpRoundedOf, tricky: []float64{-104, -103, -87.4, 88.7}}, math.Exp, hardExp},
		{function[float32]{name: "Exp2Rounded", one: Exp2Rounded, oneOf: Exp2RoundedOf, tricky: []float64{-150, -149, -126, 128}}, math.Exp2, hardExp2},
		{function[float32]{name: "Expm1Rounded", one: Expm1Rounded, oneOf: Expm1RoundedOf, tricky: []float64{0x1p-24, -17.4, 88.7}}, math.Expm1, hardExpm1},
		{function[float32]{name: "LogRounded", one: LogRounded, oneOf: LogRoundedOf, tricky: []float64{1}}, math.Log, hardLog},
		{function[float32]{name: "Log1pRounded", one: Log1pRounded, oneOf: Log1pRoundedOf, tricky: []float64{0x1p-24, 0.41421357}}, math.Log1p, hardLog1p},
		{function[float32]{name: "Log2Rounded", one: Log2Rounded, oneOf: Log2RoundedOf, tricky: []float64{1}}, math.Log2, hardLog2},
		{function[float32]{name: "Log10Rounded", one: Log10Rounded, oneOf: Log10RoundedOf, tricky: []float64{1}}, math.Log10, hardLog10},
		{function[float32]{name: "RsqrtRounded", one: RsqrtRounded, oneOf: RsqrtRoundedOf, tricky: []float64{0x1p-140}}, func(x float64) float64 { return 1 / math.Sqrt(x) }, hardRsqrt},
		{function[float32]{name: "SinRounded", one: SinRounded, oneOf: SinRoundedOf, tricky: []float64{0.25, 0.5, 1, 51200, 0x1p20, 0x1p21}}, math.Sin, hardSin},
		{function[float32]{name: "CosRounded", one: CosRounded, oneOf: CosRoundedOf, tricky: []float64{0.25, 0.5, 1, 51200, 0x1p20, 0x1p21}}, math.Cos, hardCos},
		{function[float32]{name: "TanRounded", one: TanRounded, oneOf: TanRoundedOf, tricky: []float64{0.25, 0.5, 1, 51200, 0x1p20, 0x1p21}}, math.Tan, hardTan},
		{function[float32]{name: "AsinRounded", one: AsinRounded, oneOf: AsinRoundedOf, tricky: []float64{0.5, 1, 0x1p-12}}, math.Asin, hardAsin},
		{function[float32]{name: "AcosRounded", one: AcosRounded, oneOf: AcosRoundedOf, tricky: []float64{0.5, 1, 0x1p-25}}, math.Acos, hardAcos},
		{function[float32]{name: "AtanRounded", one: AtanRounded, oneOf: AtanRoundedOf, tricky: []float64{0.33333334, 1, 3, 0x1p-12, 0x1p24}}, math.Atan, hardAtan},
		{function[float32]{name: "SinhRounded", one: SinhRounded, oneOf: SinhRoundedOf, tricky: []float64{0x1p-12, 88.5, 89.4}}, sinh, hardSinh},
		{function[float32]{name: "CoshRounded", one: CoshRounded, oneOf: CoshRoundedOf, tricky: []float64{0x1p-12, 88.5, 89.4}}, math.Cosh, hardCosh},
		{function[float32]{name: "TanhRounded", one: TanhRounded, oneOf: TanhRoundedOf, tricky: []float64{9, 0x1p-13}}, math.Tanh, hardTanh},
		{function[float32]{name: "CbrtRounded", one: CbrtRounded, oneOf: CbrtRoundedOf, tricky: []float64{0x1p-140, 1, 2, 4}}, math.Cbrt, hardCbrt},
		{function[float32]{name: "ErfRounded", one: ErfRounded, oneOf: ErfRoundedOf, tricky: []float64{0x1p-30, 1, 3.9}}, math.Erf, hardErf},
		{function[float32]{name: "ErfcRounded", one: ErfcRounded, oneOf: ErfcRoundedOf, tricky: []float64{0x1p-26, 1, 9.2, 10.05}}, math.Erfc, hardErfc},
	}
}

// roundedTable returns the correctly rounded functions if T is float32, and nothing otherwise.
func roundedTable[T Float]() (all []function[T]) {
	for _, f := range roundedFunctions() {
		if f, ok := any(f.function).(function[T]); ok {
			all = append(all, f)
		}
	}
	for _, f := range []function[float32]{
		{name: "Atan2Rounded", two: Atan2Rounded, twoOf: Atan2RoundedOf, tricky: []float64{0.33333334, 1, 3, 0x1p60, 0x1p-60}},
		{name: "HypotRounded", two: HypotRounded, twoOf: HypotRoundedOf, tricky: []float64{3, 4, 0x1p60, 0x1p-60}},
		{name: "PowRounded", two: PowRounded, twoOf: PowRoundedOf, tricky: []float64{0.25, 0.5, 1, 1.5, 2, 3, 53, 100, 0x1p24, 0x1p-24, 0x1p60}},
	} {
		if f, ok := any(f).(function[T]); ok {
			all = append(all, f)
		}
	}
	return all
}

// TestHypotRounded compares results of HypotRounded with results computed in integers. Many of the sums of squares are the
// square of a midpoint between two float32, so that the even one is the result.
func TestHypotRounded(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		ties := 0
		for range samples(400_000) {
			x, y := uint64(r.IntN(1<<24)), uint64(r.IntN(1<<24))
			if r.IntN(2) == 0 { // a Pythagorean triple, whose hypotenuse may have 25 bits
				m, n := uint64(r.IntN(4096)+1), uint64(r.IntN(4096)+1)
				x, y = max(m, n)*max(m, n)-min(m, n)*min(m, n), 2*m*n
				if x >= 1<<24 || y >= 1<<24 {
					continue
				}
			}
			s := x*x + y*y
			h := uint64(math.Sqrt(float64(s))) // below 2^25, and within one
			for h*h > s {
				h--
			}
			for (h+1)*(h+1) <= s {
				h++
			}
			want := h // for h < 2^24, rounded to the nearest integer multiple of 2^-k
			scale := 0
			for want < 1<<23 && want > 0 { // so that the result has 24 bits
				x, y, s, scale = 2*x, 2*y, 4*s, scale+1
				if h = 2 * h; (h+1)*(h+1) <= s {
					h++
				}
				want = h
			}
			switch {
			case want >= 1<<24: // the last bit is below the float32's
				tie := h&1 == 1 && h*h == s
				if want = h / 2; h&1 == 1 && (!tie || want&1 == 1) {
					want++
				}
				want *= 2
				if tie {
					ties++
				}
			case s-h*h > h: // above (h + ½)², which is no integer
				want++
			}
			fx, fy := float32(math.Ldexp(float64(x), -scale)), float32(math.Ldexp(float64(y), -scale))
			dst := []float32{0}
			HypotRounded(dst, []float32{fx}, []float32{fy})
			if exact := float32(math.Ldexp(float64(want), -scale)); dst[0] != exact {
				t.Fatalf("HypotRounded(%x, %x) is %x, want %x", fx, fy, dst[0], exact)
			}
		}
		if ties < 100 {
			t.Errorf("only %d sums are the square of a midpoint", ties)
		}
	})
}

// A rationalPower is the power x^y with the nearest float32, want. If the power is not a float32, low and high are the
// float32 directly below and above it.
type rationalPower struct{ x, y, want, low, high float32 }

// powerOf returns the power x^y for x = (z·2^e)^(2^g) and y = n/2^g, which is (z·2^e)^n, computed in rational numbers. It returns
// false if x or y is not a float32.
func powerOf(z uint64, e, g, n int) (p rationalPower, ok bool) {
	base := new(big.Rat).SetFloat64(math.Ldexp(float64(z), e))
	x, xOK := rationalPowerOf(base, 1<<g).Float32()
	p.x, p.y = x, float32(math.Ldexp(float64(n), -g))
	if !xOK || x == 0 || x == 1 {
		return p, false
	}
	power := rationalPowerOf(base, n)
	want, exact := power.Float32()
	if p.want = want; exact {
		p.low, p.high = want, want
		return p, true
	}
	p.low = want
	if math.IsInf(float64(want), 0) {
		p.low = math.MaxFloat32
	} else if new(big.Rat).SetFloat64(float64(want)).Cmp(power) > 0 {
		p.low = math.Nextafter32(want, 0)
	}
	p.high = math.Nextafter32(p.low, float32(math.Inf(1)))
	return p, true
}

func rationalPowerOf(x *big.Rat, n int) *big.Rat {
	p := big.NewRat(1, 1)
	for range max(n, -n) {
		p.Mul(p, x)
	}
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// TestPowRounded compares powers with results in rational numbers. A base is an integer or a fraction, and an exponent is a
// multiple of 1, ½, ¼ or ⅛. Some powers are midpoints between two float32, so that the even one is the result. The test also
// calls powExactly directly, because PowRounded needs it for only one row in two hundred thousand.
func TestPowRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var all []rationalPower
	for e := 1; e <= 75; e++ { // 2^-150, which is between 0 and the smallest float32, and its neighbors
		for n := 149 / e; n <= 151/e; n++ {
			for _, s := range []int{1, -1} {
				if p, ok := powerOf(1, -e*s, 0, n*s); ok {
					all = append(all, p)
				}
			}
		}
	}
	for range samples(200_000) {
		g := r.IntN(4)
		z := uint64(r.IntN(1<<(1+r.IntN(24>>g)))) | 1
		e, n := r.IntN(48>>g)-24>>g, r.IntN(61)-30
		if r.IntN(2) == 0 { // so that z^n has about 25 bits
			n = max(1, int(25/math.Log2(float64(z)+1)))
			if r.IntN(4) == 0 { // and the power is below the normal numbers
				e = -(120 + r.IntN(30)) / n
			}
		}
		if p, ok := powerOf(z, e, g, n); ok {
			all = append(all, p)
		}
	}
	x, y, dst := make([]float32, len(all)), make([]float32, len(all)), make([]float32, len(all))
	ties := 0
	for i, p := range all {
		x[i], y[i] = p.x, p.y
		if p.low == p.high {
			continue
		}
		if got := powExactly(p.x, p.y, p.low, p.high); got != p.want {
			t.Errorf("powExactly(%x, %x) is %x, want %x", p.x, p.y, got, p.want)
		}
		if isPower(0.5*(float64(p.low)+float64(p.high)), float64(p.x), float64(p.y)) {
			ties++
		}
	}
	if ties < len(all)/100 {
		t.Errorf("only %d of %d powers are midpoints", ties, len(all))
	}
	eachPath(t, func(t *testing.T) {
		PowRounded(dst, x, y)
		for i, p := range all {
			if dst[i] != p.want {
				t.Errorf("PowRounded(%x, %x) is %x, want %x", p.x, p.y, dst[i], p.want)
			}
		}
	})
}

// TestBounds compares the float64 results that the rounding tests use with the functions of float64 for users, whose errors are below
// 2^-52. docs/decisions/0034-rounding-test.md derives the bounds.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	most, least, angle := 0.0, 0.0, 0.0
	for range samples(2_000_000) {
		x, y := math.Float32frombits(r.Uint32()>>1), math.Float32frombits(r.Uint32())
		if !(x > 0 && x <= math.MaxFloat32) || y != y {
			continue
		}
		if a := atan2Float64(float64(y), float64(x)); a != 0 {
			angle = max(angle, math.Abs(atan2Near(y, x)/math.Abs(a)-1))
		}
		y = float32((278*r.Float64() - 150) / math.Log2(float64(x)))
		if x == 1 {
			continue
		}
		off := powBelow(x, y)/powFloat64(float64(x), float64(y)) - 1
		most, least = max(most, off), min(least, off)
	}
	if !(most == 0 && least < 0 && least >= -0x1p-41) {
		t.Errorf("powBelow is off by %g to %g, want -2^-41 to 0", least, most)
	}
	if !(angle > 0 && angle < 0x1.3p-45) { // 2^-44.8 is 1.15·2^-45
		t.Errorf("atan2Near is off by %g, want 2^-44.8 at most", angle)
	}
	t.Logf("powBelow is off by 2^%.2f at most, atan2Near by 2^%.2f", math.Log2(-least), math.Log2(angle))
}

// TestRounded compares the correctly rounded functions with package math, whose error is below 2^-48. If all numbers within that
// error round to the same float32, the function must return this float32.
func TestRounded(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, f := range roundedFunctions() {
			r := rand.New(rand.NewPCG(11, 12))
			n := samples(400_000)
			x, dst := make([]float32, n), make([]float32, n)
			for i := range x {
				switch i % 4 {
				case 0:
					x[i] = math.Float32frombits(r.Uint32())
				case 1:
					x[i] = float32(f.tricky[r.IntN(len(f.tricky))] * (1 + 0x1p-18*r.NormFloat64()))
				case 2:
					x[i] = float32(4*r.Float64() - 2)
				default:
					x[i] = float32(10 * r.NormFloat64())
				}
			}
			f.one(dst, x)
			decided := 0
			for i := range x {
				y := f.math(float64(x[i]))
				if x[i] != x[i] {
					y = math.NaN() // on s390x, math.Log10(NaN) is -Inf
				}
				low, high := float32(float64(y*(1-0x1p-48))), float32(float64(y*(1+0x1p-48)))
				if low != high || y == 0 {
					continue
				}
				if decided++; dst[i] != low {
					t.Errorf("%s(%x) is %x, want %x", f.name, x[i], dst[i], low)
				}
			}
			if decided < n/5 {
				t.Errorf("%s: only %d of %d results are numbers that package math decides", f.name, decided, n)
			}
		}
	})
}

// sinh returns the hyperbolic sine of x. On s390x, math.Sinh of a large negative number is +Inf.
func sinh(x float64) float64 { return math.Copysign(math.Sinh(math.Abs(x)), x) }

// TestHardCases checks that every path returns the results in the tables of hard cases, and that each of these results is
// one of the two float32 next to the exact result.
func TestHardCases(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, f := range roundedFunctions() {
			if !slices.IsSortedFunc(f.hard, func(a, b [2]uint32) int { return cmp.Compare(a[0], b[0]) }) {
				t.Errorf("%s: the arguments are not sorted", f.name)
			}
			for _, c := range f.hard {
				x, dst := make([]float32, 40), make([]float32, 40)
				for i := range x {
					x[i] = math.Float32frombits(c[0])
				}
				f.one(dst, x)
				for i, y := range dst {
					if math.Float32bits(y) != c[1] {
						t.Fatalf("%s(%x) in row %d is %x, want %x", f.name, x[0], i, y, math.Float32frombits(c[1]))
					}
				}
				y, want := f.math(float64(x[0])), math.Float32frombits(c[1])
				if math.Abs(float64(want)-y) > 0.501*float64(math.Nextafter32(float32(math.Abs(float64(want))), 1000)-float32(math.Abs(float64(want)))) && math.Abs(y) > 0x1p-125 {
					t.Errorf("%s(%x): %x is more than half a unit from %x", f.name, x[0], want, y)
				}
			}
		}
	})
}
