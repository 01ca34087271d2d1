package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// TranslationOf is the position of an entity: in metres, along the axes of its parent,
// or of the world if it has none.
type TranslationOf[T kernels.Float] struct{ X, Y, Z T }

// RotationOf is the rotation of an entity: a unit quaternion. [Identity] is none.
type RotationOf[T kernels.Float] struct{ X, Y, Z, W T }

// ScaleOf is the factor by which an entity is larger, the same along all its axes.
type ScaleOf[T kernels.Float] struct{ Value T }

// NonUniformScaleOf is the factors by which an entity is larger along its axes.
// The systems ignore the ScaleOf of an entity that has a NonUniformScaleOf.
type NonUniformScaleOf[T kernels.Float] struct{ X, Y, Z T }

// LocalToWorldOf is the matrix that takes points of the entity's space to the
// world's: column by column, world = LocalToWorld × local. The systems of
// [Group] compute it from the other components of the entity and its parents;
// an entity that has none of them keeps the one it was given.
type LocalToWorldOf[T kernels.Float] struct{ M [16]T }

// LocalToParentOf is the matrix that takes points of the entity's space to its
// parent's. The systems of [Group] compute it from translation, rotation and
// scale, if the entity has one of these.
type LocalToParentOf[T kernels.Float] struct{ M [16]T }

// The components in float32.
type (
	Translation     = TranslationOf[float32]
	Rotation        = RotationOf[float32]
	Scale           = ScaleOf[float32]
	NonUniformScale = NonUniformScaleOf[float32]
	LocalToWorld    = LocalToWorldOf[float32]
	LocalToParent   = LocalToParentOf[float32]
)

// The components in float64 that an entity in a hierarchy has. All others are written by their generic
// names: NonUniformScaleOf[float64].
type (
	Translation64   = TranslationOf[float64]
	Rotation64      = RotationOf[float64]
	Scale64         = ScaleOf[float64]
	LocalToWorld64  = LocalToWorldOf[float64]
	LocalToParent64 = LocalToParentOf[float64]
)

// Rotations by nothing.
var (
	Identity   = Rotation{W: 1}
	Identity64 = Rotation64{W: 1}
)

// IdentityMatrix returns the matrix that changes nothing.
func IdentityMatrix[T kernels.Float]() [16]T {
	return [16]T{0: 1, 5: 1, 10: 1, 15: 1}
}

// Column shows a column of translations as three lanes.
func (TranslationOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of rotations as four lanes.
func (RotationOf[T]) Column() (c kernels.Quats[T]) { return }

// Column shows a column of scales as one lane.
func (ScaleOf[T]) Column() (c []T) { return }

// Column shows a column of scales as three lanes.
func (NonUniformScaleOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of matrices.
func (LocalToWorldOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Column shows a column of matrices.
func (LocalToParentOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Write groups: the systems compute the second component from the first. A component of another
// package that joins the write group of LocalToWorld or LocalToParent takes the entities that
// have it away from the systems.

// WriteGroups returns the matrices that are computed from translations.
func (TranslationOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups returns the matrices that are computed from rotations.
func (RotationOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups returns the matrices that are computed from scales.
func (ScaleOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups returns the matrices that are computed from scales.
func (NonUniformScaleOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups returns the matrix that is computed from local matrices.
func (LocalToParentOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// matrices returns the write groups of the parts of a local matrix.
func matrices[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]]()}
}

// Parent puts an entity under another one: its translation, rotation and scale
// are then along the parent's axes. A child needs LocalToWorld as well, and
// LocalToParent, unless it has [LocalTransform]; its parent needs LocalToWorld. It
// may be set, changed and removed at will; [Parents] follows at its next update. A
// parent that does not exist is taken away, with LocalToParent: another one is then
// added with both. Destroying a parent makes its children roots, where they are by
// their own components alone.
type Parent struct{ Entity ecs.Entity }

// Column shows a column of parents as their ids.
func (Parent) Column() (c []ecs.Entity) { return }

// PreviousParent is the parent whose list of children has the entity. It
// belongs to [Parents], which relies on it. If a program removes it, the entity
// becomes a new child, which joins a list and leaves none, so that it
// is in one list twice, or in two. A child leaves its parent by way of Parent.
type PreviousParent struct {
	ecs.Cleanup
	Entity ecs.Entity
}

// Column shows a column of previous parents as their ids.
func (PreviousParent) Column() (c []ecs.Entity) { return }

// Child is one child of an entity, an element of its Children.
type Child struct {
	ecs.Cleanup
	Entity ecs.Entity
}

// InlineCapacity is the number of children that are stored beside their parent.
func (Child) InlineCapacity() int { return 8 }

// Children are the children of an entity, in the order in which they came. An entity
// has the component while it has children; programs may read it, and it belongs to [Parents].
// If a program removes the list, it does not come back: the children keep their
// matrices until the entity is given another child, which begins a new list.
type Children = ecs.Buffer[Child]
