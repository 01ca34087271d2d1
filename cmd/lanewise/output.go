package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An output is a file that a command is going to write. It is made before the
// work, so that a wrong path does not cost the work, and appears under its name
// when it is whole: until then, and after a failure, what was there stays.
//
// Until then it is a file beside the target, named as tempName says and locked
// while its process lives: what a killed process has left, the next one that
// writes into the directory finds unlocked and removes.
type output struct {
	path     string // as the command line has it
	target   string // path, or what it links to
	file     *os.File
	lock     io.Closer // of file; holds as long as the name
	device   bool      // the file is target itself, not one beside it
	replaces bool      // a file with this mode
	mode     fs.FileMode
}

func newOutput(path string) (*output, error) {
	o := &output{path: path, target: resolve(path), mode: 0o666}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		o.file, err = os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		o.device = true
		return o, nil
	case err == nil:
		o.mode, o.replaces = info.Mode().Perm(), true
	case !errors.Is(err, fs.ErrNotExist): // a link that leads back to itself, say
		return nil, named(err, path)
	}
	sweep(filepath.Dir(o.target))
	// A name that no file has, made by OpenFile: unlike CreateTemp it heeds the umask.
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(o.target), tempName(filepath.Base(o.target), os.Getpid(), try))
		o.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.mode)
		if err == nil {
			o.lock, err = hold(o.file)
			if !errors.Is(err, errHeld) && sits(o.file, name) {
				return o, nil // locked, or on a file system without locks, where nothing sweeps
			}
			_ = o.file.Close()
			_ = o.lock.Close()
			err = fs.ErrExist // another run is sweeping it
		}
		if !errors.Is(err, fs.ErrExist) || try == 1000 {
			return nil, named(err, path)
		}
	}
}

// resolve follows path, where it is a link, to the file that it stands for,
// which need not be there.
func resolve(path string) string {
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// sameFile reports whether two paths lead to one file, be it there or not.
func sameFile(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ia, ib) && (ia.Mode().IsRegular() || ia.IsDir()) // two may share a device
	}
	a, errA = filepath.Abs(resolve(a))
	b, errB = filepath.Abs(resolve(b))
	return errA == nil && errB == nil && a == b
}

// named makes an error about a file tell of path, which the command line has.
func named(err error, path string) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return fmt.Errorf("%s: %w", path, pe.Err)
	case errors.As(err, &le):
		return fmt.Errorf("%s: %w", path, le.Err)
	}
	return err
}

// rename gives a file its name; tests look around before.
var rename = os.Rename

// write fills the file by body and gives it its name, unless ctx ends before.
func (o *output) write(ctx context.Context, body func(io.Writer) error) error {
	w := bufio.NewWriterSize(heeding{ctx: ctx, w: o.file}, 1<<20)
	err := body(w)
	if err == nil {
		err = w.Flush() // after a failure it would say the same again
	}
	if err == nil && o.replaces {
		err = o.file.Chmod(o.mode) // whatever the umask
	}
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	if o.device {
		return named(err, o.path)
	}
	defer func() { _ = o.lock.Close() }()
	if err == nil {
		err = rename(o.file.Name(), o.target)
	}
	if err != nil {
		return errors.Join(named(err, o.path), os.Remove(o.file.Name()))
	}
	return nil
}

// drop removes a file that was not written.
func (o *output) drop() {
	if !o.device {
		_ = o.file.Close()
		_ = os.Remove(o.file.Name()) // closed and gone already if it was written
		_ = o.lock.Close()
	}
}
