package soa

import "unsafe"

// Header is the layout of a slice in memory. A view consists of slices, so it
// is an array of headers. Code that fills a view writes these headers in place,
// without an allocation.
type Header struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// Headers returns the slice headers of a view in field order, for code that
// makes views refer to lanes. V must be a view that Bind or Make accepts: a struct
// of slices or one slice. Headers is inlined and does not allocate.
//
// The caller that writes a header is responsible for its memory. The memory must live as long as
// the view, must be aligned, must have Cap elements, and must hold no Go pointers.
func Headers[V any](v *V) []Header {
	// SAFETY: a view consists of slices only, each laid out as a Header, so *v
	// is an array of them. The result points into *v, and so keeps *v alive.
	return unsafe.Slice((*Header)(unsafe.Pointer(v)), unsafe.Sizeof(*v)/unsafe.Sizeof(Header{}))
}

// Point sets every slice of a view to n elements with a capacity of n. Slice i begins at base +
// i*stride. Use it for lanes that follow each other at equal distances, in the order of the view's
// fields. Point takes half the time of a loop over Headers. V and the memory must meet the same
// requirements as for Headers.
func Point[V any](v *V, base unsafe.Pointer, stride uintptr, n int) {
	// The stores for one number of slices have no loop between them, so they share one check of the
	// write barrier. The switch costs nothing, because the compiler evaluates it at compile time
	// for each V.
	//
	// SAFETY: *v is an array of headers, and the number of headers follows from the size of *v.
	switch unsafe.Sizeof(*v) / unsafe.Sizeof(Header{}) {
	case 1:
		h := (*[1]Header)(unsafe.Pointer(v))
		h[0] = Header{base, n, n}
	case 3:
		h := (*[3]Header)(unsafe.Pointer(v))
		h[0], h[1], h[2] = Header{base, n, n},
			Header{unsafe.Add(base, stride), n, n},
			Header{unsafe.Add(base, 2*stride), n, n}
	case 4:
		h := (*[4]Header)(unsafe.Pointer(v))
		h[0], h[1], h[2], h[3] = Header{base, n, n},
			Header{unsafe.Add(base, stride), n, n},
			Header{unsafe.Add(base, 2*stride), n, n},
			Header{unsafe.Add(base, 3*stride), n, n}
	default:
		for i := range Headers(v) {
			Headers(v)[i] = Header{unsafe.Add(base, uintptr(i)*stride), n, n}
		}
	}
}
