package table

import "math/bits"

// Arrival is a chunk that another world gives up.
type Arrival struct {
	Place *Place // its, and then where it is
	Shape *Shape // that it will have: one with the same lanes
	Rows  int    // that live
}

// Adopt makes chunks of other Memory chunks of m. Bays of which no chunk is left behind
// stay where they are, if their slab comes too: see [chunk.Slabs.Adopt]. The
// rows of others are copied, so that neither keeps memory of the other.
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

// inherit returns a bay of m with the memory and the chunks of one of other Memory, of a
// shape with the same lanes. It is another one, since bays are made many at a time: one that
// went over as it is would keep all those of its world alive, with what they have.
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
