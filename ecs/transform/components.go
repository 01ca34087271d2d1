package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// TranslationOf is where an entity is: in metres, along the axes of its parent,
// or of the world if it has none.
type TranslationOf[T kernels.Float] struct{ X, Y, Z T }

// RotationOf is how an entity is turned: a unit quaternion. [Identity] is none.
type RotationOf[T kernels.Float] struct{ X, Y, Z, W T }

// ScaleOf is how much larger an entity is, along all its axes alike.
type ScaleOf[T kernels.Float] struct{ Value T }

// NonUniformScaleOf is how much larger an entity is along each of its axes.
// Where it is there, ScaleOf does not count.
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

// PreviousParent is the parent in whose list of children the entity stands. It
// belongs to [Parents], which believes what it says: what takes it away by hand
// makes the entity a new child, which joins a list and leaves none, so that it
// stands in one list twice, or in two. A child leaves its parent by way of Parent.
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

// InlineCapacity is how many children are stored beside their parent.
func (Child) InlineCapacity() int { return 8 }

// Children are the children of an entity, in the order in which they came. The
// component is there while there are any; it may be read, and belongs to [Parents].
// Nothing brings back a list that was taken away by hand: the children keep their
// matrices until the entity is given a child again, which begins a list of its own.
type Children = ecs.Buffer[Child]

// Rotations by nothing.
var (
	Identity   = Rotation{W: 1}
	Identity64 = Rotation64{W: 1}
)

// IdentityMatrix is the matrix that changes nothing.
func IdentityMatrix[T kernels.Float]() [16]T {
	return [16]T{0: 1, 5: 1, 10: 1, 15: 1}
}
