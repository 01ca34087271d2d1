package table

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// Lane identifies a lane of a shape by its index, and holds the size of a row on this machine. Lane
// 0 holds the ids.
type Lane struct{ Index, Size uint32 }

// Base gives the addresses of the lanes of a chunk. Lane i begins offsets[i] bytes after mem. The
// word before offsets[0] is the number of lanes.
type Base struct {
	mem     unsafe.Pointer // address of the ids
	offsets *uint32
}

// Place says where the rows of a chunk are. The zero Place has no rows.
type Place struct {
	Base
	block       *block
	rowCapacity int32 // number of rows that have memory
	slotIndex   int32 // index of the slot in the block
}

// Nil reports whether b has no rows.
func (b *Base) Nil() bool { return b.mem == nil }

// RowCapacity returns the number of rows that have memory.
func (p *Place) RowCapacity() int { return int(p.rowCapacity) }

// Follows reports whether chunk p is in the slot after the slot of chunk o, in the same block. If
// so, dense lanes continue from o to p without a gap.
func (p *Place) Follows(o *Place) bool { return p.block == o.block && p.slotIndex == o.slotIndex+1 }

// IDs returns the address of the ids, which are lane 0.
func (b *Base) IDs() unsafe.Pointer { return b.mem }

// Lane returns the address of the first row of a lane.
func (b *Base) Lane(i uint32) unsafe.Pointer {
	// SAFETY: tables have an offset for each lane of the shape; lanes are inside the
	// block's memory, which the pointer keeps alive, and hold no Go pointers.
	return unsafe.Add(b.mem, *(*uint32)(unsafe.Add(unsafe.Pointer(b.offsets), 4*uintptr(i))))
}

// ThreeLanes returns the addresses of three consecutive lanes. It adds skip to each address.
func (b *Base) ThreeLanes(i, skip uint32) (x, y, z unsafe.Pointer) {
	// SAFETY: as for Lane.
	at := (*[3]uint32)(unsafe.Add(unsafe.Pointer(b.offsets), 4*uintptr(i)))
	mem := unsafe.Add(b.mem, skip)
	return unsafe.Add(mem, at[0]), unsafe.Add(mem, at[1]), unsafe.Add(mem, at[2])
}

// Row returns the address of a row of a lane.
func (b *Base) Row(l Lane, row int) unsafe.Pointer {
	// SAFETY: the reasons are those of Lane. In addition, callers pass only rows that the chunk
	// has.
	return unsafe.Add(b.Lane(l.Index), uint32(row)*l.Size)
}

// Bytes returns n rows of a lane as bytes.
func (p *Place) Bytes(l Lane, row, n int) []byte {
	if guard {
		p.checkRows(l, row, n)
	}
	// SAFETY: as for Row.
	return unsafe.Slice((*byte)(p.Row(l, row)), uint32(n)*l.Size)
}

// JoinedBytes returns n rows of a dense lane as bytes. The rows begin in this chunk and continue in the
// chunks that follow.
func (p *Place) JoinedBytes(l Lane, n int) []byte {
	// SAFETY: the reasons are those of Row. In addition, callers pass chunks that follow each other
	// and have at least n rows together.
	return unsafe.Slice((*byte)(p.Row(l, 0)), uint32(n)*l.Size)
}

// AdjacentBytes returns the first n rows of several lanes that are adjacent in memory without gaps,
// and the number of these lanes. It returns at least the first lane.
func (p *Place) AdjacentBytes(lanes []Lane, n int) (b []byte, some int) {
	first := p.Row(lanes[0], 0)
	size := uintptr(0)
	for some < len(lanes) && p.Row(lanes[some], 0) == unsafe.Add(first, size) {
		if guard {
			p.checkRows(lanes[some], 0, n)
		}
		size += uintptr(n) * uintptr(lanes[some].Size)
		some++
	}
	// SAFETY: the reasons are those of Row; the counted lanes fill exactly these bytes.
	return unsafe.Slice((*byte)(first), size), some
}

// checkRows panics unless the chunk contains the rows.
func (p *Place) checkRows(l Lane, row, n int) {
	if s := p.block.shape; int(l.Index) >= len(s.rowSizes) || s.rowSizes[l.Index] != l.Size || row < 0 || n < 0 || row+n > int(p.rowCapacity) {
		panic(fmt.Sprintf("table: rows %d to %d of lane %d, %d bytes each, are none of a chunk of %d lanes with %d rows", row, row+n, l.Index, l.Size, len(s.rowSizes), p.rowCapacity))
	}
}

// At returns a row of a lane with elements of type T.
func At[T any](p *Place, lane uint32, row int) *T {
	var zero T
	if guard {
		p.checkRows(Lane{lane, uint32(unsafe.Sizeof(zero))}, row, 1)
	}
	// SAFETY: callers have checked that T is the whole element of the lane, so the row is aligned
	// and holds no Go pointers. The other reasons are those of Row.
	return (*T)(p.Row(Lane{lane, uint32(unsafe.Sizeof(zero))}, row))
}

// Word is an element type for code that only copies the bits of a lane's elements.
type Word interface{ uint32 | uint64 }

// Gather sets a value that consists of words. It reads each word from the given row of one lane;
// the lanes are consecutive.
func Gather[W Word, T any](v *T, p *Place, lane uint32, row int) {
	// SAFETY: callers have checked that T has as many words as there are lanes, and no Go pointers.
	// The other reasons are those of Row. Read all offsets first: the compiler cannot know that the
	// writes do not change the offsets.
	size := unsafe.Sizeof(*new(W))
	mem, at := unsafe.Add(p.mem, row*int(size)), unsafe.Add(unsafe.Pointer(p.offsets), 4*uintptr(lane))
	switch unsafe.Sizeof(*v) / size {
	case 2:
		t := (*[2]uint32)(at)
		x, y := wordIn[W](mem, t[0]), wordIn[W](mem, t[1])
		*(*[2]W)(unsafe.Pointer(v)) = [2]W{*x, *y}
	case 3:
		t := (*[3]uint32)(at)
		x, y, z := wordIn[W](mem, t[0]), wordIn[W](mem, t[1]), wordIn[W](mem, t[2])
		*(*[3]W)(unsafe.Pointer(v)) = [3]W{*x, *y, *z}
	case 4:
		t := (*[4]uint32)(at)
		x, y, z, u := wordIn[W](mem, t[0]), wordIn[W](mem, t[1]), wordIn[W](mem, t[2]), wordIn[W](mem, t[3])
		*(*[4]W)(unsafe.Pointer(v)) = [4]W{*x, *y, *z, *u}
	default:
		for i := uintptr(0); i < unsafe.Sizeof(*v)/size; i++ {
			*(*W)(unsafe.Add(unsafe.Pointer(v), i*size)) = *wordIn[W](mem, *(*uint32)(unsafe.Add(at, 4*i)))
		}
	}
}

// Scatter stores a value that consists of words. It writes each word to the given row of one lane;
// the lanes are consecutive.
func Scatter[W Word, T any](p *Place, lane uint32, row int, v *T) {
	// SAFETY: as in Gather.
	size := unsafe.Sizeof(*new(W))
	mem, at := unsafe.Add(p.mem, row*int(size)), unsafe.Add(unsafe.Pointer(p.offsets), 4*uintptr(lane))
	switch unsafe.Sizeof(*v) / size {
	case 2:
		t, from := (*[2]uint32)(at), (*[2]W)(unsafe.Pointer(v))
		x, y := wordIn[W](mem, t[0]), wordIn[W](mem, t[1])
		*x, *y = from[0], from[1]
	case 3:
		t, from := (*[3]uint32)(at), (*[3]W)(unsafe.Pointer(v))
		x, y, z := wordIn[W](mem, t[0]), wordIn[W](mem, t[1]), wordIn[W](mem, t[2])
		*x, *y, *z = from[0], from[1], from[2]
	case 4:
		t, from := (*[4]uint32)(at), (*[4]W)(unsafe.Pointer(v))
		x, y, z, u := wordIn[W](mem, t[0]), wordIn[W](mem, t[1]), wordIn[W](mem, t[2]), wordIn[W](mem, t[3])
		*x, *y, *z, *u = from[0], from[1], from[2], from[3]
	default:
		for i := uintptr(0); i < unsafe.Sizeof(*v)/size; i++ {
			*wordIn[W](mem, *(*uint32)(unsafe.Add(at, 4*i))) = *(*W)(unsafe.Add(unsafe.Pointer(v), i*size))
		}
	}
}

// ScatterBytes stores the bytes of a value that consists of words of four bytes, as Scatter does.
func (b *Base) ScatterBytes(lane uint32, row int, value []byte) {
	// SAFETY: as in Gather.
	mem, at := unsafe.Add(b.mem, 4*row), unsafe.Add(unsafe.Pointer(b.offsets), 4*uintptr(lane))
	if len(value) == 12 {
		t := (*[3]uint32)(at)
		x, y, z := wordAt(mem, t[0]), wordAt(mem, t[1]), wordAt(mem, t[2])
		v := (*[12]byte)(value)
		*x, *y, *z = nativeOrder.Uint32(v[:]), nativeOrder.Uint32(v[4:]), nativeOrder.Uint32(v[8:])
		return
	}
	for i := uintptr(0); len(value) >= 4; i, value = i+4, value[4:] {
		*wordAt(mem, *(*uint32)(unsafe.Add(at, i))) = nativeOrder.Uint32(value)
	}
}

// nativeOrder is the byte order of words in memory.
var nativeOrder = binary.NativeEndian

// wordAt returns the word at an offset.
func wordAt(mem unsafe.Pointer, at uint32) *uint32 {
	// SAFETY: as for Lane.
	return (*uint32)(unsafe.Add(mem, at))
}

// wordIn is wordAt for a word of any size.
func wordIn[W Word](mem unsafe.Pointer, at uint32) *W {
	// SAFETY: as for Lane.
	return (*W)(unsafe.Add(mem, at))
}
