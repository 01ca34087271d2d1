package diff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
)

// shape lists the numbers in a value.
type shape struct {
	size    int
	numbers []numberPlace
	order   binary.ByteOrder
	typ     reflect.Type // nil for a file, because its values have no types
}

// numberPlace describes one number in a value: its letter, as in docs/format.md, and its offset.
type numberPlace struct {
	offset, size int
	letter       byte
}

var kindLetters = map[reflect.Kind]byte{
	reflect.Bool: 'b', reflect.Int8: 'i', reflect.Int16: 'i', reflect.Int32: 'i', reflect.Int64: 'i',
	reflect.Uint8: 'u', reflect.Uint16: 'u', reflect.Uint32: 'u', reflect.Uint64: 'u',
	reflect.Float32: 'f', reflect.Float64: 'f',
}

// shapeOf returns the shape of a type of plain memory.
func shapeOf(t reflect.Type) *shape {
	s := &shape{size: int(t.Size()), order: binary.NativeEndian, typ: t}
	s.addType(t, 0)
	return s
}

func (s *shape) addType(t reflect.Type, at int) {
	if _, is := blob.RootType(t); is {
		return // World.Hash leaves references to blobs out too, because they depend on the blobs created before
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				s.addType(f.Type, at+int(f.Offset))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			s.addType(t.Elem(), at+i*int(t.Elem().Size()))
		}
	case reflect.Complex64, reflect.Complex128:
		half := int(t.Size()) / 2
		s.numbers = append(s.numbers, numberPlace{at, half, 'f'}, numberPlace{at + half, half, 'f'})
	default:
		s.numbers = append(s.numbers, numberPlace{at, int(t.Size()), kindLetters[t.Kind()]})
	}
}

// equal reports whether two values have the same numbers. Two NaN are equal to each other, −0 is
// not equal to 0, and padding does not matter.
func (s *shape) equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for _, p := range s.numbers {
		if x, y := a[p.offset:][:p.size], b[p.offset:][:p.size]; !bytes.Equal(x, y) && (p.letter != 'f' || !s.isNaN(p, a) || !s.isNaN(p, b)) {
			return false
		}
	}
	return true
}

func (s *shape) isNaN(p numberPlace, v []byte) bool {
	if p.size == 4 {
		x := math.Float32frombits(s.order.Uint32(v[p.offset:]))
		return x != x
	}
	return math.IsNaN(math.Float64frombits(s.order.Uint64(v[p.offset:])))
}

// text returns a value as text.
func (s *shape) text(v []byte) string {
	if s.typ != nil {
		return s.textOf(s.typ, v)
	}
	list := make([]string, len(s.numbers))
	for i, p := range s.numbers {
		list[i] = s.numberText(p, v)
	}
	if len(list) == 1 {
		return list[0]
	}
	return "{" + strings.Join(list, " ") + "}"
}

// textOf returns a value of a type as text.
func (s *shape) textOf(t reflect.Type, v []byte) string {
	switch {
	case t == reflect.TypeFor[ecs.Entity]():
		e := ecs.Entity{Index: int32(s.order.Uint32(v)), Version: int32(s.order.Uint32(v[4:]))}
		if e.IsZero() {
			return "null"
		}
		return e.String()
	case t.Kind() == reflect.Struct:
		var list []string
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" && f.Type.Size() > 0 {
				list = append(list, f.Name+":"+s.textOf(f.Type, v[f.Offset:][:f.Type.Size()]))
			}
		}
		return "{" + strings.Join(list, " ") + "}"
	case t.Kind() == reflect.Array:
		list, size := make([]string, t.Len()), int(t.Elem().Size())
		for i := range list {
			list[i] = s.textOf(t.Elem(), v[i*size:][:size])
		}
		return "[" + strings.Join(list, " ") + "]"
	}
	own := shape{order: s.order}
	own.addType(t, 0)
	list := make([]string, len(own.numbers))
	for i, p := range own.numbers {
		list[i] = own.numberText(p, v)
	}
	return strings.Join(list, "+i·")
}

// numberText returns one number as text.
func (s *shape) numberText(p numberPlace, v []byte) string {
	var word uint64
	switch v = v[p.offset:][:p.size]; p.size {
	case 1:
		word = uint64(v[0])
	case 2:
		word = uint64(s.order.Uint16(v))
	case 4:
		word = uint64(s.order.Uint32(v))
	case 8:
		word = s.order.Uint64(v)
	default:
		return fmt.Sprintf("%x", v)
	}
	shift := 64 - 8*p.size
	switch {
	case p.letter == 'b':
		return strconv.FormatBool(word != 0)
	case p.letter == 'i':
		return strconv.FormatInt(int64(word<<shift)>>shift, 10)
	case p.letter == 'f' && p.size == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(word))), 'g', -1, 32)
	case p.letter == 'f':
		return strconv.FormatFloat(math.Float64frombits(word), 'g', -1, 64)
	}
	return strconv.FormatUint(word, 10)
}
