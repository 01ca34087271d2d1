//go:build !purego

package kernels

// NEON has no masked loads. The rows after the last full block are copied to a block whose other
// rows are set to the mean, because a row that is equal to the mean does not change the
// accumulators.

// fillUp copies x to the block and sets the rows after it to the mean.
func fillUp[T Float](last *partials[T], x []T, mean T) {
	n := copy(last[:], x)
	for i := range last[n:] {
		last[n+i] = mean
	}
}

//go:noescape
func deviationsF32NEON(t *momentSums[float32], x []float32, mean float32, m *moments[float32], last *partials[float32])

func deviations32(t *momentSums[float32], x []float32, mean float32, m *moments[float32]) {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			deviationsF32NEON(t, x, mean, m, nil)
			return
		}
		var last partials[float32]
		fillUp(&last, x[whole:], mean)
		deviationsF32NEON(t, x[:whole], mean, m, &last)
	default:
		deviationsGeneric(t, x, mean, m)
	}
}

//go:noescape
func codeviationsF32NEON(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32], lastX, lastY *partials[float32])

func codeviations32(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32]) {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			codeviationsF32NEON(t, x, y, xMean, yMean, m, nil, nil)
			return
		}
		var lastX, lastY partials[float32]
		fillUp(&lastX, x[whole:], xMean)
		fillUp(&lastY, y[whole:], yMean)
		codeviationsF32NEON(t, x[:whole], y[:whole], xMean, yMean, m, &lastX, &lastY)
	default:
		codeviationsGeneric(t, x, y, xMean, yMean, m)
	}
}

//go:noescape
func allDeviationsF32NEON(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32], lastX, lastY *partials[float32])

func allDeviations32(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32]) {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			allDeviationsF32NEON(t, x, y, xMean, yMean, m, nil, nil)
			return
		}
		var lastX, lastY partials[float32]
		fillUp(&lastX, x[whole:], xMean)
		fillUp(&lastY, y[whole:], yMean)
		allDeviationsF32NEON(t, x[:whole], y[:whole], xMean, yMean, m, &lastX, &lastY)
	default:
		allDeviationsGeneric(t, x, y, xMean, yMean, m)
	}
}

//go:noescape
func deviationsF64NEON(t *momentSums[float64], x []float64, mean float64, m *moments[float64], last *partials[float64])

func deviations64(t *momentSums[float64], x []float64, mean float64, m *moments[float64]) {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			deviationsF64NEON(t, x, mean, m, nil)
			return
		}
		var last partials[float64]
		fillUp(&last, x[whole:], mean)
		deviationsF64NEON(t, x[:whole], mean, m, &last)
	default:
		deviationsGeneric(t, x, mean, m)
	}
}

//go:noescape
func codeviationsF64NEON(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64], lastX, lastY *partials[float64])

func codeviations64(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64]) {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			codeviationsF64NEON(t, x, y, xMean, yMean, m, nil, nil)
			return
		}
		var lastX, lastY partials[float64]
		fillUp(&lastX, x[whole:], xMean)
		fillUp(&lastY, y[whole:], yMean)
		codeviationsF64NEON(t, x[:whole], y[:whole], xMean, yMean, m, &lastX, &lastY)
	default:
		codeviationsGeneric(t, x, y, xMean, yMean, m)
	}
}

//go:noescape
func allDeviationsF64NEON(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64], lastX, lastY *partials[float64])

func allDeviations64(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64]) {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			allDeviationsF64NEON(t, x, y, xMean, yMean, m, nil, nil)
			return
		}
		var lastX, lastY partials[float64]
		fillUp(&lastX, x[whole:], xMean)
		fillUp(&lastY, y[whole:], yMean)
		allDeviationsF64NEON(t, x[:whole], y[:whole], xMean, yMean, m, &lastX, &lastY)
	default:
		allDeviationsGeneric(t, x, y, xMean, yMean, m)
	}
}
