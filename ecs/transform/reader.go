package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/tool"
	"github.com/lanewise/lanewise/kernels"
)

// reader reads components of an entity until the first error.
type reader struct {
	w     *ecs.World
	e     ecs.Entity
	asked *asked // of its caller, for many entities; nil: of its own
	err   error
}

// asked are the probes of questions that were asked of a world, for numbers of one width.
type asked [questions]tool.Probe

// question says whether a system's query matches.
type question int

const (
	isUnclaimed question = iota
	isComposed
	isInherited
	isLocalRoot
	isLocalNode
	isLocallyComposed
	questions
)

// takes reports whether a system whose query has these terms makes what it writes
// for the entity, hidden or not. A probe asks, of which the world keeps nothing.
func (r *reader) takes(q question, terms func() []ecs.Term) bool {
	if r.asked == nil {
		r.asked = new(asked)
	}
	if r.asked[q] == nil {
		r.asked[q] = tool.NewProbe(r.w, append(terms(), ecs.IncludeHidden())...)
	}
	return r.asked[q].Matches(r.e)
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
	return r.takes(isComposed, composed[T]) || r.takes(isInherited, inherited[T]) || r.takes(isLocalRoot, localRoots[T]) || r.takes(isLocalNode, localNodes[T])
}

// isLink reports whether a child is in the list of its parent, or will be.
func isLink(r *reader) bool {
	return ecs.HasComponent[PreviousParent](r.w, r.e) ||
		ecs.HasComponent[LocalToParent](r.w, r.e) || ecs.HasComponent[LocalToParent64](r.w, r.e) ||
		ecs.HasComponent[LocalTransform](r.w, r.e) || ecs.HasComponent[LocalTransform64](r.w, r.e)
}
