// Package plain encodes Go values that consist of numbers, strings and exported fields as bytes,
// and decodes them. Numbers are little-endian in their own width, except that int and uint take
// eight bytes. A string is stored as its length and its bytes. Files and messages store shared
// components in this form, unless the component has a codec.
package plain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// ErrShort says that the bytes end in the middle of a value.
var ErrShort = errors.New("it ends too early")

// CustomCodec encodes and decodes values of the types for which the caller has its own format. The
// result ok is false if the caller has no format for the value's type.
type CustomCodec struct {
	Append func(b []byte, v reflect.Value) (out []byte, ok bool, err error)
	Set    func(b []byte, v reflect.Value) (rest []byte, ok bool, err error)
}

// Codec encodes and decodes values of one type with functions of the program. The parameter v is a
// pointer to the value.
type Codec struct {
	Encode func(out []byte, v any) ([]byte, error)
	Decode func(in []byte, v any) error
}

// Append calls Encode, which appends a value to out. If Encode returns an error, Append returns
// out unchanged, because many functions return nil together with an error.
func (c *Codec) Append(out []byte, v any) ([]byte, error) {
	b, err := c.Encode(out, v)
	if err == nil && len(b) < len(out) {
		err = fmt.Errorf("encode has returned %d bytes and was given %d: it must append to these and return all", len(b), len(out))
	}
	if err != nil {
		return out, err
	}
	return b, nil
}

// Number returns the bits of a number and its size in bytes.
func Number(v reflect.Value) (bits uint64, width int, ok bool) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			bits = 1
		}
		return bits, 1, true
	case reflect.Int, reflect.Int64:
		return uint64(v.Int()), 8, true
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return uint64(v.Int()), int(v.Type().Size()), true
	case reflect.Uint, reflect.Uint64:
		return v.Uint(), 8, true
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return v.Uint(), int(v.Type().Size()), true
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float()))), 4, true
	case reflect.Float64:
		return math.Float64bits(v.Float()), 8, true
	}
	return 0, 0, false
}

// Append appends a value. If a part of the value cannot be encoded, the error names that part.
func Append(b []byte, v reflect.Value, own CustomCodec) ([]byte, error) {
	if bits, width, ok := Number(v); ok {
		return append(b, binary.LittleEndian.AppendUint64(nil, bits)[:width]...), nil
	}
	if own.Append != nil {
		if out, ok, err := own.Append(b, v); ok || err != nil {
			return out, err
		}
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		b = binary.LittleEndian.AppendUint32(b, uint32(v.Len()))
		return append(b, v.String()...), nil
	case reflect.Array:
		for i := 0; i < v.Len() && err == nil; i++ {
			b, err = Append(b, v.Index(i), own)
		}
		return b, err
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			f := v.Type().Field(i)
			switch {
			case f.Name == "_" || f.Type.Size() == 0:
			case !f.IsExported():
				err = unexportedError(f.Name)
			default:
				b, err = Append(b, v.Field(i), own)
			}
		}
		return b, err
	}
	return b, notPlainError(v.Type())
}

// Set decodes a value from the bytes of Append, and returns the bytes after them.
func Set(b []byte, v reflect.Value, own CustomCodec) ([]byte, error) {
	if _, width, ok := Number(v); ok {
		if len(b) < width {
			return nil, ErrShort
		}
		var word [8]byte
		copy(word[:], b[:width])
		return b[width:], setNumber(v, binary.LittleEndian.Uint64(word[:]))
	}
	if own.Set != nil {
		if rest, ok, err := own.Set(b, v); ok || err != nil {
			return rest, err
		}
	}
	switch v.Kind() {
	case reflect.String:
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return nil, ErrShort
		}
		n := int(binary.LittleEndian.Uint32(b))
		v.SetString(string(b[4 : 4+n]))
		return b[4+n:], nil
	case reflect.Array:
		var err error
		for i := 0; i < v.Len() && err == nil; i++ {
			b, err = Set(b, v.Index(i), own)
		}
		return b, err
	case reflect.Struct:
		return setStruct(b, v, own)
	}
	return b, notPlainError(v.Type())
}

// setStruct decodes the fields of a struct, all of which must be exported.
func setStruct(b []byte, v reflect.Value, own CustomCodec) (_ []byte, err error) {
	for i := 0; i < v.NumField() && err == nil; i++ {
		f := v.Type().Field(i)
		switch {
		case f.Name == "_" || f.Type.Size() == 0:
		case !f.IsExported():
			err = unexportedError(f.Name)
		default:
			b, err = Set(b, v.Field(i), own)
		}
	}
	return b, err
}

func unexportedError(field string) error {
	return fmt.Errorf("field %s is not exported: give a Codec", field)
}
func notPlainError(t reflect.Type) error { return fmt.Errorf("a %v is not plain: give a Codec", t) }

// tooWideError returns the error that a 32-bit CPU reports for an int or uint that does not fit in
// 32 bits.
func tooWideError(t reflect.Type, value any) error {
	return fmt.Errorf("%v does not fit the %v of this CPU: declare it with 64 bits", value, t)
}

// setNumber sets a number from its bits.
func setNumber(v reflect.Value, bits uint64) error {
	switch {
	case v.Kind() == reflect.Bool && bits > 1:
		return fmt.Errorf("a bool is %d", bits)
	case v.Kind() == reflect.Bool:
		v.SetBool(bits == 1)
	case v.Kind() == reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case v.Kind() == reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case v.CanUint():
		if v.OverflowUint(bits) {
			return tooWideError(v.Type(), bits)
		}
		v.SetUint(bits)
	case v.Type().Size() == 8 || v.Kind() == reflect.Int:
		if v.OverflowInt(int64(bits)) {
			return tooWideError(v.Type(), int64(bits))
		}
		v.SetInt(int64(bits))
	default:
		shift := 64 - 8*v.Type().Size()
		v.SetInt(int64(bits<<shift) >> shift)
	}
	return nil
}
