package ecs

import (
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// ids returns the entity ids of a chunk, for all rows that it has memory for.
func (r *record) ids() []Entity {
	return idsAt(&r.Place, r.Rows())
}

// idsAt returns the ids of the given number of rows in the memory of a chunk.
func idsAt(p *table.Place, rows int) []Entity {
	// SAFETY: ids are the first lane of every chunk, of 8 bytes a row; Entity holds no Go
	// pointers.
	return unsafe.Slice((*Entity)(p.IDs()), rows)
}

// ids returns the ids of the range.
func (s span) ids() []Entity {
	// SAFETY: as for the ids of a chunk, which has the rows of the run.
	return unsafe.Slice(s.rec.idAt(s.first), s.n)
}

// idAt returns the id of a row.
func (r *record) idAt(row int) *Entity {
	// SAFETY: as for ids; callers have rows that the chunk has.
	return (*Entity)(unsafe.Add(r.IDs(), row*int(unsafe.Sizeof(Entity{}))))
}

// place returns the handle in a value that is a Buffer.
func place[T any](v *T) *bufferPlace {
	// SAFETY: callers have checked that T is a Buffer; Buffers of all elements have
	// the same fields.
	return &(*Buffer[byte])(unsafe.Pointer(v)).home
}

// contentIsHandle reports whether a Buffer is a handle to the buffer of an entity.
func contentIsHandle[T any](v *T) bool {
	// SAFETY: as in place.
	b := (*Buffer[byte])(unsafe.Pointer(v))
	return b.own == nil && b.home.rec != nil
}

// contentOf returns the elements of a Buffer, as bytes, and their number. Each element has the given size.
func contentOf[T any](v *T, size int) ([]byte, int) {
	// SAFETY: callers have checked that T is a Buffer. The header of its slice of elements is that of any
	// slice, and the length in bytes is computed from the number of elements.
	b := (*Buffer[byte])(unsafe.Pointer(v))
	switch {
	case b.own != nil:
		return unsafe.Slice(unsafe.SliceData(*b.own), len(*b.own)*size), len(*b.own)
	case b.home.rec != nil:
		s := b.find("Buffer", false)
		return s.bytes(), int(s.head()[0])
	}
	return nil, 0
}

// handleOf returns the place of the buffer that a handle in an interface refers to; nil if the value is no
// Buffer, or belongs to no entity.
func handleOf(c *component, v any) *bufferPlace {
	if !c.kind.has(isBuffer) {
		return nil
	}
	// SAFETY: as in boxedContent.
	if b := (*Buffer[byte])((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]); contentIsHandle(b) {
		return &b.home
	}
	return nil
}

// ownedBox copies a Buffer in an interface to a Buffer that belongs to no entity.
func ownedBox(c *component, v any) any {
	values, n := boxedContent(v, c.buffer.size)
	list := reflect.MakeSlice(reflect.SliceOf(c.buffer.elem), n, n)
	copy(unsafe.Slice((*byte)(list.UnsafePointer()), len(values)), values)
	own := reflect.New(list.Type())
	own.Elem().Set(list)
	box := reflect.New(c.typ)
	// SAFETY: all Buffers have the fields of one of bytes; the slice's header is
	// that of any slice, and its elements have the type that the Buffer names.
	(*Buffer[byte])(box.UnsafePointer()).own = (*[]byte)(own.UnsafePointer())
	return box.Elem().Interface()
}

// boxedContent is contentOf for a Buffer in an interface.
func boxedContent(v any, size int) ([]byte, int) {
	// SAFETY: a Buffer is not pointer-shaped, so the second word points at it.
	return contentOf((*Buffer[byte])((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]), size)
}

// objectsHeader returns the header of a view of n managed components, from row first on.
func objectsHeader(rows reflect.Value, first, n int) soa.Header {
	// SAFETY: rows is a slice of the view's elements; Slice checks the bounds, and
	// the header's pointer keeps the array alive.
	return soa.Header{Data: rows.Slice(first, first+n).UnsafePointer(), Len: n, Cap: n}
}
