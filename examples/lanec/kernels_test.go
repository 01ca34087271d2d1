package main

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

type (
	vecs  = kernels.Vec3s[float32]
	quats = kernels.Quats[float32]
)

func f32(in *kerneltest.Input) float32 { return kerneltest.Value[float32](in) }

func TestMove(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		x, v, s := kerneltest.View[vecs](in), kerneltest.View[vecs](in), f32(in)
		return func() { move(x, v, s) }, func() { Move(x, v, s) }
	})
}

func TestSpring(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		x, v := kerneltest.Lane[float32](in), kerneltest.Lane[float32](in)
		a, b, c, d, e := f32(in), f32(in), f32(in), f32(in), f32(in)
		return func() { spring(x, v, a, b, c, d, e) }, func() { Spring(x, v, a, b, c, d, e) }
	})
}

func TestGravity(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		acc, pos, mass, eps := kerneltest.View[vecs](in), kerneltest.View[vecs](in), kerneltest.Slice[float32](in, min(9, in.Rows())), f32(in)
		return func() { gravity(acc, pos, mass, eps) }, func() { Gravity(acc, pos, mass, eps) }
	})
}

// TestGravityInPlace calls a kernel in place, so that later rows read results of earlier rows. The
// Go source defines the result, so the kernel must compute row by row.
func TestGravityInPlace(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		pos, mass := kerneltest.View[vecs](in), kerneltest.Slice[float32](in, in.Rows()/2)
		return func() { gravity(pos, pos, mass, 1) }, func() { Gravity(pos, pos, mass, 1) }
	})
}

func TestProduct(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		q, a, b := kerneltest.View[quats](in), kerneltest.View[quats](in), kerneltest.View[quats](in)
		return func() { product(q, a, b) }, func() { Product(q, a, b) }
	})
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		a, b := kerneltest.View[quats](in), kerneltest.View[quats](in)
		return func() { product(a, a, b) }, func() { Product(a, a, b) }
	})
}

func TestEscape(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		n, x, y := kerneltest.Lane[int32](in), kerneltest.Lane[float32](in), kerneltest.Lane[float32](in)
		return func() { escape(n, x, y, 40) }, func() { Escape(n, x, y, 40) }
	})
}

func TestRoot(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		y, x := kerneltest.Lane[float64](in), kerneltest.Lane[float64](in)
		return func() { root(y, x) }, func() { Root(y, x) }
	})
}

func TestPrice(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		c, s, k, y := kerneltest.Lane[float32](in), kerneltest.Lane[float32](in), kerneltest.Lane[float32](in), kerneltest.Lane[float32](in)
		rate, volatility := f32(in), f32(in)
		return func() { price(c, s, k, y, rate, volatility) }, func() { Price(c, s, k, y, rate, volatility) }
	})
}

// TestPriceValue prices an option whose price a textbook gives: 10.4506.
func TestPriceValue(t *testing.T) {
	var call [1]float32
	Price(call[:], []float32{100}, []float32{100}, []float32{1}, 0.05, 0.2)
	if call[0] < 10.4505 || call[0] > 10.4507 {
		t.Errorf("the price is %v", call[0])
	}
}

func TestWave(t *testing.T) {
	for _, whole := range []bool{false, true} {
		kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
			y, x, h := kerneltest.Lane[float32](in), kerneltest.Lane[float32](in), kerneltest.Lane[uint32](in)
			return func() { wave(y, x, h, 7, whole) }, func() { Wave(y, x, h, 7, whole) }
		})
	}
}

// lists returns random lists of up to seven neighbours per row, and the index at which the list of
// each row begins.
func lists(in *kerneltest.Input) (start, near []int32) {
	start, near = kerneltest.Slice[int32](in, in.Rows()+1), kerneltest.Slice[int32](in, 250)
	for i := range near {
		near[i] = int32(in.Draw().IntN(max(1, in.Rows())))
	}
	start[0] = 0
	for i := range in.Rows() {
		start[i+1] = min(start[i]+int32(in.Draw().IntN(8)), int32(len(near)))
	}
	return start, near
}

func TestDensity(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		rho, pos, mass, h2 := kerneltest.Lane[float32](in), kerneltest.View[vecs](in), kerneltest.Lane[float32](in), f32(in)
		start, near := lists(in)
		return func() { density(rho, pos, mass, start, near, h2) }, func() { Density(rho, pos, mass, start, near, h2) }
	})
}

// TestCrowding calls a kernel with groups of rows of several sizes. A group of 5 rows does not consist of
// whole vectors.
func TestCrowding(t *testing.T) {
	for _, n := range []int{16, 64, 5} {
		kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
			rho, pos, mass, h2 := kerneltest.Lane[float32](in), kerneltest.View[vecs](in), kerneltest.Lane[float32](in), f32(in)
			start, near := lists(in)
			return func() { crowding(rho, pos, mass, start, near, n, h2) }, func() { Crowding(rho, pos, mass, start, near, n, h2) }
		})
	}
}

// TestPush sometimes uses an index out of range. The kernel and the loop in Go must then both panic,
// and must leave the same values.
func TestPush(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		fx, x, a, b, k := kerneltest.Slice[float32](in, 9), kerneltest.Slice[float32](in, 9), kerneltest.Lane[int32](in), kerneltest.Lane[int32](in), f32(in)
		for i := range a {
			a[i], b[i] = int32(in.Draw().IntN(9)), int32(in.Draw().IntN(9))
			if in.Draw().IntN(100) == 0 {
				b[i] = 9 - 10*(b[i]&1)
			}
		}
		return func() { push(fx, x, a, b, k) }, func() { Push(fx, x, a, b, k) }
	})
}

func TestEnergy(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		v, mass, out := kerneltest.View[vecs](in), kerneltest.Lane[float32](in), kerneltest.Slice[float32](in, 1)
		return func() {
				var sum kernels.Total[float32]
				energy(&sum, v, mass)
				out[0] = sum.Sum()
			}, func() {
				var sum kernels.Total[float32]
				Energy(&sum, v, mass)
				out[0] = sum.Sum()
			}
	})
}

func TestDrift(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		x, y := kerneltest.Lane[float32](in), kerneltest.Lane[float32](in)
		phase, speed := kerneltest.Lane[float32](in), kerneltest.Lane[float32](in)
		r, dt := f32(in), f32(in)
		return func() { drift(x, y, phase, speed, r, dt) }, func() { Drift(x, y, phase, speed, r, dt) }
	})
}

func TestCells(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		cell, x, y := kerneltest.Lane[uint32](in), kerneltest.Lane[float32](in), kerneltest.Lane[float32](in)
		size, across := kerneltest.Value[float64](in), kerneltest.Value[int32](in)
		return func() { cells(cell, x, y, size, across) }, func() { Cells(cell, x, y, size, across) }
	})
}
