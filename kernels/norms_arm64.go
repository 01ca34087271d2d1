//go:build !purego

package kernels

// NEON has no masked loads. The rows after the last full block of a reduction are copied to a
// block of zeros, because a row that is zero does not change the accumulators.

//go:noescape
func sumAbsF32NEON(t *partials[float32], x []float32, last *partials[float32]) float32

func sumAbs32(t *partials[float32], x []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return sumAbsF32NEON(t, x, nil)
		}
		var last partials[float32]
		copy(last[:], x[whole:])
		return sumAbsF32NEON(t, x[:whole], &last)
	default:
		return sumAbsGeneric(t, x)
	}
}

//go:noescape
func sumAbsDiffF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32

func sumAbsDiff32(t *partials[float32], x, y []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return sumAbsDiffF32NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float32]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return sumAbsDiffF32NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return sumAbsDiffGeneric(t, x, y)
	}
}

//go:noescape
func sumSquareDiffF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32

func sumSquareDiff32(t *partials[float32], x, y []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return sumSquareDiffF32NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float32]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return sumSquareDiffF32NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return sumSquareDiffGeneric(t, x, y)
	}
}

//go:noescape
func sumAbsF64NEON(t *partials[float64], x []float64, last *partials[float64]) float64

func sumAbs64(t *partials[float64], x []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return sumAbsF64NEON(t, x, nil)
		}
		var last partials[float64]
		copy(last[:], x[whole:])
		return sumAbsF64NEON(t, x[:whole], &last)
	default:
		return sumAbsGeneric(t, x)
	}
}

//go:noescape
func sumAbsDiffF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64

func sumAbsDiff64(t *partials[float64], x, y []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return sumAbsDiffF64NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float64]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return sumAbsDiffF64NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return sumAbsDiffGeneric(t, x, y)
	}
}

//go:noescape
func sumSquareDiffF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64

func sumSquareDiff64(t *partials[float64], x, y []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return sumSquareDiffF64NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float64]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return sumSquareDiffF64NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return sumSquareDiffGeneric(t, x, y)
	}
}
