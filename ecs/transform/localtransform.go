package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// LocalTransformOf is translation, rotation and an even scale in one component:
// where an entity is in the space of its parent, or in the world if it has none.
// X, Y and Z are its position, QX to QW a unit quaternion. The zero value makes
// everything as small as a point: [At] begins with Scale 1 and QW 1. It stands in
// place of Translation, Rotation and Scale, not beside them: an entity that has
// both gets no matrix from either. A child with it needs no LocalToParent; one that
// it has all the same does not count.
type LocalTransformOf[T kernels.Float] struct{ X, Y, Z, Scale, QX, QY, QZ, QW T }

// PostTransformMatrixOf is what LocalTransform cannot say: an uneven scale, a
// shear. It is applied first: local = LocalTransform × PostTransformMatrix.
type PostTransformMatrixOf[T kernels.Float] struct{ M [16]T }

// The components in both widths.
type (
	LocalTransform      = LocalTransformOf[float32]
	PostTransformMatrix = PostTransformMatrixOf[float32]
	LocalTransform64    = LocalTransformOf[float64]
)

// LocalTransforms is a column of local transforms.
type LocalTransforms[T kernels.Float] struct{ X, Y, Z, Scale, QX, QY, QZ, QW []T }

// Column shows a column of local transforms as eight lanes.
func (LocalTransformOf[T]) Column() (c LocalTransforms[T]) { return }

// Column shows a column of matrices.
func (PostTransformMatrixOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Positions shows the positions of the column.
func (l *LocalTransforms[T]) Positions() kernels.Vec3s[T] {
	return kernels.Vec3s[T]{X: l.X, Y: l.Y, Z: l.Z}
}

// Rotations shows the rotations of the column.
func (l *LocalTransforms[T]) Rotations() kernels.Quats[T] {
	return kernels.Quats[T]{X: l.QX, Y: l.QY, Z: l.QZ, W: l.QW}
}

// Slice shows the rows [lo, hi) of the column.
func (l *LocalTransforms[T]) Slice(lo, hi int) LocalTransforms[T] {
	return LocalTransforms[T]{
		l.X[lo:hi], l.Y[lo:hi], l.Z[lo:hi], l.Scale[lo:hi],
		l.QX[lo:hi], l.QY[lo:hi], l.QZ[lo:hi], l.QW[lo:hi],
	}
}

// composeTo sets m to the matrices of the column, each × post if that is not nil.
func (l *LocalTransforms[T]) composeTo(m, post *kernels.Mat4s[T]) {
	pos, rot := l.Positions(), l.Rotations()
	m.Compose(&pos, &rot, &kernels.Vec3s[T]{X: l.Scale, Y: l.Scale, Z: l.Scale})
	if post != nil {
		m.MulAffine(m, post)
	}
}

// streamTo is composeTo past the caches, without post.
func (l *LocalTransforms[T]) streamTo(m *kernels.Mat4s[T]) {
	pos, rot := l.Positions(), l.Rotations()
	m.ComposeStream(&pos, &rot, &kernels.Vec3s[T]{X: l.Scale, Y: l.Scale, Z: l.Scale})
}

// LocalTransformToWorldOf sets LocalToWorld = LocalTransform × PostTransformMatrix
// for entities without a parent, in parallel. Chunks in which neither was written,
// and no row came or went, since the last update are left alone. An entity that has
// lost its parent stays where it is in this world until its LocalTransform, or one
// in the same chunk, is written; in another world it is where that says. Inactive
// entities and prefabs have their matrices set too, so that these are right when
// they are no longer hidden.
type LocalTransformToWorldOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	moved     *ecs.Query
	since     uint32 // the version of the last update
	stay      *staying
	streaming streaming[T]
}

// localRoots are the terms of the entities whose matrices the system makes.
func localRoots[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()),
		ecs.Without[Parent](), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// presentOrNot names a component for the filter of write groups without reading it,
// which would admit all that it is made of as well.
func presentOrNot[C any]() ecs.Term {
	return ecs.AnyOf(ecs.AllOf(ecs.Present[C]()), ecs.AllOf(ecs.Absent[C]()))
}

// Create makes the query.
func (s *LocalTransformToWorldOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(append(localRoots[T](),
		ecs.ChangedAny(ecs.With[LocalTransformOf[T]](), ecs.With[PostTransformMatrixOf[T]]()), ecs.OrderChanged(),
		ecs.IncludeHidden())...)
	s.stay = stayingIn[T](u.World())
	return nil
}

// Update schedules the work.
func (s *LocalTransformToWorldOf[T]) Update(f *system.Frame) error {
	s.since = f.Instance().LastVersion()
	s.stay.sweep()
	s.streaming.begin()
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *LocalTransformToWorldOf[T]) Chunk(c *ecs.Chunk) {
	trs, m := ecs.Column[LocalTransformOf[T]](c), ecs.Column[LocalToWorldOf[T]](c)
	var post *kernels.Mat4s[T]
	if ecs.Has[PostTransformMatrixOf[T]](c) {
		post = ecs.Column[PostTransformMatrixOf[T]](c)
	}
	kept := spare(c, m.M)
	if ecs.DidChange[LocalTransformOf[T]](c, s.since) || post != nil && ecs.DidChange[PostTransformMatrixOf[T]](c, s.since) {
		s.stay.forget(c.Entities())
		s.streaming.count(c)
		if s.streaming.now && post == nil && !ecs.Has[Children](c) {
			trs.streamTo(m)
		} else {
			trs.composeTo(m, post)
		}
	} else {
		s.composeNew(c, trs, m, post)
	}
	putBack(c, m.M, kept)
}

// composeNew composes the matrices of a chunk where rows came or went: any may be
// new here, and its matrix somebody else's.
func (s *LocalTransformToWorldOf[T]) composeNew(c *ecs.Chunk, trs *LocalTransforms[T], m, post *kernels.Mat4s[T]) {
	for lo := 0; lo < c.Len(); {
		stays, hi := s.stays(c, lo), lo+1
		for hi < c.Len() && s.stays(c, hi) == stays {
			hi++
		}
		if !stays {
			rows, of := trs.Slice(lo, hi), kernels.Mat4s[T]{M: m.M[lo:hi]}
			var with *kernels.Mat4s[T]
			if post != nil {
				with = &kernels.Mat4s[T]{M: post.M[lo:hi]}
			}
			rows.composeTo(&of, with)
		}
		lo = hi
	}
}

// stays reports whether a row keeps the matrix that it had below its parent. All
// zeros are none.
func (s *LocalTransformToWorldOf[T]) stays(c *ecs.Chunk, row int) bool {
	return (ecs.Has[PreviousParent](c) || s.stay.has(c.Entities()[row])) && ecs.Peek[LocalToWorldOf[T]](c).M[row][15] != 0
}

// At returns the local transform at a position, not turned and not scaled.
func At[T kernels.Float](x, y, z T) LocalTransformOf[T] {
	return LocalTransformOf[T]{X: x, Y: y, Z: z, Scale: 1, QW: 1}
}

// Rotation returns how the entity is turned.
func (l LocalTransformOf[T]) Rotation() RotationOf[T] { return RotationOf[T]{l.QX, l.QY, l.QZ, l.QW} }

// Matrix returns translation × rotation × scale.
func (l LocalTransformOf[T]) Matrix() [16]T {
	m := rotationMatrix(l.QX, l.QY, l.QZ, l.QW)
	for i := range 12 {
		m[i] = T(m[i] * l.Scale)
	}
	m[12], m[13], m[14] = l.X, l.Y, l.Z
	return m
}

// Point returns where a point of the entity's space is in its parent's.
func (l LocalTransformOf[T]) Point(x, y, z T) (px, py, pz T) {
	px, py, pz = l.Direction(x, y, z)
	return px + l.X, py + l.Y, pz + l.Z
}

// Direction returns what a direction of the entity's space is in its parent's.
func (l LocalTransformOf[T]) Direction(x, y, z T) (px, py, pz T) {
	m := l.Matrix()
	return turned(&m, x, y, z)
}

// Turn returns what a rotation in the entity's space is in its parent's.
func (l LocalTransformOf[T]) Turn(r RotationOf[T]) RotationOf[T] { return l.Rotation().times(r) }

// Transform returns what a transform in the entity's space is in its parent's:
// the product of both.
func (l LocalTransformOf[T]) Transform(o LocalTransformOf[T]) LocalTransformOf[T] {
	q := l.Turn(o.Rotation())
	x, y, z := l.Point(o.X, o.Y, o.Z)
	return LocalTransformOf[T]{x, y, z, l.Scale * o.Scale, q.X, q.Y, q.Z, q.W}
}

// Inverse returns the transform that undoes l. The scale of l must not be zero.
func (l LocalTransformOf[T]) Inverse() LocalTransformOf[T] {
	back := LocalTransformOf[T]{Scale: 1 / l.Scale, QX: -l.QX, QY: -l.QY, QZ: -l.QZ, QW: l.QW}
	x, y, z := back.Direction(l.X, l.Y, l.Z)
	back.X, back.Y, back.Z = -x, -y, -z
	return back
}

// times returns r × o: first o, then r.
func (r RotationOf[T]) times(o RotationOf[T]) RotationOf[T] {
	return RotationOf[T]{
		(T(r.W*o.X) + T(r.X*o.W)) + (T(r.Y*o.Z) - T(r.Z*o.Y)),
		(T(r.W*o.Y) + T(r.Y*o.W)) + (T(r.Z*o.X) - T(r.X*o.Z)),
		(T(r.W*o.Z) + T(r.Z*o.W)) + (T(r.X*o.Y) - T(r.Y*o.X)),
		(T(r.W*o.W) - T(r.X*o.X)) - (T(r.Y*o.Y) + T(r.Z*o.Z)),
	}
}
