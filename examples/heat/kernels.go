package main

//go:generate go run ../../cmd/lanec

// diffuse moves heat between each cell of a row and its four neighbours. The five lanes that it reads are the row itself, the row
// shifted by one cell to either side, and the rows above and below.
//
//lanec:kernel Diffuse
func diffuse(next, here, left, right, up, down []float64, r float64) {
	for i := range next {
		next[i] = here[i] + float64(r*(((left[i]+right[i])+(up[i]+down[i]))-float64(4*here[i])))
	}
}
