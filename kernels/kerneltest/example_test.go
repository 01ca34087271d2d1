package kerneltest_test

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// scaleEach is the reference for a kernel: a plain loop that is easy to check.
func scaleEach[T kerneltest.Number](x []T, s T) {
	for i := range x {
		x[i] *= s
	}
}

// TestScale tests a kernel with up to kerneltest.Rows rows on every path.
func TestScale(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		x, s := kerneltest.Slice[float32](in, in.Rows()), kerneltest.Value[float32](in)
		return func() { scaleEach(x, s) }, func() { kernels.Scale(x, x, s) }
	})
}

// vectors are three lanes. kerneltest.View returns a column with as many rows as the input.
type vectors struct{ X, Y, Z []float64 }

// TestScaleVectors tests a kernel on columns.
func TestScaleVectors(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		v := kerneltest.View[vectors](in)
		column := &kernels.Vec3s[float64]{X: v.X, Y: v.Y, Z: v.Z}
		return func() { scaleEach(v.X, 2); scaleEach(v.Y, 2); scaleEach(v.Z, 2) }, func() { column.Scale(column, 2) }
	})
}

// TestGather tests a kernel whose arguments must fit together. The test draws the arguments
// itself: in this case, indices of existing rows.
func TestGather(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		dst, x := kerneltest.Slice[float64](in, in.Rows()), kerneltest.Slice[float64](in, in.Rows())
		index := make([]int32, in.Rows())
		for i := range index {
			index[i] = int32(in.Draw().IntN(in.Rows()))
		}
		each := func() {
			for i, from := range index {
				dst[i] = x[from]
			}
		}
		return each, func() { kernels.Gather(dst, x, index) }
	})
}
