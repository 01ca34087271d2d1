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
	s.moved = u.Query(append(turnedByAngles[T](), ecs.ChangedAny(angles[T]()...), ecs.OrderChanged())...)
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
	turnByAngles(q, inputs{chunk: c})
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
	s.moved = u.Query(append(postTurnedByAngles[T](), ecs.ChangedAny(postAngles[T]()...), ecs.OrderChanged())...)
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
	postTurnByAngles(q, inputs{chunk: c})
	restoreLanes(c, q, saved)
}

// turnByAngles sets q to what the angles of the rows say, of several orders the first.
func turnByAngles[T kernels.Float](q *kernels.Quats[T], in inputs) {
	_ = euler[RotationEulerOf[T, XYZ], XYZ](q, in) || euler[RotationEulerOf[T, XZY], XZY](q, in) ||
		euler[RotationEulerOf[T, YXZ], YXZ](q, in) || euler[RotationEulerOf[T, YZX], YZX](q, in) ||
		euler[RotationEulerOf[T, ZXY], ZXY](q, in) || euler[RotationEulerOf[T, ZYX], ZYX](q, in)
}

// postTurnByAngles is turnByAngles for PostRotation.
func postTurnByAngles[T kernels.Float](q *kernels.Quats[T], in inputs) {
	_ = euler[PostRotationEulerOf[T, XYZ], XYZ](q, in) || euler[PostRotationEulerOf[T, XZY], XZY](q, in) ||
		euler[PostRotationEulerOf[T, YXZ], YXZ](q, in) || euler[PostRotationEulerOf[T, YZX], YZX](q, in) ||
		euler[PostRotationEulerOf[T, ZXY], ZXY](q, in) || euler[PostRotationEulerOf[T, ZYX], ZYX](q, in)
}

// euler turns angles of type E, if the rows have them, into rotations.
func euler[E input[kernels.Vec3s[T]], O EulerOrder, T kernels.Float](q *kernels.Quats[T], in inputs) bool {
	if !hasPart[E](in) {
		return false
	}
	var o O
	q.FromEuler(columnOf[E](in), o.order())
	return true
}
