package transform

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ComputeLocalToWorld computes the matrix of one entity from the current components of the entity
// and its parents, without waiting for [Group]. The next update of the group computes the same
// matrix. The entity itself need not have LocalToWorld. A given matrix, which the systems of this
// package do not write, is used as it is: the LocalToWorld of an entity with a component of the
// write group that is on, or without the components from which this package composes a matrix.
//
// Inactive entities and prefabs, and those above, are handled as if they were active. The result is
// the matrix that the first update computes when they are active again.
//
// It is slow and for few entities. It waits for the jobs that write the components that it reads.
// It does not know three facts that only the systems know. A matrix that a program wrote stays
// until the entity's components change, or rows come to its chunk or go. An entity with
// LocalTransform that has lost its parent stays at its place until its LocalTransform is written.
// [Parents] removes a parent without LocalToWorld.
//
// The error is of category ecs.ErrState if the entity, or one above it, does not exist or has no
// components for a matrix, or if the parents form a cycle; it names the fault. It is of category
// ecs.ErrArgument if the world is nil.
func ComputeLocalToWorld[T kernels.Float](w *ecs.World, e ecs.Entity) (LocalToWorldOf[T], error) {
	none := func(format string, args ...any) (LocalToWorldOf[T], error) {
		return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: "+format+": %w", append(append([]any{e}, args...), ecs.ErrState)...)
	}
	if w == nil {
		return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: the world is nil: %w", e, ecs.ErrArgument)
	}
	var shared probes
	var chain [][16]T // the matrices of the entity and those above it, each relative to the next
	given := false
	// In a cycle the walk returns to an entity that was kept at a power of two of steps.
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
		at = p.Entity // also after a given matrix, because below a cycle nothing is computed
	}
}

// chainProduct returns the product of the matrices of a chain, in the order of [HierarchyOf]: from
// the root, the last of them, down, because any other order rounds differently.
func chainProduct[T kernels.Float](chain [][16]T) (m [16]T) {
	m = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		multiply(&m, &m, &chain[i])
	}
	return m
}

// ownMatrix returns the matrix of an entity relative to its parent, or to the world if given is
// true. If there is none, lacks names the components that the entity lacks, or that contradict each
// other.
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

// localMatrix returns the matrix of an entity relative to its parent, and whether it has one. It
// does for one row the same as the systems do for a column.
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
