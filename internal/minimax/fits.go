package main

import "math/big"

// fits lists the polynomials of package kernels, each with the file that contains it.
var fits = append([]fit{
	{name: "e^r, float32", file: "exp.go", lo: -0.3467, hi: 0.3467, terms: 5, bits: 24,
		sollya: "(exp(x)-1-x)/x^2", sollyaWeight: "x^2/exp(x)",
		f:      func(r *big.Float) *big.Float { return quo(sub(sub(exp(r), whole(1)), r), square(r)) },
		weight: func(r *big.Float) *big.Float { return quo(square(r), exp(r)) }},
	{name: "2^r, float32", file: "exp.go", lo: -0.5, hi: 0.5, terms: 5, bits: 24,
		sollya: "(2^x-1-x*log(2))/x^2", sollyaWeight: "x^2/2^x",
		f: func(r *big.Float) *big.Float {
			l := mul(r, log(whole(2)))
			return quo(sub(sub(exp(l), whole(1)), l), square(r))
		},
		weight: func(r *big.Float) *big.Float { return quo(square(r), exp(mul(r, log(whole(2))))) }},
	{name: "logarithm, float32", file: "log.go", lo: 0, hi: 0.02945, terms: 3, bits: 24,
		sollya: "(2*atanh(sqrt(x))/sqrt(x)-2)/x", sollyaWeight: "x/2",
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(sub(quo(scaleDown(artanh(s), -1), s), whole(2)), z)
		},
		weight: func(z *big.Float) *big.Float { return scaleDown(z, 1) }},
	{name: "sine, float32", file: "trig.go", lo: 0, hi: 2.4675, terms: 4, bits: 53,
		sollya: "(sin(sqrt(x))/sqrt(x)-1)/x", sollyaWeight: "x*sqrt(x)/sin(sqrt(x))",
		f:      tail(sin),
		weight: func(z *big.Float) *big.Float { return quo(mul(z, root(z)), sin(root(z))) }},
	{name: "arc tangent, float32", file: "arcs.go", lo: 0, hi: 0.25, terms: 5, bits: 24,
		sollya: "(atan(sqrt(x))/sqrt(x)-1)/x", sollyaWeight: "x",
		f: tail(atan), weight: identity},
	{name: "arc sine, float32", file: "arcs.go", lo: 0, hi: 0.25, terms: 5, bits: 24,
		sollya: "(asin(sqrt(x))/sqrt(x)-1)/x", sollyaWeight: "x",
		f: tail(asin), weight: identity},
	{name: "logarithm of powers, float32", file: "pow.go", lo: 0, hi: 0.02945, terms: 5, bits: 53, relative: true,
		sollya: "2*atanh(sqrt(x))/sqrt(x)/log(2)",
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(scaleDown(artanh(s), -1), mul(s, log(whole(2))))
		}},
	{name: "logarithm of powers, float64", file: "pow.go", lo: 0, hi: 0.02945, terms: 8, bits: 53,
		sollya: "(3*atanh(sqrt(x))/sqrt(x)-3-x)/x^2", sollyaWeight: "x^2",
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(sub(quo(mul(whole(3), artanh(s)), s), add(whole(3), z)), square(z))
		},
		weight: square},
	{name: "error function, float32", file: "erf.go", lo: -1, hi: 1, terms: 18, bits: 53, relative: true,
		sollya: "erf(sqrt(8*x+8))/sqrt(8*x+8)",
		f: func(u *big.Float) *big.Float {
			a := root(awayFromZero(add(mul(whole(8), u), whole(8))))
			return quo(erf(a), a)
		}},
	{name: "error function to 1, float64", file: "erf.go", lo: -0.5, hi: 0.5, terms: 13, bits: 53,
		sollya: "erf(sqrt(x+1/2))/sqrt(x+1/2)-1",
		f: func(v *big.Float) *big.Float {
			a := root(awayFromZero(add(v, real(0.5))))
			return sub(quo(erf(a), a), whole(1))
		}},
	{name: "error function beyond 1, float64", file: "erf.go", lo: -0.5, hi: 4.45, terms: 22, bits: 53,
		sollya: "erfc(x+3/2)*exp((x+3/2)^2)", sollyaWeight: "exp(-(x+3/2)^2)",
		f: func(u *big.Float) *big.Float {
			a := add(u, real(1.5))
			return mul(sub(whole(1), erf(a)), exp(square(a)))
		},
		weight: func(u *big.Float) *big.Float { return exp(neg(square(add(u, real(1.5))))) }},
	{name: "complementary error function, float32", file: "erfc.go", lo: -1, hi: 8.5 / 12.5, terms: 13, bits: 53, relative: true,
		sollya: "(2*(1+x)/(1-x)+1/2)*exp((2*(1+x)/(1-x))^2)*erfc(2*(1+x)/(1-x))",
		f:      erfcBent(2, 0.5)},
	{name: "complementary error function, float64", file: "erfc.go", lo: -0x1.fffffp-1, hi: 23.3 / 31.3, terms: 24, bits: 53,
		sollya: "((4*(1+x)/(1-x)+5081767996463936b-53)*exp((4*(1+x)/(1-x))^2)*erfc(4*(1+x)/(1-x))-5081767996463936b-53)/(1-x^2)-(1-x)/8", sollyaWeight: "(1-x^2)/((4*(1+x)/(1-x)+5081767996463936b-53)*exp((4*(1+x)/(1-x))^2)*erfc(4*(1+x)/(1-x)))",
		f: func(t *big.Float) *big.Float {
			p := quo(sub(erfcBent(4, invRootPi)(t), real(invRootPi)), sub(whole(1), square(t)))
			return sub(p, scaleDown(sub(whole(1), t), 3))
		},
		weight: func(t *big.Float) *big.Float { return quo(sub(whole(1), square(t)), erfcBent(4, invRootPi)(t)) }},
	{name: "e^r, rounded", file: "roundednear.go", lo: -0.3467, hi: 0.3467, terms: 8, bits: 53,
		sollya: "(exp(x)-1-x)/x^2", sollyaWeight: "abs(x)",
		f:      func(r *big.Float) *big.Float { return quo(sub(sub(exp(r), whole(1)), r), square(r)) },
		weight: size},
	{name: "2^r, rounded", file: "roundednear.go", lo: -0.5, hi: 0.5, terms: 9, bits: 53, relative: true,
		sollya: "(2^x-1)/x",
		f:      func(r *big.Float) *big.Float { return quo(sub(exp(mul(r, log(whole(2)))), whole(1)), r) }},
	{name: "logarithm, rounded", file: "roundednear.go", lo: 0, hi: 0.02945, terms: 5, bits: 53,
		sollya: "(2*atanh(sqrt(x))/sqrt(x)-2)/x", sollyaWeight: "x/2",
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(sub(quo(scaleDown(artanh(s), -1), s), whole(2)), z)
		},
		weight: func(z *big.Float) *big.Float { return scaleDown(z, 1) }},
	{name: "logarithm of powers, rounded", file: "roundednear.go", lo: 0, hi: 0.02945, terms: 7, bits: 53, relative: true,
		sollya: "2*atanh(sqrt(x))/sqrt(x)/log(2)",
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(scaleDown(artanh(s), -1), mul(s, log(whole(2))))
		}},
	{name: "sine, rounded", file: "roundednear.go", lo: 0, hi: 2.4675, terms: 6, bits: 53,
		sollya: "(sin(sqrt(x))/sqrt(x)-1)/x", sollyaWeight: "x*sqrt(x)/sin(sqrt(x))",
		f:      tail(sin),
		weight: func(z *big.Float) *big.Float { return quo(mul(z, root(z)), sin(root(z))) }},
	{name: "complementary error function, rounded", file: "roundednear.go", lo: -1, hi: 8.5 / 12.5, terms: 18, bits: 53, relative: true,
		sollya: "(2*(1+x)/(1-x)+1/2)*exp((2*(1+x)/(1-x))^2)*erfc(2*(1+x)/(1-x))",
		f:      erfcBent(2, 0.5)},
	{name: "arc tangent, rounded", file: "roundednear.go", lo: 0, hi: 0.1112, terms: 7, bits: 53,
		sollya: "(atan(sqrt(x))/sqrt(x)-1)/x", sollyaWeight: "x",
		f: tail(atan), weight: identity},
	{name: "arc sine, rounded", file: "roundednear.go", lo: 0, hi: 0.25, terms: 9, bits: 53,
		sollya: "(asin(sqrt(x))/sqrt(x)-1)/x", sollyaWeight: "x",
		f: tail(asin), weight: identity},
	{name: "normal quantile near a half, float32", file: "normal.go", lo: 0, hi: 0.0625, terms: 8, bits: 53, relative: true, f: bentCenter},
	{name: "normal quantile near a half, float64", file: "normal.go", lo: 0, hi: 0.0625, terms: 14, bits: 53,
		f:      func(u *big.Float) *big.Float { return quo(sub(bentCenter(u), root(scaleDown(pi(), -1))), u) },
		weight: func(u *big.Float) *big.Float { return quo(u, bentCenter(u)) }},
	{name: "normal quantile of small numbers", file: "normal.go", lo: -0.501, hi: 33.7 / 43.7, terms: 15, bits: 53,
		f: func(t *big.Float) *big.Float {
			r := quo(mul(whole(5), add(whole(1), t)), sub(whole(1), t))
			return sub(normalTail(r), r)
		},
		weight: func(t *big.Float) *big.Float {
			return quo(whole(1), normalTail(quo(mul(whole(5), add(whole(1), t)), sub(whole(1), t))))
		}},
	{name: "sinc, float32", file: "sinc.go", lo: 0, hi: 0.25, terms: 5, bits: 53,
		sollya: "(sin(pi*sqrt(x))/(pi*sqrt(x))-1)/x", sollyaWeight: "x*pi*sqrt(x)/sin(pi*sqrt(x))",
		f:      func(u *big.Float) *big.Float { return quo(sub(sinc(u), whole(1)), u) },
		weight: func(u *big.Float) *big.Float { return quo(u, sinc(u)) }},
	{name: "sinc, float64", file: "sinc.go", lo: 0, hi: 0.25, terms: 8, bits: 53,
		sollya: "(sin(pi*sqrt(x))/(pi*sqrt(x))-1+x*pi^2/6)/x^2", sollyaWeight: "x^2*pi*sqrt(x)/sin(pi*sqrt(x))",
		f: func(u *big.Float) *big.Float {
			return quo(add(sub(sinc(u), whole(1)), quo(mul(u, square(pi())), whole(6))), square(u))
		},
		weight: func(u *big.Float) *big.Float { return quo(square(u), sinc(u)) }},
}, specialFits()...)

// sinc returns sin(π·√u)/(π·√u).
func sinc(u *big.Float) *big.Float {
	a := mul(pi(), root(u))
	return quo(sin(a), a)
}

// bentCenter returns the normal quantile of ½ + √u, divided by √u.
func bentCenter(u *big.Float) *big.Float {
	v := root(u)
	return quo(normalCenter(v), v)
}

// invRootPi is 1/√π, rounded to a multiple of 2^-47. The file erfc.go uses the
// same number.
const invRootPi = 0x1.20dd750429b4p-1

// erfcBent returns (x + h)·e^(x²)·erfc(x) as a function of t = (x - k)/(x + k).
func erfcBent(k, h float64) func(t *big.Float) *big.Float {
	return func(t *big.Float) *big.Float {
		x := awayFromZero(quo(mul(real(k), add(whole(1), t)), sub(whole(1), t)))
		return mul(add(x, real(h)), erfcScaled(x))
	}
}

// tail returns (f(√z)/√z - 1)/z.
func tail(f func(x *big.Float) *big.Float) func(z *big.Float) *big.Float {
	return func(z *big.Float) *big.Float { return quo(sub(quo(f(root(z)), root(z)), whole(1)), z) }
}

func size(x *big.Float) *big.Float { return real(0).Abs(x) }

func identity(z *big.Float) *big.Float { return z }

func square(x *big.Float) *big.Float { return mul(x, x) }

// artanh is half of log((1+x)/(1-x)).
func artanh(x *big.Float) *big.Float {
	return scaleDown(log(quo(add(whole(1), x), sub(whole(1), x))), 1)
}

// awayFromZero returns x, or a number next to zero if x is zero.
func awayFromZero(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return real(0x1p-150)
	}
	return x
}
