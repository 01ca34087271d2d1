package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSameFileTwice checks that the command refuses a command line that names the same file
// twice, if it is an output file.
func TestSameFileTwice(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.txt")
	if err := os.WriteFile(in, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := filepath.Join(dir, "x.png")
	for _, c := range []struct{ args, want string }{
		{"-csv " + x + " -png " + dir + "/./x.png", "-csv and -png both name"},
		{"-csv " + dir + "/x-inner.png -png " + x, "-csv and -png both name"},
		{"-video " + dir + "/x-inner.png -png " + x, "-video and -png both name"},
		{"-csv " + dir + "/x-outer.png -png " + x, "-csv and -png both name"},
		{"-csv " + in + " -catalog " + in, "-catalog and -csv both name"},
		{"-png " + in + " -moons " + in, "-moons and -png both name"},
		{"-csv " + in + " -planets " + dir + "/../" + filepath.Base(dir) + "/in.txt", "-planets and -csv both name"},
	} {
		_, err, code := lanewise(t, append([]string{"orrery"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.HasPrefix(err, "lanewise orrery: "+c.want) {
			t.Errorf("%s: exit code %d, want %d and %q, got\n%s", c.args, code, exitUsage, c.want, err)
		}
	}
	if got, err := os.ReadFile(in); string(got) != "mine" {
		t.Errorf("the input is %q now, error %v", got, err)
	}
}

func writeText(path, text string) error {
	o, err := newOutput(path)
	if err != nil {
		return err
	}
	return o.write(context.Background(), func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// TestOutputErrors checks that an error contains the path from the command line exactly
// once.
func TestOutputErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "x.csv")
	if err := writeText(path, ""); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("error %v", err)
	}
}

// TestOutputFull checks that a full file system is reported once, with the path.
func TestOutputFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skipf("no device is always full here: %v", err)
	}
	err := writeText("/dev/full", strings.Repeat("x", 3<<20))
	if err == nil || strings.Count(err.Error(), "/dev/full") != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

// TestOutputStays checks that writing through a symbolic link keeps the link, and that an
// overwritten file keeps its mode.
func TestOutputStays(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skipf("%s/%s has no links and modes", runtime.GOOS, runtime.GOARCH)
	}
	dir := t.TempDir()
	file, link, fresh, like := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "fresh"), filepath.Join(dir, "like")
	for _, err := range []error{os.WriteFile(file, nil, 0o600), os.Symlink("file", link), os.WriteFile(like, nil, 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{link, fresh} {
		if err := writeText(path, "new"); err != nil {
			t.Fatal(err)
		}
	}
	mode := func(path string) fs.FileMode {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	if mode(link).Type() != fs.ModeSymlink || mode(file) != 0o600 {
		t.Errorf("the link has mode %v, its file %v", mode(link), mode(file))
	}
	if mode(fresh) != mode(like) {
		t.Errorf("a new file has mode %v, want %v by the umask", mode(fresh), mode(like))
	}
	if got, err := os.ReadFile(file); string(got) != "new" {
		t.Errorf("the file holds %q, error %v", got, err)
	}
	if list, err := os.ReadDir(dir); len(list) != 4 {
		t.Errorf("files %v, error %v", list, err)
	}
}
