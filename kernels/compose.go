package kernels

// Compose sets m[i] to the matrix that first scales, then rotates, then moves,
// and returns m. A nil rot means no rotation, (0, 0, 0, 1) in every row; a nil
// scale means (1, 1, 1).
//
//	xx, xy, xz = x*(x+x), x*(y+y), x*(z+z)      of the unit quaternion (x, y, z, w)
//	yy, yz, zz = y*(y+y), y*(z+z), z*(z+z)
//	wx, wy, wz = w*(x+x), w*(y+y), w*(z+z)
//
//	column 0 = ((1-(yy+zz))*s.x,     (xy+wz)*s.x,     (xz-wy)*s.x, 0)
//	column 1 = (    (xy-wz)*s.y, (1-(xx+zz))*s.y,     (yz+wx)*s.y, 0)
//	column 2 = (    (xz+wy)*s.z,     (yz-wx)*s.z, (1-(xx+yy))*s.z, 0)
//	column 3 = (pos.x, pos.y, pos.z, 1)
//
// Shape: m and all lanes of pos, rot and scale have the same length; any length, any
// alignment. An operand may contain the same lane more than once: for example,
// &Vec3s[T]{s, s, s} scales by s along all axes.
// Alias: m must not overlap pos, rot or scale.
// Values: exact, in the order written; zeros may be negative.
// It panics if the lengths differ. It does not allocate.
func (m *Mat4s[T]) Compose(pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) *Mat4s[T] {
	mat4ComposeFront(single[T](), address(m), address(pos), address(rot), address(scale), false)
	return m
}

// ComposeStream gives exactly the same result as [Mat4s.Compose], but writes past the caches if the
// CPU can and m.M starts at a multiple of 64. This saves reading the memory that is overwritten.
// Use ComposeStream if the whole result is larger than the cache and no code reads it soon. If the
// result fits in the cache, ComposeStream takes twice as long, because the next reader waits for
// memory. Compose itself writes past the caches if a call writes 16 MiB or more.
//
// Shape, alias, values, panics: the same as for Compose. It does not allocate.
func (m *Mat4s[T]) ComposeStream(pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) *Mat4s[T] {
	mat4ComposeFront(single[T](), address(m), address(pos), address(rot), address(scale), true)
	return m
}

// mat4Compose writes past the caches if past is true, which ComposeStream sets.
//
//kernelgen:front
func mat4Compose[T Float](m *Mat4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T], past bool) {
	kernel, n := "Mat4s.Compose", m.Len()
	if past {
		kernel = "Mat4s.ComposeStream"
	}
	if !vec3Has(pos, n) || rot != nil && !quatHas(rot, n) || scale != nil && !vec3Has(scale, n) {
		panic(composeLengths(kernel, mat4Spans(m, "m"), pos, rot, scale))
	}
	past = past || n >= manyMatrices[T]()
	if checked {
		inspect(kernel, mat4Spans(m, "m"), composeOperands(pos, rot, scale)...)
	}
	if rot == nil || scale == nil {
		composeAbsent(m, pos, rot, scale, past)
		return
	}
	if n > piece {
		var ms Mat4s[T]
		var ps, ss Vec3s[T]
		var rs Quats[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			ms, ps, rs, ss = m.Slice(lo, hi), pos.Slice(lo, hi), rot.Slice(lo, hi), scale.Slice(lo, hi)
			mat4Compose(&ms, &ps, &rs, &ss, past)
		}
		return
	}
	if single[T]() {
		type view = Vec3s[float32]
		mat4Compose32(as[Mat4s[float32]](m), as[view](pos), as[Quats[float32]](rot), as[view](scale), past)
	} else {
		type view = Vec3s[float64]
		mat4Compose64(as[Mat4s[float64]](m), as[view](pos), as[Quats[float64]](rot), as[view](scale), past)
	}
}

// manyMatrices returns the number of matrices that fill 16 MiB. For this number of matrices or
// more, Compose writes past the caches without being asked. A result of half that size is
// faster if it stays in the cache.
func manyMatrices[T Float]() int {
	if single[T]() {
		return 16 << 20 / 64
	}
	return 16 << 20 / 128
}

// composeAbsent replaces each operand that is nil by constant lanes.
func composeAbsent[T Float](m *Mat4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T], past bool) {
	n := m.Len()
	var ms Mat4s[T]
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
		mat4Compose(&ms, &ps, &rs, &ss, past)
	}
}

func composeLengths[T Float](kernel string, m []span, pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) string {
	return lengths(kernel, m, composeOperands(pos, rot, scale)...)
}

// composeOperands lists the lanes of the operands that are not nil.
func composeOperands[T Float](pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) [][]span {
	operands := [][]span{vec3Spans(pos, "pos")}
	if rot != nil {
		operands = append(operands, quatSpans(rot, "rot"))
	}
	if scale != nil {
		operands = append(operands, vec3Spans(scale, "scale"))
	}
	return operands
}

func mat4ComposeGeneric[T Float](m *Mat4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	n := len(m.M)
	px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
	rx, ry, rz, rw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range m.M {
		x, y, z, w := rx[i], ry[i], rz[i], rw[i]
		x2, y2, z2 := x+x, y+y, z+z
		xx, xy, xz := T(x*x2), T(x*y2), T(x*z2)
		yy, yz, zz := T(y*y2), T(y*z2), T(z*z2)
		wx, wy, wz := T(w*x2), T(w*y2), T(w*z2)
		sx, sy, sz := sx[i], sy[i], sz[i]
		o := &m.M[i]
		o[0], o[1], o[2], o[3] = (1-(yy+zz))*sx, (xy+wz)*sx, (xz-wy)*sx, 0
		o[4], o[5], o[6], o[7] = (xy-wz)*sy, (1-(xx+zz))*sy, (yz+wx)*sy, 0
		o[8], o[9], o[10], o[11] = (xz+wy)*sz, (yz-wx)*sz, (1-(xx+yy))*sz, 0
		o[12], o[13], o[14], o[15] = px[i], py[i], pz[i], 1
	}
}

// constantRows is the length of the lanes that replace absent operands. These lanes
// are short, so that they stay in the first-level cache together with the
// operands.
const constantRows = 512

var (
	zeros32, ones32 = constantLanes[float32]()
	zeros64, ones64 = constantLanes[float64]()
)

func constantLanes[T Float]() (zeros, ones []T) {
	zeros, ones = make([]T, constantRows), make([]T, constantRows)
	fillGeneric(ones, 1)
	return zeros, ones
}

// constants returns n rows of zeros and n rows of ones. The caller must not write them.
func constants[T Float](n int) (zeros, ones []T) {
	if single[T]() {
		return (*as[[]T](&zeros32))[:n], (*as[[]T](&ones32))[:n]
	}
	return (*as[[]T](&zeros64))[:n], (*as[[]T](&ones64))[:n]
}
