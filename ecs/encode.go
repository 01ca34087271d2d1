package ecs

import (
	"encoding/binary"
	"math"
	"reflect"
)

// part is a run of equal numbers in a Go value, for the hash.
type part struct {
	count   int // how many
	width   int // bytes of each
	float   int // width, if they are floats; else 0
	padding int // bytes that follow them and mean nothing
}

// idParts are the numbers of an entity id.
var idParts = partsOf(reflect.TypeFor[Entity]())

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// partsOf returns the numbers in a value of type t, which holds no Go pointers.
func partsOf(t reflect.Type) []part {
	var p []part
	end := appendParts(&p, t, 0, 0)
	if gap := int(t.Size()) - end; gap > 0 {
		if len(p) == 0 {
			p = append(p, part{}) // no number, only what is skipped
		}
		p[len(p)-1].padding += gap
	}
	return p
}

// appendParts adds the numbers of t, which starts at the given offset, where the
// last number ended at end; it returns where the last number ends now.
func appendParts(p *[]part, t reflect.Type, at, end int) int {
	if isBlob(t) {
		return end // it depends on which blobs there were before
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				end = appendParts(p, f.Type, at+int(f.Offset), end)
			}
		}
		return end
	case reflect.Array:
		for i := range t.Len() {
			end = appendParts(p, t.Elem(), at+i*int(t.Elem().Size()), end)
		}
		return end
	case reflect.Complex64, reflect.Complex128:
		width := int(t.Size()) / 2
		end = appendPart(p, width, width, at, end)
		return appendPart(p, width, width, at+width, end)
	case reflect.Float32, reflect.Float64:
		return appendPart(p, int(t.Size()), int(t.Size()), at, end)
	default:
		return appendPart(p, int(t.Size()), 0, at, end)
	}
}

func appendPart(p *[]part, width, float, at, end int) int {
	list := *p
	if gap := at - end; gap > 0 {
		if len(list) == 0 {
			list = append(list, part{}) // no number, only what is skipped
		}
		list[len(list)-1].padding += gap
	}
	if last := len(list) - 1; last >= 0 && list[last].width == width && list[last].float == float && list[last].padding == 0 {
		list[last].count++
	} else {
		list = append(list, part{count: 1, width: width, float: float})
	}
	*p = list
	return at + width
}

// append appends the first number in b, little end first.
func (p part) append(out, b []byte) []byte {
	switch {
	case p.float == 4:
		return binary.LittleEndian.AppendUint32(out, canonicalFloat32(binary.NativeEndian.Uint32(b)))
	case p.float == 8:
		return binary.LittleEndian.AppendUint64(out, canonical64(binary.NativeEndian.Uint64(b)))
	case p.width == 1:
		return append(out, b[0])
	case p.width == 2:
		return binary.LittleEndian.AppendUint16(out, binary.NativeEndian.Uint16(b))
	case p.width == 4:
		return binary.LittleEndian.AppendUint32(out, binary.NativeEndian.Uint32(b))
	default:
		return binary.LittleEndian.AppendUint64(out, binary.NativeEndian.Uint64(b))
	}
}

// appendValue appends the numbers of a shared value, little end first.
func appendValue(out []byte, v reflect.Value) []byte {
	le := binary.LittleEndian
	if isBlob(v.Type()) {
		return out
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(out, 1)
		}
		return append(out, 0)
	case reflect.Int8:
		return append(out, byte(v.Int()))
	case reflect.Int16:
		return le.AppendUint16(out, uint16(v.Int()))
	case reflect.Int32:
		return le.AppendUint32(out, uint32(v.Int()))
	case reflect.Int, reflect.Int64:
		return le.AppendUint64(out, uint64(v.Int()))
	case reflect.Uint8:
		return append(out, byte(v.Uint()))
	case reflect.Uint16:
		return le.AppendUint16(out, uint16(v.Uint()))
	case reflect.Uint32:
		return le.AppendUint32(out, uint32(v.Uint()))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return le.AppendUint64(out, v.Uint())
	case reflect.Float32:
		return le.AppendUint32(out, canonicalFloat32(math.Float32bits(float32(v.Float()))))
	case reflect.Float64:
		return le.AppendUint64(out, canonical64(math.Float64bits(v.Float())))
	case reflect.Complex64:
		c := complex64(v.Complex())
		out = le.AppendUint32(out, canonicalFloat32(math.Float32bits(real(c))))
		return le.AppendUint32(out, canonicalFloat32(math.Float32bits(imag(c))))
	case reflect.Complex128:
		c := v.Complex()
		out = le.AppendUint64(out, canonical64(math.Float64bits(real(c))))
		return le.AppendUint64(out, canonical64(math.Float64bits(imag(c))))
	case reflect.String:
		return append(le.AppendUint64(out, uint64(v.Len())), v.String()...)
	case reflect.Array:
		for i := range v.Len() {
			out = appendValue(out, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = appendValue(out, v.Field(i))
		}
	}
	return out
}

func canonicalFloat32(u uint32) uint32 {
	if u&0x7fffffff > 0x7f800000 {
		return 0x7fc00000
	}
	return u
}

// canonical64 makes a NaN canonical.
func canonical64(w uint64) uint64 {
	if w&math.MaxInt64 > 0x7ff0000000000000 {
		return 0x7ff8000000000000
	}
	return w
}
