package kernels

import "math"

// The order of additions in Sum and Dot is part of their result, so it is the
// same on every path. There are as many accumulators as fit in 256 bytes, which is 64 float32 or 32
// float64. Each begins at +0. Row i is added to accumulator i%64
// (i%32), in order. At the end, the upper half of the accumulators is added to the lower half, and
// this is repeated until one accumulator remains. 256 bytes are four registers of AVX-512, eight of
// AVX2 or sixteen of NEON, so each CPU can execute enough independent additions at the same time.

// partials holds the accumulators between two pieces of one long reduction. For float64, only the
// first half of them is used.
type partials[T Float] [64]T

// usedParts returns the accumulators that T uses.
func (p *partials[T]) usedParts() []T {
	if single[T]() {
		return p[:64]
	}
	return p[:32]
}

// fold adds up the accumulators.
func (p partials[T]) fold() T {
	t := p.usedParts()
	for half := len(t) / 2; half > 0; half /= 2 {
		for k := range half {
			t[k] += t[k+half]
		}
	}
	return t[0]
}

// Sum returns the sum of x, in a fixed order:
//
//	t[k] = ((0 + x[k]) + x[k+64]) + x[k+128] …    for 64 values of k (32 for float64)
//	t[k] = t[k] + t[k+32], then + t[k+16], … + t[k+1]
//
// and t[0] is the result. The result is the same on every CPU. Sum is several times
// faster than a loop of dependent additions, and more accurate, because the error grows
// with n/64. For a million float32 of one sign, about four digits are correct; for
// example, the sum of ten million rows of 0.1 is 998501.4. If you need more digits, use
// [SumExact], or [Convert] the rows to float64 first, a piece at a time.
//
// Shape: any length, any alignment.
// Values: exact, in the order above. If x is empty, the sum is +0. A sum of zeros is +0, no
// matter which signs they have.
// It does not allocate.
//
//go:noinline
func Sum[T Float](x []T) T {
	switch {
	case checked || len(x) > piece:
		return sumPieces(x)
	case single[T]():
		return T(sum32(nil, f32(x)))
	}
	return T(sum64(nil, f64(x)))
}

// sumPieces is the slow path of Sum. sumPieces is a separate function because the
// accumulators need a large stack frame.
func sumPieces[T Float](x []T) (sum T) {
	if checked {
		inspect("Sum", nil, lane("x", x))
	}
	var t32 partials[float32]
	var t64 partials[float64]
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			sum = T(sum32(&t32, f32(x[:n])))
		} else {
			sum = T(sum64(&t64, f64(x[:n])))
		}
		x = x[n:]
	}
	return sum
}

// sumGeneric adds x to the accumulators at t and returns their sum, as all
// bodies of Sum do. Several calls may use one t. Then the number of rows must be a multiple of
// the number of accumulators in all calls but the last. If t is nil, the accumulators begin at
// zero and are dropped after the call.
func sumGeneric[T Float](t *partials[T], x []T) T {
	if t == nil {
		t = new(partials[T])
	}
	acc := t.usedParts()
	for len(x) > 0 {
		n := min(len(acc), len(x))
		for k, v := range x[:n] {
			acc[k] += v
		}
		x = x[n:]
	}
	return t.fold()
}

// Dot returns the sum of x[i]*y[i], in the order of [Sum]; each product is
// rounded before it is added.
//
// Shape: len(x) == len(y); any length, any alignment.
// Values: exact, in that order. If there are no rows, the sum is +0.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Dot[T Float](x, y []T) T {
	switch {
	case checked || len(x) > piece || len(y) != len(x):
		return dotPieces(x, y)
	case single[T]():
		return T(dotLanes32(nil, f32(x), f32(y)))
	}
	return T(dotLanes64(nil, f64(x), f64(y)))
}

// dotPieces is the slow path of Dot; see sumPieces.
func dotPieces[T Float](x, y []T) (sum T) {
	if len(y) != len(x) {
		panic(differ("Dot", "x y", len(x), len(y)))
	}
	if checked {
		inspect("Dot", nil, lane("x", x), lane("y", y))
	}
	var t32 partials[float32]
	var t64 partials[float64]
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			sum = T(dotLanes32(&t32, f32(x[:n]), f32(y[:n])))
		} else {
			sum = T(dotLanes64(&t64, f64(x[:n]), f64(y[:n])))
		}
		x, y = x[n:], y[n:]
	}
	return sum
}

// dotLanesGeneric adds the products x[i]*y[i] to the accumulators at t; see
// sumGeneric.
func dotLanesGeneric[T Float](t *partials[T], x, y []T) T {
	if t == nil {
		t = new(partials[T])
	}
	acc := t.usedParts()
	for len(x) > 0 {
		n := min(len(acc), len(x))
		for k, v := range x[:n] {
			acc[k] += T(v * y[k])
		}
		x, y = x[n:], y[n:]
	}
	return t.fold()
}

// Norm returns the length of x as a vector: √Dot(x, x).
//
// Shape: any length, any alignment.
// Values: exact. The squares are not scaled. For float32, the result is +Inf for
// lengths above about 1.8e19, and loses digits below 1e-18. For float64, these limits
// are 1.3e154 and 1e-145. It does not allocate.
func Norm[T Float](x []T) T { return T(math.Sqrt(float64(Dot(x, x)))) }

// Min returns the smallest element of x. It ignores NaN; -0 is smaller than +0.
// For the element-wise minimum of two slices see [Minimum].
//
// Shape: any length, any alignment.
// Values: exact. If all elements are NaN or x is empty, the result is NaN.
// It does not allocate.
//
//go:noinline
func Min[T Float](x []T) T {
	if checked {
		inspect("Min", nil, lane("x", x))
	}
	if len(x) > piece {
		best, _ := least(x)
		return best
	}
	return minOf(x)
}

// ArgMin returns the index of the smallest element of x. If several elements are the
// smallest, it returns the lowest index. It ignores NaN; -0 is smaller than +0.
//
// Shape: any length, any alignment.
// Values: exact. If all elements are NaN or x is empty, the result is -1.
// It does not allocate.
//
//go:noinline
func ArgMin[T Float](x []T) int {
	if checked {
		inspect("ArgMin", nil, lane("x", x))
	}
	best, lo := least(x)
	if best != best {
		return -1
	}
	return lo + indexOf(x[lo:min(lo+piece, len(x))], best)
}

// least returns the smallest element of x and the start of the first piece that
// contains it.
func least[T Float](x []T) (best T, lo int) {
	best = T(math.NaN())
	for at := 0; at < len(x); at += piece {
		m := minOf(x[at:min(at+piece, len(x))])
		if best != best || precedes(m, best) {
			best, lo = m, at
		}
	}
	return best, lo
}

// precedes reports whether a is smaller than b, with -0 below +0. It is false
// if a or b is NaN.
func precedes[T Float](a, b T) bool {
	return a < b || a == b && math.Signbit(float64(a)) && !math.Signbit(float64(b))
}

func minOf[T Float](x []T) T {
	var m T
	if single[T]() {
		m = T(min32(f32(x)))
	} else {
		m = T(min64(f64(x)))
	}
	if ordinary(m) {
		return m
	}
	return settleMin(m, x)
}

func minGeneric[T Float](x []T) T {
	best := T(math.NaN())
	for _, v := range x {
		if precedes(v, best) || best != best {
			best = v
		}
	}
	return best
}

// Max returns the largest element of x. It ignores NaN; +0 is larger than -0.
// For the element-wise maximum of two slices see [Maximum].
//
// Shape: any length, any alignment.
// Values: exact. If all elements are NaN or x is empty, the result is NaN.
// It does not allocate.
//
//go:noinline
func Max[T Float](x []T) T {
	if checked {
		inspect("Max", nil, lane("x", x))
	}
	if len(x) > piece {
		best, _ := greatest(x)
		return best
	}
	return maxOf(x)
}

// ArgMax returns the index of the largest element of x. If several elements are the
// largest, it returns the lowest index. It ignores NaN; +0 is larger than -0.
//
// Shape: any length, any alignment.
// Values: exact. If all elements are NaN or x is empty, the result is -1.
// It does not allocate.
//
//go:noinline
func ArgMax[T Float](x []T) int {
	if checked {
		inspect("ArgMax", nil, lane("x", x))
	}
	best, lo := greatest(x)
	if best != best {
		return -1
	}
	return lo + indexOf(x[lo:min(lo+piece, len(x))], best)
}

// greatest returns the largest element of x and the start of the first piece
// that contains it.
func greatest[T Float](x []T) (best T, lo int) {
	best = T(math.NaN())
	for at := 0; at < len(x); at += piece {
		m := maxOf(x[at:min(at+piece, len(x))])
		if best != best || precedes(best, m) {
			best, lo = m, at
		}
	}
	return best, lo
}

func maxOf[T Float](x []T) T {
	var m T
	if single[T]() {
		m = T(max32(f32(x)))
	} else {
		m = T(max64(f64(x)))
	}
	if ordinary(m) {
		return m
	}
	return settleMax(m, x)
}

func maxGeneric[T Float](x []T) T {
	best := T(math.NaN())
	for _, v := range x {
		if precedes(best, v) || best != best {
			best = v
		}
	}
	return best
}

// indexOf returns the lowest index of an element with the bits of v, or -1.
func indexOf[T Float](x []T, v T) int {
	if single[T]() {
		return indexOf32(f32(x), math.Float32bits(float32(v)))
	}
	return indexOf64(f64(x), math.Float64bits(float64(v)))
}

func indexOfGeneric[T Float](x []T, v T) int {
	for i := range x {
		if x[i] == v && math.Signbit(float64(x[i])) == math.Signbit(float64(v)) {
			return i
		}
	}
	return -1
}

// ordinary reports whether a minimum or maximum needs no correction by settleMin or settleMax.
func ordinary[T Float](m T) bool { return m != 0 && m-m == 0 }

// settleMin corrects the minimum of x that vector instructions returned. Vector instructions ignore
// NaN, do not order the two zeros, and cannot distinguish an element that is
// +Inf from the initial value.
func settleMin[T Float](m T, x []T) T {
	negative := T(math.Copysign(0, -1))
	switch {
	case m == 0 && indexOf(x, negative) >= 0:
		return negative
	case m > 0 && indexOf(x, m) < 0: // only the initial +Inf: all elements are NaN
		return T(math.NaN())
	}
	return m
}

// settleMax corrects the maximum of x, as settleMin corrects the minimum.
func settleMax[T Float](m T, x []T) T {
	switch {
	case m == 0 && indexOf(x, 0) >= 0:
		return 0
	case m < 0 && indexOf(x, m) < 0: // only the initial -Inf: all elements are NaN
		return T(math.NaN())
	}
	return m
}
