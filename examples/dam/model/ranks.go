package model

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// Ranks holds water together that several worlds have a part of: the domain of module mpi does. Rows are drops that are in this
// world, those of others that they may see among them (they have [ecs.Ghost]), in the order of their IDs.
type Ranks = interface {
	Start() error                                  // a tick: what left; the rows are this world's drops, and others' are on their way
	Finish() error                                 // they are here; the rows are those near the border
	Progress() error                               // now and then between them
	Len() int                                      // how many rows there are
	AppendRows(rows []int32, ids []uint64) []int32 // which rows have these IDs, or −1
	Counts(row int32) bool                         // what pushes it is complete, and was not before
	Part() near.Part                               // the cells in which rows are: others are not kept
}

// Rows says what of a drop is what to ranks: its number, its place, and what others see beside that. A drop is pushed by those within
// its reach, by the densities of these, and these come of what is within theirs: so it sees twice as far.
func (s *Dam) Rows() (space near.Space[float32], reach float32, id, place reflect.Type, seen []reflect.Type) {
	return s.space(), 2 * s.reach, reflect.TypeFor[ID](), reflect.TypeFor[transform.Translation](), []reflect.Type{reflect.TypeFor[Velocity]()}
}

// Spread makes this world's drops a part of the water.
func (s *Dam) Spread(w *ecs.World, r Ranks) {
	s.parts.ranks = r
	s.parts.all = w.Query(ecs.Read[ID](), ecs.Read[transform.Translation](), ecs.Read[Velocity](), ecs.IncludeGhosts())
}

// parts is what water needs beside itself that others have a part of.
type parts struct {
	ranks         Ranks      // that have the others, or nil
	all           *ecs.Query // drops, and ghosts
	part          near.Part
	before        []int
	own           []int32 // the rows of drops
	at            lanes
	inner, border lanes  // velocities after the step, of drops and of those at the border
	next          *lanes // where such go
}

// step has all drops push each other: first those that see no ghosts, while these are on their way.
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

// keep has the grid keep the cells of this rank.
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

// collect tells the grid where the drops are that have rows, and has them push each other.
func (p *parts) collect(s *Dam, drops *ecs.Query, before []int, next *lanes) error {
	n := p.ranks.Len()
	s.room(n)
	p.at, *next = resized(p.at, n), resized(*next, n)
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
	keep   bool // all are this world's, and their rows are kept
	before []int
}

const some = 256 // rows that are looked up at once

// Chunk collects what a chunk has.
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
	ids := *ecs.ReadColumn[ID](c)
	for lo := 0; lo < c.Len(); lo += some {
		for i, row := range s.parts.ranks.AppendRows(few[:0], ids[lo:min(lo+some, c.Len())]) {
			if i += lo; row >= 0 {
				s.parts.at.X[row], s.parts.at.Y[row], s.parts.at.Z[row] = pos.X[i], pos.Y[i], pos.Z[i]
				s.own.X[row], s.own.Y[row], s.own.Z[row] = vel.X[i], vel.Y[i], vel.Z[i]
			}
		}
	}
}

// merging is the job that brings velocities at the border to the others.
type merging struct{ *Dam }

// Chunk does it for a chunk.
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

// idle reports whether a tile has none that counts.
func (p *parts) idle(s *Dam, tile int) bool {
	rows := s.grid.TileRows(tile)
	for _, id := range s.grid.IDs()[rows.Lo:rows.Hi] {
		if p.ranks.Counts(id) {
			return false
		}
	}
	return true
}
