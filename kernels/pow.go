package kernels

import "math"

// This file has powers: x to the power of y is 2^(y·log₂|x|), and |x| is (1+f)·2^k as in log.go.
// The logarithm of 1+f is 2 artanh s with s = f/(2+f). It is computed as s·w·⅔ with w = 3 + s² + ….
// The functions for float64 use exact products of parts with 26 bits.

// Pow sets dst[i] to x[i] to the power of y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. The result is 1 where
// y[i] is ±0 or x[i] is 1, even if the other operand is NaN; it is also 1 where
// x[i] is -1 and y[i] is ±Inf. It is NaN where x[i] is finite and negative, and
// y[i] is finite but not an integer. For an odd integer y[i] the result has the
// sign of x[i], also for ±0 and ±Inf.
// It panics if the lengths differ. It does not allocate.
func powGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = PowOf(x[i], y[i])
	}
}

// PowOf returns x to the power of y.
// The result has the same bits as that of [Pow].
func PowOf[T Float](x, y T) T {
	var f T
	if single[T]() {
		f = T(powFloat32(float32(x), float32(y)))
	} else {
		f = T(powFloat64(float64(x), float64(y)))
	}
	return f
}

func powFloat32(x, y float32) float32 {
	a := math.Abs(float64(x))
	l := nearLog2(a)
	if a == 0 {
		l = math.Float64frombits(0xfff << 52)
	}
	if a > math.MaxFloat32 {
		l = a
	}
	b := lesser(0x1p40, greater(-0x1p40, float64(y))) // a larger exponent changes nothing: the power is 0, 1 or Inf
	p := nearPower(lesser(130, greater(-152, float64(b*l))))
	return float32(powSpecial(p, float64(x), float64(y)))
}

// nearLog2 returns log₂ x with a relative error of at most 2^-37.
func nearLog2(x float64) float64 {
	k, f := splitNormal(x)
	s := f / (2 + f)
	z := float64(s * s)
	p := 0x1.a58d70564bd3dp-02 + float64(0x1.5cea2f344571ap-02*z)
	p = 0x1.27778019d5c2dp-01 + float64(p*z)
	p = 0x1.ec709d1291a64p-01 + float64(p*z)
	p = 0x1.71547652bee21p+01 + float64(p*z)
	return k + float64(s*p) // 2^-37.8
}

// powSpecial returns x to the power of y, where p is |x| to the power of y. It corrects
// p for the sign of x and for special values of x and y.
func powSpecial(p, x, y float64) float64 {
	whole := math.Floor(y)
	h := float64(0.5 * y)
	if whole == y && math.Floor(h) != h {
		p = signOf64(p, x)
	}
	if whole != y && x < 0 && x >= -math.MaxFloat64 {
		p = math.Float64frombits(0x7ff8 << 48)
	}
	if x != x || y != y {
		p = math.Float64frombits(0x7ff8 << 48)
	}
	if y == 0 || x == 1 {
		p = 1
	}
	return p
}

// upperBits returns a without its lower 27 bits. The product of two such numbers is exact.
func upperBits(a float64) float64 {
	return math.Float64frombits(math.Float64bits(a) &^ (1<<27 - 1))
}

func powFloat64(x, y float64) float64 {
	a := math.Abs(x)
	high, low := log2Parts(a)
	b := lesser(0x1p65, greater(-0x1p65, y)) // a larger exponent changes nothing: the power is 0, 1 or Inf
	bHigh := upperBits(b)
	t := float64(bHigh * high)
	rest := float64((b-bHigh)*high) + float64(b*low)
	far := math.Float64frombits(math.Float64bits(2000) | math.Float64bits(y)&(1<<63))
	if a == 0 {
		t = -far
	}
	if a > math.MaxFloat64 {
		t = far
	}
	near := lesser(1100, greater(-1100, t))
	if near != t {
		rest = 0
	}
	n := (near + roundInt64) - roundInt64
	r := near - n
	g := r + rest
	gHigh := upperBits(g)
	e := float64(gHigh * ln2High)
	lost := float64(((r-gHigh)+rest)*ln2) + float64(gHigh*ln2Low)
	u := e + lost
	s := 1 + e
	p := timesPower(s+(((1-s)+e)+(lost+float64(float64(u*u)*expTail(u)))), n)
	return powSpecial(p, x, y)
}

// log2Parts returns log₂ x in two parts, whose sum has an error of up to 2^-66, for 0 <
// x < Inf. The first part has 26 bits.
func log2Parts(x float64) (float64, float64) {
	k, f := splitPositive(x)
	d := 2 + f
	inverse := 1 / d
	s := float64(f * inverse)
	sHigh, dHigh := upperBits(s), upperBits(d)
	sLow := float64(((f - float64(sHigh*dHigh)) - float64(sHigh*(f-(dHigh-2)))) * inverse)
	z := float64(s * s)
	zHigh, zLow := float64(sHigh*sHigh), float64(sLow*(s+sHigh))
	p := 0x1.669d1ed640decp-03 + float64(0x1.709b87511f459p-03*z)
	p = 0x1.99b187e65045cp-03 + float64(p*z)
	p = 0x1.d89d10f52dd79p-03 + float64(p*z)
	p = 0x1.1745d22b95382p-02 + float64(p*z)
	p = 0x1.55555554141bp-02 + float64(p*z)
	p = 0x1.b6db6db6dc91dp-02 + float64(p*z)
	p = 0x1.333333333333p-01 + float64(p*z)
	p = zLow + float64(float64(z*z)*p) // 2^-71.9
	w := upperBits((3 + zHigh) + p)
	wLow := p - ((w - 3) - zHigh)
	u := float64(sHigh * w)
	v := float64(sLow*w) + float64(s*wLow)
	high := upperBits(u + v)
	low := v - (high - u)
	h := float64(high * twoThirdsLog2EHigh)
	l := float64(high*twoThirdsLog2ELow) + float64(low*twoThirdsLog2E)
	sum := upperBits((k + h) + l)
	return sum, l - ((sum - k) - h)
}
