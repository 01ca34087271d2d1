package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// shape is the numbers in a value of some type, in order.
type shape struct {
	runs []run
	refs *blobs // that values refer to
	size int    // bytes of a value in memory
	file int    // bytes of a value in a file
	flat bool   // a file has the bytes of memory, on CPUs with the little end first
	text string
}

// run is neighbouring numbers of one kind.
type run struct {
	at, n, width int
	blob         reflect.Type // they are references to blobs: numbers of four bytes in a file
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// shapeOf returns the shape of a type of plain memory. The error names what is none.
func shapeOf(t reflect.Type) (shape, error) {
	s := shape{size: int(t.Size())}
	var text strings.Builder
	if err := s.add(&text, t, 0); err != nil {
		return s, err
	}
	for _, r := range s.runs {
		s.file += r.n * r.bytes()
	}
	s.flat = littleEndian && s.file == s.size && !s.refers()
	s.text = text.String()
	return s, nil
}

// bytes is how many a number has in a file.
func (r *run) bytes() int {
	if r.blob != nil {
		return 4
	}
	return r.width
}

// letters are the kinds of numbers in texts.
var letters = map[reflect.Kind]byte{
	reflect.Bool: 'b', reflect.Int8: 'i', reflect.Int16: 'i', reflect.Int32: 'i', reflect.Int64: 'i',
	reflect.Uint8: 'u', reflect.Uint16: 'u', reflect.Uint32: 'u', reflect.Uint64: 'u',
	reflect.Float32: 'f', reflect.Float64: 'f', reflect.Complex64: 'c', reflect.Complex128: 'c',
}

func (s *shape) add(text *strings.Builder, t reflect.Type, at int) error {
	switch {
	case isBlob(t):
		s.runs = append(s.runs, run{at, 1, int(t.Size()), t})
		text.WriteString("r4")
		return nil
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				if err := s.add(text, f.Type, at+int(f.Offset)); err != nil {
					return err
				}
			}
		}
		return nil
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			if err := s.add(text, t.Elem(), at+i*int(t.Elem().Size())); err != nil {
				return err
			}
		}
		return nil
	}
	letter, ok := letters[t.Kind()]
	if !ok {
		return fmt.Errorf("a %v has other sizes elsewhere, or is no plain memory", t)
	}
	width, n := int(t.Size()), 1
	fmt.Fprintf(text, "%c%d", letter, width)
	if letter == 'c' {
		width, n = width/2, 2
	}
	if last := len(s.runs) - 1; last >= 0 && s.runs[last].blob == nil && s.runs[last].width == width && s.runs[last].at+s.runs[last].n*width == at {
		s.runs[last].n += n
	} else {
		s.runs = append(s.runs, run{at, n, width, nil})
	}
	return nil
}

// isBlob reports whether t is an ecs.Blob.
func isBlob(t reflect.Type) bool {
	_, is := ecs.BlobType(t)
	return is
}

// append appends values in memory as they are in a file.
func (s *shape) append(out, memory []byte) []byte {
	if s.flat {
		return append(out, memory...)
	}
	for ; len(memory) > 0; memory = memory[s.size:] {
		for _, r := range s.runs {
			for i := range r.n {
				own := memory[r.at+i*r.width:][:r.width]
				if r.blob != nil {
					out = binary.LittleEndian.AppendUint32(out, s.refs.numbers[ecs.BlobAt(r.blob, own)])
				} else {
					out = appendNumber(out, own)
				}
			}
		}
	}
	return out
}

// appendNumber appends a number in memory, little end first.
func appendNumber(out, b []byte) []byte {
	if littleEndian {
		return append(out, b...)
	}
	for i := range b {
		out = append(out, b[len(b)-1-i])
	}
	return out
}

// fill makes values in memory, which is zero, of those in a file. The error is of blobs.
func (s *shape) fill(memory, file []byte) error {
	if s.flat {
		copy(memory, file)
		return nil
	}
	for ; len(file) > 0; memory = memory[s.size:] {
		for _, r := range s.runs {
			for i := range r.n {
				to := memory[r.at+i*r.width:][:r.width]
				if r.blob != nil {
					b, err := s.refs.of(r.blob, binary.LittleEndian.Uint32(file))
					if err != nil {
						return err
					}
					b.Put(to)
				} else if copy(to, file[:r.width]); !littleEndian {
					reverse(to)
				}
				file = file[r.bytes():]
			}
		}
	}
	return nil
}

func reverse(b []byte) {
	for i := range len(b) / 2 {
		b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
	}
}

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
	d := &frames.In{B: b}
	if err := k.refs.setPlain(d, p.Elem()); err != nil {
		return nil, err
	}
	return p.Elem().Interface(), done(d, "a value")
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
func (n *blobs) setPlain(d *frames.In, v reflect.Value) (err error) {
	if _, width, ok := number(v); ok {
		var word [8]byte
		copy(word[:], d.Take(uint64(width)))
		return setNumber(v, binary.LittleEndian.Uint64(word[:]))
	}
	if isBlob(v.Type()) {
		own, err := n.of(v.Type(), d.U32())
		if err == nil && !own.Null() {
			v.Set(reflect.ValueOf(own.Value()))
		}
		return err
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.Text())
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
