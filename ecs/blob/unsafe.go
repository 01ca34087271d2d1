package blob

import (
	"reflect"
	"unsafe"
)

// This file contains all unsafe code of the package.

// typeID identifies a type in one word, because comparing one word is cheaper than comparing an
// interface. It is the address of the descriptor of *T, which generic code can get without a call.
type typeID struct{ descriptor unsafe.Pointer }

// typeIDOf returns the typeID of T.
func typeIDOf[T any]() typeID {
	var p any = (*T)(nil)
	// SAFETY: an interface value has two words. The first word points to the descriptor of its
	// type, and each type has one descriptor. The word is only compared.
	return *(*typeID)(unsafe.Pointer(&p))
}

// typeIDOfType returns the typeID of t.
func typeIDOfType(t reflect.Type) typeID {
	p := reflect.Zero(reflect.PointerTo(t)).Interface()
	// SAFETY: as in typeIDOf.
	return *(*typeID)(unsafe.Pointer(&p))
}

// rootIn returns the root, which is at the start of a blob.
func rootIn[T any](data []byte) *T {
	// SAFETY: a blob of T is at least as long as a T, is aligned to 16 bytes, and holds no Go
	// pointers: see layout.
	return (*T)(unsafe.Pointer(unsafe.SliceData(data)))
}

// elementsAt returns n elements that begin at an offset in a blob.
func elementsAt[E any](data []byte, at, n uint32) []E {
	var zero E
	bytes := uintptr(n) * unsafe.Sizeof(zero)
	// SAFETY: this panics unless all bytes of the returned slice exist. They hold no Go pointers.
	// The offset was aligned for E when the blob was assembled, or checked when it was loaded.
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(data[at:][:bytes]))), n)
}

// bytesOf returns the memory of values as bytes.
func bytesOf[T any](values []T) []byte {
	var zero T
	// SAFETY: the slice covers exactly the values and keeps them alive. The values are elements of
	// a blob that is being built, so they contain no Go pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}

// stringOf returns bytes as a string without copying.
func stringOf(b []byte) string {
	// SAFETY: the bytes belong to a blob, which nothing writes any more.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// addressOf returns an address as a number for comparisons.
func addressOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
