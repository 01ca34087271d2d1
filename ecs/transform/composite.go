package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// CompositeScaleOf is a scale about a pivot. Where it is there, Scale and
// NonUniformScale count through it:
//
//	CompositeScale = ScalePivotTranslation × ScalePivot × scale × ScalePivot⁻¹
//
// An entity that has none of these four keeps the matrix it was given.
type CompositeScaleOf[T kernels.Float] struct{ M [16]T }

// ScalePivotOf is the point that stays where it is when the entity grows.
type ScalePivotOf[T kernels.Float] struct{ X, Y, Z T }

// ScalePivotTranslationOf moves the entity after it was scaled about its pivot.
type ScalePivotTranslationOf[T kernels.Float] struct{ X, Y, Z T }

// CompositeRotationOf is a turn about a pivot. Where it is there, Rotation counts
// through it:
//
//	CompositeRotation = RotationPivotTranslation × RotationPivot × Rotation × PostRotation × RotationPivot⁻¹
//
// An entity that has none of these four keeps the matrix it was given.
type CompositeRotationOf[T kernels.Float] struct{ M [16]T }

// PostRotationOf is a turn that comes before Rotation: a unit quaternion.
type PostRotationOf[T kernels.Float] struct{ X, Y, Z, W T }

// RotationPivotOf is the point that stays where it is when the entity turns.
type RotationPivotOf[T kernels.Float] struct{ X, Y, Z T }

// RotationPivotTranslationOf moves the entity after it was turned about its pivot.
type RotationPivotTranslationOf[T kernels.Float] struct{ X, Y, Z T }

// The components in float32.
type (
	CompositeScale           = CompositeScaleOf[float32]
	ScalePivot               = ScalePivotOf[float32]
	ScalePivotTranslation    = ScalePivotTranslationOf[float32]
	CompositeRotation        = CompositeRotationOf[float32]
	PostRotation             = PostRotationOf[float32]
	RotationPivot            = RotationPivotOf[float32]
	RotationPivotTranslation = RotationPivotTranslationOf[float32]
)

// Column shows a column of matrices.
func (CompositeScaleOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Column shows a column of points as three lanes.
func (ScalePivotOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of translations as three lanes.
func (ScalePivotTranslationOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of matrices.
func (CompositeRotationOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Column shows a column of rotations as four lanes.
func (PostRotationOf[T]) Column() (c kernels.Quats[T]) { return }

// Column shows a column of points as three lanes.
func (RotationPivotOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of translations as three lanes.
func (RotationPivotTranslationOf[T]) Column() (c kernels.Vec3s[T]) { return }

// scaleParts and turnParts are what composites are made of.
func scaleParts[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[ScaleOf[T]](), ecs.Read[NonUniformScaleOf[T]](),
		ecs.Read[ScalePivotOf[T]](), ecs.Read[ScalePivotTranslationOf[T]](),
	}
}

func turnParts[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[RotationOf[T]](), ecs.Read[PostRotationOf[T]](),
		ecs.Read[RotationPivotOf[T]](), ecs.Read[RotationPivotTranslationOf[T]](),
	}
}

// pivotScales and pivotTurns are the terms of the entities whose composites the
// systems make.
func pivotScales[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[CompositeScaleOf[T]](), ecs.AnyOf(scaleParts[T]()...), ecs.FilterWriteGroup()}
}

func pivotTurns[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[CompositeRotationOf[T]](), ecs.AnyOf(turnParts[T]()...), ecs.FilterWriteGroup()}
}

// CompositeScaleSystemOf computes CompositeScale.
type CompositeScaleSystemOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	moved *ecs.Query
}

// Create makes the query.
func (s *CompositeScaleSystemOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(append(pivotScales[T](), ecs.ChangedAny(scaleParts[T]()...), ecs.OrderChanged())...)
	return nil
}

// Update schedules the work.
func (s *CompositeScaleSystemOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk computes the matrices of one chunk.
func (s *CompositeScaleSystemOf[T]) Chunk(c *ecs.Chunk) {
	m := ecs.Column[CompositeScaleOf[T]](c)
	kept := spare(c, m.M)
	var even kernels.Vec3s[T]
	m.Compose(nowhere[T](m.Len()), nil, scales(c, &even))
	if ecs.Has[ScalePivotOf[T]](c) {
		pin(m, ecs.Column[ScalePivotOf[T]](c))
	}
	if ecs.Has[ScalePivotTranslationOf[T]](c) {
		moveBy(m, ecs.Column[ScalePivotTranslationOf[T]](c))
	}
	putBack(c, m.M, kept)
}

// CompositeRotationSystemOf computes CompositeRotation.
type CompositeRotationSystemOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[RotationEulerSystemOf[T]]
	_ system.After[PostRotationEulerSystemOf[T]]
	_ system.MatchingOnly

	moved *ecs.Query
}

// Create makes the query.
func (s *CompositeRotationSystemOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(append(pivotTurns[T](), ecs.ChangedAny(turnParts[T]()...), ecs.OrderChanged())...)
	return nil
}

// Update schedules the work.
func (s *CompositeRotationSystemOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk computes the matrices of one chunk.
func (s *CompositeRotationSystemOf[T]) Chunk(c *ecs.Chunk) {
	m := ecs.Column[CompositeRotationOf[T]](c)
	kept := spare(c, m.M)
	var rot *kernels.Quats[T]
	if ecs.Has[RotationOf[T]](c) {
		rot = ecs.Column[RotationOf[T]](c)
	}
	m.Compose(nowhere[T](m.Len()), rot, nil)
	if ecs.Has[PostRotationOf[T]](c) {
		post := ecs.Column[PostRotationOf[T]](c)
		for i := range m.M {
			r := rotationMatrix(post.X[i], post.Y[i], post.Z[i], post.W[i])
			multiply(&m.M[i], &m.M[i], &r)
		}
	}
	if ecs.Has[RotationPivotOf[T]](c) {
		pin(m, ecs.Column[RotationPivotOf[T]](c))
	}
	if ecs.Has[RotationPivotTranslationOf[T]](c) {
		moveBy(m, ecs.Column[RotationPivotTranslationOf[T]](c))
	}
	putBack(c, m.M, kept)
}

// pin makes matrices that leave the origin where it is leave a pivot where it
// is: m = pivot × m × pivot⁻¹.
func pin[T kernels.Float](m *kernels.Mat4s[T], pivot *kernels.Vec3s[T]) {
	for i := range m.M {
		pinOne(&m.M[i], pivot.X[i], pivot.Y[i], pivot.Z[i])
	}
}

func pinOne[T kernels.Float](m *[16]T, x, y, z T) {
	tx, ty, tz := turned(m, x, y, z)
	m[12], m[13], m[14] = x-tx, y-ty, z-tz
}

// moveBy sets m = translation × m.
func moveBy[T kernels.Float](m *kernels.Mat4s[T], by *kernels.Vec3s[T]) {
	for i := range m.M {
		o := &m.M[i]
		o[12], o[13], o[14] = o[12]+by.X[i], o[13]+by.Y[i], o[14]+by.Z[i]
	}
}
