package near

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// BenchmarkGrid builds a grid of cells with six points each and queries it. It measures how long it
// takes to load all tiles, to find the runs of all points, to make lists of 30 neighbours per
// point, and to search around single points.
func BenchmarkGrid(b *testing.B) {
	for _, c := range []struct{ n, side int }{{100_000, 25}, {1_000_000, 54}} {
		s := crowd[float32](5, c.n)
		for i := range c.n {
			s.x[i], s.y[i], s.z[i] = float32(s.r.Float64()), float32(s.r.Float64()), float32(s.r.Float64())
		}
		s.space = Space[float32]{Dims: 3, High: Point[float32]{1, 1, 1}, Cell: 0.999 / float32(c.side)}
		for _, workers := range []int{1, 2} {
			pool := jobs.New(jobs.Workers(workers))
			g, r := New(s.space), s.space.Cell
			g.Pool = pool
			var lists Lists
			var tile Tile[float32]
			var found []Found[float32]
			row := 0
			at := func() Point[float32] {
				row = (row + 7919) % c.n
				return Point[float32]{s.x[row], s.y[row], s.z[row]}
			}
			g.Build(s.x, s.y, s.z)
			questions := []struct {
				name string
				each int
				body func()
			}{
				{"build", c.n, func() { g.Build(s.x, s.y, s.z) }},
				{"move", c.n, g.Move},
				{"tiles", c.n, func() {
					for k := range g.Tiles() {
						tile.Load(g, k, r)
					}
				}},
				{"neighbours", c.n, func() {
					if err := g.Neighbours(&lists, r); err != nil {
						b.Fatal(err)
					}
				}},
				{"within", 1, func() { found = g.AppendWithin(found[:0], at(), r) }},
				{"nearest", 1, func() { found = g.AppendNearest(found[:0], at(), 8) }},
				{"hit", 1, func() { g.Hit(at(), at(), r/100) }},
			}
			if c.n > 100_000 {
				questions = questions[:2]
			}
			for _, ask := range questions {
				b.Run(fmt.Sprintf("%s/n=%d/workers=%d", ask.name, c.n, workers), func(b *testing.B) {
					for b.Loop() {
						ask.body()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ask.each), "ns/point")
				})
			}
			if err := pool.Close(); err != nil {
				b.Error(err)
			}
		}
	}
}
