package main

import "math/big"

// besselJ returns the Bessel function of the first kind of order n, 0 or 1. It is accurate for x up to 100.
func besselJ(n int64, x *big.Float) *big.Float {
	h := scaleDown(x, 1)
	z := neg(square(h))
	first := whole(1)
	if n == 1 {
		first = h
	}
	return sum(first, func(k int64, term *big.Float) *big.Float { return quo(mul(term, z), whole(k*(k+n))) })
}

// euler is Euler's constant γ.
const euler = "0.577215664901532860606512090082402431042159335939923598805767234884867726777664670936947063291746749514631447249807082480960504014486542836224173997645"

// besselY0 returns the Bessel function of the second kind of order 0, for x up to 100.
func besselY0(x *big.Float) *big.Float {
	gamma, _ := real(0).SetString(euler)
	h := scaleDown(x, 1)
	z := neg(square(h))
	term, harmonic := whole(1), real(0)
	s := mul(add(log(h), gamma), besselJ(0, x))
	for k := int64(1); k < 20 || term.MantExp(nil) > -precision; k++ {
		term = quo(mul(term, z), whole(k*k))
		harmonic = add(harmonic, quo(whole(1), whole(k)))
		s = sub(s, mul(term, harmonic))
	}
	return quo(scaleDown(s, -1), pi())
}

// besselWave returns the phase A and the size B for which the Bessel function of order n is B·√(2/πx)·cos(x - π/4 - nπ/2 +
// A). Hankel's series has at least 140 bits for x of at least 60.
func besselWave(n int64, x *big.Float) (phase, size *big.Float) {
	if x.Cmp(whole(60)) < 0 {
		j, y := besselJ(0, x), besselY0(x)
		if n == 1 { // J₁·Y₀ - J₀·Y₁ = 2/πx
			j1 := besselJ(1, x)
			j, y = j1, quo(sub(mul(j1, y), quo(whole(2), mul(pi(), x))), j)
		}
		angle := sub(x, scaleDown(mul(pi(), whole(2*n+1)), 2))
		s, c := sin(angle), sin(add(angle, scaleDown(pi(), 1)))
		re, im := add(mul(j, c), mul(y, s)), sub(mul(y, c), mul(j, s))
		return atan(quo(im, re)), root(mul(scaleDown(mul(pi(), x), 1), add(square(j), square(y))))
	}
	term, p, q := whole(1), real(0), real(0)
	for k := int64(1); k < 62; k++ {
		switch k % 4 {
		case 1:
			p = add(p, term)
		case 2:
			q = add(q, term)
		case 3:
			p = sub(p, term)
		case 0:
			q = sub(q, term)
		}
		term = quo(mul(term, whole(4*n*n-(2*k-1)*(2*k-1))), mul(whole(8*k), x))
	}
	return atan(quo(q, p)), root(add(square(p), square(q)))
}

// bernoulli returns the Bernoulli numbers with the indexes 0 to n.
func bernoulli(n int64) []*big.Rat {
	b := []*big.Rat{big.NewRat(1, 1)}
	for m := int64(1); m <= n; m++ {
		s := new(big.Rat)
		for k, v := range b {
			c := new(big.Rat).SetInt(new(big.Int).Binomial(m+1, int64(k)))
			s.Add(s, c.Mul(c, v))
		}
		b = append(b, s.Quo(s, big.NewRat(-m-1, 1)))
	}
	return b
}

var stirlingNumbers = bernoulli(60)

// stirlingRest returns x·(lgamma(x) - (x - ½)·log x + x - ½·log 2π). Stirling's series has at least 250 bits for x of
// at least 64.
func stirlingRest(x *big.Float) *big.Float {
	if x.Cmp(whole(64)) < 0 {
		return mul(x, sub(lgamma(x), stirling(x)))
	}
	u := quo(whole(1), square(x))
	s := real(0)
	for k := int64(30); k > 0; k-- {
		b := real(0).SetRat(stirlingNumbers[2*k])
		s = add(mul(s, u), quo(b, whole(2*k*(2*k-1))))
	}
	return s
}

// stirling returns (x - ½)·log x - x + ½·log 2π.
func stirling(x *big.Float) *big.Float {
	s := sub(mul(sub(x, real(0.5)), log(x)), x)
	return add(s, scaleDown(log(scaleDown(pi(), -1)), 1))
}

// lgamma returns log Γ(x) for x above 0.
func lgamma(x *big.Float) *big.Float {
	product := whole(1)
	for x.Cmp(whole(64)) < 0 {
		product = mul(product, x)
		x = add(x, whole(1))
	}
	return sub(add(stirling(x), quo(stirlingRest(x), x)), log(product))
}
