package golden

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// nearRow finds neighbours in spaces of each kind, with few points, and with enough points for all
// workers.
func nearRow(_ *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	for border := range near.Endless + 1 {
		neighbours[float32](s, pool, border, 20_000)
		neighbours[float64](s, pool, border, 700)
	}
	return s.Sum64()
}

func neighbours[T kernels.Float](s sum, pool *jobs.Pool, border near.Border, n int) {
	d := draw(n)
	x, y, z := lane[T](&d, n), lane[T](&d, n), lane[T](&d, n)
	g := near.New(near.Space[T]{Dims: 3, Low: near.Point[T]{X: -1, Y: -1, Z: -1}, High: near.Point[T]{X: 1, Y: 1, Z: 1}, Cell: 0.25, Border: border})
	g.Pool = pool
	g.Build(x, y, z)
	at := g.At()
	addFloats(s, at.X[:min(n, 500)])
	for i := 0; i < len(at.X); i += 1 + n/100 {
		p := near.Point[T]{X: at.X[i], Y: at.Y[i], Z: at.Z[i]}
		for _, f := range g.AppendNearest(g.AppendWithin(nil, p, 0.05), p, 3) {
			s.add(uint64(f.ID), uint64(f.Row))
			addFloats(s, []T{f.Square})
		}
	}
	if n < 1000 {
		var lists near.Lists
		if err := g.Pairs(&lists, 0.1); err != nil {
			panic(err)
		}
		for _, row := range lists.Row {
			s.add(uint64(row))
		}
	}
	hit, along, _ := g.Hit(near.Point[T]{X: -3, Y: -2, Z: 1}, near.Point[T]{X: 3, Y: 2, Z: -1}, 0.01)
	s.add(uint64(hit.ID))
	addFloats(s, []T{along, hit.Square})
}
