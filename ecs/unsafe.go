package ecs

import (
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
)

// All conversions between Go's types and the memory of chunks that the type system cannot check are in
// this file and its neighbours unsaferows.go and unsafeviews.go.

// key identifies a component type T in comparisons, as one word instead of the two of an interface. It is
// the address of the descriptor of *T, which generic code has without a call. Two keys are equal if and
// only if their types are.
type key struct{ ptr unsafe.Pointer }

// hash returns a number that spreads keys over a small table. It may differ in each run of a program, so
// that only speed may depend on it.
func (k key) hash() uint { return uint(uintptr(k.ptr) >> 5) }

// keyOf returns the key of T.
func keyOf[T any]() key {
	var p any = (*T)(nil)
	// SAFETY: as in pointerKey.
	return *(*key)(unsafe.Pointer(&p))
}

// typeKey returns the key of t. For a nil t it returns the zero key, which no type has.
func typeKey(t reflect.Type) key {
	if t == nil {
		return key{}
	}
	return pointerKey(reflect.Zero(reflect.PointerTo(t)).Interface())
}

// pointerKey returns the key of T, given a nil *T.
func pointerKey(p any) key {
	// SAFETY: an interface value is two words, the first points at its type's descriptor, of which there
	// is one for each type; it is only compared.
	return *(*key)(unsafe.Pointer(&p))
}

// typeHash returns a number that spreads types over a small table. It may differ in each run of a program,
// so that only speed may depend on it.
func typeHash(t reflect.Type) uint {
	// SAFETY: an interface value is two words, the second points at the type's descriptor, of which there
	// is one for each type; it is only a number here.
	return uint((*[2]uintptr)(unsafe.Pointer(&t))[1] >> 5)
}

// sameType reports whether two types are equal, as == does, but without a call.
func sameType(a, b reflect.Type) bool {
	// SAFETY: as in typeHash; the second words are only compared.
	return (*[2]uintptr)(unsafe.Pointer(&a))[1] == (*[2]uintptr)(unsafe.Pointer(&b))[1]
}

// interfaceTypeKey returns a key for the type of the value in an interface. It differs from the result of keyOf,
// but identifies the type as well.
func interfaceTypeKey(v *any) key {
	// SAFETY: as in pointerKey.
	return *(*key)(unsafe.Pointer(v))
}

// identical reports whether two interfaces have the same value: the same type, at the same address. It
// calls no method of the value.
func identical(a, b any) bool {
	// SAFETY: as in pointerKey; the second words are only compared. The memory of a value is not written,
	// and not used again while an interface refers to it.
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

// nilPointer returns a nil *T, the argument from which pointerKey makes the key.
func (k key) nilPointer() (p any) {
	// SAFETY: as in pointerKey; a nil pointer needs no memory.
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&p)) = [2]unsafe.Pointer{k.ptr}
	return p
}

// maxRows is the largest number of rows of a chunk, for rows that have only ids.
const maxRows = chunk.Size / 8

// bytesOf returns the bytes of a Go value, without a copy.
func bytesOf[T any](v *T) []byte {
	// SAFETY: the slice covers exactly *v and keeps it alive; callers only copy
	// values of components, which are free of Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// valueBytes returns a pointer to a T at an offset in b, which is aligned for it.
func valueAt[T any](b []byte, at int) *T {
	var zero T
	// SAFETY: the bytes of the value are inside b, or this panics; callers have put them on a multiple of
	// 8 bytes, and T is a component, which is free of Go pointers.
	return (*T)(unsafe.Pointer(unsafe.SliceData(b[at:][:unsafe.Sizeof(zero)])))
}

// boxBytes returns the n bytes of the value in an interface, without a copy. They must not be written,
// because other interfaces may share the memory.
func boxBytes(v any, n uintptr) []byte {
	// SAFETY: an interface's second word points at its value unless the type is
	// pointer-shaped, which a component without Go pointers is not.
	return unsafe.Slice((*byte)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]), n)
}

// entityAt returns the entity id at an offset of a Go value.
func entityAt(value []byte, at uintptr) *Entity {
	// SAFETY: refs are offsets of Entity fields inside values of exactly this length, and values are
	// aligned to 8 bytes at least as much as their type.
	return (*Entity)(unsafe.Pointer(&value[at : at+unsafe.Sizeof(Entity{})][0]))
}

// entityIn returns the entity id at an offset of the value that box points to.
func entityIn(box reflect.Value, at uintptr) *Entity {
	// SAFETY: refs are offsets of Entity fields inside values of the box's type, which is on the heap and
	// settable.
	return (*Entity)(unsafe.Add(box.UnsafePointer(), at))
}

// newBytes returns the n bytes of the value that box points to, which reflect.New has made.
func newBytes(box reflect.Value, n uintptr) []byte {
	// SAFETY: the value is on the heap, has n bytes, and is of a component without Go
	// pointers, or of a number of elements of one; the slice keeps it alive.
	return unsafe.Slice((*byte)(box.UnsafePointer()), n)
}

// address is the start of a view of any type. Column converts it to that type as viewAt would, but the
// compiler does not inline Column if it calls viewAt.
type address = unsafe.Pointer

// sliceBytes returns the bytes of values, without a copy.
func sliceBytes[T any](values []T) []byte {
	var zero T
	// SAFETY: the slice covers exactly the values and keeps them alive; callers
	// only copy elements of buffers, which are free of Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}

// wordBytes returns the bytes of words, without a copy.
func wordBytes(words []uint64) []byte {
	// SAFETY: the slice covers exactly the words and keeps them alive.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// bufferElements returns the memory of a buffer as elements.
func bufferElements[T any](room []byte) []T {
	var zero T
	// SAFETY: room is the elements of a buffer of T, or of a type of the same size without Go pointers: in
	// a lane, which starts on 64 bytes, or in words. Its length is a whole number of elements.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(room))), len(room)/int(unsafe.Sizeof(zero)))
}
