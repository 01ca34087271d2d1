package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// stray is what names of files that are being written have in them.
const stray = ".lanewise-part-"

// disk is what Save needs of a file system; tests have one that fails.
var disk = struct {
	create func(dir, pattern string) (file, error)
	rename func(from, to string) error
}{
	func(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) },
	os.Rename,
}

// file is a file that is written.
type file interface {
	io.WriteCloser
	Name() string
	Chmod(mode fs.FileMode) error
	Sync() error
}

// Save writes an image to a file: beside it first, then in its place, so that whatever happens
// the old file is there, or the new one. What earlier calls have left beside it when their
// process ended is removed; so there is one call at a time for a path. The new file has the
// permissions of the old one; without one it is for its owner alone. A symbolic link stays, and
// the file that it leads to is replaced.
func Save(path string, m *ecs.Image, opts ...Option) (err error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	dir, base := filepath.Split(filepath.Clean(path))
	if dir == "" {
		dir = "."
	}
	if err := sweep(dir, base); err != nil {
		return err
	}
	f, err := disk.create(dir, "."+base+stray+"*")
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name()))
		}
	}()
	if old, err := os.Stat(path); err == nil {
		_ = f.Chmod(old.Mode().Perm()) // not every file system has permissions
	}
	if _, err := Write(f, m, opts...); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if err := disk.rename(f.Name(), path); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if d, err := os.Open(dir); err == nil { // the name is on the disk too, where directories can be synced
		_, _ = d.Sync(), d.Close()
	}
	return nil
}

// ignoreClosed is nil for a file that was closed already.
func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// sweep removes what is left of files that were not completed.
func sweep(dir, base string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "."+base+stray) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("snapshot: %w", err)
			}
		}
	}
	return nil
}

// Open reads the image in a file, which errors name: those of Read, and those of the file system.
func Open(path string, opts ...Option) (m *ecs.Image, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	m, err = Read(bufio.NewReaderSize(f, 1<<20), opts...)
	return m, frames.OfFile("snapshot", path, err)
}
