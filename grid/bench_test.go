package grid_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/grid"
)

// cloud returns particles with charges, in random places of a plane of 256 by 256 cells.
func cloud(rows int) (x, y, q []float64) {
	r := rand.New(rand.NewPCG(6, 0))
	for range rows {
		x, y, q = append(x, 256*r.Float64()), append(y, 256*r.Float64()), append(q, r.NormFloat64())
	}
	return x, y, q
}

// add is the deposit that a program would have without this package: cloud in cell, to float64, in the order
// of the particles.
func add(cells []float64, pitch int, x, y, q []float64) {
	y, q = y[:len(x)], q[:len(x)]
	for i, px := range x {
		u, v := px+0.5, y[i]+0.5
		a, b := int(u), int(v)
		dx, dy := u-float64(a), v-float64(b)
		c, n := q[i], a+b*pitch
		low, high := cells[n:n+2:n+2], cells[n+pitch:n+pitch+2:n+pitch+2]
		low[0] += (1 - dx) * (1 - dy) * c
		low[1] += dx * (1 - dy) * c
		high[0] += (1 - dx) * dy * c
		high[1] += dx * dy * c
	}
}

func BenchmarkDeposit(b *testing.B) {
	const rows = 1 << 18
	x, y, q := cloud(rows)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/particle")
		})
	}
	shape := grid.Shape{X: 256, Y: 256, Margin: 2}
	cells := make([]float64, 260*260)
	run("unordered", func() { add(cells, 260, x, y, q) })
	for o := grid.Nearest; o <= grid.Cubic; o++ {
		sums, mesh := grid.NewSums(shape, 0x1p-40), grid.Mesh[float64]{Order: o}
		run(fmt.Sprintf("order=%d", o), func() {
			sums.Reset()
			if err := mesh.Deposit(sums, grid.Points[float64]{X: x, Y: y}, q); err != nil {
				b.Fatal(err)
			}
		})
	}
	f, dst := grid.New[float64](shape), make([]float64, rows)
	mesh := grid.Mesh[float64]{Order: grid.Linear}
	run("gather", func() {
		if err := mesh.Gather(dst, f, grid.Points[float64]{X: x, Y: y}); err != nil {
			b.Fatal(err)
		}
	})
}
