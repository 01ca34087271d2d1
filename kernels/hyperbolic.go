package kernels

import "math"

// For the hyperbolic functions, |x| is split into n·ln 2 + r. The functions of r are short
// series, and the functions of n·ln 2 are sums of powers of two. The addition formulas combine
// them. The functions for float32 compute in float64. All polynomials come from Remez
// exchange; the comment after each polynomial has its largest error relative to the function.

// Sinh sets dst[i] to the hyperbolic sine of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. ±0 and ±Inf give themselves. An x whose
// result is too large gives ±Inf.
// It panics if the lengths differ. It does not allocate.
func sinhGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = SinhOf(x[i])
	}
}

// SinhOf returns the hyperbolic sine of x.
// The result has the same bits as that of [Sinh].
func SinhOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(sinhFloat32(float32(x)))
	} else {
		f = T(sinhFloat64(float64(x)))
	}
	return f
}

func sinhFloat32(x float32) float32 {
	m := nearPowerLess1(lesser(90, math.Abs(float64(x))))
	return signOf32(float32(float64(0.5*(m+m/(m+1)))), x)
}

func sinhFloat64(x float64) float64 {
	n, sinh, sinhRest, _, _ := hyperbolic(lesser(711, math.Abs(x)))
	return signOf64(timesPower(sinh+sinhRest, n), x)
}

// hyperbolic returns a whole number n, and the hyperbolic sine and cosine of x, divided by
// 2^n. The sine and the cosine have two parts each.
func hyperbolic(x float64) (float64, float64, float64, float64, float64) {
	n, r, rest := lessLn2(x)
	power := math.Float64frombits(math.Float64bits((roundInt64+1023)-float64(2*lesser(30, n))) << 52)
	less, more := 1-power, 1+power
	snLost, cnLost := float64(0.5*((1-less)-power)), float64(0.5*((1-more)+power))
	sn, cn := float64(0.5*less), float64(0.5*more)
	z := float64(r * r)
	q := 0x1.27e4cbfe336c8p-22 + float64(0x1.1f8c04304d513p-29*z)
	q = 0x1.a01a01ad8497fp-16 + float64(q*z)
	q = 0x1.6c16c16c14ff4p-10 + float64(q*z)
	q = 0x1.5555555555558p-5 + float64(q*z)
	q = 0x1.0000000000000p-1 + float64(q*z)
	q = float64(q * z) // 2^-70.0
	p := 0x1.ae4cd3b3e94a3p-26 + float64(0x1.829da87a41e23p-33*z)
	p = 0x1.71de40852ffbbp-19 + float64(p*z)
	p = 0x1.a01a019e9f41cp-13 + float64(p*z)
	p = 0x1.1111111111389p-7 + float64(p*z)
	p = 0x1.5555555555555p-3 + float64(p*z)
	p = rest + float64(r*float64(p*z)) // 2^-65.1
	q += float64(r * rest)
	a, aRest := twoProduct(cn, r)
	s := sn + a
	sRest := ((sn - s) + a) + (aRest + ((float64(cn*p) + float64(sn*q)) + snLost))
	b, bRest := twoProduct(sn, r)
	c := cn + b
	cRest := ((cn - c) + b) + (bRest + ((float64(sn*p) + float64(cn*q)) + cnLost))
	return n, s, sRest, c, cRest
}

// Cosh sets dst[i] to the hyperbolic cosine of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. ±0 gives 1. ±Inf gives +Inf, and so does
// an x whose result is too large.
// It panics if the lengths differ. It does not allocate.
func coshGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CoshOf(x[i])
	}
}

// CoshOf returns the hyperbolic cosine of x.
// The result has the same bits as that of [Cosh].
func CoshOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(coshFloat32(float32(x)))
	} else {
		f = T(coshFloat64(float64(x)))
	}
	return f
}

func coshFloat32(x float32) float32 {
	e := nearPower(float64(lesser(90, math.Abs(float64(x))) * log2E))
	return float32(float64(0.5 * (e + 1/e)))
}

func coshFloat64(x float64) float64 {
	n, _, _, cosh, coshRest := hyperbolic(lesser(711, math.Abs(x)))
	return timesPower(cosh+coshRest, n)
}

// Tanh sets dst[i] to the hyperbolic tangent of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 1.0 ulp for float64, 0.6 for float32. ±0 gives ±0, and ±Inf gives ±1.
// It panics if the lengths differ. It does not allocate.
func tanhGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = TanhOf(x[i])
	}
}

// TanhOf returns the hyperbolic tangent of x.
// The result has the same bits as that of [Tanh].
func TanhOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(tanhFloat32(float32(x)))
	} else {
		f = T(tanhFloat64(float64(x)))
	}
	return f
}

func tanhFloat32(x float32) float32 {
	m := nearPowerLess1(lesser(40, float64(2*math.Abs(float64(x)))))
	return signOf32(float32(m/(m+2)), x)
}

func tanhFloat64(x float64) float64 {
	_, s, sRest, c, cRest := hyperbolic(lesser(22, math.Abs(x)))
	n, d := s+sRest, c+cRest
	nRest, dRest := (s-n)+sRest, (c-d)+cRest
	inverse := 1 / d
	y := float64(n * inverse)
	product, rest := twoProduct(y, d)
	y += float64((((n - product) - rest) + (nRest - float64(y*dRest))) * inverse)
	return signOf64(y, x)
}
