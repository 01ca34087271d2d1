package refused

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Numbers of 32 and of 64 bits in one kernel.

//lanec:kernel Twice64
func twice64(x []float32, k []int64) {
	for i := range x {
		x[i] = float32(k[i]) // int64 to float32: no CPU rounds that once; make it a float64 first
	}
}

//lanec:kernel MixedProduct
func mixedProduct(x []float32, y []float64) {
	for i := range x {
		y[i] += float64(x[i]) * y[i] // write float64(a*b)
	}
}

//lanec:kernel MixedProduct32
func mixedProduct32(x []float32, y []float64) {
	for i := range x {
		x[i] += x[i] * x[i] // write float32(a*b)
		y[i] = 0
	}
}

//lanec:kernel MixedBits
func mixedBits(x []float32, h []uint64) {
	for i := range x {
		h[i] = math.Float64bits(float64(x[i])) // those of a NaN differ between CPUs
	}
}

//lanec:kernel OtherKernel
func otherKernel(x []float32) {
	for i := range x {
		x[i] = kernels.Sum(x) // kernels.Sum is no function that a kernel can call
	}
}
