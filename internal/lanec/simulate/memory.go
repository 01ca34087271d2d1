package simulate

import (
	"encoding/binary"
	"fmt"
)

// A Segment is memory that a function may access.
type Segment struct {
	Name  string
	Bytes []byte
	Fixed bool // it may not be written
}

// A memory is the list of all segments. The addresses of the segments are so far apart
// that an access beyond one segment never hits another segment.
type memory struct{ segments []Segment }

const (
	far    = 1 << 32 // between segments
	middle = 1 << 31 // offset of a segment in its part of the address space
)

// address returns the address of segment n.
func address(n int) uint64 { return uint64(n+1)*far + middle }

// add adds a segment and returns its address.
func (m *memory) add(s Segment) uint64 {
	m.segments = append(m.segments, s)
	return address(len(m.segments) - 1)
}

// bytesAt returns n bytes at an address.
func (m *memory) bytesAt(address uint64, n int, write bool) []byte {
	k, offset := address/far, int64(address%far)-middle
	if k == 0 || k > uint64(len(m.segments)) {
		panic(fmt.Sprintf("no memory at %#x", address))
	}
	s := &m.segments[k-1]
	if offset < 0 || offset+int64(n) > int64(len(s.Bytes)) {
		panic(fmt.Sprintf("%d bytes at %d of %s, which has %d", n, offset, s.Name, len(s.Bytes)))
	}
	if write && s.Fixed {
		panic(fmt.Sprintf("%s is written, which is to be read alone", s.Name))
	}
	return s.Bytes[offset : offset+int64(n)]
}

// load reads an unsigned number.
func load(b []byte) uint64 {
	switch len(b) {
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// store writes as many of the lower bytes of a number as b has.
func store(b []byte, x uint64) {
	switch len(b) {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, x)
	}
}
