package refused

// What one row would leave to the next, and words of Go that no row has.

import (
	"math"
	mathbits "math/bits"

	"github.com/lanewise/lanewise/kernels"
)

//lanec:kernel Running
func running(x, y []float32) {
	var s float32
	for i := range x {
		s += x[i] // s is declared before the loop over the rows
		y[i] = s
	}
}

//lanec:kernel Previous
func previous(x, y []float32) {
	s := float32(0)
	for i := range x {
		y[i] = s
		s = x[i] // s is declared before the loop over the rows
	}
}

//lanec:kernel Peak
func peak(x, y []float32) {
	var most, rows float32
	for i := range x {
		if x[i] > most {
			most = x[i] // most is declared before the loop over the rows
		}
		y[i] = most + rows
	}
}

//lanec:kernel Numbered
func numbered(k []uint32) {
	var n uint32
	for i := range k {
		k[i] = n
		n++ // n is declared before the loop over the rows
	}
}

//lanec:kernel Inner
func innerSum(x, y []float32) {
	var s float32
	for i := range x {
		for j := range y {
			s += y[j] // s is declared before the loop over the rows
		}
		x[i] = s
	}
}

//lanec:kernel Seen
func seen(x []float32) {
	var before, any bool
	for i := range x {
		any, before = before || x[i] > 0, false // any is declared before the loop over the rows
		if any {
			x[i] = 0
		}
	}
}

//lanec:kernel Fib
func fib(k []uint32) {
	a, b := uint32(0), uint32(1)
	for i := range k {
		k[i] = a
		a, b = b, a+b // a is declared before the loop over the rows
	}
}

//lanec:kernel Further
func laterRow(x, y []float32) {
	for i := range x {
		y[i+1] = x[i] // y is written at another row than the loop's
	}
}

//lanec:kernel First
func firstOf(x, out []float32) {
	for i := range x {
		out[0] += x[i] // a sum over rows goes to a kernels.Total
	}
}

//lanec:kernel Larger
func larger(x []float32) {
	for i := range x {
		x[i] = float32(math.Max(float64(x[i]), 0)) // math.Max: write max
	}
}

//lanec:kernel Rotated
func rotated(k []uint32) {
	for i := range k {
		k[i] = mathbits.RotateLeft32(k[i], 7) // write shifts
	}
}

//lanec:kernel WholeLanes
func wholeLanes(x, y []float32) {
	for i := range x {
		kernels.Sincos(x, y, x) // for one row there is kernels.SincosOf
		x[i] = 0
	}
}
