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

// Ref refers to a blob: immutable data of type T, with arrays, strings and pointers inside, in one
// block of memory. Any component may contain a Ref. A Ref has eight bytes, and refers to the same
// blob in every world of the process. Two references are equal by == if and only if they refer to
// the same blob. The zero Ref is null.
//
// T is a struct or another type that contains no Go pointers. In place of a slice, string or
// pointer, T contains an [Array], a [String] or a [Ptr]. New creates a blob and Dispose destroys
// it. References are not counted. New, Dispose and reads of a blob are safe for concurrent use.
//
// Copying an entity copies its references to blobs, and destroying the entity removes these
// references. The blobs themselves are neither copied nor disposed. The hash of a world
// (ecs.World.Hash) does not depend on the blobs to which its components refer. If a blob
// contains entity ids, these do not change when entities are copied or moved.
type Ref[T any] struct {
	_  [0]*T // prevents conversions between references to different types
	id slotID
}

// slotID identifies a blob: it is an index of the table of blobs, and the number of earlier uses
// of this index. No blob has index 0.
type slotID struct{ index, version uint32 }

// blob is the target of a Ref. It is immutable.
type blob struct {
	id       slotID
	rootType typeID // type of the root
	layout   *layout
	data     []byte // aligned to soa.Align; the root is at its start
	pieces   []piece
}

// Get returns the root, which the caller must not write. Get panics with an error of category
// ErrArgument if b is zero, and ErrDisposed if the blob was disposed. Get takes no lock and does
// not allocate.
//
// The memory stays readable after Dispose, but the methods of its arrays, strings and pointers then
// panic. The methods of an array, string or pointer depend on its address. Call them through the
// pointer that Get returns, for example
//
//	b.Get().Points.Slice()
//
// and do not copy an array, string or pointer, or a struct that contains one, to a variable.
func (b Ref[T]) Get() *T {
	d := blobTable.lookup(b.id)
	if d == nil || d.rootType != typeIDOf[T]() {
		panic(b.fault("Ref.Get", d))
	}
	return rootIn[T](d.data)
}

// Exists reports whether b refers to a blob that has not been disposed.
func (b Ref[T]) Exists() bool { return blobTable.lookup(b.id) != nil }

// Dispose destroys the blob. After Dispose, using a reference to the blob is an error. The
// garbage collector frees the memory of the blob when no Go pointer refers to it. If the
// blob was disposed before, the error is of category ErrDisposed. If b is zero, the error
// is of category ErrArgument.
func (b Ref[T]) Dispose() error {
	if !blobTable.removeBlob(b.id) {
		return b.fault("Ref.Dispose", nil)
	}
	return nil
}

// fault returns the error for a reference that refers to no blob of type T. The parameter d is the
// blob that was found, or nil.
func (b Ref[T]) fault(op string, d *blob) *failure {
	switch {
	case b.id.index == 0:
		return fault(ErrArgument, op, "the reference is to no blob: New and Load make one")
	case d != nil:
		return fault(ErrArgument, op, "the reference was made up: its blob is a %v", d.layout.types[0].typ)
	}
	return fault(ErrDisposed, op, "the blob was disposed")
}

// Count returns the number of blobs in the process that have not been disposed.
func Count() int {
	blobTable.Lock()
	defer blobTable.Unlock()
	return blobTable.liveCount
}

// blobTable holds all blobs of the process.
var blobTable idTable

// idTable finds blobs by their ids. Finding a blob takes no lock. If there are too few slots, a
// longer slice replaces the old slice.
type idTable struct {
	// The lock guards writes to slots and to its elements, but readers do not take it.
	// Reading without the lock is safe because a blob is complete before it is stored, and
	// because a reader compares the version in the blob.
	slots atomic.Pointer[[]atomic.Pointer[blob]]

	sync.Mutex          // guards the fields below, and writes to slots
	versions   []uint32 // version of the current or the next blob of each slot
	freeSlots  []uint32 // slots without a blob; the last one is used next
	liveCount  int
}

// lookup returns the blob with the given id, or nil.
func (t *idTable) lookup(id slotID) *blob {
	if slots := t.slots.Load(); slots != nil && uint(id.index) < uint(len(*slots)) {
		if d := (*slots)[id.index].Load(); d != nil && d.id == id {
			return d
		}
	}
	return nil
}

// reserveID reserves an id for a blob; publish adds the blob later.
func (t *idTable) reserveID() slotID {
	t.Lock()
	defer t.Unlock()
	if len(t.freeSlots) == 0 {
		t.grow()
	}
	last := len(t.freeSlots) - 1
	index := t.freeSlots[last]
	t.freeSlots = t.freeSlots[:last]
	return slotID{index, t.versions[index]}
}

// grow doubles the number of slots.
func (t *idTable) grow() {
	old, n := []atomic.Pointer[blob](nil), 16
	if p := t.slots.Load(); p != nil {
		old, n = *p, 2*len(*p)
	}
	slots := make([]atomic.Pointer[blob], n)
	for i := range old {
		slots[i].Store(old[i].Load())
	}
	for i := n - 1; i >= max(len(old), 1); i-- {
		t.freeSlots = append(t.freeSlots, uint32(i))
	}
	for len(t.versions) < n {
		t.versions = append(t.versions, 1)
	}
	t.slots.Store(&slots)
}

// publish makes a blob with a reserved id available.
func (t *idTable) publish(d *blob) {
	t.Lock()
	defer t.Unlock()
	(*t.slots.Load())[d.id.index].Store(d)
	t.liveCount++
}

// removeBlob removes a blob, and reports whether the table contained it.
func (t *idTable) removeBlob(id slotID) bool {
	t.Lock()
	defer t.Unlock()
	if t.lookup(id) == nil {
		return false
	}
	(*t.slots.Load())[id.index].Store(nil)
	t.liveCount--
	if id.version < math.MaxUint32 { // after its last version, a slot is never used again
		t.versions[id.index]++
		t.freeSlots = append(t.freeSlots, id.index)
	}
	return true
}

// Any is a [Ref] of any type. It is for packages that write worlds to files, and therefore
// handle components as bytes in memory. Two values are equal by == if and only if they have the
// same type and refer to the same blob.
type Any struct {
	typ reflect.Type // Ref[T]
	id  slotID
}

// anyRef is implemented by every Ref type and by the pointers to it.
type anyRef interface {
	asAny() Any
	rootType() reflect.Type
	layout(op string) (*layout, error)
}

func (b Ref[T]) asAny() Any                      { return Any{reflect.TypeFor[Ref[T]](), b.id} }
func (Ref[T]) rootType() reflect.Type            { return reflect.TypeFor[T]() }
func (Ref[T]) layout(op string) (*layout, error) { return layoutOf[T](op) }
func (b *Ref[T]) refer(id slotID)                { b.id = id }
func zeroRef(t reflect.Type) anyRef              { return reflect.Zero(t).Interface().(anyRef) }

// RootType returns the type of the blobs that a field of type t refers to, if t is a Ref. The
// second result reports whether t is a Ref.
func RootType(t reflect.Type) (root reflect.Type, is bool) {
	if !isRef(t) {
		return nil, false
	}
	return zeroRef(t).rootType(), true
}

// Of returns v, which must be a Ref, as an Any. It panics with an error of category ErrArgument if
// v is not a Ref.
func Of(v any) Any {
	b, ok := v.(anyRef)
	if !ok {
		panic(fault(ErrArgument, "Of", "a %v is no Ref", reflect.TypeOf(v)))
	}
	return b.asAny()
}

// At returns the blob that a field of type t refers to. The parameter memory holds the eight bytes
// of the field, for example in a lane of an ecs.ImageColumn. It panics with an error of category
// ErrArgument if t is not a Ref.
func At(t reflect.Type, memory []byte) Any {
	if !isRef(t) {
		panic(fault(ErrArgument, "At", "a %v is no Ref", t))
	}
	return Any{t, slotID{binary.NativeEndian.Uint32(memory), binary.NativeEndian.Uint32(memory[4:])}}
}

// Put stores the reference in the eight bytes of a field, so that At can read it.
func (b Any) Put(memory []byte) {
	binary.NativeEndian.PutUint32(memory, b.id.index)
	binary.NativeEndian.PutUint32(memory[4:], b.id.version)
}

// Value returns the Ref. The type of the result is the type from which the Any was created.
func (b Any) Value() any {
	p := reflect.New(b.typ)
	p.Interface().(interface{ refer(slotID) }).refer(b.id)
	return p.Elem().Interface()
}

// Type returns the Ref's type.
func (b Any) Type() reflect.Type { return b.typ }

// Null reports whether b is the null reference.
func (b Any) Null() bool { return b.id == slotID{} }

// Exists reports whether b refers to a blob of its type that has not been disposed.
func (b Any) Exists() bool {
	d := blobTable.lookup(b.id)
	return d != nil && d.rootType == typeIDOfType(zeroRef(b.typ).rootType())
}

// Dispose destroys the blob, as [Ref.Dispose] does.
func (b Any) Dispose() error {
	const op = "Any.Dispose"
	switch {
	case b.Null():
		return fault(ErrArgument, op, "the reference is to no blob")
	case !b.Exists() || !blobTable.removeBlob(b.id):
		return fault(ErrDisposed, op, "the blob was disposed")
	}
	return nil
}

// These are the categories of errors, for errors.Is. They are the same values as in package ecs.
// For example, an error of category blob.ErrState is also an error of category ecs.ErrState.
var (
	// ErrArgument says that an argument can never be valid: a type that a blob cannot contain,
	// wrong bytes, or the zero Ref.
	ErrArgument = category.ErrArgument

	// ErrState says that the call is not valid at this time or on this value. For example, the
	// array was copied out of its blob, or the function that received the builder has returned.
	ErrState = category.ErrState

	// ErrDisposed says that the blob was disposed.
	ErrDisposed = category.ErrDisposed

	// ErrRange says that an index is out of range.
	ErrRange = category.ErrRange
)

// failure is the type of all errors and panics of this package.
type failure struct {
	category error
	op, text string // the function, and the message with its remedy
	cause    error  // may be nil
}

// fault returns an error of op.
func fault(category error, op, text string, args ...any) *failure {
	return &failure{category: category, op: op, text: fmt.Sprintf(text, args...)}
}

// withCause adds a cause to an error.
func (f *failure) withCause(err error) *failure { f.cause = err; return f }

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
