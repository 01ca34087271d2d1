//go:build !purego

package kernels

func keplerRows32(E, M, e []float32) int {
	switch path {
	case avx512:
		return keplerF32AVX512(E, M, e)
	case avx2:
		return keplerF32AVX2(E, M, e)
	default:
		keplerGeneric32(E, M, e)
		return len(E)
	}
}

func keplerRows64(E, M, e []float64) int {
	switch path {
	case avx512:
		return keplerF64AVX512(E, M, e)
	case avx2:
		return keplerF64AVX2(E, M, e)
	default:
		keplerGeneric64(E, M, e)
		return len(E)
	}
}

//go:noescape
func keplerF32AVX2(E, M, e []float32) int

//go:noescape
func keplerF32AVX512(E, M, e []float32) int

//go:noescape
func keplerF64AVX2(E, M, e []float64) int

//go:noescape
func keplerF64AVX512(E, M, e []float64) int
