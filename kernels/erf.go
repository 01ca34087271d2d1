package kernels

import "math"

// Erf sets dst[i] to the error function of x[i], 2/√π times the integral of
// e^(-t²) from 0 to x[i], for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 1.0 ulp for float64, 0.6 for float32. ±0 gives ±0, and ±Inf gives ±1.
// It panics if the lengths differ. It does not allocate.
func erfGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ErfOf(x[i])
	}
}

// ErfOf returns the error function of x.
// The result has the same bits as that of [Erf].
func ErfOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(erfFloat32(float32(x)))
	} else {
		f = T(erfFloat64(float64(x)))
	}
	return f
}

// erfFloat32 evaluates one polynomial of x² in float64, for x² up to 16; above that the result is
// 1.
func erfFloat32(x float32) float32 {
	a := lesser(4, math.Abs(float64(x)))
	u := float64(0.125*float64(a*a)) - 1
	p := 0x1.34bdc7c313f6dp-11 + float64(-0x1.d24ad65abcb9ep-13*u)
	p = -0x1.be56186dac23ap-12 + float64(p*u)
	p = 0x1.52cc5854cd7cfp-11 + float64(p*u)
	p = -0x1.66f70d2c389abp-09 + float64(p*u)
	p = 0x1.6a6fdf661d1f9p-08 + float64(p*u)
	p = -0x1.17ca48e960432p-07 + float64(p*u)
	p = 0x1.c9031b54e1252p-07 + float64(p*u)
	p = -0x1.705e46e35cf83p-06 + float64(p*u)
	p = 0x1.0ff82280c265bp-05 + float64(p*u)
	p = -0x1.76ecc762f71b2p-05 + float64(p*u)
	p = 0x1.ea6032d85ae25p-05 + float64(p*u)
	p = -0x1.3214efac07b6p-04 + float64(p*u)
	p = 0x1.7181a3797ca08p-04 + float64(p*u)
	p = -0x1.b92ead34a17aap-04 + float64(p*u)
	p = 0x1.0daba2af30f6ep-03 + float64(p*u)
	p = -0x1.69a0cc9055634p-03 + float64(p*u)
	p = 0x1.6a04078b03bep-02 + float64(p*u)
	return signOf32(float32(float64(a*p)), x) // 2^-29.2
}

// erfFloat64 returns x plus a polynomial of x² - ½ if |x| is up to 1. Otherwise it returns 1 -
// e^(-x²)·q(x), where q is fitted to the difference that remains.
func erfFloat64(x float64) float64 {
	a := math.Abs(x)
	v := float64(a*a) - 0.5 // in the middle: near 0 and near 1 there is the most to lose
	p := -0x1.ae08172bb94a5p-31 + float64(0x1.dcb1fad938656p-35*v)
	p = 0x1.42b3f70ed5a9cp-27 + float64(p*v)
	p = -0x1.bf8b6c37d88cap-24 + float64(p*v)
	p = 0x1.1ad5d7b795561p-20 + float64(p*v)
	p = -0x1.429e94c09a00cp-17 + float64(p*v)
	p = 0x1.486638c8e02fp-14 + float64(p*v)
	p = -0x1.263991b7a6888p-11 + float64(p*v)
	p = 0x1.c82aa249d922p-09 + float64(p*v)
	p = -0x1.2b902b7b2f489p-06 + float64(p*v)
	p = 0x1.454368017b054p-04 + float64(p*v)
	p = -0x1.1fd16292151fdp-02 + float64(p*v)
	p = -0x1.1ae14dc34815ap-05 + float64(p*v)
	y := a + float64(a*p) // 2^-59.3
	b := lesser(5.95, a)
	u := b - 1.5 // near 1, where q matters most, it changes the least
	q := 0x1.4294a0efbfd89p-38 + float64(-0x1.7b97cc766eacfp-43*u)
	q = -0x1.fa987726caeb9p-35 + float64(q*u)
	q = 0x1.f10fe021a9dc2p-32 + float64(q*u)
	q = -0x1.5f8e993b38bd6p-29 + float64(q*u)
	q = 0x1.8d7683057d7eep-27 + float64(q*u)
	q = -0x1.880f04e9a7b99p-25 + float64(q*u)
	q = 0x1.689bcc041ef07p-23 + float64(q*u)
	q = -0x1.405872290a82ep-21 + float64(q*u)
	q = 0x1.157323671a5adp-19 + float64(q*u)
	q = -0x1.d411dd71e3722p-18 + float64(q*u)
	q = 0x1.7f98c94c8f59cp-16 + float64(q*u)
	q = -0x1.30c0f1cd3536fp-14 + float64(q*u)
	q = 0x1.d450a2f189464p-13 + float64(q*u)
	q = -0x1.5b0abff9e341cp-11 + float64(q*u)
	q = 0x1.ee705e5a7211dp-10 + float64(q*u)
	q = -0x1.513ed75f889c7p-08 + float64(q*u)
	q = 0x1.b65944f383fa3p-07 + float64(q*u)
	q = -0x1.0dc51d2942983p-05 + float64(q*u)
	q = 0x1.37ea271bc520dp-04 + float64(q*u)
	q = -0x1.4f1988444caf3p-03 + float64(q*u)
	q = 0x1.494daffa2ad69p-02 + float64(q*u)
	c := upperBits(b)
	n, r, rest := lessLn2(-float64(c * c)) // without an error; the rest of b² follows
	rest -= float64((b - c) * (b + c))
	t := r + rest
	e := 1 + (t + (((r - t) + rest) + float64(float64(t*t)*expTail(t))))
	e = float64(e * math.Float64frombits(math.Float64bits(n+(roundInt64+1023))<<52))
	if a >= 1 {
		y = 1 - float64(e*q) // 2^-57.8
	}
	return signOf64(y, x)
}
