package main

import "github.com/lanewise/lanewise/kernels"

//go:generate go run ../../cmd/lanec

// diffuse moves heat between each cell of a row and its four neighbours. The five lanes that it reads are the row itself, the row
// shifted by one cell to either side, and the rows above and below.
//
//lanec:kernel Diffuse32[float32]
//lanec:kernel Diffuse64[float64]
func diffuse[T kernels.Float](next, here, left, right, up, down []T, r T) {
	for i := range next {
		next[i] = here[i] + T(r*(((left[i]+right[i])+(up[i]+down[i]))-T(4*here[i])))
	}
}
