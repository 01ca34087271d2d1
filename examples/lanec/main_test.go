package main

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// golden is the hash of 50 steps of 500 bodies. It is the same on every machine and path.
const golden = 0x262239f64e729059

func TestHash(t *testing.T) {
	defer use(t, kernels.Path())
	for _, path := range kernels.Paths() {
		use(t, path)
		if hash := run(500, 50); hash != golden {
			t.Errorf("path %s: hash is %#016x, want %#016x", path, hash, uint64(golden))
		}
	}
}

func use(t *testing.T, path string) {
	t.Helper()
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

// TestCallsAllocateNothing calls kernels with short lanes and with lanes of several pieces.
func TestCallsAllocateNothing(t *testing.T) {
	if kernels.Checked {
		t.Skip("race and guard builds check overlaps, and allocate lists for that")
	}
	for _, n := range []int{3, 1<<16 + 3} {
		x, v := vectors(n), vectors(n)
		if allocs := testing.AllocsPerRun(3, func() { Move(x, v, 1) }); allocs != 0 {
			t.Errorf("%d rows: %v allocations a call", n, allocs)
		}
	}
}

// TestPieces calls a kernel with so many rows that it divides them into pieces, and with
// several lengths of the last piece.
func TestPieces(t *testing.T) {
	for _, n := range []int{1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<17 + 9} {
		x, want := vectors(n), vectors(n)
		for i := range n {
			x.X[i], x.Y[i], x.Z[i] = float32(i), 1, float32(-i)
		}
		move(want, x, 0.25)
		got := vectors(n)
		Move(got, x, 0.25)
		for i := range n {
			if got.X[i] != want.X[i] || got.Y[i] != want.Y[i] || got.Z[i] != want.Z[i] {
				t.Fatalf("%d rows: row %d is another one", n, i)
			}
		}
	}
}

// TestShort checks that a kernel reports lanes of different lengths before it writes
// anything.
func TestShort(t *testing.T) {
	for _, c := range []struct {
		want string
		call func()
	}{
		{"main: Spring: len(v) is 2, len(x) is 3", func() { Spring(make([]float32, 3), make([]float32, 2), 0, 0, 0, 0, 0) }},
		{"main: Gravity: len(pos.X) is 2, len(mass) is 3", func() { Gravity(vectors(2), vectors(2), make([]float32, 3), 1) }},
		{"main: Move: len(pos.Z) is 4, len(pos.X) is 5", func() {
			x := vectors(5)
			x.Z = x.Z[:4]
			Move(x, vectors(5), 1)
		}},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("got %v, want %s", got, c.want)
				}
			}()
			c.call()
		}()
	}
}

// TestOverlap checks that builds with checks refuse lanes that overlap by some rows.
func TestOverlap(t *testing.T) {
	if !kernels.Checked || kernels.Path() == "generic" {
		t.Skip("overlaps are looked for in builds with -race or lanewise_guard, and on paths with assembly")
	}
	defer func() {
		if got := recover(); got != "main: Spring: x and v overlap: v starts 4 bytes after x, each row has 4: give v memory of its own" {
			t.Errorf("got %v", got)
		}
	}()
	x := make([]float32, 10)
	Spring(x[:9], x[1:], 0, 0, 0, 0, 0)
}

// TestLoopsOnEmpty runs loops over zero rows and with zero iterations.
func TestLoopsOnEmpty(t *testing.T) {
	Gravity(vectors(0), vectors(0), nil, 1)
	Gravity(vectors(3), vectors(3), nil, 1)
	Wave(make([]float32, 3), make([]float32, 3), make([]uint32, 3), -4, true)
}
