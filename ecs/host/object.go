package host

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// ObjectOf is an object of the application that has a place in the world. Its methods are called by
// the goroutine that updates the world.
type ObjectOf[T kernels.Float] interface {
	// WorldMatrix returns the matrix from the object's space to the world, column by column.
	WorldMatrix() [16]T

	// SetWorldMatrix moves the object to the place of the matrix.
	SetWorldMatrix(m [16]T)

	// Alive reports whether the object still exists. If it returns false, the object is skipped,
	// and asked again in every frame.
	Alive() bool
}

// Objects in both widths.
type (
	Object   = ObjectOf[float32]
	Object64 = ObjectOf[float64]
)

// Bound is a component of every entity that has an object, and of copies of such entities.
type Bound struct{}

// CopyInitialTransform copies the object's matrix to LocalToWorld at the beginning of the next
// frame, and to those of the following components that the entity has, so that they make the same
// matrix: Translation, Rotation, NonUniformScale or Scale; LocalTransform and PostTransformMatrix;
// LocalToParent. Then the tag is removed.
//
// An entity with a Parent and with LocalToParent or LocalTransform gets the local matrix that puts
// it at its object's place: the inverse of the parent's matrix × the object's matrix. If the parent
// has the tag too, its matrix is that of its own object; otherwise it is the result of
// [transform.ComputeLocalToWorld].
//
// Scale, and LocalTransform without PostTransformMatrix, hold a single scale. If the scales of the
// axes differ, it is the mean of their absolute values, and a shear or a mirror image is lost. An
// entity with objects of both widths gets the matrix of only one, because the first of the two
// systems removes the tag.
type CopyInitialTransform struct{}

// CopyTransformFrom copies the object's matrix to LocalToWorld in every frame. The systems of
// package transform then do not compute this LocalToWorld; children of the entity follow it.
type CopyTransformFrom struct{}

// CopyTransformTo copies LocalToWorld to the object whenever it was written. While it is not
// written, the object is not asked whether it is alive.
type CopyTransformTo struct{}

// GoneError reports objects that are not alive any more. It wraps [ecs.ErrDisposed]. An object is
// asked only when a matrix is to be copied; therefore, if its entity has CopyTransformTo and does
// not move, the report comes when the entity moves.
type GoneError struct {
	Entities []ecs.Entity // the entities of the objects
}

// Error names the entities.
func (e *GoneError) Error() string {
	return fmt.Sprintf("host: the objects of %s are gone and are left alone: Unbind lets them go", listEntities(e.Entities))
}

// Unwrap returns [ecs.ErrDisposed].
func (e *GoneError) Unwrap() error { return ecs.ErrDisposed }

// WidthError reports entities that have an object and tags of this package, but no LocalToWorld of
// the object's width, so that nothing can be copied. It wraps [ecs.ErrState]. An entity is reported
// once.
type WidthError struct {
	Entities []ecs.Entity
}

// Error names the entities.
func (e *WidthError) Error() string {
	return fmt.Sprintf("host: %s have objects, no LocalToWorld of the width of these, and nothing is copied: give them LocalToWorld or LocalToWorld64 as their objects have it", listEntities(e.Entities))
}

// Unwrap returns [ecs.ErrState].
func (e *WidthError) Unwrap() error { return ecs.ErrState }

// listEntities names the first entities of a list.
func listEntities(list []ecs.Entity) string {
	if len(list) > 8 {
		return fmt.Sprintf("%v and %d more", list[:8], len(list)-8)
	}
	return fmt.Sprint(list)
}

// binding is an object together with its entity.
type binding[T kernels.Float] struct {
	entity             ecs.Entity
	object             ObjectOf[T]
	reportedGone       bool // was reported as gone, and is not back
	reportedMatrixless bool // was reported as an entity without a matrix of the object's width
	needsMatrix        bool // the object has replaced another or is back, and has not got its matrix yet
	serial             uint64
}

// bindings holds all bindings of a world to objects of one width, by the index of the entity.
type bindings[T kernels.Float] struct {
	byIndex        []binding[T]
	owners         map[ObjectOf[T]]ecs.Entity // of the comparable objects
	goneEntities   []ecs.Entity               // entities whose objects were reported as gone; some may be back
	sweptOrder     uint32                     // the order count of the bound rows at the last sweep
	anyNeedsMatrix bool                       // needsMatrix is set in some bindings
	lastSerial     uint64                     // number of the last binding; it never decreases
}

// bindingsKey is the key under which a world keeps its bindings.
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

// bindObject binds an object without an owner to e.
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

// release releases the object of a binding, if it has one.
func (t *bindings[T]) release(b *binding[T]) {
	if b.object != nil && isComparable(b.object) {
		delete(t.owners, b.object)
	}
	*b = binding[T]{}
}

// ownerOf returns the entity of an object, and whether it has one. It finds only comparable
// objects.
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

// isComparable reports whether an object can be told from all other objects by ==.
func isComparable(o any) bool {
	v := reflect.ValueOf(o)
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Size() > 0 && v.Comparable() // pointers to values without size may all be equal
}

// requireWorld returns an error if w is nil.
func requireWorld(call string, w *ecs.World) error {
	if w != nil {
		return nil
	}
	return fmt.Errorf("host: %s: the world is nil: %w", call, ecs.ErrArgument)
}

// isNil reports whether an object is nil or a nil pointer.
func isNil(o any) bool {
	if o == nil {
		return true
	}
	v := reflect.ValueOf(o)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// describe returns the type of an object, and its name if it has one.
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

// restoreBindings releases the bindings with numbers above that of the last one when the image was
// taken, because their ids may belong to other entities from now on. The image of another world has
// no such number, so it keeps none. The other objects need their matrices, because the restored matrices
// have old versions.
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

// noteAlive notes that an object is alive. If it was gone it needs its matrix, because it got none
// meanwhile.
func (t *bindings[T]) noteAlive(b *binding[T]) {
	b.reportedMatrixless = false
	if b.reportedGone {
		b.reportedGone, b.needsMatrix, t.anyNeedsMatrix = false, true, true
	}
}

// widthBindings is the bindings of either width.
type widthBindings interface {
	hasObject(e ecs.Entity) bool
	noteMatrixless(e ecs.Entity) bool
}

// hasObject reports whether e has an object.
func (t *bindings[T]) hasObject(e ecs.Entity) bool { return t.bindingOf(e) != nil }

// otherWidthOf returns the bindings of the other width than T.
func otherWidthOf[T kernels.Float](w *ecs.World) widthBindings {
	if narrow := widthBindings(bindingsOf[float32](w)); narrow != widthBindings(bindingsOf[T](w)) {
		return narrow
	}
	return bindingsOf[float64](w)
}

// noteMatrixless notes that e has no matrix for its object, and reports whether that is new.
func (t *bindings[T]) noteMatrixless(e ecs.Entity) bool {
	b := t.bindingOf(e)
	if b == nil || b.reportedMatrixless {
		return false
	}
	b.reportedMatrixless = true
	return true
}

// Bind binds an object to an entity, in place of the object that the entity may have, and adds
// [Bound] to the entity. The world keeps the object alive until Unbind, or until the first frame
// after the entity was destroyed. [ecs.Restore] releases the objects that were bound after the
// image was taken, because their ids may belong to other entities then. It does not bind objects
// again that were released since. If the image is from another world, it releases all objects.
//
// An object has one entity. If it is bound to another entity of the world, Bind returns an error
// that wraps [ecs.ErrState]. Bind notices that only for objects that are comparable, such as
// pointers. Only the owner of w may call Bind.
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
// the entity. If the entity also has an object of the other width, that one stays, with Bound and
// the tags. Unbind reports whether there was an object of width T.
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

// BoundTo returns the object of an entity, and whether it has one. It panics if the world is nil.
func BoundTo[T kernels.Float](w *ecs.World, e ecs.Entity) (ObjectOf[T], bool) {
	if err := requireWorld("BoundTo", w); err != nil {
		panic(err)
	}
	if b := bindingsOf[T](w).bindingOf(e); b != nil && w.Exists(e) {
		return b.object, true
	}
	return nil, false
}
