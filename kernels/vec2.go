package kernels

// Add sets v[i] = x[i] + y[i] for every i and returns v.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Add(x, y *Vec2s[T]) *Vec2s[T] {
	vectors(opAdd, "Vec2s.Add", "vxy", v.lanes(), x.lanes(), y.lanes(), 0)
	return v
}

// Sub sets v[i] = x[i] - y[i] for every i and returns v.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Sub(x, y *Vec2s[T]) *Vec2s[T] {
	vectors(opSub, "Vec2s.Sub", "vxy", v.lanes(), x.lanes(), y.lanes(), 0)
	return v
}

// Scale sets v[i] = s*x[i] for every i and returns v.
//
// Shape: all lanes of v and x have one length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Scale(x *Vec2s[T], s T) *Vec2s[T] {
	vectors(opScale, "Vec2s.Scale", "vx-", v.lanes(), x.lanes(), nil, s)
	return v
}

// AddScaled sets v[i] = x[i] + s*y[i] for every i and returns v: positions,
// velocities and a time step make it one step of movement.
//
// Shape: all lanes of v, x and y have one length; any length, any alignment.
// Alias: v may be x or y; a partial overlap is not supported.
// Values: exact; product and sum are rounded separately, NaN wherever Go has NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) AddScaled(x, y *Vec2s[T], s T) *Vec2s[T] {
	vectors(opAddScaled, "Vec2s.AddScaled", "vxy", v.lanes(), x.lanes(), y.lanes(), s)
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
func (v *Vec2s[T]) Lerp(x, y *Vec2s[T], t T) *Vec2s[T] {
	vectors(opLerp, "Vec2s.Lerp", "vxy", v.lanes(), x.lanes(), y.lanes(), t)
	return v
}

// Dot sets dst[i] to the dot product of v[i] and y[i].
//
//	dst = v.x*y.x + v.y*y.y
//
// Shape: dst and all lanes of v and y have one length; any length, any alignment.
// Alias: dst must not overlap v or y.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Dot(dst []T, y *Vec2s[T]) {
	numbers(opDot, "Vec2s.Dot", dst, v.lanes(), y.lanes())
}

// Length sets dst[i] to the length of v[i].
//
//	dst = √(v.x*v.x + v.y*v.y)
//
// Shape: dst and all lanes of v have one length; any length, any alignment.
// Alias: dst must not overlap v.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Length(dst []T) {
	numbers(opLength, "Vec2s.Length", dst, v.lanes(), nil)
}

// Normalize sets v[i] to x[i] brought to length 1 and returns v. A vector of
// length zero has no direction and stays as it is.
//
//	l = x.x*x.x + x.y*x.y
//	r = l == 0 ? 0 : 1/√l
//	v = (x.x*r, x.y*r)
//
// Shape: all lanes of v and x have one length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written: where the squares underflow to zero v is
// zero with the signs of x, where they overflow it is zero or NaN.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Normalize(x *Vec2s[T]) *Vec2s[T] {
	vectors(opNormalize, "Vec2s.Normalize", "vx-", v.lanes(), x.lanes(), nil, 0)
	return v
}

// Distance sets dst[i] to the distance of v[i] and y[i].
//
//	d = v - y
//	dst = √(d.x*d.x + d.y*d.y)
//
// Shape: dst and all lanes of v and y have one length; any length, any alignment.
// Alias: dst must not overlap v or y.
// Values: exact, in the order written; the squares may overflow or underflow.
// It panics if the lengths differ. It does not allocate.
func (v *Vec2s[T]) Distance(dst []T, y *Vec2s[T]) {
	numbers(opDistance, "Vec2s.Distance", dst, v.lanes(), y.lanes())
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
func (v *Vec2s[T]) Reflect(x, n *Vec2s[T]) *Vec2s[T] {
	vectors(opReflect, "Vec2s.Reflect", "vxn", v.lanes(), x.lanes(), n.lanes(), 0)
	return v
}
