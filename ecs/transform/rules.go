package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// The rules are terms of the systems' queries. The package also matches them with single entities.

// unclaimedTerms returns the terms for entities whose LocalToWorld is not claimed by a component of
// another package.
func unclaimedTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Optional(trsTerms[T]()...),
		ecs.Optional(ecs.Read[LocalTransformOf[T]](), ecs.Read[PostTransformMatrixOf[T]]()),
		presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// composedTerms returns the terms for entities whose LocalToWorld [TRSToLocalToWorldOf] computes.
// localComposedTerms does the same for LocalToParent and [TRSToLocalToParentOf].
func composedTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.AnyOf(trsTerms[T]()...), ecs.Without[Parent](), ecs.Without[LocalToParentOf[T]](),
		ecs.FilterWriteGroup(),
	}
}

func localComposedTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{ecs.Write[LocalToParentOf[T]](), ecs.AnyOf(trsTerms[T]()...), ecs.FilterWriteGroup()}
}

// trsTerms returns the terms of the components from which a matrix is composed.
func trsTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Read[TranslationOf[T]](), ecs.Read[RotationOf[T]](), ecs.Read[NonUniformScaleOf[T]](), ecs.Read[ScaleOf[T]](),
	}
}

// localRootTerms returns the terms of the entities whose matrices [LocalTransformToWorldOf] computes.
func localRootTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()),
		ecs.Without[Parent](), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// inheritedTerms returns the terms for nodes whose matrices [HierarchyOf] computes from LocalToParent.
// localNodeTerms does the same for LocalTransform.
func inheritedTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalToParentOf[T]](), ecs.With[Parent](), ecs.FilterWriteGroup(),
	}
}

func localNodeTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// presentOrNot names a component, so that the filter of write groups accepts entities with it, but does
// not read the component. A term that reads it would also admit entities that have only its parts.
func presentOrNot[C any]() ecs.Term {
	return ecs.AnyOf(ecs.AllOf(ecs.Present[C]()), ecs.AllOf(ecs.Absent[C]()))
}

// entityReader reads components of an entity until an error occurs.
type entityReader struct {
	world  *ecs.World
	entity ecs.Entity
	probes *probes // probes that several readers share; if nil, the reader creates its own
	err    error
}

// probes contains a probe for each rule, for one width. A probe checks whether an entity of a world
// matches the rule.
type probes [ruleCount]*ecs.Probe

// rule is an index of probes.
type rule int

const (
	unclaimedRule rule = iota
	composedRule
	inheritedRule
	localRootRule
	localNodeRule
	localComposedRule
	ruleCount
)

// matches reports whether a query with these terms would match the entity. It ignores whether the
// entity is hidden. It uses a probe and not a query, because a world keeps its queries
// permanently, but does not keep its probes.
func (r *entityReader) matches(q rule, terms func() []ecs.Term) bool {
	if r.probes == nil {
		r.probes = new(probes)
	}
	if r.probes[q] == nil {
		r.probes[q] = ecs.NewProbe(r.world, append(terms(), ecs.IncludeHidden())...)
	}
	return r.probes[q].Matches(r.entity)
}

// readComponent returns the component of the entity, if the entity has it.
func readComponent[C any](r *entityReader) (v C, ok bool) {
	if r.err != nil || !ecs.Has[C](r.world, r.entity) {
		return v, false
	}
	v, r.err = ecs.Get[C](r.world, r.entity)
	return v, r.err == nil
}

// isComputed reports whether a system of this package computes the matrix of the entity,
// if the world has that system.
func isComputed[T kernels.Float](r *entityReader) bool {
	return r.matches(composedRule, composedTerms[T]) || r.matches(inheritedRule, inheritedTerms[T]) || r.matches(localRootRule, localRootTerms[T]) || r.matches(localNodeRule, localNodeTerms[T])
}

// isListed reports whether a child is in the list of its parent, or will be.
func isListed(r *entityReader) bool {
	return ecs.Has[PreviousParent](r.world, r.entity) ||
		ecs.Has[LocalToParent](r.world, r.entity) || ecs.Has[LocalToParent64](r.world, r.entity) ||
		ecs.Has[LocalTransform](r.world, r.entity) || ecs.Has[LocalTransform64](r.world, r.entity)
}
