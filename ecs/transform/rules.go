package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// unclaimed are the terms of the entities whose matrices nothing outside of this
// package makes.
func unclaimed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Optional(localParts[T]()...),
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
	return []ecs.Term{ecs.Write[LocalToParentOf[T]](), ecs.AnyOf(localParts[T]()...), ecs.FilterWriteGroup()}
}

// trs is what a matrix can be composed of.
func trs[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[TranslationOf[T]](), ecs.Read[RotationOf[T]](), ecs.Read[NonUniformScaleOf[T]](), ecs.Read[ScaleOf[T]](),
		ecs.Read[CompositeRotationOf[T]](), ecs.Read[CompositeScaleOf[T]](),
	}
}

// localParts is what a local matrix can be composed of.
func localParts[T kernels.Float]() []ecs.Term {
	return append(trs[T](), ecs.Read[ParentScaleInverseOf[T]]())
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

// scaleParts and turnParts are what composites are made of.
func scaleParts[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[ScaleOf[T]](), ecs.Read[NonUniformScaleOf[T]](),
		ecs.Read[ScalePivotOf[T]](), ecs.Read[ScalePivotTranslationOf[T]](),
	}
}

func turnParts[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[RotationOf[T]](), ecs.Read[PostRotationOf[T]](),
		ecs.Read[RotationPivotOf[T]](), ecs.Read[RotationPivotTranslationOf[T]](),
	}
}

// pivotScales and pivotTurns are the terms of the entities whose composites the
// systems make.
func pivotScales[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[CompositeScaleOf[T]](), ecs.AnyOf(scaleParts[T]()...), ecs.FilterWriteGroup()}
}

func pivotTurns[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[CompositeRotationOf[T]](), ecs.AnyOf(turnParts[T]()...), ecs.FilterWriteGroup()}
}

// angles and postAngles are what Rotation and PostRotation are computed from.
func angles[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[RotationEulerOf[T, XYZ]](), ecs.Read[RotationEulerOf[T, XZY]](), ecs.Read[RotationEulerOf[T, YXZ]](),
		ecs.Read[RotationEulerOf[T, YZX]](), ecs.Read[RotationEulerOf[T, ZXY]](), ecs.Read[RotationEulerOf[T, ZYX]](),
	}
}

func postAngles[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[PostRotationEulerOf[T, XYZ]](), ecs.Read[PostRotationEulerOf[T, XZY]](), ecs.Read[PostRotationEulerOf[T, YXZ]](),
		ecs.Read[PostRotationEulerOf[T, YZX]](), ecs.Read[PostRotationEulerOf[T, ZXY]](), ecs.Read[PostRotationEulerOf[T, ZYX]](),
	}
}

// undone are the terms of the entities whose ParentScaleInverse the system makes. It has no write
// groups: what a parent's scale is made of is no component of the child.
func undone[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[ParentScaleInverseOf[T]](), ecs.Read[Parent]()}
}

// turnedByAngles is of entities whose Rotation is made of angles.
func turnedByAngles[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.AnyOf(angles[T]()...), ecs.Write[RotationOf[T]](), ecs.FilterWriteGroup()}
}

// postTurnedByAngles is turnedByAngles for PostRotation.
func postTurnedByAngles[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.AnyOf(postAngles[T]()...), ecs.Write[PostRotationOf[T]](), ecs.FilterWriteGroup()}
}
