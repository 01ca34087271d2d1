package kernels

import "math/bits"

// Decompose is the inverse of [Mat3x4s.Compose]: it sets pos, rot and scale to
// the translation, rotation and scale of the affine matrices m. The scale is
// the length of each column; it is negative along x if the matrix mirrors. The
// rotation is the rotation of the columns divided by their lengths.
//
//	s  = √((x*x + y*y) + z*z) of each of the columns x, y, z of m
//	r  = 1/s, or 0 where the square is zero
//	u  = the column times r: a = ux, b = uy, c = uz
//
//	only s.x is 0:   a = b × c, times the reciprocal of its length as above
//	only s.y is 0:   b = c × a, in the same way
//	only s.z is 0:   c = a × b, in the same way
//	otherwise:       s.x, a = -s.x, -a   if (a.x*n.x + a.y*n.y) + a.z*n.z < 0, where n = b × c
//
//	c.z < 0 and a.x > b.y:    q = ((1+a.x)-(b.y+c.z), a.y+b.x, a.z+c.x, b.z-c.y)
//	c.z < 0 otherwise:        q = (a.y+b.x, (1-a.x)+(b.y-c.z), b.z+c.y, c.x-a.z)
//	not, and a.x < -b.y:      q = (a.z+c.x, b.z+c.y, (1-a.x)-(b.y-c.z), a.y-b.x)
//	not, and not:             q = (b.z-c.y, c.x-a.z, a.y-b.x, (1+a.x)+(b.y+c.z))
//	rot = normalize(q), as in [Quats.Normalize]
//
// Shape: all lanes of m, pos, rot and scale have the same length; any length, any
// alignment. Angles between the columns (shear) are lost: the rotation is then
// a unit quaternion near that of the columns. Two columns determine the rotation. So if
// one column is zero, only the information whether the matrix mirrors is lost. If two
// columns are zero, the rotation about the third one is lost. For a matrix of zeros,
// rot is (0, 0, 0, 1). A column counts as zeros if its square is zero. In such a
// column, each number is multiplied by 0 and keeps its sign, so two such columns with
// negative numbers can give a -0 in rot.
// Alias: pos, rot and scale must not overlap each other or m.
// Values: exact, in the order written. The signs of rot come from the branch: rot
// may be the negative of the quaternion from which m was composed.
// It panics if the lengths differ. It does not allocate.
//
// Source: the four cases of M. Day, "Converting a Rotation Matrix to a
// Quaternion" (Insomniac Games). In each case, one component is at least
// 1 before the normalization, so no precision is lost.
func (m *Mat3x4s[T]) Decompose(pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	mat3x4DecomposeFront(single[T](), address(m), address(pos), address(rot), address(scale))
}

//kernelgen:front
func mat3x4Decompose[T Float](m *Mat3x4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	p := parts(pos, rot, scale)
	matrices(opDecompose, "Mat3x4s.Decompose", [3]string{1: "m"}, p[:], mat3x4Lanes(m), nil)
}

func decomposeRow[T Float](p *[10][]T, m *[12][]T, i int) {
	p[0][i], p[1][i], p[2][i] = m[9][i], m[10][i], m[11][i]
	sx, ax, ay, az := unit(m[0][i], m[1][i], m[2][i])
	sy, bx, by, bz := unit(m[3][i], m[4][i], m[5][i])
	sz, cx, cy, cz := unit(m[6][i], m[7][i], m[8][i])
	switch {
	case sx == 0 && sy != 0 && sz != 0:
		_, ax, ay, az = unit(cross(bx, by, bz, cx, cy, cz))
	case sx != 0 && sy == 0 && sz != 0:
		_, bx, by, bz = unit(cross(cx, cy, cz, ax, ay, az))
	case sx != 0 && sy != 0 && sz == 0:
		_, cx, cy, cz = unit(cross(ax, ay, az, bx, by, bz))
	default:
		nx, ny, nz := cross(bx, by, bz, cx, cy, cz)
		if (T(ax*nx)+T(ay*ny))+T(az*nz) < 0 {
			sx, ax, ay, az = -sx, -ax, -ay, -az
		}
	}
	x, y, z, w := turnOf(ax, ay, az, bx, by, bz, cx, cy, cz)
	r := 1 / root(((T(x*x)+T(y*y))+T(z*z))+T(w*w))
	p[3][i], p[4][i], p[5][i], p[6][i] = x*r, y*r, z*r, w*r
	p[7][i], p[8][i], p[9][i] = sx, sy, sz
}

// decomposeFlat uses the Go body to compute again the rows with exactly one zero scale. The
// assembly does not compute the rotation of such rows, because they are
// rare and would cost every other row three cross products.
func decomposeFlat[T Float](p *[10][]T, m *[12][]T) {
	const rows = 1024
	var x, y, z [rows / 64]uint64
	for lo, n := 0, len(p[0]); lo < n; lo += rows {
		hi := min(lo+rows, n)
		words := MaskLen(hi - lo)
		zeros(x[:words], p[7][lo:hi])
		zeros(y[:words], p[8][lo:hi])
		zeros(z[:words], p[9][lo:hi])
		for w := range words {
			for one := (x[w] ^ y[w] ^ z[w]) &^ (x[w] & y[w] & z[w]); one != 0; one &= one - 1 {
				decomposeRow(p, m, lo+64*w+bits.TrailingZeros64(one))
			}
		}
	}
}

// zeros sets the bits of mask for the rows of x that are 0, as EqualTo does. It does not announce
// the lane to the race detector, because the caller has done so.
func zeros[T Float](mask []uint64, x []T) {
	if single[T]() {
		equalTo32(mask, *as[[]float32](&x), 0)
	} else {
		equalTo64(mask, *as[[]float64](&x), 0)
	}
}

// unit returns the length of a vector and the vector divided by it. If the length is zero, the
// result is zeros with the signs of the vector's numbers.
func unit[T Float](x, y, z T) (length, ux, uy, uz T) {
	square := (T(x*x) + T(y*y)) + T(z*z)
	length = root(square)
	r := 1 / length
	if square == 0 {
		r = 0
	}
	return length, T(x * r), T(y * r), T(z * r)
}

// turnOf returns the quaternion that turns the axes to a, b and c. The quaternion may have any
// length.
func turnOf[T Float](ax, ay, az, bx, by, bz, cx, cy, cz T) (x, y, z, w T) {
	switch {
	case cz < 0 && ax > by:
		return (1 + ax) - (by + cz), ay + bx, az + cx, bz - cy
	case cz < 0:
		return ay + bx, (1 - ax) + (by - cz), bz + cy, cx - az
	case ax < -by:
		return az + cx, bz + cy, (1 - ax) - (by - cz), ay - bx
	default:
		return bz - cy, cx - az, ay - bx, (1 + ax) + (by + cz)
	}
}

// Decompose is the inverse of [Mat4s.Compose]: it sets pos, rot and scale to
// the translation, rotation and scale of the affine matrices m. The bottom row
// of m is not read.
//
// Shape: m and all lanes of pos, rot and scale have the same length; any length, any
// alignment. Angles between the columns are lost.
// Alias: pos, rot and scale must not overlap each other or m.
// Values: exact; those of [Mat3x4s.Decompose].
// It panics if the lengths differ. It does not allocate.
func (m *Mat4s[T]) Decompose(pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	mat4DecomposeFront(single[T](), address(m), address(pos), address(rot), address(scale))
}

//kernelgen:front
func mat4Decompose[T Float](m *Mat4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	const kernel = "Mat4s.Decompose"
	n := pos.Len()
	if !vec3Has(pos, n) || !quatHas(rot, n) || !vec3Has(scale, n) || m.Len() != n {
		panic(lengths(kernel, vec3Spans(pos, "pos"), quatSpans(rot, "rot"), vec3Spans(scale, "scale"), mat4Spans(m, "m")))
	}
	if checked {
		dst := append(append(vec3Spans(pos, "pos"), quatSpans(rot, "rot")...), vec3Spans(scale, "scale")...)
		inspect(kernel, dst, mat4Spans(m, "m"))
	}
	p := parts(pos, rot, scale)
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		decomposeBlocks(&p, m.M, lo, hi)
	}
}

// decomposeBlocks decomposes the rows from lo to hi.
//
//go:noinline
func decomposeBlocks[T Float](p *[10][]T, m [][16]T, lo, hi int) {
	var rows [12][blockRows]T
	var lanes [12][]T
	var ps [10][]T
	for ; lo < hi; lo += blockRows {
		end := min(lo+blockRows, hi)
		for k := range lanes {
			lanes[k] = rows[k][:end-lo]
		}
		deinterleave(lanes[:], m[lo:end])
		matrixRows(opDecompose, cutLanes(ps[:], p[:], lo, end), lanes[:], nil)
	}
}
