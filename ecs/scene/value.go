package scene

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// storeValue writes a value of plain memory to its bytes.
func (d *decoder) storeValue(v reflect.Value, to []byte) *Error {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Name == "_" {
				continue
			}
			if err := d.storeValue(v.Field(i), to[f.Offset:f.Offset+f.Type.Size()]); err != nil {
				return err
			}
		}
	case reflect.Array:
		size := int(v.Type().Elem().Size())
		for i := range v.Len() {
			if err := d.storeValue(v.Index(i), to[i*size:][:size]); err != nil {
				return err
			}
		}
	case reflect.Bool:
		if to[0] = 0; v.Bool() {
			to[0] = 1
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		putWord(to, uint64(v.Int()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		putWord(to, v.Uint())
	case reflect.Float32:
		byteOrder.PutUint32(to, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		byteOrder.PutUint64(to, math.Float64bits(v.Float()))
	default:
		return d.errorAt(d.pos, "a %v cannot be written in a text", v.Type())
	}
	return nil
}

var jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()

// decodeValue decodes a value of any type that may occur in a text. If the value is a struct,
// decodeValue sets only the fields that occur in the text.
func (d *decoder) decodeValue(v reflect.Value) *Error {
	t := v.Type()
	pointer := reflect.PointerTo(t)
	switch {
	case t == entityType:
		e, err := d.decodeEntity()
		v.Set(reflect.ValueOf(e))
		return err
	case pointer.Implements(unmarshaler):
		return d.unmarshalText(v.Addr())
	case pointer.Implements(jsonUnmarshaler):
		return d.unmarshalJSON(v)
	case isBlob(t):
		return d.errorAt(d.pos, "%s", layoutPlanOf(t).unsupportedReason)
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.decodeStruct(v)
	case reflect.Array:
		v.SetZero()
		return d.decodeArray(t, t.Len(), func(i int) *Error { return d.decodeValue(v.Index(i)) })
	case reflect.Slice:
		return d.decodeSlice(v)
	case reflect.Map:
		return d.decodeMap(v)
	case reflect.Pointer:
		if null, err := d.skipNull(); null || err != nil {
			v.SetZero()
			return err
		}
		d.indirections++
		own := reflect.New(t.Elem())
		err := d.decodeValue(own.Elem())
		v.Set(own)
		d.indirections--
		return err
	}
	return d.decodeScalar(v)
}

// decodeScalar decodes a number, bool or string.
func (d *decoder) decodeScalar(v reflect.Value) *Error {
	t := v.Type()
	switch t.Kind() {
	case reflect.Bool:
		b, err := d.decodeBool()
		v.SetBool(b)
		return err
	case reflect.String:
		s, err := d.readString("a text")
		v.SetString(strings.Clone(s)) // copy the string, so that it does not keep the document alive
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := d.decodeInt(t, t.Bits())
		v.SetInt(n)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := d.decodeUint(t, t.Bits())
		v.SetUint(n)
		return err
	case reflect.Float32, reflect.Float64:
		f, err := d.decodeFloat(t.Bits())
		v.SetFloat(f)
		return err
	case reflect.Complex64, reflect.Complex128:
		var parts [2]float64
		err := d.decodeArray(t, 2, func(i int) (err *Error) { parts[i], err = d.decodeFloat(t.Bits() / 2); return err })
		v.SetComplex(complex(parts[0], parts[1]))
		return err
	}
	return d.errorAt(d.pos, "a %v cannot be written in a text", t)
}

// decodeStruct decodes a struct.
func (d *decoder) decodeStruct(v reflect.Value) *Error {
	t := v.Type()
	return d.decodeMembers(t, func(name string, at int) *Error {
		f, ok := t.FieldByName(name)
		if !ok || len(f.Index) > 1 || !f.IsExported() || f.Type.Size() == 0 {
			var names []string
			for _, own := range fieldsOnly(t) {
				names = append(names, own.Name)
			}
			return d.unknownFieldError(t, names, name, at)
		}
		d.path = append(d.path, f.Index[0])
		if err := d.decodeValue(v.Field(f.Index[0])); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
		return nil
	})
}

// fieldsOnly returns the fields of a struct that may occur in a text.
func fieldsOnly(t reflect.Type) (list []reflect.StructField) {
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Type.Size() > 0 {
			list = append(list, f)
		}
	}
	return list
}

// decodeMembers decodes an object. For each key, it moves the decoder to the key's value and calls
// value.
func (d *decoder) decodeMembers(t reflect.Type, value func(name string, at int) *Error) *Error {
	if err := d.openBracket('{', t.String()); err != nil {
		return err
	}
	were := map[string]bool{}
	for first := true; ; first = false {
		if ok, err := d.nextElement('}', first); err != nil || !ok {
			return err
		}
		name, at, err := d.readKey()
		if err != nil {
			return err
		}
		if were[name] {
			return d.errorAt(at, "%q is there twice", name)
		}
		were[name] = true
		if err := value(name, at); err != nil {
			return err
		}
	}
}

// decodeSlice decodes a slice. The text null means a nil slice.
func (d *decoder) decodeSlice(v reflect.Value) *Error {
	v.SetZero()
	if null, err := d.skipNull(); null || err != nil {
		return err
	}
	d.indirections++
	list := reflect.MakeSlice(v.Type(), 0, 0)
	err := d.decodeArray(v.Type(), -1, func(i int) *Error {
		list = reflect.Append(list, reflect.Zero(v.Type().Elem()))
		return d.decodeValue(list.Index(i))
	})
	d.indirections--
	v.Set(list)
	return err
}

// decodeMap decodes a map. The text null means a nil map.
func (d *decoder) decodeMap(v reflect.Value) *Error {
	t := v.Type()
	v.SetZero()
	if null, err := d.skipNull(); null || err != nil {
		return err
	}
	if t.Key().Kind() != reflect.String {
		return d.errorAt(d.pos, "%v has keys that are no strings", t)
	}
	d.indirections++
	list := reflect.MakeMap(t)
	err := d.decodeMembers(t, func(name string, _ int) *Error {
		own := reflect.New(t.Elem()).Elem()
		err := d.decodeValue(own)
		list.SetMapIndex(reflect.ValueOf(strings.Clone(name)).Convert(t.Key()), own)
		return err
	})
	d.indirections--
	v.Set(list)
	return err
}

// unmarshalJSON calls the method UnmarshalJSON of a value.
func (d *decoder) unmarshalJSON(v reflect.Value) *Error {
	if _, err := d.peek(); err != nil {
		return err
	}
	begin := d.pos
	plain, err := d.appendPlainJSON(nil)
	if err != nil {
		return err
	}
	if wrong := callUser(func() error { return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(plain) }); wrong != nil {
		return d.errorAt(begin, "%s is no %v: %v", plain[:min(len(plain), 60)], v.Type(), wrong)
	}
	return nil
}

// appendPlainJSON appends a value as plain JSON, without comments, spaces and trailing commas.
func (d *decoder) appendPlainJSON(out []byte) ([]byte, *Error) {
	c, err := d.peek()
	if err != nil {
		return out, err
	}
	begin := d.pos
	if c != '{' && c != '[' {
		err := d.skipScalar(c)
		return append(out, d.text[begin:d.pos]...), err
	}
	if err := d.openBracket(c, "a value"); err != nil {
		return out, err
	}
	for first := true; ; first = false {
		ok, err := d.nextElement(c+2, first)
		switch {
		case err != nil:
			return out, err
		case !ok && first:
			return append(out, c, c+2), nil
		case !ok:
			return append(out, c+2), nil
		case first:
			out = append(out, c)
		default:
			out = append(out, ',')
		}
		if c == '{' {
			key, _, err := d.readKey()
			if err != nil {
				return out, err
			}
			quoted, _ := json.Marshal(key)
			out = append(append(out, quoted...), ':')
		}
		if out, err = d.appendPlainJSON(out); err != nil {
			return out, err
		}
	}
}

// appendValue appends a text from which v can be read. The function names returns the name of an
// entity, by which a reference is written.
func appendValue(out []byte, v reflect.Value, names func(ecs.Entity) (string, error)) (_ []byte, err error) {
	t := v.Type()
	switch {
	case t == entityType:
		name, err := names(v.Interface().(ecs.Entity))
		if err != nil || name == "" {
			return append(out, "null"...), err
		}
		return appendString(out, name), nil
	case reflect.PointerTo(t).Implements(unmarshaler):
		var text []byte
		err := callUser(func() (err error) {
			text, err = pointerToCopy(v).Interface().(encoding.TextMarshaler).MarshalText()
			return err
		})
		return appendString(out, string(text)), err
	case reflect.PointerTo(t).Implements(jsonUnmarshaler):
		var text []byte
		err := callUser(func() (err error) { text, err = json.Marshal(pointerToCopy(v).Interface()); return err })
		return append(out, text...), err
	}
	switch t.Kind() {
	case reflect.Struct:
		return appendStruct(out, v, names)
	case reflect.Slice, reflect.Array:
		return appendList(out, v, names)
	case reflect.Map:
		return appendMap(out, v, names)
	case reflect.Pointer:
		if v.IsNil() {
			return append(out, "null"...), nil
		}
		return appendValue(out, v.Elem(), names)
	}
	return appendBasic(out, v)
}

// appendList appends a slice or an array.
func appendList(out []byte, v reflect.Value, names func(ecs.Entity) (string, error)) (_ []byte, err error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return append(out, "null"...), nil
	}
	out = append(out, '[')
	for i := range v.Len() {
		if i > 0 {
			out = append(out, ", "...)
		}
		if out, err = appendValue(out, v.Index(i), names); err != nil {
			return out, err
		}
	}
	return append(out, ']'), nil
}

// appendBasic appends a number, a string or a bool.
func appendBasic(out []byte, v reflect.Value) ([]byte, error) {
	switch {
	case v.CanComplex():
		out = appendFloat(append(out, '['), real(v.Complex()), v.Type().Bits()/2)
		return append(appendFloat(append(out, ", "...), imag(v.Complex()), v.Type().Bits()/2), ']'), nil
	case v.CanFloat():
		return appendFloat(out, v.Float(), v.Type().Bits()), nil
	case v.CanInt():
		return strconv.AppendInt(out, v.Int(), 10), nil
	case v.CanUint():
		return strconv.AppendUint(out, v.Uint(), 10), nil
	case v.Kind() == reflect.String:
		return appendString(out, v.String()), nil
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(out, v.Bool()), nil
	}
	return out, errorf("a %v cannot be written as text", v.Type())
}

// pointerToCopy returns a pointer to a copy of a value.
func pointerToCopy(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

func appendStruct(out []byte, v reflect.Value, names func(ecs.Entity) (string, error)) (_ []byte, err error) {
	t := v.Type()
	out = append(out, '{')
	first := true
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Name == "_" || f.Type.Size() == 0:
			continue
		case (!f.IsExported() || areBlobs(f.Type)) && v.Field(i).IsZero(): // a text cannot contain the field, and need not contain its zero value
			continue
		case !f.IsExported():
			return out, errorf("field %s of %v is not exported", f.Name, t)
		}
		if !first {
			out = append(out, ", "...)
		}
		first = false
		out = append(appendString(out, f.Name), ": "...)
		if out, err = appendValue(out, v.Field(i), names); err != nil {
			return out, err
		}
	}
	return append(out, '}'), nil
}

func appendMap(out []byte, v reflect.Value, names func(ecs.Entity) (string, error)) (_ []byte, err error) {
	if v.IsNil() {
		return append(out, "null"...), nil
	}
	if v.Type().Key().Kind() != reflect.String {
		return out, errorf("%v has keys that are no strings", v.Type())
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	out = append(out, '{')
	for i, k := range keys {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(appendString(out, k.String()), ": "...)
		if out, err = appendValue(out, v.MapIndex(k), names); err != nil {
			return out, err
		}
	}
	return append(out, '}'), nil
}

// appendFloat appends the shortest text from which exactly the same number is read.
func appendFloat(out []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(out, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(out, `"+Inf"`...)
	case math.IsInf(v, -1):
		return append(out, `"-Inf"`...)
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(out, v, format, -1, bits)
}

// appendString appends a string with quotes.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, '\\', 'n')
		case r == '\t':
			out = append(out, '\\', 't')
		case r < ' ' || r == 0x7f:
			out = append(out, '\\', 'u', '0', '0', "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			out = append(out, string(r)...)
		}
	}
	return append(out, '"')
}
