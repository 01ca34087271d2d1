package table

import (
	"encoding/binary"
	"math/bits"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

// Shape is the list of lanes of chunks, and the number of rows of a full chunk.
type Shape struct {
	capacity      int
	rowSizes      []uint32 // size of a row in each lane on this machine, beginning with the ids
	laneBytes     []uint32 // size of each lane of a full chunk in bytes
	laneOffsets   []uint32 // offset of each lane, if the block has a single slot
	fullBytes     int      // size of a full chunk in bytes
	offsetTables  [maxLogSlots + 1][][]uint32
	smallChunks   []smallChunk
	partialBlocks []*block // blocks with both free and used slots
	usedSlots     int      // number of slots in use in blocks of full chunks
	unplaced      int      // number of chunks for which Compact has not found a place yet
}

// smallChunk is the layout of small chunks of one size.
type smallChunk struct {
	rowCapacity int
	bytes       int
	offsets     []uint32
}

// maxLogSlots is the logarithm of the largest number of slots of a block.
const maxLogSlots = 4

// smallRows holds the capacities of small chunks, in rows. The smallest capacity is 16, because
// kernels may read and write rows up to the next multiple of 16.
var smallRows = [...]int{16, 64, 256}

// idBytes is the size of an id.
const idBytes = 8

// Shape returns the shape of chunks with the given capacity. The ids are the first lane; then
// the given lanes follow in the given order. The parameter key identifies the lanes.
func (m *Memory) Shape(key []byte, capacity int, lanes []soa.Lane) *Shape {
	key = binary.LittleEndian.AppendUint32(key, uint32(capacity))
	if s := m.shapes[string(key)]; s != nil {
		return s
	}
	s := &Shape{capacity: capacity, rowSizes: []uint32{idBytes}}
	wide := []uint32{idBytes} // use the sizes of 64-bit machines, so that chunks have the same capacity on every machine
	for _, l := range lanes {
		s.rowSizes = append(s.rowSizes, uint32(l.Type.Size()))
		wide = append(wide, uint32(l.Size))
	}
	s.laneOffsets, s.laneBytes, s.fullBytes = layoutLanes(capacity, wide)
	for _, rows := range smallRows {
		start, _, bytes := layoutLanes(rows, wide)
		if rows >= capacity || bytes > chunk.Size/2 || 2*bytes > s.fullBytes {
			break
		}
		s.smallChunks = append(s.smallChunks, smallChunk{rows, bytes, newOffsets(start)})
	}
	if m.shapes == nil {
		m.shapes = map[string]*Shape{}
	}
	m.shapes[string(key)] = s
	m.shapesInOrder = append(m.shapesInOrder, s)
	return s
}

// layoutLanes places lanes with the given row sizes one after the other.
func layoutLanes(rows int, sizes []uint32) (start, pitch []uint32, bytes int) {
	for _, size := range sizes {
		p := (uint32(rows)*size + soa.Align - 1) &^ (soa.Align - 1)
		start, pitch = append(start, uint32(bytes)), append(pitch, p)
		bytes += int(p)
	}
	return start, pitch, bytes
}

// newOffsets returns a table of the offsets, preceded by their number.
func newOffsets(start []uint32) []uint32 {
	return append([]uint32{uint32(len(start))}, start...)
}

// offsetsOfSlot returns the offsets of the lanes of a slot, relative to the ids of that slot.
func (s *Shape) offsetsOfSlot(log, slot int) *uint32 {
	if s.offsetTables[log] == nil {
		s.offsetTables[log] = make([][]uint32, 1<<log)
	}
	t := s.offsetTables[log][slot]
	if t == nil {
		t = newOffsets(s.laneOffsets)
		for i, at := range s.laneOffsets {
			t[1+i] = at<<log + uint32(slot)*s.laneBytes[i] - uint32(slot)*s.laneBytes[0]
		}
		s.offsetTables[log][slot] = t
	}
	return &t[1]
}

// nextLogSlots returns the logarithm of the number of slots of the next block.
func (s *Shape) nextLogSlots() int { return min(maxLogSlots, bits.Len(uint(s.usedSlots)|1)-1) }

// LaneOffset returns the offset of a lane in a full chunk whose block has a single slot.
func (s *Shape) LaneOffset(lane uint32) int { return int(s.laneOffsets[lane]) }

// RowBytes returns the size of a row in all lanes, including its id.
func (s *Shape) RowBytes() (bytes int) {
	for _, size := range s.rowSizes {
		bytes += int(size)
	}
	return bytes
}

// Dense reports whether a lane is dense: the rows of a full chunk continue in the next slot
// without a gap.
func (s *Shape) Dense(lane uint32) bool {
	return s.laneBytes[lane] == uint32(s.capacity)*s.rowSizes[lane]
}

// RowSizes returns the size of a row in each lane, beginning with the ids.
func (s *Shape) RowSizes() []uint32 { return s.rowSizes }
