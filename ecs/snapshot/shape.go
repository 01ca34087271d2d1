package snapshot

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/plain"
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

// add adds what is in a type at an offset of the value.
func (s *shape) add(text *strings.Builder, t reflect.Type, at int) error {
	switch {
	case isBlob(t):
		s.runs = append(s.runs, run{at, 1, int(t.Size()), t})
		text.WriteString("r4")
		return nil
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue
			}
			if err := s.add(text, f.Type, at+int(f.Offset)); err != nil {
				return err
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
	return s.number(text, t, at)
}

// number adds a number, or two of a complex one, to the last run if that ends before it and is of its width.
func (s *shape) number(text *strings.Builder, t reflect.Type, at int) error {
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

// isBlob reports whether t is a blob.Ref.
func isBlob(t reflect.Type) bool {
	_, is := blob.RootType(t)
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
					out = binary.LittleEndian.AppendUint32(out, s.refs.numbers[blob.At(r.blob, own)])
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
		err := tried(func() (err error) { b, err = k.codec.append(b, p.Interface()); return err })
		return b, err
	}
	return plain.Append(b, p.Elem(), k.refs.plain())
}

// sharedOf returns the shared value of some bytes.
func (k *column) sharedOf(b []byte) (any, error) {
	p := reflect.New(k.typ)
	if k.codec != nil {
		err := tried(func() error { return k.codec.decode(b, p.Interface()) })
		return p.Elem().Interface(), err
	}
	rest, err := plain.Set(b, p.Elem(), k.refs.plain())
	if err == nil && len(rest) > 0 {
		err = corrupt("a value ends too late")
	}
	return p.Elem().Interface(), err
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

// plain is how shared values refer to blobs.
func (n *blobs) plain() plain.Own {
	return plain.Own{
		Append: func(b []byte, v reflect.Value) ([]byte, bool, error) {
			if !isBlob(v.Type()) {
				return b, false, nil
			}
			own := blob.Of(v.Interface())
			err := n.take(own)
			return binary.LittleEndian.AppendUint32(b, n.numbers[own]), true, err
		},
		Set: func(b []byte, v reflect.Value) ([]byte, bool, error) {
			if !isBlob(v.Type()) {
				return b, false, nil
			}
			if len(b) < 4 {
				return nil, true, plain.ErrShort
			}
			own, err := n.of(v.Type(), binary.LittleEndian.Uint32(b))
			if err == nil && !own.Null() {
				v.Set(reflect.ValueOf(own.Value()))
			}
			return b[4:], true, err
		},
	}
}
