package rollback

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// layout says where the numbers of an input are in its memory. Inputs are compared by the bits of these numbers and not with ==, because
// == takes -0 for +0, and a NaN for another value than itself. Padding and blank fields are left out, because a copy of a value need
// not have the same bytes there.
type layout struct {
	runs    []run
	encoded int // how many bytes append appends; -1 if that depends on the machine
}

// run is a number of values of one kind that follow each other without a gap.
type run struct {
	at, size, n int
	kind        kind
}

// kind says how a value is read.
type kind uint8

const (
	unsigned kind = iota // floats too: their bits
	signed
	truth
	blank
)

// layouts has the layout of each type that was asked for, because a packet is made and read in each tick.
var layouts sync.Map

// layoutOf returns the layout of a type. It refuses types that have something beside numbers: the text of a string, or the value in an
// interface, is not in the input's own memory, and an address means nothing to another peer.
func layoutOf(op string, t reflect.Type) (*layout, error) {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout), nil
	}
	l := new(layout)
	if err := l.add(t, t.String(), 0, false); err != nil {
		return nil, fmt.Errorf("rollback: %s: inputs of type %v: %w: an input has numbers, truth values, arrays and structs of these only: use a number or an array of fixed length in its place: %w", op, t, err, ecs.ErrArgument)
	}
	l.encoded = binary.Size(reflect.Zero(t).Interface())
	layouts.Store(t, l)
	return l, nil
}

// add adds the values of a type that begins at an offset.
func (l *layout) add(t reflect.Type, name string, at int, hidden bool) error {
	k := unsigned
	switch t.Kind() {
	case reflect.Bool:
		k = truth
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		k = signed
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64:
	case reflect.Complex64, reflect.Complex128:
		l.join(run{at, int(t.Size()) / 2, 2, unsigned}, hidden)
		return nil
	case reflect.Array:
		for i := range t.Len() {
			if err := l.add(t.Elem(), name+"[i]", at+i*int(t.Elem().Size()), hidden); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := l.add(f.Type, name+"."+f.Name, at+int(f.Offset), hidden || f.Name == "_"); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("%s is of kind %v", name, t.Kind())
	}
	l.join(run{at, int(t.Size()), 1, k}, hidden)
	return nil
}

// join adds a run, to the last one if it goes on.
func (l *layout) join(r run, hidden bool) {
	if hidden {
		r.kind = blank
	}
	if last := len(l.runs) - 1; last >= 0 {
		if p := &l.runs[last]; p.kind == r.kind && p.size == r.size && p.at+p.size*p.n == r.at {
			p.n += r.n
			return
		}
	}
	l.runs = append(l.runs, r)
}

// equal reports whether two inputs have the same bits.
func (l *layout) equal(a, b []byte) bool {
	for _, r := range l.runs {
		if end := r.at + r.size*r.n; r.kind != blank && !bytes.Equal(a[r.at:end], b[r.at:end]) {
			return false
		}
	}
	return true
}

// word returns the value at an offset as a number that is the same on every machine.
func (r *run) word(b []byte) uint64 {
	var v uint64
	switch r.size {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(binary.NativeEndian.Uint16(b))
	case 4:
		v = uint64(binary.NativeEndian.Uint32(b))
	default:
		v = binary.NativeEndian.Uint64(b)
	}
	if free := 64 - 8*r.size; r.kind == signed {
		return uint64(int64(v<<free) >> free)
	}
	return v
}

// digest adds an input to a digest.
func (l *layout) digest(d uint64, b []byte) uint64 {
	for i := range l.runs {
		r := &l.runs[i]
		if r.kind == blank {
			continue
		}
		for k := range r.n {
			d = (d ^ r.word(b[r.at+k*r.size:])) * 0xff51afd7ed558ccd
			d ^= d >> 32
		}
	}
	return d
}

// append appends an input as package encoding/binary does, little end first. Unlike that package it does not bring a float32 to float64 and
// back, which changes the bits of a signaling NaN.
func (l *layout) append(to, b []byte) []byte {
	for i := range l.runs {
		r := &l.runs[i]
		for k := range r.n {
			v := uint64(0)
			if r.kind != blank {
				v = r.word(b[r.at+k*r.size:])
			}
			for j := range r.size {
				to = append(to, byte(v>>(8*j)))
			}
		}
	}
	return to
}

// decode reads an input that append has written. Blank fields are skipped.
func (l *layout) decode(b, from []byte) {
	for i := range l.runs {
		r := &l.runs[i]
		for k := range r.n {
			to, own := b[r.at+k*r.size:][:r.size], from[:r.size]
			from = from[r.size:]
			switch {
			case r.kind == blank:
			case r.kind == truth:
				to[0] = min(own[0], 1) // another byte is no bool
			default:
				copy(to, own)
				if bigEnd {
					slices.Reverse(to)
				}
			}
		}
	}
}

// bigEnd says that this machine has the big end of a number first.
var bigEnd = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
