// Package kernels stands for the library's.
package kernels

// Sincos is what mends write.
func Sincos[T float32 | float64](sin, cos, x []T) {}
