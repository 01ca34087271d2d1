package kernels

import "math"

// Erf sets dst[i] to the error function of x[i], 2/√π times the integral of e^(-t²)
// from 0 to x[i], for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 1.0 ulp for float64, 0.6 for float32. ±0 stays what it is, ±1 for
// ±Inf.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Erf[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		erfPieces(dst, x)
	case single[T]():
		erf32(f32(dst), f32(x))
	default:
		erf64(f64(dst), f64(x))
	}
}

func erfGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ErfOf(x[i])
	}
}

// ErfOf returns the error function of x, with the bits of [Erf].
func ErfOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(erfFloat32(float32(x)))
	} else {
		f = T(erfFloat64(float64(x)))
	}
	return f
}

// erfFloat32 is one polynomial of x², between 0 and 16, in float64: beyond that it is 1.
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

// erfFloat64 is x and a polynomial of x² - ¾ up to 1, and 1 - e^(-x²)·q(x) beyond, where q is
// fitted to what of it is left in the difference.
func erfFloat64(x float64) float64 {
	a := math.Abs(x)
	v := float64(a*a) - 0.75
	p := -0x1.1d8eb399a1342p-31 + float64(0x1.78586595312p-34*v)
	p = 0x1.04a6f53e66e5ep-27 + float64(p*v)
	p = -0x1.652d062d055fdp-24 + float64(p*v)
	p = 0x1.c4f4e23cde1bfp-21 + float64(p*v)
	p = -0x1.03382b907212cp-17 + float64(p*v)
	p = 0x1.09046edda208bp-14 + float64(p*v)
	p = -0x1.dd9dff95509d8p-12 + float64(p*v)
	p = 0x1.7530755e31925p-09 + float64(p*v)
	p = -0x1.efd13dd1a9eb6p-07 + float64(p*v)
	p = 0x1.12198a34afc2p-04 + float64(p*v)
	p = -0x1.f4eac5302d05dp-03 + float64(p*v)
	p = -0x1.9a0bafec7a26ep-04 + float64(p*v)
	y := a + float64(a*p) // 2^-57.7
	b := lesser(5.95, a)
	u := b - 3
	q := -0x1.6fdee153fff0bp-40 + float64(-0x1.e225b5959dadbp-43*u)
	q = -0x1.60aec151f2f5p-39 + float64(q*u)
	q = 0x1.3f60ceabedfd2p-37 + float64(q*u)
	q = 0x1.ed1011af4ea5dp-36 + float64(q*u)
	q = 0x1.ff9a34ae088b7p-35 + float64(q*u)
	q = -0x1.1685b6701b5bdp-32 + float64(q*u)
	q = 0x1.11167ec263502p-31 + float64(q*u)
	q = -0x1.cbc6d0e678591p-29 + float64(q*u)
	q = 0x1.080ba57c4a635p-26 + float64(q*u)
	q = -0x1.1ba9ad3f53778p-24 + float64(q*u)
	q = 0x1.367c8634a79b8p-22 + float64(q*u)
	q = -0x1.4b33a1f407c72p-20 + float64(q*u)
	q = 0x1.595b5a499c7f2p-18 + float64(q*u)
	q = -0x1.602492c6d9541p-16 + float64(q*u)
	q = 0x1.5e73b86b8ae71p-14 + float64(q*u)
	q = -0x1.53dec83f4c5b9p-12 + float64(q*u)
	q = 0x1.409cc2a05a2ffp-10 + float64(q*u)
	q = -0x1.259061c243deep-08 + float64(q*u)
	q = 0x1.043fe1a981e0cp-06 + float64(q*u)
	q = -0x1.bd6ae4d143cddp-05 + float64(q*u)
	q = 0x1.6e9827d229f23p-03 + float64(q*u)
	c := few(b)
	n, r, rest := lessLn2(-float64(c * c)) // without an error; the rest of b² follows
	rest -= float64((b - c) * (b + c))
	t := r + rest
	e := 1 + (t + (((r - t) + rest) + float64(float64(t*t)*expTail(t))))
	e = float64(e * math.Float64frombits(math.Float64bits(n+(roundInt64+1023))<<52))
	if a >= 1 {
		y = 1 - float64(e*q) // 2^-58.7
	}
	return signOf64(y, x)
}
