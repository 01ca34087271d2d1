package kernels

// Add sets v[i] = x[i] + y[i] for every i and returns v.
//
// Shape: all lanes of v, x and y have the same length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, NaN wherever Go gives NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Add(x, y *Vec3s[T]) *Vec3s[T] {
	vec3ArithFront(single[T](), opAdd, address(v), address(x), address(y), 0)
	return v
}

// Sub sets v[i] = x[i] - y[i] for every i and returns v.
//
// Shape: all lanes of v, x and y have the same length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, NaN wherever Go gives NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Sub(x, y *Vec3s[T]) *Vec3s[T] {
	vec3ArithFront(single[T](), opSub, address(v), address(x), address(y), 0)
	return v
}

// Scale sets v[i] = s*x[i] for every i and returns v.
//
// Shape: all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, NaN wherever Go gives NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Scale(x *Vec3s[T], s T) *Vec3s[T] {
	vec3ArithFront(single[T](), opScale, address(v), address(x), address(x), float64(s))
	return v
}

// Lerp sets v[i] = x[i] + t*(y[i] - x[i]) for every i and returns v. For t in
// [0, 1] it is a point between x and y. For other t it is on the line through
// both points.
//
// Shape: all lanes of v, x and y have the same length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, in the order written: t = 0 gives x, t = 1 gives y except for
// the rounding of the difference.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Lerp(x, y *Vec3s[T], t T) *Vec3s[T] {
	vec3ArithFront(single[T](), opLerp, address(v), address(x), address(y), float64(t))
	return v
}

// Dot sets dst[i] to the dot product of v[i] and y[i].
//
//	dst = (v.x*y.x + v.y*y.y) + v.z*y.z
//
// Shape: dst and all lanes of v and y have the same length; any length, any alignment.
// Alias: dst must not overlap v or y.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Dot(dst []T, y *Vec3s[T]) {
	vec3NumbersFront(single[T](), opDot, address(&dst), address(v), address(y))
}

// Cross sets v[i] = x[i] × y[i], the cross product, and returns v.
//
//	v = (x.y*y.z - x.z*y.y, x.z*y.x - x.x*y.z, x.x*y.y - x.y*y.x)
//
// Shape: all lanes of v, x and y have the same length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Cross(x, y *Vec3s[T]) *Vec3s[T] {
	vec3VectorsFront(single[T](), opCross, address(v), address(x), address(y), 0)
	return v
}

// Length sets dst[i] to the length of v[i].
//
//	dst = √((v.x*v.x + v.y*v.y) + v.z*v.z)
//
// Shape: dst and all lanes of v have the same length; any length, any alignment.
// Alias: dst must not overlap v.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Length(dst []T) {
	vec3NumbersFront(single[T](), opLength, address(&dst), address(v), address(v))
}

// Normalize sets v[i] to x[i] brought to length 1 and returns v. A vector of
// length zero has no direction and stays as it is.
//
//	l = (x.x*x.x + x.y*x.y) + x.z*x.z
//	r = l == 0 ? 0 : 1/√l
//	v = (x.x*r, x.y*r, x.z*r)
//
// Shape: all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written. If the squares underflow to zero, v is zero with
// the signs of x. If they overflow, v is zero or NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Normalize(x *Vec3s[T]) *Vec3s[T] {
	vec3VectorsFront(single[T](), opNormalize, address(v), address(x), address(x), 0)
	return v
}

// Distance sets dst[i] to the distance of v[i] and y[i].
//
//	d = v - y
//	dst = √((d.x*d.x + d.y*d.y) + d.z*d.z)
//
// Shape: dst and all lanes of v and y have the same length; any length, any alignment.
// Alias: dst must not overlap v or y.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Distance(dst []T, y *Vec3s[T]) {
	vec3NumbersFront(single[T](), opDistance, address(&dst), address(v), address(y))
}

// DistanceSquared sets dst[i] to the square of the distance between v[i] and the point p, which is
// the same for all rows.
//
//	d = v - p
//	dst = (d.x*d.x + d.y*d.y) + d.z*d.z
//
// Shape: dst and all lanes of v have the same length; any length, any alignment.
// Alias: dst must not overlap v.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) DistanceSquared(dst []T, p [3]T) {
	vec3DistanceSquaredFront(single[T](), address(&dst), address(v), address(&p))
}

//kernelgen:front
func vec3DistanceSquared[T Float](dst []T, v *Vec3s[T], p *[3]T) {
	n := len(dst)
	if !vec3Has(v, n) {
		panic(lengths("Vec3s.DistanceSquared", lane("dst", dst), vec3Spans(v, "v")))
	}
	if checked {
		inspect("Vec3s.DistanceSquared", lane("dst", dst), vec3Spans(v, "v"))
	}
	if n > piece {
		var part Vec3s[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			part = v.Slice(lo, hi)
			vec3DistanceSquared(dst[lo:hi], &part, p)
		}
		return
	}
	if single[T]() {
		vec3DistanceSquared32(f32(dst), as[Vec3s[float32]](v), as[[3]float32](p))
	} else {
		vec3DistanceSquared64(f64(dst), as[Vec3s[float64]](v), as[[3]float64](p))
	}
}

func vec3DistanceSquaredGeneric[T Float](dst []T, v *Vec3s[T], p *[3]T) {
	n := len(dst)
	x, y, z := v.X[:n], v.Y[:n], v.Z[:n]
	for i := range dst {
		dx, dy, dz := x[i]-p[0], y[i]-p[1], z[i]-p[2]
		dst[i] = (T(dx*dx) + T(dy*dy)) + T(dz*dz)
	}
}

// Reflect sets v[i] to x[i] reflected by the plane with the unit normal n[i]
// and returns v.
//
//	d = x·n, in the order of Dot
//	v = x - (d+d)*n
//
// Shape: all lanes of v, x and n have the same length; any length, any alignment.
// Alias: v may be x or n; a partial overlap is not supported.
// Values: exact, in the order written. If the length of a normal is not 1, the result
// is scaled.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Reflect(x, n *Vec3s[T]) *Vec3s[T] {
	vec3VectorsFront(single[T](), opReflect, address(v), address(x), address(n), 0)
	return v
}
