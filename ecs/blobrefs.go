package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/blob"
)

// isBlob reports whether a field of type t is a reference to a blob.
func isBlob(t reflect.Type) bool {
	_, is := blob.RootType(t)
	return is
}

// blobReference is a reference to a blob in a value.
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
			if b := blob.At(r.typ, values[r.at:]); !b.Null() && !b.Exists() {
				return row
			}
		}
		values = values[size:]
	}
	return -1
}
