package kernels

import "math"

// This file has the correctly rounded functions of two arguments. If the two candidates of rounded.go differ, a function compares
// its exact result with the midpoint of the candidates. This comparison has no error, or a very small error.

// HypotRounded sets dst[i] to √(x[i]² + y[i]²), correctly rounded, for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: correctly rounded for all arguments. Special values are those of [Hypot].
// It panics if the lengths differ. It does not allocate.
func hypotRoundedGeneric(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = HypotRoundedOf(x[i], y[i])
	}
}

// HypotRoundedOf returns √(x² + y²). The result has the bits of [HypotRounded].
func HypotRoundedOf(x, y float32) float32 {
	a, b := math.Abs(float64(x)), math.Abs(float64(y))
	h := math.Sqrt(float64(a*a) + float64(b*b))
	if a > math.MaxFloat64 {
		h = a
	}
	if b > math.MaxFloat64 {
		h = b
	}
	low, high := around(h)
	if rarely(apart(low, high)) {
		return hypotExactly(a, b, low, high)
	}
	return low
}

// Atan2Rounded sets dst[i] to the angle of the point (x[i], y[i]) from the x axis, correctly rounded, for every i.
//
// Shape: len(dst) == len(y) == len(x); any length, any alignment.
// Alias: dst may be y or x; a partial overlap is not supported.
// Values: correctly rounded for all pairs of the check; we expect correct rounding for all other arguments too.
// Special values are those of [Atan2].
// It panics if the lengths differ. It does not allocate.
func atan2RoundedGeneric(dst, y, x []float32) {
	y, x = y[:len(dst)], x[:len(dst)]
	for i := range dst {
		dst[i] = Atan2RoundedOf(y[i], x[i])
	}
}

// Atan2RoundedOf returns the angle of the point (x, y) from the x axis. The result has the bits of [Atan2Rounded].
func Atan2RoundedOf(y, x float32) float32 {
	low, high := around(atan2Near(y, x))
	if rarely(apart(low, high)) {
		low = atan2Exactly(y, x, low, high)
	}
	return signOf32(low, y)
}

// atan2Exactly returns the float32 nearest to the absolute value of the angle of (x, y), which is low or high. m is the midpoint
// between low and high. The angle is above m if |y|·cos m - x·sin m is positive, because this is the sine of the difference times
// the distance of the point. Both products have two parts, with an error of 2^-100. No angle is a midpoint, because the arc tangent
// of a rational number above zero is irrational. There are about 2^55 different angles, so we expect that the angle closest to a
// midpoint has a distance of about 2^-80 from it. Only tiny angles for which y/x is m are closer. Such an angle is below m, and low
// is the result because the difference of the products is zero.
func atan2Exactly(y, x, low, high float32) float32 {
	m := float64(0.5 * (float64(low) + float64(high)))
	s, sRest, c, cRest := sincosParts(m)
	a, b := math.Abs(float64(y)), float64(x)
	p, pRest := twoProduct(a, c)
	q, qRest := twoProduct(b, s)
	if (p-q)+((pRest+float64(a*cRest))-(qRest+float64(b*sRest))) > 0 {
		return high
	}
	return low
}

// sincosParts returns the sine and the cosine of x, for x from 0 to 4, each in two parts. It uses Taylor's series: the terms of the
// series of e^x belong to the cosine and the sine in turn, with alternating signs.
func sincosParts(x float64) (s, sRest, c, cRest float64) {
	t, tRest := 1.0, 0.0
	for n := 0; n < 60 && t > 0x1p-1000; n++ {
		u, uRest := t, tRest
		if n&2 != 0 {
			u, uRest = -u, -uRest
		}
		if n&1 != 0 {
			s, sRest = addParts(s, sRest, u, uRest)
		} else {
			c, cRest = addParts(c, cRest, u, uRest)
		}
		// The next term is t·x/(n+1).
		p, rest := twoProduct(t, x)
		rest += float64(tRest * x)
		d := float64(n + 1)
		t = (p + rest) / d
		high, low := twoProduct(t, d)
		tRest = (((p - high) - low) + rest) / d
	}
	return s, sRest, c, cRest
}

// addParts returns the sum of two numbers in two parts each.
func addParts(a, aRest, b, bRest float64) (float64, float64) {
	s, rest := twoSum(a, b)
	rest += aRest + bRest
	high := s + rest
	return high, (s - high) + rest
}

// hypotExactly returns the float32 nearest to √(a² + b²), which is low or high. The squares of a, of b and of the midpoint between
// low and high are exact in float64. The sum of the squares needs two float64.
func hypotExactly(a, b float64, low, high float32) float32 {
	s, rest := addParts(float64(a*a), 0, float64(b*b), 0)
	middle := float64(0.5 * (float64(low) + float64(high)))
	if high > math.MaxFloat32 {
		middle = math.MaxFloat32 + 0x1p103
	}
	switch d := (s - float64(middle*middle)) + rest; {
	case d > 0 || d == 0 && math.Float32bits(low)&1 != 0: // of two that are equally near, the even one
		return high
	}
	return low
}

// PowRounded sets dst[i] to x[i] to the power of y[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: correctly rounded for all pairs of the check; we expect correct rounding for all other arguments too. Special
// values are those of [Pow].
// It panics if the lengths differ. It does not allocate.
func powRoundedGeneric(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = PowRoundedOf(x[i], y[i])
	}
}

// PowRoundedOf returns x to the power of y. The result has the bits of [PowRounded].
func PowRoundedOf(x, y float32) float32 {
	low, high := above(powBelow(x, y))
	if rarely(apart(low, high)) {
		return powExactly(x, y, low, high)
	}
	return low
}

// powExactly returns the float32 nearest to x^y, which is low or high. m is the absolute value of the midpoint between low and high.
// |x^y| is above m if y·log|x| is above log m. Both logarithms have two parts, so the error of the difference is below 2^-94. About
// 2^60 pairs have a power that is not 0, 1 or Inf, so we expect that the power closest to a midpoint has a distance of about 2^-84 from
// it. If the power itself is a midpoint, isPower reports this.
func powExactly(x, y, low, high float32) float32 {
	a, m := math.Abs(float64(x)), math.Abs(float64(0.5*(float64(low)+float64(high))))
	if m > math.MaxFloat32 {
		m = math.MaxFloat32 + 0x1p103
	}
	if isPower(m, a, float64(y)) { // of two that are equally near, the even one
		if math.Float32bits(low)&1 != 0 {
			return high
		}
		return low
	}
	l, lRest := logByParts(a)
	k, kRest := logByParts(m)
	p, rest := twoProduct(float64(y), l)
	if (p-k)+((rest+float64(float64(y)*lRest))-kRest) > 0 {
		return high
	}
	return low
}

// isPower reports whether a^y is the midpoint m, which has at most 25 bits. a must be a float32 other than 1. If y is not an
// integer, a must be a square: for example, 3^4 to the power of ¾ is 3^3. If y is negative, a must be a power of two. All products
// are exact, because the factors have at most 25 and 24 bits.
func isPower(m, a, y float64) bool {
	for y != math.Floor(y) {
		root := math.Sqrt(a)
		if float64(float32(root)) != root || float64(root*root) != a {
			return false
		}
		a, y = root, float64(2*y)
	}
	if y < 0 {
		if math.Float64bits(a)&(1<<52-1) != 0 {
			return false
		}
		a, y = 1/a, -y
	}
	p := 1.0
	for ; y > 0 && math.Float64bits(p)&(1<<28-1) == 0; y-- {
		p = float64(p * a)
	}
	return y == 0 && p == m
}

// logByParts returns the natural logarithm of x in two parts, for a normal x above zero of at most 25 bits. It has a relative error below
// 2^-101. The logarithm of 1 + f is twice the series of artanh s for s = f/(2+f).
func logByParts(x float64) (float64, float64) {
	k, f := splitNormal(x)
	d := 2 + f
	s := f / d
	p, rest := twoProduct(s, d)
	sRest := ((f - p) - rest) / d
	z, zRest := twoProduct(s, s)
	zRest += float64(2 * float64(s*sRest))
	t, tRest := float64(2*s), float64(2*sRest)
	sum, sumRest := 0.0, 0.0
	for n := 1.0; n < 50; n += 2 { // s² is below 2^-5, and its power 25 is below 2^-125
		q := float64(t / n) // n may be 1, and then Go sees a product
		high, low := twoProduct(q, n)
		sum, sumRest = addParts(sum, sumRest, q, float64((((t-high)-low)+tRest)/n))
		// The next power is t·z.
		p, rest := twoProduct(t, z)
		t, tRest = p, rest+(float64(t*zRest)+float64(tRest*z))
	}
	// ln2 and ln2Rest together have 107 bits of log 2.
	p, rest = twoProduct(k, ln2)
	return addParts(p, rest+float64(k*ln2Rest), sum, sumRest)
}
