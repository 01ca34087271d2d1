package main

import (
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const kernels = "../../kernels"

// TestCurrent fails if a checked-in file differs from the output for the current table and bodies, or
// if a generated file is left over.
func TestCurrent(t *testing.T) {
	made, err := files(kernels)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range made {
		got, err := os.ReadFile(filepath.Join(kernels, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(got) != want {
			line := 1 + strings.Count(common(string(got), want), "\n")
			t.Errorf("%s: line %d is not what the generator writes: run go generate ./kernels", name, line)
		}
		if !strings.HasSuffix(name, ".go") {
			continue // the format of asmfmt is checked by make lint
		}
		formatted, err := format.Source([]byte(want))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if string(formatted) != want {
			t.Errorf("%s is not as gofmt would have it", name)
		}
	}
	for _, pattern := range []string{"*_gen.go", "*_gen_*.s", "*lanec_*"} {
		paths, err := filepath.Glob(filepath.Join(kernels, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if _, ok := made[filepath.Base(path)]; !ok {
				t.Errorf("%s: nothing writes it any more: delete it", path)
			}
		}
	}
}

// common returns the common prefix of a and b.
func common(a, b string) string {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return a[:i]
		}
	}
	return a[:n]
}

// TestTable looks for rows of the table from which kernelgen would generate wrong code.
func TestTable(t *testing.T) {
	bodies, err := readBodies(kernels)
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]bool{}
	for _, c := range compares {
		compared[c.name] = true
	}
	seen := map[string]bool{}
	for _, f := range families {
		for i := range f.kernels {
			k := &f.kernels[i]
			if seen[k.name] {
				t.Errorf("%s stands twice in the table", k.name)
			}
			seen[k.name] = true
			if _, err := f.signature(k, bodies); err != nil {
				t.Error(err)
			}
			if (k.by == byCompare) != compared[k.name] {
				t.Errorf("%s: a comparison has a row in compare.go and one here", k.name)
			}
			if n := k.few; n > 4 {
				t.Errorf("%s: the Go body computes fewer than %d rows, which may be slower than a full vector", k.name, n)
			}
			if k.by == byLanec && k.cut != "" && k.few == 0 {
				t.Errorf("%s: make few measures from how many rows on its assembly is faster than the Go body: set few", k.name)
			}
			if k.op != "" && f.ops == nil {
				t.Errorf("%s: family %s takes no kernels by constants", k.name, f.name)
			}
		}
	}
	for name := range bodies {
		kernel, ok := strings.CutSuffix(name, "Generic")
		if !ok || seen[kernel] || slices.Contains(byThemselves, kernel) {
			continue
		}
		t.Errorf("%s has no row in table.go, and is not known to be chosen by hand", name)
	}
}

// byThemselves lists the generic functions without a row in the table: functions that are parts
// of other functions, and those for which choose_*.go in package kernels chooses the path.
var byThemselves = []string{
	"compress", "convert", "indexOf", "mat4Compose", // choose_*.go
	"vectors", "dot", "root", "distance", "normalize", "reflect", "cross", "matrices", // chosen by a constant
}

// TestRefused passes inputs from which kernelgen cannot generate code, and checks the errors.
func TestRefused(t *testing.T) {
	bodies := map[string]signature{"knownGeneric": {params: []param{{"x", "[]T"}}}}
	for want, f := range map[string]family{
		"package kernels has no generic function unknownGeneric": {kernels: []kernel{{name: "unknown"}}},
		"expected": {kernels: []kernel{{name: "known", sig: "(x []"}}},
		"(op [":    {kernels: []kernel{{name: "known"}}, ops: &ops{name: "known", sig: "(op ["}},
	} {
		if _, _, err := f.choice("amd64", bodies); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	empty := t.TempDir()
	if _, err := files(empty); err == nil {
		t.Error("files were made of nothing")
	}
	if err := os.WriteFile(filepath.Join(empty, "a.go"), []byte("package a {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBodies(empty); err == nil {
		t.Error("bodies were read in what is no Go")
	}
}

// TestChoice checks each form that a generated function that chooses a path can have.
func TestChoice(t *testing.T) {
	bodies := map[string]signature{
		"twiceGeneric": {params: []param{{"dst", "[]T"}, {"x", "[]T"}, {"s", "T"}}},
		"sumGeneric":   {params: []param{{"x", "[]T"}}, result: "T"},
		"rowsGeneric":  {params: []param{{"x", "[]T"}}},
		"turnGeneric":  {params: []param{{"v", "*Vec3s[T]"}, {"s", "T"}}},
		"copyGeneric":  {params: []param{{"m", "*Mat4s[T]"}}},
	}
	f := family{name: "some", ops: &ops{"lists", "(op listOp, v [][]T)", 1}, kernels: []kernel{
		{name: "twice", wide: "64", when: "ready(s)", few: 2},
		{name: "sum", wide: both},
		{name: "rows", done: "len(x)", except: "arm64"},
		{name: "turn", wide: both, few: 1},
		{name: "copy", few: 2},
		{name: "list", wide: both, op: "opList"},
	}}
	for arch, want := range map[string][]string{
		"amd64": {
			"func twice32(dst, x []float32, s float32) {\n\tswitch n := len(dst); {\n\tcase path != generic && n >= 2 && ready(s):",
			"func twice64(dst, x []float64, s float64) {\n\tswitch n := len(dst); {\n\tcase path == avx512 && n >= 5 && ready(s):\n\t\ttwiceF64AVX512(dst, x, s)\n\tcase path != generic && n >= 2 && ready(s):",
			"\tswitch n := len(v.X); {\n\tcase path == avx512 && n >= 9:\n\t\tturnF32AVX512(v, s)\n\tcase path != generic:\n\t\tturnF32AVX2(v, s)\n",
			"\tswitch n := len(m.M); {\n\tcase path != generic && n >= 2:\n\t\tcopyF32AVX2(m)\n",
			"\tswitch n := len(v[0]); {\n\tcase path == avx512 && n >= 9:\n\t\tlistsF32AVX512(op, v)\n\tcase path != generic:\n\t\tlistsF32AVX2(op, v)\n",
			"\tcase avx2:\n\t\treturn sumF32AVX2(x)\n\tdefault:\n\t\treturn sumGeneric(x)\n",
			"//go:noescape\nfunc rowsF32AVX2(x []float32) int\n",
			"\tdefault:\n\t\trowsGeneric(x)\n\t\treturn len(x)\n",
		},
		"arm64": {"func sumF64NEON(x []float64) float64\n", "func turn32(v *Vec3s[float32], s float32) {\n\tswitch path {\n\tcase neon:\n"},
		"":      {"//go:noinline\nfunc rows64(x []float64) int {\n\trowsGeneric(x)\n\treturn len(x)\n}\n"},
	} {
		_, text, err := f.choice(arch, bodies)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no\n%s\nin\n%s", arch, w, text)
			}
		}
		if arch == "arm64" && strings.Contains(text, "rows") {
			t.Errorf("rows are left to people on arm64:\n%s", text)
		}
	}
}

// TestComments checks the comments beside comparisons.
func TestComments(t *testing.T) {
	got := map[string]string{}
	for _, c := range compares {
		got[c.name] = c.comment()
	}
	want := map[string]string{"less": "x < y", "below": "s > x", "equalTo": "s == x"}
	maps.DeleteFunc(got, func(name, _ string) bool { return want[name] == "" })
	if !maps.Equal(got, want) {
		t.Error(got)
	}
}
