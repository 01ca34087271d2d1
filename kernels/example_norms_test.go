package kernels_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// MeanStdDev returns the mean and the standard deviation of a lane.
func ExampleMeanStdDev() {
	mean, std := kernels.MeanStdDev([]float64{8, 2, -9, 15, 4})
	fmt.Printf("%.4f %.4f\n", mean, std)
	// Output: 4.0000 8.8034
}

// The squares of these lengths are larger than the largest float64.
func ExampleNormScaled() {
	x := []float64{3e200, 4e200}
	fmt.Printf("%.4g %.4g\n", kernels.Norm(x), kernels.NormScaled(x))
	// Output: +Inf 5e+200
}
