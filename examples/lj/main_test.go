package main

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/datafile"
	"github.com/lanewise/lanewise/examples/lj/model"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of 256 atoms after 60 steps, as in package model.
const golden = 0x939ddedf8559894c

// melt returns a gas after some steps.
func melt(t *testing.T, steps int) *model.Gas {
	t.Helper()
	g, err := model.New(jobs.Default(), 4, 1.44)
	for range steps {
		if err == nil {
			err = g.Step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestFilm writes frames of the gas and reads them back. Writing frames must
// not change the gas.
func TestFilm(t *testing.T) {
	name := filepath.Join(t.TempDir(), "melt.xyz")
	film, err := newFilm(name)
	g := melt(t, 30)
	for step := 30; step < 60 && err == nil; step++ {
		err = errors.Join(film.add(g, step), g.Step())
	}
	if err := errors.Join(err, film.add(g, 60), film.close()); err != nil {
		t.Fatal(err)
	}
	if hash := g.Hash(); hash != golden {
		t.Errorf("the hash is %x with a film, want %x", hash, uint64(golden))
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var last *datafile.Table
	frames := 0
	for frame, err := range datafile.ReadExtXYZ(f, datafile.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		last = frame
		frames++
	}
	at, err := datafile.Get[float64](last, "pos", 3)
	if err != nil || frames != 31 || !slices.Equal(at[0], g.List.At().X) || !slices.Equal(at[2], g.List.At().Z) {
		t.Errorf("%d frames, and the last one has other atoms; %v", frames, err)
	}
	ids, err := datafile.Get[int32](last, "id", 1)
	if err != nil || !slices.Equal(ids[0], g.List.IDs()) || last.Info[0].Value != "0.3" || last.Lattice.Vectors[2][2] != g.Side {
		t.Errorf("the last frame has other numbers, info %q, lattice %v; %v", last.Info, last.Lattice, err)
	}
}

func TestPicture(t *testing.T) {
	seen := map[any]bool{}
	m := picture(melt(t, 0), 200)
	for y := range 200 {
		for x := range 200 {
			seen[m.At(x, y)] = true
		}
	}
	if len(seen) < 50 || m.Bounds() != image.Rect(0, 0, 200, 200) {
		t.Errorf("the picture has %d colours", len(seen))
	}
}
