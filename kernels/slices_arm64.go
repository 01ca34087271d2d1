//go:build !purego

package kernels

import (
	"math"
	"math/bits"
)

// A packing says for each mask of four float32 which of the bytes of a register
// comes where, and how many rows there are.
type packing struct {
	order [16][16]byte
	count [16]byte
}

var keep4 = func() (p packing) {
	for mask := range p.order {
		keep(p.order[mask][:], uint8(mask), 4)
		p.count[mask] = byte(bits.OnesCount8(uint8(mask)))
	}
	return p
}()

//go:noescape
func selectF32NEON(dst []float32, mask []uint64, x, y []float32)

func select32(dst []float32, mask []uint64, x, y []float32) {
	switch path {
	case neon:
		selectF32NEON(dst, mask, x, y)
	default:
		selectGeneric(dst, mask, x, y)
	}
}

//go:noescape
func selectF64NEON(dst []float64, mask []uint64, x, y []float64)

func select64(dst []float64, mask []uint64, x, y []float64) {
	switch path {
	case neon:
		selectF64NEON(dst, mask, x, y)
	default:
		selectGeneric(dst, mask, x, y)
	}
}

//go:noescape
func compressF32NEON(dst, x []float32, mask []uint64, keep *packing)

func compress32(dst, x []float32, mask []uint64) {
	switch path {
	case neon:
		compressF32NEON(dst, x, mask, &keep4)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func compressF64NEON(dst, x []float64, mask []uint64)

func compress64(dst, x []float64, mask []uint64) {
	switch path {
	case neon:
		compressF64NEON(dst, x, mask)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func widenNEON(dst []float64, x []float32)

func widen(dst []float64, x []float32) {
	switch path {
	case neon:
		widenNEON(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func narrowNEON(dst []float32, x []float64)

func narrow(dst []float32, x []float64) {
	switch path {
	case neon:
		narrowNEON(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func sumF32NEON(t *partials[float32], x []float32, last *partials[float32]) float32

func sum32(t *partials[float32], x []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return sumF32NEON(t, x, nil)
		}
		var last partials[float32]
		copy(last[:], x[whole:])
		return sumF32NEON(t, x[:whole], &last)
	default:
		return sumGeneric(t, x)
	}
}

//go:noescape
func dotLanesF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32

func dotLanes32(t *partials[float32], x, y []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return dotLanesF32NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float32]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return dotLanesF32NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return dotLanesGeneric(t, x, y)
	}
}

//go:noescape
func minF32NEON(x []float32) float32

func min32(x []float32) float32 {
	switch path {
	case neon:
		return settleMin(minF32NEON(x), x)
	default:
		return minGeneric(x)
	}
}

//go:noescape
func maxF32NEON(x []float32) float32

func max32(x []float32) float32 {
	switch path {
	case neon:
		return settleMax(maxF32NEON(x), x)
	default:
		return maxGeneric(x)
	}
}

//go:noescape
func indexOfF32NEON(x []float32, bits uint32) int

func indexOf32(x []float32, bits uint32) int {
	switch path {
	case neon:
		return indexOfF32NEON(x, bits)
	default:
		return indexOfGeneric(x, math.Float32frombits(bits))
	}
}

//go:noescape
func prefixSumF32NEON(dst, x []float32, carry float32) float32

func prefixSum32(dst, x []float32, carry float32) float32 {
	switch path {
	case neon:
		return prefixSumF32NEON(dst, x, carry)
	default:
		return prefixSumGeneric(dst, x, carry)
	}
}

//go:noescape
func sumF64NEON(t *partials[float64], x []float64, last *partials[float64]) float64

func sum64(t *partials[float64], x []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return sumF64NEON(t, x, nil)
		}
		var last partials[float64]
		copy(last[:], x[whole:])
		return sumF64NEON(t, x[:whole], &last)
	default:
		return sumGeneric(t, x)
	}
}

//go:noescape
func dotLanesF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64

func dotLanes64(t *partials[float64], x, y []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return dotLanesF64NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float64]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return dotLanesF64NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return dotLanesGeneric(t, x, y)
	}
}

//go:noescape
func minF64NEON(x []float64) float64

func min64(x []float64) float64 {
	switch path {
	case neon:
		return settleMin(minF64NEON(x), x)
	default:
		return minGeneric(x)
	}
}

//go:noescape
func maxF64NEON(x []float64) float64

func max64(x []float64) float64 {
	switch path {
	case neon:
		return settleMax(maxF64NEON(x), x)
	default:
		return maxGeneric(x)
	}
}

//go:noescape
func indexOfF64NEON(x []float64, bits uint64) int

func indexOf64(x []float64, bits uint64) int {
	switch path {
	case neon:
		return indexOfF64NEON(x, bits)
	default:
		return indexOfGeneric(x, math.Float64frombits(bits))
	}
}

//go:noescape
func prefixSumF64NEON(dst, x []float64, carry float64) float64

func prefixSum64(dst, x []float64, carry float64) float64 {
	switch path {
	case neon:
		return prefixSumF64NEON(dst, x, carry)
	default:
		return prefixSumGeneric(dst, x, carry)
	}
}
