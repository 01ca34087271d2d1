package inspect

import (
	"fmt"
	"reflect"
)

// enumValue is a value of an integer type with a method String, such as an enumeration or a time.Duration.
type enumValue struct {
	Number any    `json:"number"` // as for any integer
	Text   string `json:"text"`   // what String returns
}

// maxEnum is the largest number for which enumNumber calls String.
const maxEnum = 1000

// isEnum reports whether a type is an integer type with a method String.
func isEnum(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr && t.Implements(reflect.TypeFor[fmt.Stringer]())
}

// enumText returns the result of the method String of an integer. It returns "" for other values and if the method panics, because the method
// is the user's code.
func enumText(v reflect.Value) (text string) {
	if !isEnum(v.Type()) {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	exported := reflect.New(v.Type()).Elem() // a value of an unexported field has no methods
	if v.CanInt() {
		exported.SetInt(v.Int())
	} else {
		exported.SetUint(v.Uint())
	}
	return clip(exported.Interface().(fmt.Stringer).String(), 100)
}

// enumNumber returns the integer of a type whose text is given, if it is one of 0, 1, … maxEnum.
func enumNumber(t reflect.Type, text string) (n int64, ok bool) {
	if !isEnum(t) || text == "" {
		return 0, false
	}
	v := reflect.New(t).Elem()
	for ; n <= maxEnum; n++ {
		switch {
		case v.CanInt() && !v.OverflowInt(n):
			v.SetInt(n)
		case v.CanUint() && !v.OverflowUint(uint64(n)):
			v.SetUint(uint64(n))
		default:
			return 0, false // the type has no larger numbers
		}
		if enumText(v) == text {
			return n, true
		}
	}
	return 0, false
}
