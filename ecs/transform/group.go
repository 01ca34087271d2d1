package transform

import (
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Group holds the systems of this package, in the simulation. Whoever moves
// things runs before it, whoever looks at LocalToWorld after it:
//
//	_ system.Before[transform.Group]
type Group struct {
	system.Group
	_ system.In[system.Simulation]
}

// The systems in float32.
type (
	CompositeScaleSystem     = CompositeScaleSystemOf[float32]
	RotationEulerSystem      = RotationEulerSystemOf[float32]
	PostRotationEulerSystem  = PostRotationEulerSystemOf[float32]
	CompositeRotationSystem  = CompositeRotationSystemOf[float32]
	LocalTransformToWorld    = LocalTransformToWorldOf[float32]
	ParentScaleInverseSystem = ParentScaleInverseSystemOf[float32]
	WorldToLocalSystem       = WorldToLocalSystemOf[float32]
	TRSToLocalToWorld        = TRSToLocalToWorldOf[float32]
	TRSToLocalToParent       = TRSToLocalToParentOf[float32]
	Hierarchy                = HierarchyOf[float32]
)

// The systems in float64.
type (
	CompositeScaleSystem64     = CompositeScaleSystemOf[float64]
	RotationEulerSystem64      = RotationEulerSystemOf[float64]
	PostRotationEulerSystem64  = PostRotationEulerSystemOf[float64]
	CompositeRotationSystem64  = CompositeRotationSystemOf[float64]
	LocalTransformToWorld64    = LocalTransformToWorldOf[float64]
	ParentScaleInverseSystem64 = ParentScaleInverseSystemOf[float64]
	WorldToLocalSystem64       = WorldToLocalSystemOf[float64]
	TRSToLocalToWorld64        = TRSToLocalToWorldOf[float64]
	TRSToLocalToParent64       = TRSToLocalToParentOf[float64]
	Hierarchy64                = HierarchyOf[float64]
)

// Whoever imports the package has its systems in every default world. They
// update only where there are entities for them.
func init() {
	system.Register[Group]()
	system.Register[Parents]()
	register[float32]()
	register[float64]()
}

func register[T kernels.Float]() {
	system.Register[CompositeScaleSystemOf[T]]()
	system.Register[RotationEulerSystemOf[T]]()
	system.Register[PostRotationEulerSystemOf[T]]()
	system.Register[CompositeRotationSystemOf[T]]()
	system.Register[TRSToLocalToWorldOf[T]]()
	system.Register[LocalTransformToWorldOf[T]]()
	system.Register[ParentScaleInverseSystemOf[T]]()
	system.Register[TRSToLocalToParentOf[T]]()
	system.Register[HierarchyOf[T]]()
	system.Register[WorldToLocalSystemOf[T]]()
}
