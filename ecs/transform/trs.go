package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// TRSToLocalToWorldOf sets LocalToWorld = translation × rotation × scale for
// entities without a parent, in parallel. What an entity lacks of these counts
// as none; one that lacks all keeps its matrix. Chunks in which nothing of this
// changed, and no row came or went, since the last update are left alone.
type TRSToLocalToWorldOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	moved     *ecs.Query
	parts     partsKnown[T]
	streaming streaming[T]
}

// Create makes the query.
func (s *TRSToLocalToWorldOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(append(composed[T](), ecs.ChangedAny(trs[T]()...), ecs.OrderChanged())...)
	return nil
}

// Update schedules the work.
func (s *TRSToLocalToWorldOf[T]) Update(f *system.Frame) error {
	s.streaming.begin()
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *TRSToLocalToWorldOf[T]) Chunk(c *ecs.Chunk) {
	has := s.parts.of(c)
	s.streaming.count(c)
	m := ecs.Column[LocalToWorldOf[T]](c)
	saved := save(c, m.M)
	compose(m, inputs{chunk: c}, has, s.streaming.now && has&leads == 0)
	restore(c, m.M, saved)
}

// TRSToLocalToParentOf sets LocalToParent = translation × rotation × scale for
// the entities that have it, as [TRSToLocalToWorldOf] does for the others.
type TRSToLocalToParentOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[TRSToLocalToWorldOf[T]]
	_ system.MatchingOnly

	moved *ecs.Query
	parts partsKnown[T]
}

// Create makes the query.
func (s *TRSToLocalToParentOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(append(localComposed[T](), ecs.ChangedAny(trs[T]()...), ecs.OrderChanged())...)
	return nil
}

// Update schedules the work.
func (s *TRSToLocalToParentOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *TRSToLocalToParentOf[T]) Chunk(c *ecs.Chunk) {
	m := ecs.Column[LocalToParentOf[T]](c)
	saved := save(c, m.M)
	compose(m, inputs{chunk: c}, s.parts.of(c), false)
	restore(c, m.M, saved)
}
