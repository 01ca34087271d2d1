package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// unclaimed are the terms of the entities whose matrices nothing outside of this
// package makes.
func unclaimed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Optional(trs[T]()...),
		ecs.Optional(ecs.Read[LocalTransformOf[T]](), ecs.Read[PostTransformMatrixOf[T]]()),
		presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// composed and localComposed are the terms of the entities whose matrices the two
// systems make.
func composed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.AnyOf(trs[T]()...), ecs.Without[Parent](), ecs.Without[LocalToParentOf[T]](),
		ecs.FilterWriteGroup(),
	}
}

func localComposed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[LocalToParentOf[T]](), ecs.AnyOf(trs[T]()...), ecs.FilterWriteGroup()}
}

// trs is what a matrix can be composed of.
func trs[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[TranslationOf[T]](), ecs.Read[RotationOf[T]](), ecs.Read[NonUniformScaleOf[T]](), ecs.Read[ScaleOf[T]](),
	}
}

// localRoots are the terms of the entities whose matrices the system makes.
func localRoots[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()),
		ecs.Without[Parent](), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// inherited and localNodes are the terms of the nodes whose matrices are made from
// LocalToParent and from LocalTransform.
func inherited[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalToParentOf[T]](), ecs.With[Parent](), ecs.FilterWriteGroup(),
	}
}

func localNodes[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// presentOrNot names a component for the filter of write groups without reading it,
// which would admit all that it is made of as well.
func presentOrNot[C any]() ecs.Term {
	return ecs.AnyOf(ecs.AllOf(ecs.Present[C]()), ecs.AllOf(ecs.Absent[C]()))
}
