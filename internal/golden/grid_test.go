package golden

import (
	"testing"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// gridRow deposits particles on a grid with each order of interpolation, fills and folds margins by each rule, and
// gathers the field.
func gridRow(t *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	throughGrid[float32](t, pool, s)
	throughGrid[float64](t, pool, s)
	return s.Sum64()
}

func throughGrid[T kernels.Float](t *testing.T, pool *jobs.Pool, s sum) {
	const n = 5000
	d := draw(n)
	x, y, z, q, dst := lane[T](&d, n), lane[T](&d, n), lane[T](&d, n), lane[T](&d, n), make([]T, n)
	shape := grid.Shape{X: 6, Y: 5, Z: 4, Margin: 2}
	for o := grid.Nearest; o <= grid.Cubic; o++ {
		mesh := grid.Mesh[T]{Width: 0.3, Order: o, Periodic: [3]bool{true, true, true}, Pool: pool}
		sums, f := grid.NewSums(shape, 0x1p-30), grid.New[T](shape)
		at := grid.Points[T]{X: x, Y: y, Z: z}
		ok(t, mesh.Deposit(sums, at, q))
		sums.FoldMargins(grid.Periodic, grid.Mirrored, grid.Fixed)
		grid.CopyTo(f, sums)
		f.FillMargins(grid.Edges[T]{X: grid.Edge[T]{Rule: grid.Periodic}, Y: grid.Edge[T]{Rule: grid.Mirrored}, Z: grid.Edge[T]{Low: 1, High: 2}})
		ok(t, mesh.Gather(dst, f, at))
		addFloats(s, f.Cells(), dst)
	}
}
