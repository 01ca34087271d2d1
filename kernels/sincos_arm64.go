//go:build !purego

package kernels

func sincosRows32(sin, cos, x []float32) int {
	switch path {
	case neon:
		return sincosF32NEON(sin, cos, x)
	default:
		sincosGeneric(sin, cos, x)
		return len(sin)
	}
}

func sincosRows64(sin, cos, x []float64) int {
	switch path {
	case neon:
		return sincosF64NEON(sin, cos, x)
	default:
		sincosGeneric(sin, cos, x)
		return len(sin)
	}
}

//go:noescape
func sincosF32NEON(sin, cos, x []float32) int

//go:noescape
func sincosF64NEON(sin, cos, x []float64) int
