package kernels

// Add sets v[i] = x[i] + y[i] for every i and returns v.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Add(x, y *Vec4s[T]) *Vec4s[T] {
	vectors(opAdd, "Vec4s.Add", "vxy", v.lanes(), x.lanes(), y.lanes(), 0)
	return v
}

// Sub sets v[i] = x[i] - y[i] for every i and returns v.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Sub(x, y *Vec4s[T]) *Vec4s[T] {
	vectors(opSub, "Vec4s.Sub", "vxy", v.lanes(), x.lanes(), y.lanes(), 0)
	return v
}

// Scale sets v[i] = s*x[i] for every i and returns v.
//
// Shape: all lanes of v and x have one length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Scale(x *Vec4s[T], s T) *Vec4s[T] {
	vectors(opScale, "Vec4s.Scale", "vx-", v.lanes(), x.lanes(), nil, s)
	return v
}

// AddScaled sets v[i] = x[i] + s*y[i] for every i and returns v: positions,
// velocities and a time step make it one step of movement.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact; product and sum are rounded separately, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) AddScaled(x, y *Vec4s[T], s T) *Vec4s[T] {
	vectors(opAddScaled, "Vec4s.AddScaled", "vxy", v.lanes(), x.lanes(), y.lanes(), s)
	return v
}

// Lerp sets v[i] = x[i] + t*(y[i] - x[i]) for every i and returns v: the point
// on the way from x to y that t in [0, 1] says, on the line through both for any
// other t.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, in the order written: t = 0 gives x, t = 1 gives y but for the
// rounding of the difference.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Lerp(x, y *Vec4s[T], t T) *Vec4s[T] {
	vectors(opLerp, "Vec4s.Lerp", "vxy", v.lanes(), x.lanes(), y.lanes(), t)
	return v
}

// Dot sets dst[i] to the dot product of v[i] and y[i].
//
//	dst = ((v.x*y.x + v.y*y.y) + v.z*y.z) + v.w*y.w
//
// Shape: dst and all lanes of v and y have one length; any length, any alignment.
// Alias: dst must not overlap v or y.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Dot(dst []T, y *Vec4s[T]) {
	numbers(opDot, "Vec4s.Dot", dst, v.lanes(), y.lanes())
}

// Length sets dst[i] to the length of v[i].
//
//	dst = √(((v.x*v.x + v.y*v.y) + v.z*v.z) + v.w*v.w)
//
// Shape: dst and all lanes of v have one length; any length, any alignment.
// Alias: dst must not overlap v.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Length(dst []T) {
	numbers(opLength, "Vec4s.Length", dst, v.lanes(), nil)
}

// Normalize sets v[i] to x[i] brought to length 1 and returns v. A vector of
// length zero has no direction and stays as it is.
//
//	l = ((x.x*x.x + x.y*x.y) + x.z*x.z) + x.w*x.w
//	r = l == 0 ? 0 : 1/√l
//	v = (x.x*r, x.y*r, x.z*r, x.w*r)
//
// Shape: all lanes of v and x have one length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written: where the squares underflow to zero v is
// zero with the signs of x, where they overflow it is zero or NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Normalize(x *Vec4s[T]) *Vec4s[T] {
	vectors(opNormalize, "Vec4s.Normalize", "vx-", v.lanes(), x.lanes(), nil, 0)
	return v
}

// Distance sets dst[i] to the distance of v[i] and y[i].
//
//	d = v - y
//	dst = √(((d.x*d.x + d.y*d.y) + d.z*d.z) + d.w*d.w)
//
// Shape: dst and all lanes of v and y have one length; any length, any alignment.
// Alias: dst must not overlap v or y.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Distance(dst []T, y *Vec4s[T]) {
	numbers(opDistance, "Vec4s.Distance", dst, v.lanes(), y.lanes())
}

// Reflect sets v[i] to x[i] thrown back by the plane with the unit normal n[i]
// and returns v.
//
//	d = x·n, in the order of Dot
//	v = x - (d+d)*n
//
// Shape: all lanes of v, x and n have one length; any length, any alignment.
// Alias: v may be x or n; a partial overlap is not supported.
// Values: exact, in the order written; a normal of another length than 1 stretches.
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Reflect(x, n *Vec4s[T]) *Vec4s[T] {
	vectors(opReflect, "Vec4s.Reflect", "vxn", v.lanes(), x.lanes(), n.lanes(), 0)
	return v
}
