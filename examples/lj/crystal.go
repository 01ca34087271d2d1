package main

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/soa"
)

// density is the number of atoms in a unit of volume.
const density = 0.8442

// newGas returns a face-centred cubic crystal with the given number of cells along each side. Its velocities are drawn from the normal
// distribution of the temperature.
func newGas(pool *jobs.Pool, cells int, temperature float64) (*gas, error) {
	width := kernels.CbrtOf(4 / density) // of a cell
	side := float64(float64(cells) * width)
	if side < 2*(cutoff+skin) {
		return nil, fmt.Errorf("a box of %d cells is %.2f wide, less than twice the cutoff and the skin: take more cells", cells, side)
	}
	corner := near.Point[float64]{X: side, Y: side, Z: side}
	g := &gas{pool: pool, side: side, grid: near.New(near.Space[float64]{Dims: 3, High: corner, Cell: cutoff + skin, Border: near.Periodic})}
	g.grid.Pool = pool

	n := 4 * cells * cells * cells
	g.energy, g.moved = make([]float64, n), make([]float64, n)
	for _, v := range []*vecs{&g.pos, &g.vel, &g.acc, &g.sorted} {
		*v = soa.Make[vecs](n)
	}
	for i := range n {
		at, cell := [4][3]float64{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}[i%4], i/4
		g.pos.X[i] = float64((float64(cell%cells) + at[0]) * width)
		g.pos.Y[i] = float64((float64(cell/cells%cells) + at[1]) * width)
		g.pos.Z[i] = float64((float64(cell/cells/cells) + at[2]) * width)
	}
	for axis, v := range [][]float64{g.vel.X, g.vel.Y, g.vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, math.Sqrt(temperature))
		mean := kernels.Sum(v) / float64(n)
		for i := range v {
			v[i] -= mean // so that the centre of mass is at rest
		}
	}
	if err := g.relist(); err != nil {
		return nil, err
	}
	return g, g.kick(0)
}
