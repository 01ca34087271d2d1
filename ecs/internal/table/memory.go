package table

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
)

// Memory manages the memory of the chunks of one world. Only one goroutine at a time may use a
// Memory, and a Memory must not be copied.
type Memory struct {
	slabs         *chunk.Slabs
	shapes        map[string]*Shape
	shapesInOrder []*Shape // in the order of creation
	spareBlocks   []*block
	unusedBlocks  []block // block structs that were allocated and not used yet
	placeCount    int     // number of places in use
	liveBytes     int     // size of the places in use, in bytes
	spanScratch   []chunk.Span
	blockScratch  []*block
	keptBlock     *block // block whose last small chunk was freed; may be nil
	detached      int    // number of places that belong to no chunk yet: see AddDetached
}

// New returns a Memory without chunks.
func New() *Memory { return &Memory{slabs: new(chunk.Slabs)} }

// block is memory for neighbouring chunks. Each lane of all these chunks forms one array.
type block struct {
	span         chunk.Span
	shape        *Shape
	usedSlots    uint32 // one bit for each slot in use
	partialIndex int32  // index in shape.partial, or -1
	logSlots     int8   // logarithm of the number of slots
	smallSize    int8   // 1 + the index of the block's size among the sizes of small chunks; 0 for full chunks
	movingSlots  int8   // number of slots that Adopt moves out of this block
	successor    *block // the block that takes over the memory of this block during Adopt
}

// isFull reports whether no slot is free.
func (b *block) isFull() bool { return b.usedSlots == uint32(1<<(1<<b.logSlots)-1) }

// Take returns a place for the given number of rows. It is a place for the smallest small chunk
// that can hold the rows, or for a full chunk if no small chunk can.
func (m *Memory) Take(s *Shape, rows int) Place {
	for i := range s.smallChunks {
		if rows <= s.smallChunks[i].rowCapacity {
			return m.takeSmall(s, i)
		}
	}
	return m.TakeFull(s, nil)
}

// takeSmall returns a place for a small chunk.
func (m *Memory) takeSmall(s *Shape, i int) Place {
	if b := m.keptBlock; b != nil && b.shape == s && int(b.smallSize) == i+1 {
		m.keptBlock = nil
		m.placeCount++
		m.liveBytes += s.smallChunks[i].bytes
		return b.placeAt(0)
	}
	f := &s.smallChunks[i]
	b := m.newBlock()
	*b = block{span: m.slabs.Get(f.bytes), shape: s, usedSlots: 1, partialIndex: -1, smallSize: int8(i + 1)}
	m.placeCount++
	m.liveBytes += f.bytes
	return b.placeAt(0)
}

// TakeFull returns the place of a full chunk. If the place behind is not nil and the slot after
// it is free, TakeFull returns this slot. Otherwise it returns a free slot of any block, or a
// slot of a new block.
func (m *Memory) TakeFull(s *Shape, behind *Place) Place {
	if behind != nil && behind.block.shape == s && behind.block.smallSize == 0 {
		b, slot := behind.block, int(behind.slotIndex)+1
		if slot < 1<<b.logSlots && b.usedSlots>>slot&1 == 0 {
			return m.takeSlot(b, slot)
		}
	}
	var b *block
	if last := len(s.partialBlocks) - 1; last >= 0 {
		b = s.partialBlocks[last]
	} else {
		b = m.allocBlock(s, s.nextLogSlots())
	}
	return m.takeSlot(b, bits.TrailingZeros32(^b.usedSlots))
}

// allocBlock returns a new block without chunks.
func (m *Memory) allocBlock(s *Shape, log int) *block {
	b := m.newBlock()
	*b = block{span: m.slabs.Get(s.fullBytes << log), shape: s, partialIndex: -1, logSlots: int8(log)}
	return b
}

// newBlock returns an empty block struct.
func (m *Memory) newBlock() *block {
	if last := len(m.spareBlocks) - 1; last >= 0 {
		b := m.spareBlocks[last]
		m.spareBlocks = m.spareBlocks[:last]
		return b
	}
	if len(m.unusedBlocks) == 0 {
		m.unusedBlocks = make([]block, min(max(m.placeCount, 1), 64))
	}
	b := &m.unusedBlocks[0]
	m.unusedBlocks = m.unusedBlocks[1:]
	return b
}

// takeSlot marks a free slot of a block as used, and returns its place.
func (m *Memory) takeSlot(b *block, slot int) Place {
	b.usedSlots |= 1 << slot
	b.updatePartial()
	b.shape.usedSlots++
	m.placeCount++
	m.liveBytes += b.shape.fullBytes
	p := b.placeAt(slot)
	if guard {
		p.checkPoison()
	}
	return p
}

// placeAt returns the place of a slot.
func (b *block) placeAt(slot int) Place {
	p := Place{block: b, slotIndex: int32(slot)}
	if b.smallSize > 0 {
		f := &b.shape.smallChunks[b.smallSize-1]
		p.mem, p.offsets, p.rowCapacity = b.span.Pointer(), &f.offsets[1], int32(f.rowCapacity)
		return p
	}
	// SAFETY: the ids of all slots are adjacent at the beginning of the block.
	p.mem = unsafe.Add(b.span.Pointer(), slot*int(b.shape.laneBytes[0]))
	p.offsets, p.rowCapacity = b.shape.offsetsOfSlot(int(b.logSlots), slot), int32(b.shape.capacity)
	return p
}

// updatePartial adds the block to its shape's list of partial blocks if some of its slots are free
// and some are used. Otherwise it removes the block from the list.
func (b *block) updatePartial() {
	s := b.shape
	want := b.smallSize == 0 && b.usedSlots != 0 && !b.isFull()
	switch {
	case want == (b.partialIndex >= 0):
	case want:
		b.partialIndex = int32(len(s.partialBlocks))
		s.partialBlocks = append(s.partialBlocks, b)
	default:
		last := len(s.partialBlocks) - 1
		s.partialBlocks[b.partialIndex] = s.partialBlocks[last]
		s.partialBlocks[b.partialIndex].partialIndex = b.partialIndex
		s.partialBlocks[last] = nil
		s.partialBlocks = s.partialBlocks[:last]
		b.partialIndex = -1
	}
}

// FreePlace frees a place. The caller must not use the place any more. FreePlace frees a block whose
// last chunk was freed. It keeps the block of a small chunk until another place is freed, because an
// entity that repeatedly gains and loses a component creates and frees a chunk each time.
func (m *Memory) FreePlace(p Place) {
	if guard {
		p.poison()
	}
	b := p.block
	m.placeCount--
	m.liveBytes -= p.Size()
	m.freeKept()
	if b.smallSize > 0 && m.placeCount > 0 && !guard {
		m.keptBlock = b
		return
	}
	b.usedSlots &^= 1 << p.slotIndex
	if b.smallSize == 0 {
		b.shape.usedSlots--
		b.updatePartial()
	}
	if b.usedSlots == 0 {
		m.freeBlock(b)
	}
}

// freeBlock frees a block without chunks.
func (m *Memory) freeBlock(b *block) {
	m.slabs.Put(b.span)
	*b = block{}
	m.spareBlocks = append(m.spareBlocks, b)
}

// freeKept frees the kept block, if there is one.
func (m *Memory) freeKept() {
	if b := m.keptBlock; b != nil {
		m.keptBlock = nil
		m.freeBlock(b)
	}
}

// Grow moves a chunk to a place for more rows. It copies the first live rows of the chunk.
func (m *Memory) Grow(p *Place, live, rows int) {
	m.relocate(p, m.Take(p.block.shape, rows), live)
}

// relocate moves the rows of a chunk to another place, and frees the old place.
func (m *Memory) relocate(p *Place, to Place, live int) {
	copyLanes(&to, p, live)
	m.FreePlace(*p)
	*p = to
}

// copyLanes copies the first rows of a chunk to a chunk of the same shape.
func copyLanes(to, from *Place, rows int) {
	for i, size := range to.block.shape.rowSizes {
		l := Lane{uint32(i), size}
		copy(to.Bytes(l, 0, rows), from.Bytes(l, 0, rows))
	}
}

// CopyPlace returns a new place of the same size, and copies the first live rows to it.
func (m *Memory) CopyPlace(p *Place, live int) Place {
	to := m.takeSameSize(p.block.shape, p)
	copyLanes(&to, p, live)
	return to
}

// takeSameSize returns a place in shape s with the same capacity as p. Shape s has the same lanes
// as the shape of p.
func (m *Memory) takeSameSize(s *Shape, p *Place) Place {
	if p.block.smallSize > 0 {
		return m.takeSmall(s, int(p.block.smallSize-1))
	}
	return m.TakeFull(s, nil)
}

// AddDetached adds n to the number of detached places. A place is detached if it is in use but
// belongs to no chunk yet. Compact must wait until there are none, because it moves only the
// places of chunks.
func (m *Memory) AddDetached(n int) { m.detached += n }

// Detached returns the number of detached places, which are in use but belong to no chunk yet.
func (m *Memory) Detached() int { return m.detached }

// PlaceCount returns the number of places in use.
func (m *Memory) PlaceCount() int { return m.placeCount }

// UsedBytes returns the total size of the blocks in bytes. It returns 0 for a nil Memory, because a
// closed world has no Memory.
func (m *Memory) UsedBytes() int {
	if m == nil {
		return 0
	}
	if b := m.keptBlock; b != nil {
		return m.slabs.Used() - b.shape.smallChunks[b.smallSize-1].bytes
	}
	return m.slabs.Used()
}

// LiveBytes returns the total size of the chunks in bytes, without free slots. It returns 0 for a nil
// Memory.
func (m *Memory) LiveBytes() int {
	if m == nil {
		return 0
	}
	return m.liveBytes
}

// ReservedBytes returns the total size of the slabs in bytes. It returns 0 for a nil Memory.
func (m *Memory) ReservedBytes() int {
	if m == nil {
		return 0
	}
	return m.slabs.Bytes()
}

// Shape returns the shape of the chunk.
func (p *Place) Shape() *Shape { return p.block.shape }

// Check returns the first violated invariant of m.
func (m *Memory) Check() error {
	places := 0
	for _, s := range m.shapesInOrder {
		for i, b := range s.partialBlocks {
			if int(b.partialIndex) != i || b.shape != s || b.usedSlots == 0 || b.isFull() || b.smallSize > 0 || b.movingSlots != 0 {
				return fmt.Errorf("bay %d with room: slots %b of %d, in place %d", i, b.usedSlots, 1<<b.logSlots, b.partialIndex)
			}
		}
		places += s.usedSlots
	}
	if places > m.placeCount {
		return fmt.Errorf("%d slots of shapes, %d places are handed out", places, m.placeCount)
	}
	if m.liveBytes < 0 || m.liveBytes > m.UsedBytes() || (m.liveBytes == 0) != (m.placeCount == 0) {
		return fmt.Errorf("%d places have %d bytes of %d", m.placeCount, m.liveBytes, m.UsedBytes())
	}
	return nil
}

// Size returns the size of the chunk's memory in bytes.
func (p *Place) Size() int {
	if few := p.block.smallSize; few > 0 {
		return p.block.shape.smallChunks[few-1].bytes
	}
	return p.block.shape.fullBytes
}

// OutsideBytes returns the approximate number of bytes that m uses outside of slabs.
func (m *Memory) OutsideBytes() int {
	word := int(unsafe.Sizeof(uintptr(0)))
	n := (m.placeCount+len(m.spareBlocks)+len(m.unusedBlocks))*int(unsafe.Sizeof(block{})) + cap(m.spareBlocks)*word
	for _, s := range m.shapesInOrder {
		n += int(unsafe.Sizeof(*s)) + 12*len(s.rowSizes) + cap(s.partialBlocks)*word
		for _, tables := range s.offsetTables {
			for _, t := range tables {
				n += 4*len(t) + 3*word
			}
		}
		for i := range s.smallChunks {
			n += 4*len(s.smallChunks[i].offsets) + int(unsafe.Sizeof(smallChunk{}))
		}
	}
	return n + m.slabs.Beside()
}
