package datafile

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// blockBytes is the size of the blocks in which binary formats are written and read.
const blockBytes = 1 << 18

// partBytes is the size of the parts of a block that are filled one after another. It is smaller than the
// first-level cache of a core, because the lanes of a part use the same cache lines one after another.
const partBytes = 1 << 14

// Options holds the settings of readers. The zero value reads all columns.
type Options struct {
	// Limit is the largest number of bytes that all columns of a table may
	// take together. Each lane counts 32 bytes more, and each label 64 bytes
	// more. 0 means no limit. Set a limit for files from strangers.
	Limit int64
	// Columns holds the names of the columns to read. If it is empty, all
	// columns are read.
	Columns []string
	// Float32 makes readers of CSV and extended XYZ return columns of decimals as float32 instead of float64.
	Float32 bool
}

// These bytes count against the limit for each lane, and for each label, in addition to its contents. The
// numbers are lower bounds: the header of a slice, and a string with its place in a map, take at least as
// many bytes.
const (
	laneBytes  = 32
	labelBytes = 64
)

// isWanted reports whether a column is to be read.
func (o Options) isWanted(name string) bool {
	return len(o.Columns) == 0 || slices.Contains(o.Columns, name)
}

// float returns the kind of columns of decimals: float32 or float64.
func (o Options) float() Kind {
	if o.Float32 {
		return Float32
	}
	return Float64
}

// checkDone checks a table that was read by a function.
func (o Options) checkDone(do string, t *Table) (*Table, error) {
	if len(t.Columns) == 0 && len(o.Columns) == 0 {
		return nil, malformed(do, "the file has no columns")
	}
	for _, name := range o.Columns {
		if _, err := t.Column(name); err != nil {
			return nil, malformed(do, "the file has no column %q: remove it from Options.Columns", name)
		}
	}
	if err := t.fault(); err != nil {
		return nil, malformed(do, "%v", err)
	}
	return t, nil
}

// malformed returns an error about the contents of a file.
func malformed(do, format string, args ...any) error {
	return fmt.Errorf("datafile: %s: %w: %s", do, ErrFormat, fmt.Sprintf(format, args...))
}

// checkSize returns an error if the columns of a table would take more bytes than the limit.
func (o Options) checkSize(do string, bytes int64) error {
	if o.Limit > 0 && bytes > o.Limit {
		return fmt.Errorf("datafile: %s: %w: the columns take %d bytes or more, and Options.Limit is %d: set a larger limit, or select columns by Options.Columns", do, ErrLimit, bytes, o.Limit)
	}
	return nil
}

// writeRows writes the lanes of columns row by row.
func writeRows(w io.Writer, columns []Column, rows int) error {
	stride := rowBytes(columns)
	step, partStep := max(1, blockBytes/stride), max(1, partBytes/stride)
	block := make([]byte, min(step, rows)*stride)
	for lo := 0; lo < rows; lo += step {
		hi := min(lo+step, rows)
		for part := lo; part < hi; part += partStep {
			offset := (part - lo) * stride
			for _, c := range columns {
				c.data.encodeAll(block[offset:], stride, part, min(part+partStep, hi))
				offset += c.Width() * kinds[c.Kind()].size
			}
		}
		if _, err := w.Write(block[:(hi-lo)*stride]); err != nil {
			return err
		}
	}
	return nil
}

// rowBytes returns the number of bytes of a row.
func rowBytes(columns []Column) (n int) {
	for _, c := range columns {
		n += c.Width() * kinds[c.Kind()].size
	}
	return n
}

// An input is the source of a binary array.
type input struct {
	r    io.Reader
	left int64 // the number of bytes in r; -1 if it is unknown
	used int64 // the bytes of the columns until now
	o    Options
	do   string // the function that reads, for messages

	disk  *disk // from which a zip file is read
	plain bool  // the last array had no fields
}

// newInput returns an input for a reader. Readers of memory know how many bytes are left.
func newInput(do string, r io.Reader, o Options) *input {
	in := &input{r: r, left: -1, o: o, do: do}
	switch m := r.(type) {
	case interface{ Len() int }: // for example a bytes.Reader
		in.left = int64(m.Len())
	case *io.SectionReader:
		in.left = m.Size()
	}
	return in
}

func (in *input) malformed(format string, args ...any) error {
	return malformed(in.do, format, args...)
}

// read reads a whole buffer. Parameter what names the contents of the buffer for error messages.
func (in *input) read(b []byte, what string) error {
	n, err := io.ReadFull(in.r, b)
	if in.left >= 0 {
		in.left = max(0, in.left-int64(n))
	}
	switch {
	case err == nil:
		return nil
	case in.disk != nil && in.disk.err != nil:
		return in.disk.fault(in.do, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return in.malformed("the file ends in %s", what)
	case in.disk != nil:
		return in.disk.fault(in.do, err) // for example, of compressed bytes
	}
	return fmt.Errorf("datafile: %s: %w", in.do, err)
}
