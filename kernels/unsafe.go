package kernels

import "unsafe"

// single reports whether T is float32. The compiler evaluates it at compile time.
func single[T Float]() bool { return unsafe.Sizeof(*(*T)(nil)) == 4 }

// as converts a pointer to a lane or view of T into a pointer to one of float32 or float64.
//
// SAFETY: every call is in a branch on single, so To and From are the same
// type.
func as[To, From any](p *From) *To { return (*To)(unsafe.Pointer(p)) }

// address is the start of a lane.
//
// SAFETY: an address keeps the lane alive. It is compared and announced to the race
// detector. Only the function view dereferences it.
type address = unsafe.Pointer

// view returns the operand at an address.
//
// SAFETY: only fronts call it (fronts_gen.go), with the address of an operand of type *V that
// the caller's variable keeps alive.
func view[V any](p address) *V { return (*V)(p) }

// spanOf returns the memory of p.
//
// SAFETY: the comment of address applies. A nil lane has a nil address and no rows.
func spanOf[E any](name string, p []E) span {
	var e E
	return span{name, address(unsafe.SliceData(p)), unsafe.Sizeof(e), len(p)}
}

// sharesMemory reports whether two lanes share memory.
//
// SAFETY: the addresses are only compared.
func sharesMemory[A, B any](a []A, b []B) bool {
	var x A
	var y B
	p, q := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(a) > 0 && len(b) > 0 && p < q+uintptr(len(b))*unsafe.Sizeof(y) && q < p+uintptr(len(a))*unsafe.Sizeof(x)
}

// aligned reports whether p starts at a multiple of 64, the size of a cache
// line.
//
// SAFETY: the address is only compared.
func aligned[E any](p []E) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(p)))%64 == 0 }
