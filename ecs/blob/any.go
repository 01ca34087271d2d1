package blob

import (
	"encoding/binary"
	"reflect"
)

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
// of a lane of an images.Part. It panics with an error of category ErrArgument if t is no Ref.
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
	d := blobs.find(b.id)
	return d != nil && d.root == idOfType(zeroOf(b.typ).rootType())
}

// Dispose ends the blob, as [Ref.Dispose] does.
func (b Any) Dispose() error {
	const op = "Any.Dispose"
	switch {
	case b.Null():
		return fault(ErrArgument, op, "the reference is to no blob")
	case !b.Exists() || !blobs.remove(b.id):
		return fault(ErrDisposed, op, "the blob was disposed")
	}
	return nil
}
