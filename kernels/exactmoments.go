package kernels

import "math"

// An ExactMoments computes the mean and the variance of numbers that arrive in parts, for example from several goroutines, machines or
// files. The results depend only on the numbers: not on their order, nor on how they are grouped. The zero value has no numbers; an
// ExactMoments may be copied. Methods that change an ExactMoments must not be called concurrently with other methods. It has a size of
// 1.7 kB, for up to 2^40 numbers.
type ExactMoments[T Float] struct {
	n       int
	sum     ExactSum[T]
	squares productSum
}

// Add adds the rows of x. Call it as often as needed: for example, once for each chunk.
//
// Shape: any length, any alignment.
// It does not allocate.
func (m *ExactMoments[T]) Add(x []T) {
	if checked {
		inspect("ExactMoments.Add", nil, lane("x", x))
	}
	m.n += len(x)
	m.sum.add(x)
	for _, v := range x {
		m.squares.add(float64(v), float64(v))
	}
}

// Merge adds the numbers of o to m. m and o may be the same.
func (m *ExactMoments[T]) Merge(o *ExactMoments[T]) {
	m.n += o.n
	m.sum.Merge(&o.sum)
	digit, seen := o.squares.digit, o.squares.nonFinite
	m.squares.carry()
	for i, d := range &digit {
		m.squares.digit[i] += d
	}
	m.squares.nonFinite |= seen
	m.squares.carry()
}

// N returns how many numbers were added.
func (m *ExactMoments[T]) N() int { return m.n }

// Mean returns the mean, rounded once, as [MeanExact] does. It is NaN if there are no numbers.
func (m *ExactMoments[T]) Mean() T {
	var s productSum
	s.addSum(&m.sum.digit, m.sum.nonFinite)
	return quotientOf[T](&s, m.n)
}

// Variance returns the unbiased variance. Let c be the result of [ExactMoments.Mean], Q the sum of (x[i] - c)², and D the sum of x[i] -
// c. Q and D are computed exactly and then rounded once. The variance is
//
//	(Q - D*D/n) / (n - 1)
//
// Values: within 4 ulp of the exact variance if Q and D*D are neither too large nor too small for the type. The result is NaN for fewer than two numbers, and
// if one of them is NaN or infinite.
//
// Source: see [Variance].
func (m *ExactMoments[T]) Variance() T {
	if m.n < 2 || m.sum.nonFinite != 0 {
		return T(math.NaN())
	}
	c, n := float64(m.Mean()), float64(m.n)
	var first productSum // D
	first.addSum(&m.sum.digit, 0)
	first.add(-c, n)
	second := m.squares // Q = Σx² - 2cΣx + nc²
	second.addTimes(-c, &m.sum.digit, 1)
	for k := range 41 {
		if m.n>>k&1 != 0 {
			second.addScaled(c, c, k)
		}
	}
	return centered(valueOf[T](&second), valueOf[T](&first), m.n) / T(m.n-1)
}

// addTimes adds c*v*2^exponent, where v is the value of an exact sum with the given digits.
func (s *productSum) addTimes(c float64, digit *[digits]int64, exponent int) {
	add := func(d int64, i int) { // d*2^(32i-1075), in two factors, since it may be too large for a float64
		const down = 256 / 32
		if i <= down {
			s.addScaled(c, math.Ldexp(float64(d), 32*i-1075), exponent)
			return
		}
		s.addScaled(c, math.Ldexp(float64(d), 32*(i-down)-1075), exponent+256)
	}
	for i, d := range digit {
		if i < digits-1 {
			add(d, i)
			continue
		}
		add(d&math.MaxUint32, i)
		add(d>>32, i+1)
	}
}
