package grid

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// TestKernels compares each compiled loop with its source, on every path.
func TestKernels(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(in *kerneltest.Input) (want, got func())
	}{
		{"toCells32", toCellsOf(toCells32)},
		{"toCells64", toCellsOf(toCells64)},
		{"lookUp32", lookUpOf(lookUp32)},
		{"lookUp64", lookUpOf(lookUp64)},
		{"wrap", func(in *kerneltest.Input) (want, got func()) {
			u := kerneltest.Lane[float64](in)
			return func() { wrap(u, 7) }, func() { wrapCells(u, 7) }
		}},
		{"outsiders", func(in *kerneltest.Input) (want, got func()) {
			u, dst := kerneltest.Lane[float64](in), kerneltest.Slice[float64](in, 1)
			return func() { dst[0] = total(outsiders, u, 7) }, func() { dst[0] = total(countOutsiders, u, 7) }
		}},
		{"burden", func(in *kerneltest.Input) (want, got func()) {
			u, dst := kerneltest.Lane[float64](in), kerneltest.Slice[float64](in, 1)
			return func() { dst[0] = total(burden, u, 0x1p9) }, func() { dst[0] = total(countQuanta, u, 0x1p9) }
		}},
		{"quantaOf", func(in *kerneltest.Input) (want, got func()) {
			u := kerneltest.Lane[float64](in)
			return func() { quantaOf(u, 0x1p9) }, func() { roundValues(u, 0x1p9) }
		}},
		{"nearest", func(in *kerneltest.Input) (want, got func()) {
			first, u := kerneltest.Lane[int32](in), kerneltest.Lane[float64](in)
			return func() { nearest(first, u, 7) }, func() { placeNearest(first, u, 7) }
		}},
		{"linear", func(in *kerneltest.Input) (want, got func()) {
			first, w, u := kerneltest.Lane[int32](in), lanes(in, 2), kerneltest.Lane[float64](in)
			return func() { linear(first, w[0], w[1], u) }, func() { placeLinear(first, w[0], w[1], u) }
		}},
		{"quadratic", func(in *kerneltest.Input) (want, got func()) {
			first, w, u := kerneltest.Lane[int32](in), lanes(in, 3), kerneltest.Lane[float64](in)
			return func() { quadratic(first, w[0], w[1], w[2], u, 7) }, func() { placeQuadratic(first, w[0], w[1], w[2], u, 7) }
		}},
		{"cubic", func(in *kerneltest.Input) (want, got func()) {
			first, w, u := kerneltest.Lane[int32](in), lanes(in, 4), kerneltest.Lane[float64](in)
			return func() { cubic(first, w[0], w[1], w[2], w[3], u) }, func() { placeCubic(first, w[0], w[1], w[2], w[3], u) }
		}},
		{"split", func(in *kerneltest.Input) (want, got func()) {
			x := lanes(in, 5)
			return func() { split(x[0], x[1], x[2], x[3], x[4]) }, func() { splitQuanta(x[0], x[1], x[2], x[3], x[4]) }
		}},
		{"splitInt", func(in *kerneltest.Input) (want, got func()) {
			cell, x := kerneltest.Lane[int64](in), lanes(in, 4)
			return func() { splitInt(cell, x[0], x[1], x[2], x[3]) }, func() { splitCells(cell, x[0], x[1], x[2], x[3]) }
		}},
		{"splitTwo", func(in *kerneltest.Input) (want, got func()) {
			first, second, x := kerneltest.Lane[int64](in), kerneltest.Lane[int64](in), lanes(in, 2)
			return func() { splitTwo(first, second, x[0], x[1]) }, func() { splitPair(first, second, x[0], x[1]) }
		}},
		{"wholes", func(in *kerneltest.Input) (want, got func()) {
			cell, u := kerneltest.Lane[int64](in), kerneltest.Lane[float64](in)
			return func() { wholes(cell, u) }, func() { wholeCells(cell, u) }
		}},
		{"addTimes", func(in *kerneltest.Input) (want, got func()) {
			x := lanes(in, 3)
			return func() { addTimes(x[0], x[1], x[2]) }, func() { addProducts(x[0], x[1], x[2]) }
		}},
	} {
		t.Run(c.name, func(t *testing.T) { kerneltest.Same(t, c.make) })
	}
}

// lanes returns n lanes.
func lanes(in *kerneltest.Input, n int) (x [][]float64) {
	for range n {
		x = append(x, kerneltest.Lane[float64](in))
	}
	return x
}

// total returns the total of a kernel.
func total(f func(*kernels.Total[float64], []float64, float64), x []float64, k float64) float64 {
	var sum kernels.Total[float64]
	f(&sum, x, k)
	return sum.Sum()
}

// toCellsOf returns a run of a kernel that converts positions to cells.
func toCellsOf[T kernels.Float](kernel func(u []float64, x []T, low, inverse, first, last, n float64)) func(in *kerneltest.Input) (want, got func()) {
	return func(in *kerneltest.Input) (want, got func()) {
		u, x := kerneltest.Lane[float64](in), kerneltest.Lane[T](in)
		low, inverse := kerneltest.Value[float64](in), kerneltest.Value[float64](in)
		return func() { toCells(u, x, low, inverse, low-1, low+7, 6) }, func() { kernel(u, x, low, inverse, low-1, low+7, 6) }
	}
}

// lookUpOf returns a run of a kernel that looks up cells.
func lookUpOf[T kernels.Float](kernel func(line, w []float64, cells []T, base []int32)) func(in *kerneltest.Input) (want, got func()) {
	return func(in *kerneltest.Input) (want, got func()) {
		line, w, cells, base := kerneltest.Lane[float64](in), kerneltest.Lane[float64](in), kerneltest.Slice[T](in, 64), kerneltest.Lane[int32](in)
		for i, b := range base {
			base[i] = b & 63
		}
		return func() { lookUp(line, w, cells, base) }, func() { kernel(line, w, cells, base) }
	}
}
