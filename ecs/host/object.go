package host

import (
	"fmt"
	"reflect"

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
	// alone until it is back, which it is asked in every frame.
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
// of the next frame, and to what this is composed of, as far as the entity has it:
// Translation, Rotation, NonUniformScale or Scale; LocalTransform and
// PostTransformMatrix; LocalToParent. Then the tag goes.
//
// An entity with a Parent, and LocalToParent or LocalTransform, gets what puts it
// where its object is: the inverse of the parent's matrix × the object's. The
// parent's is that of its own object if it has the tag too, and otherwise what
// [transform.ComputeLocalToWorld] says.
//
// Scale, and LocalTransform without PostTransformMatrix, hold one number: of
// scales that differ it is the mean of their sizes, and a shear or a mirror image
// is lost. An entity with objects of both widths gets one copy: the first of the
// two systems takes the tag.
type CopyInitialTransform struct{}

// CopyTransformFrom takes the object's matrix to LocalToWorld in every frame. The
// systems of package transform do not compute this LocalToWorld then; children of
// the entity follow it.
type CopyTransformFrom struct{}

// CopyTransformTo takes LocalToWorld to the object, whenever it was written. While
// it is not, the object is not asked whether it is alive.
type CopyTransformTo struct{}

// GoneError says that objects are not there any more. It wraps [ecs.ErrDisposed].
// Objects are asked when something is to be copied: one that an entity at rest
// leads has gone unnoticed until that moves.
type GoneError struct {
	Entities []ecs.Entity // whose objects they were
}

// Error names the entities.
func (e *GoneError) Error() string {
	return fmt.Sprintf("host: the objects of %s are gone and are left alone: Unbind lets them go", listEntities(e.Entities))
}

// Unwrap returns [ecs.ErrDisposed].
func (e *GoneError) Unwrap() error { return ecs.ErrDisposed }

// WidthError says that entities have tags of this package and objects, and no
// LocalToWorld of the width of these, so that nothing is copied. It wraps
// [ecs.ErrState]. An entity is named once.
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

// binding is an object and the entity that it is bound to.
type binding[T kernels.Float] struct {
	entity   ecs.Entity
	object   ObjectOf[T]
	reported bool // as gone, until it is back
	astray   bool // reported as one without a matrix of its width
	late     bool // came in the place of another, or is back, and has not been told where it is
	number   uint64
}

// bindings is all bindings of a world to objects of one width, by the index of the entity.
type bindings[T kernels.Float] struct {
	byIndex []binding[T]
	owners  map[ObjectOf[T]]ecs.Entity // of the objects that can be told from others
	lost    []ecs.Entity               // whose objects were reported as gone; some may be back
	swept   uint32                     // the order count of the bound rows at the last sweep
	late    bool                       // some bindings are
	number  uint64                     // of the last binding; it never runs back
}

// bindingsKey is the key under which a world keeps its bindings.
type bindingsKey[T kernels.Float] struct{}

func bindingsOf[T kernels.Float](w *ecs.World) *bindings[T] {
	if t, ok := w.Hooks().Attached(bindingsKey[T]{}).(*bindings[T]); ok {
		return t
	}
	t := &bindings[T]{owners: map[ObjectOf[T]]ecs.Entity{}}
	w.Hooks().Attach(bindingsKey[T]{}, t)
	w.Hooks().OnCapture(func(m *ecs.Image) { m.Attach(t, t.number) })
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

// bindObject binds an object, which has no owner, to e.
func (t *bindings[T]) bindObject(e ecs.Entity, o ObjectOf[T]) {
	if n := int(e.Index) + 1; n > len(t.byIndex) {
		t.byIndex = append(t.byIndex, make([]binding[T], n-len(t.byIndex))...)
	}
	t.release(&t.byIndex[e.Index])
	t.number++
	t.byIndex[e.Index] = binding[T]{entity: e, object: o, number: t.number}
	if distinct(o) {
		t.owners[o] = e
	}
}

// release lets the object of a binding go, if it has one.
func (t *bindings[T]) release(b *binding[T]) {
	if b.object != nil && distinct(b.object) {
		delete(t.owners, b.object)
	}
	*b = binding[T]{}
}

// ownerOf returns the entity that an object is bound to, and whether there is one,
// as far as the object can be told from others.
func (t *bindings[T]) ownerOf(w *ecs.World, o ObjectOf[T]) (ecs.Entity, bool) {
	if w.InTransaction() || !distinct(o) {
		return ecs.Entity{}, false
	}
	e, ok := t.owners[o]
	if ok && !ecs.Has[Bound](w, e) { // it has ended since the last sweep
		t.release(&t.byIndex[e.Index])
		ok = false
	}
	return e, ok
}

// distinct reports whether an object is another than all that are not equal to it.
func distinct(o any) bool {
	v := reflect.ValueOf(o)
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Size() > 0 && v.Comparable() // pointers to nothing may all be equal
}

// requireWorld returns an error if the world that a call was given is nil.
func requireWorld(call string, w *ecs.World) error {
	if w != nil {
		return nil
	}
	return fmt.Errorf("host: %s: the world is nil: %w", call, ecs.ErrArgument)
}

// isNil reports whether an object is nil, or a nil pointer.
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
	if orders == t.swept {
		return
	}
	t.swept = orders
	for i := range t.byIndex {
		if b := &t.byIndex[i]; b.object != nil && !ecs.Has[Bound](w, b.entity) {
			t.release(b)
		}
	}
}

// restoreBindings releases the bindings that came after the one that was the last when the image was taken, because their ids may be those of other
// entities from now on. The image of another world has no such number, so none stays. The other objects are to be told where their entities
// are: these were put back where the image was taken, and no version tells.
func (t *bindings[T]) restoreBindings(number uint64) {
	t.late = true
	for i := range t.byIndex {
		b := &t.byIndex[i]
		if b.number > number {
			t.release(b)
		}
		b.late = b.object != nil
	}
}

// noteAlive notes that an object is alive. If it was gone it gets the matrix of its entity late, because it got none meanwhile.
func (t *bindings[T]) noteAlive(b *binding[T]) {
	b.astray = false
	if b.reported {
		b.reported, b.late, t.late = false, true, true
	}
}

// widthBindings is the bindings of one width or the other.
type widthBindings interface {
	hasObject(e ecs.Entity) bool
	noteAstray(e ecs.Entity) bool
}

// hasObject reports whether e has an object.
func (t *bindings[T]) hasObject(e ecs.Entity) bool { return t.bindingOf(e) != nil }

// otherWidthOf returns the bindings of the width that T is not.
func otherWidthOf[T kernels.Float](w *ecs.World) widthBindings {
	if narrow := widthBindings(bindingsOf[float32](w)); narrow != widthBindings(bindingsOf[T](w)) {
		return narrow
	}
	return bindingsOf[float64](w)
}

// noteAstray notes that e has no matrix for its object, and reports whether that is
// new.
func (t *bindings[T]) noteAstray(e ecs.Entity) bool {
	b := t.bindingOf(e)
	if b == nil || b.astray {
		return false
	}
	b.astray = true
	return true
}

// Bind binds an object and an entity to each other, in the place of the one that it may have,
// and marks the entity as [Bound]. The world keeps the object alive until Unbind,
// or until a frame after the entity has ended. An [ecs.Restore] also lets go of the objects that were bound
// after the image was taken, because their ids may be those of other entities by then; an object that was let go meanwhile is not bound
// again. After the world was restored from another world's image, none is bound.
//
// An object has one entity: the error wraps [ecs.ErrState] if it is bound to
// another one of this world. That is known of objects that can be compared, as
// pointers can.
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
	if !added { // no version tells of the new object
		t.byIndex[e.Index].late, t.late = true, true
	}
	return nil
}

// Unbind lets the object of an entity go, and takes [Bound] and the tags of this
// package from the entity, which stays. An entity that has an object of the other
// width too keeps that, with Bound and the tags. Unbind reports whether there was
// an object of width T.
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

// BoundTo returns the object that an entity is bound to, and whether it has one. It panics if the world is nil.
func BoundTo[T kernels.Float](w *ecs.World, e ecs.Entity) (ObjectOf[T], bool) {
	if err := requireWorld("BoundTo", w); err != nil {
		panic(err)
	}
	if b := bindingsOf[T](w).bindingOf(e); b != nil && w.Exists(e) {
		return b.object, true
	}
	return nil, false
}
