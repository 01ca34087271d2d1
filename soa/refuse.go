package soa

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// These are the errors of Lanes for a type that cannot be split. An error that wraps one of them
// names the type, the path of the field, and the remedy.
var (
	// ErrPointer says that a part of the type holds a Go pointer: a pointer,
	// string, slice, map, channel, function or interface.
	ErrPointer = errors.New("lanes hold no Go pointers")

	// ErrWordSize says that a part of the type is an int, uint or uintptr,
	// whose size depends on the CPU.
	ErrWordSize = errors.New("its size depends on the CPU")
)

// findPart returns the first part of t, at any depth, whose kind is bad, and
// the path to that part from t. The path is "" for t itself, and ".Items[].Name" for a field inside
// an array. The result part is nil if there is no such part. Parts of size zero are skipped,
// because they store nothing.
//
// The recursion ends for every type. The reason is that a type can contain itself only through a
// pointer, a slice, a map, a channel, a function or an interface. findPart does not go into types
// of these kinds.
func findPart(t reflect.Type, bad func(reflect.Kind) bool) (path string, part reflect.Type) {
	switch {
	case t.Size() == 0:
		return "", nil
	case bad(t.Kind()):
		return "", t
	case t.Kind() == reflect.Array:
		path, part = findPart(t.Elem(), bad)
		return "[]" + path, part
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if path, part = findPart(f.Type, bad); part != nil {
				return "." + f.Name + path, part
			}
		}
	}
	return "", nil
}

// isUnsupported reports whether no lane can hold values of kind k.
func isUnsupported(k reflect.Kind) bool { return isWordSized(k) || isPointer(k) }

// isWordSized reports whether the size of kind k depends on the CPU.
func isWordSized(k reflect.Kind) bool {
	return k == reflect.Int || k == reflect.Uint || k == reflect.Uintptr
}

// isPointer reports whether values of kind k hold a Go pointer.
func isPointer(k reflect.Kind) bool {
	switch k {
	case reflect.Pointer, reflect.UnsafePointer, reflect.String, reflect.Slice,
		reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
		return true
	}
	return false
}

// partError returns an error that names the part of t that cannot be stored, the reason, and the
// replacement.
func partError(t reflect.Type, path string, part reflect.Type) error {
	why := ErrPointer
	if isWordSized(part.Kind()) {
		why = ErrWordSize
	}
	if path == "" {
		return fmt.Errorf("%w: %s", why, remedy(part.Kind()))
	}
	where := "field "
	if t.Kind() == reflect.Array {
		where = "element "
	}
	what := part.String()
	if kind := part.Kind().String(); part.Name() != "" && !strings.HasSuffix(what, kind) {
		what += " (" + kind + ")"
	}
	return fmt.Errorf("%s has type %s: %w: %s", where+strings.TrimPrefix(path, "."), what, why, remedy(part.Kind()))
}

// remedy returns a replacement for a kind that no lane can hold.
func remedy(k reflect.Kind) string {
	switch k {
	case reflect.Int:
		return "use int32 or int64"
	case reflect.Uint:
		return "use uint32 or uint64"
	case reflect.Uintptr:
		return "use uint64"
	case reflect.String:
		return "use a fixed array such as [32]byte, or an index into a slice of strings"
	case reflect.Slice:
		return "use a fixed array, or an index into a slice kept elsewhere"
	default:
		return "keep it elsewhere and store an index"
	}
}
