package main

import "github.com/lanewise/lanewise/kernels"

//go:generate go run ../../cmd/lanec

// heatBath computes a new value for each spin from its four neighbours and a random number in [0, 1). The spin
// becomes 1 with the probability 1/(1+e^(-2·beta·sum)), and -1 otherwise.
//
//lanec:kernel HeatBath
func heatBath(spin, up, down, here, side, drawn []float32, beta float32) {
	for i := range spin {
		sum := (up[i] + down[i]) + (here[i] + side[i])
		s := float32(-1)
		if drawn[i] < 1/(1+kernels.ExpOf(float32(-2*beta*sum))) {
			s = 1
		}
		spin[i] = s
	}
}
