package soa

import (
	"errors"
	"fmt"
	"reflect"
)

// Align is the alignment of every lane in bytes. Align is the size of a cache line and of the
// widest vector register.
const Align = 64

// Lane is one top-level field of a type.
type Lane struct {
	// Name is the field's name, or "Value" for a type that is not a struct.
	Name string

	// Type is the field's type. A slice over the lane has elements of this
	// type, so row i starts Type.Size()*i bytes into the lane.
	Type reflect.Type

	// Size is the number of bytes of one row in this lane, by the rules of 64-bit Go on every
	// GOARCH. Layouts are computed from Size, so that they are the same on every GOARCH. On
	// 64-bit CPUs, Size equals Type.Size(). Size is larger on a 32-bit CPU that aligns 64-bit
	// numbers to 4 bytes, for example for a lane of type struct{ A int32; B float64 }.
	Size uintptr

	// Offset is the offset of the field in a value of the type, in bytes, as
	// the compiler chooses it for this GOARCH.
	Offset uintptr
}

// String returns the name and type of l, as written in a struct declaration.
func (l Lane) String() string { return l.Name + " " + l.Type.String() }

// Lanes returns the lanes of t in field order.
//
// Each field of a struct is one lane. A field that is itself a struct or an array is not split.
// Blank fields and fields of size zero have no lane, because they store nothing. An unexported
// field has a lane that no view can name. A type that is not a struct is one lane named "Value".
//
// If a part of t, at any depth, cannot be stored in a lane, Lanes returns an error
// that wraps ErrPointer or ErrWordSize. Parts of size zero are not checked, so
// that the idiom `_ [0]func()` is allowed.
func Lanes(t reflect.Type) ([]Lane, error) {
	if t == nil {
		return nil, errors.New("soa: Lanes: type is nil")
	}
	if path, part := findPart(t, isUnsupported); part != nil {
		return nil, fmt.Errorf("soa: lanes of %v: %w", t, partError(t, path, part))
	}
	if t.Kind() != reflect.Struct {
		return appendLane(nil, "Value", t, 0), nil
	}
	var lanes []Lane
	for i := range t.NumField() {
		if f := t.Field(i); f.Name != "_" {
			lanes = appendLane(lanes, f.Name, f.Type, f.Offset)
		}
	}
	return lanes, nil
}

// appendLane appends the lane of one field, unless its size is zero.
func appendLane(lanes []Lane, name string, t reflect.Type, offset uintptr) []Lane {
	size, _ := size64(t)
	if size == 0 {
		return lanes
	}
	return append(lanes, Lane{Name: name, Type: t, Size: size, Offset: offset})
}

// size64 returns the size and alignment of t on 64-bit CPUs. The numbers are those of package
// reflect, except that 8-byte numbers are aligned to 8 bytes everywhere.
func size64(t reflect.Type) (size, align uintptr) {
	switch t.Kind() {
	case reflect.Array:
		size, align = size64(t.Elem())
		return size * uintptr(t.Len()), align
	case reflect.Struct:
		return structSize64(t)
	case reflect.Complex64:
		return 8, 4
	case reflect.Complex128:
		return 16, 8
	case reflect.Bool,
		reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return t.Size(), t.Size()
	default: // words and pointers: only their alignment matters here, because they occur only in parts of size zero
		return 8, 8
	}
}

func structSize64(t reflect.Type) (size, align uintptr) {
	align = 1
	last := uintptr(1)
	for i := range t.NumField() {
		s, a := size64(t.Field(i).Type)
		size, align, last = roundUp(size, a)+s, max(align, a), s
	}
	if last == 0 && size > 0 {
		size++ // as the compiler does, so that the address of an empty last field is not the address of the next value
	}
	return roundUp(size, align), align
}

// roundUp returns x rounded up to a multiple of a, a power of two.
func roundUp(x, a uintptr) uintptr { return (x + a - 1) &^ (a - 1) }
