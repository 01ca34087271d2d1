package near

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../cmd/lanec

// bounds are what the kernel wants to know of three axes.
type bounds[T kernels.Float] struct {
	lengths [12]T    // low, inv, from and to, of three axes each
	numbers [8]int32 // first and last, of three axes each, cells across, and those of a layer
	front   [6]int32 // of parts that lead through the border: cells in front of those that are left out, and how many these are
}

// cells finds the cells of points, in the types that the kernel has.
func (b *bounds[T]) cells(cell []uint32, x, y, z []T) {
	if b.front[0]|b.front[1]|b.front[2] != 0 {
		b.partCells(cell, x, y, z)
		return
	}
	switch b := any(b).(type) {
	case *bounds[float32]:
		boxCells32(cell, any(x).([]float32), any(y).([]float32), any(z).([]float32), b.lengths[:], b.numbers[:])
	case *bounds[float64]:
		boxCells64(cell, any(x).([]float64), any(y).([]float64), any(z).([]float64), b.lengths[:], b.numbers[:])
	}
}

// partCells is cells for a part that leads through the border.
func (b *bounds[T]) partCells(cell []uint32, x, y, z []T) {
	for a, gap := range b.front[3:] {
		b.numbers[a] -= gap
	}
	switch b := any(b).(type) {
	case *bounds[float32]:
		partCells32(cell, any(x).([]float32), any(y).([]float32), any(z).([]float32), b.lengths[:], b.numbers[:], b.front[:])
	case *bounds[float64]:
		partCells64(cell, any(x).([]float64), any(y).([]float64), any(z).([]float64), b.lengths[:], b.numbers[:], b.front[:])
	}
}

// boxCells gives points the numbers of their cells. A point that is not between from and to, which
// leave out what is not finite, gets 2^32-1.
//
//lanec:kernel boxCells32[float32]
//lanec:kernel boxCells64[float64]
func boxCells[T kernels.Float](cell []uint32, x, y, z, b []T, n []int32) {
	for i := range cell {
		px, py, pz := x[i], y[i], z[i]
		cx := kernels.ToInt32(T(math.Floor(float64((px - b[0]) * b[3]))))
		cy := kernels.ToInt32(T(math.Floor(float64((py - b[1]) * b[4]))))
		cz := kernels.ToInt32(T(math.Floor(float64((pz - b[2]) * b[5]))))
		cx = min(max(min(max(cx, -far), far)-n[0], 0), n[3])
		cy = min(max(min(max(cy, -far), far)-n[1], 0), n[4])
		cz = min(max(min(max(cz, -far), far)-n[2], 0), n[5])
		c := uint32(cx + cy*n[6] + cz*n[7])
		if !(px >= b[6] && px < b[9] && py >= b[7] && py < b[10] && pz >= b[8] && pz < b[11]) {
			c = strange
		}
		cell[i] = c
	}
}

// partCells is boxCells where some cells of an axis are left out that have others in front of them and behind them.
//
//lanec:kernel partCells32[float32]
//lanec:kernel partCells64[float64]
func partCells[T kernels.Float](cell []uint32, x, y, z, b []T, n, front []int32) {
	for i := range cell {
		px, py, pz := x[i], y[i], z[i]
		cx := kernels.ToInt32(T(math.Floor(float64((px - b[0]) * b[3]))))
		cy := kernels.ToInt32(T(math.Floor(float64((py - b[1]) * b[4]))))
		cz := kernels.ToInt32(T(math.Floor(float64((pz - b[2]) * b[5]))))
		cx = max(min(max(cx, -far), far)-n[0], 0)
		cy = max(min(max(cy, -far), far)-n[1], 0)
		cz = max(min(max(cz, -far), far)-n[2], 0)
		cx = min(max(cx-front[3], min(cx, front[0])), n[3])
		cy = min(max(cy-front[4], min(cy, front[1])), n[4])
		cz = min(max(cz-front[5], min(cz, front[2])), n[5])
		c := uint32(cx + cy*n[6] + cz*n[7])
		if !(px >= b[6] && px < b[9] && py >= b[7] && py < b[10] && pz >= b[8] && pz < b[11]) {
			c = strange
		}
		cell[i] = c
	}
}
