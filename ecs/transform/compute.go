package transform

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ComputeLocalToWorld computes the matrix of one entity here and now, from what
// it and its parents consist of at the moment, without waiting for [Group]. It
// is the slow way, for a few entities. It completes the jobs that write what it
// looks at.
//
// It returns an error of category ecs.ErrState if the entity, or one above it,
// does not exist or has nothing that makes a matrix, and if parents are in a
// circle.
func ComputeLocalToWorld[T kernels.Float](w *ecs.World, e ecs.Entity) (LocalToWorldOf[T], error) {
	m := IdentityMatrix[T]()
	for at, steps := e, 0; ; steps++ {
		if !w.Exists(at) {
			return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: %v does not exist: %w", e, at, ecs.ErrState)
		}
		if steps > w.Len() {
			return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: its parents are in a circle: %w", e, ecs.ErrState)
		}
		local, ok, err := localMatrix[T](w, at)
		if err != nil {
			return LocalToWorldOf[T]{}, err
		}
		if !ok {
			return LocalToWorldOf[T]{}, fmt.Errorf("transform: ComputeLocalToWorld: entity %v: %v has no Translation, Rotation, Scale, LocalTransform or LocalToWorld: %w", e, at, ecs.ErrState)
		}
		multiply(&m, &local, &m)
		if !ecs.HasComponent[Parent](w, at) {
			return LocalToWorldOf[T]{m}, nil
		}
		p, err := ecs.Get[Parent](w, at)
		if err != nil {
			return LocalToWorldOf[T]{}, err
		}
		at = p.Entity
	}
}

// localMatrix returns the matrix of an entity in the space of its parent, and
// whether it has one.
func localMatrix[T kernels.Float](w *ecs.World, e ecs.Entity) (m [16]T, ok bool, err error) {
	r := reader{w: w, e: e}
	if l, ok := have[LocalTransformOf[T]](&r); ok {
		m = l.Matrix()
		if post, ok := have[PostTransformMatrixOf[T]](&r); ok {
			multiply(&m, &m, &post.M)
		}
		return m, true, r.err
	}
	m = IdentityMatrix[T]()
	if s, has := have[CompositeScaleOf[T]](&r); has {
		m, ok = s.M, true
	} else if s, has := have[NonUniformScaleOf[T]](&r); has {
		m[0], m[5], m[10], ok = s.X, s.Y, s.Z, true
	} else if s, has := have[ScaleOf[T]](&r); has {
		m[0], m[5], m[10], ok = s.Value, s.Value, s.Value, true
	}
	if q, has := have[CompositeRotationOf[T]](&r); has {
		multiply(&m, &q.M, &m)
		ok = true
	} else if q, has := have[RotationOf[T]](&r); has {
		turn := rotationMatrix(q.X, q.Y, q.Z, q.W)
		multiply(&m, &turn, &m)
		ok = true
	}
	if inverse, has := have[ParentScaleInverseOf[T]](&r); has {
		multiply(&m, &inverse.M, &m)
		ok = true
	}
	if t, has := have[TranslationOf[T]](&r); has {
		m[12], m[13], m[14], ok = m[12]+t.X, m[13]+t.Y, m[14]+t.Z, true
	}
	if ok {
		return m, true, r.err
	}
	// Nothing to compose: what was given counts.
	if given, has := have[LocalToParentOf[T]](&r); has && ecs.HasComponent[Parent](w, e) {
		return given.M, true, r.err
	}
	given, has := have[LocalToWorldOf[T]](&r)
	return given.M, has && !ecs.HasComponent[Parent](w, e), r.err
}

// reader reads components of an entity until the first error.
type reader struct {
	w   *ecs.World
	e   ecs.Entity
	err error
}

// have returns the component of the entity, if it has it.
func have[C any](r *reader) (v C, ok bool) {
	if r.err != nil || !ecs.HasComponent[C](r.w, r.e) {
		return v, false
	}
	v, r.err = ecs.Get[C](r.w, r.e)
	return v, r.err == nil
}
