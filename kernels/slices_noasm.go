//go:build purego || !(amd64 || arm64)

package kernels

import "math"

// These functions are not inlined: a call of one generic function that is inlined
// into another lets its arguments escape to the heap (Go 1.26).

//go:noinline
func select32(dst []float32, mask []uint64, x, y []float32) {
	selectGeneric(dst, mask, x, y)
}

//go:noinline
func select64(dst []float64, mask []uint64, x, y []float64) {
	selectGeneric(dst, mask, x, y)
}

//go:noinline
func compress32(dst, x []float32, mask []uint64) {
	compressGeneric(dst, x, mask)
}

//go:noinline
func compress64(dst, x []float64, mask []uint64) {
	compressGeneric(dst, x, mask)
}

func widen(dst []float64, x []float32) { convertGeneric(dst, x) }

//go:noinline
func narrow(dst []float32, x []float64) {
	convertGeneric(dst, x)
}

//go:noinline
func sum32(t *partials[float32], x []float32) float32 {
	return sumGeneric(t, x)
}

//go:noinline
func dotLanes32(t *partials[float32], x, y []float32) float32 {
	return dotLanesGeneric(t, x, y)
}

//go:noinline
func min32(x []float32) float32 {
	return minGeneric(x)
}

//go:noinline
func max32(x []float32) float32 {
	return maxGeneric(x)
}

//go:noinline
func indexOf32(x []float32, bits uint32) int {
	return indexOfGeneric(x, math.Float32frombits(bits))
}

//go:noinline
func prefixSum32(dst, x []float32, carry float32) float32 {
	return prefixSumGeneric(dst, x, carry)
}

//go:noinline
func sum64(t *partials[float64], x []float64) float64 {
	return sumGeneric(t, x)
}

//go:noinline
func dotLanes64(t *partials[float64], x, y []float64) float64 {
	return dotLanesGeneric(t, x, y)
}

//go:noinline
func min64(x []float64) float64 {
	return minGeneric(x)
}

//go:noinline
func max64(x []float64) float64 {
	return maxGeneric(x)
}

//go:noinline
func indexOf64(x []float64, bits uint64) int {
	return indexOfGeneric(x, math.Float64frombits(bits))
}

//go:noinline
func prefixSum64(dst, x []float64, carry float64) float64 {
	return prefixSumGeneric(dst, x, carry)
}
