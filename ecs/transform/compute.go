package transform

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ComputeLocalToWorld computes the matrix of one entity here and now, from what
// it and its parents consist of at the moment, without waiting for [Group]: the
// next update of the group will compute the same matrix. An entity keeps the value
// of its LocalToWorld where the systems of this package do not write it: with a
// component in its write group that is on, or where it has no components that
// this package makes a matrix of. An entity need not have LocalToWorld.
//
// Entities that are inactive, or prefabs, count as if they were not, and so do
// those above: what comes out is what the first update makes of them when they are
// no longer hidden.
//
// It is the slow way, for a few entities. It completes the jobs that write the
// components it reads. It does not know three things that only the systems do. A matrix that
// was written beside its parts stays until these change, or rows come to its chunk or go. An
// entity with LocalTransform that has lost its parent stays until that is written.
// [Parents] takes away a parent that has no LocalToWorld.
//
// It returns an error of category ecs.ErrState if the entity, or one above it,
// does not exist or has nothing that makes a matrix, which the error names, and if
// parents are in a circle; of category ecs.ErrArgument if the world is nil.
func ComputeLocalToWorld[T kernels.Float](w *ecs.World, e ecs.Entity) (LocalToWorldOf[T], error) {
	none := func(format string, args ...any) (LocalToWorldOf[T], error) {
		return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: "+format+": %w", append(append([]any{e}, args...), ecs.ErrState)...)
	}
	if w == nil {
		return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: the world is nil: %w", e, ecs.ErrArgument)
	}
	var shared probes
	var chain [][16]T // the matrices of the entity and those above it, each in the space of the next
	given := false
	// In a circle the walk returns to an entity that was kept at a power of two of steps.
	for at, kept, steps, next := e, (ecs.Entity{}), 0, 1; ; steps++ {
		switch {
		case at == kept:
			return none("its parents are in a circle")
		case !w.Exists(at) && given:
			return LocalToWorldOf[T]{product(chain)}, nil
		case !w.Exists(at):
			return none("%v does not exist", at)
		}
		if steps == next {
			kept, next = at, 2*next
		}
		r := reader{w: w, e: at, probes: &shared}
		if !given {
			var local [16]T
			var lacks string
			local, given, lacks = ownMatrix[T](&r)
			if r.err == nil && lacks != "" {
				return none("%v has %s", at, lacks)
			}
			chain = append(chain, local)
		}
		p, child := readComponent[Parent](&r)
		if r.err != nil {
			return LocalToWorldOf[T]{}, r.err
		}
		if !child || given && !isListed(&r) {
			return LocalToWorldOf[T]{product(chain)}, nil
		}
		at = p.Entity // of one with a given matrix too: below a circle nothing is computed
	}
}

// product returns the product of the matrices of a chain, in the order of [HierarchyOf]: from
// the root, the last of them, down, because any other order rounds differently.
func product[T kernels.Float](chain [][16]T) (m [16]T) {
	m = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		multiply(&m, &m, &chain[i])
	}
	return m
}

// ownMatrix returns the matrix of an entity in the space of its parent, or in the
// world if it is given. If there is none, lacks names the components that the entity has, or lacks.
func ownMatrix[T kernels.Float](r *reader) (m [16]T, given bool, lacks string) {
	l, has := readComponent[LocalToWorldOf[T]](r)
	if has && !isComputed[T](r) {
		if l == (LocalToWorldOf[T]{}) && r.matches(isUnclaimed, unclaimed[T]) {
			return m, false, lacking[T](r)
		}
		return l.M, true, ""
	}
	m, ok := localMatrix[T](r)
	if !ok {
		lacks = "no Translation, Rotation, Scale, LocalTransform or LocalToWorld"
	}
	return m, false, lacks
}

// localMatrix returns the matrix of an entity in the space of its parent, and
// whether it has one. It does for one row what the systems do for a column.
func localMatrix[T kernels.Float](r *reader) (m [16]T, ok bool) {
	in, one := inputs{entity: r}, oneMatrix(m)
	if hasPart[LocalTransformOf[T]](in) {
		columnOf[LocalTransformOf[T]](in).composeTo(&one, postOf[T](in))
		return one.M[0], true
	}
	given, has := readComponent[LocalToParentOf[T]](r)
	if has && ecs.Has[Parent](r.w, r.e) && !r.matches(isLocallyComposed, localComposed[T]) {
		return given.M, true
	}
	parts := partsOf[T](in) &^ hasChildren
	if parts == 0 {
		return m, false
	}
	compose(&one, in, parts, false)
	return one.M[0], true
}
