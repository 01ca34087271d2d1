package inspect

import (
	"fmt"
	"math"
	"reflect"
	"time"
)

// enumValue is a value of an integer type with a method String, such as an enumeration or a time.Duration.
type enumValue struct {
	Number any    `json:"number"` // as for any integer
	Text   string `json:"text"`   // what String returns
}

// minEnum and maxEnum are the smallest and the largest number for which enumNumber calls String.
const minEnum, maxEnum = -128, 1000

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

// enumNumber returns the integer of a type whose text is given, if it is one of minEnum, … maxEnum. If several integers have this text,
// it returns the smallest one that is not negative, or else the largest negative one. The text of a time.Duration may be any duration.
func enumNumber(t reflect.Type, text string) (int64, error) {
	if t == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration: write for example 1.5s", clip(text, 60))
		}
		return int64(d), nil
	}
	v := reflect.New(t).Elem()
	is := func(n int64) bool {
		if v.CanInt() {
			v.SetInt(n)
		} else {
			v.SetUint(uint64(n))
		}
		return text != "" && enumText(v) == text
	}
	low, high := int64(0), int64(maxEnum)
	if v.CanUint() && v.OverflowUint(uint64(high)) {
		high = math.MaxUint8
	}
	if v.CanInt() {
		if low = minEnum; v.OverflowInt(high) {
			high = math.MaxInt8
		}
	}
	for n := int64(0); n <= high; n++ {
		if is(n) {
			return n, nil
		}
	}
	for n := int64(-1); n >= low; n-- {
		if is(n) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("no number from %d to %d has the name %q", low, high, clip(text, 60))
}
