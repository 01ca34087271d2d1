package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// appendShared appends a shared value.
func (k *column) appendShared(b []byte, v any) ([]byte, error) {
	p := reflect.New(k.typ)
	p.Elem().Set(reflect.ValueOf(v))
	if k.codec != nil {
		err := tried(func() (err error) { b, err = k.codec.encode(b, p.Interface()); return err })
		return b, err
	}
	return k.refs.appendPlain(b, p.Elem())
}

// sharedOf returns the shared value of some bytes.
func (k *column) sharedOf(b []byte) (any, error) {
	p := reflect.New(k.typ)
	if k.codec != nil {
		err := tried(func() error { return k.codec.decode(b, p.Interface()) })
		return p.Elem().Interface(), err
	}
	d := &in{b: b}
	if err := k.refs.setPlain(d, p.Elem()); err != nil {
		return nil, err
	}
	return p.Elem().Interface(), d.done("a value")
}

// tried calls a codec. What it panics with is an error, as it is where workers call one.
func tried(codec func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the codec has panicked: %v", v)
		}
	}()
	return codec()
}

// number returns the bits of a number, and how many bytes it has.
func number(v reflect.Value) (bits uint64, width int, ok bool) {
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

// appendPlain appends a value of exported numbers, strings and blobs.
func (n *blobs) appendPlain(b []byte, v reflect.Value) ([]byte, error) {
	if bits, width, ok := number(v); ok {
		return append(b, binary.LittleEndian.AppendUint64(nil, bits)[:width]...), nil
	}
	var err error
	if isBlob(v.Type()) {
		own := ecs.BlobOf(v.Interface())
		err := n.take(own)
		return binary.LittleEndian.AppendUint32(b, n.numbers[own]), err
	}
	switch v.Kind() {
	case reflect.String:
		b = binary.LittleEndian.AppendUint32(b, uint32(v.Len()))
		return append(b, v.String()...), nil
	case reflect.Array:
		for i := 0; i < v.Len() && err == nil; i++ {
			b, err = n.appendPlain(b, v.Index(i))
		}
		return b, err
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			f := v.Type().Field(i)
			switch {
			case f.Name == "_" || f.Type.Size() == 0:
			case !f.IsExported():
				err = fmt.Errorf("field %s is not exported: give a Codec", f.Name)
			default:
				b, err = n.appendPlain(b, v.Field(i))
			}
		}
		return b, err
	}
	return b, fmt.Errorf("a %v is not plain: give a Codec", v.Type())
}

// setPlain sets a value of exported numbers, strings and blobs.
func (n *blobs) setPlain(d *in, v reflect.Value) (err error) {
	if _, width, ok := number(v); ok {
		var word [8]byte
		copy(word[:], d.take(uint64(width)))
		return setNumber(v, binary.LittleEndian.Uint64(word[:]))
	}
	if isBlob(v.Type()) {
		own, err := n.of(v.Type(), d.u32())
		if err == nil && !own.Null() {
			v.Set(reflect.ValueOf(own.Value()))
		}
		return err
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text())
	case reflect.Array:
		for i := 0; i < v.Len() && err == nil; i++ {
			err = n.setPlain(d, v.Index(i))
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			f := v.Type().Field(i)
			switch {
			case f.Name == "_" || f.Type.Size() == 0:
			case !f.IsExported():
				err = fmt.Errorf("field %s is not exported: give a Codec", f.Name)
			default:
				err = n.setPlain(d, v.Field(i))
			}
		}
	default:
		err = fmt.Errorf("a %v is not plain: give a Codec", v.Type())
	}
	return err
}

// setNumber sets a number to its bits.
func setNumber(v reflect.Value, bits uint64) error {
	switch {
	case v.Kind() == reflect.Bool && bits > 1:
		return corrupt("a bool is %d", bits)
	case v.Kind() == reflect.Bool:
		v.SetBool(bits == 1)
	case v.Kind() == reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case v.Kind() == reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case v.CanUint():
		v.SetUint(bits)
	case v.Type().Size() == 8 || v.Kind() == reflect.Int:
		v.SetInt(int64(bits))
	default:
		shift := 64 - 8*v.Type().Size()
		v.SetInt(int64(bits<<shift) >> shift)
	}
	return nil
}
