package inspect

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// numberField names a number that each entity has: a component, or a possibly
// nested field of a component. For example, Translation.X, LocalToWorld.M.12 or
// Health.
type numberField struct {
	text   string
	typ    reflect.Type // the component
	lane   uintptr      // offset of the lane in a Go value
	inside uintptr      // offset of the number in the lane
	kind   reflect.Kind
	goType reflect.Type // the type of the number, which has this kind
}

// parseNumbers parses the name of a number.
func parseNumbers(text string) (numberField, error) {
	if text == "" {
		return numberField{}, fmt.Errorf("inspect: the name of a number is missing: write Component.Field, for example Translation.Y")
	}
	all := ecs.ComponentTypes()
	// The name of the component may contain dots too, so use the longest prefix
	// that is the name of a component.
	parts := strings.Split(text, ".")
	if len(parts) > 12 {
		return numberField{}, fmt.Errorf("inspect: %q names no number", clip(text, 60))
	}
	var first error
	for end := len(parts); end > 0; end-- {
		t, err := chooseType(all, strings.Join(parts[:end], "."))
		if err != nil {
			if first == nil || !strings.Contains(first.Error(), "may be") {
				first = err // the error of the shortest name, or that the name is ambiguous
			}
			continue
		}
		return numbersIn(text, t, parts[end:])
	}
	return numberField{}, first
}

// numbersIn returns the number at a path in a component.
func numbersIn(text string, t ecs.ComponentType, path []string) (numberField, error) {
	n := numberField{text: text, typ: t.Type}
	if !hasNumbers(t) {
		return n, fmt.Errorf("inspect: %s has no numbers in rows: it is a tag, a buffer, shared, managed or of chunks", typeName(t.Type))
	}
	at, offset, err := descend(t.Type, path)
	if err != nil {
		return n, err
	}
	for isComposite(at) { // a field that is the only one may be omitted
		next, more := onlyPartOf(at)
		if !next.ok {
			return n, fmt.Errorf("inspect: %s is several numbers: name one, as %s", text, strings.Join(appendNumbers(nil, text, at, 3), ", "))
		}
		at, offset = next.typ, offset+more
	}
	if !isNumber(at.Kind()) {
		return n, fmt.Errorf("inspect: %s is no number", text)
	}
	for _, l := range t.Lanes {
		if offset >= l.Offset && offset < l.Offset+l.Type.Size() {
			n.lane, n.inside, n.kind, n.goType = l.Offset, offset-l.Offset, at.Kind(), at
			return n, nil
		}
	}
	return n, fmt.Errorf("inspect: %s is in no lane", text)
}

// descend follows a path into a type, and returns the type and offset that it
// leads to.
func descend(at reflect.Type, path []string) (_ reflect.Type, offset uintptr, err error) {
	for _, p := range path {
		switch at.Kind() {
		case reflect.Struct:
			f, ok := at.FieldByName(p)
			if !ok || len(f.Index) != 1 {
				return nil, 0, fmt.Errorf("inspect: %v has no field %s", shortName(at.String()), clip(p, 60))
			}
			at, offset = f.Type, offset+f.Offset
		case reflect.Array:
			k, err := strconv.Atoi(p)
			if err != nil || k < 0 || k >= at.Len() {
				return nil, 0, fmt.Errorf("inspect: %v has no element %s", shortName(at.String()), clip(p, 60))
			}
			at, offset = at.Elem(), offset+uintptr(k)*at.Elem().Size()
		default:
			return nil, 0, fmt.Errorf("inspect: %v has no field %s", shortName(at.String()), clip(p, 60))
		}
	}
	return at, offset, nil
}

// isComposite reports whether a type is a struct with fields or an array with
// elements.
func isComposite(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 || t.Kind() == reflect.Array && t.Len() > 0
}

// onlyPart is the type of the only part of a struct or array; ok is false if
// there are several parts or none.
type onlyPart struct {
	typ reflect.Type
	ok  bool
}

// onlyPartOf returns the part of a struct or array that holds data, if exactly
// one part does.
func onlyPartOf(t reflect.Type) (onlyPart, uintptr) {
	if t.Kind() == reflect.Array {
		return onlyPart{t.Elem(), t.Len() == 1}, 0
	}
	var found onlyPart
	offset, count := uintptr(0), 0
	for k := range t.NumField() {
		if f := t.Field(k); f.Type.Size() > 0 {
			found, offset = onlyPart{f.Type, true}, f.Offset
			count++
		}
	}
	found.ok = count == 1
	return found, offset
}

func isNumber(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Uint64 || k == reflect.Float32 || k == reflect.Float64
}

// appendNumbers appends the names of the numbers in a type, up to a limit.
func appendNumbers(list []string, name string, t reflect.Type, most int) []string {
	switch {
	case len(list) >= most:
	case isNumber(t.Kind()):
		return append(list, name)
	case t.Kind() == reflect.Struct:
		for k := range t.NumField() {
			if f := t.Field(k); f.Name != "_" && f.Type.Size() > 0 {
				list = appendNumbers(list, name+"."+f.Name, f.Type, most)
			}
		}
	case t.Kind() == reflect.Array:
		for k := range t.Len() {
			if len(list) >= most {
				break
			}
			list = appendNumbers(list, fmt.Sprintf("%s.%d", name, k), t.Elem(), most)
		}
	}
	return list
}

// find returns the lane of the number in an archetype.
func (n *numberField) find(a ecs.Archetype) (ecs.LaneInfo, bool) { return a.FindLane(n.typ, n.lane) }

// bits64 returns the bits of a 64-bit integer from the bytes of a row.
func (n *numberField) bits64(row []byte) uint64 { return binary.NativeEndian.Uint64(row[n.inside:]) }

// read returns the number from the bytes of a row.
func (n *numberField) read(row []byte) float64 {
	b, e := row[n.inside:], binary.NativeEndian
	switch n.kind {
	case reflect.Float32:
		return float64(math.Float32frombits(e.Uint32(b)))
	case reflect.Float64:
		return math.Float64frombits(e.Uint64(b))
	case reflect.Int8:
		return float64(int8(b[0]))
	case reflect.Uint8, reflect.Bool:
		return float64(b[0])
	case reflect.Int16:
		return float64(int16(e.Uint16(b)))
	case reflect.Uint16:
		return float64(e.Uint16(b))
	case reflect.Int32:
		return float64(int32(e.Uint32(b)))
	case reflect.Uint32:
		return float64(e.Uint32(b))
	case reflect.Int64:
		return float64(int64(e.Uint64(b)))
	default: // reflect.Uint64, because lanes have no types whose size depends on the CPU
		return float64(e.Uint64(b))
	}
}
