package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode"
)

// A Column is one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	Unit string `json:"unit,omitempty"`
	Help string `json:"help,omitempty"`
}

// A Shape maps rows of a Go struct type to cells.
type Shape struct {
	Columns []Column
	fields  []int
	row     reflect.Type
}

// ShapeOf returns the shape of a struct type: a column for each exported field,
// in the order of the fields. The tags name, unit and help set the name, the
// unit and the description of a column. Without a tag name, the name is the
// field's name in lower case. A field must be a number, a bool or a string;
// otherwise ShapeOf returns an error that names the field.
func ShapeOf(t reflect.Type) (*Shape, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("table: %s is no struct: a row is a struct whose exported fields are its columns", t)
	}
	s, seen := &Shape{row: t}, map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		k, ok := KindOf(f.Type)
		if !ok {
			return nil, fmt.Errorf("table: %s.%s is of type %s: a column is a whole number of at most 63 bits, a float, a bool or a string", t, f.Name, f.Type)
		}
		c := Column{Name: NameOf(f), Kind: k, Unit: f.Tag.Get("unit"), Help: f.Tag.Get("help")}
		if other, ok := seen[c.Name]; ok {
			return nil, fmt.Errorf("table: %s: %s and %s are both named %s: give one of them a tag, name:\"…\"", t, other, f.Name, c.Name)
		}
		seen[c.Name] = f.Name
		s.Columns, s.fields = append(s.Columns, c), append(s.fields, i)
	}
	return s, nil
}

// NameOf returns the name of a field in tables and commands: its tag name, or
// the field's name converted by [Snake].
func NameOf(f reflect.StructField) string {
	if n := f.Tag.Get("name"); n != "" {
		return n
	}
	return Snake(f.Name)
}

// Snake converts a Go name to lower case with a _ before each word but the
// first: MaxSpeed becomes max_speed, HTTPPort http_port.
func Snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) && rs[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// KindOf returns the kind of the column that holds values of a Go type. It reports whether there is such a
// kind.
func KindOf(t reflect.Type) (Kind, bool) {
	switch t.Kind() {
	case reflect.Float64:
		return KindFloat, true
	case reflect.Float32:
		return KindFloat32, true
	case reflect.Bool:
		return KindBool, true
	case reflect.String:
		return KindText, true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return KindInt, true
	}
	return 0, false
}

// Append appends a row in the encoding of the log: the tick, then each cell.
// Numbers are little-endian. An int and a float64 take 8 bytes, a float32
// takes 4, and a bool takes 1. A text takes 4 bytes for its length, and then
// its bytes. Every NaN is stored with the same bits, because the bits of a NaN
// differ between CPUs.
//
// Append returns the index of the first cell that is not finite, or -1. The
// value must have the shape's type.
func (s *Shape) Append(b []byte, tick int, row reflect.Value) (out []byte, bad int) {
	if row.Type() != s.row {
		panic(fmt.Sprintf("table: Shape.Append: a row of %s, the shape is of %s", row.Type(), s.row))
	}
	bad = -1
	b = binary.LittleEndian.AppendUint64(b, uint64(tick))
	for i, c := range s.Columns {
		v := c.Kind.value(row.Field(s.fields[i]))
		b = c.Kind.append(b, v)
		if x := v.Float(); bad < 0 && (c.Kind == KindFloat || c.Kind == KindFloat32) && (math.IsNaN(x) || math.IsInf(x, 0)) {
			bad = i
		}
	}
	return b, bad
}

// AppendRow appends a row in the encoding of the log, as [Shape.Append] does. It is the inverse of [Decode]: the
// first cell is the tick, and each column has one of the other cells. AppendRow panics if the number of cells is
// not the number of columns plus one.
func AppendRow(b []byte, columns []Column, cells []Value) []byte {
	if len(cells) != len(columns)+1 {
		panic(fmt.Sprintf("table: AppendRow: %d cells for a tick and %d columns", len(cells), len(columns)))
	}
	b = KindInt.append(b, cells[0])
	for i, c := range columns {
		b = c.Kind.append(b, cells[i+1])
	}
	return b
}

// value returns the cell of a field.
func (k Kind) value(f reflect.Value) Value {
	switch k {
	case KindInt:
		if f.CanUint() {
			return Value{bits: f.Uint()}
		}
		return IntValue(f.Int())
	case KindFloat, KindFloat32:
		return FloatValue(f.Float())
	case KindBool:
		return BoolValue(f.Bool())
	}
	return TextValue(f.String())
}

// append appends a cell.
func (k Kind) append(b []byte, v Value) []byte {
	switch k {
	case KindInt, KindUint:
		return binary.LittleEndian.AppendUint64(b, v.bits)
	case KindFloat, KindFloat32:
		x := v.Float()
		if math.IsNaN(x) {
			x = math.NaN() // with one sign and payload on every CPU
		}
		if k == KindFloat {
			return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	case KindBool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.text)))
	return append(b, v.text...)
}

// ErrShort is returned for a row whose bytes end too early.
var ErrShort = errors.New("table: the bytes of a row end too early")

// Decode reads one row in the encoding of the log. Decode appends a cell for
// each column to cells. Decode returns the tick, the cells, and the bytes after the row. Texts are copied.
func Decode(b []byte, columns []Column, cells []Value) (out []Value, rest []byte, err error) {
	if len(b) < 8 {
		return cells, b, ErrShort
	}
	cells, b = append(cells, Value{bits: binary.LittleEndian.Uint64(b)}), b[8:]
	for _, c := range columns {
		n := cellBytes(c.Kind)
		if len(b) < n {
			return cells, b, ErrShort
		}
		switch c.Kind {
		case KindInt, KindUint, KindFloat:
			cells = append(cells, Value{bits: binary.LittleEndian.Uint64(b)})
		case KindFloat32:
			cells = append(cells, FloatValue(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))))
		case KindBool:
			cells = append(cells, BoolValue(b[0] != 0))
		default:
			length := binary.LittleEndian.Uint32(b)
			if uint64(len(b)-n) < uint64(length) {
				return cells, b, ErrShort
			}
			cells = append(cells, TextValue(string(b[n:n+int(length)])))
			n += int(length)
		}
		b = b[n:]
	}
	return cells, b, nil
}

// cellBytes returns the number of bytes of a cell. For a text, it is the number of bytes of the length, not of the
// text itself.
func cellBytes(k Kind) int {
	switch k {
	case KindInt, KindUint, KindFloat:
		return 8
	case KindBool:
		return 1
	}
	return 4
}
