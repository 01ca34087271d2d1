package table

import (
	"math/bits"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

// Compact moves all chunks to new memory, as neighbours in the order of the list, which must be the
// order of loops, and in full bays. A chunk with few rows becomes a small one if small reports
// true. All old memory is freed at the end, so both exist meanwhile.
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

// fewOf returns the index of the chunk's size among those of small chunks, or -1 for a full chunk.
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

// takeNext returns the next slot of a shape. The number of chunks that will come is known, so it
// makes bays of the size that they fill.
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
