package kernels

import "math"

// This file has the complementary error function and the distribution function of the normal
// distribution. Both functions are the product of e^(-x²·s) and erfcScaled, which changes slowly. For
// float64, each factor is computed in two parts, so that nearly all of the error comes from the
// rounding at the end.

// Erfc sets dst[i] to the complementary error function of x[i], 1 - Erf, for
// every i. For example, the real-space force of an Ewald sum needs it. Erfc
// keeps its precision for large x[i], where 1 - Erf would be 0.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. ±0 gives 1, and -Inf gives 2. +Inf gives
// +0, and so does an x whose result is too small.
// It panics if the lengths differ. It does not allocate.
func erfcGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ErfcOf(x[i])
	}
}

// ErfcOf returns the complementary error function of x.
// The result has the same bits as that of [Erfc].
func ErfcOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(erfcFloat32(float32(x)))
	} else {
		f = T(erfcFloat64(float64(x)))
	}
	return f
}

func erfcFloat32(x float32) float32 {
	a := lesser(10.4, math.Abs(float64(x)))
	y := float64(nearErfcScaled(a) * nearPower(-float64(float64(a*a)*log2E)))
	if x < 0 {
		y = 2 - y
	}
	return float32(y)
}

// nearErfcScaled returns e^(x²)·erfc(x) for x from 0 to 10.5, within 2^-31. The polynomial
// approximates (x + ½)·e^(x²)·erfc(x). Its argument t goes from -1 to 1 while x goes from 0
// to infinity.
func nearErfcScaled(x float64) float64 {
	t := (x - 2) / (x + 2)
	p := 0x1.de9ef98274081p-15 + float64(0x1.195a334d1513cp-17*t)
	p = 0x1.5e556cc59365ap-14 + float64(p*t)
	p = -0x1.d0578c79c97b7p-13 + float64(p*t)
	p = -0x1.77b6985de5b81p-11 + float64(p*t)
	p = 0x1.4d49c59a68ccfp-11 + float64(p*t)
	p = 0x1.1d9dae3dde6efp-08 + float64(p*t)
	p = -0x1.0746d9c518e27p-08 + float64(p*t)
	p = -0x1.bc29f00cccea2p-06 + float64(p*t)
	p = 0x1.4ffa279cdc67cp-04 + float64(p*t)
	p = -0x1.5407c3ab265ep-04 + float64(p*t)
	p = -0x1.7bf5ec9a31077p-05 + float64(p*t)
	p = 0x1.46e80e23b471ap-01 + float64(p*t) // 2^-31.9
	return p / (x + 0.5)
}

func erfcFloat64(x float64) float64 {
	a := lesser(27.3, math.Abs(x))
	n, e, eLow := gaussian(a, 1)
	q, qLow := erfcScaled(a, 0)
	return normalTail(n, e, eLow, q, qLow, x < 0, 2)
}

// gaussian computes e^(-x²·s), where s is 1 or ½. It returns a whole number n, and
// e^(-x²·s)/2^n in two parts.
func gaussian(x, s float64) (float64, float64, float64) {
	c := upperBits(x)
	n, r, rest := lessLn2(-float64(s * float64(c*c))) // without an error; the rest of x² follows
	rest -= float64(s * float64((x-c)*(x+c)))
	t := r + rest
	e := 1 + t
	return n, e, ((1 - e) + t) + (((r - t) + rest) + float64(float64(t*t)*expTail(t)))
}

// normalTail returns p = (e + eLow)·(q + qLow)·2^n, or whole - p if mirror is true.
func normalTail(n, e, eLow, q, qLow float64, mirror bool, whole float64) float64 {
	p, pLow := twoProduct(e, q)
	pLow += float64(e*qLow) + float64(eLow*q)
	y := timesPower(p+pLow, n)
	if mirror {
		power := math.Float64frombits(math.Float64bits(greater(-1000, n)+(roundInt64+1023)) << 52)
		h := float64(p * power)
		w := whole - h
		y = w + (((whole - w) - h) - float64(pLow*power))
	}
	return y
}

// erfcScaled returns e^(z²)·erfc(z) of z = x + low in two parts, for x from 0 to 27.3. If h is
// 1/√π, the product of (z + h) and the result is h + (1 - t²)·((1 - t)/8 + a polynomial of t).
// t = (z - 4)/(z + 4) goes from -1 to 1 while z goes from 0 to infinity.
//
// The computed t and x + 4 have rounding errors, so the computed t belongs to a slightly different
// z. erfcScaled computes the function at that z, and corrects the result with the derivative,
// which is 2z·erfcScaled(z) - 2/√π. The variable lost is the difference between d - 4 and that z.
func erfcScaled(x, low float64) (float64, float64) {
	d := x + 4
	low += x - (d - 4)
	t := (d - 8) / d
	c, cLow := twoProduct(t, d)
	lost := float64((((d - 8) - c) - cLow) * float64(0.125*d))
	p := 0x1.a17e0a775c94ep-33 + float64(0x1.0757814b99e98p-33*t)
	p = -0x1.1f543573dfd4ap-30 + float64(p*t)
	p = -0x1.dc71ca6331158p-30 + float64(p*t)
	p = 0x1.d465a6a846ddbp-28 + float64(p*t)
	p = 0x1.4571f4c807719p-27 + float64(p*t)
	p = -0x1.9ca5f2ab2f60cp-25 + float64(p*t)
	p = -0x1.1222fb791d4eap-25 + float64(p*t)
	p = 0x1.81518c1c1c89dp-22 + float64(p*t)
	p = -0x1.55148c68a733bp-23 + float64(p*t)
	p = -0x1.4b7e6196c801ap-19 + float64(p*t)
	p = 0x1.6126ad4ac62a1p-18 + float64(p*t)
	p = 0x1.4a9360b20cbe6p-17 + float64(p*t)
	p = -0x1.1fbb14a141652p-14 + float64(p*t)
	p = 0x1.b5edcd70b0c05p-14 + float64(p*t)
	p = 0x1.46d2cbf00fc41p-12 + float64(p*t)
	p = -0x1.355dd21aca2e2p-09 + float64(p*t)
	p = 0x1.0b0e837848e59p-07 + float64(p*t)
	p = -0x1.49a3ac69c8802p-06 + float64(p*t)
	p = 0x1.41feb9ca52696p-05 + float64(p*t)
	p = -0x1.01c8479f464b4p-04 + float64(p*t)
	p = 0x1.5346e067afd29p-04 + float64(p*t)
	p = 0x1.3be21f05c67ep-05 + float64(p*t)
	p = -0x1.05b9ffe17b5cdp-04 + float64(p*t) // 2^-60.5
	v := 1 - t
	s := float64(0.125*v) + p
	sLow := ((float64(0.125*v) - s) + p) + float64(0.125*((1-v)-t))
	b := upperBits(t)
	m := 1 - float64(b*b) // 1 - t², with the next line
	mLow := ((1 - m) - float64(b*b)) - float64((t-b)*(t+b))
	p = float64(m * s)
	high := invRootPi + p
	p = ((invRootPi - high) + p) + (float64(m*sLow) + float64(mLow*s))
	w := d - (4 - invRootPi) // without an error, because invRootPi has only 47 bits
	q := high / w
	c, cLow = twoProduct(q, w)
	low = ((((high-c)-cLow)+p)+float64(q*lost))/w + float64((lost+low)*(float64(float64(2*(d-4))*q)-twoOverRootPi))
	high = q + low
	return high, (q - high) + low
}
