package soa

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// rowAlign is a number of rows: the capacity of every column is a multiple of it.
const rowAlign = 16

// maxBytes is larger than any Go heap.
const maxBytes = min(math.MaxInt, 1<<46)

// Make returns a view of n rows over new, zeroed memory. The view is a struct of slices, or one
// slice. Every lane is aligned to 64 bytes. The capacity of a lane is n rounded up to a multiple
// of 16 rows, so kernels may run over v.X[:cap(v.X)] without a tail.
//
//	pos := soa.Make[kernels.Vec3s[float32]](10_000)
//	len(pos.X), cap(pos.X) // 10000, 10000
//
// Elements may be of any type without Go pointers. The lanes share one
// allocation, which lives as long as any lane. Appending past the capacity
// moves a lane to ordinary memory, as for any slice.
//
// Make panics if n is negative or too large for the address space, or if V is
// not a view.
func Make[V any](n int) (v V) {
	copy(Headers(&v), newColumns(reflect.TypeFor[V](), n))
	return v
}

// newColumns returns the headers of a view of n rows over new memory.
func newColumns(view reflect.Type, n int) []Header {
	if n < 0 {
		panic(fmt.Sprintf("soa: Make: n is %d", n))
	}
	sizes := elemSizes(view)
	rowBytes := uint64(0)
	for _, size := range sizes {
		rowBytes += uint64(size)
	}
	rows := roundUp(uintptr(n), rowAlign)
	if uint64(rows) > uint64(maxBytes-2*Align*len(sizes))/max(rowBytes, 1) {
		panic(fmt.Sprintf("soa: Make: n is %d: rows of %v, %d bytes each, do not fit in memory", n, view, rowBytes))
	}
	total := uintptr(0)
	for _, size := range sizes {
		total += laneBytes(rows, size)
	}

	// Allocate one cache line more than the lanes need, because the first lane begins at
	// the next line.
	memory := make([]byte, total+Align)
	base := unsafe.Pointer(unsafe.SliceData(memory))
	at := -uintptr(base) & (Align - 1)

	h := make([]Header, len(sizes))
	for i, size := range sizes {
		// SAFETY: the offset at starts below Align. So every lane is inside memory, does not
		// overlap another lane, is aligned and has rows*size bytes. The header's pointer keeps
		// memory alive. The function elemSizes refuses elements with Go pointers.
		h[i] = Header{Data: unsafe.Add(base, at), Len: n, Cap: int(rows)}
		at += laneBytes(rows, size)
	}
	return h
}

// laneBytes returns the distance from one lane to the next, which is an odd number of cache lines.
// If the distance were a power of two, the elements of one row in several lanes would share one
// set of the cache and evict each other. (The gain was measured with six float32 lanes and AVX2.
// For powers of two from 512 to 4096 rows, sweeps are 3 to 6 % faster than with the nearest
// multiple of Align.)
func laneBytes(rows, size uintptr) uintptr { return roundUp(rows*size, Align) | Align }

// elemSizes returns the element sizes of the slices of a view. elemSizes panics if the
// type is not a view.
func elemSizes(view reflect.Type) []uintptr {
	if view.Kind() == reflect.Slice {
		return []uintptr{elemSize(view, view, "its elements")}
	}
	if view.Kind() != reflect.Struct {
		panic(fmt.Sprintf("soa: Make: view %v is neither a struct of slices nor a slice", view))
	}
	sizes := make([]uintptr, view.NumField())
	for i := range sizes {
		f := view.Field(i)
		if f.Type.Kind() != reflect.Slice {
			panic(fmt.Sprintf("soa: Make: view %v: field %s has type %v, not a slice", view, f.Name, f.Type))
		}
		sizes[i] = elemSize(view, f.Type, "the elements of "+f.Name)
	}
	return sizes
}

// elemSize returns the element size of one slice of a view.
func elemSize(view, slice reflect.Type, whose string) uintptr {
	e := slice.Elem()
	if path, part := findPart(e, isPointer); part != nil {
		what := part.String()
		if path != "" {
			what = e.String() + path + " " + what
		}
		panic(fmt.Sprintf("soa: Make: view %v: %s hold a Go pointer: %s", view, whose, what))
	}
	return e.Size()
}
