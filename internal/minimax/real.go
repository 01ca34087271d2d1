package main

import "math/big"

// precision is the number of bits of a number. A quotient near zero loses at most half of these
// bits.
const precision = 420

func real(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

func whole(v int64) *big.Float { return new(big.Float).SetPrec(precision).SetInt64(v) }

func add(x, y *big.Float) *big.Float { return real(0).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return real(0).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return real(0).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return real(0).Quo(x, y) }
func neg(x *big.Float) *big.Float    { return real(0).Neg(x) }
func root(x *big.Float) *big.Float   { return real(0).Sqrt(x) }

// scaleDown returns x·2^-n.
func scaleDown(x *big.Float, n int) *big.Float { return real(0).SetMantExp(x, -n) }

// sum adds terms of a series until they no longer change the sum.
func sum(first *big.Float, next func(k int64, term *big.Float) *big.Float) *big.Float {
	s, term := real(0).Set(first), first
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > s.MantExp(nil)-precision; k++ {
		term = next(k, term)
		s.Add(s, term)
	}
	return s
}

// exp uses e^x = (e^(x/2^8))^(2^8).
func exp(x *big.Float) *big.Float {
	r := scaleDown(x, 8)
	e := sum(whole(1), func(k int64, term *big.Float) *big.Float { return quo(mul(term, r), whole(k)) })
	for range 8 {
		e = mul(e, e)
	}
	return e
}

// log takes square roots until x is near 1, and then uses log x = 2 artanh((x-1)/(x+1)).
func log(x *big.Float) *big.Float {
	for range 8 {
		x = root(x)
	}
	s := quo(sub(x, whole(1)), add(x, whole(1)))
	z, power := mul(s, s), s
	a := sum(s, func(k int64, _ *big.Float) *big.Float {
		power = mul(power, z)
		return quo(power, whole(2*k+1))
	})
	return scaleDown(a, -9)
}

func sin(x *big.Float) *big.Float {
	z := neg(mul(x, x))
	return sum(x, func(k int64, term *big.Float) *big.Float { return quo(mul(term, z), whole(2*k*(2*k+1))) })
}

// atan halves the angle four times.
func atan(x *big.Float) *big.Float {
	for range 4 {
		x = quo(x, add(whole(1), root(add(whole(1), mul(x, x)))))
	}
	z, power := neg(mul(x, x)), x
	a := sum(x, func(k int64, _ *big.Float) *big.Float {
		power = mul(power, z)
		return quo(power, whole(2*k+1))
	})
	return scaleDown(a, -4)
}

func asin(x *big.Float) *big.Float { return atan(quo(x, root(sub(whole(1), mul(x, x))))) }

// erf is 2/√π times the series of x^(2k+1)/k!/(2k+1), with alternating signs. The largest term
// of the series is less than 2^60 if x is less than 6.
func erf(x *big.Float) *big.Float {
	z, power := neg(mul(x, x)), x
	s := real(0).Set(x)
	for k := int64(1); ; k++ {
		power = quo(mul(power, z), whole(k))
		term := quo(power, whole(2*k+1))
		s.Add(s, term)
		if term.MantExp(nil) < -precision {
			break
		}
	}
	return quo(scaleDown(s, -1), root(pi()))
}

// erfcScaled is e^(x²)·erfc(x) for x that is not negative. For x of at least 2, it uses the first
// 800 levels of Laplace's continued fraction, which are enough for 250 bits.
func erfcScaled(x *big.Float) *big.Float {
	if x.Cmp(whole(2)) < 0 {
		return mul(sub(whole(1), erf(x)), exp(square(x)))
	}
	d := x
	for k := int64(800); k > 0; k-- {
		d = add(x, quo(scaleDown(whole(k), 1), d))
	}
	return quo(whole(1), mul(d, root(pi())))
}

// normalTail returns the y for which a normal number is below -y with probability e^(-r²/2). It
// uses Newton's method for the logarithm of the probability. The method converges because this
// logarithm is concave.
func normalTail(r *big.Float) *big.Float {
	y, half2 := r, root(scaleDown(whole(1), 1))
	for range 40 {
		q := scaleDown(erfcScaled(mul(y, half2)), 1)
		slope := quo(whole(1), mul(q, root(scaleDown(pi(), -1))))
		step := quo(add(log(q), scaleDown(sub(square(r), square(y)), 1)), slope)
		if y = add(y, step); step.Sign() == 0 || step.MantExp(nil) < -200 {
			break
		}
	}
	return y
}

// normalCenter returns the x for which a normal number is below x with probability ½ + v.
func normalCenter(v *big.Float) *big.Float {
	root2 := root(whole(2))
	x := mul(v, root(scaleDown(pi(), -1)))
	for range 12 {
		step := quo(sub(scaleDown(erf(quo(x, root2)), 1), v), quo(exp(scaleDown(neg(square(x)), 1)), root(scaleDown(pi(), -1))))
		x = sub(x, step)
	}
	return x
}

func pi() *big.Float { return scaleDown(atan(whole(1)), -2) }
