package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// reader reads components of an entity until the first error.
type reader struct {
	w   *ecs.World
	e   ecs.Entity
	err error
}

// takes reports whether a system whose query has these terms makes what it writes
// for the entity, hidden or not. The world keeps the query for the next time.
func (r *reader) takes(terms []ecs.Term) bool {
	return r.w.Query(append(terms, ecs.IncludeHidden())...).Matches(r.e)
}

// have returns the component of the entity, if it has it.
func have[C any](r *reader) (v C, ok bool) {
	if r.err != nil || !ecs.HasComponent[C](r.w, r.e) {
		return v, false
	}
	v, r.err = ecs.Get[C](r.w, r.e)
	return v, r.err == nil
}

// isMade reports whether a system of this package makes the matrix of the entity,
// if the world has it.
func isMade[T kernels.Float](r *reader) bool {
	return r.takes(composed[T]()) || r.takes(inherited[T]()) || r.takes(localRoots[T]()) || r.takes(localNodes[T]())
}

// isLink reports whether a child is in the list of its parent, or will be.
func isLink(r *reader) bool {
	return ecs.HasComponent[PreviousParent](r.w, r.e) ||
		ecs.HasComponent[LocalToParent](r.w, r.e) || ecs.HasComponent[LocalToParent64](r.w, r.e) ||
		ecs.HasComponent[LocalTransform](r.w, r.e) || ecs.HasComponent[LocalTransform64](r.w, r.e)
}
