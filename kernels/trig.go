package kernels

import "math"

// This file has sine, cosine and tangent. The arithmetic of float64 is the same as in [Sincos].
// The functions for float32 compute in float64, so nearly all of the error comes from the
// rounding at the end. All polynomials come from Remez exchange; the comment after each
// polynomial has its largest error relative to the function.

// Sin sets dst[i] to the sine of x[i], in radians, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.7 for float32, for every finite x. A
// float64 has the bits of [Sincos]; a float32 is closer to the sine.
// ±0 gives ±0, and ±Inf gives NaN.
// It panics if the lengths differ. It does not allocate.
func sinGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = SinOf(x[i])
	}
}

// SinOf returns the sine of x, in radians.
// The result has the same bits as that of [Sin].
func SinOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(sinFloat32(float32(x)))
	} else {
		f = T(sinFloat64(float64(x)))
	}
	return f
}

// sinFloat32 subtracts half turns until at most a quarter turn is left.
func sinFloat32(x float32) float32 {
	w := float64(x)
	if rarely(math.Abs(w) > ordinaryHalf) {
		s, _ := sincos64(w)
		return float32(s)
	}
	f := float64(w*halfTurns) + roundInt64
	return float32(sinRest(w, f-roundInt64, math.Float64bits(f)))
}

// sinRest returns the sine of x - n·π, with the opposite sign if k is odd.
func sinRest(x, n float64, k uint64) float64 {
	r := (x - float64(n*piA)) - float64(n*piB)
	z := float64(r * r)
	p := -0x1.9f6ffb5cff554p-13 + float64(0x1.5dbdbbb5bd9fp-19*z)
	p = 0x1.110ed36e2c6fap-07 + float64(p*z)
	p = -0x1.55554bc7ceaadp-03 + float64(p*z)
	s := float64(r * (1 + float64(p*z))) // 2^-27.3
	return math.Float64frombits(math.Float64bits(s) ^ k<<63)
}

func sinFloat64(x float64) float64 {
	s, c, k := sinAndCos(x)
	if k&1 != 0 {
		s = c
	}
	return math.Float64frombits(math.Float64bits(s) ^ (k&2)<<62)
}

// sinAndCos returns the sine and the cosine of x minus k quarter turns, and k.
func sinAndCos(x float64) (float64, float64, uint64) {
	high, low, k := reduceQuarterTurns(x)
	z := float64(high * high)
	p, q := quarterTails(z)
	h := float64(0.5 * z)
	v := 1 - h
	c := v + (((1 - v) - h) + (q - float64(high*low)))
	s := high + (float64(low*v) + float64(high*p))
	return signOf64(s, high), c, k
}

// reduceQuarterTurns chooses a number k of quarter turns. It returns x minus k quarter turns in two
// parts, and k.
func reduceQuarterTurns(x float64) (float64, float64, uint64) {
	if rarely(math.Abs(x) > ordinary64) {
		high, low, k := reduceLarge(x)
		return high, low, uint64(k)
	}
	f := float64(x*twoOverPi64) + roundInt64
	k := math.Float64bits(f)
	high, low := subtractQuarterTurns(x, f-roundInt64)
	return high, low, k
}

// subtractQuarterTurns returns x minus f quarter turns in two parts. All products but the last are exact if f is a whole number below
// 2^15, or a multiple of 1/2 below 2^14.
func subtractQuarterTurns(x, f float64) (float64, float64) {
	a := x - float64(f*halfPi64A)
	b := float64(f * halfPi64B)
	r := a - b
	t := float64(f*halfPi64C) - ((a - r) - b)
	high := r - t
	return high, (r - high) - t
}

// quarterTails returns sin r/r - 1 and cos r - 1 + z/2, where z = r².
func quarterTails(z float64) (float64, float64) {
	p := float64(z * (float64(z*(float64(z*(float64(z*(float64(z*(float64(z*sin64F)+sin64E))+sin64D))+sin64C))+sin64B)) + sin64A))
	q := float64(float64(z*z) * (float64(z*(float64(z*(float64(z*(float64(z*(float64(z*cos64F)+cos64E))+cos64D))+cos64C))+cos64B)) + cos64A))
	return p, q
}

// Cos sets dst[i] to the cosine of x[i], in radians, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.7 for float32, for every finite x. A
// float64 has the bits of [Sincos]; a float32 is closer to the cosine.
// ±0 gives 1, and ±Inf gives NaN.
// It panics if the lengths differ. It does not allocate.
func cosGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CosOf(x[i])
	}
}

// CosOf returns the cosine of x, in radians.
// The result has the same bits as that of [Cos].
func CosOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(cosFloat32(float32(x)))
	} else {
		f = T(cosFloat64(float64(x)))
	}
	return f
}

// cosFloat32 subtracts half turns and a quarter turn, which leaves a sine.
func cosFloat32(x float32) float32 {
	w := float64(x)
	if rarely(math.Abs(w) > ordinaryHalf) {
		_, c := sincos64(w)
		return float32(c)
	}
	f := (float64(w*halfTurns) + 0.5) + roundInt64
	return float32(sinRest(w, (f-roundInt64)-0.5, math.Float64bits(f)))
}

func cosFloat64(x float64) float64 {
	s, c, k := sinAndCos(x)
	if k&1 != 0 {
		c = s
	}
	return math.Float64frombits(math.Float64bits(c) ^ ((k+1)&2)<<62)
}

// Tan sets dst[i] to the tangent of x[i], in radians, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 1.0 ulp for float64, 0.6 for float32, for every finite x. ±0 gives ±0, and ±Inf
// gives NaN.
// It panics if the lengths differ. It does not allocate.
func tanGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = TanOf(x[i])
	}
}

// TanOf returns the tangent of x, in radians.
// The result has the same bits as that of [Tan].
func TanOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(tanFloat32(float32(x)))
	} else {
		f = T(tanFloat64(float64(x)))
	}
	return f
}

func tanFloat32(x float32) float32 {
	w := float64(x)
	if rarely(math.Abs(w) > ordinaryHalf) {
		s, c := sincos64(w)
		return float32(s / c)
	}
	f := float64(w*twoOverPi64) + roundInt64
	k := math.Float64bits(f)
	f -= roundInt64
	r := (w - float64(f*halfPiA)) - float64(f*halfPiB)
	z := float64(r * r)
	p := -0x1.a00f98a91e391p-13 + float64(0x1.6cd71dba9a4b3p-19*z)
	p = 0x1.111108905a4f5p-7 + float64(p*z)
	p = -0x1.5555554cb241fp-3 + float64(p*z)
	s := float64(r * (1 + float64(p*z))) // 2^-37.6
	q := -0x1.6c0876f3458e3p-10 + float64(0x1.993252c371675p-16*z)
	q = 0x1.55553dfe4824fp-5 + float64(q*z)
	q = -0x1.ffffffd0972c2p-2 + float64(q*z)
	c := 1 + float64(q*z) // 2^-34.1
	if k&1 != 0 {
		s, c = -c, s
	}
	return float32(s / c)
}

// tanFloat64 divides the sine by the cosine, both in two parts. It multiplies the first
// 26 bits of the quotient by the divisor, and divides the remainder once more.
func tanFloat64(x float64) float64 {
	high, low, k := reduceQuarterTurns(x)
	n, nRest, d, dRest := sinCosParts(high, low)
	if k&1 != 0 {
		n, d = d, n
		nRest, dRest = dRest, nRest
	}
	inverse := 1 / d
	y := upperBits(float64(n * inverse))
	c := upperBits(d)
	rest := ((n - float64(y*c)) - float64(y*(d-c))) + (nRest - float64(y*dRest))
	y += float64(rest * inverse)
	return math.Float64frombits(math.Float64bits(y)&^(1<<63) | (math.Float64bits(high)^k<<63)&(1<<63))
}

// sinCosParts returns the sine and the cosine of high + low, each in two parts, for angles of at most π/4.
func sinCosParts(high, low float64) (n, nRest, d, dRest float64) {
	p, q := tanTails(float64(high * high))
	a := upperBits(high) // half of its square has no error
	h := float64(0.5 * float64(a*a))
	v := 1 - h
	t := ((1 - v) - h) + (q - (float64(high*low) + float64(float64(0.5*(high-a))*(high+a))))
	d = v + t
	dRest = (v - d) + t
	t = float64(low*v) + float64(high*p)
	n = high + t
	nRest = (high - n) + t
	return n, nRest, d, dRest
}

// tanTails does the work of quarterTails with a shorter chain of dependent operations. At the end,
// it adds the term z/8 separately, because this term is exact. The remaining coefficient -1/6 + 1/8
// is a quarter as large, and so are its rounding errors.
func tanTails(z float64) (float64, float64) {
	w := float64(z * z)
	p := ((sin64A + 0.125) + float64(sin64B*z)) + float64(w*(sin64C+float64(sin64D*z)))
	q := (cos64A + float64(cos64B*z)) + float64(w*(cos64C+float64(cos64D*z)))
	u := float64(w * w)
	p += float64(u * (sin64E + float64(sin64F*z)))
	q += float64(u * (cos64E + float64(cos64F*z)))
	return float64(p*z) - float64(0.125*z), float64(q * w)
}
