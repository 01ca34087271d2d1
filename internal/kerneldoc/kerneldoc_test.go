package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// kernelRows reads the table of package kernels once, because finding the types of the package for two
// CPUs takes seconds.
var kernelRows = sync.OnceValues(func() ([]*row, error) { return table(filepath.Join(root, "kernels")) })

// TestCurrent fails if a page in the repository differs from the output for the current
// source.
func TestCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("short: what is read here is the source, the same everywhere")
	}
	rows, err := kernelRows()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := pages(filepath.Join(root, "kernels"), rows, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		for i, line := range strings.Split(want, "\n") {
			if i >= len(got) || got[i] != line {
				t.Errorf("%s: line %d is not\n%s\nrun go generate ./internal/kerneldoc", name, i+1, line)
				break
			}
		}
		if len(got) != strings.Count(want, "\n")+1 {
			t.Errorf("%s has %d lines: run go generate ./internal/kerneldoc", name, len(got))
		}
	}
}

// TestWhole checks that the page lists every kernel that the golden files of package
// kernels contain.
func TestWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("short: what is read here is the source, the same everywhere")
	}
	rows, err := kernelRows()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range rows {
		known[r.name] = true
		if r.does == "" {
			t.Errorf("%s: nothing said of it", r.name)
		}
	}
	files, err := filepath.Glob(root + "/kernels/testdata/golden*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			name, _, ok := strings.Cut(line, "/")
			if ok && !known[name] {
				t.Errorf("%s has %s, the table has no such kernel", file, name)
				known[name] = true
			}
		}
	}
}

// shared is a small replacement for package kernels. V.Twice has no NEON code for float64, V.Plus
// has no AVX-512 code, and V.Minus has no assembly. The kernel Few has the same paths as the
// function ordinary.
const shared = `package kernels

type pathID uint8

const (
	generic pathID = iota
	avx2
	avx512
	neon
)

type op uint8

const (
	plus op = iota
	minus
)

const checked = false

var path = generic

type Float interface{ float32 | float64 }

// V is a view.
type V[T Float] struct{ X []T }

// Twice sets v[i] = 2*x[i], as in [V]: more below.
//
// Much more.
func (v *V[T]) Twice(x *V[T]) *V[T] {
	if checked {
		slowNEON()
	}
	if single[T]() {
		twice32()
	} else {
		twice64()
	}
	return v
}

// Plus adds.
func (v *V[T]) Plus(x []T) { both[T](plus, x) }

// Minus takes off.
func (v *V[T]) Minus(x []T) { both[T](minus, x) }

// Len is no kernel.
func (v *V[T]) Len() int { return len(v.X) }

// Few returns a number.
func Few[T Float](x []T) T {
	if single[T]() && !single[T]() {
		slowNEON()
	}
	switch {
	case !single[T]():
	case path == avx2 && ordinary():
		fewF32AVX2()
	default:
		fewGeneric()
	}
	return x[0]
}

// Bits makes a mask.
func Bits[T Float](mask []uint64, x []T) { new(V[T]).Twice(nil) }

// Number is no kernel either.
func Number(n int) int { return n }

func both[T Float](o op, x []T) { dispatch(o) }
func ordinary() bool            { return len(pathNames) > 1 }
func single[T Float]() bool     { return true }
func fewGeneric()               {}
func fewF32AVX2()
func slowNEON()
`

const onAMD64 = `package kernels

func twice32() {
	switch path {
	case avx512:
		twiceF32AVX512()
	case avx2:
		twiceF32AVX2()
	default:
		fewGeneric()
	}
}

func twice64() {
	switch path {
	case avx512, avx2:
		twiceF64AVX2()
	}
}

func dispatch(o op) {
	switch path {
	case avx512, avx2:
		dispatchAVX2(o)
	}
}

func dispatchAVX2(o op) {
	switch o {
	case plus:
		plusAVX2()
	}
}

func twiceF32AVX512()
func twiceF32AVX2()
func twiceF64AVX2()
func plusAVX2()
`

const onARM64 = `package kernels

func twice32() {
	if path == neon {
		twiceF32NEON()
	}
}

func twice64() {}

func dispatch(o op) {
	if o == plus && path != neon {
		return
	}
	if o == plus {
		plusNEON()
	}
}

func twiceF32NEON()
func plusNEON()
`

// TestTable reads the small package. The missing paths must show in the table.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"arith.go": shared, "a_amd64.go": onAMD64, "a_arm64.go": onARM64, "a_test.go": "package nonsense"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := table(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(page(rows, nil), "built-in copy.)\n")
	if want := `
## Masks

| kernel | it | AVX2 | AVX-512 | NEON |
| --- | --- | --- | --- | --- |
| Bits | makes a mask | ● | f32 ●, f64 AVX2 | f32 ●, f64 Go |

## Reductions

| kernel | it | AVX2 | AVX-512 | NEON |
| --- | --- | --- | --- | --- |
| Few | returns a number | f32 ●, f64 Go | Go | Go |

## V

| kernel | it | AVX2 | AVX-512 | NEON |
| --- | --- | --- | --- | --- |
| V.Twice | sets v[i] = 2*x[i], as in V | ● | f32 ●, f64 AVX2 | f32 ●, f64 Go |
| V.Plus | adds | ● | AVX2 | ● |
| V.Minus | takes off | Go | Go | Go |
`; got != want {
		t.Errorf("page:\n%s\nwant:\n%s", got, want)
	}
	_, got, _ = strings.Cut(byFamily(rows), "--- |\n")
	if want := `| masks | Bits | all | AVX2: Bits (f64) | Go: Bits (f64) |
| reductions | Few | Go: Few (f64) | Go: Few | Go: Few |
| V | Twice, Plus, Minus | Go: Minus | AVX2: Twice (f64), Plus; Go: Minus | Go: Twice (f64), Minus |
`; got != want {
		t.Errorf("by family:\n%s\nwant:\n%s", got, want)
	}
}
