package kernels

import "math"

// This file has the inverse functions of sine, cosine and tangent. The functions also compute the
// rounding errors of sums and quotients and add them to the result. Package internal/minimax
// computed the polynomials of float32; the comment after each polynomial has its largest error
// relative to the function.

// Atan sets dst[i] to the arc tangent of x[i], between -π/2 and π/2, for every
// i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.8 for float32. ±0 gives ±0, and ±Inf gives ±π/2.
// It panics if the lengths differ. It does not allocate.
func atanGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = AtanOf(x[i])
	}
}

// AtanOf returns the arc tangent of x.
// The result has the same bits as that of [Atan].
func AtanOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(atanFloat32(float32(x)))
	} else {
		f = T(atanFloat64(float64(x)))
	}
	return f
}

func atanFloat32(x float32) float32 {
	a := float32(math.Abs(float64(x)))
	n, d := a, float32(1)
	base, baseRest := float32(0), float32(0)
	if a > 1 {
		n, d = 1, a
		base, baseRest = halfPiHigh32, halfPiRest32
	}
	if a > 0x1p60 { // also +Inf
		n, d = 0, 1
	}
	y, rest := atanParts32(n, d)
	if a > 1 {
		y, rest = -y, -rest
	}
	s := base + y
	return signOf32(s+(((base-s)+y)+(baseRest+rest)), x)
}

// atanParts32 returns the arc tangent of n/d in two parts, where 0 ≤ n ≤ d. It selects c, the
// nearer of 0 and ½, and adds the arc tangents of c and of the remainder t. The formula for a
// difference of two arc tangents gives t.
func atanParts32(n, d float32) (float32, float32) {
	near, nearRest := float32(0), float32(0)
	u, v := n, d
	if n > float32(0.5*d) {
		near, nearRest = atanHalf32, atanHalfRest32
		u, v = float32(2*n)-d, float32(2*d)+n
	}
	t := float32(u / v)
	tHigh, vHigh := upperBits32(t), upperBits32(v)
	lost := float32((((u - float32(tHigh*vHigh)) - float32(tHigh*(v-vHigh))) - float32((t-tHigh)*v)) / v)
	z := float32(t * t)
	p := 0x1.a0474cp-04 + float32(-0x1.a4d854p-05*z)
	p = -0x1.225174p-03 + float32(p*z)
	p = 0x1.997ba6p-03 + float32(p*z)
	p = -0x1.555514p-02 + float32(p*z)
	y := near + t // 2^-27.5
	return y, ((near - y) + t) + (nearRest + (lost + float32(t*float32(p*z))))
}

func atanFloat64(x float64) float64 {
	a := math.Abs(x)
	n, d := a, 1.0
	base, baseRest := 0.0, 0.0
	if a > 1 {
		n, d = 1, a
		base, baseRest = halfPi, halfPiRest
	}
	if a > 0x1p60 { // also +Inf
		n, d = 0, 1
	}
	y, rest := atanParts(n, d)
	if a > 1 {
		y, rest = -y, -rest
	}
	s := base + y
	return signOf64(s+(((base-s)+y)+(baseRest+rest)), x)
}

// atanParts returns the arc tangent of n/d in two parts, where 0 ≤ n ≤ d. It selects c, the
// nearest of 0, ½ and 1, and adds the arc tangents of c and of the remainder t. The formula for
// a difference of two arc tangents gives t.
func atanParts(n, d float64) (float64, float64) {
	near, nearRest := 0.0, 0.0
	u, v := n, d
	if n > float64(0.4375*d) {
		near, nearRest = atanHalf, atanHalfRest
		u, v = float64(2*n)-d, float64(2*d)+n
	}
	if n > float64(0.6875*d) {
		near, nearRest = quarterPi, quarterPiRest
		u, v = n-d, n+d
	}
	inverse := 1 / v
	t := float64(u * inverse)
	product, rest := twoProduct(t, v)
	lost := float64(((u - product) - rest) * inverse)
	z := float64(t * t)
	p := -0x1.04e3c08943575p-5 + float64(0x1.be8d80c41aaf1p-7*z)
	p = 0x1.6ae2fe5de786fp-5 + float64(p*z)
	p = -0x1.a9ec0a455e712p-5 + float64(p*z)
	p = 0x1.e1302257aff63p-5 + float64(p*z)
	p = -0x1.1108e573c0328p-4 + float64(p*z)
	p = 0x1.3b132d2a23e18p-4 + float64(p*z)
	p = -0x1.745d11b18cff1p-4 + float64(p*z)
	p = 0x1.c71c71a0aa5b8p-4 + float64(p*z)
	p = -0x1.2492492444d1ap-3 + float64(p*z)
	p = 0x1.9999999998fe2p-3 + float64(p*z)
	p = -0x1.5555555555552p-2 + float64(p*z)
	y := near + t // 2^-62.2
	return y, ((near - y) + t) + (nearRest + (lost + float64(t*float64(p*z))))
}

// Atan2 sets dst[i] to the angle of the point (x[i], y[i]) from the x axis,
// between -π and π, for every i.
//
// Shape: len(dst) == len(y) == len(x); any length, any alignment.
// Alias: dst may be y or x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.9 for float32. The result has the sign of y[i],
// even if y[i] is ±0. As in C, two zeros are a point on the x axis, and two infinities
// are a point on a diagonal.
// It panics if the lengths differ. It does not allocate.
func atan2Generic[T Float](dst, y, x []T) {
	y, x = y[:len(dst)], x[:len(dst)]
	for i := range dst {
		dst[i] = Atan2Of(y[i], x[i])
	}
}

// Atan2Of returns the angle of the point (x, y) from the x axis, with the bits
// of [Atan2].
func Atan2Of[T Float](y, x T) T {
	var f T
	if single[T]() {
		f = T(atan2Float32(float32(y), float32(x)))
	} else {
		f = T(atan2Float64(float64(y), float64(x)))
	}
	return f
}

func atan2Float32(y, x float32) float32 {
	a, b := float32(math.Abs(float64(y))), float32(math.Abs(float64(x)))
	n, d := a, b
	if a > b {
		n, d = b, a
	}
	scale := float32(1)
	if d < 0x1p60 { // so that the rounding error of a product is not too small for a float32
		scale = 0x1p64
	}
	if d > 0x1p100 {
		scale = 0x1p-30
	}
	n, d = float32(n*scale), float32(d*scale)
	if a == b {
		n, d = 1, 1
	}
	if d > math.MaxFloat32 {
		n, d = 0, 1
	}
	if a == 0 && b == 0 {
		n, d = 0, 1
	}
	f, rest := atanParts32(n, d)
	base, baseRest := float32(0), float32(0)
	left := int32(math.Float32bits(x)) < 0
	if left {
		base, baseRest = pi32, piRest32
	}
	if a > b {
		base, baseRest = halfPiHigh32, halfPiRest32
	}
	if left != (a > b) {
		f, rest = -f, -rest
	}
	s := base + f
	f = s + (((base - s) + f) + (baseRest + rest))
	if a != a || b != b {
		f = a + b
	}
	return signOf32(f, y)
}

func atan2Float64(y, x float64) float64 {
	a, b := math.Abs(y), math.Abs(x)
	n, d := a, b
	if a > b {
		n, d = b, a
	}
	scale := 1.0
	if d > 0x1p900 {
		scale = 0x1p-300
	}
	if d < 0x1p500 { // so that the rounding error of a product is not too small for a float64
		scale = 0x1p400
	}
	n, d = float64(n*scale), float64(d*scale)
	if a == b {
		n, d = 1, 1
	}
	if d > math.MaxFloat64 {
		n, d = 0, 1
	}
	if a == 0 && b == 0 {
		n, d = 0, 1
	}
	f, rest := atanParts(n, d)
	base, baseRest := 0.0, 0.0
	left := int64(math.Float64bits(x)) < 0
	if left {
		base, baseRest = pi, piRest
	}
	if a > b {
		base, baseRest = halfPi, halfPiRest
	}
	if left != (a > b) {
		f, rest = -f, -rest
	}
	s := base + f
	f = s + (((base - s) + f) + (baseRest + rest))
	if a != a || b != b {
		f = a + b
	}
	return signOf64(f, y)
}

// Asin sets dst[i] to the arc sine of x[i], between -π/2 and π/2, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.8 for float32. ±0 gives ±0. The result is NaN where
// |x[i]| is larger than 1.
// It panics if the lengths differ. It does not allocate.
func asinGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = AsinOf(x[i])
	}
}

// AsinOf returns the arc sine of x.
// The result has the same bits as that of [Asin].
func AsinOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(asinFloat32(float32(x)))
	} else {
		f = T(asinFloat64(float64(x)))
	}
	return f
}

func asinFloat32(x float32) float32 {
	a := float32(math.Abs(float64(x)))
	z := float32(a * a)
	if a > 0.5 {
		z = float32(0.5 * (1 - a))
	}
	tail := asinTail32(z)
	root := float32(math.Sqrt(float64(z)))
	base, baseRest, f, rest := float32(0), float32(0), a, float32(a*tail)
	if a > 0.5 {
		base, baseRest = halfPiHigh32, halfPiRest32
		f, rest = float32(-2*root), float32(-2*(rootRest32(root, z)+float32(root*tail)))
	}
	s := base + f
	return signOf32(s+(((base-s)+f)+(baseRest+rest)), x)
}

// rootRest32 returns √z - s, where s is the rounded root of z.
func rootRest32(s, z float32) float32 {
	high := upperBits32(s)
	return ((z - float32(high*high)) - float32((s-high)*(s+high))) / (float32(2*s) + 0x1p-80)
}

// asinTail32 returns asin r/r - 1, for z = r² ≤ ¼.
func asinTail32(z float32) float32 {
	p := 0x1.8bb536p-06 + float32(0x1.59cc92p-05*z)
	p = 0x1.748a2cp-05 + float32(p*z)
	p = 0x1.33016ap-04 + float32(p*z)
	p = 0x1.5555cap-03 + float32(p*z)
	return float32(p * z) // 2^-27.6
}

// asinTail returns asin r/r - 1 for float64, for z = r² ≤ ¼.
func asinTail(z float64) float64 {
	p := -0x1.ad633ce456571p-6 + float64(0x1.13e986e92992ep-5*z)
	p = 0x1.976a183542fbep-6 + float64(p*z)
	p = 0x1.5d559c28db289p-11 + float64(p*z)
	p = 0x1.4820ccafb1a56p-7 + float64(p*z)
	p = 0x1.36bfdd5d1be70p-7 + float64(p*z)
	p = 0x1.7ba45ff9b13b7p-7 + float64(p*z)
	p = 0x1.c980e508629d1p-7 + float64(p*z)
	p = 0x1.1c4f84f4ecbd4p-6 + float64(p*z)
	p = 0x1.6e8b9afdcb083p-6 + float64(p*z)
	p = 0x1.f1c71ca79ebcbp-6 + float64(p*z)
	p = 0x1.6db6db6d4aecbp-5 + float64(p*z)
	p = 0x1.33333333339f9p-4 + float64(p*z)
	p = 0x1.5555555555553p-3 + float64(p*z)
	return float64(p * z) // 2^-63.7
}

// rootRest returns √z - s, where s is the rounded root of z.
func rootRest(s, z float64) float64 {
	product, rest := twoProduct(s, s)
	return ((z - product) - rest) / (float64(2*s) + 0x1p-600)
}

// asinFloat64 uses asin x = π/2 - 2·asin √((1-x)/2) for x above ½.
func asinFloat64(x float64) float64 {
	a := math.Abs(x)
	z := float64(a * a)
	if a > 0.5 {
		z = float64(0.5 * (1 - a))
	}
	tail := asinTail(z)
	root := math.Sqrt(z)
	base, baseRest, f, rest := 0.0, 0.0, a, float64(a*tail)
	if a > 0.5 {
		base, baseRest = halfPi, halfPiRest
		f, rest = float64(-2*root), float64(-2*(rootRest(root, z)+float64(root*tail)))
	}
	s := base + f
	return signOf64(s+(((base-s)+f)+(baseRest+rest)), x)
}

// Acos sets dst[i] to the arc cosine of x[i], between 0 and π, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.7 for float32. 1 gives +0. The result is NaN where
// |x[i]| is larger than 1.
// It panics if the lengths differ. It does not allocate.
func acosGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = AcosOf(x[i])
	}
}

// AcosOf returns the arc cosine of x.
// The result has the same bits as that of [Acos].
func AcosOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(acosFloat32(float32(x)))
	} else {
		f = T(acosFloat64(float64(x)))
	}
	return f
}

func acosFloat32(x float32) float32 {
	a := float32(math.Abs(float64(x)))
	z := float32(a * a)
	if a > 0.5 {
		z = float32(0.5 * (1 - a))
	}
	tail := asinTail32(z)
	root := float32(math.Sqrt(float64(z)))
	base, baseRest, f, rest := halfPiHigh32, halfPiRest32, -x, float32(-x*tail)
	if a > 0.5 {
		f, rest = float32(2*root), float32(2*(rootRest32(root, z)+float32(root*tail)))
		base, baseRest = 0, 0
	}
	if x < -0.5 {
		base, baseRest = pi32, piRest32
		f, rest = -f, -rest
	}
	s := base + f
	return s + (((base - s) + f) + (baseRest + rest))
}

func acosFloat64(x float64) float64 {
	a := math.Abs(x)
	z := float64(a * a)
	if a > 0.5 {
		z = float64(0.5 * (1 - a))
	}
	tail := asinTail(z)
	root := math.Sqrt(z)
	base, baseRest, f, rest := halfPi, halfPiRest, -x, float64(-x*tail)
	if a > 0.5 {
		f, rest = float64(2*root), float64(2*(rootRest(root, z)+float64(root*tail)))
		base, baseRest = 0, 0
	}
	if x < -0.5 {
		base, baseRest = pi, piRest
		f, rest = -f, -rest
	}
	s := base + f
	return s + (((base - s) + f) + (baseRest + rest))
}
