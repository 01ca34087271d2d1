package table

import (
	"encoding/binary"
	"math/bits"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

// Shape is the lanes that chunks have, and how many rows are full.
type Shape struct {
	capacity int
	sizes    []uint32 // of a row of each lane on this machine, the ids first
	pitch    []uint32 // bytes of each lane of a full chunk
	start    []uint32 // of each lane, if the chunk is alone
	bytes    int      // of a full chunk
	tables   [maxLog + 1][][]uint32
	few      []few
	partial  []*bay // bays of which some slots are free, and not all
	slots    int    // of bays of full chunks, handed out
	left     int    // chunks that Compact has still to find a place for
}

// few is the memory of chunks with few rows.
type few struct {
	rows  int
	bytes int
	table []uint32
}

// maxLog is the logarithm of the most chunks that are side by side.
const maxLog = 4

// fewRows are the numbers of rows that a small chunk has memory for. Sixteen is the
// least: kernels may read and write up to a multiple of that.
var fewRows = [...]int{16, 64, 256}

// idBytes is the size of an id.
const idBytes = 8

// Shape returns the shape of chunks of so many rows with these lanes, in this order,
// behind the ids. The key stands for the lanes.
func (m *Memory) Shape(key []byte, capacity int, lanes []soa.Lane) *Shape {
	key = binary.LittleEndian.AppendUint32(key, uint32(capacity))
	if s := m.shapes[string(key)]; s != nil {
		return s
	}
	s := &Shape{capacity: capacity, sizes: []uint32{idBytes}}
	wide := []uint32{idBytes} // by 64-bit rules, as in layouts: places are the same everywhere
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

// lay puts lanes of rows of the given sizes one behind the other.
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

// table returns the offsets of the lanes of a slot of a bay, from its ids on.
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

// next is the logarithm of how many chunks the next bay has.
func (s *Shape) next() int { return min(maxLog, bits.Len(uint(s.slots)|1)-1) }

// Start returns where a lane begins in a full chunk that is alone.
func (s *Shape) Start(lane uint32) int { return int(s.start[lane]) }

// RowBytes returns how many bytes a row takes, its id included.
func (s *Shape) RowBytes() (bytes int) {
	for _, size := range s.sizes {
		bytes += int(size)
	}
	return bytes
}

// Dense reports whether a lane of a full chunk goes on in the next slot without a gap.
func (s *Shape) Dense(lane uint32) bool {
	return s.pitch[lane] == uint32(s.capacity)*s.sizes[lane]
}

// Lanes returns the sizes of a row of each lane, the ids first.
func (s *Shape) Lanes() []uint32 { return s.sizes }
