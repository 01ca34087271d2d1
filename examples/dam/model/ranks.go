package model

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// Ranks connects the parts of the water in several worlds. The domain of module mpi implements
// this interface. The rows of Ranks are the drops of this world, and those drops of other worlds
// that they see, in the order of their IDs. Drops of other worlds have [ecs.Ghost].
type Ranks = interface {
	Start() error                                  // begins a tick; the rows are this world's drops, and those of others are being sent
	Finish() error                                 // all have arrived; the rows are those near the border
	Progress() error                               // to be called now and then in between
	Len() int                                      // the number of rows
	AppendRows(rows []int32, ids []uint64) []int32 // the rows of these IDs, or −1
	Counts(row int32) bool                         // whether the data for the row is complete now and was not before
	Part() near.Part                               // the cells with rows, which the grid must keep
}

// Rows describes a drop to the ranks. The description contains the ID of the drop, its place, and the
// other components that ranks must see. The forces on a drop depend on the densities of the drops
// within its reach. These densities, in turn, depend on the drops within the reach of each of these
// drops. A drop therefore sees twice as far as its reach.
func (s *Dam) Rows() (space near.Space[float32], reach float32, id, place reflect.Type, seen []reflect.Type) {
	return s.space(), 2 * s.reach, reflect.TypeFor[ID](), reflect.TypeFor[transform.Translation](), []reflect.Type{reflect.TypeFor[Velocity]()}
}

// Spread makes this world's drops a part of the water.
func (s *Dam) Spread(w *ecs.World, r Ranks) {
	s.parts.ranks = r
	s.parts.all = w.Query(ecs.Read[ID](), ecs.Read[transform.Translation](), ecs.Read[Velocity](), ecs.IncludeGhosts())
}

// parts holds the additional data for water that is divided among several worlds.
type parts struct {
	ranks         Ranks      // the other ranks, or nil
	all           *ecs.Query // drops and ghosts
	part          near.Part
	before        []int
	own           []int32 // the rows of drops
	at            lanes
	inner, border lanes  // velocities after the step, of all drops and of those at the border
	next          *lanes // the destination of such velocities
}

// step computes the forces between all drops. It begins with the drops that see no ghosts, while
// the ghosts are being sent.
func (p *parts) step(s *Dam) error {
	if err := p.ranks.Start(); err != nil {
		return err
	}
	p.keep(s)
	n := p.ranks.Len()
	s.starts = s.drops.AppendOffsets(s.starts[:0])
	if cap(p.own) < n {
		p.own = make([]int32, n, n+n/8)
	}
	p.own = p.own[:n]
	if err := p.collect(s, s.drops, s.starts, &p.inner); err != nil {
		return err
	}
	if err := p.ranks.Finish(); err != nil {
		return err
	}
	p.before = p.all.AppendOffsets(p.before[:0])
	if err := p.collect(s, p.all, p.before, &p.border); err != nil {
		return err
	}
	return s.drops.ParallelFor(&merging{s}).Wait()
}

// keep restricts the grid to the cells that belong to this rank.
func (p *parts) keep(s *Dam) {
	part := p.ranks.Part()
	if part == p.part {
		return
	}
	space := s.space()
	space.Part = part
	s.grid, p.part = near.New(space), part
	s.grid.Pool = s.pool
}

// collect passes the positions of the drops that have rows to the grid and computes the forces
// between them.
func (p *parts) collect(s *Dam, drops *ecs.Query, before []int, next *lanes) error {
	n := p.ranks.Len()
	s.room(n)
	p.at, *next = resizeLanes(p.at, n), resizeLanes(*next, n)
	p.next = next
	if err := drops.ParallelFor(&collecting{s, drops == s.drops, before}).Wait(); err != nil {
		return err
	}
	s.grid.Build(p.at.X, p.at.Y, p.at.Z)
	return s.push()
}

// collecting is the job that collects drops.
type collecting struct {
	*Dam
	keep   bool // all rows belong to this world and are kept
	before []int
}

const some = 256 // number of rows that are looked up at once

// Chunk collects the drops of a chunk.
func (s *collecting) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.ReadColumn[transform.Translation](c), ecs.ReadColumn[Velocity](c)
	if s.keep {
		first := s.before[c.Index()]
		rows := s.parts.ranks.AppendRows(s.parts.own[first:first:first+c.Len()], *ecs.ReadColumn[ID](c))
		kernels.Scatter(s.parts.at.X, rows, pos.X)
		kernels.Scatter(s.parts.at.Y, rows, pos.Y)
		kernels.Scatter(s.parts.at.Z, rows, pos.Z)
		kernels.Scatter(s.own.X, rows, vel.X)
		kernels.Scatter(s.own.Y, rows, vel.Y)
		kernels.Scatter(s.own.Z, rows, vel.Z)
		return
	}
	var few [some]int32
	ids, n := *ecs.ReadColumn[ID](c), c.Len()
	x, y, z, vx, vy, vz := pos.X[:n], pos.Y[:n], pos.Z[:n], vel.X[:n], vel.Y[:n], vel.Z[:n]
	at, own := &s.parts.at, &s.own
	for lo := 0; lo < n; lo += some {
		for i, row := range s.parts.ranks.AppendRows(few[:0], ids[lo:min(lo+some, n)]) {
			if i += lo; row >= 0 {
				at.X[row], at.Y[row], at.Z[row] = x[i], y[i], z[i]
				own.X[row], own.Y[row], own.Z[row] = vx[i], vy[i], vz[i]
			}
		}
	}
}

// merging is the job that merges the velocities of the drops near ghosts with the velocities of all other drops.
type merging struct{ *Dam }

// Chunk merges the velocities of a chunk.
func (s *merging) Chunk(c *ecs.Chunk) {
	ranks, inner, border := s.parts.ranks, &s.parts.inner, &s.parts.border
	var few [some]int32
	ids := *ecs.ReadColumn[ID](c)
	for lo := 0; lo < c.Len(); lo += some {
		own := s.parts.own[s.starts[c.Index()]+lo:]
		for i, row := range ranks.AppendRows(few[:0], ids[lo:min(lo+some, c.Len())]) {
			if row >= 0 && ranks.Counts(row) {
				inner.X[own[i]], inner.Y[own[i]], inner.Z[own[i]] = border.X[row], border.Y[row], border.Z[row]
			}
		}
	}
}

// idle reports whether a tile has no row that this step must compute.
func (p *parts) idle(s *Dam, tile int) bool {
	rows := s.grid.TileRows(tile)
	for _, id := range s.grid.IDs()[rows.Lo:rows.Hi] {
		if p.ranks.Counts(id) {
			return false
		}
	}
	return true
}
