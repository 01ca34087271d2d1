package transform

import (
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// systems is the set of this package. A program that imports it has these in every
// default world. They update only where there are entities for them.
var systems = &system.Set{
	Name:   "transform",
	Types:  append(append([]*system.Type{system.Of[Group](), system.Of[Parents]()}, systemsOf[float32]()...), systemsOf[float64]()...),
	Advise: advise,
}

func init() { systems.Register() }

// Systems returns the set of the systems of this package. It is registered; a world
// of systems that system.Only names has it by system.With:
//
//	w, err := system.NewWorld("test", system.Only(system.Of[Turn]()), system.With(transform.Systems()))
func Systems() *system.Set { return systems }

func systemsOf[T kernels.Float]() []*system.Type {
	return []*system.Type{
		system.Of[CompositeScaleSystemOf[T]](),
		system.Of[RotationEulerSystemOf[T]](),
		system.Of[PostRotationEulerSystemOf[T]](),
		system.Of[CompositeRotationSystemOf[T]](),
		system.Of[TRSToLocalToWorldOf[T]](),
		system.Of[LocalTransformToWorldOf[T]](),
		system.Of[ParentScaleInverseSystemOf[T]](),
		system.Of[TRSToLocalToParentOf[T]](),
		system.Of[HierarchyOf[T]](),
		system.Of[WorldToLocalSystemOf[T]](),
	}
}
