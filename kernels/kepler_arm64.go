//go:build !purego

package kernels

func keplerRows32(E, M, e []float32) int {
	switch path {
	case neon:
		return keplerF32NEON(E, M, e)
	default:
		keplerGeneric32(E, M, e)
		return len(E)
	}
}

func keplerRows64(E, M, e []float64) int {
	switch path {
	case neon:
		return keplerF64NEON(E, M, e)
	default:
		keplerGeneric64(E, M, e)
		return len(E)
	}
}

//go:noescape
func keplerF32NEON(E, M, e []float32) int

//go:noescape
func keplerF64NEON(E, M, e []float64) int
