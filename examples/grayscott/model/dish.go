// Package model is the plane of examples/grayscott. The gallery uses it, too.
package model

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// A Dish holds the concentrations of U and V in a plane, in two buffers. Each step computes one
// buffer from the other.
type Dish struct {
	pool         *jobs.Pool
	U, V         *grid.Field[float32] // the concentrations
	nextU, nextV *grid.Field[float32]
}

// New returns a dish full of U, with drops of V in random places.
func New(pool *jobs.Pool, cells int) *Dish {
	field := func() *grid.Field[float32] {
		return grid.New[float32](grid.Shape{X: cells, Y: cells, Margin: 1})
	}
	d := &Dish{pool, field(), field(), field(), field()}
	kernels.Fill(d.U.Cells(), 1)
	for drop := range uint64(1 + cells*cells/1500) {
		left := random.BelowOf(random.Key{Seed: 1, Stream: 0}.Row(drop), cells)
		top := random.BelowOf(random.Key{Seed: 1, Stream: 1}.Row(drop), cells)
		for y := range 10 {
			for x := range 10 {
				d.U.Set((left+x)%cells, (top+y)%cells, 0, 0.5)
				d.V.Set((left+x)%cells, (top+y)%cells, 0, 0.5)
			}
		}
	}
	return d
}

// Step computes the concentrations after a step.
func (d *Dish) Step(feed, kill float32) error {
	around := grid.Edge[float32]{Rule: grid.Periodic}
	for _, f := range []*grid.Field[float32]{d.U, d.V} {
		f.FillMargins(grid.Edges[float32]{X: around, Y: around})
	}
	err := d.U.ForRows(d.pool, func(y, _ int) {
		u, v := d.U.Shifted, d.V.Shifted
		React(d.nextU.Row(y, 0), d.nextV.Row(y, 0),
			u(0, y, 0), u(-1, y, 0), u(1, y, 0), u(0, y-1, 0), u(0, y+1, 0), u(-1, y-1, 0), u(1, y-1, 0), u(-1, y+1, 0), u(1, y+1, 0),
			v(0, y, 0), v(-1, y, 0), v(1, y, 0), v(0, y-1, 0), v(0, y+1, 0), v(-1, y-1, 0), v(1, y-1, 0), v(-1, y+1, 0), v(1, y+1, 0),
			feed, kill)
	})
	if err == nil {
		d.U.Swap(d.nextU)
		d.V.Swap(d.nextV)
	}
	return err
}

// Mean returns the mean concentrations.
func (d *Dish) Mean() (u, v float32) {
	n := d.U.Shape().Y
	for y := range n {
		u, v = u+kernels.Mean(d.U.Row(y, 0)), v+kernels.Mean(d.V.Row(y, 0))
	}
	return u / float32(n), v / float32(n)
}

// Hash returns a hash of the concentrations.
func (d *Dish) Hash() uint64 {
	h := fnv.New64a()
	for y := range d.U.Shape().Y {
		_ = binary.Write(h, binary.LittleEndian, d.U.Row(y, 0)) // a hash never fails
		_ = binary.Write(h, binary.LittleEndian, d.V.Row(y, 0))
	}
	return h.Sum64()
}
