package transform

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// lacking says why no system makes the matrix of an entity that has LocalToWorld.
func lacking[T kernels.Float](r *reader) string {
	width, part := width[T](), partOf[T](r)
	switch {
	case ecs.HasComponent[LocalTransformOf[T]](r.w, r.e):
		return "LocalTransform" + width + " and " + part + width + ": one of them must go"
	case ecs.HasComponent[PostTransformMatrixOf[T]](r.w, r.e):
		return "PostTransformMatrix" + width + ", but no LocalTransform" + width
	case part == "":
		return "no Translation, Rotation, Scale or LocalTransform, and its LocalToWorld is all zeros"
	case ecs.HasComponent[Parent](r.w, r.e):
		return part + width + " and Parent, but no LocalToParent" + width
	}
	return "LocalToParent" + width + ", but no Parent"
}

// width is what the names of components of this width end in.
func width[T kernels.Float]() string {
	if reflect.TypeFor[T]().Kind() == reflect.Float64 {
		return "64"
	}
	return ""
}

// partOf names a component of the entity that a matrix can be composed of.
func partOf[T kernels.Float](r *reader) string {
	switch {
	case ecs.HasComponent[TranslationOf[T]](r.w, r.e):
		return "Translation"
	case ecs.HasComponent[RotationOf[T]](r.w, r.e):
		return "Rotation"
	case ecs.HasComponent[ScaleOf[T]](r.w, r.e):
		return "Scale"
	case ecs.HasComponent[NonUniformScaleOf[T]](r.w, r.e):
		return "NonUniformScale"
	}
	return ""
}
