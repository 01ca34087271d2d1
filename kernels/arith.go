package kernels

// Fill sets dst[i] = s for every i.
//
// Shape: any length, any alignment.
// Values: exact.
// It does not allocate.
//
//go:noinline
func Fill[T Float](dst []T, s T) {
	if checked {
		inspect("Fill", lane("dst", dst))
	}
	for len(dst) > piece {
		Fill(dst[:piece], s)
		dst = dst[piece:]
	}
	if single[T]() {
		fill32(*as[[]float32](&dst), float32(s))
	} else {
		fill64(*as[[]float64](&dst), float64(s))
	}
}

func fillGeneric[T Float](dst []T, s T) {
	for i := range dst {
		dst[i] = s
	}
}

// AddScaled sets dst[i] = x[i] + s*y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact; product and sum are rounded separately. The result is NaN where the same
// expression in Go is NaN.
// It panics if the lengths differ. It does not allocate.
func addScaledGeneric[T Float](dst, x, y []T, s T) {
	x, y = x[:len(dst)], y[:len(dst)] // one bounds check for the loop
	for i := range dst {
		dst[i] = x[i] + T(s*y[i]) // the conversion forbids a fused multiply-add
	}
}

// AddScaled sets v[i] = x[i] + s*y[i] for every i and returns v. For example, if x
// holds positions, y holds velocities and s is a time step, AddScaled is one step of
// Euler's method.
//
// Shape: all lanes of v, x and y have the same length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact; product and sum are rounded separately. The result is NaN where the same
// expression in Go is NaN.
// It panics if the lengths differ. It does not allocate.
func vec3AddScaledGeneric[T Float](v, x, y *Vec3s[T], s T) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	yx, yy, yz := y.X[:n], y.Y[:n], y.Z[:n]
	for i := range n {
		vx[i] = xx[i] + T(s*yx[i])
		vy[i] = xy[i] + T(s*yy[i])
		vz[i] = xz[i] + T(s*yz[i])
	}
}
