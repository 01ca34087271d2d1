//go:build !purego

package kernels

import "math"

// keep8 and keep4 say for each mask of eight float32 or four float64 which of
// the eight words of a register comes where.
var (
	keep8 = func() (t [256][8]byte) {
		for mask := range t {
			keep(t[mask][:], uint8(mask), 1)
		}
		return t
	}()
	keep4 = func() (t [16][8]byte) {
		for mask := range t {
			keep(t[mask][:], uint8(mask), 2)
		}
		return t
	}()
)

//go:noescape
func selectF32AVX512(dst []float32, mask []uint64, x, y []float32)

//go:noescape
func selectF32AVX2(dst []float32, mask []uint64, x, y []float32)

func select32(dst []float32, mask []uint64, x, y []float32) {
	switch path {
	case avx512:
		selectF32AVX512(dst, mask, x, y)
	case avx2:
		selectF32AVX2(dst, mask, x, y)
	default:
		selectGeneric(dst, mask, x, y)
	}
}

//go:noescape
func selectF64AVX512(dst []float64, mask []uint64, x, y []float64)

//go:noescape
func selectF64AVX2(dst []float64, mask []uint64, x, y []float64)

func select64(dst []float64, mask []uint64, x, y []float64) {
	switch path {
	case avx512:
		selectF64AVX512(dst, mask, x, y)
	case avx2:
		selectF64AVX2(dst, mask, x, y)
	default:
		selectGeneric(dst, mask, x, y)
	}
}

//go:noescape
func compressF32AVX512(dst, x []float32, mask []uint64)

//go:noescape
func compressF32AVX2(dst, x []float32, mask []uint64, keep *[256][8]byte)

func compress32(dst, x []float32, mask []uint64) {
	switch path {
	case avx512:
		compressF32AVX512(dst, x, mask)
	case avx2:
		compressF32AVX2(dst, x, mask, &keep8)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func compressF64AVX512(dst, x []float64, mask []uint64)

//go:noescape
func compressF64AVX2(dst, x []float64, mask []uint64, keep *[16][8]byte)

func compress64(dst, x []float64, mask []uint64) {
	switch path {
	case avx512:
		compressF64AVX512(dst, x, mask)
	case avx2:
		compressF64AVX2(dst, x, mask, &keep4)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func widenAVX512(dst []float64, x []float32)

//go:noescape
func widenAVX2(dst []float64, x []float32)

func widen(dst []float64, x []float32) {
	switch path {
	case avx512:
		widenAVX512(dst, x)
	case avx2:
		widenAVX2(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func narrowAVX512(dst []float32, x []float64)

//go:noescape
func narrowAVX2(dst []float32, x []float64)

func narrow(dst []float32, x []float64) {
	switch path {
	case avx512:
		narrowAVX512(dst, x)
	case avx2:
		narrowAVX2(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func sumF32AVX512(t *partials[float32], x []float32) float32

//go:noescape
func sumF32AVX2(t *partials[float32], x []float32) float32

func sum32(t *partials[float32], x []float32) float32 {
	switch path {
	case avx512:
		return sumF32AVX512(t, x)
	case avx2:
		return sumF32AVX2(t, x)
	default:
		return sumGeneric(t, x)
	}
}

//go:noescape
func dotLanesF32AVX512(t *partials[float32], x, y []float32) float32

//go:noescape
func dotLanesF32AVX2(t *partials[float32], x, y []float32) float32

func dotLanes32(t *partials[float32], x, y []float32) float32 {
	switch path {
	case avx512:
		return dotLanesF32AVX512(t, x, y)
	case avx2:
		return dotLanesF32AVX2(t, x, y)
	default:
		return dotLanesGeneric(t, x, y)
	}
}

//go:noescape
func minF32AVX512(x []float32) float32

//go:noescape
func minF32AVX2(x []float32) float32

func min32(x []float32) float32 {
	var m float32
	switch path {
	case avx512:
		m = minF32AVX512(x)
	case avx2:
		m = minF32AVX2(x)
	default:
		return minGeneric(x)
	}
	if ordinary(m) {
		return m
	}
	return settleMin(m, x)
}

//go:noescape
func maxF32AVX512(x []float32) float32

//go:noescape
func maxF32AVX2(x []float32) float32

func max32(x []float32) float32 {
	var m float32
	switch path {
	case avx512:
		m = maxF32AVX512(x)
	case avx2:
		m = maxF32AVX2(x)
	default:
		return maxGeneric(x)
	}
	if ordinary(m) {
		return m
	}
	return settleMax(m, x)
}

//go:noescape
func indexOfF32AVX2(x []float32, bits uint32) int

func indexOf32(x []float32, bits uint32) int {
	switch path {
	case avx512, avx2:
		return indexOfF32AVX2(x, bits)
	default:
		return indexOfGeneric(x, math.Float32frombits(bits))
	}
}

//go:noescape
func prefixSumF32AVX512(dst, x []float32, carry float32) float32

//go:noescape
func prefixSumF32AVX2(dst, x []float32, carry float32) float32

func prefixSum32(dst, x []float32, carry float32) float32 {
	switch path {
	case avx512:
		return prefixSumF32AVX512(dst, x, carry)
	case avx2:
		return prefixSumF32AVX2(dst, x, carry)
	default:
		return prefixSumGeneric(dst, x, carry)
	}
}

//go:noescape
func sumF64AVX512(t *partials[float64], x []float64) float64

//go:noescape
func sumF64AVX2(t *partials[float64], x []float64) float64

func sum64(t *partials[float64], x []float64) float64 {
	switch path {
	case avx512:
		return sumF64AVX512(t, x)
	case avx2:
		return sumF64AVX2(t, x)
	default:
		return sumGeneric(t, x)
	}
}

//go:noescape
func dotLanesF64AVX512(t *partials[float64], x, y []float64) float64

//go:noescape
func dotLanesF64AVX2(t *partials[float64], x, y []float64) float64

func dotLanes64(t *partials[float64], x, y []float64) float64 {
	switch path {
	case avx512:
		return dotLanesF64AVX512(t, x, y)
	case avx2:
		return dotLanesF64AVX2(t, x, y)
	default:
		return dotLanesGeneric(t, x, y)
	}
}

//go:noescape
func minF64AVX512(x []float64) float64

//go:noescape
func minF64AVX2(x []float64) float64

func min64(x []float64) float64 {
	var m float64
	switch path {
	case avx512:
		m = minF64AVX512(x)
	case avx2:
		m = minF64AVX2(x)
	default:
		return minGeneric(x)
	}
	if ordinary(m) {
		return m
	}
	return settleMin(m, x)
}

//go:noescape
func maxF64AVX512(x []float64) float64

//go:noescape
func maxF64AVX2(x []float64) float64

func max64(x []float64) float64 {
	var m float64
	switch path {
	case avx512:
		m = maxF64AVX512(x)
	case avx2:
		m = maxF64AVX2(x)
	default:
		return maxGeneric(x)
	}
	if ordinary(m) {
		return m
	}
	return settleMax(m, x)
}

//go:noescape
func indexOfF64AVX2(x []float64, bits uint64) int

func indexOf64(x []float64, bits uint64) int {
	switch path {
	case avx512, avx2:
		return indexOfF64AVX2(x, bits)
	default:
		return indexOfGeneric(x, math.Float64frombits(bits))
	}
}

//go:noescape
func prefixSumF64AVX512(dst, x []float64, carry float64) float64

//go:noescape
func prefixSumF64AVX2(dst, x []float64, carry float64) float64

func prefixSum64(dst, x []float64, carry float64) float64 {
	switch path {
	case avx512:
		return prefixSumF64AVX512(dst, x, carry)
	case avx2:
		return prefixSumF64AVX2(dst, x, carry)
	default:
		return prefixSumGeneric(dst, x, carry)
	}
}
