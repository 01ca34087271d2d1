package host

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// CopyInitialOf copies the matrices of objects to entities with the tag [CopyInitialTransform], and
// then removes the tag. It also does three other tasks: it releases the objects of destroyed
// entities, asks each object that was not alive whether it is alive again, and finds entities that
// have an object and a tag but no matrix.
type CopyInitialOf[T kernels.Float] struct {
	_ system.In[system.Initialization]

	bound         *ecs.Query
	tagged        *ecs.Query
	withoutMatrix *ecs.Query // matches entities that have a tag of this package but no matrix
	copier        copier[T]
	untagged      []ecs.Entity // entities whose tag is to be removed
	foundPlaces   []initialPlace[T]
	placeIndex    map[ecs.Entity]int // maps an entity to its index in found
}

// initialPlace holds an entity with the tag, and the matrix of the entity's object.
type initialPlace[T kernels.Float] struct {
	entity, parent ecs.Entity // parent is zero if the entity follows no parent
	hasParts       bool       // the entity has transform components to set
	depth          int        // number of ancestors, if the parent is not in the list
	objectMatrix   transform.LocalToWorldOf[T]
}

// Create creates the queries.
func (s *CopyInitialOf[T]) Create(u *system.Setup) error {
	s.copier.setWorld(u.World())
	s.placeIndex = map[ecs.Entity]int{}
	s.bound = u.Query(ecs.With[Bound](), ecs.IncludeHidden()) // hidden entities may be destroyed too
	s.tagged = u.Query(ecs.Write[transform.LocalToWorldOf[T]](), ecs.With[CopyInitialTransform](), ecs.With[Bound](),
		ecs.Optional(ecs.Read[transform.Parent]()))
	s.withoutMatrix = u.Query(ecs.AnyOf(ecs.With[CopyInitialTransform](), ecs.With[CopyTransformFrom](), ecs.With[CopyTransformTo]()),
		ecs.With[Bound](), ecs.Without[transform.LocalToWorld](), ecs.Without[transform.LocalToWorld64]())
	return nil
}

// Update copies the matrices on the calling goroutine.
func (s *CopyInitialOf[T]) Update(f *system.Frame) error {
	w := f.World()
	s.copier.bindings.releaseDead(w, s.bound)
	s.copier.recheckGone()
	if !s.withoutMatrix.EmptyUnfiltered() {
		if err := f.Run(s.withoutMatrix, (*matrixlessCopier[T])(&s.copier)); err != nil {
			return err
		}
	}
	if s.tagged.EmptyUnfiltered() {
		return s.copier.reportErrors()
	}
	s.untagged, s.foundPlaces = s.untagged[:0], s.foundPlaces[:0]
	clear(s.placeIndex)
	if err := f.Run(s.tagged, s); err != nil {
		return err
	}
	if err := s.setTransforms(w); err != nil {
		return err
	}
	if err := ecs.RemoveTypes(w, ecs.Entities(s.untagged), ecs.With[CopyInitialTransform]()); err != nil {
		return err
	}
	return s.copier.reportErrors()
}

// Chunk copies matrices to the rows of one chunk.
func (s *CopyInitialOf[T]) Chunk(c *ecs.Chunk) { s.copier.copyChunk(c, s) }

func (s *CopyInitialOf[T]) copyRows(c *ecs.Chunk) {
	list := c.Entities()
	world := ecs.Column[transform.LocalToWorldOf[T]](c).M
	both := bothWidths(c)
	composed := ecs.HasColumn[transform.LocalTransformOf[T]](c) || ecs.HasColumn[transform.LocalToParentOf[T]](c) ||
		ecs.HasColumn[transform.TranslationOf[T]](c) || ecs.HasColumn[transform.RotationOf[T]](c) ||
		ecs.HasColumn[transform.NonUniformScaleOf[T]](c) || ecs.HasColumn[transform.ScaleOf[T]](c)
	var parents []ecs.Entity
	if ecs.HasColumn[transform.Parent](c) {
		parents = *ecs.Column[transform.Parent](c)
		// An entity without a local matrix does not follow its parent, and its other transform
		// components have no effect.
		composed = ecs.HasColumn[transform.LocalTransformOf[T]](c) || ecs.HasColumn[transform.LocalToParentOf[T]](c)
	}
	for i := s.copier.currentRow; i < len(list); i++ {
		s.copier.currentRow = i
		e := list[i]
		if both && !s.copier.bindings.hasObject(e) && s.copier.otherWidth.hasObject(e) {
			continue // the system of the other width handles it
		}
		o := s.copier.livingObject(c, e)
		if o == nil {
			s.untagged = append(s.untagged, e)
			continue
		}
		s.copier.calledMethod = worldMatrixMethod
		world[i] = o.WorldMatrix()
		s.untagged = append(s.untagged, e)
		p := initialPlace[T]{entity: e, hasParts: composed, objectMatrix: transform.LocalToWorldOf[T]{M: world[i]}}
		if parents != nil {
			p.parent = parents[i]
		}
		s.placeIndex[e] = len(s.foundPlaces)
		s.foundPlaces = append(s.foundPlaces, p)
	}
}

// matrixlessCopier finds the entities that have an object but no matrix.
type matrixlessCopier[T kernels.Float] copier[T]

// Chunk records the entities of one chunk that have an object.
func (n *matrixlessCopier[T]) Chunk(c *ecs.Chunk) {
	for _, e := range c.Entities() {
		if n.bindings.noteMatrixless(e) {
			n.withoutMatrix = append(n.withoutMatrix, e)
		}
	}
}

// setTransforms sets the components from which the transform systems compose the matrices of the
// found entities. It begins with entities whose place does not depend on the place of other
// entities.
func (s *CopyInitialOf[T]) setTransforms(w *ecs.World) error {
	var below []initialPlace[T]
	var errs []error
	for _, p := range s.foundPlaces {
		if !p.hasParts {
			continue
		}
		if i, ok := s.placeIndex[p.parent]; ok {
			errs = append(errs, p.setBelow(w, s.foundPlaces[i].objectMatrix))
		} else if w.Exists(p.parent) {
			p.depth = depthOf(w, p.entity)
			below = append(below, p)
		} else {
			errs = append(errs, p.setLocal(w, p.objectMatrix))
		}
	}
	slices.SortStableFunc(below, func(a, b initialPlace[T]) int { return cmp.Compare(a.depth, b.depth) })
	for _, p := range below {
		// If the parent has no matrix, the transform systems compute none for the child either.
		if parent, err := transform.ComputeLocalToWorld[T](w, p.parent); err == nil {
			errs = append(errs, p.setBelow(w, parent))
		}
	}
	return errors.Join(errs...)
}

// depthOf returns the number of ancestors of e, or a large number if the ancestors form a cycle.
func depthOf(w *ecs.World, e ecs.Entity) (n int) {
	var kept ecs.Entity // in a cycle, e meets this entity again
	for next := 1; ecs.Has[transform.Parent](w, e); n++ {
		p, err := ecs.Get[transform.Parent](w, e)
		if err != nil {
			break
		}
		if e = p.Entity; e == kept {
			return math.MaxInt
		}
		if n == next {
			kept, next = e, 2*next
		}
	}
	return n
}

// setBelow sets the components of an entity whose parent has the given matrix.
func (p *initialPlace[T]) setBelow(w *ecs.World, parent transform.LocalToWorldOf[T]) error {
	local := transform.LocalToWorldOf[T]{M: multiply(parent.Inverse().M, p.objectMatrix.M)}
	for _, v := range local.M {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil // the parent's matrix is singular, so no local matrix can put the entity at the place of its object
		}
	}
	return p.setLocal(w, local)
}

// setLocal sets the transform components of the entity so that the transform systems compose the
// given local matrix from them.
func (p *initialPlace[T]) setLocal(w *ecs.World, local transform.LocalToWorldOf[T]) error {
	move, turn, scale := local.Decompose()
	even := transform.ScaleOf[T]{Value: meanScale(scale)}
	whole := transform.LocalTransformOf[T]{
		X: move.X, Y: move.Y, Z: move.Z, Scale: even.Value,
		QX: turn.X, QY: turn.Y, QZ: turn.Z, QW: turn.W,
	}
	err := errors.Join(setIfPresent(w, p.entity, transform.LocalToParentOf[T](local)), setIfPresent(w, p.entity, move), setIfPresent(w, p.entity, turn))
	if ecs.Has[transform.NonUniformScaleOf[T]](w, p.entity) {
		err = errors.Join(err, setIfPresent(w, p.entity, scale))
	} else {
		err = errors.Join(err, setIfPresent(w, p.entity, even))
	}
	if ecs.Has[transform.PostTransformMatrixOf[T]](w, p.entity) {
		if whole.Scale == 0 {
			whole.Scale = 1
		}
		rest := multiply(whole.Inverse().Matrix(), local.M)
		err = errors.Join(err, setIfPresent(w, p.entity, transform.PostTransformMatrixOf[T]{M: rest}))
	}
	return errors.Join(err, setIfPresent(w, p.entity, whole))
}

// setIfPresent sets a component of an entity if the entity has it.
func setIfPresent[C any](w *ecs.World, e ecs.Entity, v C) error {
	if !ecs.Has[C](w, e) {
		return nil
	}
	return ecs.Set(w, e, v)
}

// meanScale returns the mean of the absolute values of three scales.
func meanScale[T kernels.Float](s transform.NonUniformScaleOf[T]) T {
	x, y, z := max(s.X, -s.X), max(s.Y, -s.Y), max(s.Z, -s.Z)
	if x == y && y == z {
		return x
	}
	return (x + y + z) / 3
}

// multiply returns a × b.
func multiply[T kernels.Float](a, b [16]T) [16]T {
	m := kernels.Mat4s[T]{M: [][16]T{a}}
	m.MulAffine(&m, &kernels.Mat4s[T]{M: [][16]T{b}})
	return m.M[0]
}
