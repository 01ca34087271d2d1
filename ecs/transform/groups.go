package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// What takes part in making what. A component of yours that joins the write group
// of LocalToWorld, LocalToParent, Rotation, CompositeRotation and so on takes the
// entities that have it away from the systems of this package.

// matrices are the write groups of what a local matrix is made of.
func matrices[T kernels.Float](also ...ecs.Term) []ecs.Term {
	return append(also, ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]]())
}

// WriteGroups says what is made of translations.
func (TranslationOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups says what is made of rotations.
func (RotationOf[T]) WriteGroups() []ecs.Term { return matrices[T](ecs.With[CompositeRotationOf[T]]()) }

// WriteGroups says what is made of scales.
func (ScaleOf[T]) WriteGroups() []ecs.Term {
	return matrices[T](ecs.With[CompositeScaleOf[T]](), ecs.With[ParentScaleInverseOf[T]]())
}

// WriteGroups says what is made of scales.
func (NonUniformScaleOf[T]) WriteGroups() []ecs.Term {
	return matrices[T](ecs.With[CompositeScaleOf[T]](), ecs.With[ParentScaleInverseOf[T]]())
}

// WriteGroups says what is made of composite scales.
func (CompositeScaleOf[T]) WriteGroups() []ecs.Term {
	return matrices[T](ecs.With[ParentScaleInverseOf[T]]())
}

// WriteGroups says what is made of composite rotations.
func (CompositeRotationOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups says what is made of the inverse of the parent's scale.
func (ParentScaleInverseOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToParentOf[T]]()}
}

// WriteGroups says what is made of local matrices.
func (LocalToParentOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// WriteGroups says what is made of rotations.
func (PostRotationOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[CompositeRotationOf[T]]()}
}

// WriteGroups says what is made of pivots.
func (RotationPivotOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[CompositeRotationOf[T]]()}
}

// WriteGroups says what is made of pivots.
func (RotationPivotTranslationOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[CompositeRotationOf[T]]()}
}

// WriteGroups says what is made of pivots.
func (ScalePivotOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[CompositeScaleOf[T]]()} }

// WriteGroups says what is made of pivots.
func (ScalePivotTranslationOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[CompositeScaleOf[T]]()}
}

// WriteGroups says what is made of angles.
func (RotationEulerOf[T, O]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[RotationOf[T]]()} }

// WriteGroups says what is made of angles.
func (PostRotationEulerOf[T, O]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[PostRotationOf[T]]()}
}

// WriteGroups says what is made of transforms.
func (LocalTransformOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// WriteGroups says what is made of matrices that come after a transform.
func (PostTransformMatrixOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]]()}
}
