package host

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ObjectOf is an object of the application that stands somewhere in the world.
type ObjectOf[T kernels.Float] interface {
	// WorldMatrix returns the matrix that takes points of the object's space to
	// the world's, column by column.
	WorldMatrix() [16]T

	// SetWorldMatrix puts the object where the matrix says.
	SetWorldMatrix(m [16]T)

	// Alive reports whether the object is still there. One that is not is left
	// alone from then on.
	Alive() bool
}

// Objects in both widths.
type (
	Object   = ObjectOf[float32]
	Object64 = ObjectOf[float64]
)

// Bound is on every entity that has an object, or is a copy of one that has.
type Bound struct{}

// CopyInitialTransform takes the object's matrix to LocalToWorld at the beginning
// of the next frame, and to Translation, Rotation and NonUniformScale of a root
// that has them. Then it goes.
type CopyInitialTransform struct{}

// CopyTransformFrom takes the object's matrix to LocalToWorld in every frame. The
// systems of package transform do not compute this LocalToWorld then; children of
// the entity follow it.
type CopyTransformFrom struct{}

// CopyTransformTo takes LocalToWorld to the object, whenever it was written.
type CopyTransformTo struct{}

// GoneError says that objects are not there any more. It wraps [ecs.ErrDisposed].
type GoneError struct {
	Entities []ecs.Entity // whose objects they were
}

// Error names the entities.
func (e *GoneError) Error() string {
	list, more := e.Entities, ""
	if len(list) > 8 {
		list, more = list[:8], fmt.Sprintf(" and %d more", len(list)-8)
	}
	return fmt.Sprintf("host: the objects of %v%s are gone and are left alone: Destroy lets them go", list, more)
}

// Unwrap returns [ecs.ErrDisposed].
func (e *GoneError) Unwrap() error { return ecs.ErrDisposed }

// binding is an object and the entity that it is bound to.
type binding[T kernels.Float] struct {
	entity   ecs.Entity
	object   ObjectOf[T]
	reported bool // as gone
	late     bool // came in the place of another, and has not been told where it is
}

// table is the bindings of a world, by the index of the entity.
type table[T kernels.Float] struct {
	bindings []binding[T]
	swept    uint32 // the order count of the bound rows at the last sweep
	late     bool   // some bindings are
}

// tableKey is the key under which a world keeps its table.
type tableKey[T kernels.Float] struct{}

func tableOf[T kernels.Float](w *ecs.World) *table[T] {
	if t, ok := w.Attached(tableKey[T]{}).(*table[T]); ok {
		return t
	}
	t := &table[T]{}
	w.Attach(tableKey[T]{}, t)
	return t
}

// find returns the binding of e, or nil.
func (t *table[T]) find(e ecs.Entity) *binding[T] {
	if int(e.Index) >= len(t.bindings) {
		return nil
	}
	if b := &t.bindings[e.Index]; b.object != nil && b.entity == e {
		return b
	}
	return nil
}

// put binds an object to e.
func (t *table[T]) put(e ecs.Entity, o ObjectOf[T]) {
	if n := int(e.Index) + 1; n > len(t.bindings) {
		t.bindings = append(t.bindings, make([]binding[T], n-len(t.bindings))...)
	}
	t.bindings[e.Index] = binding[T]{entity: e, object: o}
}

// sweep lets go the objects of entities that are no more.
func (t *table[T]) sweep(w *ecs.World, q *ecs.Query) {
	orders := q.OrderCount()
	if orders == t.swept {
		return
	}
	t.swept = orders
	for i := range t.bindings {
		if b := &t.bindings[i]; b.object != nil && !ecs.HasComponent[Bound](w, b.entity) {
			*b = binding[T]{}
		}
	}
}

// living returns the object of e if it has one that is still there. One that is
// gone is added to gone the first time.
func (t *table[T]) living(e ecs.Entity, gone *[]ecs.Entity) ObjectOf[T] {
	b := t.find(e)
	if b == nil {
		return nil
	}
	if b.object.Alive() {
		return b.object
	}
	if !b.reported {
		b.reported = true
		*gone = append(*gone, e)
	}
	return nil
}

// Inject binds an object to an entity, in the place of the one that it may have,
// and marks the entity as [Bound]. The world keeps the object alive until Destroy,
// or until a frame after the entity has ended.
func Inject[T kernels.Float](w *ecs.World, e ecs.Entity, o ObjectOf[T]) error {
	if o == nil {
		return fmt.Errorf("host: Inject: entity %v: the object is nil: %w", e, ecs.ErrArgument)
	}
	added, err := ecs.Ensure[Bound](w, e)
	if err != nil {
		return fmt.Errorf("host: Inject: %w", err)
	}
	t := tableOf[T](w)
	t.put(e, o)
	if !added { // no version tells of the new object
		t.bindings[e.Index].late, t.late = true, true
	}
	return nil
}

// Destroy lets the object of an entity go, and takes [Bound] and the tags of this
// package from the entity, which stays. It reports whether there was an object.
func Destroy[T kernels.Float](w *ecs.World, e ecs.Entity) (bool, error) {
	t := tableOf[T](w)
	b := t.find(e)
	if b == nil {
		return false, nil
	}
	if w.Exists(e) {
		if _, err := w.RemoveTypes(e, ecs.With[Bound](), ecs.With[CopyInitialTransform](), ecs.With[CopyTransformFrom](), ecs.With[CopyTransformTo]()); err != nil {
			return false, fmt.Errorf("host: Destroy: %w", err)
		}
	}
	*b = binding[T]{}
	return true, nil
}

// Of returns the object of an entity, and whether it has one.
func Of[T kernels.Float](w *ecs.World, e ecs.Entity) (ObjectOf[T], bool) {
	if b := tableOf[T](w).find(e); b != nil && w.Exists(e) {
		return b.object, true
	}
	return nil, false
}
