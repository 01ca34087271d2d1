package model

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// Ranks holds a flock together that several worlds have a part of: the domain of module mpi does. Rows are birds that are in this
// world, those of others that they may see among them (they have [ecs.Ghost]), in the order of their IDs.
type Ranks = interface {
	Start() error                                  // a tick: who left; the rows are this world's birds, and others' are on their way
	Finish() error                                 // they are here; the rows are those near the border
	Progress() error                               // now and then between them
	Len() int                                      // how many rows there are
	AppendRows(rows []int32, ids []uint64) []int32 // which rows have these IDs, or −1
	Counts(row int32) bool                         // what it sees is complete, and was not before
	Part() near.Part                               // the cells in which rows are: others are not kept
}

// Rows says what of a bird is what to ranks: its number, its place, and what others see beside that, of those within reach.
func (m *Flock) Rows() (space near.Space[float32], reach float32, id, place reflect.Type, seen []reflect.Type) {
	return m.Space(), m.View, reflect.TypeFor[ID](), reflect.TypeFor[Place](), []reflect.Type{reflect.TypeFor[Heading]()}
}

// Spread makes this world's birds a part of a flock.
func (m *Flock) Spread(w *ecs.World, r Ranks) {
	m.parts.ranks = r
	m.parts.all = w.Query(ecs.Read[ID](), ecs.Read[Place](), ecs.Read[Heading](), ecs.IncludeGhosts())
}

// parts is what a flock needs beside itself that others have a part of.
type parts struct {
	ranks  Ranks      // that have the others, or nil
	all    *ecs.Query // birds, and ghosts
	part   near.Part
	before []int
	own    []int32 // the rows of birds
	at     lanes
	border lanes // what those at the border see
}

// gaze sums what everybody sees: first those who see no ghosts, while these are on their way.
func (p *parts) gaze(m *Flock) error {
	if err := p.ranks.Start(); err != nil {
		return err
	}
	p.keep(m)
	n := p.ranks.Len()
	m.before = m.birds.AppendOffsets(m.before[:0])
	p.own = resize(p.own, n)
	if err := p.collect(m, m.birds, m.before); err != nil {
		return err
	}
	m.sum = room(m.sum, n)
	if err := m.add(&m.sum); err != nil {
		return err
	}
	if err := p.ranks.Finish(); err != nil {
		return err
	}
	p.before = p.all.AppendOffsets(p.before[:0])
	if err := p.collect(m, p.all, p.before); err != nil {
		return err
	}
	p.border = room(p.border, p.ranks.Len())
	if err := m.add(&p.border); err != nil {
		return err
	}
	return m.birds.ParallelFor(&merging{m}).Wait()
}

// keep has the grid keep the cells of this rank.
func (p *parts) keep(m *Flock) {
	part := p.ranks.Part()
	if part == p.part {
		return
	}
	space := m.Space()
	space.Part = part
	m.grid, p.part = near.New(space), part
	m.grid.Pool = m.pool
}

// collect tells the grid where the birds are that have rows.
func (p *parts) collect(m *Flock, birds *ecs.Query, before []int) error {
	n := p.ranks.Len()
	p.at, m.way, m.sorted, m.seen = room(p.at, n), room(m.way, n), room(m.sorted, n), room(m.seen, n)
	if err := birds.ParallelFor(&collecting{m, birds == m.birds, before}).Wait(); err != nil {
		return err
	}
	m.grid.Build(p.at.X, p.at.Y, nil)
	return nil
}

// collecting is the job of it.
type collecting struct {
	*Flock
	keep   bool // all are this world's, and their rows are kept
	before []int
}

// Chunk collects what a chunk has.
func (m *collecting) Chunk(c *ecs.Chunk) {
	place, way := ecs.ReadColumn[Place](c), ecs.ReadColumn[Heading](c)
	if m.keep {
		first := m.before[c.Index()]
		rows := m.parts.ranks.AppendRows(m.parts.own[first:first:first+c.Len()], *ecs.ReadColumn[ID](c))
		kernels.Scatter(m.parts.at.X, rows, place.X)
		kernels.Scatter(m.parts.at.Y, rows, place.Y)
		kernels.Scatter(m.way.X, rows, way.X)
		kernels.Scatter(m.way.Y, rows, way.Y)
		return
	}
	var few [some]int32
	ids := *ecs.ReadColumn[ID](c)
	for lo := 0; lo < c.Len(); lo += some {
		for i, row := range m.parts.ranks.AppendRows(few[:0], ids[lo:min(lo+some, c.Len())]) {
			if i += lo; row >= 0 {
				m.parts.at.X[row], m.parts.at.Y[row] = place.X[i], place.Y[i]
				m.way.X[row], m.way.Y[row] = way.X[i], way.Y[i]
			}
		}
	}
}

// merging is the job that brings what birds at the border see to what others do.
type merging struct{ *Flock }

// Chunk does it for a chunk.
func (m *merging) Chunk(c *ecs.Chunk) {
	ranks, sum, border := m.parts.ranks, &m.sum, &m.parts.border
	var few [some]int32
	ids := *ecs.ReadColumn[ID](c)
	for lo := 0; lo < c.Len(); lo += some {
		own := m.parts.own[m.before[c.Index()]+lo:]
		for i, row := range ranks.AppendRows(few[:0], ids[lo:min(lo+some, c.Len())]) {
			if row >= 0 && ranks.Counts(row) {
				sum.X[own[i]], sum.Y[own[i]] = border.X[row], border.Y[row]
			}
		}
	}
}

// idle reports whether a tile has none that counts.
func (p *parts) idle(m *Flock, tile int) bool {
	rows := m.grid.TileRows(tile)
	for _, id := range m.grid.IDs()[rows.Lo:rows.Hi] {
		if p.ranks.Counts(id) {
			return false
		}
	}
	return true
}

// turn turns and moves the birds of a chunk: the noise of a bird is drawn by its ID, whatever row it is in.
func (p *parts) turn(m *turn, c *ecs.Chunk) {
	id, place, way := *ecs.ReadColumn[ID](c), ecs.Column[Place](c), ecs.Column[Heading](c)
	rows := p.own[m.before[c.Index()]:][:c.Len()]
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

// resize makes room for n rows.
func resize(rows []int32, n int) []int32 {
	if cap(rows) < n {
		return make([]int32, n, n+n/8)
	}
	return rows[:n]
}
