package tool

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// ValueOf returns the component of type t that e has: [ecs.Get] is what others use. A buffer comes
// as a slice of its elements, a copy; an [ecs.PerChunk] with the value of e's chunk; a tag as its zero
// value. It first completes jobs that write the component. The error is of category ErrArgument if e
// does not exist, or has no such component.
func ValueOf(w *ecs.World, e ecs.Entity, t reflect.Type) (any, error) {
	return dynamic.ValueOf(w, e, t)
}

// HeadOf is [ValueOf] that copies no more than the first n elements of a buffer, and says how
// many there are in all: 0 of what is no buffer.
func HeadOf(w *ecs.World, e ecs.Entity, t reflect.Type, n int) (v any, elements int, err error) {
	return dynamic.HeadOf(w, e, t, n)
}

// SetValueOf gives e another value of a component that it has: [ecs.Set] is what others use. It marks
// the component as changed, and first completes jobs that touch it. The error is of category
// ErrArgument, and nothing is changed, if e does not exist, has no such component, or that is shared,
// managed, a buffer, of chunks, or a tag: these have no value in the row.
func SetValueOf(w *ecs.World, e ecs.Entity, v any) error { return dynamic.SetValueOf(w, e, v) }

// PutValueOf gives e a value of a component of type t, which it may lack: [ecs.Add] is what others
// use. The value is as [ValueOf] returns it: a slice of the elements of a buffer,
// the value of the chunk for an [ecs.PerChunk]. It marks the component as changed, and first completes jobs
// that touch it. The error is of category ErrArgument, and nothing is changed, if e does not exist, t is
// no component, or the value is of another type.
func PutValueOf(w *ecs.World, e ecs.Entity, t reflect.Type, v any) error {
	return dynamic.PutValueOf(w, e, t, v)
}

// EnabledOf reports whether the component of type t that e has is on, as [ecs.Enabled] does. What
// cannot be off is on. Errors are those of [ValueOf].
func EnabledOf(w *ecs.World, e ecs.Entity, t reflect.Type) (bool, error) {
	return dynamic.EnabledOf(w, e, t)
}

// SetEnabledOf is [ecs.SetEnabled] of a type that is known at run time only.
func SetEnabledOf(w *ecs.World, e ecs.Entity, t reflect.Type, on bool) error {
	return dynamic.SetEnabledOf(w, e, t, on)
}

// CreateSharing is [ecs.World.Create] of entities whose shared components have the given values; those
// that are not given have their zero value. The error is of category ErrArgument, and nothing is
// made, if one of them is no shared component of the archetype, two are of one type, or w.Create
// would panic.
func CreateSharing(w *ecs.World, a ecs.Archetype, n int, values ...any) (ecs.Created, error) {
	return dynamic.CreateSharing(w, a, n, values...)
}
