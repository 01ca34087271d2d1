package grid_test

import (
	"fmt"

	"github.com/lanewise/lanewise/grid"
)

// Each step of this program moves heat between neighbours on a line whose ends are closed.
func Example() {
	shape := grid.Shape{X: 5, Margin: 1}
	now, next := grid.New[float32](shape), grid.New[float32](shape)
	now.Set(0, 0, 0, 16)
	for range 3 {
		fmt.Println(now.Row(0, 0))
		now.FillMargins(grid.Edges[float32]{X: grid.Edge[float32]{Rule: grid.Mirrored}})
		left, here, right := now.Shifted(-1, 0, 0), now.Row(0, 0), now.Shifted(1, 0, 0)
		for i := range here {
			next.Row(0, 0)[i] = here[i] + float32(0.25*((left[i]+right[i])-float32(2*here[i])))
		}
		now.Swap(next)
	}
	// Output:
	// [16 0 0 0 0]
	// [12 4 0 0 0]
	// [10 5 1 0 0]
}

// Two charges are divided among the cells near them. The field at the positions of the
// charges is then a mean of these cells.
func ExampleMesh_Deposit() {
	mesh := grid.Mesh[float64]{Width: 0.5, Order: grid.Linear}
	sums := grid.NewSums(grid.Shape{X: 10, Margin: 1}, 0x1p-30)
	at, charge := grid.Points[float64]{X: []float64{1.25, 2.375}}, []float64{1, 8}
	if err := mesh.Deposit(sums, at, charge); err != nil {
		fmt.Println(err)
	}
	sums.FoldMargins(grid.Mirrored, grid.Fixed, grid.Fixed)
	density := grid.New[float64](sums.Shape())
	grid.CopyTo(density, sums)
	fmt.Println(density.Row(0, 0))
	density.FillMargins(grid.Edges[float64]{X: grid.Edge[float64]{Rule: grid.Mirrored}})
	seen := make([]float64, 2)
	fmt.Println(mesh.Gather(seen, density, at), seen)

	at.X = make([]float64, 20)
	at.X[17] = 5.5
	fmt.Println(mesh.Deposit(sums, at, nil))
	// Output:
	// [0 0 1 0 6 2 0 0 0 0]
	// <nil> [1 5]
	// grid: Deposit: particle 17: the particle is outside of the grid: its x is 5.5, and the grid is from 0 to 5: move the particle, or declare the axis as periodic
}
