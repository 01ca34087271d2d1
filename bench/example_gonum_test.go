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
