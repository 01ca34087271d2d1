package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// LocalTransformToWorldOf sets LocalToWorld = LocalTransform × PostTransformMatrix
// for entities without a parent, in parallel. Chunks in which neither was written,
// and no row came or went, since the last update are left alone. An entity that has
// lost its parent stays where it is in this world until its LocalTransform, or one
// in the same chunk, is written; in another world it is where that says. Inactive
// entities and prefabs have their matrices set too, so that these are right when
// they are no longer hidden.
type LocalTransformToWorldOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[Parents]
	_ system.MatchingOnly

	moved     *ecs.Query
	since     uint32 // the version of the last update
	stay      *staying
	streaming streaming[T]
}

// Create makes the query.
func (s *LocalTransformToWorldOf[T]) Create(u *system.Setup) error {
	s.moved = u.Query(append(localRoots[T](),
		ecs.ChangedAny(ecs.With[LocalTransformOf[T]](), ecs.With[PostTransformMatrixOf[T]]()), ecs.OrderChanged(),
		ecs.IncludeHidden())...)
	s.stay = stayingIn[T](u.World())
	return nil
}

// Update schedules the work.
func (s *LocalTransformToWorldOf[T]) Update(f *system.Frame) error {
	s.since = f.Instance().LastVersion()
	s.stay.sweep()
	s.streaming.begin()
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk composes the matrices of one chunk.
func (s *LocalTransformToWorldOf[T]) Chunk(c *ecs.Chunk) {
	trs, m := ecs.Column[LocalTransformOf[T]](c), ecs.Column[LocalToWorldOf[T]](c)
	post := postOf[T](inputs{chunk: c})
	saved := save(c, m.M)
	if ecs.DidChange[LocalTransformOf[T]](c, s.since) || post != nil && ecs.DidChange[PostTransformMatrixOf[T]](c, s.since) {
		s.stay.forget(c.Entities())
		s.streaming.count(c)
		if s.streaming.now && post == nil && !ecs.Has[Children](c) {
			trs.streamTo(m)
		} else {
			trs.composeTo(m, post)
		}
	} else {
		s.composeNew(c, trs, m, post)
	}
	restore(c, m.M, saved)
}

// composeNew composes the matrices of a chunk where rows came or went: any may be
// new here, and its matrix another's.
func (s *LocalTransformToWorldOf[T]) composeNew(c *ecs.Chunk, trs *LocalTransforms[T], m, post *kernels.Mat4s[T]) {
	for lo := 0; lo < c.Len(); {
		stays, hi := s.stays(c, lo), lo+1
		for hi < c.Len() && s.stays(c, hi) == stays {
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

// stays reports whether a row keeps the matrix that it had below its parent. All
// zeros are none.
func (s *LocalTransformToWorldOf[T]) stays(c *ecs.Chunk, row int) bool {
	return (ecs.Has[PreviousParent](c) || s.stay.has(c.Entities()[row])) && ecs.Peek[LocalToWorldOf[T]](c).M[row][15] != 0
}
