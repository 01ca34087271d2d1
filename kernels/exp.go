package kernels

import "math"

// This file has powers of e and 2. The argument is split into an integer n, in units of ln 2 or 1,
// and a remainder r. A polynomial computes e^r or 2^r, and 2^n is assembled from bits. Expm1 of
// float32 is computed in float64, so that nearly all of the error comes from the rounding at the
// end. Package internal/minimax computed the polynomials of float32; the comment after each
// polynomial has its largest error relative to the function. The polynomials of Exp and Exp2 are
// sums of pairs, because a long chain of dependent operations took more time than the operations
// themselves.

// Exp sets dst[i] to e to the power of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 1.0 for float32. -Inf gives +0. +Inf
// gives +Inf, and so does an x whose result is too large.
// It panics if the lengths differ. It does not allocate.
func expGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ExpOf(x[i])
	}
}

// ExpOf returns e to the power of x.
// The result has the same bits as that of [Exp].
func ExpOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(expFloat32(float32(x)))
	} else {
		f = T(expFloat64(float64(x)))
	}
	return f
}

// expFloat32 adds the powers of r and the rounding error of r first, and adds 1 last,
// because a sum of small terms has smaller rounding errors. The difference x - n·ln2A
// has no rounding error.
func expFloat32(x float32) float32 {
	x = lesser(89, greater(-104.5, x))
	f := float32(x*log2E32) + roundPower32
	n := f - roundPower32
	high, low := x-float32(n*ln2A32), float32(n*ln2B32)
	r := high - low
	z := float32(r * r)
	p := 0x1.fffffcp-02 + float32(0x1.555492p-03*r)
	q := (0x1.5558aep-05 + float32(0x1.123988p-07*r)) + float32(0x1.6a4f88p-10*z) // 2^-28.3
	return timesPower32(1+(high+(float32(z*(p+float32(q*z)))-low)), f)
}

// timesPower32 returns y·2^n for an integer n, given f = n + roundPower32. It
// multiplies y by the powers of both halves of n. The result is rounded once,
// because the first product is a normal number.
func timesPower32(y, f float32) float32 {
	b := math.Float32bits(f)
	h := b >> 1
	y = float32(y * math.Float32frombits(h<<23))
	return float32(y * math.Float32frombits((b-h)<<23))
}

// nearPower returns 2^t with a relative error of up to 2^-29, if the result is a normal float64.
func nearPower(t float64) float64 {
	f := t + roundInt64
	r := t - (f - roundInt64)
	p := 0x1.5f47b0ab2f19dp-10 + float64(0x1.44902c845da99p-13*r)
	p = 0x1.3b29a95bd588ap-7 + float64(p*r)
	p = 0x1.c6aecf7071c3cp-5 + float64(p*r)
	p = 0x1.ebfbe0d8b84b4p-3 + float64(p*r)
	p = 0x1.62e430cc41e57p-1 + float64(p*r)
	p = 1 + float64(p*r) // 2^-29.0
	return math.Float64frombits(math.Float64bits(p) + math.Float64bits(f)<<52)
}

func expFloat64(x float64) float64 {
	x = lesser(710, greater(-746, x))
	f := float64(x*log2E) + roundPower64
	n := f - roundPower64
	high, low := x-float64(n*ln2A), float64(n*ln2B)
	r := high - low
	z := float64(r * r)
	w := float64(z * z)
	p := (0.5 + float64(0x1.5555555555559p-3*r)) + float64((0x1.555555555555ap-5+float64(0x1.111111110f647p-7*r))*z)
	q := (0x1.6c16c16c143a4p-10 + float64(0x1.a01a01b01376cp-13*r)) + float64((0x1.a01a01b0e9a0ap-16+float64(0x1.71ddf7d2c6039p-19*r))*z)
	t := 0x1.27e4c53800e89p-22 + float64(0x1.af5fb319ebbcdp-26*r)
	t += float64(0x1.1f960284b72ecp-29 * z)
	return timesRounded(1+(high+(float64(z*((p+float64(q*w))+float64(t*float64(w*w))))-low)), f)
}

// lessLn2 returns a whole number n, and x - n·ln 2 in two parts.
func lessLn2(x float64) (float64, float64, float64) {
	n := (float64(x*log2E) + roundInt64) - roundInt64
	high, low := x-float64(n*ln2A), float64(n*ln2B)
	r := high - low
	return n, r, (high - r) - low
}

// expTail returns (e^r - 1 - r)/r² for |r| ≤ ln 2/2.
func expTail(r float64) float64 { return 0.5 + float64(r*expTail3(r)) }

// expTail3 returns (e^r - 1 - r - r²/2)/r³.
func expTail3(r float64) float64 {
	p := 0x1.af5fb319ebbcdp-26 + float64(0x1.1f960284b72ecp-29*r)
	p = 0x1.27e4c53800e89p-22 + float64(p*r)
	p = 0x1.71ddf7d2c6039p-19 + float64(p*r)
	p = 0x1.a01a01b0e9a0ap-16 + float64(p*r)
	p = 0x1.a01a01b01376cp-13 + float64(p*r)
	p = 0x1.6c16c16c143a4p-10 + float64(p*r)
	p = 0x1.111111110f647p-7 + float64(p*r)
	p = 0x1.555555555555ap-5 + float64(p*r)
	p = 0x1.5555555555559p-3 + float64(p*r)
	return p // 2^-61.1
}

// timesPower returns y·2^n for whole n. If the result is not a normal number, it is still rounded
// only once, because the product with the first half of n is a normal number.
func timesPower(y, n float64) float64 { return timesRounded(y, n+roundPower64) }

// timesRounded does the work of timesPower for f = n + roundPower64.
func timesRounded(y, f float64) float64 {
	b := math.Float64bits(f)
	h := b >> 1
	y = float64(y * math.Float64frombits(h<<52))
	return float64(y * math.Float64frombits((b-h)<<52))
}

// Exp2 sets dst[i] to 2 to the power of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 1.0 ulp for float64, 0.9 for float32, exact for whole numbers.
// -Inf gives +0. +Inf gives +Inf, and so does an x whose result is too large.
// It panics if the lengths differ. It does not allocate.
func exp2Generic[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Exp2Of(x[i])
	}
}

// Exp2Of returns 2 to the power of x.
// The result has the same bits as that of [Exp2].
func Exp2Of[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(exp2Float32(float32(x)))
	} else {
		f = T(exp2Float64(float64(x)))
	}
	return f
}

// exp2Float32 splits r·ln 2 into r/2, which is exact, and r·(ln 2 - ½).
func exp2Float32(x float32) float32 {
	x = lesser(129, greater(-151, x))
	f := x + roundPower32
	r := x - (f - roundPower32)
	z := float32(r * r)
	p := (ln232 - 0.5) + float32(0x1.ebfbdcp-03*r)
	q := (0x1.c6af8ap-05 + float32(0x1.3b2deap-07*r)) + float32(z*(0x1.5f02fep-10+float32(0x1.416024p-13*r))) // 2^-28.3
	return timesPower32(1+(float32(0.5*r)+float32(r*(p+float32(q*z)))), f)
}

func exp2Float64(x float64) float64 {
	x = lesser(1025, greater(-1076, x))
	f := x + roundPower64
	r := x - (f - roundPower64)
	z := float64(r * r)
	w := float64(z * z)
	p := ((ln2 - 0.5) + float64(0x1.ebfbdff82c5a0p-3*r)) + float64(z*(0x1.c6b08d704a14dp-5+float64(0x1.3b2ab6fba0946p-7*r)))
	q := (0x1.5d87fe78945d5p-10 + float64(0x1.4309130d9280ep-13*r)) + float64(z*(0x1.ffcbfca4017d8p-17+float64(0x1.62bfca419f49bp-20*r)))
	t := 0x1.b524923c37dd3p-24 + float64(0x1.e6176911fd201p-28*r)
	t += float64(0x1.ea5cfc14bc978p-32 * z) // 2^-57.4
	return timesRounded(1+(float64(0.5*r)+float64(r*((p+float64(q*w))+float64(t*float64(w*w))))), f)
}

// Expm1 sets dst[i] to e to the power of x[i], less 1, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32, for small x too. ±0 gives ±0, and -Inf
// gives -1. +Inf gives +Inf, and so does an x whose result is too large.
// It panics if the lengths differ. It does not allocate.
func expm1Generic[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Expm1Of(x[i])
	}
}

// Expm1Of returns e to the power of x, less 1.
// The result has the same bits as that of [Expm1].
func Expm1Of[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(expm1Float32(float32(x)))
	} else {
		f = T(expm1Float64(float64(x)))
	}
	return f
}

func expm1Float32(x float32) float32 {
	return signOf32(float32(nearPowerLess1(lesser(90, greater(-30, float64(x))))), x)
}

// nearPowerLess1 returns e^x - 1 with a relative error of up to 2^-31, if the result is a normal
// float64.
func nearPowerLess1(x float64) float64 {
	f := float64(x*log2E) + roundInt64
	n := f - roundInt64
	r := (x - float64(n*ln2A)) - float64(n*ln2B)
	p := 0x1.6d75db1ebb482p-10 + float64(0x1.a1a3423913294p-13*r)
	p = 0x1.11108e4e29e43p-7 + float64(p*r)
	p = 0x1.5554ac8dd6541p-5 + float64(p*r)
	p = 0x1.55555589dc885p-3 + float64(p*r)
	p = 0x1.0000002851a20p-1 + float64(p*r)
	p = r + float64(float64(r*r)*p) // 2^-32.0
	s := math.Float64frombits(math.Float64bits(1) + math.Float64bits(f)<<52)
	return float64(s*p) + (s - 1)
}

// expm1Float64 subtracts the 1 from e^r before it multiplies by 2^n.
func expm1Float64(x float64) float64 {
	n, r, rest := lessLn2(lesser(710, greater(-40, x)))
	power := math.Float64frombits(math.Float64bits((roundInt64+1023)-lesser(1000, n)) << 52)
	one := 1 - power
	rest += (1 - one) - power // the rounding error of one if n is 54 or a little more
	s := one + r
	c := upperBits(r) // half of its square has no error
	h := float64(0.5 * float64(c*c))
	u := s + h
	rest += float64(0.5*float64((r-c)*(r+c))) + float64(r*float64(float64(r*r)*expTail3(r)))
	y := timesPower(u+(((s-u)+h)+(((one-s)+r)+rest)), n)
	return signOf64(y, x)
}

// signOf32 returns y with the sign of x. The signs of y and x can differ only if y is zero.
func signOf32(y, x float32) float32 {
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&(1<<31))
}

func signOf64(y, x float64) float64 {
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&(1<<63))
}
