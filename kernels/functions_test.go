package kernels

import (
	"math/rand/v2"
	"testing"
)

// A function describes a kernel such as Exp by two Go functions: the version for slices and the
// version for one number.
type function[T Float] struct {
	name   string
	one    func(dst, x []T)
	oneOf  func(x T) T
	two    func(dst, x, y []T)
	twoOf  func(x, y T) T
	tricky []float64 // arguments close to the branches of the function
}

func functionTable[T Float]() []function[T] {
	return append([]function[T]{
		{name: "Floor", one: Floor[T], oneOf: FloorOf[T]},
		{name: "Ceil", one: Ceil[T], oneOf: CeilOf[T]},
		{name: "Trunc", one: Trunc[T], oneOf: TruncOf[T]},
		{name: "Round", one: Round[T], oneOf: RoundOf[T], tricky: []float64{0.5, 1.5, 2.5, 0x1p22 + 0.5, 0x1p52 - 0.5}},
		{name: "Fract", one: Fract[T], oneOf: FractOf[T]},
		{name: "CopySign", two: CopySign[T], twoOf: CopySignOf[T]},
		{name: "Mod", two: Mod[T], twoOf: ModOf[T], tricky: []float64{0x1p29, 0x1p53, 0x1p60, 0x1p-100, 3, 7}},
		{name: "Rsqrt", one: Rsqrt[T], oneOf: RsqrtOf[T]},
		{name: "Exp", one: Exp[T], oneOf: ExpOf[T]},
		{name: "Exp2", one: Exp2[T], oneOf: Exp2Of[T]},
		{name: "Expm1", one: Expm1[T], oneOf: Expm1Of[T]},
		{name: "Log", one: Log[T], oneOf: LogOf[T]},
		{name: "Log1p", one: Log1p[T], oneOf: Log1pOf[T]},
		{name: "Log2", one: Log2[T], oneOf: Log2Of[T]},
		{name: "Log10", one: Log10[T], oneOf: Log10Of[T]},
		{name: "Sin", one: Sin[T], oneOf: SinOf[T], tricky: []float64{0.25, 0.5, 1, 51200, 12800, 0x1p20}},
		{name: "Cos", one: Cos[T], oneOf: CosOf[T], tricky: []float64{0.25, 0.5, 1, 51200, 12800, 0x1p20}},
		{name: "Tan", one: Tan[T], oneOf: TanOf[T], tricky: []float64{0.25, 0.5, 1, 51200, 12800, 0x1p20}},
		{name: "Atan", one: Atan[T], oneOf: AtanOf[T], tricky: []float64{0.25, 0.5, 1, 51200, 12800, 0x1p20}},
		{name: "Atan2", two: Atan2[T], twoOf: Atan2Of[T], tricky: []float64{1, 1.5, 2, 0x1p60}},
		{name: "Asin", one: Asin[T], oneOf: AsinOf[T], tricky: []float64{0.25, 0.5, 1, 51200, 12800, 0x1p20}},
		{name: "Acos", one: Acos[T], oneOf: AcosOf[T], tricky: []float64{0.25, 0.5, 1, 51200, 12800, 0x1p20}},
		{name: "Sinh", one: Sinh[T], oneOf: SinhOf[T], tricky: []float64{0.35, 1, 2, 4, 22, 90, 710}},
		{name: "Cosh", one: Cosh[T], oneOf: CoshOf[T], tricky: []float64{0.35, 1, 2, 4, 22, 90, 710}},
		{name: "Tanh", one: Tanh[T], oneOf: TanhOf[T], tricky: []float64{0.35, 1, 2, 4, 22, 90, 710}},
		{name: "Cbrt", one: Cbrt[T], oneOf: CbrtOf[T], tricky: []float64{0.35, 1, 2, 4, 22, 90, 710}},
		{name: "Erf", one: Erf[T], oneOf: ErfOf[T], tricky: []float64{0x1p-30, 0.5, 1, 3.875, 5.95, 100}},
		{name: "Erfc", one: Erfc[T], oneOf: ErfcOf[T], tricky: []float64{0x1p-30, 0.5, 1, 3.875, 9.2, 10.05, 26.55, 27.22, 100}},
		{name: "NormalCDF", one: NormalCDF[T], oneOf: NormalCDFOf[T], tricky: []float64{0x1p-30, 0.5, 1, 5, 8.3, 14.2, 37.5, 38.5, 100}},
		{name: "NormalQuantile", one: NormalQuantile[T], oneOf: NormalQuantileOf[T], tricky: []float64{0x1p-1000, 0x1p-120, 0x1p-30, 0.25, 0.5, 0.75, 1}},
		{name: "Sinc", one: Sinc[T], oneOf: SincOf[T], tricky: []float64{0x1p-30, 0.5, 1, 1.5, 2, 100, 0x1p22, 0x1p51, 0x1p52, 0x1p53}},
		{name: "Lgamma", one: Lgamma[T], oneOf: LgammaOf[T], tricky: []float64{0x1p-1000, 0x1p-30, 0.3, 0.75, 1, 1.3, 1.75, 2, 2.4, 2.457, 3, 3.3, 30, 0x1p52, 0x1p600, 2.5e305}},
		{name: "J0", one: J0[T], oneOf: J0Of[T], tricky: []float64{0x1p-30, 1.45, 2.404825557695773, 3.15, 4.6, 6.4, 7.85, 100, 25600, 0x1p30, 0x1p300}},
		{name: "J1", one: J1[T], oneOf: J1Of[T], tricky: []float64{0x1p-30, 1.2, 2.8, 3.8317059702075125, 4.65, 6.1, 7.85, 100, 25600, 0x1p30, 0x1p300}},
		{name: "Pow", two: Pow[T], twoOf: PowOf[T], tricky: []float64{0.5, 1, 2, 3, 53, 100, 0x1p20, 0x1p53, 0x1p60}},
		{name: "Hypot", two: Hypot[T], twoOf: HypotOf[T], tricky: []float64{0x1p60, 0x1p-60, 0x1p100}},
	}, roundedTable[T]()...)
}

// run calls the version for slices. Functions of one argument use x only.
func (f *function[T]) run(dst, x, y []T) {
	if f.one != nil {
		f.one(dst, x)
		return
	}
	f.two(dst, x, y)
}

func (f *function[T]) of(x, y T) T {
	if f.one != nil {
		return f.oneOf(x)
	}
	return f.twoOf(x, y)
}

// TestScalars checks that the version for one number returns exactly the same result as the version
// for slices.
func TestScalars(t *testing.T) { testEach(t, testScalars[float32], testScalars[float64]) }

func testScalars[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range functionTable[T]() {
		const n = 1000
		x, y, dst, want := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = pattern[T](r), pattern[T](r)
			switch {
			case i < n/4:
				x[i], y[i] = T(r.NormFloat64()), T(r.NormFloat64())
			case i < n/2:
				x[i], y[i] = T(100*r.NormFloat64()), T(100*r.NormFloat64())
			case i < n*3/4 && len(f.tricky) > 0:
				x[i] = T(f.tricky[r.IntN(len(f.tricky))] * (1 + 0x1p-20*r.NormFloat64()))
				if r.IntN(2) == 0 {
					x[i] = -x[i]
				}
				if r.IntN(2) == 0 {
					y[i] = T(f.tricky[r.IntN(len(f.tricky))])
				}
			}
			want[i] = f.of(x[i], y[i])
		}
		f.run(dst, x, y)
		if err := sameBits(dst, want); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}

// TestFunctionValues compares the special values of each function with Annex F of the C standard.
func TestFunctionValues(t *testing.T) {
	testEach(t, testFunctionValues[float32], testFunctionValues[float64])
}

func testFunctionValues[T Float](t *testing.T) {
	tiny, huge := 0x1p-149, 0x1.fffffep127
	if !single[T]() {
		tiny, huge = 0x1p-1074, 0x1.fffffffffffffp1023
	}
	functions := map[string]function[T]{}
	for _, f := range functionTable[T]() {
		functions[f.name] = f
	}
	for _, c := range specialValues(tiny, huge) {
		f, ok := functions[c.name]
		if !ok {
			t.Fatalf("no function %s", c.name)
		}
		dst, x, y, want := make([]T, 33), make([]T, 33), make([]T, 33), make([]T, 33)
		for i := range dst {
			x[i], y[i], want[i] = T(c.x), T(c.y), T(c.want)
		}
		f.run(dst, x, y)
		if err := sameBits(dst, want); err != nil {
			t.Errorf("%s of %v and %v: %v", c.name, c.x, c.y, err)
		}
		if f, ok := functions[c.name+"Rounded"]; ok {
			f.run(dst, x, y)
			if err := sameBits(dst, want); err != nil {
				t.Errorf("%s of %v and %v: %v", f.name, c.x, c.y, err)
			}
		}
	}
}

// A special is an argument of a function, and the value that the function must return for it.
type special struct {
	name       string
	x, y, want float64
}

// TestExpm1OfLarge checks arguments for which 2^-n is half a unit in the last place of 1. Expm1
// subtracts 2^-n from e^r, so a rounding error is visible for these arguments.
func TestExpm1OfLarge(t *testing.T) {
	for x, want := range map[float64]float64{0x1.28c1ec61cbf7fp+5: 0x1.6e288cb7c7ae7p+53, 0x1.2b4b6cc19b459p+5: 0x1.f6ce76cc7b869p+53} {
		if got := Expm1Of(x); got != want {
			t.Errorf("Expm1Of(%x) is %x, want %x", x, got, want)
		}
	}
}

// TestFractOfProducts checks the fraction of a rounded product. A CPU with fused instructions must not
// fuse the product with the subtraction, because then the product would not be rounded.
func TestFractOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 1000 {
		a, b := 100*r.NormFloat64(), r.NormFloat64()
		if got, want := FractOf(a*b), FractOf(float64(a*b)); got != want {
			t.Fatalf("FractOf(%v*%v) is %v, want %v", a, b, got, want)
		}
		if a, b := float32(a), float32(b); FractOf(a*b) != FractOf(float32(a*b)) {
			t.Fatalf("FractOf(%v*%v) is %v, want %v", a, b, FractOf(a*b), FractOf(float32(a*b)))
		}
	}
}
