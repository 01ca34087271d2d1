package kernels

import "math"

// moments holds sums over rows. d is the difference of a row of x from a number near the mean
// of x, and e is the same for y. The sums are those of d, e and their products. Each sum has
// the order of additions of Sum.
type moments[T Float] struct {
	x, y       T // of d, of e
	xx, yy, xy T // of d*d, of e*e, of d*e
}

// momentSums holds the accumulators for the sums of moments between two pieces. The accumulators
// are in the order of the fields of moments.
type momentSums[T Float] [5]partials[T]

// Mean returns the mean of x: Sum(x)/n.
//
// Shape: any length, any alignment.
// Values: exact, in the order of [Sum]. If x is empty, the result is NaN.
// It does not allocate.
func Mean[T Float](x []T) T { return Sum(x) / T(len(x)) }

// Variance returns the unbiased variance of x, with the mean m of [Mean] and d[i] = x[i] - m:
//
//	(Dot(d, d) - Sum(d)*Sum(d)/n) / (n - 1)
//
// Without rounding errors Sum(d) would be 0. Its square corrects the error of the mean. If rounding
// makes the difference negative, which happens if all rows are almost equal, 0 replaces it.
//
// Shape: any length, any alignment.
// Values: exact, in the order of [Sum]. The result is never below 0. If x has fewer than two
// rows, the result is NaN.
// It does not allocate.
//
// Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample
// Variance: Analysis and Recommendations", The American Statistician 37 (1983), formula 1.7.
func Variance[T Float](x []T) T {
	var m moments[T]
	m.add(x, Mean(x))
	return m.squares(len(x)) / T(len(x)-1)
}

// StdDev returns the standard deviation of x, the square root of [Variance].
//
// Shape: any length, any alignment.
// Values: exact. If x has fewer than two rows, the result is NaN.
// It does not allocate.
func StdDev[T Float](x []T) T { return T(math.Sqrt(float64(Variance(x)))) }

// MeanStdDev returns [Mean] and [StdDev] of x, and computes the mean only once.
//
// Shape: any length, any alignment.
// Values: exact. If x is empty, both results are NaN. If x has one row, the deviation is NaN.
// It does not allocate.
func MeanStdDev[T Float](x []T) (mean, std T) {
	var m moments[T]
	mean = Mean(x)
	m.add(x, mean)
	return mean, T(math.Sqrt(float64(m.squares(len(x)) / T(len(x)-1))))
}

// Covariance returns the unbiased covariance of x and y. With the differences d of x and e of y
// from their means (see [Mean]), the result is
//
//	(Dot(d, e) - Sum(d)*Sum(e)/n) / (n - 1)
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, in the order of [Sum]. If x has fewer than two rows, the result is NaN.
// It panics if the lengths differ. It does not allocate.
//
// Source: see [Variance].
func Covariance[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("Covariance", "x y", len(x), len(y)))
	}
	var m moments[T]
	m.addTwo(x, y, Mean(x), Mean(y), false)
	return m.products(len(x)) / T(len(x)-1)
}

// Correlation returns the correlation coefficient of x and y, from -1 to 1. With the
// differences d of x and e of y from their means (see [Mean]), the result is
//
//	(Dot(d, e) - Sum(d)*Sum(e)/n) / (√(Dot(d, d) - Sum(d)*Sum(d)/n) * √(Dot(e, e) - Sum(e)*Sum(e)/n))
//
// If rounding makes this number smaller than -1 or larger than 1, the result is -1 or 1.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, in the order of [Sum]. The result is NaN if there are fewer than two rows, if
// all rows of x or all rows of y are equal, or if a sum of squares is too large or too small for
// the type. For example, the squares of float32 differences above 1e19 are too large.
// It panics if the lengths differ. It does not allocate.
func Correlation[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("Correlation", "x y", len(x), len(y)))
	}
	if allEqual(x) || allEqual(y) {
		return T(math.NaN())
	}
	var m moments[T]
	m.addTwo(x, y, Mean(x), Mean(y), true)
	return m.correlation(len(x))
}

// allEqual reports whether all rows are equal. The sums cannot show this, because rounding errors
// may make the sum of squared differences of equal rows slightly larger than 0. In most lanes,
// allEqual finds a difference after two rows.
func allEqual[T Float](x []T) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// squares returns the sum of the squared differences of n rows of x from their mean.
func (m *moments[T]) squares(n int) T { return centered(m.xx, m.x, n) }

// centered returns the sum of squared differences of n rows from their mean: squares - sum²/n.
// Both arguments are for the differences d of the rows from a number near the mean: squares is the
// sum of d², and sum is the sum of d. The result may be NaN, but is never negative.
func centered[T Float](squares, sum T, n int) T {
	v := squares - T(sum*sum)/T(n)
	if v < 0 {
		return 0
	}
	return v
}

// products returns the sum of the products of the differences of n rows from their means.
func (m *moments[T]) products(n int) T { return m.xy - T(m.x*m.y)/T(n) }

// correlation returns the correlation coefficient of n rows. It multiplies the roots of the two
// sums of squares, because the product of the sums could be outside the range of T.
func (m *moments[T]) correlation(n int) T {
	xx, yy := m.squares(n), centered(m.yy, m.y, n)
	roots := T(T(math.Sqrt(float64(xx))) * T(math.Sqrt(float64(yy))))
	if !(roots > 0 && roots-roots == 0) {
		return T(math.NaN())
	}
	r := m.products(n) / roots
	if r > 1 {
		return 1
	}
	if r < -1 {
		return -1
	}
	return r
}

// add sets x and xx to the sums for the differences from the mean. If the mean is infinite or NaN,
// they are NaN.
func (m *moments[T]) add(x []T, mean T) {
	switch {
	case mean-mean != 0:
		m.x, m.xx = mean-mean, mean-mean
	case len(x) > piece:
		m.addPieces(x, mean)
	case single[T]():
		deviations32(nil, f32(x), float32(mean), as[moments[float32]](m))
	default:
		deviations64(nil, f64(x), float64(mean), as[moments[float64]](m))
	}
}

//go:noinline
func (m *moments[T]) addPieces(x []T, mean T) {
	var t momentSums[T]
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			deviations32(as[momentSums[float32]](&t), f32(x[:n]), float32(mean), as[moments[float32]](m))
		} else {
			deviations64(as[momentSums[float64]](&t), f64(x[:n]), float64(mean), as[moments[float64]](m))
		}
		x = x[n:]
	}
}

// deviationsGeneric adds the differences of x from the mean, and the squares of these differences,
// to the accumulators at t. It sets m.x and m.xx to their sums; see sumGeneric.
func deviationsGeneric[T Float](t *momentSums[T], x []T, mean T, m *moments[T]) {
	if t == nil {
		t = new(momentSums[T])
	}
	sum, squares := t[0].usedParts(), t[2].usedParts()
	for len(x) > 0 {
		n := min(len(sum), len(x))
		for k, v := range x[:n] {
			d := v - mean
			sum[k] += d
			squares[k] += T(d * d)
		}
		x = x[n:]
	}
	m.x, m.xx = t[0].fold(), t[2].fold()
}

// addTwo sets x, y and xy to the sums for the differences from the means, and xx and yy too if all
// is set. If a mean is infinite or NaN, they are NaN.
func (m *moments[T]) addTwo(x, y []T, xMean, yMean T, all bool) {
	switch nan := xMean - xMean + (yMean - yMean); {
	case nan != 0:
		*m = moments[T]{nan, nan, nan, nan, nan}
	case len(x) > piece:
		m.addTwoPieces(x, y, xMean, yMean, all)
	default:
		m.addPiece(nil, x, y, xMean, yMean, all)
	}
}

//go:noinline
func (m *moments[T]) addTwoPieces(x, y []T, xMean, yMean T, all bool) {
	var t momentSums[T]
	for len(x) > 0 {
		n := min(piece, len(x))
		m.addPiece(&t, x[:n], y[:n], xMean, yMean, all)
		x, y = x[n:], y[n:]
	}
}

func (m *moments[T]) addPiece(t *momentSums[T], x, y []T, xMean, yMean T, all bool) {
	switch {
	case single[T]() && all:
		allDeviations32(as[momentSums[float32]](t), f32(x), f32(y), float32(xMean), float32(yMean), as[moments[float32]](m))
	case single[T]():
		codeviations32(as[momentSums[float32]](t), f32(x), f32(y), float32(xMean), float32(yMean), as[moments[float32]](m))
	case all:
		allDeviations64(as[momentSums[float64]](t), f64(x), f64(y), float64(xMean), float64(yMean), as[moments[float64]](m))
	default:
		codeviations64(as[momentSums[float64]](t), f64(x), f64(y), float64(xMean), float64(yMean), as[moments[float64]](m))
	}
}

// codeviationsGeneric adds three lanes to the accumulators at t: the differences of x and of y from
// their means, and the products of these differences. It sets m.x, m.y and m.xy to their sums.
func codeviationsGeneric[T Float](t *momentSums[T], x, y []T, xMean, yMean T, m *moments[T]) {
	if t == nil {
		t = new(momentSums[T])
	}
	xs, ys, xys := t[0].usedParts(), t[1].usedParts(), t[4].usedParts()
	for len(x) > 0 {
		n := min(len(xs), len(x))
		for k, v := range x[:n] {
			d, e := v-xMean, y[k]-yMean
			xs[k] += d
			ys[k] += e
			xys[k] += T(d * e)
		}
		x, y = x[n:], y[n:]
	}
	m.x, m.y, m.xy = t[0].fold(), t[1].fold(), t[4].fold()
}

// allDeviationsGeneric does the work of codeviationsGeneric, and sets m.xx and m.yy too.
func allDeviationsGeneric[T Float](t *momentSums[T], x, y []T, xMean, yMean T, m *moments[T]) {
	if t == nil {
		t = new(momentSums[T])
	}
	xs, ys, xxs, yys, xys := t[0].usedParts(), t[1].usedParts(), t[2].usedParts(), t[3].usedParts(), t[4].usedParts()
	for len(x) > 0 {
		n := min(len(xs), len(x))
		for k, v := range x[:n] {
			d, e := v-xMean, y[k]-yMean
			xs[k] += d
			ys[k] += e
			xxs[k] += T(d * d)
			yys[k] += T(e * e)
			xys[k] += T(d * e)
		}
		x, y = x[n:], y[n:]
	}
	*m = moments[T]{t[0].fold(), t[1].fold(), t[2].fold(), t[3].fold(), t[4].fold()}
}
