package bench

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gonum works on a lane without a copy, so its results are in the column.
func Example_gonum() {
	v := soa.Make[kernels.Vec3s[float64]](4)
	copy(v.X, []float64{1, 2, 3, 4})
	kernels.Scale(v.Y, v.X, 10)

	x, y := blas64.Vector{N: v.Len(), Data: v.X, Inc: 1}, blas64.Vector{N: v.Len(), Data: v.Y, Inc: 1}
	blas64.Axpy(0.1, y, x) // x += 0.1*y

	fmt.Println(v.X, kernels.Dot(v.X, v.Y), floats.Max(v.Y))
	fmt.Println(mat.Norm(mat.NewVecDense(v.Len(), v.X), 1), kernels.Sum(v.X))
	// Output:
	// [2 4 6 8] 600 40
	// 20 20
}

// The squares of these rows are larger than the largest float64. NormScaled scales the
// numbers before it squares them, as gonum does.
func Example_norms() {
	x := []float64{3e200, 4e200}
	fmt.Printf("%.4g %.4g %.4g\n", floats.Norm(x, 2), kernels.NormScaled(x), kernels.Norm(x))
	// Output: 5e+200 5e+200 +Inf
}
