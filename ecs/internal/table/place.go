package table

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// Lane is one lane of a shape: which one, and how many bytes a row of it has on this
// machine. Lane 0 is the ids.
type Lane struct{ Index, Size uint32 }

// Base is where the lanes of a chunk begin. Lane i is at mem + at[i]; at[-1] is how many
// there are.
type Base struct {
	mem unsafe.Pointer // the ids
	at  *uint32
}

// Place is where the rows of a chunk are. The zero Place is nowhere.
type Place struct {
	Base
	home *bay
	rows int32 // there is memory for
	slot int32 // in the bay
}

// Nil reports whether there are no rows.
func (b *Base) Nil() bool { return b.mem == nil }

// Rows returns how many rows there is memory for.
func (p *Place) Rows() int { return int(p.rows) }

// Follows reports whether the chunk has the slot behind that of another one, in the same bay:
// lanes that are dense go on in it.
func (p *Place) Follows(o *Place) bool { return p.home == o.home && p.slot == o.slot+1 }

// IDs returns the address of the ids, which are lane 0.
func (b *Base) IDs() unsafe.Pointer { return b.mem }

// Lane returns the address of the first row of a lane.
func (b *Base) Lane(i uint32) unsafe.Pointer {
	// SAFETY: tables have an offset for each lane of the shape; lanes are inside the
	// bay's memory, which the pointer keeps alive, and hold no Go pointers.
	return unsafe.Add(b.mem, *(*uint32)(unsafe.Add(unsafe.Pointer(b.at), 4*uintptr(i))))
}

// Three returns the addresses of three neighbouring lanes, as many bytes behind the
// first row of each.
func (b *Base) Three(i, skip uint32) (x, y, z unsafe.Pointer) {
	// SAFETY: as for Lane.
	at := (*[3]uint32)(unsafe.Add(unsafe.Pointer(b.at), 4*uintptr(i)))
	mem := unsafe.Add(b.mem, skip)
	return unsafe.Add(mem, at[0]), unsafe.Add(mem, at[1]), unsafe.Add(mem, at[2])
}

// Row returns the address of a row of a lane.
func (b *Base) Row(l Lane, row int) unsafe.Pointer {
	// SAFETY: as for Lane; callers have rows that the chunk has.
	return unsafe.Add(b.Lane(l.Index), uint32(row)*l.Size)
}

// Bytes shows n rows of a lane.
func (p *Place) Bytes(l Lane, row, n int) []byte {
	if guard {
		p.check(l, row, n)
	}
	// SAFETY: as for Row.
	return unsafe.Slice((*byte)(p.Row(l, row)), uint32(n)*l.Size)
}

// Long shows n rows of a dense lane that begin with the chunk's, and go on in those that
// follow it.
func (p *Place) Long(l Lane, n int) []byte {
	// SAFETY: as for Row; callers have chunks that follow each other, with so many rows.
	return unsafe.Slice((*byte)(p.Row(l, 0)), uint32(n)*l.Size)
}

// Neighbours shows the first n rows of as many lanes as are one behind the other in memory, without room between
// these rows: the first lane at least, and how many.
func (p *Place) Neighbours(lanes []Lane, n int) (b []byte, some int) {
	first := p.Row(lanes[0], 0)
	size := uintptr(0)
	for some < len(lanes) && p.Row(lanes[some], 0) == unsafe.Add(first, size) {
		if guard {
			p.check(lanes[some], 0, n)
		}
		size += uintptr(n) * uintptr(lanes[some].Size)
		some++
	}
	// SAFETY: as for Row; the lanes that were counted fill the bytes.
	return unsafe.Slice((*byte)(first), size), some
}

// check panics if the rows are none of the chunk.
func (p *Place) check(l Lane, row, n int) {
	if s := p.home.shape; int(l.Index) >= len(s.sizes) || s.sizes[l.Index] != l.Size || row < 0 || n < 0 || row+n > int(p.rows) {
		panic(fmt.Sprintf("table: rows %d to %d of lane %d, %d bytes each, are none of a chunk of %d lanes with %d rows", row, row+n, l.Index, l.Size, len(s.sizes), p.rows))
	}
}

// At returns a row of a lane whose element is T.
func At[T any](p *Place, lane uint32, row int) *T {
	var zero T
	if guard {
		p.check(Lane{lane, uint32(unsafe.Sizeof(zero))}, row, 1)
	}
	// SAFETY: callers have checked that T is the whole of a lane's element, so the row
	// is aligned and holds no Go pointers; and as for Row.
	return (*T)(p.Row(Lane{lane, uint32(unsafe.Sizeof(zero))}, row))
}

// Words returns the addresses of a row of three neighbouring lanes of words.
func (b *Base) Words(lane uint32, row int32) (x, y, z *uint32) {
	// SAFETY: as for Row.
	mem, t := unsafe.Add(b.mem, 4*row), three(unsafe.Pointer(b.at), lane)
	i, j, k := t[0], t[1], t[2]
	return word(mem, i), word(mem, j), word(mem, k)
}

// ThreeWords shows values of three words each as these. It panics if T is of another size.
func ThreeWords[T any](list []T) [][3]uint32 {
	if unsafe.Sizeof(*new(T)) != 12 {
		panic(fmt.Sprintf("table: a %T is not three words", *new(T)))
	}
	// SAFETY: callers have checked that T is three words without Go pointers.
	return unsafe.Slice((*[3]uint32)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// Gather fills a value that is words of four bytes with a row of as many neighbouring
// lanes of words.
func Gather[T any](v *T, p *Place, lane uint32, row int) {
	// SAFETY: callers have checked that T is as many words as the row has lanes of words,
	// without Go pointers; and as for Row. All offsets are read first: what is written may
	// be them, as far as the compiler knows.
	mem, at := unsafe.Add(p.mem, 4*row), unsafe.Add(unsafe.Pointer(p.at), 4*uintptr(lane))
	switch unsafe.Sizeof(*v) {
	case 8:
		t := (*[2]uint32)(at)
		x, y := word(mem, t[0]), word(mem, t[1])
		*(*[2]uint32)(unsafe.Pointer(v)) = [2]uint32{*x, *y}
	case 12:
		t := (*[3]uint32)(at)
		x, y, z := word(mem, t[0]), word(mem, t[1]), word(mem, t[2])
		*(*[3]uint32)(unsafe.Pointer(v)) = [3]uint32{*x, *y, *z}
	case 16:
		t := (*[4]uint32)(at)
		x, y, z, u := word(mem, t[0]), word(mem, t[1]), word(mem, t[2]), word(mem, t[3])
		*(*[4]uint32)(unsafe.Pointer(v)) = [4]uint32{*x, *y, *z, *u}
	default:
		for i := uintptr(0); i < unsafe.Sizeof(*v); i += 4 {
			*(*uint32)(unsafe.Add(unsafe.Pointer(v), i)) = *word(mem, *(*uint32)(unsafe.Add(at, i)))
		}
	}
}

// Scatter writes such a value to a row.
func Scatter[T any](p *Place, lane uint32, row int, v *T) {
	// SAFETY: as in Gather.
	mem, at := unsafe.Add(p.mem, 4*row), unsafe.Add(unsafe.Pointer(p.at), 4*uintptr(lane))
	switch unsafe.Sizeof(*v) {
	case 8:
		t, from := (*[2]uint32)(at), (*[2]uint32)(unsafe.Pointer(v))
		x, y := word(mem, t[0]), word(mem, t[1])
		*x, *y = from[0], from[1]
	case 12:
		t, from := (*[3]uint32)(at), (*[3]uint32)(unsafe.Pointer(v))
		x, y, z := word(mem, t[0]), word(mem, t[1]), word(mem, t[2])
		*x, *y, *z = from[0], from[1], from[2]
	case 16:
		t, from := (*[4]uint32)(at), (*[4]uint32)(unsafe.Pointer(v))
		x, y, z, u := word(mem, t[0]), word(mem, t[1]), word(mem, t[2]), word(mem, t[3])
		*x, *y, *z, *u = from[0], from[1], from[2], from[3]
	default:
		for i := uintptr(0); i < unsafe.Sizeof(*v); i += 4 {
			*word(mem, *(*uint32)(unsafe.Add(at, i))) = *(*uint32)(unsafe.Add(unsafe.Pointer(v), i))
		}
	}
}

// PutWords is Scatter for the bytes of such a value.
func (b *Base) PutWords(lane uint32, row int, value []byte) {
	// SAFETY: as in Gather.
	mem, at := unsafe.Add(b.mem, 4*row), unsafe.Add(unsafe.Pointer(b.at), 4*uintptr(lane))
	if len(value) == 12 {
		t := (*[3]uint32)(at)
		x, y, z := word(mem, t[0]), word(mem, t[1]), word(mem, t[2])
		v := (*[12]byte)(value)
		*x, *y, *z = native.Uint32(v[:]), native.Uint32(v[4:]), native.Uint32(v[8:])
		return
	}
	for i := uintptr(0); len(value) >= 4; i, value = i+4, value[4:] {
		*word(mem, *(*uint32)(unsafe.Add(at, i))) = native.Uint32(value)
	}
}

// native is how words lie in memory.
var native = binary.NativeEndian

// word is the word at an offset.
func word(mem unsafe.Pointer, at uint32) *uint32 {
	// SAFETY: as for Lane.
	return (*uint32)(unsafe.Add(mem, at))
}
