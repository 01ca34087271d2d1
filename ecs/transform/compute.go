package transform

import (
	"cmp"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ComputeLocalToWorld computes the matrix of one entity here and now, from what
// it and its parents consist of at the moment, without waiting for [Group]: it is
// what the next update of that will make of them. Angles, composites and
// ParentScaleInverse are computed from what they are made of. Where the matrix is
// another's to make, that which stands in LocalToWorld counts: with a
// component in its write group that is on, or where the components are none that
// this package makes a matrix of. An entity need not have LocalToWorld.
//
// Entities that are inactive, or prefabs, count as if they were not, and so do
// those above: what comes out is what the first update makes of them when they are
// no longer hidden.
//
// It is the slow way, for a few entities. It completes the jobs that write what it
// looks at. It does not know what only the systems do: that a matrix, Rotation
// or PostRotation that was written beside its parts stays until these change or rows
// come to its chunk or go, an entity with LocalTransform that has lost its parent until that is written, and
// that [Parents] takes away a parent that has no LocalToWorld.
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
	var questioned asked
	var chain [][16]T // of the entity and those above it, each in the space of the next
	given := false
	// A circle comes by a place that was kept at a power of two of steps.
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
		r := reader{w: w, e: at, asked: &questioned}
		if !given {
			var local [16]T
			var lacks string
			local, given, lacks = ownMatrix[T](&r)
			if r.err == nil && lacks != "" {
				return none("%v has %s", at, lacks)
			}
			chain = append(chain, local)
		}
		p, child := have[Parent](&r)
		if r.err != nil {
			return LocalToWorldOf[T]{}, r.err
		}
		if !child || given && !isLink(&r) {
			return LocalToWorldOf[T]{product(chain)}, nil
		}
		at = p.Entity // of one with a given matrix too: below a circle nothing is computed
	}
}

// product returns what the matrices of a chain come to, in the order of [HierarchyOf]: from
// the root, the last of them, down. Any other order rounds otherwise.
func product[T kernels.Float](chain [][16]T) (m [16]T) {
	m = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		multiply(&m, &m, &chain[i])
	}
	return m
}

// ownMatrix returns the matrix of an entity in the space of its parent, or in the
// world if it is given from outside; what the entity has, or has not, if there
// is none.
func ownMatrix[T kernels.Float](r *reader) (m [16]T, given bool, lacks string) {
	l, has := have[LocalToWorldOf[T]](r)
	if has && !isMade[T](r) {
		if l == (LocalToWorldOf[T]{}) && r.takes(isUnclaimed, unclaimed[T]) {
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
// whether it has one. What the systems would do for its row is done for a row of its own.
func localMatrix[T kernels.Float](r *reader) (m [16]T, ok bool) {
	in, one := inputs{entity: r}, oneMatrix(m)
	if hasPart[LocalTransformOf[T]](in) {
		columnOf[LocalTransformOf[T]](in).composeTo(&one, postOf[T](in))
		return one.M[0], true
	}
	parent, child := have[Parent](r)
	given, has := have[LocalToParentOf[T]](r)
	if child && has && !r.takes(isLocallyComposed, localComposed[T]) {
		return given.M, true
	}
	makeScale[T](r)
	makeRotation[T](r)
	parts := partsOf[T](in) &^ leads
	if !child {
		parts &^= undoes
	} else if parts&undoes != 0 {
		makeInverse[T](r, parent.Entity)
	}
	if parts == 0 {
		return m, false
	}
	compose(&one, in, parts, false)
	return one.M[0], true
}

// makeScale makes the CompositeScale of an entity, as [CompositeScaleSystemOf] would.
func makeScale[T kernels.Float](r *reader) {
	in := inputs{entity: r}
	if hasPart[CompositeScaleOf[T]](in) && r.takes(isScaled, pivotScales[T]) {
		m := oneMatrix([16]T{})
		composeScale(&m, in)
		r.keep(CompositeScaleOf[T]{m.M[0]})
	}
}

// makeRotation makes the rotations of an entity, as [RotationEulerSystemOf],
// [PostRotationEulerSystemOf] and [CompositeRotationSystemOf] would.
func makeRotation[T kernels.Float](r *reader) {
	in, q := inputs{entity: r}, oneRotation[T](0, 0, 0, 0)
	if hasPart[RotationOf[T]](in) && r.takes(isOfAngles, turnedByAngles[T]) {
		turnByAngles(&q, in)
		r.keep(RotationOf[T]{q.X[0], q.Y[0], q.Z[0], q.W[0]})
	}
	if !hasPart[CompositeRotationOf[T]](in) || !r.takes(isTurned, pivotTurns[T]) {
		return
	}
	if hasPart[PostRotationOf[T]](in) && r.takes(isOfPostAngles, postTurnedByAngles[T]) {
		postTurnByAngles(&q, in)
		r.keep(PostRotationOf[T]{q.X[0], q.Y[0], q.Z[0], q.W[0]})
	}
	m := oneMatrix([16]T{})
	composeRotation(&m, in)
	r.keep(CompositeRotationOf[T]{m.M[0]})
}

// makeInverse makes the ParentScaleInverse of a child, as [ParentScaleInverseSystemOf] would.
func makeInverse[T kernels.Float](r *reader, parent ecs.Entity) {
	if !r.takes(isUndone, undone[T]) {
		return
	}
	above := reader{w: r.w, e: parent, asked: r.asked}
	makeScale[T](&above)
	scales := parentScales[T]{ofReader[ScaleOf[T]]{&above}, ofReader[NonUniformScaleOf[T]]{&above}, ofReader[CompositeScaleOf[T]]{&above}}
	r.keep(ParentScaleInverseOf[T]{scales.inverse(parent)})
	r.err = cmp.Or(r.err, above.err)
}

// ofReader finds a component of the entity of a reader.
type ofReader[C any] struct{ r *reader }

// Find returns it, if the entity has it.
func (o ofReader[C]) Find(ecs.Entity) (C, bool) { return have[C](o.r) }
