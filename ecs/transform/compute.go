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
// or PostRotation that was written beside its parts stays until these change, an
// entity with LocalTransform that has lost its parent until that is written, and
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
	m, given := IdentityMatrix[T](), false
	// A circle comes by a place that was kept at a power of two of steps.
	for at, kept, steps, next := e, (ecs.Entity{}), 0, 1; ; steps++ {
		switch {
		case at == kept:
			return none("its parents are in a circle")
		case !w.Exists(at) && given:
			return LocalToWorldOf[T]{m}, nil
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
			multiply(&m, &local, &m)
		}
		p, child := have[Parent](&r)
		if r.err != nil {
			return LocalToWorldOf[T]{}, r.err
		}
		if !child || given && !isLink(&r) {
			return LocalToWorldOf[T]{m}, nil
		}
		at = p.Entity // of one with a given matrix too: below a circle nothing is computed
	}
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
// whether it has one.
func localMatrix[T kernels.Float](r *reader) (m [16]T, ok bool) {
	if l, ok := have[LocalTransformOf[T]](r); ok {
		m = l.Matrix()
		if post, ok := have[PostTransformMatrixOf[T]](r); ok {
			multiply(&m, &m, &post.M)
		}
		return m, true
	}
	parent, child := have[Parent](r)
	given, has := have[LocalToParentOf[T]](r)
	if child && has && !r.takes(isLocallyComposed, localComposed[T]) {
		return given.M, true
	}
	m, ok = scaleOf[T](r)
	if q, has := rotationOf[T](r); has {
		multiply(&m, &q, &m)
		ok = true
	}
	if old, has := have[ParentScaleInverseOf[T]](r); has && child {
		undo := old.M
		if r.takes(isUndone, undone[T]) {
			above := reader{w: r.w, e: parent.Entity, asked: r.asked}
			s, _ := scaleOf[T](&above)
			undo, r.err = inverted(&s), cmp.Or(r.err, above.err)
		}
		multiply(&m, &undo, &m)
		ok = true
	}
	if t, has := have[TranslationOf[T]](r); has {
		m[12], m[13], m[14], ok = m[12]+t.X, m[13]+t.Y, m[14]+t.Z, true
	}
	return m, ok
}

// scaleOf returns the scale of an entity as a matrix, and whether it has one.
func scaleOf[T kernels.Float](r *reader) (m [16]T, ok bool) {
	m = IdentityMatrix[T]()
	whole, composite := have[CompositeScaleOf[T]](r)
	if composite && !r.takes(isScaled, pivotScales[T]) {
		return whole.M, true
	}
	if s, has := have[NonUniformScaleOf[T]](r); has {
		m[0], m[5], m[10], ok = s.X, s.Y, s.Z, true
	} else if s, has := have[ScaleOf[T]](r); has {
		m[0], m[5], m[10], ok = s.Value, s.Value, s.Value, true
	}
	if !composite {
		return m, ok
	}
	if p, has := have[ScalePivotOf[T]](r); has {
		pinOne(&m, p.X, p.Y, p.Z)
	}
	if t, has := have[ScalePivotTranslationOf[T]](r); has {
		m[12], m[13], m[14] = m[12]+t.X, m[13]+t.Y, m[14]+t.Z
	}
	return m, true
}

// rotationOf returns the rotation of an entity as a matrix, and whether it has one.
func rotationOf[T kernels.Float](r *reader) (m [16]T, ok bool) {
	whole, composite := have[CompositeRotationOf[T]](r)
	if composite && !r.takes(isTurned, pivotTurns[T]) {
		return whole.M, true
	}
	m = IdentityMatrix[T]()
	if q, has := have[RotationOf[T]](r); has {
		if r.takes(isOfAngles, turnedByAngles[T]) {
			q = turnOf[T](r)
		}
		m, ok = rotationMatrix(q.X, q.Y, q.Z, q.W), true
	}
	if !composite {
		return m, ok
	}
	if q, has := have[PostRotationOf[T]](r); has {
		if r.takes(isOfPostAngles, postTurnedByAngles[T]) {
			q = PostRotationOf[T](postTurnOf[T](r))
		}
		after := rotationMatrix(q.X, q.Y, q.Z, q.W)
		multiply(&m, &m, &after)
	}
	if p, has := have[RotationPivotOf[T]](r); has {
		pinOne(&m, p.X, p.Y, p.Z)
	}
	if t, has := have[RotationPivotTranslationOf[T]](r); has {
		m[12], m[13], m[14] = m[12]+t.X, m[13]+t.Y, m[14]+t.Z
	}
	return m, true
}

// turnOf and postTurnOf return what the angles of an entity say, of several orders
// the first.
func turnOf[T kernels.Float](r *reader) RotationOf[T] {
	var x, y, z T
	var o kernels.EulerOrder
	_ = anglesOf(r, &o, func(a RotationEulerOf[T, XYZ]) { x, y, z = a.X, a.Y, a.Z }, XYZ{}) ||
		anglesOf(r, &o, func(a RotationEulerOf[T, XZY]) { x, y, z = a.X, a.Y, a.Z }, XZY{}) ||
		anglesOf(r, &o, func(a RotationEulerOf[T, YXZ]) { x, y, z = a.X, a.Y, a.Z }, YXZ{}) ||
		anglesOf(r, &o, func(a RotationEulerOf[T, YZX]) { x, y, z = a.X, a.Y, a.Z }, YZX{}) ||
		anglesOf(r, &o, func(a RotationEulerOf[T, ZXY]) { x, y, z = a.X, a.Y, a.Z }, ZXY{}) ||
		anglesOf(r, &o, func(a RotationEulerOf[T, ZYX]) { x, y, z = a.X, a.Y, a.Z }, ZYX{})
	return turnBy(x, y, z, o)
}

func postTurnOf[T kernels.Float](r *reader) RotationOf[T] {
	var x, y, z T
	var o kernels.EulerOrder
	_ = anglesOf(r, &o, func(a PostRotationEulerOf[T, XYZ]) { x, y, z = a.X, a.Y, a.Z }, XYZ{}) ||
		anglesOf(r, &o, func(a PostRotationEulerOf[T, XZY]) { x, y, z = a.X, a.Y, a.Z }, XZY{}) ||
		anglesOf(r, &o, func(a PostRotationEulerOf[T, YXZ]) { x, y, z = a.X, a.Y, a.Z }, YXZ{}) ||
		anglesOf(r, &o, func(a PostRotationEulerOf[T, YZX]) { x, y, z = a.X, a.Y, a.Z }, YZX{}) ||
		anglesOf(r, &o, func(a PostRotationEulerOf[T, ZXY]) { x, y, z = a.X, a.Y, a.Z }, ZXY{}) ||
		anglesOf(r, &o, func(a PostRotationEulerOf[T, ZYX]) { x, y, z = a.X, a.Y, a.Z }, ZYX{})
	return turnBy(x, y, z, o)
}

// anglesOf gives set the angles of type E, if the entity has them.
func anglesOf[E any](r *reader, o *kernels.EulerOrder, set func(E), order EulerOrder) bool {
	a, ok := have[E](r)
	if ok {
		set(a)
		*o = order.order()
	}
	return ok
}

// turnBy returns the rotation by three angles.
func turnBy[T kernels.Float](x, y, z T, o kernels.EulerOrder) RotationOf[T] {
	q := kernels.Quats[T]{X: make([]T, 1), Y: make([]T, 1), Z: make([]T, 1), W: make([]T, 1)}
	q.FromEuler(&kernels.Vec3s[T]{X: []T{x}, Y: []T{y}, Z: []T{z}}, o)
	return RotationOf[T]{q.X[0], q.Y[0], q.Z[0], q.W[0]}
}
