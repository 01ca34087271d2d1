package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// ParentScaleInverseSystemOf computes ParentScaleInverse. A chunk is marked as
// changed only if one of its matrices is another than before.
type ParentScaleInverseSystemOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.After[CompositeScaleSystemOf[T]]
	_ system.After[CompositeRotationSystemOf[T]]
	_ system.MatchingOnly

	nodes   *ecs.Query
	moved   *ecs.Query // nodes that are new, or have another parent
	parents *ecs.Query // that are new, or are scaled in another way

	scales parentScales[T]
}

// Create makes the queries.
func (s *ParentScaleInverseSystemOf[T]) Create(u *system.Setup) error {
	scales := []ecs.Term{ecs.Read[ScaleOf[T]](), ecs.Read[NonUniformScaleOf[T]](), ecs.Read[CompositeScaleOf[T]]()}
	s.nodes = u.Query(append(undone[T](), ecs.Anywhere(scales...))...)
	s.moved = u.Query(ecs.With[ParentScaleInverseOf[T]](), ecs.With[Parent](), ecs.Changed[Parent](), ecs.OrderChanged())
	// Those too that queries do not match: the look-ups read them all the same.
	s.parents = u.Query(ecs.With[Children](), ecs.ChangedAny(scales...), ecs.OrderChanged(), ecs.IncludeHidden())
	s.scales = parentScales[T]{
		even:   ecs.NewLookup[ScaleOf[T]](s.nodes),
		uneven: ecs.NewLookup[NonUniformScaleOf[T]](s.nodes),
		whole:  ecs.NewLookup[CompositeScaleOf[T]](s.nodes),
	}
	return nil
}

// Update schedules the work, unless there is none for sure.
func (s *ParentScaleInverseSystemOf[T]) Update(f *system.Frame) error {
	if s.nodes.EmptyUnfiltered() || plumbing.Quiet(s.moved) && plumbing.Quiet(s.parents) {
		return nil
	}
	f.ParallelFor(s.nodes, s)
	return nil
}

// Chunk computes the matrices of one chunk.
func (s *ParentScaleInverseSystemOf[T]) Chunk(c *ecs.Chunk) {
	m, written := ecs.Peek[ParentScaleInverseOf[T]](c).M, false
	for i, p := range *ecs.Column[Parent](c) {
		inverse := s.scales.inverse(p)
		if m[i] == inverse {
			continue
		}
		if !written {
			m, written = ecs.Column[ParentScaleInverseOf[T]](c).M, true
		}
		m[i] = inverse
	}
}

// parentScales are where the scales of parents are found: look-ups, for the system, or the
// parent of one entity, for [ComputeLocalToWorld].
type parentScales[T kernels.Float] struct {
	even   finder[ScaleOf[T]]
	uneven finder[NonUniformScaleOf[T]]
	whole  finder[CompositeScaleOf[T]]
}

// finder finds the component of an entity, if it has it.
type finder[C any] interface{ Find(e ecs.Entity) (C, bool) }

// inverse returns the matrix that undoes the scale of an entity.
func (s *parentScales[T]) inverse(p ecs.Entity) [16]T {
	if v, ok := s.whole.Find(p); ok {
		return inverted(&v.M)
	}
	if v, ok := s.uneven.Find(p); ok {
		return [16]T{0: 1 / v.X, 5: 1 / v.Y, 10: 1 / v.Z, 15: 1}
	}
	if v, ok := s.even.Find(p); ok {
		one := 1 / v.Value
		return [16]T{0: one, 5: one, 10: one, 15: 1}
	}
	return IdentityMatrix[T]()
}
