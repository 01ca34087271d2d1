package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
	"github.com/lanewise/lanewise/order"
)

// TestCurveKernels compares the kernels with their source on every path.
func TestCurveKernels(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		sameKeys(t, []func(keys []uint64, x, y, b []float32){mortonPlane[float32], mortonPlane32, hilbertPlane[float32], hilbertPlane32},
			[]func(keys []uint64, x, y, z, b []float32){mortonSpace[float32], mortonSpace32, hilbertSpace[float32], hilbertSpace32})
	})
	t.Run("float64", func(t *testing.T) {
		sameKeys(t, []func(keys []uint64, x, y, b []float64){mortonPlane[float64], mortonPlane64, hilbertPlane[float64], hilbertPlane64},
			[]func(keys []uint64, x, y, z, b []float64){mortonSpace[float64], mortonSpace64, hilbertSpace[float64], hilbertSpace64})
	})
}

// sameKeys compares each source with its kernel. In the lists, a source is followed by its kernel.
func sameKeys[T kernels.Float](t *testing.T, plane []func(keys []uint64, x, y, b []T), space []func(keys []uint64, x, y, z, b []T)) {
	for k := 0; k < len(plane); k += 2 {
		kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
			keys, x, y, z := kerneltest.Lane[uint64](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in)
			b := kerneltest.Slice[T](in, 6)
			if k == 0 || len(keys)%2 == 0 { // also numbers for which points are inside the box
				for i := range x {
					x[i], y[i], z[i] = T(math.Mod(float64(x[i]), 2)), T(math.Mod(float64(y[i]), 2)), T(math.Mod(float64(z[i]), 2))
				}
				copy(b, []T{-1, -1, -1, 1 << 20, 1 << 20, 1 << 20})
			}
			if len(keys)%3 == 0 {
				return func() { plane[k](keys, x, y, b) }, func() { plane[k+1](keys, x, y, b) }
			}
			return func() { space[k](keys, x, y, z, b) }, func() { space[k+1](keys, x, y, z, b) }
		})
	}
}

// TestMorton compares keys with a loop that interleaves the bits one by one.
func TestMorton(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{2, 3} {
		s := Space[float64]{Dims: dims, Low: Point[float64]{-1, 2, 0}, High: Point[float64]{3, 6, 4}}
		bits := 31
		if dims == 3 {
			bits = 21
		}
		const n = 1000
		x, y, z, keys := make([]float64, n), make([]float64, n), make([]float64, n), make([]uint64, n)
		for i := range n {
			x[i], y[i], z[i] = -1.5+r.Float64()*5, 1.5+r.Float64()*5, -0.5+r.Float64()*5
		}
		x[0], y[0], z[0] = math.NaN(), math.Inf(1), math.Inf(-1)
		if dims == 2 {
			z = nil
		}
		s.Morton(keys, x, y, z)
		for i, got := range keys {
			at := []float64{x[i] + 1, y[i] - 2, 0}
			if dims == 3 {
				at[2] = z[i]
			}
			var want uint64
			for a, v := range at[:dims] {
				cell := uint64(0)
				if v > 0 {
					cell = uint64(min(v/4*math.Ldexp(1, bits), math.Ldexp(1, bits)-1))
				}
				for bit := range bits {
					want |= cell >> bit & 1 << (bit*dims + a)
				}
			}
			if got != want {
				t.Fatalf("%d dimensions, %v: key %x, want %x", dims, at, got, want)
			}
		}
	}
}

// TestHilbert follows the curve through all cells. Each cell must occur once, next to the previous
// cell.
func TestHilbert(t *testing.T) {
	for _, dims := range []int{2, 3} {
		for _, levels := range []int{1, 2, 3, 4} {
			side := 1 << levels
			n := side * side
			if dims == 3 {
				n *= side
			}
			s := Space[float32]{Dims: dims, High: Point[float32]{float32(side), float32(side), float32(side)}}
			x, y, z, keys, row := make([]float32, n), make([]float32, n), make([]float32, n), make([]uint64, n), make([]int32, n)
			for i := range n {
				x[i], y[i], z[i] = float32(i%side)+0.5, float32(i/side%side)+0.5, float32(i/side/side)+0.5
			}
			if dims == 2 {
				s.Hilbert(keys, x, y, nil)
			} else {
				s.Hilbert(keys, x, y, z)
			}
			bits := 31
			if dims == 3 {
				bits = 21
			}
			for i := range keys {
				keys[i] >>= dims * (bits - levels)
				row[i] = int32(i)
			}
			var sorter order.Sorter[uint64, int32]
			sorter.SortPairs(keys, row)
			for k, i := range row {
				if keys[k] != uint64(k) {
					t.Fatalf("%d dimensions, %d levels: no cell has key %d", dims, levels, k)
				}
				if k > 0 {
					j := row[k-1]
					if d := math.Abs(float64(x[i]-x[j])) + math.Abs(float64(y[i]-y[j])) + math.Abs(float64(z[i]-z[j])); d != 1 {
						t.Fatalf("%d dimensions, %d levels: a step of %v to key %d", dims, levels, d, k)
					}
				}
			}
		}
	}
}

func TestCurveMisuse(t *testing.T) {
	keys, lane := make([]uint64, 2), make([]float32, 2)
	box := Space[float32]{Dims: 3, High: Point[float32]{1, 1, 1}}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"near: Space.Morton: Dims is 0: 2 or 3", func() { Space[float32]{}.Morton(keys, lane, lane, lane) }},
		{"near: Space.Hilbert: len(keys) is 2, len(x) is 2, len(y) is 2, len(z) is 0, want 2, because there are 3 dimensions", func() { box.Hilbert(keys, lane, lane, nil) }},
		{"near: Space.Morton: the box reaches from 0 to 0 along X: High is to be above Low", func() { Space[float32]{Dims: 2}.Morton(keys, lane, lane, nil) }},
	} {
		got := ""
		func() {
			defer func() { got = fmt.Sprint(recover()) }()
			c.f()
		}()
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	box.Hilbert(nil, nil, nil, nil)
}

// BenchmarkCurve measures the computation of keys. It also measures how much faster a grid of a
// million points is if the points are sorted along a curve.
func BenchmarkCurve(b *testing.B) {
	const n = 1_000_000
	s := crowd[float32](5, n)
	for i := range n {
		s.x[i], s.y[i], s.z[i] = float32(s.r.Float64()), float32(s.r.Float64()), float32(s.r.Float64())
	}
	s.space = Space[float32]{Dims: 3, High: Point[float32]{1, 1, 1}, Cell: 0.999 / 54}
	keys, index := make([]uint64, n), make([]int32, n)
	per := func(b *testing.B, points int, body func()) {
		for b.Loop() {
			body()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(points), "ns/point")
	}
	for _, curve := range []struct {
		name string
		keys func()
	}{
		{"drawn", func() {}},
		{"morton", func() { s.space.Morton(keys, s.x, s.y, s.z) }},
		{"hilbert", func() { s.space.Hilbert(keys, s.x, s.y, s.z) }},
	} {
		b.Run("keys/"+curve.name, func(b *testing.B) { per(b, n, curve.keys) })
		for i := range keys {
			keys[i] = uint64(i)
		}
		curve.keys()
		var sorter order.Sorter[uint64, int32]
		order.Argsort(&sorter, index, keys)
		lanes := [3][]float32{slices.Clone(s.x), slices.Clone(s.y), slices.Clone(s.z)}
		for a, lane := range [][]float32{s.x, s.y, s.z} {
			for i, row := range index {
				lanes[a][i] = lane[row]
			}
		}
		g := New(s.space)
		b.Run("build/"+curve.name, func(b *testing.B) { per(b, n, func() { g.Build(lanes[0], lanes[1], lanes[2]) }) })
		mass, sorted := lanes[0], make([]float32, n)
		b.Run("gather/"+curve.name, func(b *testing.B) {
			per(b, n, func() {
				for row, id := range g.IDs() {
					sorted[row] = mass[id]
				}
			})
		})
		var found []Found[float32]
		b.Run("within/"+curve.name, func(b *testing.B) {
			per(b, n/10, func() {
				for i := 0; i < n; i += 10 {
					found = g.AppendWithin(found[:0], Point[float32]{lanes[0][i], lanes[1][i], lanes[2][i]}, 0.01)
				}
			})
		})
	}
}
