package kernels

// Compose sets m[i] to the matrix that first scales, then rotates, then moves,
// and returns m. A nil rot means no rotation, (0, 0, 0, 1) in every row; a nil
// scale means (1, 1, 1). The arithmetic is that of [Mat4s.Compose].
//
// Shape: all lanes of m, pos, rot and scale have the same length; any length, any
// alignment. An operand may contain the same lane more than once: for example,
// &Vec3s[T]{s, s, s} scales by s along all axes.
// Alias: m must not overlap pos, rot or scale.
// Values: exact; those of [Mat4s.Compose].
// It panics if the lengths differ. It does not allocate.
func (m *Mat3x4s[T]) Compose(pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) *Mat3x4s[T] {
	mat3x4ComposeFront(single[T](), address(m), address(pos), address(rot), address(scale))
	return m
}

//kernelgen:front
func mat3x4Compose[T Float](m *Mat3x4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	n := m.Len()
	if !mat3x4Has(m, n) || !vec3Has(pos, n) || rot != nil && !quatHas(rot, n) || scale != nil && !vec3Has(scale, n) {
		panic(composeLengths("Mat3x4s.Compose", mat3x4Spans(m, "m"), pos, rot, scale))
	}
	if checked {
		inspect("Mat3x4s.Compose", mat3x4Spans(m, "m"), composeOperands(pos, rot, scale)...)
	}
	if rot == nil || scale == nil {
		composeLanesAbsent(m, pos, rot, scale)
		return
	}
	if n > piece {
		var ms Mat3x4s[T]
		var ps, ss Vec3s[T]
		var rs Quats[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			ms, ps, rs, ss = m.Slice(lo, hi), pos.Slice(lo, hi), rot.Slice(lo, hi), scale.Slice(lo, hi)
			mat3x4Compose(&ms, &ps, &rs, &ss)
		}
		return
	}
	if single[T]() {
		type view = Vec3s[float32]
		mat3x4Compose32(as[Mat3x4s[float32]](m), as[view](pos), as[Quats[float32]](rot), as[view](scale))
	} else {
		type view = Vec3s[float64]
		mat3x4Compose64(as[Mat3x4s[float64]](m), as[view](pos), as[Quats[float64]](rot), as[view](scale))
	}
}

// composeLanesAbsent does the work of composeLanes, with constant lanes for operands that are
// nil.
func composeLanesAbsent[T Float](m *Mat3x4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	n := m.Len()
	var ms Mat3x4s[T]
	var ps, ss Vec3s[T]
	var rs Quats[T]
	for lo := 0; lo < n; lo += constantRows {
		hi := min(lo+constantRows, n)
		zeros, ones := constants[T](hi - lo)
		ms, ps = m.Slice(lo, hi), pos.Slice(lo, hi)
		rs, ss = Quats[T]{zeros, zeros, zeros, ones}, Vec3s[T]{ones, ones, ones}
		if rot != nil {
			rs = rot.Slice(lo, hi)
		}
		if scale != nil {
			ss = scale.Slice(lo, hi)
		}
		mat3x4Compose(&ms, &ps, &rs, &ss)
	}
}

// FromQuats sets m[i] to the matrix of the turn q[i] and returns m. The result is the
// same as that of [Mat3x4s.Compose] with the rotation q, the position 0 and no scale.
//
// Shape: all lanes of m and q have the same length; any length, any alignment.
// Alias: m must not overlap q.
// Values: exact; the numbers are those of [Mat4s.FromQuats]. q must have
// length 1.
// It panics if the lengths differ. It does not allocate.
func (m *Mat3x4s[T]) FromQuats(q *Quats[T]) *Mat3x4s[T] {
	mat3x4FromQuatsFront(single[T](), address(m), address(q))
	return m
}

//kernelgen:front
func mat3x4FromQuats[T Float](m *Mat3x4s[T], q *Quats[T]) {
	n := m.Len()
	if !mat3x4Has(m, n) || !quatHas(q, n) {
		panic(lengths("Mat3x4s.FromQuats", mat3x4Spans(m, "m"), quatSpans(q, "q")))
	}
	if checked {
		inspect("Mat3x4s.FromQuats", mat3x4Spans(m, "m"), quatSpans(q, "q"))
	}
	var ms Mat3x4s[T]
	var qs Quats[T]
	var origin, even Vec3s[T]
	for lo := 0; lo < n; lo += constantRows {
		hi := min(lo+constantRows, n)
		zeros, ones := constants[T](hi - lo)
		origin, even = Vec3s[T]{zeros, zeros, zeros}, Vec3s[T]{ones, ones, ones}
		ms, qs = m.Slice(lo, hi), q.Slice(lo, hi)
		ms.Compose(&origin, &qs, &even)
	}
}

func mat3x4ComposeGeneric[T Float](m *Mat3x4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	p := parts(pos, rot, scale)
	for i := range m.XX {
		composeRow((*[12][]T)(mat3x4Lanes(m)), &p, i)
	}
}

func composeRow[T Float](m *[12][]T, p *[10][]T, i int) {
	x, y, z, w := p[3][i], p[4][i], p[5][i], p[6][i]
	x2, y2, z2 := x+x, y+y, z+z
	xx, xy, xz := T(x*x2), T(x*y2), T(x*z2)
	yy, yz, zz := T(y*y2), T(y*z2), T(z*z2)
	wx, wy, wz := T(w*x2), T(w*y2), T(w*z2)
	sx, sy, sz := p[7][i], p[8][i], p[9][i]
	m[0][i], m[1][i], m[2][i] = (1-(yy+zz))*sx, (xy+wz)*sx, (xz-wy)*sx
	m[3][i], m[4][i], m[5][i] = (xy-wz)*sy, (1-(xx+zz))*sy, (yz+wx)*sy
	m[6][i], m[7][i], m[8][i] = (xz+wy)*sz, (yz-wx)*sz, (1-(xx+yy))*sz
	m[9][i], m[10][i], m[11][i] = p[0][i], p[1][i], p[2][i]
}

// MulAffine sets m[i] = parent[i]*local[i] and returns m. The arithmetic is that of
// [Mat4s.MulAffine].
//
// Shape: all lanes of m, parent and local have the same length; any length, any
// alignment.
// Alias: m may be parent or local; a partial overlap is not supported.
// Values: exact; those of [Mat4s.MulAffine].
// It panics if the lengths differ. It does not allocate.
func (m *Mat3x4s[T]) MulAffine(parent, local *Mat3x4s[T]) *Mat3x4s[T] {
	mat3x4MulAffineFront(single[T](), address(m), address(parent), address(local))
	return m
}

//kernelgen:front
func mat3x4MulAffine[T Float](m *Mat3x4s[T], parent, local *Mat3x4s[T]) {
	if n := m.Len(); n <= piece && !checked && mat3x4Has(m, n) && mat3x4Has(parent, n) && mat3x4Has(local, n) {
		matrixRows(opProduct, mat3x4Lanes(m), mat3x4Lanes(parent), mat3x4Lanes(local))
		return
	}
	matrices(opProduct, "Mat3x4s.MulAffine", [3]string{"m", "parent", "local"}, mat3x4Lanes(m), mat3x4Lanes(parent), mat3x4Lanes(local))
}

func productRow[T Float](m, p, l *[12][]T, i int) {
	ax, ay, az := p[0][i], p[1][i], p[2][i]
	bx, by, bz := p[3][i], p[4][i], p[5][i]
	cx, cy, cz := p[6][i], p[7][i], p[8][i]
	tx, ty, tz := p[9][i], p[10][i], p[11][i]
	for j := 0; j < 12; j += 3 {
		x, y, z := l[j][i], l[j+1][i], l[j+2][i]
		mx := (T(ax*x) + T(bx*y)) + T(cx*z)
		my := (T(ay*x) + T(by*y)) + T(cy*z)
		mz := (T(az*x) + T(bz*y)) + T(cz*z)
		if j == 9 {
			mx, my, mz = mx+tx, my+ty, mz+tz
		}
		m[j][i], m[j+1][i], m[j+2][i] = mx, my, mz
	}
}

// Inverse sets m[i] to the inverse of the affine matrix x[i] and returns m.
//
//	r0, r1, r2 = x1 × x2, x2 × x0, x0 × x1     of the columns x0 to x3 of x
//	d          = 1 / ((x0.x*r0.x + x0.y*r0.y) + x0.z*r0.z)
//	row k of m = (rk.x*d, rk.y*d, rk.z*d, -(((rk.x*d)*x3.x + (rk.y*d)*x3.y) + (rk.z*d)*x3.z))
//
// Shape: all lanes of m and x have the same length; any length, any alignment.
// Alias: m may be x; a partial overlap is not supported.
// Values: exact, in the order written and with no special case: a matrix whose
// determinant is zero gives infinities and NaN.
// It panics if the lengths differ. It does not allocate.
//
// Source: Cramer's rule. The rows of the adjugate are cross products of
// columns.
func (m *Mat3x4s[T]) Inverse(x *Mat3x4s[T]) *Mat3x4s[T] {
	mat3x4InverseFront(single[T](), address(m), address(x))
	return m
}

//kernelgen:front
func mat3x4Inverse[T Float](m *Mat3x4s[T], x *Mat3x4s[T]) {
	if n := m.Len(); n <= piece && !checked && mat3x4Has(m, n) && mat3x4Has(x, n) {
		matrixRows(opInverse, mat3x4Lanes(m), mat3x4Lanes(x), nil)
		return
	}
	matrices(opInverse, "Mat3x4s.Inverse", [3]string{"m", "x"}, mat3x4Lanes(m), mat3x4Lanes(x), nil)
}

func inverseRow[T Float](m, a *[12][]T, i int) {
	ax, ay, az := a[0][i], a[1][i], a[2][i]
	bx, by, bz := a[3][i], a[4][i], a[5][i]
	cx, cy, cz := a[6][i], a[7][i], a[8][i]
	tx, ty, tz := a[9][i], a[10][i], a[11][i]
	ux, uy, uz := cross(bx, by, bz, cx, cy, cz)
	vx, vy, vz := cross(cx, cy, cz, ax, ay, az)
	wx, wy, wz := cross(ax, ay, az, bx, by, bz)
	d := 1 / ((T(ax*ux) + T(ay*uy)) + T(az*uz))
	ux, uy, uz = T(ux*d), T(uy*d), T(uz*d)
	vx, vy, vz = T(vx*d), T(vy*d), T(vz*d)
	wx, wy, wz = T(wx*d), T(wy*d), T(wz*d)
	m[0][i], m[1][i], m[2][i] = ux, vx, wx
	m[3][i], m[4][i], m[5][i] = uy, vy, wy
	m[6][i], m[7][i], m[8][i] = uz, vz, wz
	m[9][i] = -((T(ux*tx) + T(uy*ty)) + T(uz*tz))
	m[10][i] = -((T(vx*tx) + T(vy*ty)) + T(vz*tz))
	m[11][i] = -((T(wx*tx) + T(wy*ty)) + T(wz*tz))
}

// cross returns a × b.
func cross[T Float](ax, ay, az, bx, by, bz T) (x, y, z T) {
	return T(ay*bz) - T(az*by), T(az*bx) - T(ax*bz), T(ax*by) - T(ay*bx)
}
