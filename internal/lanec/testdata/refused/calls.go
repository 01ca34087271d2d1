package refused

import (
	"github.com/lanewise/lanewise/kernels"
)

//lanec:kernel PairOf
func pairOf(x []float32) {
	for i := range x {
		x[i] = first(pair(x[i])) // first is called with the results of another call
	}
}

func first(a, b float32) float32 { return a }

//lanec:kernel Func
func functions(x []float32) {
	for i := range x {
		x[i] = func() float32 { return 1 }() // a call of something else than a function of this package
	}
}

//lanec:kernel Statement
func statement(x []float32) {
	for i := range x {
		times(x[i], 2) // a call without a result has no place in a row
	}
}

func again(x float32) float32 { return again(x) } // again calls itself

//lanec:kernel Again
func agains(x []float32) {
	for i := range x {
		x[i] = again(x[i])
	}
}

func inLoop(x float32) float32 {
	for range 3 {
		if x > 1 {
			return 1 // return in a loop of inLoop
		}
	}
	return x
}

//lanec:kernel InLoop
func inLoops(x []float32) {
	for i := range x {
		x[i] = inLoop(x[i])
	}
}

func left(x float32) float32 {
	s, _ := kernels.SincosOf(x)
	return s
}

//lanec:kernel Left
func lefts(x, y []float32) {
	for i := range x {
		y[i] = left(x[i])
		x[i] = left(y[i]) // left leaves some rows to Go, and is called after something was written
	}
}

func generic[T, U any](x T, y U) T { return x }

//lanec:kernel Generic
func generics(x []float32) {
	for i := range x {
		x[i] = generic(x[i], float64(x[i])) // generic has type parameters that stand for different types
	}
}

func variadic(x ...float32) float32 { return x[0] }

//lanec:kernel Variadic
func variadics(x []float32) {
	for i := range x {
		x[i] = variadic(x[i]) // variadic has a parameter without a name, or any number of them
	}
}

func pair(x float32) (float32, float32) { return x, x }

//lanec:kernel Pairs
func pairs(x []float32) {
	for i := range x {
		x[i] = times(pair(x[i])) // times is called with the results of another call
	}
}
