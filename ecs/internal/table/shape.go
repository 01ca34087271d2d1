package table

import (
	"encoding/binary"
	"math/bits"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

// Shape is the list of lanes of chunks, with the number of rows of a full one.
type Shape struct {
	capacity int
	sizes    []uint32 // of a row in each lane on this machine, the ids first
	pitch    []uint32 // bytes of each lane of a full chunk
	start    []uint32 // offset of each lane, if the chunk is alone
	bytes    int      // of a full chunk
	tables   [maxLog + 1][][]uint32
	few      []few
	partial  []*bay // bays with both free and used slots
	slots    int    // number of used slots in bays of full chunks
	left     int    // number of chunks for which Compact has no place yet
}

// few is the layout of small chunks of one size.
type few struct {
	rows  int
	bytes int
	table []uint32
}

// maxLog is the logarithm of the largest number of slots of a bay.
const maxLog = 4

// fewRows are the numbers of rows of small chunks. Sixteen is the smallest, because kernels may
// read and write up to a multiple of that.
var fewRows = [...]int{16, 64, 256}

// idBytes is the size of an id.
const idBytes = 8

// Shape returns the shape of chunks with the given capacity and lanes, in this order, after the
// ids. The key identifies the lanes.
func (m *Memory) Shape(key []byte, capacity int, lanes []soa.Lane) *Shape {
	key = binary.LittleEndian.AppendUint32(key, uint32(capacity))
	if s := m.shapes[string(key)]; s != nil {
		return s
	}
	s := &Shape{capacity: capacity, sizes: []uint32{idBytes}}
	wide := []uint32{idBytes} // sizes by 64-bit rules, so that chunks have the same capacity on every machine
	for _, l := range lanes {
		s.sizes = append(s.sizes, uint32(l.Type.Size()))
		wide = append(wide, uint32(l.Size))
	}
	s.start, s.pitch, s.bytes = lay(capacity, wide)
	for _, rows := range fewRows {
		start, _, bytes := lay(rows, wide)
		if rows >= capacity || bytes > chunk.Size/2 || 2*bytes > s.bytes {
			break
		}
		s.few = append(s.few, few{rows, bytes, newTable(start)})
	}
	if m.shapes == nil {
		m.shapes = map[string]*Shape{}
	}
	m.shapes[string(key)] = s
	m.list = append(m.list, s)
	return s
}

// lay places lanes with the given row sizes one after the other.
func lay(rows int, sizes []uint32) (start, pitch []uint32, bytes int) {
	for _, size := range sizes {
		p := (uint32(rows)*size + soa.Align - 1) &^ (soa.Align - 1)
		start, pitch = append(start, uint32(bytes)), append(pitch, p)
		bytes += int(p)
	}
	return start, pitch, bytes
}

// newTable returns the offsets with their number before them.
func newTable(start []uint32) []uint32 {
	return append([]uint32{uint32(len(start))}, start...)
}

// table returns the offsets of the lanes of a slot of a bay, relative to its ids.
func (s *Shape) table(log, slot int) *uint32 {
	if s.tables[log] == nil {
		s.tables[log] = make([][]uint32, 1<<log)
	}
	t := s.tables[log][slot]
	if t == nil {
		t = newTable(s.start)
		for i, at := range s.start {
			t[1+i] = at<<log + uint32(slot)*s.pitch[i] - uint32(slot)*s.pitch[0]
		}
		s.tables[log][slot] = t
	}
	return &t[1]
}

// next returns the logarithm of the number of slots of the next bay.
func (s *Shape) next() int { return min(maxLog, bits.Len(uint(s.slots)|1)-1) }

// Start returns the offset of a lane in a full chunk that is alone.
func (s *Shape) Start(lane uint32) int { return int(s.start[lane]) }

// RowBytes returns the size of a row, including its id.
func (s *Shape) RowBytes() (bytes int) {
	for _, size := range s.sizes {
		bytes += int(size)
	}
	return bytes
}

// Dense reports whether a lane of a full chunk continues in the next slot without a gap.
func (s *Shape) Dense(lane uint32) bool {
	return s.pitch[lane] == uint32(s.capacity)*s.sizes[lane]
}

// Lanes returns the sizes of a row in each lane, the ids first.
func (s *Shape) Lanes() []uint32 { return s.sizes }
