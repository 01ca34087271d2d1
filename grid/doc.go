// Package grid has fields on regular grids of cells in one, two or three dimensions: margins for stencils, boundary
// conditions, and the exchange between particles and a field. A field stores its cells in one lane, row after row, so that the
// kernels of package kernels and of lanec compute whole rows.
//
//	f := grid.New[float64](grid.Shape{X: 200, Y: 100, Margin: 1})
//	f.FillMargins(grid.Edges[float64]{X: grid.Edge[float64]{Rule: grid.Periodic}}) // Y: fixed at 0
//	err := f.ForRows(pool, func(y, z int) {
//		Diffuse(g.Row(y, z), f.Row(y, z), f.Shifted(-1, y, z), f.Shifted(1, y, z), f.Row(y-1, z), f.Row(y+1, z), r)
//	})
//	f.Swap(g) // double buffer
//
//	mesh := grid.Mesh[float64]{Width: 0.5, Order: grid.Linear, Pool: pool}
//	err = mesh.Deposit(sums, grid.Points[float64]{X: x, Y: y}, charge) // cloud in cell
//	sums.FoldMargins(grid.Periodic, grid.Fixed, grid.Fixed)
//	grid.CopyTo(rho, sums)                                            // the charge of each cell, as float64
//	err = mesh.Gather(force, field, grid.Points[float64]{X: x, Y: y}) // the field where the particles are
//
// # Words
//
// A row is a line of cells along X. The margin (halo, ghost cells) is the layer of cells around the field. A stencil at the
// edge of the field reads these cells. Other names for Deposit are scatter, assignment and binning. [Linear] is also called
// cloud in cell (CIC), and [Quadratic] is also called triangular shaped cloud (TSC).
//
// # Promises
//
// A deposit has the same bits for every order of the particles, every number of workers, and every division of the particles
// into several calls. A deposit also conserves the deposited quantity exactly: the sum of all cells, margins included, is
// the sum of the values after each value has been rounded to a multiple of the quantum.
//
// Deposit, Gather and Add change nothing if they return an error.
//
// # Design
//
// A sum of floats depends on its order, and the order of particles changes in nearly every simulation, for example when they
// are sorted by cell. Therefore [Sums] counts quanta in int64, and integer addition does not depend on the order. Each value
// is first rounded to a whole number Q of quanta. Then Q is divided among the planes near the particle. The quanta of a
// plane are divided among its rows, and the quanta of a row are divided among its cells. Each division rounds all parts
// except the last, which gets the rest. Therefore no quantum is lost.
//
// Each worker deposits some of the particles to a copy of the field, and the copies are added at the end.
//
// Margins are part of the field, so that a row with its margins is one slice. Therefore the left neighbours of all cells of a row
// are a slice of the same length that begins one cell earlier, and the right neighbours are one that begins one cell later. FoldMargins is the transpose of FillMargins: where FillMargins copies a cell into
// the margin, FoldMargins adds the cell of the margin to that cell.
package grid
