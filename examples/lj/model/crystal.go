package model

import (
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/soa"
)

// density is the number of atoms in a unit of volume.
const density = 0.8442

// New returns a face-centred cubic crystal with the given number of cells along each side. Its velocities are drawn from the normal
// distribution of the temperature.
func New(pool *jobs.Pool, cells int, temperature float64) (*Gas, error) {
	width := kernels.CbrtOf(4 / density) // of a cell
	side := float64(float64(cells) * width)
	box := near.Space[float64]{Dims: 3, High: near.Point[float64]{X: side, Y: side, Z: side}, Border: near.Periodic}
	g := &Gas{
		List:      near.NewClusters(box, cutoff, skin),
		potential: forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, Shifted: true},
		Side:      side,
	}
	g.List.Pool = pool

	n := 4 * cells * cells * cells
	pos := soa.Make[vecs](n)
	g.Vel, g.acc, g.energy, g.virial = soa.Make[vecs](n), soa.Make[vecs](n), make([]float64, n), make([]float64, n)
	for i := range n {
		at, cell := [4][3]float64{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}[i%4], i/4
		pos.X[i] = float64((float64(cell%cells) + at[0]) * width)
		pos.Y[i] = float64((float64(cell/cells%cells) + at[1]) * width)
		pos.Z[i] = float64((float64(cell/cells/cells) + at[2]) * width)
	}
	if err := g.List.Build(pos.X, pos.Y, pos.Z); err != nil {
		return nil, err
	}
	for axis, v := range [][]float64{g.Vel.X, g.Vel.Y, g.Vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, math.Sqrt(temperature))
		mean := kernels.Sum(v) / float64(n)
		for i := range v {
			v[i] -= mean // so that the centre of mass is at rest
		}
		g.List.Reorder(v)
	}
	return g, g.kick(0, false)
}
