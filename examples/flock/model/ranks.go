package model

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// Ranks connects the parts of a flock in several worlds. The domain of module mpi implements
// this interface. The rows of Ranks are the birds of this world, and those birds of other
// worlds that they see, in the order of their IDs. Birds of other worlds have [ecs.Ghost].
type Ranks = interface {
	Start() error                                  // begins a tick; the rows are this world's birds, and those of others are being sent
	Finish() error                                 // all have arrived; the rows are those near the border
	Progress() error                               // to be called now and then in between
	Len() int                                      // the number of rows
	AppendRows(rows []int32, ids []uint64) []int32 // the rows of these IDs, or −1
	Counts(row int32) bool                         // whether the data for the row is complete now and was not before
	Part() near.Part                               // the cells with rows, which the grid must keep
}

// Rows describes a bird to the ranks. The description contains the ID of the bird, its place, and the
// other components that ranks must see of birds within reach.
func (m *Flock) Rows() (space near.Space[float32], reach float32, id, place reflect.Type, seen []reflect.Type) {
	return m.Space(), m.View, reflect.TypeFor[ID](), reflect.TypeFor[Place](), []reflect.Type{reflect.TypeFor[Heading]()}
}

// Spread makes this world's birds a part of a flock.
func (m *Flock) Spread(w *ecs.World, r Ranks) {
	m.parts.ranks = r
	m.parts.all = w.Query(ecs.Read[ID](), ecs.Read[Place](), ecs.Read[Heading](), ecs.IncludeGhosts())
}

// parts holds the additional data for a flock that is divided among several worlds.
type parts struct {
	ranks  Ranks      // the other ranks, or nil
	all    *ecs.Query // birds and ghosts
	part   near.Part
	before []int
	own    []int32 // the rows of birds
	at     lanes
	border lanes // the sums of birds at the border
}

// gaze adds up the headings that all birds see. It begins with the birds that see no ghosts, while
// the ghosts are being sent.
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

// keep restricts the grid to the cells that belong to this rank.
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

// collect passes the positions of the birds that have rows to the grid.
func (p *parts) collect(m *Flock, birds *ecs.Query, before []int) error {
	n := p.ranks.Len()
	p.at, m.way, m.sorted, m.seen = room(p.at, n), room(m.way, n), room(m.sorted, n), room(m.seen, n)
	if err := birds.ParallelFor(&collecting{m, birds == m.birds, before}).Wait(); err != nil {
		return err
	}
	m.grid.Build(p.at.X, p.at.Y, nil)
	return nil
}

// collecting is the job that collects birds.
type collecting struct {
	*Flock
	keep   bool // all rows belong to this world and are kept
	before []int
}

// Chunk collects the birds of a chunk.
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
	ids, n := *ecs.ReadColumn[ID](c), c.Len()
	x, y, wx, wy := place.X[:n], place.Y[:n], way.X[:n], way.Y[:n]
	at, own := &m.parts.at, &m.way
	for lo := 0; lo < n; lo += some {
		for i, row := range m.parts.ranks.AppendRows(few[:0], ids[lo:min(lo+some, n)]) {
			if i += lo; row >= 0 {
				at.X[row], at.Y[row] = x[i], y[i]
				own.X[row], own.Y[row] = wx[i], wy[i]
			}
		}
	}
}

// merging is the job that merges the sums of the birds near ghosts with the sums of all other birds.
type merging struct{ *Flock }

// Chunk merges the sums of a chunk.
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

// idle reports whether a tile has no row that this step must compute.
func (p *parts) idle(m *Flock, tile int) bool {
	rows := m.grid.TileRows(tile)
	for _, id := range m.grid.IDs()[rows.Lo:rows.Hi] {
		if p.ranks.Counts(id) {
			return false
		}
	}
	return true
}

// turn turns and moves the birds of a chunk. The ID of a bird determines its noise, so the noise
// does not depend on the row.
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

// resize returns a slice for n rows. It reuses the memory of rows if possible.
func resize(rows []int32, n int) []int32 {
	if cap(rows) < n {
		return make([]int32, n, n+n/8)
	}
	return rows[:n]
}
