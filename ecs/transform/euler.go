package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Orders of three turns about the X, Y and Z axis: XYZ turns about X first.
type (
	XYZ struct{}
	XZY struct{}
	YXZ struct{}
	YZX struct{}
	ZXY struct{}
	ZYX struct{}
)

// EulerOrder is one of XYZ, XZY, YXZ, YZX, ZXY and ZYX.
type EulerOrder interface{ order() kernels.EulerOrder }

func (XYZ) order() kernels.EulerOrder { return kernels.XYZ }
func (XZY) order() kernels.EulerOrder { return kernels.XZY }
func (YXZ) order() kernels.EulerOrder { return kernels.YXZ }
func (YZX) order() kernels.EulerOrder { return kernels.YZX }
func (ZXY) order() kernels.EulerOrder { return kernels.ZXY }
func (ZYX) order() kernels.EulerOrder { return kernels.ZYX }

// RotationEulerOf is how an entity is turned, as three angles in radians, which
// are applied in the order O. The entity's Rotation is computed from it.
type RotationEulerOf[T kernels.Float, O EulerOrder] struct{ X, Y, Z T }

// PostRotationEulerOf is the same for the entity's PostRotation.
type PostRotationEulerOf[T kernels.Float, O EulerOrder] struct{ X, Y, Z T }

// Angles in float32.
type (
	RotationEulerXYZ = RotationEulerOf[float32, XYZ]
	RotationEulerXZY = RotationEulerOf[float32, XZY]
	RotationEulerYXZ = RotationEulerOf[float32, YXZ]
	RotationEulerYZX = RotationEulerOf[float32, YZX]
	RotationEulerZXY = RotationEulerOf[float32, ZXY]
	RotationEulerZYX = RotationEulerOf[float32, ZYX]
)

// Column shows a column of angles as three lanes.
func (RotationEulerOf[T, O]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of angles as three lanes.
func (PostRotationEulerOf[T, O]) Column() (c kernels.Vec3s[T]) { return }

// angles and postAngles are what Rotation and PostRotation are computed from.
func angles[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[RotationEulerOf[T, XYZ]](), ecs.Read[RotationEulerOf[T, XZY]](), ecs.Read[RotationEulerOf[T, YXZ]](),
		ecs.Read[RotationEulerOf[T, YZX]](), ecs.Read[RotationEulerOf[T, ZXY]](), ecs.Read[RotationEulerOf[T, ZYX]](),
	}
}

func postAngles[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[PostRotationEulerOf[T, XYZ]](), ecs.Read[PostRotationEulerOf[T, XZY]](), ecs.Read[PostRotationEulerOf[T, YXZ]](),
		ecs.Read[PostRotationEulerOf[T, YZX]](), ecs.Read[PostRotationEulerOf[T, ZXY]](), ecs.Read[PostRotationEulerOf[T, ZYX]](),
	}
}

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
	kept := spareLanes(c, q)
	_ = euler[RotationEulerOf[T, XYZ], XYZ](c, q) || euler[RotationEulerOf[T, XZY], XZY](c, q) ||
		euler[RotationEulerOf[T, YXZ], YXZ](c, q) || euler[RotationEulerOf[T, YZX], YZX](c, q) ||
		euler[RotationEulerOf[T, ZXY], ZXY](c, q) || euler[RotationEulerOf[T, ZYX], ZYX](c, q)
	putBackLanes(c, q, kept)
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
	kept := spareLanes(c, q)
	_ = euler[PostRotationEulerOf[T, XYZ], XYZ](c, q) || euler[PostRotationEulerOf[T, XZY], XZY](c, q) ||
		euler[PostRotationEulerOf[T, YXZ], YXZ](c, q) || euler[PostRotationEulerOf[T, YZX], YZX](c, q) ||
		euler[PostRotationEulerOf[T, ZXY], ZXY](c, q) || euler[PostRotationEulerOf[T, ZYX], ZYX](c, q)
	putBackLanes(c, q, kept)
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
