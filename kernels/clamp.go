package kernels

// Minimum sets dst[i] = x[i] where x[i] < y[i], and y[i] elsewhere. So the result is
// y[i] if x[i] or y[i] is NaN, or if both are zeros. For example, the minimum of NaN
// and 2 is 2, and that of 1 and NaN is NaN. SSE's MINPS has the same rule; NumPy's
// minimum returns NaN in both cases. For the smallest element of one slice see [Min].
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func minimumGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = lesser(x[i], y[i])
	}
}

// lesser returns a < b ? a : b.
func lesser[T Float](a, b T) T {
	if a < b {
		return a
	}
	return b
}

// Maximum sets dst[i] = x[i] where x[i] > y[i], and y[i] elsewhere. So the result is
// y[i] if x[i] or y[i] is NaN, or if both are zeros, as for [Minimum]. For example, the
// maximum of NaN and 2 is 2, and that of 1 and NaN is NaN. For the largest element of
// one slice see [Max].
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func maximumGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = greater(x[i], y[i])
	}
}

// greater returns a > b ? a : b.
func greater[T Float](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// Clamp sets dst[i] to x[i], or to the bound that x[i] is beyond, for every i.
//
//	t = lo > x[i] ? lo : x[i]
//	dst[i] = hi < t ? hi : t
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. NaN stays NaN. A bound that is NaN has no effect. Where lo >
// hi, the result is hi. A zero keeps its sign between zero bounds.
// It panics if the lengths differ. It does not allocate.
func clampGeneric[T Float](dst, x []T, lo, hi T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = lesser(hi, greater(lo, x[i]))
	}
}
