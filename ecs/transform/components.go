package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// TranslationOf is the position of an entity in metres, relative to its parent, or in the world if
// it has no parent.
type TranslationOf[T kernels.Float] struct{ X, Y, Z T }

// RotationOf is the rotation of an entity as a unit quaternion. [Identity] means no rotation.
type RotationOf[T kernels.Float] struct{ X, Y, Z, W T }

// ScaleOf is the factor by which an entity is scaled along all of its axes.
type ScaleOf[T kernels.Float] struct{ Value T }

// NonUniformScaleOf has a factor for each axis by which an entity is scaled. The systems ignore the
// ScaleOf of an entity that has a NonUniformScaleOf.
type NonUniformScaleOf[T kernels.Float] struct{ X, Y, Z T }

// LocalToWorldOf is the matrix from the entity's space to the world, column by column: world =
// LocalToWorld × local. The systems of [Group] compute it from the other components of the entity
// and its parents. If the entity has none of them, its matrix stays as the program has set it.
type LocalToWorldOf[T kernels.Float] struct{ M [16]T }

// LocalToParentOf is the matrix from the entity's space to its parent's. The systems of [Group]
// compute it from translation, rotation and scale, if the entity has one of these.
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

// The components in float64 that an entity in a hierarchy has. The others have only generic names,
// for example NonUniformScaleOf[float64].
type (
	Translation64   = TranslationOf[float64]
	Rotation64      = RotationOf[float64]
	Scale64         = ScaleOf[float64]
	LocalToWorld64  = LocalToWorldOf[float64]
	LocalToParent64 = LocalToParentOf[float64]
)

// Rotations by zero.
var (
	Identity   = Rotation{W: 1}
	Identity64 = Rotation64{W: 1}
)

// IdentityMatrix returns the identity matrix.
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
func (TranslationOf[T]) WriteGroups() []ecs.Term { return localMatrixTerms[T]() }

// WriteGroups returns the matrices that are computed from rotations.
func (RotationOf[T]) WriteGroups() []ecs.Term { return localMatrixTerms[T]() }

// WriteGroups returns the matrices that are computed from scales.
func (ScaleOf[T]) WriteGroups() []ecs.Term { return localMatrixTerms[T]() }

// WriteGroups returns the matrices that are computed from scales.
func (NonUniformScaleOf[T]) WriteGroups() []ecs.Term { return localMatrixTerms[T]() }

// WriteGroups returns the matrix that is computed from local matrices.
func (LocalToParentOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// localMatrixTerms returns the terms of both matrices that are computed from translation, rotation
// and scale. They are the write groups of these components.
func localMatrixTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]]()}
}

// Parent makes an entity the child of another: its translation, rotation and scale are then
// relative to the parent. A child also needs LocalToWorld, and LocalToParent unless it has
// [LocalTransform]; its parent needs LocalToWorld. A program may add, change and remove Parent at
// any time; [Parents] follows in its next update. If the parent does not exist, [Parents] removes
// Parent and LocalToParent; a program that sets another parent must add both again. If a parent is
// destroyed, its children become roots, at the places that their own components name.
type Parent struct{ Entity ecs.Entity }

// Column shows a column of parents as their ids.
func (Parent) Column() (c []ecs.Entity) { return }

// PreviousParent is the parent whose list of children contains the entity. It belongs to [Parents],
// which relies on it. A program must not remove it: the entity would become a new child, which
// joins a list without leaving one, so that it would be in one list twice or in two lists. To take
// a child from its parent, remove Parent.
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

// InlineCapacity returns the number of children that are stored in the chunk, next to their parent.
func (Child) InlineCapacity() int { return 8 }

// Children is the list of children of an entity, in the order in which they joined. An entity has
// the component while it has children. It belongs to [Parents]; programs may read it. If a program
// removes the list, it does not come back: the children keep their matrices until the entity gets
// another child, which begins a new list.
type Children = ecs.Buffer[Child]
