package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Options holds the settings for writing a file.
type Options struct {
	Mode    fs.FileMode // of a new file, less the umask; 0: 0o666
	Sync    bool        // Commit returns only when the file is on the disk
	NoSweep bool        // do not search the directory for files of killed processes: for one of many files, or if other machines write there too
}

// Handle is an open file, with the methods that this package uses.
type Handle interface {
	io.Writer
	Chmod(mode fs.FileMode) error
	Sync() error
	Close() error
}

// Disk holds the functions of the file system that this package uses. Tests
// replace it by a file system that fails.
var Disk = struct {
	Open   func(name string, flag int, mode fs.FileMode) (*os.File, error)
	Handle func(f *os.File) Handle
	Rename func(from, to string) error
}{os.OpenFile, func(f *os.File) Handle { return f }, os.Rename}

// File is a file that is being written and does not have its final name yet.
type File struct {
	path     string // as given by the caller
	target   string // path, or the file that it leads to
	temp     string // the temporary file; empty if the target itself is written
	handle   Handle
	lock     io.Closer // of temp; held until the file has its name
	options  Options
	mode     fs.FileMode
	replaces bool // a file with this mode is replaced
	ended    bool
}

// Create begins a file. It opens the temporary file at once, so that the caller gets the error for a wrong
// path before it does its work. The caller must call Commit or Drop. A call of Drop may be deferred.
func Create(path string, o Options) (*File, error) {
	f := &File{path: path, target: Resolve(path), options: o, mode: o.Mode}
	if f.mode == 0 {
		f.mode = 0o666
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		file, err := Disk.Open(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, Named(err, path)
		}
		f.handle, f.lock = Disk.Handle(file), io.NopCloser(nil)
		return f, nil
	case err == nil:
		f.mode, f.replaces = info.Mode().Perm(), true
	case !errors.Is(err, fs.ErrNotExist): // for example, a link to itself
		return nil, Named(err, path)
	case path == "" || os.IsPathSeparator(path[len(path)-1]) || os.IsPathSeparator(f.target[len(f.target)-1]):
		return nil, fmt.Errorf("%q is no name of a file", path)
	}
	if !o.NoSweep {
		sweep(filepath.Dir(f.target))
	}
	if err := f.open(); err != nil {
		return nil, Named(err, path)
	}
	return f, nil
}

// open creates the temporary file, under a name that no other file has, and
// locks it. Unlike os.CreateTemp it respects the umask.
func (f *File) open() error {
	dir, base := filepath.Split(f.target)
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Clean(dir+"."), tempName(base, os.Getpid(), try))
		file, err := Disk.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
		if err == nil {
			f.lock, err = hold(file)
			if !errors.Is(err, errHeld) && hasName(file, name) {
				f.temp, f.handle = name, Disk.Handle(file)
				return nil // locked, or on a file system without locks
			}
			_ = file.Close()
			_ = f.lock.Close()
			err = fs.ErrExist // another process is sweeping it
		}
		if !errors.Is(err, fs.ErrExist) || try == 1000 {
			return err
		}
	}
}

// Name returns the path of the temporary file, for a caller that lets another
// program write the file.
func (f *File) Name() string {
	if f.temp == "" {
		return f.target
	}
	return f.temp
}

// Write writes to the file.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.handle.Write(b)
	return n, Named(err, f.path)
}

// close sets the mode of the file, syncs the file and closes it.
func (f *File) close() error {
	var err error
	if f.replaces {
		_ = f.handle.Chmod(f.mode) // with any umask; the error is ignored, because not every file system has modes
	}
	if f.options.Sync && f.temp != "" {
		err = f.handle.Sync()
	}
	return errors.Join(err, f.handle.Close())
}

// Commit renames the file to its name. After an error, the old file is
// unchanged and the temporary file is removed.
func (f *File) Commit() error {
	if f.ended {
		return fmt.Errorf("%s: %w", f.path, fs.ErrClosed)
	}
	f.ended = true
	defer func() { _ = f.lock.Close() }()
	err := f.close()
	if f.temp == "" {
		return Named(err, f.path)
	}
	if err == nil {
		err = Disk.Rename(f.temp, f.target)
	}
	if err != nil {
		return errors.Join(Named(err, f.path), os.Remove(f.temp))
	}
	if f.options.Sync {
		if d, err := os.Open(filepath.Dir(f.target)); err == nil { // sync the directory too, where that is possible, so that the name is on the disk
			_, _ = d.Sync(), d.Close()
		}
	}
	return nil
}

// Drop removes a file that was not committed. After Commit it does nothing.
func (f *File) Drop() error {
	if f.ended {
		return nil
	}
	f.ended = true
	defer func() { _ = f.lock.Close() }()
	err := f.handle.Close()
	if f.temp != "" {
		err = errors.Join(err, os.Remove(f.temp))
	}
	return Named(err, f.path)
}

// Write writes a file whose contents body writes. The file is written
// completely or not at all. After an error or a panic of body, the old file is
// unchanged.
func Write(path string, o Options, body func(w io.Writer) error) (err error) {
	f, err := Create(path, o)
	if err != nil {
		return err
	}
	defer func() {
		if dropped := f.Drop(); err != nil {
			err = errors.Join(err, dropped)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := body(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Commit()
}

// Resolve returns the target of a path that is a link, or the path itself. The
// target need not exist.
func Resolve(path string) string {
	for range 40 { // as many links as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			// Do not use filepath.Join, because it removes "a/..". If a is a
			// link, "a/.." is the parent of the link's target.
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	dir, base := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(dir + "."); err == nil && base != "" {
		return filepath.Join(real, base)
	}
	return path
}

// Named changes an error about a temporary file. The new error contains path,
// which is the name that the user knows.
func Named(err error, path string) error {
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

// tempName returns the name of a temporary file for a target, in the same
// directory. The expression temp matches exactly such names. tempName
// shortens a long name, because file systems limit names to 255 bytes. It
// cuts the name between two characters, because some file systems refuse
// invalid UTF-8.
func tempName(target string, pid, try int) string {
	const most = 100
	if len(target) > most {
		end := most
		for end > most-utf8.UTFMax && !utf8.RuneStart(target[end]) {
			end--
		}
		target = target[:end]
	}
	return fmt.Sprintf(".%s.lanewise-%d-%d.tmp", strings.ToValidUTF8(target, "_"), pid, try)
}
