package transform

import (
	"github.com/lanewise/lanewise/ecs"
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

// A program that imports this package can read scenes and snapshots that have its components.
func init() {
	systems.Register()
	ecs.RegisterComponent[Parent]()
	ecs.RegisterComponent[PreviousParent]()
	ecs.RegisterComponent[Children]()
	registerOf[float32]()
	registerOf[float64]()
}

// registerOf makes the components for one kind of numbers known by their names.
func registerOf[T kernels.Float]() {
	ecs.RegisterComponent[TranslationOf[T]]()
	ecs.RegisterComponent[RotationOf[T]]()
	ecs.RegisterComponent[ScaleOf[T]]()
	ecs.RegisterComponent[NonUniformScaleOf[T]]()
	ecs.RegisterComponent[LocalTransformOf[T]]()
	ecs.RegisterComponent[PostTransformMatrixOf[T]]()
	ecs.RegisterComponent[LocalToWorldOf[T]]()
	ecs.RegisterComponent[LocalToParentOf[T]]()
}

// Systems returns the set of the systems of this package. It is registered; a world
// of systems that system.Only names has it by system.With:
//
//	w, err := system.NewWorld("test", system.Only(system.Of[Turn]()), system.With(transform.Systems()))
func Systems() *system.Set { return systems }

func systemsOf[T kernels.Float]() []*system.Type {
	return []*system.Type{
		system.Of[TRSToLocalToWorldOf[T]](),
		system.Of[LocalTransformToWorldOf[T]](),
		system.Of[TRSToLocalToParentOf[T]](),
		system.Of[HierarchyOf[T]](),
	}
}
