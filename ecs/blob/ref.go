package blob

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/category"
)

// Ref refers to a blob: data that does not change, of a type T with arrays,
// strings and pointers inside, in one piece of memory. It may stand in any
// component; it is eight bytes, and means the same in every world of the
// process. References are equal by == if and only if they are to the same blob; the zero Ref
// refers to none.
//
// T is a struct, or another type, without Go pointers. Where it needs a slice,
// a string or a pointer, it has an [Array], a [String] or a [Ptr].
// New makes a blob, Dispose ends it; references to it are not counted. Any
// goroutine may do either, and any number of them may read.
//
// Copying, moving and destroying entities copies and drops references, not
// blobs. World.Hash of package ecs does not see which blob a reference is to. Ids of entities
// inside a blob stay what they are when entities are copied or moved.
type Ref[T any] struct {
	_  [0]*T // references to different types do not convert
	id slotID
}

// slotID is an index of the table of blobs, and how often it was used before.
// Index 0 is that of no blob.
type slotID struct{ index, version uint32 }

// blob is what a Ref refers to. It does not change.
type blob struct {
	id     slotID
	root   typeID // its type
	layout *layout
	data   []byte // aligned to soa.Align; begins with the root
	pieces []piece
}

// Get returns the data, which must not be written. It panics if
// there is none, with an error of category ErrArgument if b is zero, ErrDisposed if the blob
// was disposed.
//
// The pointer is plain memory: it stays good for reading after Dispose, but what
// is behind the arrays, strings and pointers does not. These know the place where
// they are: read them through the pointer, as in
//
//	b.Get().Points.Slice()
//
// and do not copy them, or what they are part of, to a variable.
func (b Ref[T]) Get() *T {
	d := blobs.lookup(b.id)
	if d == nil || d.root != idOf[T]() {
		panic(b.fault("Ref.Get", d))
	}
	return rootIn[T](d.data)
}

// Exists reports whether b refers to a blob that was not disposed.
func (b Ref[T]) Exists() bool { return blobs.lookup(b.id) != nil }

// Dispose ends the blob. Using a reference to it is an error from now on; its
// memory goes when no Go pointer leads to it. It returns an error of category
// ErrDisposed if the blob was disposed before, ErrArgument if b is zero.
func (b Ref[T]) Dispose() error {
	if !blobs.removeBlob(b.id) {
		return b.fault("Ref.Dispose", nil)
	}
	return nil
}

// fault says why there is no T for b; d is what there is.
func (b Ref[T]) fault(op string, d *blob) *failure {
	switch {
	case b.id.index == 0:
		return fault(ErrArgument, op, "the reference is to no blob: New and Load make one")
	case d != nil:
		return fault(ErrArgument, op, "the reference was made up: its blob is a %v", d.layout.types[0].typ)
	}
	return fault(ErrDisposed, op, "the blob was disposed")
}

// Count returns how many blobs there are in the process: those that were
// made and not disposed.
func Count() int {
	blobs.Lock()
	defer blobs.Unlock()
	return blobs.live
}

// blobs are all blobs of the process.
var blobs table

// table finds blobs by their ids. Finding takes no lock: the slots are
// replaced by a longer list when there are too few.
type table struct {
	// slots and what is in it are stored under the lock and read without: a blob is whole before it
	// is stored, and a reader compares the version that it finds in it.
	slots atomic.Pointer[[]atomic.Pointer[blob]]

	sync.Mutex          // of all below, and of writing to slots
	versions   []uint32 // of each slot: that of the next or the present blob
	free       []uint32 // slots without a blob, the next to be used last
	live       int
}

// lookup returns the blob with an id, or nil if there is none.
func (t *table) lookup(id slotID) *blob {
	if slots := t.slots.Load(); slots != nil && uint(id.index) < uint(len(*slots)) {
		if d := (*slots)[id.index].Load(); d != nil && d.id == id {
			return d
		}
	}
	return nil
}

// reserveID returns the id of a blob that is going to be added.
func (t *table) reserveID() slotID {
	t.Lock()
	defer t.Unlock()
	if len(t.free) == 0 {
		t.grow()
	}
	last := len(t.free) - 1
	index := t.free[last]
	t.free = t.free[:last]
	return slotID{index, t.versions[index]}
}

// grow makes twice as many slots.
func (t *table) grow() {
	old, n := []atomic.Pointer[blob](nil), 16
	if p := t.slots.Load(); p != nil {
		old, n = *p, 2*len(*p)
	}
	slots := make([]atomic.Pointer[blob], n)
	for i := range old {
		slots[i].Store(old[i].Load())
	}
	for i := n - 1; i >= max(len(old), 1); i-- {
		t.free = append(t.free, uint32(i))
	}
	for len(t.versions) < n {
		t.versions = append(t.versions, 1)
	}
	t.slots.Store(&slots)
}

// publish makes a blob known, whose id was reserved.
func (t *table) publish(d *blob) {
	t.Lock()
	defer t.Unlock()
	(*t.slots.Load())[d.id.index].Store(d)
	t.live++
}

// removeBlob forgets a blob, and reports whether it was there.
func (t *table) removeBlob(id slotID) bool {
	t.Lock()
	defer t.Unlock()
	if t.lookup(id) == nil {
		return false
	}
	(*t.slots.Load())[id.index].Store(nil)
	t.live--
	if id.version < math.MaxUint32 { // a slot that has had all versions rests for ever
		t.versions[id.index]++
		t.free = append(t.free, id.index)
	}
	return true
}

// Any is a [Ref] of any type: what packages have of it that write worlds to files, to which
// components are memory. It is equal by == to one of the same blob.
type Any struct {
	typ reflect.Type // Ref[T]
	id  slotID
}

// anyRef is implemented by every Ref, and its pointer.
type anyRef interface {
	asAny() Any
	rootType() reflect.Type
	layout(op string) (*layout, error)
}

func (b Ref[T]) asAny() Any                      { return Any{reflect.TypeFor[Ref[T]](), b.id} }
func (Ref[T]) rootType() reflect.Type            { return reflect.TypeFor[T]() }
func (Ref[T]) layout(op string) (*layout, error) { return layoutOf[T](op) }
func (b *Ref[T]) refer(id slotID)                { b.id = id }
func zeroOf(t reflect.Type) anyRef               { return reflect.Zero(t).Interface().(anyRef) }

// RootType returns the type of what a blob contains to which fields of type t refer; false
// if t is no Ref.
func RootType(t reflect.Type) (root reflect.Type, is bool) {
	if !isRef(t) {
		return nil, false
	}
	return zeroOf(t).rootType(), true
}

// Of returns a Ref as an Any. It panics with an error of category ErrArgument if v is none.
func Of(v any) Any {
	b, ok := v.(anyRef)
	if !ok {
		panic(fault(ErrArgument, "Of", "a %v is no Ref", reflect.TypeOf(v)))
	}
	return b.asAny()
}

// At returns the blob that a field of type t refers to, of which memory is given: eight bytes
// of a lane of an ecs.ImageColumn. It panics with an error of category ErrArgument if t is no Ref.
func At(t reflect.Type, memory []byte) Any {
	if !isRef(t) {
		panic(fault(ErrArgument, "At", "a %v is no Ref", t))
	}
	return Any{t, slotID{binary.NativeEndian.Uint32(memory), binary.NativeEndian.Uint32(memory[4:])}}
}

// Put makes the memory of a field refer to the blob: what At reads.
func (b Any) Put(memory []byte) {
	binary.NativeEndian.PutUint32(memory, b.id.index)
	binary.NativeEndian.PutUint32(memory[4:], b.id.version)
}

// Value returns the Ref, of the type that the Any was made of.
func (b Any) Value() any {
	p := reflect.New(b.typ)
	p.Interface().(interface{ refer(slotID) }).refer(b.id)
	return p.Elem().Interface()
}

// Type returns the Ref's type.
func (b Any) Type() reflect.Type { return b.typ }

// Null reports whether it refers to no blob.
func (b Any) Null() bool { return b.id == slotID{} }

// Exists reports whether it refers to a blob of its type that was not disposed.
func (b Any) Exists() bool {
	d := blobs.lookup(b.id)
	return d != nil && d.root == idOfType(zeroOf(b.typ).rootType())
}

// Dispose ends the blob, as [Ref.Dispose] does.
func (b Any) Dispose() error {
	const op = "Any.Dispose"
	switch {
	case b.Null():
		return fault(ErrArgument, op, "the reference is to no blob")
	case !b.Exists() || !blobs.removeBlob(b.id):
		return fault(ErrDisposed, op, "the blob was disposed")
	}
	return nil
}

// The categories of errors, for errors.Is. Those of package ecs are the same: what is a blob.ErrState is an
// ecs.ErrState.
var (
	// ErrArgument says that an argument can never be right: a type that cannot be in a blob, wrong bytes, the zero Ref.
	ErrArgument = category.ErrArgument

	// ErrState says that the call is right, but not now, or not there: an array that was copied out of its blob, a
	// builder after its end.
	ErrState = category.ErrState

	// ErrDisposed says that the blob was disposed.
	ErrDisposed = category.ErrDisposed

	// ErrRange says that an index is out of range.
	ErrRange = category.ErrRange
)

// failure is what everything here returns or panics with.
type failure struct {
	category error
	op, text string // the function; what is wrong, and the remedy
	cause    error  // if there is one
}

// fault makes an error of op.
func fault(category error, op, text string, args ...any) *failure {
	return &failure{category: category, op: op, text: fmt.Sprintf(text, args...)}
}

// because gives an error its cause.
func (f *failure) because(err error) *failure { f.cause = err; return f }

// Error returns the whole message on one line.
func (f *failure) Error() string {
	if f.cause == nil {
		return fmt.Sprintf("blob: %s: %s", f.op, f.text)
	}
	return fmt.Sprintf("blob: %s: %s: %v", f.op, f.text, f.cause)
}

// Unwrap returns the category and the cause.
func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.category}
	}
	return []error{f.category, f.cause}
}
