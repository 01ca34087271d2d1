package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// The rules are terms of the systems' queries. They are also matched with single entities.

// unclaimed returns the terms of the entities whose LocalToWorld no component of another package
// claims.
func unclaimed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Optional(trs[T]()...),
		ecs.Optional(ecs.Read[LocalTransformOf[T]](), ecs.Read[PostTransformMatrixOf[T]]()),
		presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// composed and localComposed return the terms of the entities whose LocalToWorld and LocalToParent
// [TRSToLocalToWorldOf] and [TRSToLocalToParentOf] compute.
func composed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.AnyOf(trs[T]()...), ecs.Without[Parent](), ecs.Without[LocalToParentOf[T]](),
		ecs.FilterWriteGroup(),
	}
}

func localComposed[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[LocalToParentOf[T]](), ecs.AnyOf(trs[T]()...), ecs.FilterWriteGroup()}
}

// trs returns the parts of a matrix.
func trs[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[TranslationOf[T]](), ecs.Read[RotationOf[T]](), ecs.Read[NonUniformScaleOf[T]](), ecs.Read[ScaleOf[T]](),
	}
}

// localRoots returns the terms of the entities whose matrices [LocalTransformToWorldOf] computes.
func localRoots[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()),
		ecs.Without[Parent](), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// inherited and localNodes return the terms of the nodes whose matrices [HierarchyOf] computes from
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

// presentOrNot names a component for the filter of write groups without reading it, because
// reading it would admit its parts too.
func presentOrNot[C any]() ecs.Term {
	return ecs.AnyOf(ecs.AllOf(ecs.Present[C]()), ecs.AllOf(ecs.Absent[C]()))
}

// reader reads components of an entity until the first error.
type reader struct {
	w      *ecs.World
	e      ecs.Entity
	probes *probes // shared by the readers of many entities; if nil the reader makes its own
	err    error
}

// probes match entities of a world with rules, for numbers of one width.
type probes [rules]*ecs.Probe

// rule is an index of probes.
type rule int

const (
	isUnclaimed rule = iota
	isComposed
	isInherited
	isLocalRoot
	isLocalNode
	isLocallyComposed
	rules
)

// matches reports whether a query with these terms matches the entity, even if the entity is
// hidden. It uses a probe, because a world keeps its queries permanently, but not its probes.
func (r *reader) matches(q rule, terms func() []ecs.Term) bool {
	if r.probes == nil {
		r.probes = new(probes)
	}
	if r.probes[q] == nil {
		r.probes[q] = ecs.NewProbe(r.w, append(terms(), ecs.IncludeHidden())...)
	}
	return r.probes[q].Matches(r.e)
}

// readComponent returns the component of the entity, if it has it.
func readComponent[C any](r *reader) (v C, ok bool) {
	if r.err != nil || !ecs.Has[C](r.w, r.e) {
		return v, false
	}
	v, r.err = ecs.Get[C](r.w, r.e)
	return v, r.err == nil
}

// isComputed reports whether a system of this package computes the matrix of the entity,
// if the world has that system.
func isComputed[T kernels.Float](r *reader) bool {
	return r.matches(isComposed, composed[T]) || r.matches(isInherited, inherited[T]) || r.matches(isLocalRoot, localRoots[T]) || r.matches(isLocalNode, localNodes[T])
}

// isListed reports whether a child is in the list of its parent, or will be.
func isListed(r *reader) bool {
	return ecs.Has[PreviousParent](r.w, r.e) ||
		ecs.Has[LocalToParent](r.w, r.e) || ecs.Has[LocalToParent64](r.w, r.e) ||
		ecs.Has[LocalTransform](r.w, r.e) || ecs.Has[LocalTransform64](r.w, r.e)
}
