package kernels

// A Total adds one number for each row, in the order of [Sum], inside loops of
// your program: the accumulator of row i is i mod 64, for float64 i mod 32.
// Loops that lanec compiles add to it as fast as Sum does, and with the same
// bits.
//
//	var energy kernels.Total[float32]
//	for i := range v {
//		energy.Add(i, float32(v[i]*v[i]))
//	}
//	e := energy.Sum()
//
// The zero Total is the sum of no rows. A Total is not safe for concurrent use:
// give each goroutine its own.
type Total[T Float] struct{ sums partials[T] }

// Add adds the number v of a row. For the bits of Sum, call it once for each
// row, in order.
func (t *Total[T]) Add(row int, v T) {
	if single[T]() {
		t.sums[row&63] += T(v)
	} else {
		t.sums[row&31] += T(v)
	}
}

// Sum returns the sum so far. If each row of x was added in order, it has the
// bits of Sum(x). More rows may be added afterwards.
func (t *Total[T]) Sum() T { return t.sums.fold() }

// Sums returns the accumulators, without a copy: 64 for float32, 32 for
// float64.
func (t *Total[T]) Sums() []T { return t.sums.live() }
