//go:build purego || !(amd64 || arm64)

package kernels

func keplerRows32(E, M, e []float32) int {
	keplerGeneric32(E, M, e)
	return len(E)
}

func keplerRows64(E, M, e []float64) int {
	keplerGeneric64(E, M, e)
	return len(E)
}

func sincosRows32(sin, cos, x []float32) int {
	sincosGeneric(sin, cos, x)
	return len(sin)
}

func sincosRows64(sin, cos, x []float64) int {
	sincosGeneric(sin, cos, x)
	return len(sin)
}
