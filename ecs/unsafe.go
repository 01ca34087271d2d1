package ecs

import (
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
)

// The type system cannot check some conversions between Go's types and the memory of chunks. All of
// them are in this file and its neighbours unsaferows.go and unsafeviews.go.

// key identifies a component type T in comparisons. A key is one word, while an interface has two
// words. The word is the address of the type descriptor of *T, which generic code gets without a
// call. Two keys are equal if and only if their types are.
type key struct{ ptr unsafe.Pointer }

// hash returns a number that spreads keys over a small table. The number may differ in each run of a
// program, so only speed may depend on it.
func (k key) hash() uint { return uint(uintptr(k.ptr) >> 5) }

// keyOf returns the key of T.
func keyOf[T any]() key {
	var p any = (*T)(nil)
	// SAFETY: see pointerKey.
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
	// SAFETY: an interface value consists of two words. The first points to the descriptor of its type,
	// of which there is one for each type. It is only compared.
	return *(*key)(unsafe.Pointer(&p))
}

// typeHash returns a number that spreads types over a small table. The number may differ in each run of a
// program, so only speed may depend on it.
func typeHash(t reflect.Type) uint {
	// SAFETY: an interface value consists of two words. The second points to the type's descriptor, of
	// which there is one for each type. It is only used as a number here.
	return uint((*[2]uintptr)(unsafe.Pointer(&t))[1] >> 5)
}

// sameType reports whether two types are equal, as == does, but without a call.
func sameType(a, b reflect.Type) bool {
	// SAFETY: see typeHash. The second words are only compared.
	return (*[2]uintptr)(unsafe.Pointer(&a))[1] == (*[2]uintptr)(unsafe.Pointer(&b))[1]
}

// interfaceTypeKey returns a key for the type of the value in an interface. The key differs from the result of
// keyOf, but it also identifies the type.
func interfaceTypeKey(v *any) key {
	// SAFETY: see pointerKey.
	return *(*key)(unsafe.Pointer(v))
}

// identical reports whether two interfaces have the same value: the same type, at the same address. It
// calls no method of the value.
func identical(a, b any) bool {
	// SAFETY: see pointerKey. The second words are only compared. The memory of a value is not written,
	// and not reused while an interface refers to it.
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

// nilPointer returns a nil *T, from which pointerKey computes the key.
func (k key) nilPointer() (p any) {
	// SAFETY: see pointerKey. A nil pointer needs no memory.
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&p)) = [2]unsafe.Pointer{k.ptr}
	return p
}

// maxRows is the largest number of rows of a chunk, for rows that have only ids.
const maxRows = chunk.Size / 8

// bytesOf returns the bytes of a Go value, without a copy.
func bytesOf[T any](v *T) []byte {
	// SAFETY: the slice covers exactly *v and keeps it alive. Callers only copy values of
	// components, which contain no Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// valueAt returns a pointer to a T at an offset in b. The offset must be aligned for T.
func valueAt[T any](b []byte, at int) *T {
	var zero T
	// SAFETY: the bytes of the value are inside b, or this panics. Callers have put them at a multiple of
	// 8 bytes, and T is a component, which contains no Go pointers.
	return (*T)(unsafe.Pointer(unsafe.SliceData(b[at:][:unsafe.Sizeof(zero)])))
}

// boxBytes returns the n bytes of the value in an interface, without a copy. The caller must not write
// to them, because other interfaces may share the memory.
func boxBytes(v any, n uintptr) []byte {
	// SAFETY: the second word of an interface points to its value unless the type is
	// pointer-shaped. A component without Go pointers is not pointer-shaped.
	return unsafe.Slice((*byte)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]), n)
}

// entityAt returns the entity id at an offset of a Go value.
func entityAt(value []byte, at uintptr) *Entity {
	// SAFETY: at is the offset of an Entity field inside a value, and the slice expression
	// checks the length. Values are aligned at least as their type requires.
	return (*Entity)(unsafe.Pointer(&value[at : at+unsafe.Sizeof(Entity{})][0]))
}

// entityIn returns the entity id at an offset of the value to which box points.
func entityIn(box reflect.Value, at uintptr) *Entity {
	// SAFETY: at is the offset of an Entity field inside values of the box's type. The value of box is on
	// the heap and settable.
	return (*Entity)(unsafe.Add(box.UnsafePointer(), at))
}

// newBytes returns the n bytes of the value to which box points. reflect.New must have created the
// value.
func newBytes(box reflect.Value, n uintptr) []byte {
	// SAFETY: the value is on the heap and has n bytes. It belongs to a component without Go
	// pointers, or consists of elements of such a component. The slice keeps it alive.
	return unsafe.Slice((*byte)(box.UnsafePointer()), n)
}

// address is the start of a view of any type. Column converts the address to the type of the view, as
// viewAt would do. But the compiler does not inline Column if it calls viewAt.
type address = unsafe.Pointer

// sliceBytes returns the bytes of values, without a copy.
func sliceBytes[T any](values []T) []byte {
	var zero T
	// SAFETY: the slice covers exactly the values and keeps them alive. Callers only copy elements
	// of buffers, which contain no Go pointers.
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
	// SAFETY: room holds elements of a buffer of T, or of another type that has the same size and no Go
	// pointers. The elements are either in a lane, which starts at a multiple of 64 bytes, or in a block
	// of words. The length of room is a multiple of the size of an element.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(room))), len(room)/int(unsafe.Sizeof(zero)))
}
