package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// What takes part in making what. A component of yours that joins the write group
// of LocalToWorld or LocalToParent takes the entities that have it away from the
// systems of this package.

// matrices are the write groups of the parts of a local matrix.
func matrices[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]]()}
}

// WriteGroups says which components are made of translations.
func (TranslationOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups says which components are made of rotations.
func (RotationOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups says which components are made of scales.
func (ScaleOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups says which components are made of scales.
func (NonUniformScaleOf[T]) WriteGroups() []ecs.Term { return matrices[T]() }

// WriteGroups says which component is made of local matrices.
func (LocalToParentOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// WriteGroups says which component is made of transforms.
func (LocalTransformOf[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorldOf[T]]()} }

// WriteGroups says which component is made of matrices that come after a transform.
func (PostTransformMatrixOf[T]) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[LocalToWorldOf[T]]()}
}
