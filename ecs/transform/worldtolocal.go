package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// WorldToLocalSystemOf sets WorldToLocal to the inverse of LocalToWorld, after
// all of these have been computed. A matrix that flattens an axis has no inverse:
// what comes out then has infinities and NaN.
type WorldToLocalSystemOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[HierarchyOf[T]]
	_ system.After[LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	moved *ecs.Query
}

// Create makes the query.
func (s *WorldToLocalSystemOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(ecs.Write[WorldToLocalOf[T]](), ecs.Read[LocalToWorldOf[T]](),
		ecs.Changed[LocalToWorldOf[T]](), ecs.OrderChanged(), ecs.FilterWriteGroup())
	return nil
}

// Update schedules the work.
func (s *WorldToLocalSystemOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk inverts the matrices of one chunk.
func (s *WorldToLocalSystemOf[T]) Chunk(c *ecs.Chunk) {
	m := ecs.Column[WorldToLocalOf[T]](c)
	saved := save(c, m.M)
	m.Inverse(ecs.Column[LocalToWorldOf[T]](c))
	restore(c, m.M, saved)
}
