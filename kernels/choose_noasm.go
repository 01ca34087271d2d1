//go:build purego || !(amd64 || arm64)

package kernels

import "math"

// The functions that choose a path for these kernels are hand-written. For all other kernels,
// internal/kernelgen generates them.

// These functions are not inlined. If they were inlined, the compiler would see the body of a
// kernel when it instantiates the kernel for another package. Then it could not prove that the
// operands stay on the stack.

//go:noinline
func boxesUnion32(e *ends[float32], b *Boxes[float32], mask []uint64) {
	boxesUnionFrom(0, e, b, mask)
}

//go:noinline
func boxesUnion64(e *ends[float64], b *Boxes[float64], mask []uint64) {
	boxesUnionFrom(0, e, b, mask)
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
func indexOf32(x []float32, bits uint32) int {
	return indexOfGeneric(x, math.Float32frombits(bits))
}

//go:noinline
func indexOf64(x []float64, bits uint64) int {
	return indexOfGeneric(x, math.Float64frombits(bits))
}

//go:noinline
func deinterleave32(lanes [][]float32, m [][16]float32) { deinterleaveFrom(0, lanes, m) }

//go:noinline
func deinterleave64(lanes [][]float64, m [][16]float64) { deinterleaveFrom(0, lanes, m) }

//go:noinline
func interleave32(m [][16]float32, lanes [][]float32) { interleaveFrom(0, m, lanes) }

//go:noinline
func interleave64(m [][16]float64, lanes [][]float64) { interleaveFrom(0, m, lanes) }

//go:noinline
func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}
