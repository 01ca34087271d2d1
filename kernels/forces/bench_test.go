package forces

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// BenchmarkForces measures two things: gravity between 1,024 bodies, as time per pair, and the springs of
// a cloth, as time per spring end. The cloth has 64 × 64 points with twelve springs a point. Plain loops
// run too, for comparison.
func BenchmarkForces(b *testing.B) {
	b.Run("type=float32", benchmark[float32])
	b.Run("type=float64", benchmark[float64])
}

func benchmark[T kernels.Float](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const side, few = 64, 1024
	pos, vel := cloud[T](r, side*side)
	force := nothing[T](side * side)
	net := cloth[T](side)
	ends := len(net.To)
	p, f := pos.Slice(0, few), force.Slice(0, few)
	for _, k := range []struct {
		name string
		n    int
		run  func()
	}{
		{"Gravity", few * few, func() { Gravity(&f, &p, &p, vel.X[:few], 0.01) }},
		{"GravityPlain", few * few, func() { gravity(&f, &p, &p, vel.X[:few], 0.01) }},
		{"Springs", ends, func() { Springs(&force, &pos, &vel, &pos, &vel, net, 0.1) }},
		{"SpringsPlain", ends, func() { springs(&force, &pos, &vel, &pos, &vel, net.Start, net.To, net.Rest, net.Stiff, 0.1) }},
	} {
		b.Run("kernel="+k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.n), "ns/pair")
		})
	}
}

// cloth returns the springs of a square grid of points. Each point is tied to its neighbours along
// the axes and the diagonals, and to the points at distance two along the axes.
func cloth[T kernels.Float](side int) Net[T] {
	var a, b []int32
	var rest, stiff []T
	for y := range side {
		for x := range side {
			for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}} {
				u, v := x+d[0], y+d[1]
				if u >= 0 && u < side && v < side {
					a, b = append(a, int32(y*side+x)), append(b, int32(v*side+u))
					rest, stiff = append(rest, 1), append(stiff, 50)
				}
			}
		}
	}
	return Tie(side*side, a, b, rest, stiff)
}
