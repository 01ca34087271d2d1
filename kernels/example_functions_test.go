package kernels_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

func ExampleExp() {
	age := []float64{0, 1, 10, 100}
	left := make([]float64, len(age))
	kernels.Scale(left, age, -0.1) // a tenth of them a second
	kernels.Exp(left, left)
	fmt.Println(left)
	// Output: [1 0.9048374180359595 0.36787944117144233 4.539992976248485e-05]
}

func ExampleAtan2Of() {
	y, x := []float32{1, -1}, []float32{-1, 0}
	angle := make([]float32, 2)
	kernels.Atan2(angle, y, x)
	fmt.Println(angle[0] == kernels.Atan2Of(y[0], x[0]), angle[1] == kernels.Atan2Of(y[1], x[1]))
	// Output: true true
}
