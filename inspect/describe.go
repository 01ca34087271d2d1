package inspect

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// maxParts is the largest number of parts of a value that are described,
// because the owner of the world waits while a value is described.
const maxParts = 100

// describe returns a text for a value that may hold Go pointers. It calls no
// methods, because a user's method could block or panic, and limits depth and
// length.
func describe(v reflect.Value, depth int) string {
	t := describer{maxParts}
	return t.describe(v, depth)
}

// describer counts the parts that may still be described.
type describer struct{ partsLeft int }

func (t *describer) describe(v reflect.Value, depth int) string {
	if !v.IsValid() {
		return "nil"
	}
	if t.partsLeft--; depth == 0 || t.partsLeft < 0 {
		return "…"
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		if v.Kind() == reflect.Pointer {
			return "&" + t.describe(v.Elem(), depth-1)
		}
		return t.describe(v.Elem(), depth-1)
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return "nil"
		}
		if v.Kind() == reflect.Map {
			return fmt.Sprintf("%s of %d", shortName(v.Type().String()), v.Len())
		}
		return t.describeElements(v, depth)
	case reflect.Array:
		return t.describeElements(v, depth)
	case reflect.Struct:
		return t.describeFields(v, depth)
	}
	return scalar(v)
}

// describeElements describes the first elements of a slice or an array.
func (t *describer) describeElements(v reflect.Value, depth int) string {
	var parts []string
	for k := range min(v.Len(), 8) {
		parts = append(parts, t.describe(v.Index(k), depth-1))
	}
	if v.Len() > 8 {
		parts = append(parts, fmt.Sprintf("… %d in all", v.Len()))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// describeFields describes the first fields of a struct.
func (t *describer) describeFields(v reflect.Value, depth int) string {
	if v.Type() == reflect.TypeFor[ecs.Entity]() {
		return fmt.Sprintf("→%d:%d", v.Field(0).Int(), v.Field(1).Int())
	}
	var parts []string
	for k := range v.NumField() {
		if f := v.Type().Field(k); f.Name != "_" && !(f.Anonymous && f.Type.Size() == 0) {
			parts = append(parts, f.Name+": "+t.describe(v.Field(k), depth-1))
		}
		if k == 15 {
			parts = append(parts, "…")
			break
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// scalar describes a value without parts.
func scalar(v reflect.Value) string {
	if text := enumText(v); text != "" {
		return text
	}
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(clip(v.String(), 100))
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	}
	return shortName(v.Type().String())
}
