package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// LocalTransformOf holds translation, rotation and uniform scale in one component. The translation,
// rotation and scale are relative to the parent, or to the world if there is no parent. X, Y and Z
// are the position in metres. QX, QY, QZ and QW are a unit quaternion. The zero value has scale 0,
// which shrinks the entity to a point. [At] returns a value with Scale 1 and QW 1. A LocalTransform
// replaces Translation, Rotation and Scale. If an entity has a LocalTransform and also one of these
// components, no matrix is computed for it. A child with LocalTransform needs no LocalToParent. If
// it has a LocalToParent, the systems ignore it.
type LocalTransformOf[T kernels.Float] struct{ X, Y, Z, Scale, QX, QY, QZ, QW T }

// PostTransformMatrixOf is a non-uniform scale or a shear, which LocalTransform cannot hold. A
// PostTransformMatrix is applied before LocalTransform: the local matrix is LocalTransform ×
// PostTransformMatrix.
type PostTransformMatrixOf[T kernels.Float] struct{ M [16]T }

// These are the components for both widths.
type (
	LocalTransform      = LocalTransformOf[float32]
	PostTransformMatrix = PostTransformMatrixOf[float32]
	LocalTransform64    = LocalTransformOf[float64]
)

// LocalTransforms is a column of local transforms.
type LocalTransforms[T kernels.Float] struct{ X, Y, Z, Scale, QX, QY, QZ, QW []T }

// Column returns the lanes of a column of local transforms.
func (LocalTransformOf[T]) Column() (c LocalTransforms[T]) { return }

// Column returns the lanes of a column of matrices.
func (PostTransformMatrixOf[T]) Column() (c kernels.Mat4s[T]) { return }

// WriteGroups returns the matrix that is computed from transforms.
func (LocalTransformOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// WriteGroups returns the matrix that is computed from LocalTransform and PostTransformMatrix.
func (PostTransformMatrixOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]]()}
}

// Positions returns the positions of the column, in the same memory.
func (l *LocalTransforms[T]) Positions() kernels.Vec3s[T] {
	return kernels.Vec3s[T]{X: l.X, Y: l.Y, Z: l.Z}
}

// Rotations returns the rotations of the column, in the same memory.
func (l *LocalTransforms[T]) Rotations() kernels.Quats[T] {
	return kernels.Quats[T]{X: l.QX, Y: l.QY, Z: l.QZ, W: l.QW}
}

// Slice returns the rows [lo, hi) of the column, in the same memory.
func (l *LocalTransforms[T]) Slice(lo, hi int) LocalTransforms[T] {
	return LocalTransforms[T]{
		l.X[lo:hi], l.Y[lo:hi], l.Z[lo:hi], l.Scale[lo:hi],
		l.QX[lo:hi], l.QY[lo:hi], l.QZ[lo:hi], l.QW[lo:hi],
	}
}

// composeTo sets m to the matrices of the column. If post is not nil, each matrix is multiplied by
// post.
func (l *LocalTransforms[T]) composeTo(m, post *kernels.Mat4s[T]) {
	pos, rot := l.Positions(), l.Rotations()
	m.Compose(&pos, &rot, &kernels.Vec3s[T]{X: l.Scale, Y: l.Scale, Z: l.Scale})
	if post != nil {
		m.MulAffine(m, post)
	}
}

// streamTo does the same as composeTo without post, and writes past the caches.
func (l *LocalTransforms[T]) streamTo(m *kernels.Mat4s[T]) {
	pos, rot := l.Positions(), l.Rotations()
	m.ComposeStream(&pos, &rot, &kernels.Vec3s[T]{X: l.Scale, Y: l.Scale, Z: l.Scale})
}

// At returns a local transform with the given position, no rotation and scale 1.
func At[T kernels.Float](x, y, z T) LocalTransformOf[T] {
	return LocalTransformOf[T]{X: x, Y: y, Z: z, Scale: 1, QW: 1}
}

// Rotation returns the rotation of the entity.
func (l LocalTransformOf[T]) Rotation() RotationOf[T] { return RotationOf[T]{l.QX, l.QY, l.QZ, l.QW} }

// Matrix returns translation × rotation × scale.
func (l LocalTransformOf[T]) Matrix() [16]T {
	m := rotationMatrix(l.QX, l.QY, l.QZ, l.QW)
	for column := 0; column < 12; column += 4 {
		for i := column; i < column+3; i++ { // do not scale the bottom row, because a negative scale would change its zeros to -0
			m[i] = T(m[i] * l.Scale)
		}
	}
	m[12], m[13], m[14] = l.X, l.Y, l.Z
	return m
}

// Point transforms a point from the entity's space to the space of its parent.
func (l LocalTransformOf[T]) Point(x, y, z T) (px, py, pz T) {
	px, py, pz = l.Direction(x, y, z)
	return px + l.X, py + l.Y, pz + l.Z
}

// Direction transforms a direction from the entity's space to the space of its parent.
func (l LocalTransformOf[T]) Direction(x, y, z T) (px, py, pz T) {
	m := l.Matrix()
	return transformDirection(&m, x, y, z)
}

// Turn transforms a rotation from the entity's space to the space of its parent: it returns l's
// rotation × r.
func (l LocalTransformOf[T]) Turn(r RotationOf[T]) RotationOf[T] { return l.Rotation().times(r) }

// Transform transforms a transform from the entity's space to the space of its parent: it returns l
// × o.
func (l LocalTransformOf[T]) Transform(o LocalTransformOf[T]) LocalTransformOf[T] {
	q := l.Turn(o.Rotation())
	x, y, z := l.Point(o.X, o.Y, o.Z)
	return LocalTransformOf[T]{x, y, z, T(l.Scale * o.Scale), q.X, q.Y, q.Z, q.W}
}

// Inverse returns the transform that undoes l. The scale of l must not be zero.
func (l LocalTransformOf[T]) Inverse() LocalTransformOf[T] {
	back := LocalTransformOf[T]{Scale: T(1 / l.Scale), QX: -l.QX, QY: -l.QY, QZ: -l.QZ, QW: l.QW}
	x, y, z := back.Direction(l.X, l.Y, l.Z)
	back.X, back.Y, back.Z = -x, -y, -z
	return back
}
