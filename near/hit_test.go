package near

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestHitEntry compares Hit with geometry. The returned position must be on the surface of the
// point's ball, unless the segment begins inside the ball. No ball may touch the segment before that
// position. Segments end before, inside and beyond balls, begin inside them, or have no length, and r
// may be 0.
func TestHitEntry(t *testing.T) {
	const seed = 5
	for k := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, k))
		testHitEntry[float64](t, r, k)
		testHitEntry[float32](t, r, k)
	}
}

func testHitEntry[T kernels.Float](t *testing.T, r *rand.Rand, seed uint64) {
	border := Border(r.IntN(3))
	space := Space[T]{Dims: 2 + r.IntN(2), Cell: 1, Border: border}
	if border != Endless {
		space.High = Point[T]{X: 20, Y: 12, Z: 9}
	}
	n := []int{1, 2, 40, 300}[r.IntN(4)]
	x, y, z := make([]T, n), make([]T, n), make([]T, n)
	for i := range n {
		x[i], y[i], z[i] = T(20*r.Float64()), T(12*r.Float64()), T(9*r.Float64())
	}
	var lane []T
	if space.Dims == 3 {
		lane = z
	} else {
		clear(z)
	}
	g := New(space)
	g.Build(x, y, lane)
	for range 30 {
		place := func() [3]float64 {
			i := r.IntN(n)
			near := []float64{0, 0.5, 2, 10}[r.IntN(4)] // at a point, inside its ball, near it, anywhere
			p := [3]float64{float64(x[i]) + near*(2*r.Float64()-1), float64(y[i]) + near*(2*r.Float64()-1), float64(z[i]) + near*(2*r.Float64()-1)}
			if space.Dims == 2 {
				p[2] = 0
			}
			for a := range p {
				p[a] = float64(T(p[a]))
			}
			return p
		}
		from, to := place(), place()
		if r.IntN(8) == 0 {
			to = from
		}
		radius := T([]float64{0, 0.3, 1, 2.5, 40}[r.IntN(5)])
		point := func(p [3]float64) Point[T] { return Point[T]{X: T(p[0]), Y: T(p[1]), Z: T(p[2])} }
		hit, along, ok := g.Hit(point(from), point(to), radius)
		slack := 1e-3
		if isFloat64[T]() {
			slack = 1e-7
		}
		// nearest returns the smallest distance of a point to the first part of the segment.
		nearest := func(i int, part float64) float64 {
			var q, way [3]float64
			dot, square := 0.0, 0.0
			for a, c := range [3]float64{float64(x[i]), float64(y[i]), float64(z[i])} {
				q[a], way[a] = c-from[a], to[a]-from[a]
				dot, square = dot+float64(q[a]*way[a]), square+float64(way[a]*way[a])
			}
			u := 0.0
			if square > 0 {
				u = min(max(dot/square, 0), part)
			}
			d := 0.0
			for a := range q {
				d += math.Pow(q[a]-float64(u*way[a]), 2)
			}
			return math.Sqrt(d)
		}
		length := math.Sqrt(math.Pow(to[0]-from[0], 2) + math.Pow(to[1]-from[1], 2) + math.Pow(to[2]-from[2], 2))
		before := 1.0
		if ok {
			before = max(0, float64(along)-slack/max(length, slack))
			at := nearest(int(hit.ID), float64(along))
			if at > float64(radius)+slack || along > 0 && at < float64(radius)-slack {
				t.Fatalf("%v, case %d, from %v to %v with %v: the ball of %v begins at %v, at distance %v of its middle", border, seed, from, to, radius, hit, along, at)
			}
			if !(along >= 0 && along <= 1) {
				t.Fatalf("case %d: along is %v", seed, along)
			}
		}
		for i := range n {
			if d := nearest(i, before); d < float64(radius)-slack && (!ok || before > 0) {
				t.Fatalf("%v, case %d, from %v to %v with %v: hit %v at %v, %v; point %d is within %v of the way before", border, seed, from, to, radius, hit, along, ok, i, d)
			}
		}
	}
}
