package kernels

import "math"

// This file has the logarithm of the gamma function, as the sum of two floats until the last step.
//
// Between 1 and 3.3, the function is expanded around one of four centers. Two of them are its zeros 1 and 2, so that the result
// keeps its relative precision next to them. For x below 1.3, log Γ(x) is log Γ(x+1) - log x. From 3.3 on, it is Stirling's
// formula, (x-½)·log x - x + ½·log 2π, plus 1/x times a polynomial of 1/x². Negative x use log |Γ(-a)| = -log(a·sin(πa)/π) -
// log Γ(a).
//
// All polynomials come from Remez exchange. The comment after the coefficients has the error relative to the function, but
// beyond 3.3 the absolute error.

// Lgamma sets dst[i] to log |Γ(x[i])|, the natural logarithm of the absolute value of the gamma function, for every i. Γ(x) is
// negative if x is negative and ⌊x⌋ is odd, and positive otherwise.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. However, for negative x, where a float64 result is between -0.25 and
// 0.25, the error may be more ulps, but it is below 2^-54. ±0 and the negative whole numbers give +Inf. +Inf gives +Inf, and
// -Inf gives -Inf, as in package math.
// It panics if the lengths differ. It does not allocate.
func lgammaGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = LgammaOf(x[i])
	}
}

// LgammaOf returns log |Γ(x)|, the natural logarithm of the absolute value of the gamma function.
// The result has the same bits as that of [Lgamma].
func LgammaOf[T Float](x T) T { return T(lgammaFloat64(float64(x))) }

func lgammaFloat64(x float64) float64 {
	if rarely(x < 0) {
		return lgammaNegative(x)
	}
	log, logLow := logPair(x)
	var y, yLow float64
	if x >= 3.3 {
		y, yLow = lgammaFar(x, log, logLow)
	} else {
		f, fLow := lgammaNear(x)
		if x >= 1.3 {
			log, logLow = 0, 0
		}
		y, yLow = twoSum(f, -log)
		yLow += fLow - logLow
	}
	y += yLow
	if x == 0 {
		y = math.Float64frombits(0x7ff << 52)
	}
	if x > math.MaxFloat64 {
		y = x
	}
	return y
}

// logPair returns log x in two parts, for 0 < x < Inf.
func logPair(x float64) (float64, float64) {
	a, aLow := log2Parts(x)
	h, l := twoProduct(a, ln2)
	return h, l + (float64(a*ln2Rest) + float64(aLow*ln2))
}

// lgammaNear returns log Γ(x) for x from 1.3 to 3.3, and log Γ(x+1) for smaller x, in two parts. The distance d from the center
// has no error.
func lgammaNear(x float64) (float64, float64) {
	t, more := x, 0.0
	if x < 1.3 {
		t, more = x+1, 1
	}
	center, f, fLow, s, sLow := 1.0, 0.0, 0.0, -0x1.2788cfc6fb619p-1, 0x1.6cb90701fbfabp-58
	c0, c1, c2, c3, c4 := 0x1.a51a6625307d3p-01, -0x1.9a4d55beab271p-02, 0x1.151322ac7a654p-02, -0x1.a8b9c1791e8d8p-03, 0x1.5b40cad739a4ep-03
	c5, c6, c7, c8, c9 := -0x1.27039c7f748d7p-03, 0x1.010add5b77b68p-03, -0x1.c7fe234eea4e9p-04, 0x1.99b9b43a68864p-04, -0x1.72bb3c881537dp-04
	c10, c11, c12, c13, c14 := 0x1.4cb47abc63de9p-04, -0x1.1c09bbf150be7p-04, 0x1.a573ede65585bp-05, -0x1.cd0c12993c308p-06, 0x1.0949512becc6ap-07 // 2^-64.8
	if t >= 1.3 {
		center, f, fLow, s, sLow = 1.5, -0x1.eeb95b094c191p-4, -0x1.346863f58b075p-58, 0x1.2aed059bd608ap-5, 0x1.cd3d2ca77b63ap-63
		c0, c1, c2, c3, c4 = 0x1.de9e64df22ef3p-02, -0x1.1ae55b180726ap-03, 0x1.e0f840dad5dfcp-05, -0x1.da59d5374b93dp-06, 0x1.f9ca39db78cafp-07
		c5, c6, c7, c8, c9 = -0x1.1a8ba4f03a58bp-07, 0x1.456f1a35a9377p-08, -0x1.7edb80c2a464p-09, 0x1.c973de6a51fcep-10, -0x1.148ad5c8222cep-10
		c10, c11, c12, c13, c14 = 0x1.515f2579188acp-11, -0x1.9e8a066b084aep-12, 0x1.04070d654e917p-12, -0x1.512cd8ac28f86p-13, 0x1.4e1f4c8893904p-14 // 2^-63.4
	}
	if t >= 1.75 {
		center, f, fLow, s, sLow = 2, 0, 0, 0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58
		c0, c1, c2, c3, c4 = 0x1.4a34cc4a60fa6p-02, -0x1.13e001a557607p-04, 0x1.51322ac7d8a38p-06, -0x1.e404fc219122ep-08, 0x1.7add6eaca481cp-09
		c5, c6, c7, c8, c9 = -0x1.38ac5c2600788p-10, 0x1.0b36b0317d089p-11, -0x1.d3fd58691252ap-13, 0x1.a1275b35542bap-14, -0x1.78d94843eac2p-15
		c10, c11, c12, c13, c14 = 0x1.580d62308f60cp-16, -0x1.3da83ecc84156p-17, 0x1.292992dd60fd9p-18, -0x1.07140c7a452ep-19, 0x1.343dcee48e758p-21 // 2^-60.1
	}
	if t >= 2.4 {
		center, f, fLow, s, sLow = 2.8125, 0x1.0df2cc889ec8p-1, -0x1.054a23f281da1p-58, 0x1.b1181ba78d53dp-1, -0x1.fd0cf76969e2ap-55
		c0, c1, c2, c3, c4 = 0x1.b44ee8a7c698ap-03, -0x1.e8f2f04755081p-06, 0x1.95bde655e5cb4p-08, -0x1.8f50e4d917e8ep-10, 0x1.affcfc081c27ep-12
		c5, c6, c7, c8, c9 = -0x1.efd418aa41da6p-14, 0x1.28204391b0585p-15, -0x1.6bdb18ee94d33p-17, 0x1.c87d5fe993699p-19, -0x1.22ef2103b713fp-20
		c10, c11, c12, c13, c14 = 0x1.7750c61b48c76p-22, -0x1.e7c31cbb8b78ap-24, 0x1.438daa357d5b1p-25, -0x1.cda2d3a5d6761p-27, 0x1.0d5094c887296p-28 // 2^-63.7
	}
	d := x - (center - more)
	p := c13 + float64(c14*d)
	p = c12 + float64(p*d)
	p = c11 + float64(p*d)
	p = c10 + float64(p*d)
	p = c9 + float64(p*d)
	p = c8 + float64(p*d)
	p = c7 + float64(p*d)
	p = c6 + float64(p*d)
	p = c5 + float64(p*d)
	p = c4 + float64(p*d)
	p = c3 + float64(p*d)
	p = c2 + float64(p*d)
	p = c1 + float64(p*d)
	return expand(d, 0, f, fLow, s, sLow, c0, p)
}

// lgammaFar returns log Γ(x) in two parts, for x of at least 3.3. It needs log x in two parts. Large x are scaled down, so that
// no product overflows.
func lgammaFar(x, log, logLow float64) (float64, float64) {
	scale, back := 1.0, 1.0
	if x > 0x1p600 {
		scale, back = 0x1p-64, 0x1p64
	}
	q := 1 / x
	u := float64(q * q)
	p := 0x1.52343b34ec9bcp-02 + float64(0x1.9c213fd73edeap-03*u)
	p = -0x1.10e32b24a0cb1p-02 + float64(p*u)
	p = 0x1.861b6dd01736dp-04 + float64(p*u)
	p = -0x1.94a0022c86a1bp-06 + float64(p*u)
	p = 0x1.97086965051c5p-08 + float64(p*u)
	p = -0x1.f5356b981fb7ep-10 + float64(p*u)
	p = 0x1.b9447533d1b17p-11 + float64(p*u)
	p = -0x1.38135c80c8b3fp-11 + float64(p*u)
	p = 0x1.a01a016c0bd2fp-11 + float64(p*u)
	p = -0x1.6c16c16c0f847p-09 + float64(p*u)
	p = 0x1.5555555555555p-04 + float64(p*u) // 2^-59.3
	v := float64(x * scale)
	half := float64(0.5 * scale)
	w := v - half
	m, mLow := twoProduct(w, log)
	mLow += float64(w*logLow) + float64(((v-w)-half)*log)
	a, aLow := twoSum(m, -v)
	y, yLow := twoSum(a, float64(halfLogTwoPi*scale))
	yLow += aLow + (mLow + float64((halfLogTwoPiRest+float64(p*q))*scale))
	return float64(y * back), float64(yLow * back)
}

// lgammaNegative returns log |Γ(x)| for negative x. With r, the distance of a = -x from the nearest whole number, sin(πa)/π is
// ±r·sinc r. For a below 1.3, lgammaNear returns the logarithm of Γ(a+1) = a·Γ(a), so the factor a is not needed.
func lgammaNegative(x float64) float64 {
	a := -x
	if a >= 1<<52 {
		if a > math.MaxFloat64 {
			return x
		}
		return math.Inf(1)
	}
	n := (a + 1<<52) - 1<<52
	r := math.Abs(a - n)
	if r == 0 {
		return math.Inf(1)
	}
	q, qLow := sincNearZero(r)
	q, qLow = twoSum(q, qLow) // both may be large
	h, l := twoProduct(r, q)
	l += float64(r * qLow)
	if a >= 1.3 {
		m, mLow := twoProduct(a, h)
		h, l = m, mLow+float64(a*l)
	}
	g, gLow := logPair(h)
	gLow += l / h
	var f, fLow float64
	if a >= 3.3 {
		log, logLow := logPair(a)
		f, fLow = lgammaFar(a, log, logLow)
	} else {
		f, fLow = lgammaNear(a)
	}
	y, yLow := twoSum(f, g)
	return -(y + (yLow + (fLow + gLow)))
}
