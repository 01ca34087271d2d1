package main

import (
	"math"
	"math/big"
	"slices"
)

// A fit describes a polynomial p to compute: the polynomial that minimizes the
// largest weight·|p(x) - f(x)| between lo and hi.
type fit struct {
	name     string
	file     string // file in package kernels
	lo, hi   float64
	terms    int  // of the polynomial, starting with the constant
	bits     uint // of each coefficient: 53 or 24
	f        func(x *big.Float) *big.Float
	weight   func(x *big.Float) *big.Float // 1 if nil
	relative bool                          // weight is divided by |f|

	sollya, sollyaWeight string // f and weight as Sollya reads them: empty if Sollya does not have the function, or for weight 1
}

// A solution holds the coefficients of a polynomial, the constant first, and its error as
// an exponent of 2.
type solution struct {
	coefficients []float64
	exponent     float64
}

// solve rounds coefficients one by one, the constant first. After it has
// rounded a coefficient, it fits the remaining coefficients to the remainder
// divided by x, so that they correct the rounding error.
func (f *fit) solve() solution {
	const points = 1500
	x, left, weight := make([]*big.Float, points), make([]*big.Float, points), make([]*big.Float, points)
	for i := range x {
		// Use Chebyshev's points, which are closer to each other at both ends.
		t := 0.5 - 0.5*math.Cos(math.Pi*float64(i)/(points-1))
		v := f.lo + (f.hi-f.lo)*t
		if v == 0 {
			v = (f.hi - f.lo) * 0x1p-150
		}
		x[i] = real(v)
		left[i] = f.f(x[i])
		weight[i] = whole(1)
		if f.weight != nil {
			weight[i] = f.weight(x[i])
		}
		if f.relative {
			weight[i] = quo(weight[i], real(0).Abs(left[i]))
		}
	}
	var s solution
	var rest []*big.Float
	for k := range f.terms {
		rest = remez(x, left, weight, f.terms-k, rest)
		c := rounded(rest[0], f.bits)
		rest = rest[1:]
		s.coefficients = append(s.coefficients, c)
		for i := range x {
			left[i] = quo(sub(left[i], real(c)), x[i])
			weight[i] = mul(weight[i], real(0).Abs(x[i]))
		}
	}
	worst := real(0)
	for i := range x {
		if e := mul(real(0).Abs(left[i]), weight[i]); e.Cmp(worst) > 0 {
			worst = e
		}
	}
	mantissa := real(0)
	exponent := worst.MantExp(mantissa)
	m, _ := mantissa.Float64()
	s.exponent = float64(exponent) + math.Log2(m)
	return s
}

func rounded(x *big.Float, bits uint) float64 {
	v, _ := new(big.Float).SetPrec(bits).Set(x).Float64()
	return v
}

// remez fits a polynomial of n terms to values at the given points, by Remez's
// second algorithm. Each round computes the polynomial whose error alternates
// at given points. Then it replaces these points by the points with the
// largest errors between two changes of sign. If earlier roundings cause the
// whole error, the rounds do not converge. In this case, the result is the
// best polynomial so far.
func remez(x, values, weight []*big.Float, n int, best []*big.Float) []*big.Float {
	at := make([]int, n+1)
	for i := range at {
		at[i] = int(math.Round(float64((len(x)-1)*(2*i+1)) / float64(2*n+2)))
	}
	var least *big.Float
	if best != nil {
		_, least = extremes(x, values, weight, append(best[:n:n], real(0)))
	}
	for range 30 {
		c := alternate(x, values, weight, n, at)
		next, worst := extremes(x, values, weight, c)
		if least == nil || worst.Cmp(least) < 0 {
			best, least = c[:n], worst
		}
		if next == nil || slices.Equal(next, at) {
			break
		}
		at = next
	}
	return best
}

// alternate computes the coefficients of the polynomial whose error has the same
// size and alternating signs at the points. It also computes this error. It
// solves the equations by elimination with pivots.
func alternate(x, values, weight []*big.Float, n int, at []int) []*big.Float {
	rows := make([][]*big.Float, n+1)
	for i, p := range at {
		row := make([]*big.Float, n+2)
		v := whole(1)
		for k := range n {
			row[k] = v
			v = mul(v, x[p])
		}
		row[n] = quo(whole(int64(1-2*(i%2))), weight[p])
		row[n+1] = real(0).Set(values[p])
		rows[i] = row
	}
	for k := range rows {
		best := k
		for i := k + 1; i < len(rows); i++ {
			if real(0).Abs(rows[i][k]).Cmp(real(0).Abs(rows[best][k])) > 0 {
				best = i
			}
		}
		rows[k], rows[best] = rows[best], rows[k]
		for i := range rows {
			if i == k {
				continue
			}
			q := quo(rows[i][k], rows[k][k])
			for j := k; j < n+2; j++ {
				rows[i][j] = sub(rows[i][j], mul(q, rows[k][j]))
			}
		}
	}
	c := make([]*big.Float, n+1)
	for k := range c {
		c[k] = quo(rows[k][n+1], rows[k][k])
	}
	return c
}

// An extreme is a point between two changes of the error's sign at which the
// error is largest.
type extreme struct {
	at, sign int
	size     *big.Float
}

// extremes returns the points of the largest errors whose signs alternate, or nil if there are too
// few such points. It also returns the largest error.
func extremes(x, values, weight []*big.Float, c []*big.Float) ([]int, *big.Float) {
	n := len(c) - 1
	var all []extreme
	worst := real(0)
	for i := range x {
		p := real(0)
		for k := n - 1; k >= 0; k-- {
			p.Mul(p, x[i]).Add(p, c[k])
		}
		e := mul(sub(p, values[i]), weight[i])
		now := extreme{i, e.Sign(), real(0).Abs(e)}
		if now.size.Cmp(worst) > 0 {
			worst = now.size
		}
		all = appendExtreme(all, now)
	}
	for len(all) > n+1 {
		least := 0
		for i := range all {
			if all[i].size.Cmp(all[least].size) < 0 {
				least = i
			}
		}
		last := len(all) - 1
		switch {
		case least == 0 || len(all) == n+2 && all[0].size.Cmp(all[last].size) < 0:
			all = all[1:]
		case least == last || len(all) == n+2:
			all = all[:last]
		default: // both sides have one sign
			right := all[least+1:]
			all = appendExtreme(all[:least:least], right[0])
			all = append(all, right[1:]...)
		}
	}
	if len(all) <= n {
		return nil, worst
	}
	var at []int
	for _, e := range all {
		at = append(at, e.at)
	}
	return at, worst
}

// appendExtreme appends e if its sign differs from the sign of the last extreme.
// Otherwise e replaces the last extreme if e is larger.
func appendExtreme(all []extreme, e extreme) []extreme {
	last := len(all) - 1
	switch {
	case last < 0 || e.sign != all[last].sign:
		return append(all, e)
	case e.size.Cmp(all[last].size) > 0:
		all[last] = e
	}
	return all
}
