package datafile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// WriteNPZ writes a table in NumPy's format npz: a zip file with an array for each
// column. The files in it are not compressed.
func WriteNPZ(w io.Writer, t *Table) error {
	if err := t.check("WriteNPZ"); err != nil {
		return err
	}
	for _, c := range t.Columns {
		if strings.ContainsAny(c.Name, `/\:`) || len(c.Name) > 1<<15 {
			return fmt.Errorf("datafile: WriteNPZ: the name %q of a column is not the name of a file: rename the column", c.Name)
		}
	}
	z := zip.NewWriter(w)
	for _, c := range t.Columns {
		f, err := z.CreateHeader(&zip.FileHeader{Name: c.Name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := writeArray(f, arrayHeader([]Column{c}, t.Rows()), []Column{c}, t.Rows()); err != nil {
			return err
		}
	}
	return z.Close()
}

// ReadNPZ reads a file of the given size in NumPy's format npz, compressed or
// not. All arrays must have the same length; Options.Columns can choose some of
// them. Files in it that are no arrays are left out.
func ReadNPZ(r io.ReaderAt, size int64, o Options) (*Table, error) {
	const do = "ReadNPZ"
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("datafile: %s: %w: %w", do, ErrFormat, err)
	}
	t, used := &Table{}, int64(0)
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok || !o.wants(name) {
			continue
		}
		member, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("datafile: %s: array %q: %w: %w", do, name, ErrFormat, err)
		}
		in := &input{r: member, left: -1, used: used, o: o, do: do}
		if f.Method == zip.Store {
			in.left = int64(min(f.UncompressedSize64, uint64(max(size, 0))))
		}
		columns, err := in.readArray(name, false)
		if err != nil {
			return nil, err
		}
		if n, err := member.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) { // at the end of a file, its checksum is compared
			return nil, malformed(do, "the array %q has bytes after its end, or a wrong checksum", name)
		}
		_ = member.Close()
		used = in.used
		if t.Columns = append(t.Columns, columns...); columns[0].Rows() != t.Rows() {
			return nil, malformed(do, "the array %q has %d rows, and the array %q has %d: choose arrays of one length by Options.Columns", name, columns[0].Rows(), t.Columns[0].Name, t.Rows())
		}
	}
	return o.done(do, t)
}
