package kernels

// Convert sets dst[i] = D(x[i]) for every i. It converts float32 to float64 or float64
// to float32; if the types are equal, it copies x.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x if both have the same type; no other overlap is supported.
// Values: exact. A float64 is rounded to the nearest float32, ties to even.
// The result is ±Inf if x is too large for a float32, and a denormal if x is
// below the smallest normal number.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Convert[D, T Float](dst []D, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		convertPieces(dst, x)
	case single[D]() && !single[T]():
		narrow(f32(dst), f64(x))
	case single[T]() && !single[D]():
		widen(f64(dst), f32(x))
	default:
		copy(dst, *as[[]D](&x))
	}
}

func convertPieces[D, T Float](dst []D, x []T) {
	if len(x) != len(dst) {
		panic(differ("Convert", "dst x", len(dst), len(x)))
	}
	if checked {
		inspect("Convert", lane("dst", dst), lane("x", x))
	}
	for len(x) > 0 {
		n := min(piece, len(x))
		switch {
		case single[D]() && !single[T]():
			narrow(f32(dst[:n]), f64(x[:n]))
		case single[T]() && !single[D]():
			widen(f64(dst[:n]), f32(x[:n]))
		default:
			copy(dst[:n], (*as[[]D](&x))[:n])
		}
		dst, x = dst[n:], x[n:]
	}
}

func convertGeneric[D, T Float](dst []D, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = D(x[i])
	}
}
