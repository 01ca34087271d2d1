package kernels

import "math"

// The correctly rounded functions of float32 call the functions of this file, which compute in float64 with a relative error
// below 2^-42. This is enough to decide the rounding of all but about one argument in two hundred thousand, and takes less
// time than the exported functions for float64. The functions rely on the fact that their arguments are float32: for example,
// no argument above zero is a subnormal float64. Package internal/minimax computed the polynomials; the comment after each
// polynomial has its largest error relative to the function.

// powerParts writes x as n·ln 2 + r with an integer n. It returns r, (e^r - 1 - r)/r², and a word whose lowest bits are n. For
// |x| up to 128, the error of n·ln 2 is below 2^-46. If n is zero, there is no error. The polynomial is a sum of pairs, because
// a long chain of dependent operations took more time.
func powerParts(x float64) (float64, float64, uint64) {
	f := float64(x*log2E) + roundInt64
	r := x - float64((f-roundInt64)*ln2)
	z := float64(r * r)
	p := (0x1.fffffffff736bp-02 + float64(0x1.555555554f648p-03*r)) + float64(z*(0x1.5555557409791p-05+float64(0x1.1111112954421p-07*r)))
	q := (0x1.6c164e1df8ea7p-10 + float64(0x1.a0197ff711354p-13*r)) + float64(z*(0x1.a15a314066fecp-16+float64(0x1.72f7db5a632f8p-19*r)))
	return r, p + float64(float64(z*z)*q), math.Float64bits(f) // 2^-43.5
}

// timesNear returns y·2^n, where n is the integer in the lowest bits of f. Both y and the result must be normal
// numbers.
func timesNear(y float64, f uint64) float64 {
	return math.Float64frombits(math.Float64bits(y) + f<<52)
}

// belowOne is 1 - 2^-42. A sum that uses belowOne in place of 1 is below the exact result.
const belowOne float64 = 1 - 0x1p-42

// expBelow returns a number between (1 - 2^-41.4)·e^x and e^x.
func expBelow(x float32) float64 {
	r, p, f := powerParts(lesser(90, greater(-105, float64(x))))
	return timesNear((belowOne+r)+float64(float64(r*r)*p), f)
}

// exp2Below returns a number between (1 - 2^-41.4)·2^x and 2^x.
func exp2Below(x float32) float64 {
	return powerBelow(lesser(130, greater(-152, float64(x))))
}

// powerBelow does the same as exp2Below for a float64 between -152 and 130.
func powerBelow(w float64) float64 {
	f := w + roundInt64
	r := w - (f - roundInt64)
	z := float64(r * r)
	p := (0x1.62e42fefa39abp-01 + float64(0x1.ebfbdff823e7cp-03*r)) + float64(z*(0x1.c6b08d706a27dp-05+float64(0x1.3b2ab717e9a35p-07*r)))
	q := (0x1.5d87fe31291f2p-10 + float64(0x1.4308ace943646p-13*r)) + float64(z*((0x1.ffcca81ffa752p-17+float64(0x1.63d0c467aa1b9p-20*r))+float64(0x1.b5253343dddbdp-24*z)))
	p += float64(float64(z*z) * q) // 2^-43.6
	return timesNear(belowOne+float64(r*p), math.Float64bits(f))
}

// log2Near returns log₂ x for x > 0 with a relative error below 2^-50. Because x is a float32, 2 + f and k are exact, so that only the
// polynomial and five operations have errors.
func log2Near(x float64) float64 {
	k, f := splitNormal(x)
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	p := (0x1.ec709dc39ccf9p-01 + float64(0x1.2776c51676852p-01*z)) + float64(w*((0x1.a61756a3d6c51p-02+float64(0x1.484fa292a192p-02*z))+float64(w*(0x1.0bb8b83d4f6ddp-02+float64(0x1.f1711874d3cc1p-03*z)))))
	return k + float64(s*(0x1.71547652b82ffp+01+float64(p*z))) // 2^-52.3
}

// powBelow returns a number whose absolute value is between (1 - 2^-41)·|x^y| and |x^y|. The exponent y·log₂|x| is at most 152,
// so its error is below 2^-42.7. This changes the power by a relative error of less than 2^-43.2.
func powBelow(x, y float32) float64 {
	a := math.Abs(float64(x))
	l := log2Near(a)
	if a == 0 {
		l = math.Float64frombits(0xfff << 52)
	}
	if a > math.MaxFloat32 {
		l = a
	}
	b := lesser(0x1p40, greater(-0x1p40, float64(y))) // a larger exponent changes nothing: the power is 0, 1 or Inf
	p := powerBelow(lesser(130, greater(-152, float64(b*l))))
	return powSpecial(p, float64(x), float64(y))
}

// expm1Near returns e^x - 1. Its relative error is small for small x too, because then n is zero.
func expm1Near(x float64) float64 {
	r, p, f := powerParts(x)
	s := timesNear(1, f)
	return float64(s*(r+float64(float64(r*r)*p))) + (s - 1)
}

// sinhNear returns sinh x. It uses e^x - 1, so that no digits cancel for small x.
func sinhNear(x float32) float64 {
	m := expm1Near(lesser(90, math.Abs(float64(x))))
	return signOf64(float64(0.5*(m+m/(m+1))), float64(x))
}

func coshNear(x float32) float64 {
	r, p, f := powerParts(lesser(90, math.Abs(float64(x))))
	e := timesNear((1+r)+float64(float64(r*r)*p), f)
	return float64(0.5 * (e + 1/e))
}

func tanhNear(x float32) float64 {
	m := expm1Near(lesser(40, float64(2*math.Abs(float64(x)))))
	return signOf64(m/(m+2), float64(x))
}

// logNear returns log(1+f) for f between √½ - 1 and √2 - 1.
func logNear(f float64) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	p := (0x1.999996a83a6afp-02 + float64(0x1.24941269f57f3p-02*z)) + float64(float64(z*z)*(0x1.c62ae8e02ca15p-03+float64(0x1.9118320aea4fcp-03*z)))
	p = 0x1.555555561e9e5p-01 + float64(p*z)
	return float64(s * (2 + float64(p*z))) // 2^-44.9
}

// If x is very close to zero, the exponent of 1+x is zero. The logarithm is then computed as that of 1+f with f = x, so
// that it is also correct if 1+x was rounded.
func log1pNear(x float32) float64 {
	w := float64(x)
	u := 1 + w
	k, f := splitNormal(u)
	if k == 0 {
		f = w
	}
	return signOf64(logSpecial(float64(k*ln2)+logNear(f), u), w)
}

// rsqrtNear computes 1/√x as a float32 and improves it by one step of Newton's method, whose error
// is ⅜h².
func rsqrtNear(x float32) float64 {
	y := float64(1 / float32(math.Sqrt(float64(x))))
	h := 1 - float64(float64(x)*float64(y*y))
	w := y + float64(y*float64(0.5*h))
	if !(x > 0 && x <= math.MaxFloat32) {
		w = y
	}
	return w
}

// sineNear returns the sine of x - n·π, with the opposite sign if k is odd. The product of n and any part of π but the
// last is exact.
func sineNear(x, n float64, k uint64) float64 {
	r := ((x - float64(n*piA)) - float64(n*piB33)) - float64(n*piC)
	z := float64(r * r)
	p := (-0x1.5555555547132p-03 + float64(0x1.1111110a553b5p-07*z)) + float64(float64(z*z)*((-0x1.a019fd5924445p-13+float64(0x1.71dcf84210855p-19*z))+float64(float64(z*z)*(-0x1.ae03f6500e87dp-26+float64(0x1.52dbc7cd60a7bp-33*z)))))
	s := float64(r * (1 + float64(p*z))) // 2^-43.7
	return math.Float64frombits(math.Float64bits(s) ^ k<<63)
}

func sinNear(x float64) float64 {
	f := float64(x*halfTurns) + roundInt64
	return sineNear(x, f-roundInt64, math.Float64bits(f))
}

func cosNear(x float64) float64 {
	f := (float64(x*halfTurns) + 0.5) + roundInt64
	return sineNear(x, (f-roundInt64)-0.5, math.Float64bits(f))
}

func tanNear(x float64) float64 {
	f := float64(x*twoOverPi64) + roundInt64
	k := math.Float64bits(f)
	n := float64(0.5 * (f - roundInt64))
	r := ((x - float64(n*piA)) - float64(n*piB33)) - float64(n*piC)
	z := float64(r * r)
	p, q := quarterTails(z)
	s, c := float64(r*(1+p)), (1-float64(0.5*z))+q
	if k&1 != 0 {
		s, c = -c, s
	}
	return s / c
}

// arcNear returns the arc tangent of n/d, for 0 ≤ n ≤ d. It divides only once: if n/d is above ⅓, it uses the formula for the
// difference between the angle and the arc tangent of ½.
func arcNear(n, d float64) float64 {
	base, u, v := 0.0, n, d
	if n > float64(third*d) {
		base, u, v = atanHalf, float64(2*n)-d, float64(2*d)+n
	}
	t := float64(u / v) // v may be 1, and then Go sees a product
	z := float64(t * t)
	w := float64(z * z)
	p := (-0x1.55555554f5153p-02 + float64(0x1.999998ead6f62p-03*z)) + float64(w*((-0x1.2492136126938p-03+float64(0x1.c70cb36cf59b6p-04*z))+float64(w*((-0x1.731f259f9deedp-04+float64(0x1.2d1421fec30dfp-04*z))+float64(-0x1.7828adb6eff7p-05*w)))))
	return base + (t + float64(t*float64(p*z))) // 2^-44.9
}

func atanNear(x float32) float64 {
	a := math.Abs(float64(x))
	n, d := a, 1.0
	if a > 1 {
		n, d = 1, a
	}
	y := arcNear(n, d)
	if a > 1 {
		y = halfPi - y
	}
	return signOf64(y, float64(x))
}

// atan2Near returns the absolute value of the angle of the point (x, y).
func atan2Near(y, x float32) float64 {
	a, b := math.Abs(float64(y)), math.Abs(float64(x))
	n, d := a, b
	if a > b {
		n, d = b, a
	}
	if a == b { // also of two infinities
		n, d = 1, 1
	}
	if a == 0 {
		n, d = 0, 1
	}
	f := arcNear(n, d)
	if a > b {
		f = halfPi - f
	}
	if int32(math.Float32bits(x)) < 0 {
		f = pi - f
	}
	if a != a || b != b {
		f = a + b
	}
	return f
}

// asinNearTail returns asin r/r - 1, for z = r² ≤ ¼.
func asinNearTail(z float64) float64 {
	w := float64(z * z)
	p := (0x1.555555565fc8p-03 + float64(0x1.333331ed3097dp-04*z)) + float64(w*(0x1.6db764819730ap-05+float64(0x1.f1aaf65760b41p-06*z)))
	q := (0x1.702b794ff4535p-06 + float64(0x1.0df8e67761d2bp-06*z)) + float64(w*(0x1.313c2ab969765p-06+float64(-0x1.7687715f3a224p-09*z)))
	q += float64(0x1.05cdc29b44f8p-05 * float64(w*w))
	return float64(z * (p + float64(q*float64(w*w)))) // 2^-43.9
}

func asinNear(x float32) float64 {
	a := math.Abs(float64(x))
	z, f, base := float64(a*a), a, 0.0
	if a > 0.5 {
		z = float64(0.5 * (1 - a))
		f, base = float64(-2*math.Sqrt(z)), halfPi
	}
	return signOf64(base+(f+float64(f*asinNearTail(z))), float64(x))
}

func acosNear(x float32) float64 {
	w := float64(x)
	a := math.Abs(w)
	z, f, base := float64(a*a), -w, halfPi
	if a > 0.5 {
		z = float64(0.5 * (1 - a))
		f, base = float64(2*math.Sqrt(z)), 0
	}
	if w < -0.5 {
		f, base = -f, pi
	}
	return base + (f + float64(f*asinNearTail(z)))
}

// cbrtNear starts with y, which is 1/∛t with an error of up to 2^-17. It corrects t·y² by the first terms of
// the series for (1 - h)^-⅔.
func cbrtNear(x float32) float64 {
	a := math.Abs(float64(x))
	t, y, power := cubeGuess(a)
	y2 := float64(y * y)
	w := float64(t * y2)
	h := 1 - float64(w*y)
	w += float64(w * float64(h*(twoThirds+float64(fiveNinths*h))))
	w = float64(w * power)
	if !(a > 0 && a <= math.MaxFloat32) {
		w = a
	}
	return signOf64(w, float64(x))
}

// erfcNear computes the same as erfcFloat32, with longer polynomials.
func erfcNear(x float32) float64 {
	a := lesser(10.4, math.Abs(float64(x)))
	t := (a - 2) / (a + 2)
	p := 0x1.e049d05aec2e4p-20 + float64(0x1.a3ba1dec78fp-22*t)
	p = 0x1.d2bd4b1c60b7cp-20 + float64(p*t)
	p = -0x1.981465f6d81b8p-18 + float64(p*t)
	p = -0x1.2c3d3cb35f8a7p-16 + float64(p*t)
	p = -0x1.1393c76021f13p-20 + float64(p*t)
	p = 0x1.3bf4ddf62086ep-14 + float64(p*t)
	p = 0x1.b1091415f29dcp-14 + float64(p*t)
	p = -0x1.dc4acbed858f5p-13 + float64(p*t)
	p = -0x1.7de60f1185034p-11 + float64(p*t)
	p = 0x1.4d44e0b9948b9p-11 + float64(p*t)
	p = 0x1.1dd2ee0d2bbaap-08 + float64(p*t)
	p = -0x1.074230a394bd2p-08 + float64(p*t)
	p = -0x1.bc2b95624750bp-06 + float64(p*t)
	p = 0x1.4ffa1e12ce917p-04 + float64(p*t)
	p = -0x1.5407bebf34f6fp-04 + float64(p*t)
	p = -0x1.7bf5ec16f4646p-05 + float64(p*t)
	p = 0x1.46e80e2277959p-01 + float64(p*t) // 2^-45.3
	r, q, f := powerParts(-float64(a * a))
	y := float64(timesNear((1+r)+float64(float64(r*r)*q), f) * (p / (a + 0.5)))
	if x < 0 {
		y = 2 - y
	}
	return y
}
