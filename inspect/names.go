package inspect

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// shortName removes the import paths from a name, and the type argument float32.
func shortName(name string) string {
	var b strings.Builder
	for len(name) > 0 {
		end := strings.IndexAny(name, "[], :")
		if end < 0 {
			end = len(name)
		}
		b.WriteString(name[strings.LastIndexByte(name[:end], '/')+1 : end])
		if end < len(name) {
			b.WriteByte(name[end])
			end++
		}
		name = name[end:]
	}
	return strings.ReplaceAll(b.String(), "Of[float32]", "")
}

// typeName returns the short name of a component type.
func typeName(t reflect.Type) string { return shortName(t.String()) }

// parseEntity parses "12:3".
func parseEntity(text string) (ecs.Entity, error) {
	index, version, ok := strings.Cut(text, ":")
	i, err1 := strconv.ParseInt(index, 10, 32)
	n, err2 := strconv.ParseInt(version, 10, 32)
	if !ok || err1 != nil || err2 != nil || i < 0 || n < 1 {
		return ecs.Entity{}, fmt.Errorf("inspect: %q is no entity: write index:version, as 12:3", clip(text, 60))
	}
	return ecs.Entity{Index: int32(i), Version: int32(n)}, nil
}

// parseReference parses an entity to which a value refers. An empty text and 0:0 are the null entity.
func parseReference(text string) (ecs.Entity, error) {
	if text == "" || text == "0:0" {
		return ecs.Entity{}, nil
	}
	return parseEntity(text)
}

// clip shortens a text to n bytes if it is longer.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}

// field is one field of a value that is shown.
type field struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Full  int    `json:"full,omitempty"` // of the fields R, G, B and A of a colour: the number of the full colour
}

// fullColour returns the number of the full colour of a struct with the numbers R, G and B: 1 for floats, otherwise 255 or, for 16 bits,
// 65535. It returns 0 for other structs, and if a field A has another type.
func fullColour(t reflect.Type) int {
	r, is := t.FieldByName("R")
	for _, name := range []string{"G", "B"} {
		f, ok := t.FieldByName(name)
		is = is && ok && f.Type == r.Type
	}
	if a, ok := t.FieldByName("A"); ok {
		is = is && a.Type == r.Type
	}
	switch {
	case !is || !isNumber(r.Type.Kind()):
		return 0
	case r.Type.Kind() == reflect.Float32 || r.Type.Kind() == reflect.Float64:
		return 1
	case r.Type.Kind() == reflect.Int16 || r.Type.Kind() == reflect.Uint16:
		return 65535
	}
	return 255
}

// reference is an entity to which a value refers.
type reference struct {
	Entity string `json:"entity"`
	Name   string `json:"name,omitempty"`
	Null   bool   `json:"null,omitempty"`
}

// number converts a float for JSON: NaN and infinities become texts, because
// JSON has no such numbers.
func number(f float64, bits int) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return json.RawMessage(strconv.FormatFloat(f, 'g', -1, bits))
}

// maxElements is the largest number of elements that are shown of an array or
// buffer.
const maxElements = 256

// show converts a plain value for JSON: numbers, texts, lists of fields, integers with their texts, and
// references to entities. It converts 64-bit integers to texts, because
// JavaScript's numbers represent integers exactly only up to 53 bits.
func show(v reflect.Value, names map[ecs.Entity]string) any {
	if text := enumText(v); text != "" {
		return enumValue{showScalar(v), text}
	}
	switch v.Kind() {
	case reflect.Array, reflect.Slice:
		out := []any{}
		for k := range min(v.Len(), maxElements) {
			out = append(out, show(v.Index(k), names))
		}
		if v.Len() > maxElements {
			out = append(out, moreText(v.Len()-maxElements))
		}
		return out
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[ecs.Entity]() {
			e := ecs.Entity{Index: int32(v.Field(0).Int()), Version: int32(v.Field(1).Int())}
			return reference{e.String(), names[e], e.IsZero()}
		}
		out, full := []field{}, fullColour(v.Type())
		for k := range v.NumField() {
			if f := v.Type().Field(k); f.Name != "_" && f.Type.Size() > 0 {
				one := field{Name: f.Name, Value: show(v.Field(k), names)}
				if full > 0 && slices.Contains([]string{"R", "G", "B", "A"}, f.Name) {
					one.Full = full
				}
				out = append(out, one)
			}
		}
		return out
	}
	return showScalar(v)
}

// showScalar converts a value without parts.
func showScalar(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return number(v.Float(), v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return fmt.Sprint(v.Complex())
	case reflect.Bool:
		return v.Bool()
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return v.Int()
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return v.Uint()
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.String:
		return clip(v.String(), 1000)
	}
	return v.Type().String()
}

// moreText returns a text with the number of elements that are not shown.
func moreText(n int) string { return fmt.Sprintf("… %d more", n) }

// entitiesIn appends the entities that a plain value refers to.
func entitiesIn(v reflect.Value, list []ecs.Entity) []ecs.Entity {
	switch v.Kind() {
	case reflect.Array, reflect.Slice:
		for k := range min(v.Len(), maxElements) {
			list = entitiesIn(v.Index(k), list)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[ecs.Entity]() {
			return append(list, ecs.Entity{Index: int32(v.Field(0).Int()), Version: int32(v.Field(1).Int())})
		}
		for k := range v.NumField() {
			list = entitiesIn(v.Field(k), list)
		}
	}
	return list
}

// shortNames shortens names.
func shortNames(names []string) []string {
	list := make([]string, len(names))
	for k, n := range names {
		list[k] = shortName(n)
	}
	return list
}
