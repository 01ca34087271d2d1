package refused

// Products that meet a sum, which some CPUs would fuse.

//lanec:kernel Product
func product(x, y []float32) {
	for i := range x {
		x[i] = x[i]*3 + y[i] // write float32(a*b)
	}
}

//lanec:kernel Half
func half(x, y []float64) {
	for i := range x {
		x[i] = y[i] - x[i]/2 // float64(a/2) of a quotient by a power of two
	}
}

//lanec:kernel ComputedHalf
func computedHalf(x, y []float32) {
	for i := range x {
		one := float32(1)
		x[i] = y[i] + x[i]/(one+one) // this product meets the sum at
	}
}

//lanec:kernel Name
func name(x, y []float32) {
	for i := range x {
		p := x[i] * y[i] // this product meets the sum at
		q := -p
		x[i] = 1 - q
	}
}

//lanec:kernel ByStore
func byStore(x, y []float32) {
	for i := range x {
		x[i] = y[i] * y[i] // this product meets the sum at
		y[i] = x[i] + 1
	}
}

//lanec:kernel ByBranch
func byBranch(x, y []float32) {
	for i := range x {
		p := x[i]
		if y[i] > 1 {
			p = y[i] * 3 // this product meets the sum at
		}
		x[i] = p + 1
	}
}

//lanec:kernel ByFork
func byFork(x, y []float32, on bool) {
	for i := range x {
		p := x[i]
		if on {
			p = y[i] * 3 // this product meets the sum at
		}
		x[i] = p + 1
	}
}

//lanec:kernel ByTurn
func byTurn(x []float32, n int) {
	for i := range x {
		s, p := x[i], x[i]
		for range n {
			s += p
			p = p * 0.5 // this product meets the sum at
		}
		x[i] = s
	}
}

func times(a, b float32) float32 { return a * b } // this product meets the sum at

//lanec:kernel ByHelper
func byHelper(x []float32) {
	for i := range x {
		x[i] = 1 + times(x[i], x[i])
	}
}
