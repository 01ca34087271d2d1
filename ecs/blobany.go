package ecs

import (
	"encoding/binary"
	"reflect"
)

// AnyBlob is a [Blob] of any type: what packages have of it that write worlds to files, to which
// components are memory. It is equal by == to one of the same blob.
type AnyBlob struct {
	typ reflect.Type // Blob[T]
	id  blobID
}

// anyBlob is implemented by every Blob, and its pointer.
type anyBlob interface {
	anyBlob() AnyBlob
	blobRoot() reflect.Type
	layout(op string) (*blobLayout, error)
}

func (b Blob[T]) anyBlob() AnyBlob                    { return AnyBlob{reflect.TypeFor[Blob[T]](), b.id} }
func (Blob[T]) blobRoot() reflect.Type                { return reflect.TypeFor[T]() }
func (Blob[T]) layout(op string) (*blobLayout, error) { return layoutOf[T](op) }
func (b *Blob[T]) refer(id blobID)                    { b.id = id }
func blobOf(t reflect.Type) anyBlob                   { return reflect.Zero(t).Interface().(anyBlob) }

// BlobType returns the type of what a blob contains to which fields of type t refer; false
// if t is no Blob.
func BlobType(t reflect.Type) (root reflect.Type, is bool) {
	if !isBlob(t) {
		return nil, false
	}
	return blobOf(t).blobRoot(), true
}

// BlobOf returns a Blob as an AnyBlob. It panics with an *Error if v is none.
func BlobOf(v any) AnyBlob {
	b, ok := v.(anyBlob)
	if !ok {
		panic(fault(ErrArgument, "BlobOf", "a %v is no Blob", reflect.TypeOf(v)))
	}
	return b.anyBlob()
}

// BlobAt returns the blob that a field of type t refers to, of which memory is given: eight bytes
// of a lane of [ImagePart]. It panics with an *Error if t is no Blob.
func BlobAt(t reflect.Type, memory []byte) AnyBlob {
	if !isBlob(t) {
		panic(fault(ErrArgument, "BlobAt", "a %v is no Blob", t))
	}
	return AnyBlob{t, blobID{binary.NativeEndian.Uint32(memory), binary.NativeEndian.Uint32(memory[4:])}}
}

// Put makes the memory of a field refer to the blob: what BlobAt reads.
func (b AnyBlob) Put(memory []byte) {
	binary.NativeEndian.PutUint32(memory, b.id.index)
	binary.NativeEndian.PutUint32(memory[4:], b.id.version)
}

// Value returns the Blob, of the type that the AnyBlob was made of.
func (b AnyBlob) Value() any {
	p := reflect.New(b.typ)
	p.Interface().(interface{ refer(blobID) }).refer(b.id)
	return p.Elem().Interface()
}

// Type returns the Blob's type.
func (b AnyBlob) Type() reflect.Type { return b.typ }

// Null reports whether it refers to no blob.
func (b AnyBlob) Null() bool { return b.id == blobID{} }

// Exists reports whether it refers to a blob of its type that was not disposed.
func (b AnyBlob) Exists() bool {
	d := blobs.find(b.id)
	return d != nil && d.root == typeKey(blobOf(b.typ).blobRoot())
}

// Dispose ends the blob, as [Blob.Dispose] does.
func (b AnyBlob) Dispose() error {
	const op = "AnyBlob.Dispose"
	switch {
	case b.Null():
		return fault(ErrArgument, op, "the reference is to no blob")
	case !b.Exists() || !blobs.remove(b.id):
		return fault(ErrDisposed, op, "the blob was disposed")
	}
	return nil
}

// blobFields are the references to blobs in a value.
type blobReference struct {
	at  uintptr
	typ reflect.Type
}

// blobsOf appends the places of references to blobs in a value of type t.
func blobsOf(t reflect.Type, at uintptr, list []blobReference) []blobReference {
	switch {
	case isBlob(t):
		return append(list, blobReference{at, t})
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			list = blobsOf(f.Type, at+f.Offset, list)
		}
	case t.Kind() == reflect.Array && t.Len() > 0:
		if len(blobsOf(t.Elem(), 0, nil)) == 0 {
			return list
		}
		for i := range t.Len() {
			list = blobsOf(t.Elem(), at+uintptr(i)*t.Elem().Size(), list)
		}
	}
	return list
}

// danglingBlob returns the first value of some size that has a reference to a blob which is not there, or -1.
func danglingBlob(values []byte, size int, refs []blobReference) int {
	for row := 0; len(refs) > 0 && len(values) >= size; row++ {
		for _, r := range refs {
			if b := BlobAt(r.typ, values[r.at:]); !b.Null() && !b.Exists() {
				return row
			}
		}
		values = values[size:]
	}
	return -1
}
