package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Group contains the systems of this package. Group runs in Simulation after all systems that no
// attribute orders, whatever their names are. Therefore a system that moves entities runs before it
// without an attribute. A system that reads LocalToWorld must be in LateSimulation or Presentation,
// or must have an attribute that puts it after the group:
//
//	_ system.After[transform.Group]
type Group struct {
	system.Group
	_ system.In[system.Simulation]
	_ driver.Late
}

// systems is the plugin of this package. If a program imports the package, every default world has
// its systems. The systems update only if the world contains entities for them.
var systems = &system.Plugin{
	Name:   "transform",
	Types:  append(append([]*system.Type{system.Of[Group](), system.Of[Parents]()}, systemsOf[float32]()...), systemsOf[float64]()...),
	Advise: advise,
}

// Register the components, so that a program that imports this package can read scenes and
// snapshots with them.
func init() {
	systems.Register()
	ecs.RegisterComponent[Parent]()
	ecs.RegisterComponent[PreviousParent]()
	ecs.RegisterComponent[Children]()
	registerWidth[float32]()
	registerWidth[float64]()
}

// registerWidth registers the components of one width.
func registerWidth[T kernels.Float]() {
	ecs.RegisterComponent[TranslationOf[T]]()
	ecs.RegisterComponent[RotationOf[T]]()
	ecs.RegisterComponent[ScaleOf[T]]()
	ecs.RegisterComponent[NonUniformScaleOf[T]]()
	ecs.RegisterComponent[LocalTransformOf[T]]()
	ecs.RegisterComponent[PostTransformMatrixOf[T]]()
	ecs.RegisterComponent[LocalToWorldOf[T]]()
	ecs.RegisterComponent[LocalToParentOf[T]]()
}

// Systems returns the plugin with the systems of this package. The plugin is registered, so default
// worlds have it. To add it to a world with system.Only, use system.WithPlugins:
//
//	w, err := system.NewWorld("test", system.Only(system.Of[Turn]()), system.WithPlugins(transform.Systems()))
func Systems() *system.Plugin { return systems }

// systemsOf returns the systems for float32 or for float64.
func systemsOf[T kernels.Float]() []*system.Type {
	return []*system.Type{
		system.Of[TRSToLocalToWorldOf[T]](),
		system.Of[LocalTransformToWorldOf[T]](),
		system.Of[TRSToLocalToParentOf[T]](),
		system.Of[HierarchyOf[T]](),
	}
}
