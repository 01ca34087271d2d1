// Package kernels stands for the library's.
package kernels

// Sincos is what mends write.
func Sincos[T float32 | float64](sin, cos, x []T) {}

// SincosOf and the others are for one number.
func SincosOf[T float32 | float64](x T) (sin, cos T) { return x, x }

func SinOf[T float32 | float64](x T) T { return x }

func CosOf[T float32 | float64](x T) T { return x }

func TanOf[T float32 | float64](x T) T { return x }

func ExpOf[T float32 | float64](x T) T { return x }

func PowOf[T float32 | float64](x, y T) T { return x }
