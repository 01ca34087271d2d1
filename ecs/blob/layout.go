package blob

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// layout describes the type of a blob's root and all types that it refers to.
type layout struct {
	types       []typeLayout // the type of the root first, then the others in the order in which they are first referred to
	fingerprint uint64       // hash of the names, kinds and offsets of all numbers, and of the CPU's byte order
	hasRefs     bool         // some types contain references to other blobs
}

// typeLayout describes one type of a layout.
type typeLayout struct {
	typ         reflect.Type
	size        uintptr
	align       uint32 // alignment of a piece of this type
	fields      []fieldLayout
	boolOffsets []uintptr // offsets of the bytes that hold a bool and so must be 0 or 1
}

// fieldLayout describes an array, string or pointer in a type.
type fieldLayout struct {
	offset uintptr
	path   string
	kind   fieldKind
	elem   uint32 // index in layout.types
}

// alignment is the alignment of a blob and of each array in it.
const alignment = 16

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// layouts caches the layout for each type of a root.
var layouts sync.Map

// layoutOf returns the layout of blobs of T.
func layoutOf[T any](op string) (*layout, error) {
	t := reflect.TypeFor[T]()
	if l, ok := layouts.Load(t); ok {
		return l.(*layout), nil
	}
	l, print := &layout{}, fnv.New64a()
	fmt.Fprintf(print, "little endian %v\n", littleEndian)
	l.typeIndex(t)
	for i := 0; i < len(l.types); i++ { // describing a type may add more types
		b := typeLayout{typ: l.types[i].typ}
		fmt.Fprintf(print, "type %d of %d bytes\n", i, b.typ.Size())
		if err := l.describe(&b, b.typ, "", print); err != nil {
			return nil, fault(ErrArgument, op, "%v cannot be in a blob", t).withCause(err)
		}
		l.types[i].fields, l.types[i].boolOffsets = b.fields, b.boolOffsets
	}
	l.fingerprint = print.Sum64()
	kept, _ := layouts.LoadOrStore(t, l)
	return kept.(*layout), nil
}

// findType returns the index of t among the types, or -1.
func (l *layout) findType(t reflect.Type) int {
	return slices.IndexFunc(l.types, func(b typeLayout) bool { return b.typ == t })
}

// typeIndex returns the index of t among the types, and appends t if it is new.
func (l *layout) typeIndex(t reflect.Type) int {
	i := l.findType(t)
	if i < 0 {
		i = len(l.types)
		align := uint32(alignment)
		if t.Size() == 1 {
			align = 1 // strings need no alignment
		}
		l.types = append(l.types, typeLayout{typ: t, size: t.Size(), align: align})
	}
	return i
}

// describe finds the fields and bools of t, which is a part of b, and records their offsets from
// the start of b. It also writes a description of t to print.
func (l *layout) describe(b *typeLayout, t reflect.Type, path string, print io.Writer) error {
	fmt.Fprintf(print, "%s %v\n", path, t.Kind())
	if isRef(t) {
		l.hasRefs = true
		fmt.Fprintln(print, "a reference")
		return nil
	}
	if kind, elem, ok := asField(t); ok {
		f := fieldLayout{path: path, kind: kind, elem: uint32(l.typeIndex(elem))}
		fmt.Fprintf(print, "refers by %d to type %d\n", kind, f.elem)
		b.fields = append(b.fields, f)
		return nil
	}
	if t.Size() == 0 {
		if path == "" {
			return fmt.Errorf("%v has no bytes: leave it out", t)
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		b.boolOffsets = append(b.boolOffsets, 0)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := l.describeElements(b, f.Type, path+"."+f.Name, f.Offset, 1, print); err != nil {
				return err
			}
		}
	case reflect.Array:
		return l.describeElements(b, t.Elem(), path+"[]", 0, t.Len(), print)
	default:
		remedy := remedyFor(t.Kind())
		switch {
		case remedy == "":
		case path == "":
			return fmt.Errorf("%v: %s", t, remedy)
		default:
			return fmt.Errorf("field %s has type %v: %s", strings.TrimPrefix(b.typ.Name()+path, "."), t, remedy)
		}
	}
	return nil
}

// describeElements describes n consecutive values of t, which begin at an offset in b.
func (l *layout) describeElements(b *typeLayout, t reflect.Type, path string, at uintptr, n int, print io.Writer) error {
	one := typeLayout{typ: b.typ}
	fmt.Fprintf(print, "%d from %d\n", n, at)
	if err := l.describe(&one, t, path, print); err != nil {
		return err
	}
	if len(one.fields)+len(one.boolOffsets) == 0 {
		return nil
	}
	for i := range n {
		for _, f := range one.fields {
			f.offset += at + uintptr(i)*t.Size()
			b.fields = append(b.fields, f)
		}
		for _, o := range one.boolOffsets {
			b.boolOffsets = append(b.boolOffsets, o+at+uintptr(i)*t.Size())
		}
	}
	return nil
}

// remedyFor returns a text that names the replacement for a kind that a blob cannot
// contain, or "".
func remedyFor(k reflect.Kind) string {
	switch k {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return "its size depends on the CPU: use a sized type such as int32"
	case reflect.String:
		return "blobs hold no Go pointers: use blob.String"
	case reflect.Slice:
		return "blobs hold no Go pointers: use blob.Array"
	case reflect.Pointer:
		return "blobs hold no Go pointers: use blob.Ptr"
	case reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
		return "blobs hold no Go pointers: keep it elsewhere and store an index"
	}
	return ""
}

// contains reports whether a value of type t contains, at an offset, a value of type e.
func contains(t reflect.Type, at uintptr, e reflect.Type) bool {
	switch {
	case at == 0 && t == e:
		return true
	case isRef(t), at >= t.Size():
		return false
	case t.Kind() == reflect.Array:
		return contains(t.Elem(), at%t.Elem().Size(), e)
	case t.Kind() == reflect.Struct:
		if _, _, ok := asField(t); ok {
			return false
		}
		for i := range t.NumField() {
			if f := t.Field(i); f.Offset <= at && contains(f.Type, at-f.Offset, e) {
				return true
			}
		}
	}
	return false
}
