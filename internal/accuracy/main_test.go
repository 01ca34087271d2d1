package main

import (
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestFastestFails runs a checker that does not exist, so that the comparison on the fastest path fails. The program must then
// not report that the other paths differ.
func TestFastestFails(t *testing.T) {
	defer func(path string) {
		if err := kernels.Use(path); err != nil {
			t.Error(err)
		}
	}(kernels.Path())
	r := run{only: regexp.MustCompile("^(Exp|Hypot)Rounded"), stride: 1 << 20, samples: 10, at: 1, checker: filepath.Join(t.TempDir(), "none"), done: map[string]*progress{}}
	err := r.compareRounded(io.Discard, regexp.MustCompile(""))
	if err == nil || strings.Count(err.Error(), "Rounded on path") != 2 || strings.Contains(err.Error(), "differ") {
		t.Error(err)
	}
}

// TestStateOfAnotherBuild reads a state that another build has written.
func TestStateOfAnotherBuild(t *testing.T) {
	old := run{state: filepath.Join(t.TempDir(), "state"), build: "a", done: map[string]*progress{"a/Exp/f32/9": {Blocks: 7}}}
	if err := old.save(); err != nil {
		t.Fatal(err)
	}
	for build, want := range map[string]int{"a": 1, "b": 0} {
		r := run{state: old.state, build: build}
		if err := r.load(); err != nil || len(r.done) != want {
			t.Errorf("build %s: %d functions, want %d: %v", build, len(r.done), want, err)
		}
	}
}

// TestNear counts the pairs whose exact result is within 2^-20 units of a midpoint between two float32. Only about one random
// pair in half a million is so close.
func TestNear(t *testing.T) {
	exact := map[string]func(x, y float64) float64{"Hypot": math.Hypot, "Atan2": math.Atan2, "Pow": math.Pow}
	for _, f := range roundeds {
		if f.two == nil {
			continue
		}
		x, y := make([]float32, 1<<12), make([]float32, 1<<12)
		f.near(rand.New(rand.NewPCG(3, 4)), x, y, 3)
		near := 0
		for i := range x {
			v := math.Abs(exact[f.name](float64(x[i]), float64(y[i])))
			if !(v > 0 && v < math.MaxFloat32) {
				continue
			}
			_, e := math.Frexp(v)
			units := math.Ldexp(v, -max(e-24, -149))
			if _, part := math.Modf(units); math.Abs(part-0.5) < 0x1p-20 {
				near++
			}
		}
		if near < len(x)/4 {
			t.Errorf("%s: only %d of %d pairs have a result close to a midpoint", f.name, near, len(x))
		}
	}
}
