package kernels

// AllFinite reports whether no element of x is NaN, +Inf or -Inf.
//
// Shape: any length, any alignment.
// Values: exact. If x is empty, the result is true.
// It does not allocate.
//
//go:noinline
func AllFinite[T Float](x []T) bool {
	if checked {
		inspect("AllFinite", nil, lane("x", x))
	}
	for len(x) > 0 {
		n := min(piece, len(x))
		var odd T
		if single[T]() {
			odd = T(finite32(f32(x[:n])))
		} else {
			odd = T(finite64(f64(x[:n])))
		}
		if odd != 0 { // NaN too
			return false
		}
		x = x[n:]
	}
	return true
}

// finiteGeneric returns 0 if all elements of x are finite, and NaN otherwise: x
// - x is +0 or NaN. The other paths combine the bits of these differences by
// OR.
func finiteGeneric[T Float](x []T) (odd T) {
	for _, v := range x {
		if d := v - v; d != 0 {
			odd = d
		}
	}
	return odd
}
