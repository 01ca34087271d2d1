package ecs

import (
	"math"
	"reflect"
)

// holdsInterface reports whether a value of type t, which is comparable, has an
// interface in it, so that comparing it can fail.
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

// incomparable returns the type of the first thing in a value that == cannot
// compare; nil if there is none.
func incomparable(v reflect.Value) reflect.Type {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return incomparable(v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if t := incomparable(v.Index(i)); t != nil {
				return t
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if t := incomparable(v.Field(i)); t != nil {
				return t
			}
		}
	case reflect.Slice, reflect.Map, reflect.Func:
		return v.Type()
	}
	return nil
}

// equalsItself reports whether v == v, which a value with a NaN denies.
func equalsItself(v any) bool {
	same := v
	return v == same
}

// alike reports whether a == b if every NaN equals every other, as it does in
// World.Hash.
func alike(a, b reflect.Value) bool {
	if a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
		a, b = a.Elem(), b.Elem()
	}
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return !a.IsValid() && !b.IsValid()
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return alikeFloats(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return alikeFloats(real(x), real(y)) && alikeFloats(imag(x), imag(y))
	case reflect.Array:
		same := true
		for i := 0; i < a.Len() && same; i++ {
			same = alike(a.Index(i), b.Index(i))
		}
		return same
	case reflect.Struct:
		same := true
		for i := 0; i < a.NumField() && same; i++ {
			same = a.Type().Field(i).Name == "_" || alike(a.Field(i), b.Field(i))
		}
		return same
	}
	return a.Equal(b)
}

func alikeFloats(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
