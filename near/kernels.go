package near

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../cmd/lanec

// kernelAxes holds the kernel arguments that describe three axes.
type kernelAxes[T kernels.Float] struct {
	lengths     [12]T    // low, cellsPerLength, from and to, of three axes each
	cellNumbers [8]int32 // first and last cell of three axes each, then the cells of a line and of a layer
	omitted     [6]int32 // of parts through a periodic boundary: kept cells before the omitted ones, and the number of omitted cells
}

// computeCells computes the cells of points with a kernel.
func (b *kernelAxes[T]) computeCells(cell []uint32, x, y, z []T) {
	if b.omitted[0]|b.omitted[1]|b.omitted[2] != 0 {
		b.computePartCells(cell, x, y, z)
		return
	}
	switch b := any(b).(type) {
	case *kernelAxes[float32]:
		boxCells32(cell, any(x).([]float32), any(y).([]float32), any(z).([]float32), b.lengths[:], b.cellNumbers[:])
	case *kernelAxes[float64]:
		boxCells64(cell, any(x).([]float64), any(y).([]float64), any(z).([]float64), b.lengths[:], b.cellNumbers[:])
	}
}

// computePartCells does the work of computeCells for a part that continues through a periodic
// boundary.
func (b *kernelAxes[T]) computePartCells(cell []uint32, x, y, z []T) {
	for a, gap := range b.omitted[3:] {
		b.cellNumbers[a] -= gap
	}
	switch b := any(b).(type) {
	case *kernelAxes[float32]:
		partCells32(cell, any(x).([]float32), any(y).([]float32), any(z).([]float32), b.lengths[:], b.cellNumbers[:], b.omitted[:])
	case *kernelAxes[float64]:
		partCells64(cell, any(x).([]float64), any(y).([]float64), any(z).([]float64), b.lengths[:], b.cellNumbers[:], b.omitted[:])
	}
}

// boxCells computes the numbers of the cells of points. A point that is not between from and to, for example one that is not finite, gets 2^32-1.
//
//lanec:kernel boxCells32[float32]
//lanec:kernel boxCells64[float64]
func boxCells[T kernels.Float](cell []uint32, x, y, z, b []T, n []int32) {
	for i := range cell {
		px, py, pz := x[i], y[i], z[i]
		cx := kernels.ToInt32(T(math.Floor(float64((px - b[0]) * b[3]))))
		cy := kernels.ToInt32(T(math.Floor(float64((py - b[1]) * b[4]))))
		cz := kernels.ToInt32(T(math.Floor(float64((pz - b[2]) * b[5]))))
		cx = min(max(min(max(cx, -lastCell), lastCell)-n[0], 0), n[3])
		cy = min(max(min(max(cy, -lastCell), lastCell)-n[1], 0), n[4])
		cz = min(max(min(max(cz, -lastCell), lastCell)-n[2], 0), n[5])
		c := uint32(cx + cy*n[6] + cz*n[7])
		if !(px >= b[6] && px < b[9] && py >= b[7] && py < b[10] && pz >= b[8] && pz < b[11]) {
			c = cellOutside
		}
		cell[i] = c
	}
}

// partCells does the work of boxCells for axes on which some cells are left out.
//
//lanec:kernel partCells32[float32]
//lanec:kernel partCells64[float64]
func partCells[T kernels.Float](cell []uint32, x, y, z, b []T, n, front []int32) {
	for i := range cell {
		px, py, pz := x[i], y[i], z[i]
		cx := kernels.ToInt32(T(math.Floor(float64((px - b[0]) * b[3]))))
		cy := kernels.ToInt32(T(math.Floor(float64((py - b[1]) * b[4]))))
		cz := kernels.ToInt32(T(math.Floor(float64((pz - b[2]) * b[5]))))
		cx = max(min(max(cx, -lastCell), lastCell)-n[0], 0)
		cy = max(min(max(cy, -lastCell), lastCell)-n[1], 0)
		cz = max(min(max(cz, -lastCell), lastCell)-n[2], 0)
		cx = min(max(cx-front[3], min(cx, front[0])), n[3])
		cy = min(max(cy-front[4], min(cy, front[1])), n[4])
		cz = min(max(cz-front[5], min(cz, front[2])), n[5])
		c := uint32(cx + cy*n[6] + cz*n[7])
		if !(px >= b[6] && px < b[9] && py >= b[7] && py < b[10] && pz >= b[8] && pz < b[11]) {
			c = cellOutside
		}
		cell[i] = c
	}
}
