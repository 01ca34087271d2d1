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
	var even kernels.Vec3s[T]
	m.Compose(nowhere[T](m.Len()), nil, scales(c, &even))
	if ecs.Has[ScalePivotOf[T]](c) {
		pin(m, ecs.Column[ScalePivotOf[T]](c))
	}
	if ecs.Has[ScalePivotTranslationOf[T]](c) {
		moveBy(m, ecs.Column[ScalePivotTranslationOf[T]](c))
	}
	restore(c, m.M, saved)
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
	restore(c, m.M, saved)
}

// pin makes matrices that leave the origin where it is leave a pivot where it
// is: m = pivot × m × pivot⁻¹.
func pin[T kernels.Float](m *kernels.Mat4s[T], pivot *kernels.Vec3s[T]) {
	for i := range m.M {
		pinOne(&m.M[i], pivot.X[i], pivot.Y[i], pivot.Z[i])
	}
}
