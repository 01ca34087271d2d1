package transform

import "github.com/lanewise/lanewise/kernels"

// CompositeScaleOf is a scale about a pivot. Where it is there, Scale and
// NonUniformScale count through it:
//
//	CompositeScale = ScalePivotTranslation × ScalePivot × scale × ScalePivot⁻¹
//
// An entity that has none of these four keeps the matrix it was given.
type CompositeScaleOf[T kernels.Float] struct{ M [16]T }

// ScalePivotOf is the point that stays where it is when the entity grows.
type ScalePivotOf[T kernels.Float] struct{ X, Y, Z T }

// ScalePivotTranslationOf moves the entity after it was scaled about its pivot.
type ScalePivotTranslationOf[T kernels.Float] struct{ X, Y, Z T }

// CompositeRotationOf is a turn about a pivot. Where it is there, Rotation counts
// through it:
//
//	CompositeRotation = RotationPivotTranslation × RotationPivot × Rotation × PostRotation × RotationPivot⁻¹
//
// An entity that has none of these four keeps the matrix it was given.
type CompositeRotationOf[T kernels.Float] struct{ M [16]T }

// PostRotationOf is a turn that comes before Rotation: a unit quaternion.
type PostRotationOf[T kernels.Float] struct{ X, Y, Z, W T }

// RotationPivotOf is the point that stays where it is when the entity turns.
type RotationPivotOf[T kernels.Float] struct{ X, Y, Z T }

// RotationPivotTranslationOf moves the entity after it was turned about its pivot.
type RotationPivotTranslationOf[T kernels.Float] struct{ X, Y, Z T }

// The components in float32.
type (
	CompositeScale           = CompositeScaleOf[float32]
	ScalePivot               = ScalePivotOf[float32]
	ScalePivotTranslation    = ScalePivotTranslationOf[float32]
	CompositeRotation        = CompositeRotationOf[float32]
	PostRotation             = PostRotationOf[float32]
	RotationPivot            = RotationPivotOf[float32]
	RotationPivotTranslation = RotationPivotTranslationOf[float32]
)

// Column shows a column of matrices.
func (CompositeScaleOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Column shows a column of points as three lanes.
func (ScalePivotOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of translations as three lanes.
func (ScalePivotTranslationOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of matrices.
func (CompositeRotationOf[T]) Column() (c kernels.Mat4s[T]) { return }

// Column shows a column of rotations as four lanes.
func (PostRotationOf[T]) Column() (c kernels.Quats[T]) { return }

// Column shows a column of points as three lanes.
func (RotationPivotOf[T]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of translations as three lanes.
func (RotationPivotTranslationOf[T]) Column() (c kernels.Vec3s[T]) { return }

// ParentScaleInverseOf keeps the parent's scale from an entity that has it: the
// matrix undoes it, between the entity's translation and its rotation. The system
// of this package computes it from the Scale, NonUniformScale or CompositeScale
// of the parent; the scales of the parent's own parents stay.
type ParentScaleInverseOf[T kernels.Float] struct{ M [16]T }

// The component in both widths.
type (
	ParentScaleInverse = ParentScaleInverseOf[float32]
)

// Column shows a column of matrices.
func (ParentScaleInverseOf[T]) Column() (c kernels.Mat4s[T]) { return }
