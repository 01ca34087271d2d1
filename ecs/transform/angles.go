package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// RotationEulerSystemOf sets Rotation for the entities that have angles too. Of
// several orders the first counts.
type RotationEulerSystemOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	moved *ecs.Query
}

// Create makes the query.
func (s *RotationEulerSystemOf[T]) Create(u *system.Setup) error {
	parts := angles[T]()
	s.moved = u.Query(ecs.Write[RotationOf[T]](), ecs.AnyOf(parts...),
		ecs.ChangedAny(parts...), ecs.OrderChanged(), ecs.FilterWriteGroup())
	return nil
}

// Update schedules the work.
func (s *RotationEulerSystemOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk turns the angles of one chunk into rotations.
func (s *RotationEulerSystemOf[T]) Chunk(c *ecs.Chunk) {
	q := ecs.Column[RotationOf[T]](c)
	saved := saveLanes(c, q)
	_ = euler[RotationEulerOf[T, XYZ], XYZ](c, q) || euler[RotationEulerOf[T, XZY], XZY](c, q) ||
		euler[RotationEulerOf[T, YXZ], YXZ](c, q) || euler[RotationEulerOf[T, YZX], YZX](c, q) ||
		euler[RotationEulerOf[T, ZXY], ZXY](c, q) || euler[RotationEulerOf[T, ZYX], ZYX](c, q)
	restoreLanes(c, q, saved)
}

// PostRotationEulerSystemOf sets PostRotation for the entities that have angles
// for it too. Of several orders the first counts.
type PostRotationEulerSystemOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	moved *ecs.Query
}

// Create makes the query.
func (s *PostRotationEulerSystemOf[T]) Create(u *system.Setup) error {
	parts := postAngles[T]()
	s.moved = u.Query(ecs.Write[PostRotationOf[T]](), ecs.AnyOf(parts...),
		ecs.ChangedAny(parts...), ecs.OrderChanged(), ecs.FilterWriteGroup())
	return nil
}

// Update schedules the work.
func (s *PostRotationEulerSystemOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk turns the angles of one chunk into rotations.
func (s *PostRotationEulerSystemOf[T]) Chunk(c *ecs.Chunk) {
	q := ecs.Column[PostRotationOf[T]](c)
	saved := saveLanes(c, q)
	_ = euler[PostRotationEulerOf[T, XYZ], XYZ](c, q) || euler[PostRotationEulerOf[T, XZY], XZY](c, q) ||
		euler[PostRotationEulerOf[T, YXZ], YXZ](c, q) || euler[PostRotationEulerOf[T, YZX], YZX](c, q) ||
		euler[PostRotationEulerOf[T, ZXY], ZXY](c, q) || euler[PostRotationEulerOf[T, ZYX], ZYX](c, q)
	restoreLanes(c, q, saved)
}

// euler turns angles of type E, if the chunk has them, into rotations.
func euler[E ecs.Columned[kernels.Vec3s[T]], O EulerOrder, T kernels.Float](c *ecs.Chunk, q *kernels.Quats[T]) bool {
	if !ecs.Has[E](c) {
		return false
	}
	var o O
	q.FromEuler(ecs.Column[E](c), o.order())
	return true
}
