package main

import "math/big"

// fits lists the polynomials of package kernels, each with the file that contains it.
var fits = []fit{
	{name: "e^r, float32", file: "exp.go", lo: -0.3467, hi: 0.3467, terms: 5, bits: 24,
		f:      func(r *big.Float) *big.Float { return quo(sub(sub(exp(r), whole(1)), r), square(r)) },
		weight: func(r *big.Float) *big.Float { return quo(square(r), exp(r)) }},
	{name: "2^r, float32", file: "exp.go", lo: -0.5, hi: 0.5, terms: 5, bits: 24,
		f: func(r *big.Float) *big.Float {
			l := mul(r, log(whole(2)))
			return quo(sub(sub(exp(l), whole(1)), l), square(r))
		},
		weight: func(r *big.Float) *big.Float { return quo(square(r), exp(mul(r, log(whole(2))))) }},
	{name: "logarithm, float32", file: "log.go", lo: 0, hi: 0.02945, terms: 3, bits: 24,
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(sub(quo(half(artanh(s), -1), s), whole(2)), z)
		},
		weight: func(z *big.Float) *big.Float { return half(z, 1) }},
	{name: "sine, float32", file: "trig.go", lo: 0, hi: 2.4675, terms: 4, bits: 53, f: tail(sin),
		weight: func(z *big.Float) *big.Float { return quo(mul(z, root(z)), sin(root(z))) }},
	{name: "arc tangent, float32", file: "arcs.go", lo: 0, hi: 0.25, terms: 5, bits: 24, f: tail(atan), weight: same},
	{name: "arc sine, float32", file: "arcs.go", lo: 0, hi: 0.25, terms: 5, bits: 24, f: tail(asin), weight: same},
	{name: "logarithm of powers, float32", file: "pow.go", lo: 0, hi: 0.02945, terms: 5, bits: 53, relative: true,
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(half(artanh(s), -1), mul(s, log(whole(2))))
		}},
	{name: "logarithm of powers, float64", file: "pow.go", lo: 0, hi: 0.02945, terms: 8, bits: 53,
		f: func(z *big.Float) *big.Float {
			s := root(z)
			return quo(sub(quo(mul(whole(3), artanh(s)), s), add(whole(3), z)), square(z))
		},
		weight: square},
	{name: "error function, float32", file: "erf.go", lo: -1, hi: 1, terms: 18, bits: 53, relative: true,
		f: func(u *big.Float) *big.Float {
			a := root(above(add(mul(whole(8), u), whole(8))))
			return quo(erf(a), a)
		}},
	{name: "error function to 1, float64", file: "erf.go", lo: -0.5, hi: 0.5, terms: 13, bits: 53,
		f: func(v *big.Float) *big.Float {
			a := root(above(add(v, real(0.5))))
			return sub(quo(erf(a), a), whole(1))
		}},
	{name: "error function beyond 1, float64", file: "erf.go", lo: -0.5, hi: 4.45, terms: 22, bits: 53,
		f: func(u *big.Float) *big.Float {
			a := add(u, real(1.5))
			return mul(sub(whole(1), erf(a)), exp(square(a)))
		},
		weight: func(u *big.Float) *big.Float { return exp(neg(square(add(u, real(1.5))))) }},
}

// tail returns (f(√z)/√z - 1)/z.
func tail(f func(x *big.Float) *big.Float) func(z *big.Float) *big.Float {
	return func(z *big.Float) *big.Float { return quo(sub(quo(f(root(z)), root(z)), whole(1)), z) }
}

func same(z *big.Float) *big.Float { return z }

func square(x *big.Float) *big.Float { return mul(x, x) }

// artanh is half of log((1+x)/(1-x)).
func artanh(x *big.Float) *big.Float {
	return half(log(quo(add(whole(1), x), sub(whole(1), x))), 1)
}

// above returns x, or a number next to zero if x is zero.
func above(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return real(0x1p-150)
	}
	return x
}
