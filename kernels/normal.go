package kernels

import "math"

// This file has the distribution function of the normal distribution and its inverse, the quantile
// function. They use functions of erfc.go: with z = y/√2, the distribution function of -y is
// ½·e^(-y²/2)·erfcScaled(z).

// NormalCDF sets dst[i] to the probability that a number drawn from the standard normal
// distribution is below x[i], for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. ±0 gives ½, and +Inf gives 1. -Inf gives
// +0, and so does an x whose result is too small.
// It panics if the lengths differ. It does not allocate.
func normalCDFGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = NormalCDFOf(x[i])
	}
}

// NormalCDFOf returns the probability that a number drawn from the standard normal
// distribution is below x. The result has the same bits as that of [NormalCDF].
func NormalCDFOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(normalCDFFloat32(float32(x)))
	} else {
		f = T(normalCDFFloat64(float64(x)))
	}
	return f
}

func normalCDFFloat32(x float32) float32 {
	a := lesser(14.7, math.Abs(float64(x)))
	y := float64(float64(0.5*nearErfcScaled(float64(a*rootHalf))) * nearPower(-float64(float64(a*a)*(0.5*log2E))))
	if x > 0 {
		y = 1 - y
	}
	return float32(y)
}

func normalCDFFloat64(x float64) float64 {
	a := lesser(38.6, math.Abs(x))
	n, e, eLow := gaussian(a, 0.5)
	z, zLow := twoProduct(a, rootHalf)
	q, qLow := erfcScaled(z, zLow+float64(a*rootHalfRest))
	return normalTail(n-1, e, eLow, q, qLow, x > 0, 1)
}

// NormalQuantile sets dst[i] to the quantile of x[i] for every i: a number drawn from
// the standard normal distribution is below dst[i] with probability x[i]. It is the
// inverse of [NormalCDF].
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.8 ulp for float64, 0.6 for float32. ½ gives +0, ±0 gives -Inf, and 1 gives
// +Inf. An x below 0 or above 1 gives NaN.
// It panics if the lengths differ. It does not allocate.
func normalQuantileGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = NormalQuantileOf(x[i])
	}
}

// NormalQuantileOf returns the quantile of x: a number drawn from the standard normal
// distribution is below the result with probability x. The result has the same bits as
// that of [NormalQuantile].
func NormalQuantileOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(normalQuantileFloat32(float32(x)))
	} else {
		f = T(normalQuantileFloat64(float64(x)))
	}
	return f
}

func normalQuantileFloat32(x float32) float32 {
	a := float64(x)
	v := a - 0.5
	u := float64(v * v)
	p := 0x1.45bc5d5c8a4d4p+07 + float64(0x1.15419795bc86ep+12*u)
	p = 0x1.524248fbe48fep+07 + float64(p*u)
	p = 0x1.73802e772cde1p+05 + float64(p*u)
	p = 0x1.f5ae293048a74p+03 + float64(p*u)
	p = 0x1.716fe21f9ce84p+02 + float64(p*u)
	p = 0x1.4ffde0b474c12p+01 + float64(p*u)
	p = 0x1.40d931ff1fb75p+01 + float64(p*u) // 2^-34.3
	z := float64(v * p)
	if u > 0.0625 {
		y := nearNormalTail(float64(nearLog2(lesser(a, 1-a)) * ln2))
		z = math.Float64frombits(math.Float64bits(y) | math.Float64bits(v)&(1<<63))
	}
	return float32(normalQuantileSpecial(z, a))
}

// nearNormalTail returns, within 2^-30, the number y for which a normally distributed number is
// below -y with probability e^l. l must be below -1.38. The polynomial approximates y - r for r =
// √(-2l). Its argument t grows with r, from about -½ to 1.
func nearNormalTail(l float64) float64 {
	r := math.Sqrt(float64(-2 * l))
	t := (r - 5) / (r + 5)
	p := 0x1.a77bb2348e3eep-04 + float64(-0x1.02d89af7ae431p-05*t)
	p = -0x1.94e6d5c2d7cafp-04 + float64(p*t)
	p = 0x1.434e3ccb2339dp-05 + float64(p*t)
	p = -0x1.337d1cec5ec99p-05 + float64(p*t)
	p = 0x1.36450dc9f5e52p-04 + float64(p*t)
	p = -0x1.635c5d7a79e6fp-04 + float64(p*t)
	p = 0x1.8ff9f51e82947p-04 + float64(p*t)
	p = -0x1.c6441cf9761c7p-04 + float64(p*t)
	p = 0x1.2a1e761bf1ffp-03 + float64(p*t)
	p = -0x1.6a72ff88a5485p-03 + float64(p*t)
	p = 0x1.092025ee8b93bp-02 + float64(p*t)
	p = -0x1.56bef7f7dfac9p-02 + float64(p*t)
	p = 0x1.57c7946714dd7p-01 + float64(p*t)
	p = -0x1.0a1431330e4b1p-01 + float64(p*t) // 2^-30.4
	return r + p
}

// normalQuantileSpecial returns y if x is between 0 and 1, and the quantile of x otherwise.
func normalQuantileSpecial(y, x float64) float64 {
	if x == 0 {
		y = math.Float64frombits(0xfff << 52)
	}
	if x == 1 {
		y = math.Float64frombits(0x7ff << 52)
	}
	if !(x >= 0 && x <= 1) {
		y = math.Float64frombits(0x7ff8 << 48)
	}
	return y
}

// normalQuantileFloat64 uses a polynomial for x from ¼ to ¾. For all other x, it starts with a
// number y that is near the result, and corrects y by one step of Halley's method. y has so few bits
// that its square is exact.
func normalQuantileFloat64(x float64) float64 {
	v := x - 0.5
	u := float64(v * v)
	p := -0x1.17afbe6a2e3a9p+24 + float64(0x1.5bf9e6ab34ccdp+26*u)
	p = 0x1.f9b315217a15fp+21 + float64(p*u)
	p = -0x1.10e71190fe122p+14 + float64(p*u)
	p = 0x1.660d9a19140ebp+16 + float64(p*u)
	p = 0x1.3879c7675cc8dp+14 + float64(p*u)
	p = 0x1.708d0021898c1p+12 + float64(p*u)
	p = 0x1.a657bcbc550d9p+10 + float64(p*u)
	p = 0x1.f047f643163edp+08 + float64(p*u)
	p = 0x1.2ba8d0fbb8a06p+07 + float64(p*u)
	p = 0x1.78494b37a63d4p+05 + float64(p*u)
	p = 0x1.f55d0d77e2c09p+03 + float64(p*u)
	p = 0x1.71713082dabeap+02 + float64(p*u)
	p = 0x1.4ffddeaa22dc2p+01 + float64(p*u) // 2^-61.8
	a, aLow := twoProduct(v, rootTwoPi)
	z := a + (aLow + float64(v*(rootTwoPiRest+float64(u*p))))
	less := lesser(x, 1-x)
	k, f := splitPositive(less)
	y := upperBits(nearNormalTail(combineLog(k, f, 0)))
	n, e, eLow := gaussian(y, -0.5)
	q := timesPower(less, n) // without an error
	s, sLow := twoProduct(q, e)
	h, hLow := twoProduct(y, rootHalf)
	m, mLow := erfcScaled(h, hLow+float64(y*rootHalfRest))
	w := float64(((float64(0.5*m) - s) + (float64(0.5*mLow) - (sLow + float64(q*eLow)))) * rootTwoPi)
	y += w + float64(float64(0.5*y)*float64(w*w))
	if less < 0.25 { // not u > 1/16, because v may be rounded
		z = math.Float64frombits(math.Float64bits(y) | math.Float64bits(v)&(1<<63))
	}
	return normalQuantileSpecial(z, x)
}
