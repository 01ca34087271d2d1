package table

import "math/bits"

// Arrival describes a chunk that moves from another world to this Memory.
type Arrival struct {
	Place *Place // the chunk's old place; Adopt replaces it by the new one
	Shape *Shape // the chunk's new shape, which has the same lanes
	Rows  int    // number of rows in use
}

// Adopt moves chunks from other Memory to m. If all chunks of a block move and its slab moves
// too, the block keeps its memory: see [chunk.Slabs.Adopt]. Adopt copies the rows of all other
// chunks, so that neither Memory keeps memory of the other Memory alive.
func (m *Memory) Adopt(list []Arrival, from *Memory) {
	from.freeKept()
	met, spans := from.blockScratch[:0], from.spanScratch[:0]
	for _, a := range list {
		b := a.Place.block
		if b.movingSlots == 0 {
			met = append(met, b)
		}
		b.movingSlots++
	}
	for _, b := range met {
		if int(b.movingSlots) == bits.OnesCount32(b.usedSlots) {
			spans = append(spans, b.span)
		}
		b.movingSlots = 0
	}
	m.slabs.Adopt(spans, from.slabs)
	for _, a := range list {
		p := a.Place
		if b := p.block; m.slabs.Owns(b.span) {
			if b.successor == nil {
				b.successor = m.adoptBlock(b, a.Shape)
			}
			from.placeCount--
			m.placeCount++
			from.liveBytes -= p.Size()
			m.liveBytes += p.Size()
			*p = b.successor.placeAt(int(p.slotIndex))
			continue
		}
		to := m.takeSameSize(a.Shape, p)
		copyLanes(&to, p, a.Rows)
		from.FreePlace(*p)
		*p = to
	}
	for _, b := range met {
		if b.successor != nil {
			*b = block{}
			from.spareBlocks = append(from.spareBlocks, b)
		}
	}
	clear(met)
	clear(spans)
	from.blockScratch, from.spanScratch = met[:0], spans[:0]
}

// adoptBlock returns a new block of m. The new block takes over the memory and the chunks of a block
// of another Memory. The two shapes have the same lanes. adoptBlock does not reuse the old block
// struct, because many block structs are allocated together. So the old struct would keep all blocks
// of its world alive, and the memory of these blocks.
func (m *Memory) adoptBlock(b *block, s *Shape) *block {
	used := b.usedSlots
	b.usedSlots = 0
	b.updatePartial()
	heir := m.newBlock()
	*heir = *b
	heir.usedSlots, heir.shape = used, s
	if b.smallSize == 0 {
		b.shape.usedSlots -= bits.OnesCount32(used)
		s.usedSlots += bits.OnesCount32(used)
	}
	heir.updatePartial()
	return heir
}
