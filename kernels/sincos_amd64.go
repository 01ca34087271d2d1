//go:build !purego

package kernels

func sincosRows32(sin, cos, x []float32) int {
	switch path {
	case avx512:
		return sincosF32AVX512(sin, cos, x)
	case avx2:
		return sincosF32AVX2(sin, cos, x)
	default:
		sincosGeneric(sin, cos, x)
		return len(sin)
	}
}

func sincosRows64(sin, cos, x []float64) int {
	switch path {
	case avx512:
		return sincosF64AVX512(sin, cos, x)
	case avx2:
		return sincosF64AVX2(sin, cos, x)
	default:
		sincosGeneric(sin, cos, x)
		return len(sin)
	}
}

//go:noescape
func sincosF32AVX2(sin, cos, x []float32) int

//go:noescape
func sincosF32AVX512(sin, cos, x []float32) int

//go:noescape
func sincosF64AVX2(sin, cos, x []float64) int

//go:noescape
func sincosF64AVX512(sin, cos, x []float64) int
