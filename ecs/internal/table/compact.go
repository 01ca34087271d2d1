package table

import (
	"math/bits"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

// Compact moves all chunks, which the list has in the order of loops, to new memory: as
// neighbours in this order, in bays that are full, and small if they are told to be and
// have few rows. All other memory is given back. While it works both are there.
func (m *Memory) Compact(list []Arrival, small func(i int) bool) {
	m.release()
	old := m.spare
	bytes := 0
	for _, s := range m.list {
		s.partial, s.slots = s.partial[:0], 0
	}
	for i, a := range list {
		if few := a.fewOf(small(i)); few >= 0 {
			bytes += a.Shape.few[few].bytes
		} else {
			a.Shape.left++
			bytes += (a.Shape.bytes + soa.Align - 1) &^ (soa.Align - 1)
		}
	}
	m.slabs = new(chunk.Slabs)
	m.slabs.Reserve(bytes)
	m.places, m.live, m.spare = 0, 0, nil
	for i, a := range list {
		var to Place
		if few := a.fewOf(small(i)); few >= 0 {
			to = m.takeFew(a.Shape, few)
		} else {
			to = m.takeNext(a.Shape)
		}
		copyLanes(&to, a.Place, a.Rows)
		if b := a.Place.home; b.moving == 0 { // its first chunk
			b.moving = 1
			old = append(old, b)
		}
		*a.Place = to
	}
	for _, b := range old {
		*b = bay{}
	}
	m.spare = append(m.spare, old...)
	m.slabs.Trim()
}

// fewOf returns which of the sizes of small chunks the chunk will have, -1 for a full one.
func (a *Arrival) fewOf(small bool) int {
	if small {
		for i, f := range a.Shape.few {
			if a.Rows <= f.rows {
				return i
			}
		}
	}
	return -1
}

// takeNext returns the next slot of a shape, of which it is known how many chunks are to
// come: bays are as large as they will be full.
func (m *Memory) takeNext(s *Shape) Place {
	if len(s.partial) == 0 {
		b := m.open(s, min(maxLog, bits.Len(uint(s.left))-1))
		s.left--
		return m.takeSlot(b, 0)
	}
	s.left--
	b := s.partial[0]
	return m.takeSlot(b, bits.TrailingZeros32(^b.used))
}
