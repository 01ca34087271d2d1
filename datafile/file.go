package datafile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/internal/atomicfile"
)

// formats maps the ends of file names to formats.
var formats = map[string]func(io.Writer, *Table) error{
	".npy": WriteNPY, ".npz": WriteNPZ, ".csv": WriteCSV, ".vtp": WriteVTP, ".xyz": WriteExtXYZ, ".extxyz": WriteExtXYZ,
}

// format returns the format of a file.
func format(do, name string) (func(io.Writer, *Table) error, error) {
	write := formats[strings.ToLower(filepath.Ext(name))]
	if write == nil {
		return nil, fmt.Errorf("datafile: %s: the name %q has no known end: use .npy, .npz, .csv, .vtp, .xyz or .extxyz", do, name)
	}
	return write, nil
}

// Save writes a table to a file. The end of the name chooses the format: .npy,
// .npz, .csv, .vtp, or .xyz and .extxyz for extended XYZ. The file appears under
// its name only when it is complete. Until then, and after an error, an old file
// of this name stays.
func Save(name string, t *Table) error {
	write, err := format("Save", name)
	if err != nil {
		return err
	}
	return atomicfile.Write(name, atomicfile.Options{}, func(w io.Writer) error { return write(w, t) })
}

// Load reads a file. As for [Save], the end of the name chooses the format. There is no
// reader for .vtp. A file in extended XYZ must have one frame, and a file in npy one array.
// For files with more than one frame or array, use [ReadExtXYZ] and [ReadNPY].
func Load(name string, o Options) (*Table, error) {
	if _, err := format("Load", name); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	t, err := load(f, strings.ToLower(filepath.Ext(name)), o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func load(f *os.File, end string, o Options) (*Table, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch end {
	case ".npy":
		r := io.Reader(f)
		if info.Mode().IsRegular() {
			r = io.NewSectionReader(f, 0, info.Size())
		}
		return loadArray(r, o)
	case ".npz":
		return ReadNPZ(f, info.Size(), o)
	case ".csv":
		return ReadCSV(f, o)
	case ".vtp":
		return nil, errors.New("datafile: Load: there is no reader for .vtp: write .npz too")
	}
	var only *Table
	for t, err := range ReadExtXYZ(f, o) {
		if err != nil {
			return nil, err
		}
		if only != nil {
			return nil, malformed("Load", "it has more than one frame: use ReadExtXYZ")
		}
		only = t
	}
	if only == nil {
		return nil, malformed("Load", "it has no frame")
	}
	return only, nil
}

// loadArray reads an array that is the whole file.
func loadArray(r io.Reader, o Options) (*Table, error) {
	t, err := ReadNPY(r, o)
	if err != nil {
		return nil, err
	}
	switch _, err := io.ReadFull(r, make([]byte, 1)); {
	case err == nil:
		return nil, malformed("Load", "it has bytes after its array: use ReadNPY for several arrays")
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("datafile: Load: %w", err)
	}
	return t, nil
}

// A Trajectory writes the frames of a simulation.
type Trajectory struct {
	do      func(io.Writer, *Table) error
	dir     string
	pattern string           // of the names of files; empty for one file
	file    *atomicfile.File // the one file
	frames  int
	err     error // of a frame that could not be written, or of the end
}

// NewTrajectory begins a trajectory. If the name contains a verb for a number, for example
// "out/melt-%04d.vtp", each frame gets its own file. The numbers begin at 1. Each file
// appears when it is complete. If the name contains no verb, for example "melt.xyz", all
// frames are in one file, which only extended XYZ allows. This file appears with
// [Trajectory.Close], so the frames of a program that is killed are lost. Use a file for
// each frame in long runs.
func NewTrajectory(name string) (*Trajectory, error) {
	const do = "NewTrajectory"
	write, err := format(do, name)
	if err != nil {
		return nil, err
	}
	tr := &Trajectory{do: write}
	dir, base := filepath.Split(name)
	if strings.Contains(base, "%") {
		if one := fmt.Sprintf(base, 1); one == fmt.Sprintf(base, 2) || strings.Contains(one, "%!") {
			return nil, fmt.Errorf("datafile: %s: the name %q has no place for one number: use a name like frame-%%04d.vtp", do, name)
		}
		tr.dir, tr.pattern = dir, base
		if _, err := os.Stat(filepath.Clean(dir + ".")); err != nil { // now, and not after hours of work
			return nil, fmt.Errorf("datafile: %s: %w", do, err)
		}
		return tr, nil
	}
	if end := strings.ToLower(filepath.Ext(base)); end != ".xyz" && end != ".extxyz" {
		return nil, fmt.Errorf("datafile: %s: a file in %s has one frame: use a name like %s-%%04d%s, or a name in .xyz", do, end, strings.TrimSuffix(base, filepath.Ext(base)), end)
	}
	tr.file, err = atomicfile.Create(name, atomicfile.Options{})
	return tr, err
}

// Add writes a frame. After an error in writing, all later calls return this
// error. A table that the format cannot represent is refused without effect.
func (tr *Trajectory) Add(t *Table) error {
	if tr.err != nil {
		return tr.err
	}
	if tr.pattern != "" {
		name := tr.dir + fmt.Sprintf(tr.pattern, tr.frames+1)
		var w *counted
		err := atomicfile.Write(name, atomicfile.Options{NoSweep: tr.frames > 0}, func(file io.Writer) error {
			w = &counted{w: file}
			w.err = tr.do(w, t)
			return w.err
		})
		return tr.noteFrame(err, w)
	}
	w := &counted{w: tr.file}
	w.err = tr.do(w, t)
	return tr.noteFrame(w.err, w)
}

// noteFrame records the result of writing a frame. Parameter w is nil if the file could not
// be created.
func (tr *Trajectory) noteFrame(err error, w *counted) error {
	switch {
	case err == nil:
		tr.frames++
	case w == nil || w.wrote || w.err == nil: // otherwise the table was refused
		tr.err = err
	}
	return err
}

// Close completes the trajectory. After an error in writing a frame, Close returns
// this error. In that case, and if the one file has no frames, it leaves an old file of
// this name unchanged.
func (tr *Trajectory) Close() error {
	if tr.err != nil {
		return errors.Join(tr.err, tr.Drop())
	}
	tr.err = fmt.Errorf("datafile: Trajectory: %w", fs.ErrClosed)
	if tr.file == nil {
		return nil
	}
	if tr.frames == 0 {
		return errors.Join(errors.New("datafile: Trajectory: no frame was added, so there is no file"), tr.file.Drop())
	}
	return tr.file.Commit()
}

// Drop ends a trajectory of one file without creating the file. Files of single frames
// stay. After Close it does nothing, so that a call can be deferred.
func (tr *Trajectory) Drop() error {
	if tr.err == nil {
		tr.err = fmt.Errorf("datafile: Trajectory: %w", fs.ErrClosed)
	}
	if tr.file == nil {
		return nil
	}
	return tr.file.Drop()
}

// counted records whether anything was written, and the error of the format.
type counted struct {
	w     io.Writer
	wrote bool
	err   error
}

func (c *counted) Write(b []byte) (int, error) {
	c.wrote = true
	return c.w.Write(b)
}
