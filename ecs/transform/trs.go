package transform

import (
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// TRSToLocalToWorldOf sets LocalToWorld to translation × rotation × scale for entities without a
// parent, in parallel. A missing component means the identity. If an entity has none of the
// components, it keeps its matrix. The system skips a chunk if no such component was written and no
// row was added or removed since the last update.
type TRSToLocalToWorldOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	changedRows *ecs.Query
	parts       partsCache[T]
	streaming   streaming[T]
}

// Create creates the query.
func (s *TRSToLocalToWorldOf[T]) Create(u *system.Setup) error {
	s.changedRows = u.Query(append(composedTerms[T](), ecs.ChangedAny(trsTerms[T]()...), ecs.OrderChanged())...)
	return nil
}

// Update schedules the work.
func (s *TRSToLocalToWorldOf[T]) Update(f *system.Frame) error {
	s.streaming.begin()
	f.ParallelFor(s.changedRows, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *TRSToLocalToWorldOf[T]) Chunk(c *ecs.Chunk) {
	has := s.parts.partsOf(c)
	s.streaming.countChunk(c)
	m := ecs.Column[LocalToWorldOf[T]](c)
	saved := saveColumn(c, m.M)
	compose(m, matrixInputs{chunk: c}, has, s.streaming.enabled && has&hasChildren == 0)
	restoreClaimed(c, m.M, saved)
}

// TRSToLocalToParentOf sets LocalToParent to translation × rotation × scale for entities with
// LocalToParent, as [TRSToLocalToWorldOf] does for LocalToWorld.
type TRSToLocalToParentOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[TRSToLocalToWorldOf[T]]
	_ system.MatchingOnly

	changedRows *ecs.Query
	parts       partsCache[T]
}

// Create creates the query.
func (s *TRSToLocalToParentOf[T]) Create(u *system.Setup) error {
	s.changedRows = u.Query(append(localComposedTerms[T](), ecs.ChangedAny(trsTerms[T]()...), ecs.OrderChanged())...)
	return nil
}

// Update schedules the work.
func (s *TRSToLocalToParentOf[T]) Update(f *system.Frame) error {
	f.ParallelFor(s.changedRows, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *TRSToLocalToParentOf[T]) Chunk(c *ecs.Chunk) {
	m := ecs.Column[LocalToParentOf[T]](c)
	saved := saveColumn(c, m.M)
	compose(m, matrixInputs{chunk: c}, s.parts.partsOf(c), false)
	restoreClaimed(c, m.M, saved)
}

// LocalTransformToWorldOf sets LocalToWorld to LocalTransform × PostTransformMatrix for entities
// without a parent, in parallel. The system skips a chunk if neither component was written and no
// row was added or removed since the last update. An entity that has lost its parent stays at its
// place in the world until its LocalTransform, or a LocalTransform in the same chunk, is written.
// If the entity moves to another world, its LocalTransform is used immediately. Inactive entities
// and prefabs get their matrices, too, so that the matrices are correct when the entities become
// active.
type LocalTransformToWorldOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	changedRows *ecs.Query
	lastVersion uint32 // version of the world at the last update
	staying     *stayingRoots
	streaming   streaming[T]
}

// Create creates the query.
func (s *LocalTransformToWorldOf[T]) Create(u *system.Setup) error {
	s.changedRows = u.Query(append(localRootTerms[T](),
		ecs.ChangedAny(ecs.With[LocalTransformOf[T]](), ecs.With[PostTransformMatrixOf[T]]()), ecs.OrderChanged(),
		ecs.IncludeHidden())...)
	s.staying = stayingRootsOf[T](u.World())
	return nil
}

// Update schedules the work.
func (s *LocalTransformToWorldOf[T]) Update(f *system.Frame) error {
	s.lastVersion = f.Instance().LastVersion()
	s.staying.sweep()
	s.streaming.begin()
	f.ParallelFor(s.changedRows, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *LocalTransformToWorldOf[T]) Chunk(c *ecs.Chunk) {
	trs, m := ecs.Column[LocalTransformOf[T]](c), ecs.Column[LocalToWorldOf[T]](c)
	post := postColumnOf[T](matrixInputs{chunk: c})
	saved := saveColumn(c, m.M)
	if ecs.ChangedSince[LocalTransformOf[T]](c, s.lastVersion) || post != nil && ecs.ChangedSince[PostTransformMatrixOf[T]](c, s.lastVersion) {
		s.staying.removeRoots(c.Entities())
		s.streaming.countChunk(c)
		if s.streaming.enabled && post == nil && !ecs.HasColumn[Children](c) {
			trs.streamTo(m)
		} else {
			trs.composeTo(m, post)
		}
	} else {
		s.composeNew(c, trs, m, post)
	}
	restoreClaimed(c, m.M, saved)
}

// composeNew composes the matrices of a chunk in which nothing was written, but rows were added or
// removed. Any of the rows may be new in the chunk, and may still have the matrix that was
// computed for another row. Roots that stay at their places without their parents keep their
// matrices.
func (s *LocalTransformToWorldOf[T]) composeNew(c *ecs.Chunk, trs *LocalTransforms[T], m, post *kernels.Mat4s[T]) {
	for lo := 0; lo < c.Len(); {
		stays, hi := s.keepsMatrix(c, lo), lo+1
		for hi < c.Len() && s.keepsMatrix(c, hi) == stays {
			hi++
		}
		if !stays {
			rows, of := trs.Slice(lo, hi), kernels.Mat4s[T]{M: m.M[lo:hi]}
			var with *kernels.Mat4s[T]
			if post != nil {
				with = &kernels.Mat4s[T]{M: post.M[lo:hi]}
			}
			rows.composeTo(&of, with)
		}
		lo = hi
	}
}

// keepsMatrix reports whether a row keeps the matrix that it had below its parent. A matrix that
// consists of zeros was never computed.
func (s *LocalTransformToWorldOf[T]) keepsMatrix(c *ecs.Chunk, row int) bool {
	return (ecs.HasColumn[PreviousParent](c) || s.staying.has(c.Entities()[row])) && ecs.ReadColumn[LocalToWorldOf[T]](c).M[row][15] != 0
}

// streaming decides whether a system writes its matrices past the caches. If an update writes more
// matrices than a cache holds, fetching the memory that it overwrites takes longer than computing
// them. If the matrices fit into the cache, they should be written to it, because otherwise the
// next reader would wait for memory. The decision uses the number of matrices of the last update,
// because a system learns the number of its update only while its jobs run. The matrices are the
// same, bit for bit, whether they are written past the caches or not.
//
// Matrices of parents and LocalToParent are never written past the caches, because [HierarchyOf]
// reads them immediately.
type streaming[T kernels.Float] struct {
	minRows     int64        // number of rows in an update
	enabled     bool         // in this update
	sampledRows atomic.Int64 // rows of this update, of one chunk in sampleChunks: added by its jobs, reset by the owner when they are done
}

// streamingBytes is the size from which on writing past the caches is faster. streamingBytes was
// measured on an AMD EPYC with a cache of 1 MB for each core and a shared cache of 32 MB. One worker
// gains if the matrices take 12 MB or more; two workers gain from a size between 12 and 16 MB.
const streamingBytes = 16_000_000

// One of sampleChunks chunks is counted, because counting every chunk would cost the workers more
// time than streaming gains.
const sampleChunks = 16

// begin decides for an update. All jobs of the last update have finished.
func (p *streaming[T]) begin() {
	if p.minRows == 0 {
		p.minRows = streamingBytes / int64(reflect.TypeFor[[16]T]().Size())
	}
	p.enabled = p.sampledRows.Swap(0)*sampleChunks >= p.minRows
}

// countChunk counts a chunk whose matrices are computed.
func (p *streaming[T]) countChunk(c *ecs.Chunk) {
	if c.Index()%sampleChunks == 0 {
		p.sampledRows.Add(int64(c.Len()))
	}
}

// Systems compute whole columns. If an enableable component claims some rows, a system saves the
// column before it computes, and restores the claimed rows afterwards. Saving and restoring a
// column is safe because no other job uses the column at that time. These copies are faster than
// calling the kernels for many short ranges of rows.

// savedColumns holds a pool of saved columns for each width.
var savedColumns [2]sync.Pool

// savedColumnsOf returns the pool of a width.
func savedColumnsOf[T kernels.Float]() *sync.Pool {
	if _, narrow := any(T(0)).(float32); narrow {
		return &savedColumns[0]
	}
	return &savedColumns[1]
}

// saveColumn returns a copy of a column of the chunk, or nil if no row is claimed.
func saveColumn[T kernels.Float](c *ecs.Chunk, column [][16]T) *[][16]T {
	if c.AllMatch() {
		return nil
	}
	saved, ok := savedColumnsOf[T]().Get().(*[][16]T)
	if !ok {
		saved = new([][16]T)
	}
	*saved = append((*saved)[:0], column...)
	return saved
}

// restoreClaimed restores the claimed rows.
func restoreClaimed[T kernels.Float](c *ecs.Chunk, column [][16]T, saved *[][16]T) {
	if saved == nil {
		return
	}
	at := 0
	for lo, hi := range c.Runs() {
		copy(column[at:lo], (*saved)[at:])
		at = hi
	}
	copy(column[at:], (*saved)[at:])
	savedColumnsOf[T]().Put(saved)
}
