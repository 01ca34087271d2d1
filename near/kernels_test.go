package near

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// TestBoxCells compares the kernel with its source on every path.
func TestBoxCells(t *testing.T) {
	t.Run("float32", func(t *testing.T) { sameCells(t, boxCells32) })
	t.Run("float64", func(t *testing.T) { sameCells(t, boxCells64) })
}

// TestPartCells compares the kernel of parts with its source on every path.
func TestPartCells(t *testing.T) {
	t.Run("float32", func(t *testing.T) { samePartCells(t, partCells32) })
	t.Run("float64", func(t *testing.T) { samePartCells(t, partCells64) })
}

func samePartCells[T kernels.Float](t *testing.T, kernel func(cell []uint32, x, y, z, b []T, n, front []int32)) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		cell, x, y, z := kerneltest.Lane[uint32](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in)
		b, n, front := kerneltest.Slice[T](in, 12), kerneltest.Slice[int32](in, 8), kerneltest.Slice[int32](in, 6)
		return func() { partCells(cell, x, y, z, b, n, front) }, func() { kernel(cell, x, y, z, b, n, front) }
	})
}

func sameCells[T kernels.Float](t *testing.T, kernel func(cell []uint32, x, y, z, b []T, n []int32)) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		cell, x, y, z := kerneltest.Lane[uint32](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in)
		b, n := kerneltest.Slice[T](in, 12), kerneltest.Slice[int32](in, 8)
		return func() { boxCells(cell, x, y, z, b, n) }, func() { kernel(cell, x, y, z, b, n) }
	})
}
