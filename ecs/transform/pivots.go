package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

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
	saved := save(c, m.M)
	composeScale(m, inputs{chunk: c})
	restore(c, m.M, saved)
}

// composeScale sets m to the composite scales of the rows.
func composeScale[T kernels.Float](m *kernels.Mat4s[T], in inputs) {
	var even kernels.Vec3s[T]
	m.Compose(nowhere[T](m.Len()), nil, scales(in, &even))
	if hasPart[ScalePivotOf[T]](in) {
		pin(m, columnOf[ScalePivotOf[T]](in))
	}
	if hasPart[ScalePivotTranslationOf[T]](in) {
		moveBy(m, columnOf[ScalePivotTranslationOf[T]](in))
	}
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
	saved := save(c, m.M)
	composeRotation(m, inputs{chunk: c})
	restore(c, m.M, saved)
}

// composeRotation sets m to the composite rotations of the rows.
func composeRotation[T kernels.Float](m *kernels.Mat4s[T], in inputs) {
	var rot *kernels.Quats[T]
	if hasPart[RotationOf[T]](in) {
		rot = columnOf[RotationOf[T]](in)
	}
	m.Compose(nowhere[T](m.Len()), rot, nil)
	if hasPart[PostRotationOf[T]](in) {
		post := columnOf[PostRotationOf[T]](in)
		for i := range m.M {
			r := rotationMatrix(post.X[i], post.Y[i], post.Z[i], post.W[i])
			multiply(&m.M[i], &m.M[i], &r)
		}
	}
	if hasPart[RotationPivotOf[T]](in) {
		pin(m, columnOf[RotationPivotOf[T]](in))
	}
	if hasPart[RotationPivotTranslationOf[T]](in) {
		moveBy(m, columnOf[RotationPivotTranslationOf[T]](in))
	}
}

// pin makes matrices that leave the origin where it is leave a pivot where it
// is: m = pivot × m × pivot⁻¹.
func pin[T kernels.Float](m *kernels.Mat4s[T], pivot *kernels.Vec3s[T]) {
	for i := range m.M {
		o, x, y, z := &m.M[i], pivot.X[i], pivot.Y[i], pivot.Z[i]
		tx, ty, tz := turned(o, x, y, z)
		o[12], o[13], o[14] = x-tx, y-ty, z-tz
	}
}
