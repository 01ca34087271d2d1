package atomicfile

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

var full = flag.Bool("lanewise.full", false, "random tests of their full length: make full")

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeText(path, text string) error {
	return Write(path, Options{}, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// treeOf lists the contents of a directory, with the texts of files and the targets of links.
func treeOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text := ""
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
			text = " -> " + strings.ReplaceAll(text, dir, "DIR")
		case e.Type().IsRegular():
			var b []byte
			b, err = os.ReadFile(path)
			text = " = " + string(b)
		}
		list = append(list, fmt.Sprint(name, text))
		return err
	}))
	return list
}

// grow makes the same random tree in several directories. The tree has files, directories, and links
// with valid and invalid targets.
func grow(t *testing.T, rng *rand.Rand, dirs ...string) (paths []string) {
	t.Helper()
	folders, names := []string{""}, []string{"a", "b", "c", "d"}
	for range 3 + rng.IntN(12) {
		folder := folders[rng.IntN(len(folders))]
		at := filepath.Join(folder, names[rng.IntN(len(names))])
		kind, to := rng.IntN(5), ""
		for range 1 + rng.IntN(3) {
			to = to + []string{"a", "b", "c", "..", "."}[rng.IntN(5)] + "/"
		}
		if to += names[rng.IntN(len(names))]; rng.IntN(8) == 0 {
			to = "DIR/" + to
		}
		for _, dir := range dirs {
			var err error
			switch kind {
			case 0:
				err = os.Mkdir(filepath.Join(dir, at), 0o755)
			case 1:
				if _, failed := os.Lstat(filepath.Join(dir, at)); failed != nil {
					err = os.WriteFile(filepath.Join(dir, at), []byte("old"), 0o644)
				}
			default:
				err = os.Symlink(strings.ReplaceAll(to, "DIR", dir), filepath.Join(dir, at))
			}
			if kind == 0 && err == nil {
				folders = append(folders, at)
			}
		}
		paths = append(paths, at, filepath.Join(folder, "new"), folder+"/"+to, at+"/"+names[rng.IntN(len(names))], at+"/../new")
	}
	return paths
}

// TestAsWriteFile calls Write with random paths in random trees with links, and calls
// os.WriteFile in a second tree. Both functions must write the same file, or both must fail.
func TestAsWriteFile(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skipf("%s/%s has no links", runtime.GOOS, runtime.GOARCH)
	}
	top := t.TempDir()
	seeds := uint64(30)
	if *full {
		seeds = 1000
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 16))
		mine, other := filepath.Join(top, fmt.Sprint("mine", seed)), filepath.Join(top, fmt.Sprint("other", seed))
		must(t, errors.Join(os.Mkdir(mine, 0o755), os.Mkdir(other, 0o755)))
		paths := grow(t, rng, mine, other)
		for _, path := range paths {
			if strings.HasPrefix(path, "DIR/") || strings.HasPrefix(path, "/DIR/") {
				continue
			}
			err := writeText(mine+"/"+path, path)
			want := os.WriteFile(other+"/"+path, []byte(path), 0o666)
			if (err == nil) != (want == nil) {
				t.Fatalf("seed %d: %s: error %v, os.WriteFile has %v in\n%q", seed, path, err, want, treeOf(t, other))
			}
		}
		if got, want := treeOf(t, mine), treeOf(t, other); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q: there is\n%q, after os.WriteFile\n%q", seed, paths, got, want)
		}
	}
}

// faulty is a file whose methods fail or panic from a certain call on.
type faulty struct {
	Handle
	fails func() bool
}

var errDisk = &fs.PathError{Op: "write", Path: "temporary", Err: syscall.ENOSPC}

func (f faulty) Write(b []byte) (int, error) {
	if f.fails() {
		n, _ := f.Handle.Write(b[:len(b)/2])
		return n, errDisk
	}
	return f.Handle.Write(b)
}

func (f faulty) Sync() error {
	if f.fails() {
		return errDisk
	}
	return f.Handle.Sync()
}

func (f faulty) Close() error {
	if err := f.Handle.Close(); err != nil || !f.fails() {
		return err
	}
	return errDisk
}

// TestWholeOrNot makes each call of the file system fail, one after the other, and makes each
// call of the body panic or fail. The old file must stay complete, or absent if there was none,
// and no other file may remain.
func TestWholeOrNot(t *testing.T) {
	real := Disk
	defer func() { Disk = real }()
	for _, old := range []string{"", "old"} {
		for _, panics := range []bool{false, true} {
			done := false
			for calls := 0; !done; calls++ {
				dir, left := t.TempDir(), calls
				path := filepath.Join(dir, "x")
				if old != "" {
					must(t, os.WriteFile(path, []byte(old), 0o600))
				}
				before := treeOf(t, dir)
				fails := func() bool {
					left--
					if left < 0 && panics {
						panic("bang")
					}
					return left < 0
				}
				Disk.Open = func(name string, flag int, mode fs.FileMode) (*os.File, error) {
					if left--; left < 0 {
						return nil, errDisk
					}
					return real.Open(name, flag, mode)
				}
				Disk.Handle = func(f *os.File) Handle { return faulty{f, func() bool { left--; return left < 0 }} }
				Disk.Rename = func(from, to string) error {
					if left--; left < 0 {
						return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EIO}
					}
					return real.Rename(from, to)
				}
				var err error
				func() {
					defer func() {
						if r := recover(); r != nil {
							err = fmt.Errorf("%s: %v", path, r)
						}
					}()
					err = Write(path, Options{Sync: true}, func(w io.Writer) error {
						for range 3 {
							if fails() {
								return Named(errDisk, path)
							}
							if _, err := w.Write(make([]byte, 50_000)); err != nil {
								return err
							}
						}
						return nil
					})
				}()
				Disk = real
				if done = err == nil; done {
					if calls < 9 {
						t.Errorf("there are %d calls", calls)
					}
					break
				}
				if strings.Count(err.Error(), path) == 0 || strings.Contains(err.Error(), ".tmp") {
					t.Errorf("call %d: error %v", calls, err)
				}
				if got := treeOf(t, dir); !slices.Equal(got, before) {
					t.Fatalf("call %d, panics %t: there is %q, was %q", calls, panics, got, before)
				}
			}
		}
	}
}

// TestLongNames checks that Write accepts every name of 255 bytes that the file system accepts,
// whatever its characters are. The name of the temporary file must not be longer.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, unit := range []string{"n", "ä", "語", "🎈", "a\nb"} {
		for _, n := range []int{1, 99 / len(unit), 101 / len(unit), 229 / len(unit), 255 / len(unit)} {
			name := filepath.Join(dir, strings.Repeat(unit, n))
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				continue // the file system refuses it
			}
			must(t, os.Remove(name))
			if err := writeText(name, "x"); err != nil {
				t.Errorf("a name of %d bytes: %v", n*len(unit), err)
			}
			if temporary := tempName(filepath.Base(name), 1<<22, 1000); !utf8.ValidString(temporary) || !isTemp(temporary) || len(temporary) > 140 {
				t.Errorf("temporary file %q", temporary)
			}
		}
	}
	for _, e := range treeOf(t, dir) {
		if strings.Contains(e, ".tmp") {
			t.Errorf("%q is left", e)
		}
	}
}

// TestTempNames compares isTemp with a regular expression for random names that are similar to those of temporary files.
func TestTempNames(t *testing.T) {
	want := regexp.MustCompile(`(?s)^\..+\.lanewise-[0-9]+-[0-9]+\.tmp$`)
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	parts := []string{".", "x", "\n", "語", ".lanewise-", "1", "42", "-", "٣", ".tmp"}
	temporary := 0
	for range 20_000 {
		name := "."
		for range rng.IntN(3) {
			name += parts[rng.IntN(len(parts))]
		}
		name += ".lanewise-"
		for _, usual := range []string{"1", "42", "-", "0", "7"} {
			if rng.IntN(6) == 0 {
				usual = parts[rng.IntN(len(parts))]
			}
			name += usual
		}
		if rng.IntN(4) > 0 {
			name += ".tmp"
		}
		name = name[rng.IntN(2):]
		if want.MatchString(name) {
			temporary++
		}
		if got := isTemp(name); got != want.MatchString(name) {
			t.Fatalf("seed %d: isTemp(%q) is %v", seed, name, got)
		}
	}
	if temporary < 100 {
		t.Errorf("seed %d: %d of the names are names of temporary files, want more", seed, temporary)
	}
}

// TestModes checks that a new file has the mode of the options minus the umask, and that a replaced
// file keeps its mode.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skipf("%s/%s has no modes", runtime.GOOS, runtime.GOARCH)
	}
	dir := t.TempDir()
	path, like := filepath.Join(dir, "x"), filepath.Join(dir, "like")
	must(t, os.WriteFile(like, nil, 0o666))
	want, err := os.Stat(like)
	must(t, err)
	modeOf := func() fs.FileMode {
		info, err := os.Stat(path)
		must(t, err)
		return info.Mode()
	}
	must(t, writeText(path, "new"))
	if got := modeOf(); got != want.Mode() {
		t.Errorf("a new file has mode %v, os.WriteFile gives %v", got, want.Mode())
	}
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o640, 0o755} {
		must(t, os.Chmod(path, mode))
		must(t, Write(path, Options{Mode: 0o600}, func(io.Writer) error { return nil }))
		if got := modeOf(); got != mode {
			t.Errorf("a file of mode %v has %v after it was replaced", mode, got)
		}
	}
	must(t, os.Remove(path))
	must(t, Write(path, Options{Mode: 0o600}, func(io.Writer) error { return nil }))
	if got := modeOf(); got != 0o600 {
		t.Errorf("a new file of mode 0600 has %v", got)
	}
}

// TestEnds checks that only the first call of Commit or Drop has an effect.
func TestEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	f, err := Create(path, Options{})
	must(t, err)
	_, err = io.WriteString(f, "one")
	must(t, errors.Join(err, f.Commit(), f.Drop()))
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a second Commit: %v", err)
	}
	f, err = Create(path, Options{})
	must(t, err)
	_, err = io.WriteString(f, "two")
	must(t, errors.Join(err, f.Drop(), f.Drop()))
	if b, err := os.ReadFile(path); string(b) != "one" {
		t.Errorf("the file has %q, %v", b, err)
	}
	for _, path := range []string{"", path + "/", filepath.Dir(path), filepath.Join(filepath.Dir(path), "none", "x"), path + "/x"} {
		if f, err := Create(path, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Create(%q): %v, %v", path, f, err)
		}
	}
}
