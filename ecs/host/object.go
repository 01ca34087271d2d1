package host

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ObjectOf is an object of the application that has a place in the world. The goroutine that
// updates the world calls its methods.
type ObjectOf[T kernels.Float] interface {
	// WorldMatrix returns the matrix from the object's space to the world, in column-major order.
	WorldMatrix() [16]T

	// SetWorldMatrix moves the object to the place that the matrix describes.
	SetWorldMatrix(m [16]T)

	// Alive reports whether the object still exists. If Alive returns false, the object is skipped,
	// and Alive is called again in every frame.
	Alive() bool
}

// These are the object types for both widths.
type (
	Object   = ObjectOf[float32]
	Object64 = ObjectOf[float64]
)

// Bound is a component of every entity with an object, and of copies of such entities.
type Bound struct{}

// CopyInitialTransform copies the object's matrix to LocalToWorld at the beginning of the next
// frame. It also sets the following components, if the entity has them, so that they produce
// the same matrix: Translation, Rotation, NonUniformScale or Scale; LocalTransform and
// PostTransformMatrix; LocalToParent. After that, the systems remove the tag.
//
// If an entity has a Parent, and LocalToParent or LocalTransform, it gets the local matrix that
// puts it at its object's place. The local matrix is the product of the inverse of the parent's
// matrix and the object's matrix. If the parent has the tag too, the parent's matrix is the
// matrix of the parent's object. Otherwise the parent's matrix is the result of
// [transform.ComputeLocalToWorld].
//
// Scale, and LocalTransform without PostTransformMatrix, can store only one scale for all axes. If
// the scales of the axes differ, the stored scale is the mean of their absolute values, and a shear
// or a mirror image is lost. If an entity has objects of both widths, it gets the matrix of only
// one of them, because the first of the two systems removes the tag.
type CopyInitialTransform struct{}

// CopyTransformFrom copies the object's matrix to LocalToWorld in every frame. The systems of
// package transform then do not compute this LocalToWorld. Children of the entity follow it.
type CopyTransformFrom struct{}

// CopyTransformTo copies LocalToWorld to the object whenever LocalToWorld was written. Otherwise
// the object's Alive method is not called.
type CopyTransformTo struct{}

// GoneError reports objects that are no longer alive. A GoneError wraps
// [ecs.ErrDisposed]. The systems call an object's method Alive only when they are about
// to copy a matrix. So if an entity has CopyTransformTo, a dead object is reported only
// when the entity moves.
type GoneError struct {
	Entities []ecs.Entity // the entities of the objects
}

// Error returns a text that names the entities.
func (e *GoneError) Error() string {
	return fmt.Sprintf("host: the objects of %s are gone and are left alone: Unbind lets them go", listEntities(e.Entities))
}

// Unwrap returns [ecs.ErrDisposed].
func (e *GoneError) Unwrap() error { return ecs.ErrDisposed }

// WidthError reports entities that have an object and a tag of this package, but no LocalToWorld of
// the object's width. No matrix can be copied for these entities. A WidthError wraps
// [ecs.ErrState]. Each entity is reported once.
type WidthError struct {
	Entities []ecs.Entity
}

// Error returns a text that names the entities.
func (e *WidthError) Error() string {
	return fmt.Sprintf("host: %s have objects, no LocalToWorld of the width of these, and nothing is copied: give them LocalToWorld or LocalToWorld64 as their objects have it", listEntities(e.Entities))
}

// Unwrap returns [ecs.ErrState].
func (e *WidthError) Unwrap() error { return ecs.ErrState }

// listEntities returns a text with the first entities of a list.
func listEntities(list []ecs.Entity) string {
	if len(list) > 8 {
		return fmt.Sprintf("%v and %d more", list[:8], len(list)-8)
	}
	return fmt.Sprint(list)
}

// binding holds an object and its entity.
type binding[T kernels.Float] struct {
	entity             ecs.Entity
	object             ObjectOf[T]
	reportedGone       bool // the object was reported as not alive, and is not alive again
	reportedMatrixless bool // the entity was reported because it has no matrix of the object's width
	needsMatrix        bool // the object has replaced another one or is alive again, and has not yet got its matrix
	serial             uint64
}

// bindings holds all bindings of a world to objects of one width. The index of the entity is the
// index of the binding.
type bindings[T kernels.Float] struct {
	byIndex        []binding[T]
	owners         map[ObjectOf[T]]ecs.Entity // maps each comparable object to its entity
	goneEntities   []ecs.Entity               // entities whose objects were reported as not alive; some may be alive again
	sweptOrder     uint32                     // order count of the query of bound entities at the last sweep
	anyNeedsMatrix bool                       // some binding has needsMatrix set
	lastSerial     uint64                     // serial of the newest binding; it never decreases
}

// bindingsKey is the key under which a world stores its bindings.
type bindingsKey[T kernels.Float] struct{}

func bindingsOf[T kernels.Float](w *ecs.World) *bindings[T] {
	if t, ok := w.Hooks().Attached(bindingsKey[T]{}).(*bindings[T]); ok {
		return t
	}
	t := &bindings[T]{owners: map[ObjectOf[T]]ecs.Entity{}}
	w.Hooks().Attach(bindingsKey[T]{}, t)
	w.Hooks().OnCapture(func(m *ecs.Image) { m.Attach(t, t.lastSerial) })
	w.Hooks().OnRestore(func(m *ecs.Image) {
		number, _ := m.Attached(t).(uint64)
		t.restoreBindings(number)
	})
	return t
}

// bindingOf returns the binding of e, or nil.
func (t *bindings[T]) bindingOf(e ecs.Entity) *binding[T] {
	if int(e.Index) >= len(t.byIndex) {
		return nil
	}
	if b := &t.byIndex[e.Index]; b.object != nil && b.entity == e {
		return b
	}
	return nil
}

// bindObject binds an object that has no owner to e.
func (t *bindings[T]) bindObject(e ecs.Entity, o ObjectOf[T]) {
	if n := int(e.Index) + 1; n > len(t.byIndex) {
		t.byIndex = append(t.byIndex, make([]binding[T], n-len(t.byIndex))...)
	}
	t.release(&t.byIndex[e.Index])
	t.lastSerial++
	t.byIndex[e.Index] = binding[T]{entity: e, object: o, serial: t.lastSerial}
	if isComparable(o) {
		t.owners[o] = e
	}
}

// release releases the object of a binding, if there is one.
func (t *bindings[T]) release(b *binding[T]) {
	if b.object != nil && isComparable(b.object) {
		delete(t.owners, b.object)
	}
	*b = binding[T]{}
}

// ownerOf returns the entity of an object, and whether the object is bound. It finds only objects
// that are comparable.
func (t *bindings[T]) ownerOf(w *ecs.World, o ObjectOf[T]) (ecs.Entity, bool) {
	if w.InTransaction() || !isComparable(o) {
		return ecs.Entity{}, false
	}
	e, ok := t.owners[o]
	if ok && !ecs.Has[Bound](w, e) { // the entity was destroyed since the last sweep
		t.release(&t.byIndex[e.Index])
		ok = false
	}
	return e, ok
}

// isComparable reports whether == can compare the object, and distinguishes it from all other
// objects.
func isComparable(o any) bool {
	v := reflect.ValueOf(o)
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Size() > 0 && v.Comparable() // pointers to values of size 0 may all be equal
}

// requireWorld returns an error if w is nil.
func requireWorld(call string, w *ecs.World) error {
	if w != nil {
		return nil
	}
	return fmt.Errorf("host: %s: the world is nil: %w", call, ecs.ErrArgument)
}

// isNil reports whether an object is nil, a nil pointer or a nil function.
func isNil(o any) bool {
	switch v := reflect.ValueOf(o); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func:
		return v.IsNil()
	}
	return false
}

// describe returns a text with the type of an object, and its name if there is one.
func describe(o any) string {
	switch named := o.(type) {
	case interface{ Name() string }:
		return fmt.Sprintf("a %T %q", o, named.Name())
	case fmt.Stringer:
		return fmt.Sprintf("a %T %q", o, named)
	}
	return fmt.Sprintf("a %T", o)
}

// releaseDead releases the objects of entities that were destroyed.
func (t *bindings[T]) releaseDead(w *ecs.World, q *ecs.Query) {
	orders := q.OrderCount()
	if orders == t.sweptOrder {
		return
	}
	t.sweptOrder = orders
	for i := range t.byIndex {
		if b := &t.byIndex[i]; b.object != nil && !ecs.Has[Bound](w, b.entity) {
			t.release(b)
		}
	}
}

// restoreBindings releases the bindings that are newer than the image. The parameter number is the
// serial number of the newest binding at the time when the image was taken. These bindings are
// released because the ids of their entities may now belong to other entities. If the image is
// from another world, it has no such number, and restoreBindings releases all bindings. It marks
// the remaining bindings with needsMatrix, because the restored matrices have old change versions.
func (t *bindings[T]) restoreBindings(number uint64) {
	t.anyNeedsMatrix = true
	for i := range t.byIndex {
		b := &t.byIndex[i]
		if b.serial > number {
			t.release(b)
		}
		b.needsMatrix = b.object != nil
	}
}

// noteAlive records that an object is alive. If the object was not alive before, it now needs its
// matrix, because it got no matrix while it was not alive.
func (t *bindings[T]) noteAlive(b *binding[T]) {
	b.reportedMatrixless = false
	if b.reportedGone {
		b.reportedGone, b.needsMatrix, t.anyNeedsMatrix = false, true, true
	}
}

// widthBindings is implemented by the bindings of each width.
type widthBindings interface {
	hasObject(e ecs.Entity) bool
	noteMatrixless(e ecs.Entity) bool
}

// hasObject reports whether e has an object.
func (t *bindings[T]) hasObject(e ecs.Entity) bool { return t.bindingOf(e) != nil }

// otherWidthOf returns the bindings to objects whose width is not T.
func otherWidthOf[T kernels.Float](w *ecs.World) widthBindings {
	if narrow := widthBindings(bindingsOf[float32](w)); narrow != widthBindings(bindingsOf[T](w)) {
		return narrow
	}
	return bindingsOf[float64](w)
}

// noteMatrixless records that e has no matrix for its object, and reports whether this is new.
func (t *bindings[T]) noteMatrixless(e ecs.Entity) bool {
	b := t.bindingOf(e)
	if b == nil || b.reportedMatrixless {
		return false
	}
	b.reportedMatrixless = true
	return true
}

// Bind binds an object to an entity and adds [Bound] to the entity. If the entity already has an
// object, the new object replaces it. The world keeps the object alive until Unbind is called, or
// until the first frame after the entity was destroyed. [ecs.Restore] releases the objects that
// were bound after the image was taken, because the ids of their entities may belong to other
// entities after the Restore. Restore does not rebind objects that were released after the image
// was taken. If the image is from another world, Restore releases all objects.
//
// An object can be bound to only one entity. If the object is already bound to another entity of
// the world, Bind returns an error that wraps [ecs.ErrState]. Bind can detect this only for
// objects that are comparable, such as pointers. Only the owner of w may call Bind.
func Bind[T kernels.Float](w *ecs.World, e ecs.Entity, o ObjectOf[T]) error {
	if err := requireWorld("Bind", w); err != nil {
		return err
	}
	if isNil(o) {
		return fmt.Errorf("host: Bind: entity %v: the object is nil: %w", e, ecs.ErrArgument)
	}
	t := bindingsOf[T](w)
	if owner, ok := t.ownerOf(w, o); ok && owner != e && w.Exists(e) {
		return fmt.Errorf("host: Bind: entity %v: the object, %s, is bound to %v: Unbind lets it go, or let %[1]v follow %[3]v by Parent: %w", e, describe(o), owner, ecs.ErrState)
	}
	added, err := ecs.Ensure[Bound](w, e)
	if err != nil {
		return fmt.Errorf("host: Bind: %w", err)
	}
	t.bindObject(e, o)
	if !added { // no change version shows that the object is new
		t.byIndex[e.Index].needsMatrix, t.anyNeedsMatrix = true, true
	}
	return nil
}

// Unbind releases the object of an entity, and removes [Bound] and the tags of this package from
// the entity. If the entity also has an object of the other width, that object, Bound and the tags
// stay. Unbind reports whether there was an object of width T.
func Unbind[T kernels.Float](w *ecs.World, e ecs.Entity) (bool, error) {
	if err := requireWorld("Unbind", w); err != nil {
		return false, err
	}
	t := bindingsOf[T](w)
	b := t.bindingOf(e)
	if b == nil {
		return false, nil
	}
	if w.Exists(e) && !otherWidthOf[T](w).hasObject(e) {
		if err := ecs.RemoveTypes(w, ecs.One(e), ecs.With[Bound](), ecs.With[CopyInitialTransform](), ecs.With[CopyTransformFrom](), ecs.With[CopyTransformTo]()); err != nil {
			return false, fmt.Errorf("host: Unbind: %w", err)
		}
	}
	t.release(b)
	return true, nil
}

// BoundTo returns the object of an entity, and whether the entity has one. BoundTo panics if the
// world is nil.
func BoundTo[T kernels.Float](w *ecs.World, e ecs.Entity) (ObjectOf[T], bool) {
	if err := requireWorld("BoundTo", w); err != nil {
		panic(err)
	}
	if b := bindingsOf[T](w).bindingOf(e); b != nil && w.Exists(e) {
		return b.object, true
	}
	return nil, false
}
