package datafile

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteNPZ writes a table in NumPy's format npz: a zip file with an array for each
// column. The files in the zip file are not compressed.
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
// them. Files in the zip file that are not arrays are left out.
func ReadNPZ(r io.ReaderAt, size int64, o Options) (*Table, error) {
	const do = "ReadNPZ"
	d := &disk{r: r}
	z, err := zip.NewReader(d, size)
	if err != nil {
		return nil, d.fault(do, err)
	}
	files := slices.DeleteFunc(z.File, func(f *zip.File) bool {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		return !ok || !o.isWanted(name)
	})
	if err := d.disjoint(do, files, size); err != nil {
		return nil, err
	}
	t, used, lanes := &Table{}, int64(0), 0
	for _, f := range files {
		name := strings.TrimSuffix(f.Name, ".npy")
		member, err := f.Open()
		if err != nil {
			return nil, d.fault(fmt.Sprintf("%s: array %q", do, name), err)
		}
		in := &input{r: member, left: -1, used: used, o: o, do: do, disk: d}
		if f.Method == zip.Store {
			in.left = int64(min(f.UncompressedSize64, uint64(max(size, 0))))
		}
		columns, err := in.readArray(name, false)
		if err != nil {
			return nil, err
		}
		n, err := member.Read(make([]byte, 1)) // at the end of a file, its checksum is compared
		if d.err != nil {
			return nil, d.fault(do, err)
		}
		if n > 0 || !errors.Is(err, io.EOF) {
			return nil, malformed(do, "the array %q has bytes after its end, or a wrong checksum", name)
		}
		_ = member.Close()
		used = in.used
		if t.Columns = append(t.Columns, columns...); columns[0].Rows() != t.Rows() {
			return nil, malformed(do, "the array %q has %d rows, and the array %q has %d: choose arrays of one length by Options.Columns", name, columns[0].Rows(), t.Columns[0].Name, t.Rows())
		}
		if lanes += columns[0].Width(); lanes > maxEmptyLanes && t.Rows() == 0 {
			break // checkDone returns the error
		}
	}
	return o.checkDone(do, t)
}

// A disk records the error of its reader, because package zip returns such an error in the same way as
// errors in the contents of a file.
type disk struct {
	r   io.ReaderAt
	err error
}

func (d *disk) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 { // from a malformed file
		return 0, zip.ErrFormat
	}
	n, err := d.r.ReadAt(b, at)
	if err != nil && !errors.Is(err, io.EOF) {
		d.err = err
	}
	return n, err
}

// fault returns the reader's error, if the reader has failed. If the reader has no error, the error err is
// about the contents of the file.
func (d *disk) fault(do string, err error) error {
	if d.err != nil {
		return fmt.Errorf("datafile: %s: %w", do, d.err)
	}
	return fmt.Errorf("datafile: %s: %w: %w", do, ErrFormat, err)
}

// disjoint returns an error if two arrays have bytes of the file in common. Otherwise a short file could
// contain many such arrays, and use much memory.
func (d *disk) disjoint(do string, files []*zip.File, size int64) error {
	type span struct {
		from, to int64
		name     string
	}
	var spans []span
	for _, f := range files {
		from, err := f.DataOffset()
		if err != nil {
			return d.fault(do, err)
		}
		spans = append(spans, span{from, from + int64(min(f.CompressedSize64, uint64(size))), f.Name})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.from < a.to {
			return malformed(do, "the arrays %q and %q have bytes in common", a.name, b.name)
		}
	}
	return nil
}
