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

// formats are the formats by the ends of names.
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
// its name only when it is complete; until then, and after an error, an old file
// of this name stays.
func Save(name string, t *Table) error {
	write, err := format("Save", name)
	if err != nil {
		return err
	}
	return atomicfile.Write(name, atomicfile.Options{}, func(w io.Writer) error { return write(w, t) })
}

// Load reads a file that the end of its name describes, as for [Save]. There is
// no reader for .vtp. A file in extended XYZ must have one frame; for more, use
// [ReadExtXYZ].
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
		if info.Mode().IsRegular() {
			return ReadNPY(io.NewSectionReader(f, 0, info.Size()), o)
		}
		return ReadNPY(f, o)
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

// A Trajectory writes the frames of a simulation.
type Trajectory struct {
	do      func(io.Writer, *Table) error
	dir     string
	pattern string           // of the names of files; empty for one file
	file    *atomicfile.File // the one file
	frames  int
	err     error // of a frame that was written in part
}

// NewTrajectory begins a trajectory. A name with a verb for a number, for example
// "out/melt-%04d.vtp", gives each frame its own file; the numbers begin at 1, and
// each file appears when it is complete. A name without a verb, for example
// "melt.xyz", gives one file with all frames, which only extended XYZ allows. It
// appears with [Trajectory.Close], so the frames of a program that is killed are
// lost: use a file for each frame in long runs.
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
		err := atomicfile.Write(name, atomicfile.Options{NoSweep: tr.frames > 0}, func(w io.Writer) error { return tr.do(w, t) })
		if err == nil {
			tr.frames++
		}
		return err
	}
	w := &counted{w: tr.file}
	err := tr.do(w, t)
	if err == nil {
		tr.frames++
	} else if w.wrote {
		tr.err = err
	}
	return err
}

// Close completes the trajectory. If a frame was written only in part, Close
// returns its error, and leaves no file.
func (tr *Trajectory) Close() error {
	if tr.err != nil {
		return errors.Join(tr.err, tr.Drop())
	}
	tr.err = fmt.Errorf("datafile: Trajectory: %w", fs.ErrClosed)
	if tr.file == nil {
		return nil
	}
	return tr.file.Commit()
}

// Drop ends a trajectory without its one file. Files of single frames stay.
// After Close it does nothing, so that a call can be deferred.
func (tr *Trajectory) Drop() error {
	if tr.err == nil {
		tr.err = fmt.Errorf("datafile: Trajectory: %w", fs.ErrClosed)
	}
	if tr.file == nil {
		return nil
	}
	return tr.file.Drop()
}

// counted notes whether anything was written.
type counted struct {
	w     io.Writer
	wrote bool
}

func (c *counted) Write(b []byte) (int, error) {
	c.wrote = true
	return c.w.Write(b)
}
