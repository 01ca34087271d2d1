package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// A file that is read into a world should be copied once. So an ImageBuilder can put rows where they are to be: into memory
// of the world, in which they are no chunks before all is checked and Restore makes them some.

// madeFor is the rows of an image that were made in the memory of a world.
type madeFor struct {
	world  *World
	memory *table.Memory // its, then
	places []table.Place // by ids of chunks: where their rows are; nowhere if they are in memory of the image, or the world has taken them
}

// placedPart says from which part of a chunk on rows are put into the world: a half. Tests have others.
var placedPart = 2

// next returns memory of the world for the next chunk. It is nowhere if the image is for none, and where less than half of a chunk
// is full: a file that claims many chunks of one row each must not cost much more than its bytes, and a world keeps small chunks in small pieces.
func (m *madeFor) next(s *table.Shape, capacity, rows int) *table.Place {
	if m == nil {
		return &table.Place{}
	}
	var behind *table.Place
	if last := len(m.places) - 1; last >= 0 && !m.places[last].Nil() {
		behind = &m.places[last]
	}
	m.places = append(m.places, table.Place{})
	own := &m.places[len(m.places)-1]
	if placedPart*rows > capacity {
		*own = m.memory.TakeFull(s, behind)
		m.memory.SetApart(1)
	}
	return own
}

// take gives up the place of a chunk, if it is one of a shape in some memory.
func (m *madeFor) take(id int32, s *table.Shape, memory *table.Memory) (p table.Place) {
	if m == nil || m.memory != memory || m.places[id].Nil() || m.places[id].Shape() != s {
		return p
	}
	p, m.places[id] = m.places[id], p
	m.memory.SetApart(-1)
	return p
}

// giveBack gives the world what it has not taken.
func (m *madeFor) giveBack() {
	for i := range m.places {
		if !m.places[i].Nil() {
			m.memory.Give(m.places[i])
			m.memory.SetApart(-1)
		}
	}
	m.places = nil
}

// placedIDs is ids that lie in memory of a world.
func placedIDs(p *table.Place, rows int) *imageIDs {
	return &imageIDs{list: idsAt(p, rows), class: -1}
}

// lanesAt shows rows of lanes, which are 0 unless they are to be overwritten.
func lanesAt(p *table.Place, lanes []table.Lane, rows int, overwritten bool) [][]byte {
	list := make([][]byte, len(lanes))
	for i, l := range lanes {
		b := p.Bytes(l, 0, rows)
		if list[i] = b[:len(b):len(b)]; !overwritten {
			clear(b)
		}
	}
	return list
}
