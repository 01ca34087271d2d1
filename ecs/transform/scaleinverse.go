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

	even   *ecs.Lookup[ScaleOf[T]]
	uneven *ecs.Lookup[NonUniformScaleOf[T]]
	whole  *ecs.Lookup[CompositeScaleOf[T]]
}

// Create makes the queries.
func (s *ParentScaleInverseSystemOf[T]) Create(u *system.Setup) error {
	scales := []ecs.Term{ecs.Read[ScaleOf[T]](), ecs.Read[NonUniformScaleOf[T]](), ecs.Read[CompositeScaleOf[T]]()}
	s.nodes = u.Query(ecs.Write[ParentScaleInverseOf[T]](), ecs.Read[Parent](), ecs.Anywhere(scales...))
	s.moved = u.Query(ecs.With[ParentScaleInverseOf[T]](), ecs.With[Parent](), ecs.Changed[Parent](), ecs.OrderChanged())
	// Those too that queries do not match: the look-ups read them all the same.
	s.parents = u.Query(ecs.With[Children](), ecs.ChangedAny(scales...), ecs.OrderChanged(), ecs.IncludeHidden())
	s.even = ecs.NewLookup[ScaleOf[T]](s.nodes)
	s.uneven = ecs.NewLookup[NonUniformScaleOf[T]](s.nodes)
	s.whole = ecs.NewLookup[CompositeScaleOf[T]](s.nodes)
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
		inverse := s.of(p)
		if m[i] == inverse {
			continue
		}
		if !written {
			m, written = ecs.Column[ParentScaleInverseOf[T]](c).M, true
		}
		m[i] = inverse
	}
}

// of returns the matrix that undoes the scale of an entity.
func (s *ParentScaleInverseSystemOf[T]) of(p ecs.Entity) [16]T {
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
