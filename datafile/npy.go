package datafile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// WriteNPY writes a table in NumPy's format npy. A table of one column becomes an array with one entry for each row: its
// shape is (rows,) for one lane, and (rows, lanes) for more lanes. A table of more columns becomes a structured array, whose
// fields have the names of the columns.
func WriteNPY(w io.Writer, t *Table) error {
	if err := t.check("WriteNPY"); err != nil {
		return err
	}
	if n := rowBytes(t.Columns); n > maxRowBytes {
		return fmt.Errorf("datafile: WriteNPY: a row has %d bytes, and ReadNPY reads at most %d: write fewer columns, or npz", n, maxRowBytes)
	}
	head := arrayHeader(t.Columns, t.Rows())
	if len(head) > maxHeader {
		return fmt.Errorf("datafile: WriteNPY: the header has %d bytes, and ReadNPY reads at most %d: write fewer columns or shorter names, or npz", len(head), maxHeader)
	}
	return writeArray(w, head, t.Columns, t.Rows())
}

// writeArray writes columns as one array with a header.
func writeArray(w io.Writer, head []byte, columns []Column, rows int) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	return writeRows(w, columns, rows)
}

// arrayHeader returns the bytes before the numbers of an array.
func arrayHeader(columns []Column, rows int) []byte {
	var b strings.Builder
	shape := fmt.Sprintf("(%d,)", rows)
	if len(columns) == 1 {
		c := columns[0]
		fmt.Fprintf(&b, "{'descr': '%s'", kinds[c.Kind()].npy)
		if c.Width() > 1 {
			shape = fmt.Sprintf("(%d, %d)", rows, c.Width())
		}
	} else {
		b.WriteString("{'descr': [")
		for i, c := range columns {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(%s, '%s'", quotePython(c.Name), kinds[c.Kind()].npy)
			if c.Width() > 1 {
				fmt.Fprintf(&b, ", (%d,)", c.Width())
			}
			b.WriteString(")")
		}
		b.WriteString("]")
	}
	fmt.Fprintf(&b, ", 'fortran_order': False, 'shape': %s, }", shape)

	text, version := b.String(), byte(1)
	prefix := 10 // the magic bytes, the version, and the length in 2 bytes
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		version, prefix = 3, 12 // UTF-8, with a length in 4 bytes
	} else if len(text)+prefix+64 > math.MaxUint16 {
		version, prefix = 2, 12
	}
	pad := 63 - (prefix+len(text))%64 // the numbers begin at a multiple of 64
	text += strings.Repeat(" ", pad) + "\n"
	head := append([]byte(npyMagic), version, 0)
	if version == 1 {
		head = binary.LittleEndian.AppendUint16(head, uint16(len(text)))
	} else {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	}
	return append(head, text...)
}

const npyMagic = "\x93NUMPY"

// quotePython returns a text as a literal of Python.
func quotePython(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// ReadNPY reads a file in NumPy's format npy. The fields of a structured array
// become columns. An array without fields becomes one column with the name "array": its first axis is the row, and the other
// axes are the lanes. The array may be big-endian or in Fortran order. An array of bool becomes a column of uint8.
//
// ReadNPY ignores Options.Columns for an array without fields. It reads no byte after the array, so that it can be called
// again for the next array of a stream.
func ReadNPY(r io.Reader, o Options) (*Table, error) {
	in := newInput("ReadNPY", r, o)
	columns, err := in.readArray("array", true)
	if err != nil {
		return nil, err
	}
	if in.plain {
		o.Columns = nil
	}
	return o.checkDone(in.do, &Table{Columns: columns})
}

// An array is the layout of an array in a file.
type array struct {
	fields  []field
	rows    int64
	stride  int   // the bytes of a row
	fortran []int // in Fortran order, the lanes in the order of the file; otherwise nil
	plain   bool  // without fields
	shape   string
}

// A field is a part of each row.
type field struct {
	name    string
	kind    Kind
	big     bool // big-endian
	padding bool
	width   int
	offset  int // in the row
	data    storage
}

// maxRowBytes is the largest size of a row. This limit bounds the memory for a block.
const maxRowBytes = 1 << 20

// readArray reads an array as columns. An array without fields becomes a column with the given name, even if
// Options.Columns lacks it.
func (in *input) readArray(name string, fields bool) ([]Column, error) {
	a, err := in.readLayout(name)
	if err != nil {
		return nil, err
	}
	if !a.plain && !fields {
		return nil, in.malformed("the array %q has fields: save each field as an array, or the array as an npy file", name)
	}
	in.plain = a.plain
	if a.rows > math.MaxInt/int64(a.stride) {
		return nil, in.malformed("the array %q has the shape %s, which is too large for this machine", name, a.shape)
	}
	if all := int64(a.stride) * a.rows; in.left >= 0 && all > in.left {
		return nil, in.malformed("the array %q of shape %s takes %d bytes, and the file has only %d more", name, a.shape, all, in.left)
	}
	reserved := int(min(a.rows, int64(blockBytes/a.stride)+1))
	if in.left >= 0 {
		reserved = int(a.rows)
	}
	wanted := func(f field) bool { return !f.padding && (a.plain || in.o.isWanted(f.name)) }
	for _, f := range a.fields {
		if wanted(f) {
			in.used += a.rows*int64(f.width*kinds[f.kind].size) + int64(f.width)*laneBytes
		}
	}
	if err := in.o.checkSize(in.do, in.used); err != nil {
		return nil, err
	}
	var columns []Column
	for i := range a.fields {
		if f := &a.fields[i]; wanted(*f) {
			f.data = newStorage(f.kind, f.width)
			f.data.reserve(reserved)
			columns = append(columns, Column{Name: f.name, data: f.data})
		}
	}
	if a.fortran != nil {
		return columns, in.readLanes(a)
	}
	return columns, in.readRows(a)
}

// readRows reads the numbers of an array row by row.
func (in *input) readRows(a *array) error {
	step, partStep := max(1, blockBytes/a.stride), max(1, partBytes/a.stride)
	block := make([]byte, int(min(int64(step), a.rows))*a.stride)
	for left := int(a.rows); left > 0; {
		n := min(step, left)
		if err := in.read(block[:n*a.stride], fmt.Sprintf("an array of shape %s, %d rows before its end", a.shape, left)); err != nil {
			return err
		}
		for lo := 0; lo < n; lo += partStep {
			part := block[lo*a.stride:]
			for _, f := range a.fields {
				if f.data == nil {
					continue
				}
				for lane := range f.width {
					f.data.decode(part[f.offset+lane*kinds[f.kind].size:], a.stride, lane, min(partStep, n-lo), f.big)
				}
			}
		}
		left -= n
	}
	return nil
}

// readLanes reads the numbers of an array in Fortran order, where each lane is stored in one piece.
func (in *input) readLanes(a *array) error {
	f := a.fields[0]
	size := kinds[f.kind].size
	block := make([]byte, int(min(int64(blockBytes/size), a.rows))*size)
	for _, lane := range a.fortran {
		for left := int(a.rows); left > 0; {
			n := min(blockBytes/size, left)
			if err := in.read(block[:n*size], fmt.Sprintf("an array of shape %s", a.shape)); err != nil {
				return err
			}
			f.data.decode(block, size, lane, n, f.big)
			left -= n
		}
	}
	return nil
}
