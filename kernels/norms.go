package kernels

import "math"

// Norm1 returns the sum of the absolute values of x, in the order of [Sum]. BLAS calls it
// asum.
//
// Shape: any length, any alignment.
// Values: exact, in that order. If x is empty, the result is +0. If an element is NaN, the
// result is NaN.
// It does not allocate.
//
//go:noinline
func Norm1[T Float](x []T) T {
	switch {
	case checked || len(x) > piece:
		return norm1Pieces(x)
	case single[T]():
		return T(sumAbs32(nil, f32(x)))
	}
	return T(sumAbs64(nil, f64(x)))
}

// norm1Pieces is the slow path of Norm1; see sumPieces.
func norm1Pieces[T Float](x []T) (sum T) {
	if checked {
		inspect("Norm1", nil, lane("x", x))
	}
	var t partials[T]
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			sum = T(sumAbs32(as[partials[float32]](&t), f32(x[:n])))
		} else {
			sum = T(sumAbs64(as[partials[float64]](&t), f64(x[:n])))
		}
		x = x[n:]
	}
	return sum
}

// sumAbsGeneric adds the absolute values of x to the accumulators at t; see sumGeneric.
func sumAbsGeneric[T Float](t *partials[T], x []T) T {
	if t == nil {
		t = new(partials[T])
	}
	acc := t.usedParts()
	for len(x) > 0 {
		n := min(len(acc), len(x))
		for k, v := range x[:n] {
			acc[k] += T(math.Abs(float64(v)))
		}
		x = x[n:]
	}
	return t.fold()
}

// NormInf returns the largest absolute value of x. Unlike [Max], it does not ignore NaN.
//
// Shape: any length, any alignment.
// Values: exact. If x is empty, the result is +0. If an element is NaN, the result is NaN.
// It does not allocate.
//
//go:noinline
func NormInf[T Float](x []T) T {
	if checked {
		inspect("NormInf", nil, lane("x", x))
	}
	var largest T
	for len(x) > 0 {
		n := min(piece, len(x))
		largest = max(largest, largestAbs(x[:n]))
		x = x[n:]
	}
	return largest
}

// shortRows is the number of rows up to which a plain loop is faster than three kernels.
const shortRows = 24

// largestAbs returns the largest absolute value of x, at most a piece, or NaN if an element is
// NaN.
func largestAbs[T Float](x []T) (largest T) {
	if len(x) <= shortRows {
		for _, v := range x {
			if v = T(math.Abs(float64(v))); v > largest || v != v {
				largest = v
			}
		}
		return largest
	}
	var low, high, odd T
	if single[T]() {
		low, high, odd = T(min32(f32(x))), T(max32(f32(x))), T(finite32(f32(x)))
	} else {
		low, high, odd = T(min64(f64(x))), T(max64(f64(x))), T(finite64(f64(x)))
	}
	if odd != 0 { // an infinity or NaN: seldom, so that a plain loop is fast enough
		for _, v := range x {
			if v != v {
				return v
			}
		}
		return T(math.Inf(1))
	}
	return T(math.Abs(float64(max(high, -low))))
}

// NormScaled returns the length of x as a vector, as [Norm] does, but its squares can neither
// overflow nor lose digits. If the sum of the squares is finite and at least 2^-100 (float32;
// 2^-960 for float64), NormScaled has the bits of Norm. Otherwise, it computes
//
//	s = the power of two for which NormInf(x)*s is between 1 and 2
//	√Dot(x*s, x*s) / s
//
// Shape: any length, any alignment.
// Values: exact. The result is +Inf only if an element is infinite or the length is too large
// for the type, and NaN if an element is NaN. If x is empty, the result is +0.
// It does not allocate.
func NormScaled[T Float](x []T) T {
	sum := Dot(x, x)
	if safeSquares(sum) {
		return T(math.Sqrt(float64(sum)))
	}
	return scaledNorm(x, nil, NormInf(x))
}

// safeSquares reports whether a sum of squares can be used without scaling. It must be so large
// that lost digits of subnormal squares do not matter, and it must be finite, so that no square
// has overflowed.
func safeSquares[T Float](sum T) bool {
	if single[T]() {
		return sum >= 0x1p-100 && sum <= math.MaxFloat32
	}
	return float64(sum) >= 0x1p-960 && float64(sum) <= math.MaxFloat64
}

// laneBlock is the length of the intermediate lane of some reductions, which process
// this number of rows at once. It is a multiple of the number of accumulators. Many
// lanes of this length fit into the first-level cache.
const laneBlock = 128

// scaledNorm returns the length of x, or of x-y if y is not nil. The argument largest is the
// largest absolute value of an element.
//
//go:noinline
func scaledNorm[T Float](x, y []T, largest T) T {
	if largest == 0 || largest-largest != 0 { // infinite or NaN
		return largest
	}
	_, e := math.Frexp(float64(largest))
	up, down := 1-e, T(1)
	if up > 1000 { // the smallest numbers take two steps
		up, down = up-100, T(0x1p100)
	}
	s := T(math.Ldexp(1, up))
	if single[T]() && up > 120 {
		s, down = T(math.Ldexp(1, up-60)), 0x1p60
	}
	var t partials[T]
	var block [laneBlock]T
	var sum T
	for at := 0; at < len(x); at += laneBlock {
		n := min(laneBlock, len(x)-at)
		b := block[:n]
		if y != nil {
			subOf(b, x[at:at+n], y[at:at+n])
		} else {
			copy(b, x[at:])
		}
		scaleOf(b, b, s)
		if down != 1 {
			scaleOf(b, b, down)
		}
		sum = dotOf(&t, b, b)
	}
	return T(math.Ldexp(math.Sqrt(float64(sum)), e-1))
}

// These functions do the work of Sub, Scale and Dot for a block of a kernel that has checked its
// operands.

func subOf[T Float](dst, x, y []T) {
	if single[T]() {
		sub32(f32(dst), f32(x), f32(y))
	} else {
		sub64(f64(dst), f64(x), f64(y))
	}
}

func scaleOf[T Float](dst, x []T, s T) {
	if single[T]() {
		scale32(f32(dst), f32(x), float32(s))
	} else {
		scale64(f64(dst), f64(x), float64(s))
	}
}

func dotOf[T Float](t *partials[T], x, y []T) T {
	if single[T]() {
		return T(dotLanes32(as[partials[float32]](t), f32(x), f32(y)))
	}
	return T(dotLanes64(as[partials[float64]](t), f64(x), f64(y)))
}

// Distance returns the distance of the points x and y, √Dot(x-y, x-y). Its squares can neither
// overflow nor lose digits, because it scales the differences as [NormScaled] does if
// necessary.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, in the order of [Sum]; each difference and each square is rounded. The result
// is +Inf only if a difference is infinite or the distance is too large for the type. If there
// are no rows, the result is +0.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Distance[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("Distance", "x y", len(x), len(y)))
	}
	var sum T
	switch {
	case checked || len(x) > piece:
		sum = squareDiffPieces(x, y)
	case single[T]():
		sum = T(sumSquareDiff32(nil, f32(x), f32(y)))
	default:
		sum = T(sumSquareDiff64(nil, f64(x), f64(y)))
	}
	if safeSquares(sum) {
		return T(math.Sqrt(float64(sum)))
	}
	return scaledNorm(x, y, largestDiff(x, y))
}

func squareDiffPieces[T Float](x, y []T) (sum T) {
	if checked {
		inspect("Distance", nil, lane("x", x), lane("y", y))
	}
	var t partials[T]
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			sum = T(sumSquareDiff32(as[partials[float32]](&t), f32(x[:n]), f32(y[:n])))
		} else {
			sum = T(sumSquareDiff64(as[partials[float64]](&t), f64(x[:n]), f64(y[:n])))
		}
		x, y = x[n:], y[n:]
	}
	return sum
}

// sumSquareDiffGeneric adds the squares of x[i]-y[i] to the accumulators at t; see sumGeneric.
func sumSquareDiffGeneric[T Float](t *partials[T], x, y []T) T {
	if t == nil {
		t = new(partials[T])
	}
	acc := t.usedParts()
	for len(x) > 0 {
		n := min(len(acc), len(x))
		for k, v := range x[:n] {
			d := v - y[k]
			acc[k] += T(d * d)
		}
		x, y = x[n:], y[n:]
	}
	return t.fold()
}

// Distance1 returns the sum of |x[i]-y[i]|, in the order of [Sum].
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, in that order; each difference is rounded before it is added. If there are no
// rows, the result is +0.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Distance1[T Float](x, y []T) T {
	switch {
	case checked || len(x) > piece || len(y) != len(x):
		return distance1Pieces(x, y)
	case single[T]():
		return T(sumAbsDiff32(nil, f32(x), f32(y)))
	}
	return T(sumAbsDiff64(nil, f64(x), f64(y)))
}

// distance1Pieces is the slow path of Distance1; see sumPieces.
func distance1Pieces[T Float](x, y []T) (sum T) {
	if len(y) != len(x) {
		panic(differ("Distance1", "x y", len(x), len(y)))
	}
	if checked {
		inspect("Distance1", nil, lane("x", x), lane("y", y))
	}
	var t partials[T]
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			sum = T(sumAbsDiff32(as[partials[float32]](&t), f32(x[:n]), f32(y[:n])))
		} else {
			sum = T(sumAbsDiff64(as[partials[float64]](&t), f64(x[:n]), f64(y[:n])))
		}
		x, y = x[n:], y[n:]
	}
	return sum
}

// sumAbsDiffGeneric adds |x[i]-y[i]| to the accumulators at t; see sumGeneric.
func sumAbsDiffGeneric[T Float](t *partials[T], x, y []T) T {
	if t == nil {
		t = new(partials[T])
	}
	acc := t.usedParts()
	for len(x) > 0 {
		n := min(len(acc), len(x))
		for k, v := range x[:n] {
			acc[k] += T(math.Abs(float64(v - y[k])))
		}
		x, y = x[n:], y[n:]
	}
	return t.fold()
}

// DistanceInf returns the largest |x[i]-y[i]|.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: each difference is rounded. If there are no rows, the result is +0. If a difference is
// NaN, the result is NaN.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func DistanceInf[T Float](x, y []T) T {
	if len(y) != len(x) {
		panic(differ("DistanceInf", "x y", len(x), len(y)))
	}
	if checked {
		inspect("DistanceInf", nil, lane("x", x), lane("y", y))
	}
	return largestDiff(x, y)
}

func largestDiff[T Float](x, y []T) (largest T) {
	if len(x) <= 2*shortRows {
		for i, v := range x {
			if v = T(math.Abs(float64(v - y[i]))); v > largest || v != v {
				largest = v
			}
		}
		return largest
	}
	var block [laneBlock]T
	for at := 0; at < len(x); at += laneBlock {
		n := min(laneBlock, len(x)-at)
		subOf(block[:n], x[at:at+n], y[at:at+n])
		largest = max(largest, largestAbs(block[:n]))
	}
	return largest
}
