package ecs

import (
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// ids returns the entity ids of a chunk, for all rows that it has memory for.
func (r *chunkData) ids() []Entity {
	return idsAt(&r.Place, r.RowCapacity())
}

// idsAt returns the ids of the given number of rows in the memory of a chunk.
func idsAt(p *table.Place, rows int) []Entity {
	// SAFETY: ids are the first lane of every chunk, with 8 bytes per row. Entity holds no Go
	// pointers.
	return unsafe.Slice((*Entity)(p.IDs()), rows)
}

// ids returns the ids of the range.
func (s rowRange) ids() []Entity {
	// SAFETY: see chunkData.ids. The chunk has the rows of the range.
	return unsafe.Slice(s.chunk.idAt(s.first), s.count)
}

// idAt returns the id of a row.
func (r *chunkData) idAt(row int) *Entity {
	// SAFETY: see ids. Callers only pass rows that the chunk has.
	return (*Entity)(unsafe.Add(r.IDs(), row*int(unsafe.Sizeof(Entity{}))))
}

// bufferPlaceOf returns the handle in a value that is a Buffer.
func bufferPlaceOf[T any](v *T) *bufferPlace {
	// SAFETY: callers have checked that T is a Buffer. Buffers of all element types have
	// the same fields.
	return &(*Buffer[byte])(unsafe.Pointer(v)).place
}

// contentIsHandle reports whether a Buffer is a handle to the buffer of an entity.
func contentIsHandle[T any](v *T) bool {
	// SAFETY: see bufferPlaceOf.
	b := (*Buffer[byte])(unsafe.Pointer(v))
	return b.ownElements == nil && b.place.chunk != nil
}

// bufferContent returns the elements of a Buffer, as bytes, and their number. Each element has the given size.
func bufferContent[T any](v *T, size int) ([]byte, int) {
	// SAFETY: callers have checked that T is a Buffer. A slice has the same header for every element
	// type, and the length in bytes is computed from the number of elements.
	b := (*Buffer[byte])(unsafe.Pointer(v))
	switch {
	case b.ownElements != nil:
		return unsafe.Slice(unsafe.SliceData(*b.ownElements), len(*b.ownElements)*size), len(*b.ownElements)
	case b.place.chunk != nil:
		s := b.mustStorage("Buffer", false)
		return s.elementBytes(), int(s.head()[0])
	}
	return nil, 0
}

// handleOf returns the place of the buffer for a handle in an interface. handleOf returns nil if the
// value is not a Buffer, or if its buffer belongs to no entity.
func handleOf(c *component, v any) *bufferPlace {
	if !c.kind.has(isBuffer) {
		return nil
	}
	// SAFETY: see boxedBufferContent.
	if b := (*Buffer[byte])((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]); contentIsHandle(b) {
		return &b.place
	}
	return nil
}

// copyBoxedBuffer copies a Buffer in an interface to a Buffer that belongs to no entity.
func copyBoxedBuffer(c *component, v any) any {
	values, n := boxedBufferContent(v, c.buffer.elemSize)
	list := reflect.MakeSlice(reflect.SliceOf(c.buffer.elem), n, n)
	copy(unsafe.Slice((*byte)(list.UnsafePointer()), len(values)), values)
	own := reflect.New(list.Type())
	own.Elem().Set(list)
	box := reflect.New(c.typ)
	// SAFETY: all Buffers have the same fields as a Buffer of bytes. The header of a slice
	// does not depend on its element type, and the elements have the type that the Buffer
	// names.
	(*Buffer[byte])(box.UnsafePointer()).ownElements = (*[]byte)(own.UnsafePointer())
	return box.Elem().Interface()
}

// boxedBufferContent does the work of bufferContent for a Buffer in an interface.
func boxedBufferContent(v any, size int) ([]byte, int) {
	// SAFETY: a Buffer is not pointer-shaped, so the second word points to it.
	return bufferContent((*Buffer[byte])((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]), size)
}

// managedHeader returns the header of a view of n managed components, beginning with row first.
func managedHeader(rows reflect.Value, first, n int) soa.Header {
	// SAFETY: rows is a slice whose elements have the type of the view's elements.
	// Slice checks the bounds, and the header's pointer keeps the array alive.
	return soa.Header{Data: rows.Slice(first, first+n).UnsafePointer(), Len: n, Cap: n}
}

// reach is the address of the values of one component in one chunk. The zero reach says that the chunk
// does not have the component.
type reach struct {
	first    address // the first row of the first lane; nil if the kind is reachOther
	distance uint32  // bytes from one lane to the next
	column   int16
	kind     uint8
}

// The values of reach.kind. Lanes of floats and lanes of other words have different kinds, because the
// compiler keeps floats in other registers.
const (
	reachNone      uint8 = iota // the chunk does not have the component
	reachOneLane                // the component is one lane
	reachFloats                 // lanes of float32 with equal distances
	reachWords                  // other lanes of four bytes with equal distances
	reachDoubles                // lanes of float64 with equal distances
	reachLongWords              // other lanes of eight bytes with equal distances
	reachOther                  // the chunk has the component, in another layout
)

// putReach sets p to the reach of the column in a chunk.
func (a *archetypeReach) putReach(p *reach, chunk *table.Base) {
	p.column, p.kind = a.column, a.kind
	switch a.kind {
	case reachOther:
		return
	case reachOneLane:
		p.first = chunk.Lane(a.firstLane)
		return
	}
	// SAFETY: both lanes are in one block, the second one after the first.
	x, y := chunk.Lane(a.firstLane), chunk.Lane(a.firstLane+1)
	p.first, p.distance = x, uint32(uintptr(y)-uintptr(x))
}

// rowAt returns a row of a component that is one lane.
func rowAt[T any](p *reach, row int32) *T {
	// SAFETY: callers have checked three conditions: T is the whole of a lane's element, so the row is
	// aligned; the row holds no Go pointers; and the chunk has the row.
	return (*T)(unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(*new(T))))
}

// wordCount returns the number of words of a T.
func wordCount[W word, T any]() int {
	return int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(*new(W)))
}

// word is an unsigned integer with the size of a lane's elements, for code that only copies bits.
type word interface {
	uint32 | uint64
}

// threeFloatsAt returns a row of three lanes of float32. It loads them before it declares the result, because the
// compiler then keeps them in registers.
func threeFloatsAt[T any](p *reach, row int32) T {
	// SAFETY: callers have checked that T consists of the same number of words as the row, without Go
	// pointers, and that the chunk has the row.
	at, d := unsafe.Add(p.first, 4*uintptr(uint32(row))), uintptr(p.distance)
	x, y, z := *(*float32)(at), *(*float32)(unsafe.Add(at, d)), *(*float32)(unsafe.Add(at, 2*d))
	var v T
	*(*[3]float32)(unsafe.Pointer(&v)) = [3]float32{x, y, z}
	return v
}

// twoFloatsAt returns a row of two lanes of float32.
func twoFloatsAt[T any](p *reach, row int32) T {
	// SAFETY: as in threeFloatsAt.
	at := unsafe.Add(p.first, 4*uintptr(uint32(row)))
	x, y := *(*float32)(at), *(*float32)(unsafe.Add(at, p.distance))
	var v T
	*(*[2]float32)(unsafe.Pointer(&v)) = [2]float32{x, y}
	return v
}

// threeDoublesAt returns a row of three lanes of float64.
func threeDoublesAt[T any](p *reach, row int32) T {
	// SAFETY: as in threeFloatsAt.
	at, d := unsafe.Add(p.first, 8*uintptr(uint32(row))), uintptr(p.distance)
	x, y, z := *(*float64)(at), *(*float64)(unsafe.Add(at, d)), *(*float64)(unsafe.Add(at, 2*d))
	var v T
	*(*[3]float64)(unsafe.Pointer(&v)) = [3]float64{x, y, z}
	return v
}

// twoDoublesAt returns a row of two lanes of float64.
func twoDoublesAt[T any](p *reach, row int32) T {
	// SAFETY: as in threeFloatsAt.
	at := unsafe.Add(p.first, 8*uintptr(uint32(row)))
	x, y := *(*float64)(at), *(*float64)(unsafe.Add(at, p.distance))
	var v T
	*(*[2]float64)(unsafe.Pointer(&v)) = [2]float64{x, y}
	return v
}

// threeWordsAt returns a row of three lanes of four bytes.
func threeWordsAt[T any](p *reach, row int32) T {
	// SAFETY: as in threeFloatsAt.
	at, d := unsafe.Add(p.first, 4*uintptr(uint32(row))), uintptr(p.distance)
	x, y, z := *(*uint32)(at), *(*uint32)(unsafe.Add(at, d)), *(*uint32)(unsafe.Add(at, 2*d))
	var v T
	*(*[3]uint32)(unsafe.Pointer(&v)) = [3]uint32{x, y, z}
	return v
}

// twoWordsAt returns a row of two lanes of four bytes.
func twoWordsAt[T any](p *reach, row int32) T {
	// SAFETY: as in threeFloatsAt.
	at := unsafe.Add(p.first, 4*uintptr(uint32(row)))
	x, y := *(*uint32)(at), *(*uint32)(unsafe.Add(at, p.distance))
	var v T
	*(*[2]uint32)(unsafe.Pointer(&v)) = [2]uint32{x, y}
	return v
}

// wordsAt returns a row of any number of lanes of words.
func wordsAt[W word, T any](p *reach, row int32) (v T) {
	// SAFETY: as in threeFloatsAt.
	at, size := unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(W(0))), unsafe.Sizeof(W(0))
	for i := uintptr(0); i < unsafe.Sizeof(v)/size; i++ {
		*(*W)(unsafe.Add(unsafe.Pointer(&v), i*size)) = *(*W)(unsafe.Add(at, i*uintptr(p.distance)))
	}
	return v
}

// putThreeFloats writes a row of three lanes of float32.
func putThreeFloats[T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, d, from := unsafe.Add(p.first, 4*uintptr(uint32(row))), uintptr(p.distance), (*[3]float32)(unsafe.Pointer(&v))
	*(*float32)(at), *(*float32)(unsafe.Add(at, d)), *(*float32)(unsafe.Add(at, 2*d)) = from[0], from[1], from[2]
}

// putTwoFloats writes a row of two lanes of float32.
func putTwoFloats[T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, d, from := unsafe.Add(p.first, 4*uintptr(uint32(row))), uintptr(p.distance), (*[2]float32)(unsafe.Pointer(&v))
	*(*float32)(at), *(*float32)(unsafe.Add(at, d)) = from[0], from[1]
}

// putThreeDoubles writes a row of three lanes of float64.
func putThreeDoubles[T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, d, from := unsafe.Add(p.first, 8*uintptr(uint32(row))), uintptr(p.distance), (*[3]float64)(unsafe.Pointer(&v))
	*(*float64)(at), *(*float64)(unsafe.Add(at, d)), *(*float64)(unsafe.Add(at, 2*d)) = from[0], from[1], from[2]
}

// putTwoDoubles writes a row of two lanes of float64.
func putTwoDoubles[T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, d, from := unsafe.Add(p.first, 8*uintptr(uint32(row))), uintptr(p.distance), (*[2]float64)(unsafe.Pointer(&v))
	*(*float64)(at), *(*float64)(unsafe.Add(at, d)) = from[0], from[1]
}

// putThreeWords writes a row of three lanes of four bytes.
func putThreeWords[T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, d, from := unsafe.Add(p.first, 4*uintptr(uint32(row))), uintptr(p.distance), (*[3]uint32)(unsafe.Pointer(&v))
	*(*uint32)(at), *(*uint32)(unsafe.Add(at, d)), *(*uint32)(unsafe.Add(at, 2*d)) = from[0], from[1], from[2]
}

// putTwoWords writes a row of two lanes of four bytes.
func putTwoWords[T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, d, from := unsafe.Add(p.first, 4*uintptr(uint32(row))), uintptr(p.distance), (*[2]uint32)(unsafe.Pointer(&v))
	*(*uint32)(at), *(*uint32)(unsafe.Add(at, d)) = from[0], from[1]
}

// putWords writes a row of any number of lanes of words.
func putWords[W word, T any](p *reach, row int32, v T) {
	// SAFETY: as in threeFloatsAt.
	at, size := unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(W(0))), unsafe.Sizeof(W(0))
	for i := uintptr(0); i < unsafe.Sizeof(v)/size; i++ {
		*(*W)(unsafe.Add(at, i*uintptr(p.distance))) = *(*W)(unsafe.Add(unsafe.Pointer(&v), i*size))
	}
}

// asTwo returns a list of values as pairs of words.
func asTwo[W word, T any](list []T) [][2]W {
	// SAFETY: callers have checked that T consists of two such words without Go pointers.
	return unsafe.Slice((*[2]W)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// asThree returns a list of values as triples of words.
func asThree[W word, T any](list []T) [][3]W {
	// SAFETY: callers have checked that T consists of three such words without Go pointers.
	return unsafe.Slice((*[3]W)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// asWords returns the words of a list of values.
func asWords[W word, T any](list []T) []W {
	// SAFETY: callers have checked that T consists of such words without Go pointers.
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*wordCount[W, T]())
}

// readWords reads a row of a component that has any number of lanes, each of words.
func readWords[W word](dst []W, p *reach, row int32) {
	// SAFETY: the conditions are those of twoAddresses, and dst has as many words as the row.
	at, d := unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(W(0))), uintptr(p.distance)
	for i := range dst {
		dst[i] = *(*W)(unsafe.Add(at, uintptr(i)*d))
	}
}

// writeWords writes a row of any number of lanes of words.
func writeWords[W word](src []W, p *reach, row int32) {
	// SAFETY: as in readWords.
	at, d := unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(W(0))), uintptr(p.distance)
	for i, v := range src {
		*(*W)(unsafe.Add(at, uintptr(i)*d)) = v
	}
}

// twoAddresses returns the addresses of the words of a row of two lanes.
func twoAddresses[W word](p *reach, row int32) (x, y *W) {
	// SAFETY: callers have checked that the lanes have such words, and that the chunk has the row.
	at := unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(W(0)))
	return (*W)(at), (*W)(unsafe.Add(at, p.distance))
}

// threeAddresses returns the addresses of the words of a row of three lanes.
func threeAddresses[W word](p *reach, row int32) (x, y, z *W) {
	// SAFETY: as in twoAddresses.
	at, d := unsafe.Add(p.first, uintptr(uint32(row))*unsafe.Sizeof(W(0))), uintptr(p.distance)
	return (*W)(at), (*W)(unsafe.Add(at, d)), (*W)(unsafe.Add(at, 2*d))
}
