package ecs

import (
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// This file is where the package leaves Go's types: everything unsafe is here.

// key stands for a component type T in comparisons: one word instead of an
// interface. It is the address of the descriptor of *T, which generic code has
// at hand without a call. Two keys are equal just if their types are.
type key struct{ p unsafe.Pointer }

// hash returns a number by which keys are spread over a small table. Nothing but
// speed may depend on it.
func (k key) hash() uint { return uint(uintptr(k.p) >> 5) }

// keyOf returns the key of T.
func keyOf[T any]() key {
	var p any = (*T)(nil)
	// SAFETY: as in pointerKey.
	return *(*key)(unsafe.Pointer(&p))
}

// typeKey returns the key of t.
func typeKey(t reflect.Type) key {
	return pointerKey(reflect.Zero(reflect.PointerTo(t)).Interface())
}

// pointerKey returns the key of T, given a nil *T.
func pointerKey(p any) key {
	// SAFETY: an interface value is two words, the first points at its type's
	// descriptor, of which there is one for each type; it is only compared.
	return *(*key)(unsafe.Pointer(&p))
}

// wordOf returns a number by which types are spread over a small table. Nothing but
// speed may depend on it.
func wordOf(t reflect.Type) uint {
	// SAFETY: an interface value is two words, the second points at the type's
	// descriptor, of which there is one for each type; it is only a number here.
	return uint((*[2]uintptr)(unsafe.Pointer(&t))[1] >> 5)
}

// typeWord returns a key of the type of the value in an interface: not that of keyOf, but
// as good to tell types apart.
func typeWord(v *any) key {
	// SAFETY: as in pointerKey.
	return *(*key)(unsafe.Pointer(v))
}

// nilPointer returns a nil *T: what pointerKey makes a key of.
func (k key) nilPointer() (p any) {
	// SAFETY: as in pointerKey; a nil pointer needs no memory.
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&p)) = [2]unsafe.Pointer{k.p}
	return p
}

// maxRows is how many rows a chunk has room for, if they have ids alone.
const maxRows = chunk.Size / 8

// ids shows the entity ids of a chunk, of as many rows as there is memory for.
func (r *record) ids() []Entity {
	// SAFETY: ids are the first lane of every chunk, of 8 bytes a row; Entity holds no Go
	// pointers.
	return unsafe.Slice((*Entity)(r.IDs()), r.Rows())
}

// ids shows the ids of the run.
func (s span) ids() []Entity {
	// SAFETY: as for the ids of a chunk, which has the rows of the run.
	return unsafe.Slice(s.rec.idAt(s.first), s.n)
}

// idAt shows the id of a row.
func (r *record) idAt(row int) *Entity {
	// SAFETY: as for ids; callers have rows that the chunk has.
	return (*Entity)(unsafe.Add(r.IDs(), row*int(unsafe.Sizeof(Entity{}))))
}

// bytesOf shows a Go value as bytes.
func bytesOf[T any](v *T) []byte {
	// SAFETY: the slice covers exactly *v and keeps it alive; callers only copy
	// values of components, which are free of Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// boxBytes shows the n bytes of the value in an interface. They must not be
// written: the memory may be shared.
func boxBytes(v any, n uintptr) []byte {
	// SAFETY: an interface's second word points at its value unless the type is
	// pointer-shaped, which a component without Go pointers is not.
	return unsafe.Slice((*byte)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]), n)
}

// entityAt shows the entity id at an offset of a Go value.
func entityAt(value []byte, at uintptr) *Entity {
	// SAFETY: refs are offsets of Entity fields inside values of exactly this
	// length, and values are aligned to 8 bytes at least as much as their type.
	return (*Entity)(unsafe.Pointer(&value[at : at+unsafe.Sizeof(Entity{})][0]))
}

// entityIn shows the entity id at an offset of the value that box points to.
func entityIn(box reflect.Value, at uintptr) *Entity {
	// SAFETY: refs are offsets of Entity fields inside values of the box's type,
	// which is on the heap and settable.
	return (*Entity)(unsafe.Add(box.UnsafePointer(), at))
}

// newBytes shows the n bytes of the value that box points to, which reflect.New has made.
func newBytes(box reflect.Value, n uintptr) []byte {
	// SAFETY: the value is on the heap, has n bytes, and is of a component without Go
	// pointers, or of a number of elements of one; the slice keeps it alive.
	return unsafe.Slice((*byte)(box.UnsafePointer()), n)
}

// header returns the slice header of n rows of a lane, from the first that is shown on.
func (c *Chunk) header(l table.Lane, n int) soa.Header {
	// SAFETY: the chunk has the lane and the rows, and memory for the scratch rows behind
	// them; lanes are free of Go pointers; the pointer keeps the memory alive.
	return soa.Header{Data: c.base.Row(l, c.first), Len: n, Cap: n}
}

// firstBind returns the first of the binds, or nil if there are none.
func firstBind(binds []bind) *bind {
	// SAFETY: a slice of binds is nil or has some: see match.join.
	return unsafe.SliceData(binds)
}

// versionAt returns the change version of a column.
func versionAt(versions []uint32, column int16) *uint32 {
	// SAFETY: a bind that is found by its key has a column of the archetype, and a
	// record has a version for each of them.
	return (*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(versions)), int(column)*int(unsafe.Sizeof(uint32(0)))))
}

// headerAt returns the first slice header of a view.
func headerAt(views []soa.Header, view int32) *soa.Header {
	// SAFETY: a query reserves the headers of all its binds for each Chunk.
	return (*soa.Header)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(views)), int(view)*int(unsafe.Sizeof(soa.Header{}))))
}

// address is where a view of some type starts. Column turns it into that type as
// viewAt would, but a call of that would keep Column from being inlined.
type address = unsafe.Pointer

// viewAt shows the slice headers from first on as the view V.
func viewAt[V any](first *soa.Header) *V {
	// SAFETY: V is the view that the component's Column method names. When the
	// component was registered soa.Bind found it to be so many slices; when the
	// query was made as many headers were reserved from first on.
	return (*V)(unsafe.Pointer(first))
}

// three shows the slice headers from first on as those of a view of three lanes.
func three(first *soa.Header) *[3]soa.Header {
	// SAFETY: as for viewAt; the caller has a component with three lanes.
	return (*[3]soa.Header)(unsafe.Pointer(first))
}

// four shows the slice headers from first on as those of a view of four lanes.
func four(first *soa.Header) *[4]soa.Header {
	// SAFETY: as for viewAt; the caller has a component with four lanes.
	return (*[4]soa.Header)(unsafe.Pointer(first))
}

// sliceBytes shows values as bytes.
func sliceBytes[T any](values []T) []byte {
	var zero T
	// SAFETY: the slice covers exactly the values and keeps them alive; callers
	// only copy elements of buffers, which are free of Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}

// wordBytes shows words as bytes.
func wordBytes(words []uint64) []byte {
	// SAFETY: the slice covers exactly the words and keeps them alive.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// elements shows the memory of a buffer as elements.
func elements[T any](room []byte) []T {
	var zero T
	// SAFETY: room is the elements of a buffer of T, or of a type of the same size
	// without Go pointers: in a lane, which starts on 64 bytes, or in words. It is
	// as long as a whole number of them.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(room))), len(room)/int(unsafe.Sizeof(zero)))
}

// place returns the handle in a value that is a Buffer.
func place[T any](v *T) *bufferPlace {
	// SAFETY: callers have checked that T is a Buffer; Buffers of all elements have
	// the same fields.
	return &(*Buffer[byte])(unsafe.Pointer(v)).home
}

// contentIsHandle reports whether a value that is a Buffer is a handle to that of
// an entity.
func contentIsHandle[T any](v *T) bool {
	// SAFETY: as in place.
	b := (*Buffer[byte])(unsafe.Pointer(v))
	return b.own == nil && b.home.rec != nil
}

// contentOf shows the elements of a value that is a Buffer, whose elements have
// the given size, and counts them.
func contentOf[T any](v *T, size int) ([]byte, int) {
	// SAFETY: callers have checked that T is a Buffer. Its own elements are a slice
	// whose header is that of any slice; the bytes are as many as they take.
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

// handleOf returns where the buffer is that a value in an interface is a handle
// to; nil if it is no Buffer, or one that belongs to no entity.
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

// ownedBox returns a value in an interface that is a Buffer as one that belongs
// to no entity, with elements of its own.
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

// objectsHeader is the one header of a view of n managed components, from row
// first on.
func objectsHeader(rows reflect.Value, first, n int) soa.Header {
	// SAFETY: rows is a slice of the view's elements; Slice checks the bounds, and
	// the header's pointer keeps the array alive.
	return soa.Header{Data: rows.Slice(first, first+n).UnsafePointer(), Len: n, Cap: n}
}

// buffersHeader is the one header of a view that is a Buffers.
func buffersHeader(c *Chunk, n int, b *bind) soa.Header {
	// SAFETY: Buffers is a pointer and two ints, as a slice header is.
	return soa.Header{Data: unsafe.Pointer(c), Len: n, Cap: int(b.self)}
}

// addressOf returns an address as a number, to be compared with others.
func addressOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// blobRoot shows the start of a blob as the value it begins with.
func blobRoot[T any](data []byte) *T {
	// SAFETY: a blob of T is at least as long as one, is aligned to 16 bytes, and
	// holds no Go pointers: see blobLayout.
	return (*T)(unsafe.Pointer(unsafe.SliceData(data)))
}

// blobPart shows n elements from an offset of a blob on.
func blobPart[E any](data []byte, at, n uint32) []E {
	var zero E
	// SAFETY: as for elements; the offset was aligned for E when the blob was
	// assembled, or checked when it was loaded.
	return elements[E](data[at:][:uintptr(n)*unsafe.Sizeof(zero)])
}

// stringOf shows bytes as a string.
func stringOf(b []byte) string {
	// SAFETY: the bytes are those of a blob, which nobody writes any more.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
