package table

import (
	"math/bits"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

// Compact moves all chunks to new memory. Chunks that are neighbours in the list become neighbours
// in memory, so the list must have the order in which loops visit the chunks. A chunk with few
// rows becomes a small chunk if the function small returns true. Compact frees the old memory at
// the end, so the old and the new memory exist at the same time.
func (m *Memory) Compact(list []Arrival, small func(i int) bool) {
	m.freeKept()
	old := m.spareBlocks
	bytes := 0
	for _, s := range m.shapesInOrder {
		s.partialBlocks, s.usedSlots = s.partialBlocks[:0], 0
	}
	for i, a := range list {
		if few := a.smallIndex(small(i)); few >= 0 {
			bytes += a.Shape.smallChunks[few].bytes
		} else {
			a.Shape.unplaced++
			bytes += (a.Shape.fullBytes + soa.Align - 1) &^ (soa.Align - 1)
		}
	}
	m.slabs = new(chunk.Slabs)
	m.slabs.Reserve(bytes)
	m.placeCount, m.liveBytes, m.spareBlocks = 0, 0, nil
	for i, a := range list {
		var to Place
		if few := a.smallIndex(small(i)); few >= 0 {
			to = m.takeSmall(a.Shape, few)
		} else {
			to = m.takeNextSlot(a.Shape)
		}
		copyLanes(&to, a.Place, a.Rows)
		if b := a.Place.block; b.movingSlots == 0 { // this is the first chunk of the block
			b.movingSlots = 1
			old = append(old, b)
		}
		*a.Place = to
	}
	for _, b := range old {
		*b = block{}
	}
	m.spareBlocks = append(m.spareBlocks, old...)
	m.slabs.Trim()
}

// smallIndex returns the index of the chunk's size among the sizes of small chunks, or -1 for a
// full chunk.
func (a *Arrival) smallIndex(small bool) int {
	if small {
		for i, f := range a.Shape.smallChunks {
			if a.Rows <= f.rowCapacity {
				return i
			}
		}
	}
	return -1
}

// takeNextSlot returns the next free slot for a chunk of shape s. It allocates blocks of exactly
// the size that the chunks fill, because it knows how many chunks will come.
func (m *Memory) takeNextSlot(s *Shape) Place {
	if len(s.partialBlocks) == 0 {
		b := m.allocBlock(s, min(maxLogSlots, bits.Len(uint(s.unplaced))-1))
		s.unplaced--
		return m.takeSlot(b, 0)
	}
	s.unplaced--
	b := s.partialBlocks[0]
	return m.takeSlot(b, bits.TrailingZeros32(^b.usedSlots))
}
