package main

import "github.com/lanewise/lanewise/kernels"

// These are plain loops, as one writes them without a library.

//go:noinline
func plainSum[T kernels.Float](x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

//go:noinline
func plainDot[T kernels.Float](x, y []T) (sum T) {
	y = y[:len(x)]
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

//go:noinline
func plainMin[T kernels.Float](x []T) T {
	best := x[0]
	for _, v := range x[1:] {
		if v < best {
			best = v
		}
	}
	return best
}

//go:noinline
func plainAdd[T kernels.Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

//go:noinline
func plainMul[T kernels.Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

//go:noinline
func plainScale[T kernels.Float](dst, x []T, s T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s * x[i]
	}
}

//go:noinline
func plainMulAdd[T kernels.Float](dst, x, y, z []T) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for i := range dst {
		dst[i] = x[i]*y[i] + z[i]
	}
}

//go:noinline
func plainLerp[T kernels.Float](dst, x, y []T, s T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s*(y[i]-x[i])
	}
}

//go:noinline
func plainMinimum[T kernels.Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}
