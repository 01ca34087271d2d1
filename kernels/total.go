package kernels

// A Total adds up one number a row, in the order of [Sum], for loops of your own: the accumulator of row i is i mod 64, of float64 i mod 32.
// Loops that lanec compiles add to it as fast as Sum does, and with the same bits.
//
//	var energy kernels.Total[float32]
//	for i := range v {
//		energy.Add(i, float32(v[i]*v[i]))
//	}
//	e := energy.Sum()
//
// The zero Total is the sum of nothing. It is no place where goroutines may meet: give each its own.
type Total[T Float] struct{ sums partials[T] }

// Add adds the number of a row. Rows come in order, each once, or as the order of the sum shall be.
func (t *Total[T]) Add(row int, v T) {
	if single[T]() {
		t.sums[row&63] += T(v)
	} else {
		t.sums[row&31] += T(v)
	}
}

// Sum returns what has been added: if each row of x was, in order, the bits of Sum(x). More may be added after it.
func (t *Total[T]) Sum() T { return t.sums.fold() }

// Sums returns the accumulators themselves: 64 of float32, 32 of float64.
func (t *Total[T]) Sums() []T { return t.sums.live() }
