package render

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// fleet is a world of n groups of three levels, with an entity of each, and a camera.
func fleet(b testing.TB, n, workers int) (*stage, *eye, ecs.Entity) {
	s := newStage(b, onWorkers(b, workers))
	s.ok(Install(s.w, Options{Assets: s.assets, Width: 160, Height: 100}))
	s.pen = nil
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		place := placed(r.Float32()*200-100, r.Float32()*200-100, r.Float32()*200-100)
		g := s.w.Spawn(Levels{Distances: [8]float32{40, 80, 150}, Hysteresis: 0.1}, place)
		for k := range 3 {
			s.w.Spawn(square, place, Level{Group: g, Min: uint8(k)})
		}
	}
	camera := s.w.Spawn(Camera{FOV: 0.9, Near: 1, Far: 120}, placed(0, 0, 0))
	s.frame()
	return s, sceneOf(s.w).eyes[0], camera
}

// The whole of a frame in which the camera has moved; choose and filter are levels alone,
// in ns a group and a row.
func BenchmarkLevels(b *testing.B) {
	const n = 100_000
	for _, workers := range []int{1, 2} {
		s, e, camera := fleet(b, n, workers)
		turn := float32(0)
		step := func() {
			turn = 1 - turn
			s.move(camera, 0, 0, turn)
			s.frame()
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/groups=%d/workers=%d", name, n, workers), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/group")
			})
		}
		run("frame", step)
		run("still", s.frame)
		run("choose", func() {
			e.levels.turned = true
			s.ok(e.levels.choose(e))
		})
		run("filter", func() {
			e.levels.renew = true
			s.ok(e.levels.filter(e))
		})
	}
}
