//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSweep checks that a run that writes to a directory removes the temporary files of killed runs.
// Files of running programs and files of users must stay.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	living, err := Create(path("living.csv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { must(t, living.Drop()) }()
	dead := []string{tempName("out.csv", 1, 0), tempName("other.png", 4194304, 17)} // the process numbers do not matter
	kept := []string{"out.csv", ".out.csv", ".out.csv.1.0", ".lanewise-1-0.tmp", "x.lanewise-1-0.tmp", ".x.lanewise-1-0.tmp~", ".x.lanewise-1-.tmp"}
	for _, name := range append(dead, kept...) {
		if err := os.WriteFile(path(name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, link, pipe := tempName("folder", 1, 0), tempName("link", 1, 0), tempName("pipe", 1, 0)
	for _, err := range []error{os.Mkdir(path(folder), 0o700), os.Symlink("out.csv", path(link)), syscall.Mkfifo(path(pipe), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writeText(path("new.csv"), "new"); err != nil {
		t.Fatal(err)
	}
	for _, name := range dead {
		if _, err := os.Lstat(path(name)); err == nil {
			t.Errorf("%s is not swept", name)
		}
	}
	for _, name := range append(kept, folder, link, pipe, "new.csv", filepath.Base(living.Name())) {
		if _, err := os.Lstat(path(name)); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestHeldUntilRenamed checks that a sweep does not remove the file of a running program. A closed
// file that is not yet renamed must still be locked.
func TestHeldUntilRenamed(t *testing.T) {
	dir := t.TempDir()
	o, err := Create(filepath.Join(dir, "x.csv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := o.Name()
	if err := o.handle.Close(); err != nil {
		t.Fatal(err)
	}
	sweep(dir)
	if _, err := os.Stat(name); err != nil {
		t.Errorf("swept while it was held: %v", err)
	}
	if err := o.lock.Close(); err != nil {
		t.Fatal(err)
	}
	sweep(dir)
	if _, err := os.Stat(name); err == nil {
		t.Error("not swept when it was not held")
	}
}

// TestHeldWhileRenamed checks that a sweep does not remove a complete file that is about to be
// renamed.
func TestHeldWhileRenamed(t *testing.T) {
	t.Cleanup(func() { Disk.Rename = os.Rename })
	Disk.Rename = func(from, to string) error {
		sweep(filepath.Dir(from))
		return os.Rename(from, to)
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := writeText(path, "whole"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); string(text) != "whole" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}
