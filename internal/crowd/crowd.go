// Package crowd is a workload for measurements of package near. It creates
// points in a cube, and computes a sum over the neighbours of each point. The
// doctor compares it with plain Go, and bench/compare with C.
//
// A cell has 6.4 points on average, so a point has 27 neighbours within a
// cell's width, among 178 candidates.
package crowd

import (
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/near"
)

// A Crowd holds points in a unit cube, and sums over their neighbours.
type Crowd struct {
	Grid   *near.Grid[float32]
	R      float32   // how far is near
	Sorted []float32 // masses by row
	Sums   []float32 // by row

	x, y, z, m []float32
	pool       *jobs.Pool
	pieces     []piece
	sort, work func(lo, hi int)
}

// A piece is a range of tiles, together with scratch memory.
type piece struct {
	tile near.Tile[float32]
	mass []float32
}

const tilesOfPiece = 64

// Side returns the number of cells along each axis for n points.
func Side(n int) int {
	k := 1
	for (k+1)*(k+1)*(k+1)*64 <= n*10 {
		k++
	}
	return k
}

// New returns a crowd of points in its grid. Coordinates x, y and z are in [0,
// 1); m has the masses.
func New(pool *jobs.Pool, x, y, z, m []float32) *Crowd {
	n := len(x)
	c := &Crowd{pool: pool, R: 1 / float32(Side(n)), x: x, y: y, z: z, m: m, Sorted: make([]float32, n), Sums: make([]float32, n)}
	c.Grid = near.New(near.Space[float32]{Dims: 3, High: near.Point[float32]{X: 1, Y: 1, Z: 1}, Cell: float32(c.R * 0.9999)})
	c.Grid.Pool, c.sort, c.work = pool, c.sortMasses, c.tiles
	c.Build()
	return c
}

// Build builds the grid.
func (c *Crowd) Build() { c.Grid.Build(c.x, c.y, c.z) }

// Sum computes the sum of each row.
func (c *Crowd) Sum() error {
	if err := c.pool.Range(len(c.Sums), 4096, c.sort); err != nil {
		return err
	}
	n := (c.Grid.Tiles() + tilesOfPiece - 1) / tilesOfPiece
	for len(c.pieces) < n {
		c.pieces = append(c.pieces, piece{})
	}
	return c.pool.Range(n, 1, c.work)
}

func (c *Crowd) sortMasses(lo, hi int) {
	for row, id := range c.Grid.IDs()[lo:hi] {
		c.Sorted[lo+row] = c.m[id]
	}
}

func (c *Crowd) tiles(lo, hi int) {
	at := c.Grid.At()
	for k := lo; k < hi; k++ {
		q := &c.pieces[k]
		t := &q.tile
		for i := k * tilesOfPiece; i < min((k+1)*tilesOfPiece, c.Grid.Tiles()); i++ {
			t.Load(c.Grid, i, c.R)
			q.mass = t.Gather(q.mass, c.Sorted)
			a, b := t.Rows.Lo, t.Rows.Hi
			Near(c.Sums[a:b], at.X[a:b], at.Y[a:b], at.Z[a:b], t.At.X, t.At.Y, t.At.Z, q.mass, float32(c.R*c.R))
		}
	}
}

// Plain computes the sums of the first rows with a plain loop over candidates.
// Call Sum first, because Sum sorts the masses, which Plain needs.
func (c *Crowd) Plain(rows int) {
	at, r2 := c.Grid.At(), float32(c.R*c.R)
	var runs []near.Run
	for row := range rows {
		p := near.Point[float32]{X: at.X[row], Y: at.Y[row], Z: at.Z[row]}
		sum := float32(0)
		runs = c.Grid.AppendRuns(runs[:0], p, c.R)
		for _, run := range runs {
			x, y, z, mass := at.X[run.Lo:run.Hi], at.Y[run.Lo:run.Hi], at.Z[run.Lo:run.Hi], c.Sorted[run.Lo:run.Hi]
			for j, m := range mass {
				dx, dy, dz := x[j]-p.X, y[j]-p.Y, z[j]-p.Z
				if d := r2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)); d > 0 {
					sum += float32(m * (d * d * d))
				}
			}
		}
		c.Sums[row] = sum
	}
}
