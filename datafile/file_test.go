package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// frame returns a frame of some rows, at a time.
func frame(rows, time int) *Table {
	lane := make([]float64, rows)
	for i := range lane {
		lane[i] = float64(time) + float64(i)/8
	}
	return &Table{Columns: []Column{Lanes(Positions, lane, lane, lane)}, Info: []Info{{"Time", fmt.Sprint(time)}}}
}

// list returns the names of the files in a directory.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSaveLoad(t *testing.T) {
	dir, want := t.TempDir(), frame(5, 1)
	for _, end := range []string{".npy", ".NPZ", ".csv", ".xyz", ".extxyz", ".vtp"} {
		name := filepath.Join(dir, "a"+end)
		must(t, Save(name, want))
		before, err := os.ReadFile(name)
		must(t, err)
		if err := Save(name, of(Lanes("a:\x00b", []float32{1}))); err == nil {
			t.Errorf("%s: a bad table is saved", end)
		}
		if after, err := os.ReadFile(name); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the old file is gone; %v", end, err)
		}
		if end == ".vtp" {
			continue
		}
		got, err := Load(name, Options{})
		must(t, err)
		if end == ".npy" {
			got.Columns[0].Name = Positions
		}
		checkSame(t, got, want, true, false)
	}
	if names := list(t, dir); len(names) != 6 {
		t.Errorf("files are left: %q", names)
	}
	if _, err := Load(filepath.Join(dir, "none.npy"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error for no file is %v", err)
	}
}

// TestTrajectory writes one file with all frames, and a file for each frame.
func TestTrajectory(t *testing.T) {
	dir := t.TempDir()
	bad := of(Lanes("a", []float32{1}))
	for _, c := range []struct {
		name string
		want []string
	}{
		{"a.xyz", []string{"a.xyz"}}, {"b-%02d.xyz", []string{"b-01.xyz", "b-02.xyz", "b-03.xyz"}}, {"c-%d.vtp", []string{"c-1.vtp", "c-2.vtp", "c-3.vtp"}},
	} {
		at := filepath.Join(dir, "%d "+c.name[:1]) // a directory may have any name
		must(t, os.Mkdir(at, 0o700))
		tr, err := NewTrajectory(filepath.Join(at, c.name))
		must(t, err)
		for i := range 3 {
			must(t, tr.Add(frame(2, i)))
			if err := tr.Add(bad); err == nil {
				t.Errorf("%s: a bad frame is written", c.name)
			}
		}
		if c.name == "a.xyz" {
			if _, err := os.Stat(filepath.Join(at, c.name)); err == nil {
				t.Error("the file is there before its end")
			}
		}
		must(t, tr.Close())
		must(t, tr.Drop())
		if err := tr.Add(frame(2, 3)); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: a frame after the end: %v", c.name, err)
		}
		if err := tr.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: closed twice: %v", c.name, err)
		}
		if names := list(t, at); !slices.Equal(names, c.want) {
			t.Errorf("files %q, want %q", names, c.want)
		}
	}
	f, err := os.Open(filepath.Join(dir, "%d a", "a.xyz"))
	must(t, err)
	defer func() { must(t, f.Close()) }()
	at := 0
	for got, err := range ReadExtXYZ(f, Options{}) {
		must(t, err)
		checkSame(t, got, frame(2, at), true, false)
		at++
	}
	if at != 3 {
		t.Errorf("%d frames, want 3", at)
	}

	dropped := filepath.Join(dir, "dropped.xyz")
	tr, err := NewTrajectory(dropped)
	must(t, err)
	must(t, tr.Add(frame(2, 0)))
	must(t, tr.Drop())
	if _, err := os.Stat(dropped); err == nil {
		t.Error("a dropped trajectory has a file")
	}
	tr, err = NewTrajectory(dropped)
	must(t, err)
	tr.do = func(w io.Writer, _ *Table) error {
		_, _ = w.Write([]byte("part"))
		return errFull
	}
	if err := tr.Add(frame(1, 1)); !errors.Is(err, errFull) {
		t.Errorf("the error of a full disk is %v", err)
	}
	tr.do = WriteExtXYZ
	if err := errors.Join(tr.Add(frame(1, 2)), tr.Close()); !errors.Is(err, errFull) {
		t.Errorf("after a full disk the error is %v", err)
	}
	if names := list(t, dir); len(names) != 3 {
		t.Errorf("files are left: %q", names)
	}
}

// TestTrajectoryErrors makes the second frame of a series fail. It also ends a trajectory that has no frame.
func TestTrajectoryErrors(t *testing.T) {
	dir := t.TempDir()
	tr, err := NewTrajectory(filepath.Join(dir, "f-%d.npy"))
	must(t, err)
	must(t, tr.Add(frame(1, 1)))
	tr.do = func(w io.Writer, _ *Table) error {
		_, _ = w.Write([]byte("part"))
		return errFull
	}
	if err := tr.Add(frame(1, 2)); !errors.Is(err, errFull) {
		t.Errorf("the error of a full disk is %v", err)
	}
	tr.do = WriteNPY
	for range 2 {
		if err := tr.Add(frame(1, 3)); !errors.Is(err, errFull) {
			t.Errorf("the next frame has the error %v", err)
		}
	}
	if err := tr.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close returns %v", err)
	}
	if names := list(t, dir); !slices.Equal(names, []string{"f-1.npy"}) {
		t.Errorf("files %q", names)
	}

	sub := filepath.Join(dir, "sub")
	must(t, os.Mkdir(sub, 0o700))
	tr, err = NewTrajectory(filepath.Join(sub, "f-%d.npy"))
	must(t, err)
	must(t, os.Remove(sub))
	if err := tr.Add(frame(1, 1)); err == nil || !errors.Is(tr.Close(), os.ErrNotExist) {
		t.Errorf("without its directory, a frame has the error %v", err)
	}

	old := filepath.Join(dir, "a.xyz")
	for _, name := range []string{old, filepath.Join(dir, "new.xyz")} {
		if name == old {
			must(t, Save(old, frame(1, 1)))
		}
		before, _ := os.ReadFile(name)
		tr, err = NewTrajectory(name)
		must(t, err)
		if err := tr.Add(of(Lanes("a", []float32{1}))); err == nil {
			t.Error("a bad frame is written")
		}
		if err := tr.Close(); err == nil {
			t.Error("Close returns no error without a frame")
		}
		if after, _ := os.ReadFile(name); !bytes.Equal(before, after) {
			t.Errorf("%s is changed to %q", name, after)
		}
	}
	if names := list(t, dir); !slices.Equal(names, []string{"a.xyz", "f-1.npy"}) {
		t.Errorf("files %q", names)
	}
}

var errFull = errors.New("no space left")

// full is a disk that accepts only a limited number of bytes.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		n := f.left
		f.left = 0
		return n, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

// TestFull lets the disk become full after each possible number of bytes.
func TestFull(t *testing.T) {
	table := frame(3, 1)
	table.Columns = append(table.Columns, Lanes("id", []int32{1, 2, 3}))
	for end, write := range formats {
		var b bytes.Buffer
		must(t, write(&b, table))
		for room := range b.Len() {
			if err := write(&full{room}, table); !errors.Is(err, errFull) {
				t.Fatalf("%s: the error after %d bytes is %v", end, room, err)
			}
		}
		must(t, write(&full{b.Len()}, table))
	}
}

// TestNothingGrows checks that the memory of a binary writer does not depend on the number of rows.
func TestNothingGrows(t *testing.T) {
	for _, end := range []string{".npy", ".npz", ".vtp"} {
		large := frame(1_000_000, 1)
		var err error
		if n := allocated(func() { err = formats[end](io.Discard, large) }); n > 2<<20 || err != nil {
			t.Errorf("%s: %d bytes are allocated; %v", end, n, err)
		}
	}
}
