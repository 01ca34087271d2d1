package kernels

import (
	"math"
	"math/bits"
)

// A productSum adds products of two float64 without rounding. It is an ExactSum with twice the
// bits: bit j of its integer has the value 2^(j-2163). The exponent is so low because the
// product of the two smallest numbers is 2^-2148. The exponent is a little lower than
// necessary. This way, each digit of an ExactSum corresponds to exactly one digit here.
type productSum struct {
	digit     [productDigits]int64
	nonFinite nonFinite
	rows      uint16 // additions since the last carry
}

// productDigits is the number of words. The upper half of the product of the two largest numbers is
// in digit 131, and the last two digits hold the carries.
const (
	productDigits = 134
	productBase   = -2163
	sumOffset     = (-1075 - productBase) / 32 // the digit that has the value of digit 0 of an ExactSum
)

// add adds a*b.
func (s *productSum) add(a, b float64) { s.addScaled(a, b, 0) }

// addScaled adds a*b*2^exponent, for an exponent from -13 on.
func (s *productSum) addScaled(a, b float64, exponent int) {
	p, q := math.Float64bits(a), math.Float64bits(b)
	sign := int64(p^q) >> 63
	if odd := beyond64(p) | beyond64(q); odd != 0 {
		s.nonFinite |= beyond64(math.Float64bits(float64(a * b)))
		return
	}
	m, e := fraction64(p)
	n, f := fraction64(q)
	hi, lo := bits.Mul64(m, n)
	if hi|lo == 0 {
		return
	}
	at := e + f - 2150 - productBase + exponent
	k, shift := at>>5, at&31
	hi, lo, top := hi<<shift|lo>>(64-shift), lo<<shift, hi>>(64-shift)
	d := s.digit[k : k+5]
	d[0] += int64(lo&math.MaxUint32) ^ sign - sign
	d[1] += int64(lo>>32) ^ sign - sign
	d[2] += int64(hi&math.MaxUint32) ^ sign - sign
	d[3] += int64(hi>>32) ^ sign - sign
	d[4] += int64(top) ^ sign - sign
	if s.rows++; s.rows == 0 {
		s.carry()
	}
}

// fraction64 returns the fraction with its hidden bit and the exponent field of a finite number.
func fraction64(b uint64) (m uint64, e int) {
	m, e = b&(1<<52-1), int(exponent64(b))
	if e == 0 {
		return m, 1
	}
	return m | 1<<52, e
}

// addSum adds the value of an exact sum.
func (s *productSum) addSum(digit *[digits]int64, seen nonFinite) {
	s.carry()
	for i, d := range digit {
		s.digit[sumOffset+i] += d
	}
	s.nonFinite |= seen
	s.carry()
}

// carry brings all digits but the last into the range [0, 2^32).
func (s *productSum) carry() {
	var over int64
	for i := range productDigits - 1 {
		v := s.digit[i] + over
		over = v >> 32
		s.digit[i] = v & math.MaxUint32
	}
	s.digit[productDigits-1] += over
}

// sign returns the sign of the sum, and replaces the sum by its absolute value. The sum must be
// finite.
func (s *productSum) sign() float64 {
	s.carry()
	if s.digit[productDigits-1] >= 0 {
		return 1
	}
	for i := range s.digit {
		s.digit[i] = -s.digit[i]
	}
	s.carry()
	return -1
}

// specialValue returns the sum if an infinity or a NaN was added: ±Inf or NaN.
func (s *productSum) specialValue() float64 {
	switch s.nonFinite {
	case seenInf:
		return math.Inf(1)
	case seenNegInf:
		return math.Inf(-1)
	}
	return math.NaN()
}

// valueOf returns the sum, rounded once.
func valueOf[T Float](s *productSum) T {
	if s.nonFinite != 0 {
		return T(s.specialValue())
	}
	sign := s.sign()
	return roundDigits[T](s.digit[:], productBase, sign)
}

// leadingPart returns a fraction in [1/2, 1) and an exponent for a positive sum: fraction*2^exponent is
// within a relative error of 2^-52 of the sum.
func (s *productSum) leadingPart() (fraction float64, exponent int) {
	high := highestBit(s.digit[:])
	if high < 0 {
		return 0, 0
	}
	var m uint64
	for at := high; at > high-53; at-- {
		m <<= 1
		if at >= 0 {
			m |= bitOf(s.digit[:], at)
		}
	}
	return math.Ldexp(float64(m), -53), high + 1 + productBase
}

// nearest returns the number of type T that is nearest to a positive real number r; if two
// are equally near, it returns the even one. The caller provides r as a comparison:
// compare(c, u) returns the sign of r - (c + u/2). The guess may be wrong by a few units in
// the last place.
func nearest[T Float](guess float64, compare func(c, u float64) int) T {
	c := T(guess)
	if c-c != 0 {
		c = largestFinite[T]()
	}
	for c-c == 0 { // up
		if at := compare(float64(c), unitOf(c)); at < 0 || at == 0 && !isOdd(c) {
			break
		}
		c = neighbor(c, 1)
	}
	for c > 0 { // down
		lower := neighbor(c, -1)
		if at := compare(float64(lower), unitOf(lower)); at > 0 || at == 0 && isOdd(lower) {
			break
		}
		c = lower
	}
	return c
}

// neighbor adds step to the bits of a positive number, and returns the number with these bits.
func neighbor[T Float](c T, step int) T {
	if single[T]() {
		return T(math.Float32frombits(math.Float32bits(float32(c)) + uint32(step)))
	}
	return T(math.Float64frombits(math.Float64bits(float64(c)) + uint64(step)))
}

func isOdd[T Float](c T) bool {
	if single[T]() {
		return math.Float32bits(float32(c))&1 != 0
	}
	return math.Float64bits(float64(c))&1 != 0
}

// unitOf returns the distance of a positive finite number from the next larger one. For the largest
// number, it returns the distance to the next power of two.
func unitOf[T Float](c T) float64 {
	if single[T]() {
		e := int(math.Float32bits(float32(c)) >> 23)
		return math.Ldexp(1, max(e, 1)-150)
	}
	e := int(math.Float64bits(float64(c)) >> 52)
	return math.Ldexp(1, max(e, 1)-1075)
}

func largestFinite[T Float]() T { return neighbor(T(math.Inf(1)), -1) }

// rootOf returns the square root of a sum that is not negative, rounded once.
func rootOf[T Float](s *productSum) T {
	if s.nonFinite != 0 {
		return T(s.specialValue())
	}
	s.carry()
	f, e := s.leadingPart()
	if f == 0 {
		return 0
	}
	if e&1 != 0 {
		f, e = 2*f, e-1
	}
	return nearest[T](math.Ldexp(math.Sqrt(f), e/2), func(c, u float64) int {
		rest := *s // s - (c² + c*u + u²/4)
		rest.add(-c, c)
		rest.add(-c, u)
		rest.addScaled(-u, u, -2)
		return rest.compareZero()
	})
}

// quotientOf returns a sum divided by n, rounded once.
func quotientOf[T Float](s *productSum, n int) T {
	if s.nonFinite != 0 || n == 0 {
		return T(s.specialValue())
	}
	sign := s.sign()
	f, e := s.leadingPart()
	if f == 0 {
		return 0
	}
	rows := float64(n)
	return T(T(sign) * nearest[T](math.Ldexp(f/rows, e), func(c, u float64) int {
		rest := *s // s - (c + u/2)*n
		rest.add(-c, rows)
		rest.addScaled(-u, rows, -1)
		return rest.compareZero()
	}))
}

// compareZero returns the sign of a finite sum: -1, 0 or 1.
func (s *productSum) compareZero() int {
	if s.sign() < 0 {
		return -1
	}
	return min(1, highestBit(s.digit[:])+1)
}

// DotExact returns the sum of x[i]*y[i], rounded once: the float nearest to the true sum of the
// products. It does not depend on the order of the rows. [Dot] is faster.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: ≤ 0.5 ulp. The result is ±Inf only if the sum itself is too large for the type, or for
// a product of infinities. It is NaN in the same cases as in Dot. If the sum is zero or there
// are no rows, the result is +0.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func DotExact[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("DotExact", "x y", len(x), len(y)))
	}
	if checked {
		inspect("DotExact", nil, lane("x", x), lane("y", y))
	}
	var s productSum
	for i, v := range x {
		s.add(float64(v), float64(y[i]))
	}
	return valueOf[T](&s)
}

// NormExact returns the length of x as a vector, rounded once. Its squares can neither overflow nor
// lose digits. It does not depend on the order of the rows. [Norm] and [NormScaled] are faster.
//
// Shape: any length, any alignment.
// Values: ≤ 0.5 ulp. The result is NaN if an element is NaN, and otherwise +Inf if an element is
// infinite or if the length is too large for the type. If there are no rows, the result is +0.
// It does not allocate.
//
//go:noinline
func NormExact[T Float](x []T) T {
	if checked {
		inspect("NormExact", nil, lane("x", x))
	}
	var s productSum
	for _, v := range x {
		s.add(float64(v), float64(v))
	}
	return rootOf[T](&s)
}

// Norm1Exact returns the sum of the absolute values of x, rounded once, as [SumExact] does. [Norm1] is
// faster.
//
// Shape: any length, any alignment.
// Values: ≤ 0.5 ulp. The result is NaN if an element is NaN, and otherwise +Inf if an element
// is infinite. It does not allocate.
//
//go:noinline
func Norm1Exact[T Float](x []T) T {
	if checked {
		inspect("Norm1Exact", nil, lane("x", x))
	}
	var s ExactSum[T]
	if len(x) <= laneBlock {
		var block [laneBlock]T
		s.addAbs(block[:], x)
	} else {
		s.addLongAbs(x)
	}
	return s.Value()
}

// addLongAbs calls addAbs with a block of memory that holds as many rows as the vector code of an
// exact sum needs.
//
//go:noinline
func (s *ExactSum[T]) addLongAbs(x []T) {
	var block [exactBlock]T
	s.addAbs(block[:], x)
}

// addAbs adds the absolute values of x, a block at a time.
func (s *ExactSum[T]) addAbs(block, x []T) {
	for len(x) > 0 {
		n := min(len(block), len(x))
		if single[T]() {
			abs32(f32(block[:n]), f32(x[:n]))
		} else {
			abs64(f64(block[:n]), f64(x[:n]))
		}
		s.add(block[:n])
		x = x[n:]
	}
}

// DistanceExact returns the length of the lane of differences x[i]-y[i]. Each difference is rounded
// as in [Distance]; the length is computed as in [NormExact]. It does not depend on the order of the
// rows.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: see NormExact.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func DistanceExact[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("DistanceExact", "x y", len(x), len(y)))
	}
	if checked {
		inspect("DistanceExact", nil, lane("x", x), lane("y", y))
	}
	var s productSum
	for i, v := range x {
		d := float64(v - y[i])
		s.add(d, d)
	}
	return rootOf[T](&s)
}

// MeanExact returns the mean of x, rounded once: the float nearest to the true mean. It does not
// depend on the order of the rows. [Mean] is faster.
//
// Shape: any length, any alignment.
// Values: ≤ 0.5 ulp, even if the sum is too large for the type. An infinity in x gives that
// infinity. The result is NaN if x contains a NaN or infinities of both signs, or if x is empty.
// It does not allocate.
//
//go:noinline
func MeanExact[T Float](x []T) T {
	if checked {
		inspect("MeanExact", nil, lane("x", x))
	}
	return meanExact(x)
}

func meanExact[T Float](x []T) T {
	var sum ExactSum[T]
	sum.add(x)
	var s productSum
	s.addSum(&sum.digit, sum.nonFinite)
	return quotientOf[T](&s, len(x))
}

// MeanStdDevExact returns [MeanExact] of x, and a standard deviation that does not depend on the order
// of the rows. It computes the formula of [MeanStdDev], with MeanExact instead of Mean, [SumExact]
// instead of Sum and [DotExact] instead of Dot.
//
// Shape: any length, any alignment.
// Values: exact, as described. If x is empty, both results are NaN. If x has one row, the
// deviation is NaN. It does not allocate.
//
//go:noinline
func MeanStdDevExact[T Float](x []T) (mean, std T) {
	if checked {
		inspect("MeanStdDevExact", nil, lane("x", x))
	}
	mean = meanExact(x)
	var sum, squares productSum
	for _, v := range x {
		d := float64(v - mean)
		sum.add(d, 1)
		squares.add(d, d)
	}
	m := moments[T]{x: valueOf[T](&sum), xx: valueOf[T](&squares)}
	return mean, T(math.Sqrt(float64(m.squares(len(x)) / T(len(x)-1))))
}

// CovarianceExact returns a covariance that does not depend on the order of the rows. It computes
// the formula of [Covariance], with [MeanExact] instead of Mean, [SumExact] instead of Sum and
// [DotExact] instead of Dot. CovarianceExact(x, x) is the variance of x.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, as described. If there are fewer than two rows, the result is NaN.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func CovarianceExact[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("CovarianceExact", "x y", len(x), len(y)))
	}
	if checked {
		inspect("CovarianceExact", nil, lane("x", x), lane("y", y))
	}
	m := exactMoments(x, y)
	return m.products(len(x)) / T(len(x)-1)
}

// CorrelationExact returns a correlation coefficient that does not depend on the order of the rows.
// It computes the formula of [Correlation], with [MeanExact] instead of Mean, [SumExact] instead of
// Sum and [DotExact] instead of Dot.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, as described. The result is NaN in the same cases as the result of Correlation.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func CorrelationExact[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("CorrelationExact", "x y", len(x), len(y)))
	}
	if checked {
		inspect("CorrelationExact", nil, lane("x", x), lane("y", y))
	}
	if allEqual(x) || allEqual(y) {
		return T(math.NaN())
	}
	m := exactMoments(x, y)
	return m.correlation(len(x))
}

// exactMoments returns the moments of x and y: sums of the differences of the rows from their
// means, and sums of the products of these differences. Each sum is rounded once.
func exactMoments[T Float](x, y []T) moments[T] {
	xMean, yMean := meanExact(x), meanExact(y)
	var xs, ys, xxs, yys, xys productSum
	for i, v := range x {
		d, e := float64(v-xMean), float64(y[i]-yMean)
		xs.add(d, 1)
		ys.add(e, 1)
		xxs.add(d, d)
		yys.add(e, e)
		xys.add(d, e)
	}
	return moments[T]{valueOf[T](&xs), valueOf[T](&ys), valueOf[T](&xxs), valueOf[T](&yys), valueOf[T](&xys)}
}
