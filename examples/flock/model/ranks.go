package model

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// Ranks holds a flock together that several worlds have a part of: the domain of module mpi does. Rows are the birds that are in this
// world, those of others that they may see among them (they have [ecs.Ghost]), in the order of their IDs.
type Ranks interface {
	Exchange() error                                        // before a tick: who left, and ghosts
	Len() int                                               // how many rows there are
	AppendRows(rows []int32, entities []ecs.Entity) []int32 // which rows they are
	Ghost(row int32) bool
}

// Spread makes this world's birds a part of a flock.
func (m *Flock) Spread(w *ecs.World, r Ranks) {
	m.parts.ranks = r
	m.parts.all = w.Query(ecs.Read[Place](), ecs.Read[Heading](), ecs.IncludeGhosts())
}

// parts is what a flock needs beside itself that others have a part of.
type parts struct {
	ranks  Ranks      // that have the others, or nil
	all    *ecs.Query // birds, and ghosts
	before []int
	rows   []int32
	at     lanes
}

// collect tells the grid where birds are, in the order of IDs.
func (p *parts) collect(m *Flock) error {
	n := m.parts.ranks.Len()
	m.room(n)
	if cap(p.rows) < n {
		p.rows, p.at = make([]int32, n+n/8), vectors(n+n/8)
	}
	p.rows, p.at = p.rows[:n], p.at.Slice(0, n)
	p.before = p.all.AppendOffsets(p.before[:0])
	if err := p.all.ParallelFor(&collecting{m}).Wait(); err != nil {
		return err
	}
	m.grid.Build(p.at.X, p.at.Y, nil)
	return nil
}

// collecting is the job of it.
type collecting struct{ *Flock }

// Chunk collects what a chunk has.
func (m *collecting) Chunk(c *ecs.Chunk) {
	place, way, first := ecs.Peek[Place](c), ecs.Peek[Heading](c), m.parts.before[c.Index()]
	rows := m.parts.ranks.AppendRows(m.parts.rows[first:first:first+c.Len()], c.Entities())
	kernels.Scatter(m.parts.at.X, rows, place.X)
	kernels.Scatter(m.parts.at.Y, rows, place.Y)
	kernels.Scatter(m.way.X, rows, way.X)
	kernels.Scatter(m.way.Y, rows, way.Y)
}

// foreign reports whether a tile has ghosts alone, who look around elsewhere.
func (p *parts) foreign(m *Flock, tile int) bool {
	rows := m.grid.TileRows(tile)
	for _, id := range m.grid.IDs()[rows.Lo:rows.Hi] {
		if !m.parts.ranks.Ghost(id) {
			return false
		}
	}
	return true
}

// turn turns and moves the birds of a chunk: the noise of a bird is drawn by its ID, whatever row it is in.
func (p *parts) turn(m *turn, c *ecs.Chunk) {
	id, place, way := *ecs.Peek[ID](c), ecs.Column[Place](c), ecs.Column[Heading](c)
	rows := m.parts.ranks.AppendRows(make([]int32, 0, c.Len()), c.Entities())
	var x, y, sx, sy [some]float32
	for lo := 0; lo < c.Len(); lo += some {
		hi := min(lo+some, c.Len())
		noise, sum := lanes{X: x[:hi-lo], Y: y[:hi-lo]}, lanes{X: sx[:hi-lo], Y: sy[:hi-lo]}
		for i, id := range id[lo:hi] {
			x[i], y[i] = random.Direction2Of[float32](m.noise.Row(id))
		}
		kernels.Gather(sum.X, m.sum.X, rows[lo:hi])
		kernels.Gather(sum.Y, m.sum.Y, rows[lo:hi])
		at, to := place.Slice(lo, hi), way.Slice(lo, hi)
		Fly(&at, &to, &sum, &noise, m.Noise, m.Pace, m.Size)
	}
}
