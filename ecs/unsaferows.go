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
	// SAFETY: ids are the first lane of every chunk, of 8 bytes a row; Entity holds no Go
	// pointers.
	return unsafe.Slice((*Entity)(p.IDs()), rows)
}

// ids returns the ids of the range.
func (s rowRange) ids() []Entity {
	// SAFETY: as for the ids of a chunk, which has the rows of the run.
	return unsafe.Slice(s.chunk.idAt(s.first), s.count)
}

// idAt returns the id of a row.
func (r *chunkData) idAt(row int) *Entity {
	// SAFETY: as for ids; callers have rows that the chunk has.
	return (*Entity)(unsafe.Add(r.IDs(), row*int(unsafe.Sizeof(Entity{}))))
}

// bufferPlaceOf returns the handle in a value that is a Buffer.
func bufferPlaceOf[T any](v *T) *bufferPlace {
	// SAFETY: callers have checked that T is a Buffer; Buffers of all elements have
	// the same fields.
	return &(*Buffer[byte])(unsafe.Pointer(v)).place
}

// contentIsHandle reports whether a Buffer is a handle to the buffer of an entity.
func contentIsHandle[T any](v *T) bool {
	// SAFETY: as in place.
	b := (*Buffer[byte])(unsafe.Pointer(v))
	return b.ownElements == nil && b.place.chunk != nil
}

// bufferContent returns the elements of a Buffer, as bytes, and their number. Each element has the given size.
func bufferContent[T any](v *T, size int) ([]byte, int) {
	// SAFETY: callers have checked that T is a Buffer. The header of its slice of elements is that of any
	// slice, and the length in bytes is computed from the number of elements.
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

// handleOf returns the place of the buffer that a handle in an interface refers to; nil if the value is no
// Buffer, or belongs to no entity.
func handleOf(c *component, v any) *bufferPlace {
	if !c.kind.has(isBuffer) {
		return nil
	}
	// SAFETY: as in boxedBufferContent.
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
	// SAFETY: all Buffers have the fields of one of bytes; the slice's header is
	// that of any slice, and its elements have the type that the Buffer names.
	(*Buffer[byte])(box.UnsafePointer()).ownElements = (*[]byte)(own.UnsafePointer())
	return box.Elem().Interface()
}

// boxedBufferContent is bufferContent for a Buffer in an interface.
func boxedBufferContent(v any, size int) ([]byte, int) {
	// SAFETY: a Buffer is not pointer-shaped, so the second word points at it.
	return bufferContent((*Buffer[byte])((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]), size)
}

// managedHeader returns the header of a view of n managed components, from row first on.
func managedHeader(rows reflect.Value, first, n int) soa.Header {
	// SAFETY: rows is a slice of the view's elements; Slice checks the bounds, and
	// the header's pointer keeps the array alive.
	return soa.Header{Data: rows.Slice(first, first+n).UnsafePointer(), Len: n, Cap: n}
}
