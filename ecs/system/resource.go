package system

import (
	"fmt"
	"io"
	"reflect"
	"runtime/debug"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Resource is a value of type T that exists once in a world and belongs to no entity: for example a
// grid, a table, or a slice that jobs of several systems share. Systems declare it like a
// component:
//
//	u.Query(ecs.Read[Position](), ecs.Write[system.Resource[Grid]]())
//	u.Access(ecs.Read[system.Resource[Grid]]())
//
// A Resource orders jobs as a component does, but the archetypes of their queries do not matter: a
// job that writes the resource runs alone, and jobs that read it may run at the same time. This
// order is between jobs. The chunks of one job run at the same time on different workers, so they
// must not write the same memory.
//
// World.Hash does not include the value, unless T or *T has a method Hash() uint64. With that
// method, the value is hashed after the first call of [ResourceOf]. When the world is closed, the
// resource is removed after the systems. If T or *T is an [io.Closer], Close is called. If entities
// are moved or copied to another world, the resource is not. Images do not contain the resource,
// and Restore does not change it. Therefore compute its value in each tick before it is read, or
// make the system to which it belongs a [Saver].
type Resource[T any] struct {
	ecs.Worldwide
	world  *ecs.World
	index  int // index of the resource's bit in accesses
	reads  access.Access
	writes access.Access
	ended  bool
	value  T
}

// ResourceOf returns the resource of type T of w. The first call creates it with the zero T. Later
// calls return the same one. A system calls ResourceOf in Create and stores the result. Only the
// owner of the world may call ResourceOf. ResourceOf panics in a job, and if w is nil or closed.
func ResourceOf[T any](w *ecs.World) *Resource[T] {
	const call = "ResourceOf"
	r := attachmentFor(call, w)
	for _, known := range r.resources {
		if own, ok := known.(*Resource[T]); ok {
			own.mustBeOpen(call)
			return own
		}
	}
	own := &Resource[T]{world: w}
	if err := r.checkOpen(fmt.Sprintf("make Resource[%v]", reflect.TypeFor[T]())); err != nil {
		panic(err)
	}
	if err := w.Scheduler().Await(&r.emptyAccess); err != nil {
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

// Read waits for the jobs that write the value, and returns a pointer through which the owner may
// read the value. The pointer is valid until the next job that writes the resource is scheduled.
// Read panics in a job, and if a job that writes the resource has failed.
func (r *Resource[T]) Read() *T { return r.valueFor("Read", &r.reads) }

// Write waits for the jobs that read or write the value, and returns a pointer through which the
// owner may change the value. The pointer is valid until the next job that uses the resource is
// scheduled. Write panics as [Resource.Read] does.
func (r *Resource[T]) Write() *T { return r.valueFor("Write", &r.writes) }

func (r *Resource[T]) valueFor(method string, a *access.Access) *T {
	r.mustBeOpen(method)
	if err := r.world.Scheduler().Await(a); err != nil {
		panic(err)
	}
	return &r.value
}

// ReadIn returns the value for reading. ReadIn is for a job over a query, or a loop, that processes
// chunk c. The pointer is valid until the job has finished. ReadIn panics unless the query declares
// ecs.Read or ecs.Write of the resource.
func (r *Resource[T]) ReadIn(c *ecs.Chunk) *T {
	r.mustBeOpen("ReadIn")
	if reads, _ := c.Declares(r.world, r.index); !reads {
		panic(r.undeclaredError("ReadIn", "the query does not declare it: add ecs.Read"))
	}
	return &r.value
}

// WriteIn returns the value for changing. WriteIn is for a job over a query, or a loop, that
// processes chunk c. WriteIn panics unless the query declares ecs.Write of the resource. Jobs of
// other queries do not run at the same time, but other chunks of the same job do. The writes of
// two chunks must not touch the same memory.
func (r *Resource[T]) WriteIn(c *ecs.Chunk) *T {
	r.mustBeOpen("WriteIn")
	switch reads, writes := c.Declares(r.world, r.index); {
	case writes:
	case reads:
		panic(r.undeclaredError("WriteIn", "the query only reads it: declare ecs.Write"))
	default:
		panic(r.undeclaredError("WriteIn", "the query does not declare it: add ecs.Write"))
	}
	return &r.value
}

// ReadBy returns the value for reading. ReadBy is for a job that is not over a query and that
// was scheduled with an access a from Setup.Access. The pointer is valid until the job has
// finished. ReadBy panics unless the access declares ecs.Read or ecs.Write of the resource.
func (r *Resource[T]) ReadBy(a *access.Access) *T {
	r.mustBeOpen("ReadBy")
	if a == nil || !a.Read.Has(r.index) && !a.Write.Has(r.index) {
		panic(r.undeclaredError("ReadBy", "the access does not declare it: add ecs.Read"))
	}
	return &r.value
}

// WriteBy returns the value for changing, as ReadBy does for reading. WriteBy panics unless the
// access declares ecs.Write of the resource.
func (r *Resource[T]) WriteBy(a *access.Access) *T {
	r.mustBeOpen("WriteBy")
	switch {
	case a != nil && a.Write.Has(r.index):
	case a != nil && a.Read.Has(r.index):
		panic(r.undeclaredError("WriteBy", "the access only reads it: declare ecs.Write"))
	default:
		panic(r.undeclaredError("WriteBy", "the access does not declare it: add ecs.Write"))
	}
	return &r.value
}

// mustBeOpen panics if the world of the resource is closed.
func (r *Resource[T]) mustBeOpen(method string) {
	if r.ended {
		panic(r.fault(method, ecs.ErrDisposed, "world %q is closed", r.world.Name()))
	}
	if r.world == nil {
		panic(r.fault(method, ecs.ErrArgument, "the resource is of no world: get it from ResourceOf"))
	}
}

// undeclaredError returns the error for a job that uses the resource without declaring it.
func (r *Resource[T]) undeclaredError(method, text string) error {
	return r.fault(method, ecs.ErrState, "%s[system.Resource[%v]]()", text, reflect.TypeFor[T]())
}

func (r *Resource[T]) fault(method string, category error, text string, args ...any) error {
	return fmt.Errorf("system: Resource[%v]: %s: %s: %w", reflect.TypeFor[T](), method, fmt.Sprintf(text, args...), category)
}

// hash returns the hash of the value, and whether the value's type has a method Hash.
func (r *Resource[T]) hash() (hash uint64, has bool) {
	h, has := asInterface[interface{ Hash() uint64 }](&r.value)
	if has {
		hash = h.Hash()
	}
	return hash, has
}

// end closes the value when its world is closed.
func (r *Resource[T]) end() (err error) {
	r.ended = true
	c, ok := asInterface[io.Closer](&r.value)
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

// asInterface returns *value or value as an M, if one of them has the methods.
func asInterface[M, T any](value *T) (M, bool) {
	if m, ok := any(value).(M); ok {
		return m, true
	}
	var none M
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Interface: // for other kinds the method set of *T includes that of T
		m, ok := any(*value).(M)
		return m, ok
	}
	return none, false
}
