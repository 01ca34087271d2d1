package ecs

import (
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
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

// typeKey returns the key of t, which nothing has if t is nil.
func typeKey(t reflect.Type) key {
	if t == nil {
		return key{}
	}
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

// sameType reports whether two types are one. It is what == does, without a call.
func sameType(a, b reflect.Type) bool {
	// SAFETY: as in wordOf; the second words are only compared.
	return (*[2]uintptr)(unsafe.Pointer(&a))[1] == (*[2]uintptr)(unsafe.Pointer(&b))[1]
}

// typeWord returns a key of the type of the value in an interface: not that of keyOf, but
// as good to tell types apart.
func typeWord(v *any) key {
	// SAFETY: as in pointerKey.
	return *(*key)(unsafe.Pointer(v))
}

// identical reports whether two interfaces have the very same value: the type, and where it
// is. It asks no method of it.
func identical(a, b any) bool {
	// SAFETY: as in pointerKey; the second words are only compared. What a value lies in is not
	// written, and not used again while an interface refers to it.
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

// nilPointer returns a nil *T: what pointerKey makes a key of.
func (k key) nilPointer() (p any) {
	// SAFETY: as in pointerKey; a nil pointer needs no memory.
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&p)) = [2]unsafe.Pointer{k.p}
	return p
}

// maxRows is how many rows a chunk has room for, if they have ids alone.
const maxRows = chunk.Size / 8

// bytesOf shows a Go value as bytes.
func bytesOf[T any](v *T) []byte {
	// SAFETY: the slice covers exactly *v and keeps it alive; callers only copy
	// values of components, which are free of Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// valueAt shows the bytes of a value that begin at a place, which is aligned for it.
func valueAt[T any](b []byte, at int) *T {
	var zero T
	// SAFETY: the bytes of b that are shown are there, or this panics; callers have put
	// them on a multiple of 8 bytes, and T is a component, which is free of Go pointers.
	return (*T)(unsafe.Pointer(unsafe.SliceData(b[at:][:unsafe.Sizeof(zero)])))
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

// address is where a view of some type starts. Column turns it into that type as
// viewAt would, but a call of that would keep Column from being inlined.
type address = unsafe.Pointer

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
