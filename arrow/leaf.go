package arrow

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/lanewise/lanewise/ecs"
)

// gather appends the numbers of the rows in b. Each row has size bytes.
func (l *leaf) gather(g *gathered, b []byte, size uintptr, at int) {
	switch {
	case reflect.Bool == l.kind:
		k := at * l.count()
		for row := uintptr(0); row < uintptr(len(b)); row += size {
			l.each(b[row:], func(e []byte) {
				if e[0] != 0 {
					bitutil.SetBit(g.data, k)
				}
				k++
			})
		}
	case l.isGapless(size):
		g.data = append(g.data, b...)
	case len(l.dims) == 0 && l.size == 4:
		for row := l.at; row < uintptr(len(b)); row += size {
			g.data = append(g.data, b[row:row+4]...)
		}
	default:
		for row := uintptr(0); row < uintptr(len(b)); row += size {
			l.each(b[row:], func(e []byte) { g.data = l.append(g.data, e) })
		}
	}
}

// append appends one number.
func (l *leaf) append(to, e []byte) []byte {
	if l.entity && !little {
		return append(append(to, e[4:8]...), e[:4]...)
	}
	return append(to, e[:l.size]...)
}

// each calls f once for each number of one row.
func (l *leaf) each(row []byte, f func([]byte)) { eachOf(l.dims, row[l.at:], l.size, f) }

func eachOf(dims []dim, b []byte, size uintptr, f func([]byte)) {
	if len(dims) == 0 {
		f(b[:size])
		return
	}
	for i := range dims[0].n {
		eachOf(dims[1:], b[uintptr(i)*dims[0].stride:], size, f)
	}
}

// scatter writes rows into a lane from the values of a column. For booleans, it
// begins at the bit of the first number of the first row.
func (l *leaf) scatter(lane, values []byte, size uintptr, bit int) {
	switch {
	case l.kind == reflect.Bool:
		k := bit
		for row := uintptr(0); row < uintptr(len(lane)); row += size {
			l.each(lane[row:], func(e []byte) {
				e[0] = 0
				if bitutil.BitIsSet(values, k) {
					e[0] = 1
				}
				k++
			})
		}
	case l.isGapless(size):
		copy(lane, values)
	default:
		for row := uintptr(0); row < uintptr(len(lane)); row += size {
			l.each(lane[row:], func(e []byte) {
				if l.entity && !little {
					copy(e, values[4:8])
					copy(e[4:], values[:4])
				} else {
					copy(e, values[:l.size])
				}
				values = values[l.size:]
			})
		}
	}
}

// repeat appends a field of a shared value n times.
func (c *column) repeat(g *gathered, v reflect.Value, n, at int) {
	for _, k := range c.index {
		v = v.Field(k)
	}
	var word uint64
	switch {
	case c.leaf.entity:
		word = uint64(IDOf(ecs.Entity{Index: int32(v.Field(0).Int()), Version: int32(v.Field(1).Int())})) // the field need not be exported
	case v.Kind() == reflect.String:
		c.text(g, v.String(), n)
		return
	case v.Kind() == reflect.Bool:
		bitutil.SetBitsTo(g.data, int64(at), int64(n), v.Bool()) //lanewise:inexact its assembly fills memory with one byte
		return
	case v.CanInt():
		word = uint64(v.Int())
	case v.CanUint():
		word = v.Uint()
	case v.Kind() == reflect.Float32:
		word = uint64(math.Float32bits(float32(v.Float())))
	default:
		word = math.Float64bits(v.Float())
	}
	e := binary.NativeEndian
	for range n {
		switch c.width {
		case 1:
			g.data = append(g.data, byte(word))
		case 2:
			g.data = e.AppendUint16(g.data, uint16(word))
		case 4:
			g.data = e.AppendUint32(g.data, uint32(word))
		default:
			g.data = e.AppendUint64(g.data, word)
		}
	}
}

// text appends a string n times.
func (c *column) text(g *gathered, s string, n int) {
	for range n {
		g.text = append(g.text, s...)
		must(len(g.text) <= math.MaxInt32, "the strings of %s are longer than 2 GiB in one batch: ask for fewer rows", c.name)
		g.data = binary.NativeEndian.AppendUint32(g.data, uint32(len(g.text)))
	}
}
