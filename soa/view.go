package soa

import "unsafe"

// Header is how Go lays out a slice in memory. A view is an array of headers,
// one a slice, which is what lets a view be filled in place.
type Header struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// Headers returns the slice headers of a view in field order, for what
// points views at lanes. V must be a view that Bind or Make accepts: a struct
// of slices or one slice. It is inlined and does not allocate.
//
// Whoever writes a header answers for its memory: alive as long as the view,
// aligned, Cap elements long, and free of Go pointers.
func Headers[V any](v *V) []Header {
	// SAFETY: a view is nothing but slices, each laid out as a Header, so *v is
	// an array of them; the result points into *v and keeps it alive.
	return unsafe.Slice((*Header)(unsafe.Pointer(v)), unsafe.Sizeof(*v)/unsafe.Sizeof(Header{}))
}

// Point sets every slice of a view to n elements with a capacity of n: slice i
// begins at base + i*stride. It is for lanes that lie in the order of the view
// and equally far apart, and does what a loop over Headers does in half of its
// time. V and the memory are as for Headers.
func Point[V any](v *V, base unsafe.Pointer, stride uintptr, n int) {
	// Stores without a loop between them share one check of the write barrier;
	// the switch costs nothing, V decides it when it is compiled.
	//
	// SAFETY: *v is an array of as many headers as its size says.
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
