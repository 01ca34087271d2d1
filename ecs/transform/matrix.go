package transform

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Position returns the position of the entity's origin in the world.
func (l *LocalToWorldOf[T]) Position() (x, y, z T) { return l.M[12], l.M[13], l.M[14] }

// Right returns the entity's X axis in the world. The length of the axis is the scale along that axis.
func (l *LocalToWorldOf[T]) Right() (x, y, z T) { return l.M[0], l.M[1], l.M[2] }

// Up returns the entity's Y axis in the world. The length of the axis is the scale along that axis.
func (l *LocalToWorldOf[T]) Up() (x, y, z T) { return l.M[4], l.M[5], l.M[6] }

// Forward returns the entity's Z axis in the world. The length of the axis is the scale along that
// axis.
func (l *LocalToWorldOf[T]) Forward() (x, y, z T) { return l.M[8], l.M[9], l.M[10] }

// Point transforms the point (x, y, z) of the entity's space to the world.
func (l *LocalToWorldOf[T]) Point(x, y, z T) (wx, wy, wz T) {
	wx, wy, wz = transformDirection(&l.M, x, y, z)
	return wx + l.M[12], wy + l.M[13], wz + l.M[14]
}

// Direction transforms the direction (x, y, z) of the entity's space to the world.
func (l *LocalToWorldOf[T]) Direction(x, y, z T) (wx, wy, wz T) {
	return transformDirection(&l.M, x, y, z)
}

// Turn transforms a rotation in the entity's space to the world: it returns
// [LocalToWorldOf.Rotation] × r.
func (l *LocalToWorldOf[T]) Turn(r RotationOf[T]) RotationOf[T] { return l.Rotation().times(r) }

// Inverse returns the inverse matrix. The methods Point and Direction of the inverse matrix
// transform points and directions of the world to the entity's space. If the matrix is singular,
// the result contains infinities and NaN.
func (l *LocalToWorldOf[T]) Inverse() LocalToWorldOf[T] { return LocalToWorldOf[T]{invert(&l.M)} }

// Decompose returns a translation, a rotation and a scale. The product of the three is the matrix,
// unless the matrix has a shear. If the matrix is a mirror image, the scale of the X axis is
// negative. If the matrix maps one axis to zero, the two other axes determine the rotation. If it
// maps two or three axes to zero, the rotation is the identity.
func (l *LocalToWorldOf[T]) Decompose() (TranslationOf[T], RotationOf[T], NonUniformScaleOf[T]) {
	x, y, z := length(l.Right()), length(l.Up()), length(l.Forward())
	even := *l
	if determinant(&l.M) < 0 {
		x = -x
		even.M[0], even.M[1], even.M[2] = -even.M[0], -even.M[1], -even.M[2]
	}
	return TranslationOf[T]{l.M[12], l.M[13], l.M[14]}, even.Rotation(), NonUniformScaleOf[T]{x, y, z}
}

// Rotation returns the rotation of the entity in the world, without its scale. If the matrix
// maps one axis to zero, the two other axes determine the rotation. If it maps two or three axes to
// zero, the rotation is the identity. If the matrix has a shear or is a mirror image, the result is
// not useful, because no rotation equals such a matrix.
func (l *LocalToWorldOf[T]) Rotation() RotationOf[T] {
	x, okX := normalize(l.Right())
	y, okY := normalize(l.Up())
	z, okZ := normalize(l.Forward())
	switch {
	case okX && okY && okZ:
	case !okX && okY && okZ && length(l.Right()) == 0:
		x, okX = normalize(cross(y[0], y[1], y[2], z[0], z[1], z[2]))
	case okX && !okY && okZ && length(l.Up()) == 0:
		y, okY = normalize(cross(z[0], z[1], z[2], x[0], x[1], x[2]))
	case okX && okY && !okZ && length(l.Forward()) == 0:
		z, okZ = normalize(cross(x[0], x[1], x[2], y[0], y[1], y[2]))
	}
	if !okX || !okY || !okZ {
		return RotationOf[T]{W: 1}
	}
	// This is Shepperd's method: it begins with the largest of the four squared quaternion components.
	trace := x[0] + y[1] + z[2]
	var q [4]float64
	switch {
	case trace >= max(x[0], y[1], z[2]):
		q = [4]float64{y[2] - z[1], z[0] - x[2], x[1] - y[0], 1 + trace}
	case x[0] >= max(y[1], z[2]):
		q = [4]float64{1 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2], y[2] - z[1]}
	case y[1] >= z[2]:
		q = [4]float64{x[1] + y[0], 1 + y[1] - x[0] - z[2], y[2] + z[1], z[0] - x[2]}
	default:
		q = [4]float64{z[0] + x[2], y[2] + z[1], 1 + z[2] - x[0] - y[1], x[1] - y[0]}
	}
	s := 1 / math.Sqrt((float64(q[0]*q[0])+float64(q[1]*q[1]))+(float64(q[2]*q[2])+float64(q[3]*q[3])))
	return RotationOf[T]{T(q[0] * s), T(q[1] * s), T(q[2] * s), T(q[3] * s)}
}

// normalize returns the vector scaled to length 1. The result ok is false if the length of the
// vector is 0.
func normalize[T kernels.Float](vx, vy, vz T) (u [3]float64, ok bool) {
	x, y, z := float64(vx), float64(vy), float64(vz)
	n := math.Sqrt((float64(x*x) + float64(y*y)) + float64(z*z))
	if !(n > 0) || math.IsInf(n, 0) {
		return u, false
	}
	return [3]float64{x / n, y / n, z / n}, true
}

// length returns the length of a vector.
func length[T kernels.Float](x, y, z T) T {
	a, b, c := float64(x), float64(y), float64(z)
	return T(math.Sqrt((float64(a*a) + float64(b*b)) + float64(c*c)))
}

// transformDirection returns the matrix × the direction (x, y, z).
func transformDirection[T kernels.Float](m *[16]T, x, y, z T) (tx, ty, tz T) {
	tx = (T(m[0]*x) + T(m[4]*y)) + T(m[8]*z)
	ty = (T(m[1]*x) + T(m[5]*y)) + T(m[9]*z)
	tz = (T(m[2]*x) + T(m[6]*y)) + T(m[10]*z)
	return tx, ty, tz
}

// The following functions compute a single matrix in the same way as kernels compute columns.
// These functions exist because calling a kernel for one row would cost more than the computation.
// TestOneRow checks that both compute the same bits.

// multiply sets o = p × l for affine matrices, as kernels.Mat4s.MulAffine does; o may be p or l.
func multiply[T kernels.Float](o, p, l *[16]T) {
	a := *p
	for j := 0; j < 16; j += 4 {
		x, y, z := l[j], l[j+1], l[j+2]
		for k := range 4 {
			v := (T(a[k]*x) + T(a[4+k]*y)) + T(a[8+k]*z)
			if j == 12 {
				v += a[12+k]
			}
			o[j+k] = v
		}
	}
}

// rotationMatrix returns the matrix of a unit quaternion, as kernels.Mat4s.FromQuats does.
func rotationMatrix[T kernels.Float](x, y, z, w T) [16]T {
	x2, y2, z2 := x+x, y+y, z+z
	xx, xy, xz := T(x*x2), T(x*y2), T(x*z2)
	yy, yz, zz := T(y*y2), T(y*z2), T(z*z2)
	wx, wy, wz := T(w*x2), T(w*y2), T(w*z2)
	return [16]T{
		1 - (yy + zz), xy + wz, xz - wy, 0,
		xy - wz, 1 - (xx + zz), yz + wx, 0,
		xz + wy, yz - wx, 1 - (xx + yy), 0,
		0, 0, 0, 1,
	}
}

// determinant returns the determinant, the factor by which the matrix scales volumes.
func determinant[T kernels.Float](a *[16]T) T {
	x, y, z := cross(a[4], a[5], a[6], a[8], a[9], a[10])
	return (T(a[0]*x) + T(a[1]*y)) + T(a[2]*z)
}

// invert returns the inverse of an affine matrix by Cramer's rule, as kernels.Mat4s.Inverse does:
// the rows of the inverse are the cross products of the columns, divided by the determinant.
func invert[T kernels.Float](a *[16]T) [16]T {
	ax, ay, az := cross(a[4], a[5], a[6], a[8], a[9], a[10])
	bx, by, bz := cross(a[8], a[9], a[10], a[0], a[1], a[2])
	cx, cy, cz := cross(a[0], a[1], a[2], a[4], a[5], a[6])
	d := 1 / ((T(a[0]*ax) + T(a[1]*ay)) + T(a[2]*az))
	m := [16]T{
		T(ax * d), T(bx * d), T(cx * d), 0,
		T(ay * d), T(by * d), T(cy * d), 0,
		T(az * d), T(bz * d), T(cz * d), 0,
		15: 1,
	}
	x, y, z := transformDirection(&m, a[12], a[13], a[14])
	m[12], m[13], m[14] = -x, -y, -z
	return m
}

// cross returns a × b.
func cross[T kernels.Float](ax, ay, az, bx, by, bz T) (x, y, z T) {
	return T(ay*bz) - T(az*by), T(az*bx) - T(ax*bz), T(ax*by) - T(ay*bx)
}

// times returns r × o, which rotates by o first and then by r.
func (r RotationOf[T]) times(o RotationOf[T]) RotationOf[T] {
	return RotationOf[T]{
		(T(r.W*o.X) + T(r.X*o.W)) + (T(r.Y*o.Z) - T(r.Z*o.Y)),
		(T(r.W*o.Y) + T(r.Y*o.W)) + (T(r.Z*o.X) - T(r.X*o.Z)),
		(T(r.W*o.Z) + T(r.Z*o.W)) + (T(r.X*o.Y) - T(r.Y*o.X)),
		(T(r.W*o.W) - T(r.X*o.X)) - (T(r.Y*o.Y) + T(r.Z*o.Z)),
	}
}
