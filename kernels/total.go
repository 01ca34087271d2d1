package kernels

// A Total is a sum to which a loop in your program adds one number for each row. It adds in the
// order of [Sum]: the accumulator of row i is i mod 64, or i mod 32 for float64. Loops that lanec
// compiles add to a Total as fast as Sum does, with exactly the same result.
//
//	var energy kernels.Total[float32]
//	for i := range v {
//		energy.Add(i, float32(v[i]*v[i]))
//	}
//	e := energy.Sum()
//
// The zero Total contains no rows, and its sum is +0. A Total is not safe for concurrent use, so
// give each goroutine its own.
type Total[T Float] struct{ sums partials[T] }

// Add adds the number v of a row. To get the same result as Sum, call Add once for each
// row, in order.
func (t *Total[T]) Add(row int, v T) {
	if single[T]() {
		t.sums[row&63] += T(v)
	} else {
		t.sums[row&31] += T(v)
	}
}

// Sum returns the sum so far. If each row of x was added in order, the result is exactly Sum(x).
// More rows may be added afterwards.
func (t *Total[T]) Sum() T { return t.sums.fold() }

// Sums returns the accumulators, without a copy. There are 64 for float32 and 32 for
// float64.
func (t *Total[T]) Sums() []T { return t.sums.usedParts() }
