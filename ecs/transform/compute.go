package transform

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ComputeLocalToWorld computes the matrix of one entity from the current components of the entity
// and of its ancestors, without waiting for [Group]. The next update of the group computes the same
// matrix. The entity itself need not have LocalToWorld. A given matrix is a matrix that the systems
// of this package do not write. ComputeLocalToWorld uses it as it is. Such a matrix is the
// LocalToWorld of one of two kinds of entities: an entity with an enabled component of the write
// group, or an entity without the components from which this package composes a matrix.
//
// Inactive entities and prefabs, and their ancestors, are handled as if they were active. The
// result is the matrix that the first update computes after they become active again.
//
// ComputeLocalToWorld is slow, so use it only for a few entities. ComputeLocalToWorld waits for
// the jobs that write the components that it reads. In three cases its result differs from that of
// the systems, because only the systems know the entity's history. First, a matrix that a program
// wrote stays until the entity's components change, or rows are added to or removed from its
// chunk. Second, an entity with LocalTransform that has lost its parent stays at its place until
// its LocalTransform is written. Third, [Parents] removes a parent without LocalToWorld.
//
// The error is of category ecs.ErrState if the entity or an ancestor does not exist or has no
// components for a matrix, or if the parents form a cycle. The error names the fault. If the world
// is nil, the error is of category ecs.ErrArgument.
func ComputeLocalToWorld[T kernels.Float](w *ecs.World, e ecs.Entity) (LocalToWorldOf[T], error) {
	none := func(format string, args ...any) (LocalToWorldOf[T], error) {
		return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: "+format+": %w", append(append([]any{e}, args...), ecs.ErrState)...)
	}
	if w == nil {
		return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: the world is nil: %w", e, ecs.ErrArgument)
	}
	var shared probes
	var chain [][16]T // the matrices of the entity and its ancestors, each relative to the next
	given := false
	// To find a cycle, kept is one of the entities of the walk. The entity kept is replaced whenever
	// the number of steps is a power of two. If the parents form a cycle, the walk returns to kept.
	for at, kept, steps, next := e, (ecs.Entity{}), 0, 1; ; steps++ {
		switch {
		case at == kept:
			return none("its parents are in a circle")
		case !w.Exists(at) && given:
			return LocalToWorldOf[T]{chainProduct(chain)}, nil
		case !w.Exists(at):
			return none("%v does not exist", at)
		}
		if steps == next {
			kept, next = at, 2*next
		}
		r := entityReader{world: w, entity: at, probes: &shared}
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
			return LocalToWorldOf[T]{chainProduct(chain)}, nil
		}
		at = p.Entity // continue even after a given matrix, because nothing is computed below a cycle
	}
}

// chainProduct returns the product of the matrices of a chain, in the order of [HierarchyOf]. The
// product begins with the root, which is the last matrix, because any other order rounds differently.
func chainProduct[T kernels.Float](chain [][16]T) (m [16]T) {
	m = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		multiply(&m, &m, &chain[i])
	}
	return m
}

// ownMatrix returns the matrix of an entity relative to its parent. If given is true, the matrix is
// relative to the world. If there is no matrix, lacks names the missing components, or the
// components that exclude each other.
func ownMatrix[T kernels.Float](r *entityReader) (m [16]T, given bool, lacks string) {
	l, has := readComponent[LocalToWorldOf[T]](r)
	if has && !isComputed[T](r) {
		if l == (LocalToWorldOf[T]{}) && r.matches(unclaimedRule, unclaimedTerms[T]) {
			return m, false, matrixFaultReason[T](r)
		}
		return l.M, true, ""
	}
	m, ok := localMatrix[T](r)
	if !ok {
		lacks = "no Translation, Rotation, Scale, LocalTransform or LocalToWorld"
	}
	return m, false, lacks
}

// localMatrix returns the matrix of an entity relative to its parent. The result ok says whether the
// entity has such a matrix. localMatrix computes for one row exactly what the systems compute for a
// column.
func localMatrix[T kernels.Float](r *entityReader) (m [16]T, ok bool) {
	in, one := matrixInputs{entity: r}, matrixColumn(m)
	if hasPart[LocalTransformOf[T]](in) {
		columnOf[LocalTransformOf[T]](in).composeTo(&one, postColumnOf[T](in))
		return one.M[0], true
	}
	given, has := readComponent[LocalToParentOf[T]](r)
	if has && ecs.Has[Parent](r.world, r.entity) && !r.matches(localComposedRule, localComposedTerms[T]) {
		return given.M, true
	}
	parts := partsOf[T](in) &^ hasChildren
	if parts == 0 {
		return m, false
	}
	compose(&one, in, parts, false)
	return one.M[0], true
}
