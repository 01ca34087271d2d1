package table

import "math/bits"

// Arrival is a chunk that comes from another world.
type Arrival struct {
	Place *Place // the chunk's old place, and then its new one
	Shape *Shape // the chunk's new shape, with the same lanes
	Rows  int    // number of rows in use
}

// Adopt moves chunks from other Memory to m. A bay whose chunks all come keeps its memory, if its
// slab comes too: see [chunk.Slabs.Adopt]. The rows of other chunks are copied, so that neither
// Memory keeps memory of the other alive.
func (m *Memory) Adopt(list []Arrival, from *Memory) {
	from.release()
	met, spans := from.met[:0], from.spans[:0]
	for _, a := range list {
		b := a.Place.home
		if b.moving == 0 {
			met = append(met, b)
		}
		b.moving++
	}
	for _, b := range met {
		if int(b.moving) == bits.OnesCount32(b.used) {
			spans = append(spans, b.span)
		}
		b.moving = 0
	}
	m.slabs.Adopt(spans, from.slabs)
	for _, a := range list {
		p := a.Place
		if b := p.home; m.slabs.Owns(b.span) {
			if b.heir == nil {
				b.heir = m.inherit(b, a.Shape)
			}
			from.places--
			m.places++
			from.live -= p.Size()
			m.live += p.Size()
			*p = b.heir.place(int(p.slot))
			continue
		}
		to := m.takeLike(a.Shape, p)
		copyLanes(&to, p, a.Rows)
		from.Give(*p)
		*p = to
	}
	for _, b := range met {
		if b.heir != nil {
			*b = bay{}
			from.spare = append(from.spare, b)
		}
	}
	clear(met)
	clear(spans)
	from.met, from.spans = met[:0], spans[:0]
}

// inherit returns a new bay of m with the memory and the chunks of a bay of other Memory. The lanes
// of the two shapes are the same. The old bay is not reused, because bays are allocated many at a
// time: it would keep all bays of its world alive, with their memory.
func (m *Memory) inherit(b *bay, s *Shape) *bay {
	used := b.used
	b.used = 0
	b.list()
	heir := m.newBay()
	*heir = *b
	heir.used, heir.shape = used, s
	if b.few == 0 {
		b.shape.slots -= bits.OnesCount32(used)
		s.slots += bits.OnesCount32(used)
	}
	heir.list()
	return heir
}
