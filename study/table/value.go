package table

import (
	"fmt"
	"math"
	"strconv"
)

// Kind is the kind of values in a column.
type Kind byte

// The kinds. The study's log stores a kind as its letter. The log has no column of KindUint, because rows of a model have whole
// numbers of at most 63 bits; tables have the column seed of this kind.
const (
	KindInt     Kind = 'i' // int64
	KindFloat   Kind = 'f' // float64
	KindFloat32 Kind = 'e' // float32, stored as a float64 with fewer digits
	KindBool    Kind = 'b'
	KindText    Kind = 's'
	KindUint    Kind = 'u' // uint64
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case KindInt:
		return "int"
	case KindFloat:
		return "float64"
	case KindFloat32:
		return "float32"
	case KindBool:
		return "bool"
	case KindText:
		return "text"
	case KindUint:
		return "uint64"
	}
	return fmt.Sprintf("kind %q", byte(k))
}

// MarshalText writes the kind as its letter.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.known() {
		return nil, fmt.Errorf("table: %v is unknown", k)
	}
	return []byte{byte(k)}, nil
}

// UnmarshalText reads the letter of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	if len(text) != 1 || !Kind(text[0]).known() {
		return fmt.Errorf("table: %q is no kind of column: it is one of i, f, e, b, s", text)
	}
	*k = Kind(text[0])
	return nil
}

// known reports whether a column of a log may have this kind.
func (k Kind) known() bool {
	switch k {
	case KindInt, KindFloat, KindFloat32, KindBool, KindText:
		return true
	}
	return false
}

// A Value is one cell of a table. Its column determines its kind.
type Value struct {
	bits uint64
	text string
}

// IntValue returns a cell of kind int.
func IntValue(v int64) Value { return Value{bits: uint64(v)} }

// UintValue returns a cell of kind uint64.
func UintValue(v uint64) Value { return Value{bits: v} }

// FloatValue returns a cell of kind float64 or float32.
func FloatValue(v float64) Value { return Value{bits: math.Float64bits(v)} }

// BoolValue returns a cell of kind bool.
func BoolValue(v bool) Value {
	if v {
		return Value{bits: 1}
	}
	return Value{}
}

// TextValue returns a cell of kind text.
func TextValue(v string) Value { return Value{text: v} }

// Int returns the value of a cell of kind int.
func (v Value) Int() int64 { return int64(v.bits) }

// Uint returns the value of a cell of kind uint64.
func (v Value) Uint() uint64 { return v.bits }

// Float returns the value of a cell of kind float64 or float32. The value of a
// float32 cell converts to float32 without loss.
func (v Value) Float() float64 { return math.Float64frombits(v.bits) }

// Bool returns the value of a cell of kind bool.
func (v Value) Bool() bool { return v.bits != 0 }

// Text returns the value of a cell of kind text.
func (v Value) Text() string { return v.text }

// Number returns a cell of kind k as a number. It returns 1 for true, so that the mean of a column of
// bools is the fraction of rows that are true. A text is not a number: its result is 0.
func (v Value) Number(k Kind) float64 {
	switch k {
	case KindInt:
		return float64(v.Int())
	case KindUint:
		return float64(v.Uint())
	case KindBool:
		if v.Bool() {
			return 1
		}
		return 0
	}
	return v.Float()
}

// AppendText appends a cell of this kind as text. Floats have the fewest digits
// that identify the value.
func (v Value) AppendText(b []byte, k Kind) []byte {
	switch k {
	case KindInt:
		return strconv.AppendInt(b, v.Int(), 10)
	case KindUint:
		return strconv.AppendUint(b, v.Uint(), 10)
	case KindFloat:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, 64)
	case KindFloat32:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, 32)
	case KindBool:
		return strconv.AppendBool(b, v.Bool())
	}
	return append(b, v.text...)
}

// Parse reads a cell of this kind from text.
func (k Kind) Parse(text string) (Value, error) {
	switch k {
	case KindInt:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return Value{}, fmt.Errorf("%q is no whole number", text)
		}
		return IntValue(v), nil
	case KindUint:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return Value{}, fmt.Errorf("%q is no whole number from 0 to 2⁶⁴-1", text)
		}
		return UintValue(v), nil
	case KindFloat, KindFloat32:
		bits := 64
		if k == KindFloat32 {
			bits = 32
		}
		v, err := strconv.ParseFloat(text, bits)
		if err != nil {
			return Value{}, fmt.Errorf("%q is no number", text)
		}
		return FloatValue(v), nil
	case KindBool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return Value{}, fmt.Errorf("%q is neither true nor false", text)
		}
		return BoolValue(v), nil
	}
	return TextValue(text), nil
}
