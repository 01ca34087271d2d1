package system

import (
	"fmt"
	"io"
	"reflect"
	"runtime/debug"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Resource is a T that a world has once, beside its entities: a grid, a table, a slice
// that jobs of several systems share. Its type is declared like a component,
//
//	u.Query(ecs.Read[Position](), ecs.Write[system.Resource[Grid]]())
//	u.Access(ecs.Read[system.Resource[Grid]]())
//
// and jobs are ordered by it as by a component, wherever their queries look: what writes
// it is alone, those that read it run at once. That is between jobs: the chunks of one
// are done at once, by different workers, and those must not write the same place.
// [ResourceOf] gives the resource of a world; keep it in the system.
//
// It is no part of World.Hash unless T, or *T, has a method Hash() uint64; then it is,
// as soon as it was asked for. It ends with its world, behind the systems, when Close
// of T or *T is called where there is one of [io.Closer]. Neither moves of entities to
// another world nor copies take it along. No image has it, and Restore leaves its value as it is: build
// it in each tick before it is read, or make the system that owns it a [Saver].
type Resource[T any] struct {
	ecs.Worldwide
	world  *ecs.World
	index  int // in accesses
	reads  access.Access
	writes access.Access
	ended  bool
	value  T
}

// ResourceOf returns the resource T of w, the same every time; the first call makes
// it, of the zero T. It is for the owner of the world, as in Create, and panics in a
// job, and on a world that is nil or closed.
func ResourceOf[T any](w *ecs.World) *Resource[T] {
	const call = "ResourceOf"
	r := attachmentFor(call, w)
	for _, known := range r.resources {
		if own, ok := known.(*Resource[T]); ok {
			own.open(call)
			return own
		}
	}
	own := &Resource[T]{world: w}
	if err := r.open(fmt.Sprintf("make Resource[%v]", reflect.TypeFor[T]())); err != nil {
		panic(err)
	}
	if err := w.Scheduler().Await(&r.idle); err != nil {
		panic(err)
	}
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(w.Scheduler().AddAccess(&own.reads, ecs.Read[Resource[T]]()))
	must(w.Scheduler().AddAccess(&own.writes, ecs.Write[Resource[T]]()))
	for own.index = range own.writes.Write.All() {
	}
	w.Hooks().OnHash(ecs.ComponentName(own.index), own.hash)
	r.resources = append(r.resources, own)
	return own
}

// Read returns the value to be looked at by the owner of the world, after the jobs that
// write it. It is good until the next job that writes is scheduled. It panics in a job,
// and if a job that writes has failed.
func (r *Resource[T]) Read() *T { return r.own("Read", &r.reads) }

// Write is Read for changing the value, after the jobs that read or write it. It is good
// until the next job that touches the resource is scheduled.
func (r *Resource[T]) Write() *T { return r.own("Write", &r.writes) }

func (r *Resource[T]) own(method string, a *access.Access) *T {
	r.open(method)
	if err := r.world.Scheduler().Await(a); err != nil {
		panic(err)
	}
	return &r.value
}

// ReadIn returns the value to be looked at by a job over a query, or a loop, that is
// given chunk c. It is good until the job is done, and panics unless the query declares
// to Read or Write the resource.
func (r *Resource[T]) ReadIn(c *ecs.Chunk) *T {
	r.open("ReadIn")
	if reads, _ := c.Declares(r.world, r.index); !reads {
		panic(r.undeclared("ReadIn", "the query does not declare it: add ecs.Read"))
	}
	return &r.value
}

// WriteIn is ReadIn for changing the value, and panics unless the query declares to
// Write the resource. Jobs of other queries are kept away; other chunks of this job are
// not.
func (r *Resource[T]) WriteIn(c *ecs.Chunk) *T {
	r.open("WriteIn")
	switch reads, writes := c.Declares(r.world, r.index); {
	case writes:
	case reads:
		panic(r.undeclared("WriteIn", "the query only reads it: declare ecs.Write"))
	default:
		panic(r.undeclared("WriteIn", "the query does not declare it: add ecs.Write"))
	}
	return &r.value
}

// ReadBy returns the value to be looked at by a job that is not over a query and was
// scheduled with access a, of Setup.Access. It is good until the job is done, and panics
// unless the access declares to Read or Write the resource.
func (r *Resource[T]) ReadBy(a *access.Access) *T {
	r.open("ReadBy")
	if a == nil || !a.Read.Has(r.index) && !a.Write.Has(r.index) {
		panic(r.undeclared("ReadBy", "the access does not declare it: add ecs.Read"))
	}
	return &r.value
}

// WriteBy is ReadBy for changing the value, and panics unless the access declares to
// Write the resource.
func (r *Resource[T]) WriteBy(a *access.Access) *T {
	r.open("WriteBy")
	switch {
	case a != nil && a.Write.Has(r.index):
	case a != nil && a.Read.Has(r.index):
		panic(r.undeclared("WriteBy", "the access only reads it: declare ecs.Write"))
	default:
		panic(r.undeclared("WriteBy", "the access does not declare it: add ecs.Write"))
	}
	return &r.value
}

// open panics if the world of the resource is closed.
func (r *Resource[T]) open(method string) {
	if r.ended {
		panic(r.fault(method, ecs.ErrDisposed, "world %q is closed", r.world.Name()))
	}
	if r.world == nil {
		panic(r.fault(method, ecs.ErrArgument, "the resource is of no world: get it from ResourceOf"))
	}
}

// undeclared says that a job does not declare what it does.
func (r *Resource[T]) undeclared(method, text string) error {
	return r.fault(method, ecs.ErrState, "%s[system.Resource[%v]]()", text, reflect.TypeFor[T]())
}

func (r *Resource[T]) fault(method string, category error, text string, args ...any) error {
	return fmt.Errorf("system: Resource[%v]: %s: %s: %w", reflect.TypeFor[T](), method, fmt.Sprintf(text, args...), category)
}

// hash returns the hash that the value says itself.
func (r *Resource[T]) hash() (hash uint64, has bool) {
	h, has := methods[interface{ Hash() uint64 }](&r.value)
	if has {
		hash = h.Hash()
	}
	return hash, has
}

// end closes the value with its world.
func (r *Resource[T]) end() (err error) {
	r.ended = true
	c, ok := methods[io.Closer](&r.value)
	if !ok {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Method: "Close", Value: v, Stack: debug.Stack()}
		}
		if err != nil {
			err = fmt.Errorf("system: Resource[%v]: Close: %w", reflect.TypeFor[T](), err)
		}
	}()
	return c.Close()
}

// methods returns the value as one of methods, which may be those of T or of *T.
func methods[M, T any](value *T) (M, bool) {
	if m, ok := any(value).(M); ok {
		return m, true
	}
	var none M
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Interface: // those of others are among those of *T
		m, ok := any(*value).(M)
		return m, ok
	}
	return none, false
}
