package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// TranslationOf is the position of an entity in metres. The position is relative to the parent, or to
// the world if there is no parent.
type TranslationOf[T kernels.Float] struct{ X, Y, Z T }

// RotationOf is the rotation of an entity as a unit quaternion. The value [Identity] means no
// rotation.
type RotationOf[T kernels.Float] struct{ X, Y, Z, W T }

// ScaleOf is the factor by which an entity is scaled along all of its axes.
type ScaleOf[T kernels.Float] struct{ Value T }

// NonUniformScaleOf holds a factor for each axis by which an entity is scaled. If an entity has a
// NonUniformScaleOf, the systems ignore its ScaleOf.
type NonUniformScaleOf[T kernels.Float] struct{ X, Y, Z T }

// LocalToWorldOf is the matrix from the entity's space to the world, in column-major order: world =
// LocalToWorld × local. The systems of [Group] compute it from the other components of the entity
// and its parents. If the entity has none of these components, its matrix stays as the program has
// set it.
type LocalToWorldOf[T kernels.Float] struct{ M [16]T }

// LocalToParentOf is the matrix from the entity's space to the space of its parent. The systems of
// [Group] compute it from translation, rotation and scale, if the entity has one of these.
type LocalToParentOf[T kernels.Float] struct{ M [16]T }

// These are the components for float32.
type (
	Translation     = TranslationOf[float32]
	Rotation        = RotationOf[float32]
	Scale           = ScaleOf[float32]
	NonUniformScale = NonUniformScaleOf[float32]
	LocalToWorld    = LocalToWorldOf[float32]
	LocalToParent   = LocalToParentOf[float32]
)

// These are the float64 components that an entity in a hierarchy needs. The other float64
// components have only generic names, for example NonUniformScaleOf[float64].
type (
	Translation64   = TranslationOf[float64]
	Rotation64      = RotationOf[float64]
	Scale64         = ScaleOf[float64]
	LocalToWorld64  = LocalToWorldOf[float64]
	LocalToParent64 = LocalToParentOf[float64]
)

// These are rotations by zero.
var (
	Identity   = Rotation{W: 1}
	Identity64 = Rotation64{W: 1}
)

// IdentityMatrix returns the identity matrix.
func IdentityMatrix[T kernels.Float]() [16]T {
	return [16]T{0: 1, 5: 1, 10: 1, 15: 1}
}

// Column returns the lanes of a column of translations.
func (TranslationOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column returns the lanes of a column of rotations.
func (RotationOf[T]) Column() (c kernels.Quats[T]) { return }

// Column returns the lane of a column of scales.
func (ScaleOf[T]) Column() (c []T) { return }

// Column returns the lanes of a column of scales.
func (NonUniformScaleOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column returns the lanes of a column of matrices.
func (LocalToWorldOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Column returns the lanes of a column of matrices.
func (LocalToParentOf[T]) Column() (c kernels.Mat4s[T]) { return }

// A write group is declared by a component from which the systems compute another component,
// such as LocalToWorld. If a component of another package joins the write group of LocalToWorld
// or LocalToParent, the systems no longer compute that matrix for entities with the component.

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

// localMatrixTerms returns the terms of the two matrices that are computed from translation, rotation
// and scale. All of these components have these two terms as write groups.
func localMatrixTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]]()}
}

// Parent makes an entity the child of another entity. The child's translation, rotation and scale
// are then relative to the parent. A child also needs LocalToWorld, and it needs LocalToParent
// unless it has [LocalTransform]. Its parent needs LocalToWorld. A program may add, change and
// remove Parent at any time. The next update of [Parents] handles the change. If the parent does
// not exist, [Parents] removes Parent and LocalToParent. To set another parent, the program must
// add Parent and LocalToParent again. If a parent is destroyed, its children become roots. The
// translation, rotation and scale of such a child then describe its place in the world.
type Parent struct{ Entity ecs.Entity }

// Column returns the lane of a column of parents.
func (Parent) Column() (c []ecs.Entity) { return }

// PreviousParent is the parent whose list of children contains the entity. Only [Parents] may
// change it, because [Parents] relies on it. If a program removed it, the entity would be handled
// as a new child: it would join a list without leaving the old list, and so be in two lists, or
// twice in one list. To take a child from its parent, remove Parent.
type PreviousParent struct {
	ecs.Cleanup
	Entity ecs.Entity
}

// Column returns the lane of a column of previous parents.
func (PreviousParent) Column() (c []ecs.Entity) { return }

// Child is one child of an entity. A Child is an element of Children.
type Child struct {
	ecs.Cleanup
	Entity ecs.Entity
}

// InlineCapacity returns how many children are stored in the chunk, with their parent.
func (Child) InlineCapacity() int { return 8 }

// Children is the list of an entity's children, in the order in which they joined. An entity has
// the component while it has children. Only [Parents] may change it. Programs may read it. If a
// program removes the list, it is not restored: the children keep their matrices until the entity
// gets another child, which begins a new list.
type Children = ecs.Buffer[Child]
