// Package fused lets the compiler fuse products with sums, on purpose: the test
// that looks for fused instructions in the kernels must find these.
package fused

// Squares returns the sum of x[i]*x[i].
func Squares[T float32 | float64](x []T) (sum T) {
	for _, v := range x {
		p := v * v // a variable does not forbid it
		sum += p
	}
	return sum
}

// Both instantiates Squares.
func Both(a []float32, b []float64) (float32, float64) { return Squares(a), Squares(b) }
