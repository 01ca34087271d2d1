package ecs

import (
	"fmt"
	"math"
	"reflect"

	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/soa"
)

// describePerChunk finds the component that holds the values of the chunks.
func (c *component) describePerChunk(inner reflect.Type) error {
	own, err := componentOf("PerChunk", inner)
	if err != nil {
		return err
	}
	if own.kind&^(isCleanup|isTag) != 0 {
		return fmt.Errorf("a chunk component is plain data, or data that embeds Cleanup: %v is not", inner)
	}
	c.perChunkValue = own
	c.refOffsets = appendRefOffsets(c.typ, 0, nil)
	c.boxedRefOffsets = c.refOffsets // no column stores the value, so Commands.Spawn keeps it in an interface until playback
	return nil
}

// describeBuffer builds the lanes of a buffer component: the head, and the elements that fit in the
// chunk. Heap blocks are stored outside the chunk, because chunk memory has no Go pointers.
func (c *component) describeBuffer(elem reflect.Type) error {
	parts, err := soa.Lanes(reflect.ArrayOf(1, elem))
	if err != nil {
		return fmt.Errorf("its elements: %w", err)
	}
	if len(parts) == 0 {
		return fmt.Errorf("its elements have no data")
	}
	size := parts[0].Size // computed with the alignment rules of 64-bit CPUs, so that chunks have the same layout everywhere
	inline := int(defaultInlineBytes / size)
	zero := reflect.Zero(elem).Interface()
	if own, ok := zero.(interface{ InlineCapacity() int }); ok {
		inline = own.InlineCapacity()
	}
	switch {
	case inline < 0:
		return fmt.Errorf("InlineCapacity is %d; 0 puts all elements on the heap", inline)
	case uintptr(inline) > math.MaxInt32/size:
		return fmt.Errorf("InlineCapacity is %d: a chunk has no room for %d elements of %d bytes", inline, inline, size)
	}
	if c.lanes, err = soa.Lanes(reflect.TypeFor[bufferHead]()); err != nil {
		return err
	}
	if inline > 0 {
		room, err := soa.Lanes(reflect.ArrayOf(inline, elem))
		if err != nil {
			return err
		}
		c.lanes = append(c.lanes, room...)
	}
	c.kind |= kindOf(zero)
	c.refOffsets = appendRefOffsets(elem, 0, nil)
	c.buffer = bufferType{elem, int(elem.Size()), inline, numberRunsOf(elem)}
	return nil
}

// bufferType describes the elements of a buffer component.
type bufferType struct {
	elem        reflect.Type
	elemSize    int // size of an element, in bytes
	inlineCount int // number of elements that the chunk has room for
	numberRuns  []numberRun
}

// describeWorldwide returns the description of a Worldwide type.
func describeWorldwide(t reflect.Type) *component {
	return &component{key: typeKey(t), typ: t, name: fullName(t), worldwide: true}
}

// checkManagedView returns an error if the view of a managed component is not a slice of its type.
func (c *component) checkManagedView(view reflect.Type) error {
	if view != reflect.SliceOf(c.typ) {
		return fmt.Errorf("the view of its method Column does not fit: a managed component has no lanes, its column is a []%v", c.typ)
	}
	return nil
}

// bufferHead is the part of a buffer that is always in the chunk. It holds the number of elements,
// and the capacity minus InlineCapacity, which may be negative. A row of zeros is an empty buffer,
// so new rows need no other initialization.
type bufferHead [2]int32

// defaultInlineBytes is the size of the elements in the chunk if the element type has no method
// InlineCapacity.
const defaultInlineBytes = 128

// holdsInterface reports whether a value of the comparable type t can contain an interface. If so,
// comparing two values can panic.
func holdsInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return holdsInterface(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsInterface(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// firstIncomparable returns the type of the first part of a value that == cannot compare, or nil if
// there is none.
func firstIncomparable(v reflect.Value) reflect.Type {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return firstIncomparable(v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if t := firstIncomparable(v.Index(i)); t != nil {
				return t
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if t := firstIncomparable(v.Field(i)); t != nil {
				return t
			}
		}
	case reflect.Slice, reflect.Map, reflect.Func:
		return v.Type()
	}
	return nil
}

// equalsItself reports whether v == v. It is false for a value with a NaN.
func equalsItself(v any) bool {
	same := v
	return v == same
}

// equalWithNaN reports whether a == b, where every NaN equals every other NaN. World.Hash uses the
// same equality.
func equalWithNaN(a, b reflect.Value) bool {
	if a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
		a, b = a.Elem(), b.Elem()
	}
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return !a.IsValid() && !b.IsValid()
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return equalFloatsWithNaN(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return equalFloatsWithNaN(real(x), real(y)) && equalFloatsWithNaN(imag(x), imag(y))
	case reflect.Array:
		same := true
		for i := 0; i < a.Len() && same; i++ {
			same = equalWithNaN(a.Index(i), b.Index(i))
		}
		return same
	case reflect.Struct:
		same := true
		for i := 0; i < a.NumField() && same; i++ {
			same = a.Type().Field(i).Name == "_" || equalWithNaN(a.Field(i), b.Field(i))
		}
		return same
	}
	return a.Equal(b)
}

func equalFloatsWithNaN(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// isBlobRef reports whether a field of type t is a reference to a blob.
func isBlobRef(t reflect.Type) bool {
	_, is := blob.RootType(t)
	return is
}

// blobReference holds the offset and the type of a blob reference in a value.
type blobReference struct {
	offset uintptr
	typ    reflect.Type
}

// appendBlobRefs appends the offsets of all blob references in a value of type t.
func appendBlobRefs(t reflect.Type, at uintptr, list []blobReference) []blobReference {
	switch {
	case isBlobRef(t):
		return append(list, blobReference{at, t})
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			list = appendBlobRefs(f.Type, at+f.Offset, list)
		}
	case t.Kind() == reflect.Array && t.Len() > 0:
		if len(appendBlobRefs(t.Elem(), 0, nil)) == 0 {
			return list
		}
		for i := range t.Len() {
			list = appendBlobRefs(t.Elem(), at+uintptr(i)*t.Elem().Size(), list)
		}
	}
	return list
}

// indexOfDanglingBlob returns the index of the first value that refers to a blob that does not exist.
// Values have the given size in bytes. indexOfDanglingBlob returns -1 if all blobs exist.
func indexOfDanglingBlob(values []byte, size int, refs []blobReference) int {
	for row := 0; len(refs) > 0 && len(values) >= size; row++ {
		for _, r := range refs {
			if b := blob.At(r.typ, values[r.offset:]); !b.Null() && !b.Exists() {
				return row
			}
		}
		values = values[size:]
	}
	return -1
}
