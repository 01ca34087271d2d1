package kernels

import (
	"math"
	"math/big"
)

// These functions compute sine and cosine in arbitrary precision, by Taylor series after an exact
// reduction by quarter turns. They share no code with the kernels, so a mistake in the kernels does
// not hide a mistake here.

const bigBits = 1400 // enough for the exponent of any float64 and 200 bits more

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(x) }

// bigHalfPi is π/2, computed with Machin's formula, π/4 = 4·atan(1/5) - atan(1/239).
var bigHalfPi = func() *big.Float {
	one := new(big.Int).Lsh(big.NewInt(1), bigBits+64)
	atanInverse := func(n int64) *big.Int {
		sum, term := new(big.Int), new(big.Int).Div(one, big.NewInt(n))
		for k := int64(1); term.Sign() != 0; k += 2 {
			t := new(big.Int).Div(term, big.NewInt(k))
			if k%4 == 1 {
				sum.Add(sum, t)
			} else {
				sum.Sub(sum, t)
			}
			term.Div(term, big.NewInt(n*n))
		}
		return sum
	}
	quarter := new(big.Int).Mul(atanInverse(5), big.NewInt(4))
	quarter.Sub(quarter, atanInverse(239))
	f := new(big.Float).SetPrec(bigBits).SetInt(quarter)
	return f.SetMantExp(f, -(bigBits+64)+1)
}()

// bigSincos returns the sine and cosine of x to about 200 bits.
func bigSincos(x *big.Float) (sin, cos *big.Float) {
	// Here k is the integer nearest to x/(π/2), and r is x - k·π/2.
	q := new(big.Float).SetPrec(bigBits).Quo(x, bigHalfPi)
	half := newBig(math.Copysign(0.5, float64(q.Sign())))
	k, _ := q.Add(q, half).Int(nil)
	r := new(big.Float).SetPrec(bigBits).SetInt(k)
	r.Sub(x, r.Mul(r, bigHalfPi))
	r.SetPrec(220)
	z := new(big.Float).SetPrec(220).Mul(r, r)
	series := func(term *big.Float, first int64) *big.Float {
		sum := new(big.Float).SetPrec(220).Set(term)
		term = new(big.Float).SetPrec(220).Set(term)
		for n := first; ; n += 2 {
			term.Mul(term, z)
			term.Quo(term, new(big.Float).SetInt64(-n*(n+1)))
			if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-215 {
				return sum
			}
			sum.Add(sum, term)
		}
	}
	s, c := series(r, 2), series(new(big.Float).SetInt64(1), 1)
	switch new(big.Int).And(k, big.NewInt(3)).Int64() {
	case 0:
		return s, c
	case 1:
		return c, s.Neg(s)
	case 2:
		return s.Neg(s), c.Neg(c)
	default:
		return c.Neg(c), s
	}
}

// ulps returns the distance of got from want in units of the last place, for numbers with the given
// number of bits.
func ulps(got float64, want *big.Float, bits int) float64 {
	d := new(big.Float).SetPrec(bigBits).Sub(newBig(got), want)
	if d.Sign() == 0 {
		return 0
	}
	x, _ := d.Float64()
	return math.Abs(math.Ldexp(x, bits-want.MantExp(nil)))
}
