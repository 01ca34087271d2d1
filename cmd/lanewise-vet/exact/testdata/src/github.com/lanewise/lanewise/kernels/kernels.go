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

func HypotOf[T float32 | float64](x, y T) T { return x }

func Sum[T float32 | float64](x []T) T { return 0 }

func Dot[T float32 | float64](x, y []T) T { return 0 }

func Norm1[T float32 | float64](x []T) T { return 0 }

func NormScaled[T float32 | float64](x []T) T { return 0 }

func NormInf[T float32 | float64](x []T) T { return 0 }

func Distance[T float32 | float64](x, y []T) T { return 0 }

func DistanceInf[T float32 | float64](x, y []T) T { return 0 }

func PrefixSum[T float32 | float64](dst, x []T) {}

func Add[T float32 | float64](dst, x, y []T) {}

func Sub[T float32 | float64](dst, x, y []T) {}

func AddConst[T float32 | float64](dst, x []T, s T) {}

func AddScaled[T float32 | float64](dst, x, y []T, s T) {}

func Scale[T float32 | float64](dst, x []T, s T) {}

func Mean[T float32 | float64](x []T) T { return 0 }

func MeanStdDev[T float32 | float64](x []T) (mean, std T) { return 0, 0 }

func Covariance[T float32 | float64](x, y []T) T { return 0 }
