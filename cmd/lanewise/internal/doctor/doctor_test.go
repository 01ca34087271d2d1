package doctor

import (
	"context"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/kernels"
)

const source = "../../../../kernels"

var every = regexp.MustCompile("")

// quick holds options for short measurements. Short measurements suffice, because no test depends
// on the measured times.
var quick = &Options{Lengths: []int{0, 1, 13, 77}, Each: time.Microsecond, Footprint: 1 << 10, Memory: 1 << 12}

// packageDoc returns the documentation of package kernels or of a package below it.
func packageDoc(t *testing.T, source string) *doc.Package {
	fset := token.NewFileSet()
	entries, err := os.ReadDir(source)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if ok, err := build.Default.MatchFile(source, e.Name()); err != nil || !ok || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "compiled.go" {
			continue // compiled.go is for kernels of users
		}
		f, err := parser.ParseFile(fset, filepath.Join(source, e.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/lanewise/lanewise/kernels")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hasSlice reports whether a parameter is a slice.
func hasSlice(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		_, ok := p.Type.(*ast.ArrayType)
		return ok
	})
}

// ofSlices reports whether the first field of a struct is a slice, as in a view.
func ofSlices(s *ast.StructType) bool {
	if len(s.Fields.List) == 0 {
		return false
	}
	_, ok := s.Fields.List[0].Type.(*ast.ArrayType)
	return ok
}

// takesLanes reports whether a method is a kernel: it works on its receiver and on
// other lanes. Methods such as Len and Slice take numbers only.
func takesLanes(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		array, ok := p.Type.(*ast.ArrayType)
		_, pointer := p.Type.(*ast.StarExpr)
		return pointer || ok && array.Len == nil
	})
}

// TestListIsWhole compares the list with the exported names of package kernels. The list must
// contain each function that takes slices and each method of a view that takes slices or views, and
// nothing else.
func TestListIsWhole(t *testing.T) {
	p := packageDoc(t, source)
	var wantFunctions, wantMethods []string
	for _, f := range p.Funcs {
		if hasSlice(f.Decl) {
			wantFunctions = append(wantFunctions, f.Name)
		}
	}
	for _, typ := range p.Types {
		for _, f := range typ.Funcs { // functions that return the type
			if hasSlice(f.Decl) {
				wantFunctions = append(wantFunctions, f.Name)
			}
		}
		if spec := typ.Decl.Specs[0].(*ast.TypeSpec); spec.TypeParams != nil {
			if s, ok := spec.Type.(*ast.StructType); ok && ofSlices(s) {
				for _, m := range typ.Methods {
					if takesLanes(m.Decl) {
						wantMethods = append(wantMethods, typ.Name+"."+m.Name)
					}
				}
			}
		}
	}
	var gotFunctions, gotMethods []string
	for _, f := range append(functions[float32, float64](), rounded...) {
		gotFunctions = append(gotFunctions, f.name)
	}
	for _, m := range methods[float64]() {
		gotMethods = append(gotMethods, m.name)
	}
	var gotForces, wantForces []string
	for _, f := range packageDoc(t, source+"/forces").Funcs {
		if f.Name != "Quantize" && f.Name != "QuantumRange" { // these are plain Go on every path
			wantForces = append(wantForces, "forces."+f.Name)
		}
	}
	for _, f := range pulls[float32]() {
		gotForces = append(gotForces, f.name)
	}
	var gotIntegers, wantIntegers []string
	for _, f := range packageDoc(t, source+"/ints").Funcs {
		wantIntegers = append(wantIntegers, "ints."+f.Name)
	}
	for _, f := range integers[int32]() {
		gotIntegers = append(gotIntegers, f.name)
	}
	for _, c := range []struct {
		what      string
		got, want []string
	}{{"functions", gotFunctions, wantFunctions}, {"methods", gotMethods, wantMethods}, {"integers", gotIntegers, wantIntegers}, {"forces", gotForces, wantForces}} {
		slices.Sort(c.got)
		slices.Sort(c.want)
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s in list.go:\n%v\nexported by package kernels:\n%v", c.what, c.got, c.want)
		}
	}
}

// TestListHasHarness checks that the list has every kernel in the golden files of package kernels.
// A kernel that allows nil operands must also be listed with nil operands.
func TestListHasHarness(t *testing.T) {
	known := map[string]bool{}
	for _, k := range List(every) {
		known[k.String()] = true
	}
	files, err := filepath.Glob(source + "/testdata/golden*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			name, rest, ok := strings.Cut(line, "/type=")
			if !ok {
				continue
			}
			if base, variant, _ := strings.Cut(name, "/"); !strings.Contains(variant, "=nil") {
				name = base
			}
			if k := name + "/" + rest[:3]; !known[k] {
				t.Errorf("%s has %s, the doctor has no %s", file, strings.TrimSpace(line), k)
			}
		}
	}
}

// TestExamine examines everything once. No path of this machine may give different bits.
func TestExamine(t *testing.T) {
	before := kernels.Path()
	r := Machine(quick)
	list := List(every)
	for _, k := range list {
		rows, err := r.Examine(t.Context(), k, quick)
		if err != nil {
			t.Fatal(k, err)
		}
		if len(rows) != len(kernels.Paths()) {
			t.Errorf("%v: %d rows for the paths %v", k, len(rows), kernels.Paths())
		}
	}
	for _, row := range r.Differences() {
		t.Errorf("%s/%s on %s differs: %s", row.Name, row.Type, row.Path, row.Why)
	}
	if len(r.Rows) != len(list)*len(kernels.Paths()) || kernels.Path() != before {
		t.Errorf("%d rows of %d kernels, path %s, was %s", len(r.Rows), len(list), kernels.Path(), before)
	}
	if r.CPU == "" || r.Build == "" || r.Why == "" || r.Memory <= 0 || r.Cache <= 0 {
		t.Errorf("parts of the report are missing: %+v", Report{CPU: r.CPU, Build: r.Build, Why: r.Why, Memory: r.Memory, Cache: r.Cache})
	}
}

// TestExamineStops checks that the examination stops with its context.
func TestExamineStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rows, err := Machine(quick).Examine(ctx, List(every)[0], quick); err == nil || rows != nil {
		t.Errorf("after the end of the context: %v, %v", rows, err)
	}
}

// TestDiffers checks that the doctor detects kernels that are wrong on every path except the generic
// path. If a machine has only the generic path, the kernels are wrong at their second call.
func TestDiffers(t *testing.T) {
	path, calls := kernels.Paths()[len(kernels.Paths())-1], 0
	wrong := func() bool { calls++; return calls%2 == 0 } // at each length generic runs first
	for _, c := range []struct {
		name string
		call any
		want string
	}{
		{"right", func(dst, x []float32) { copy(dst, x) }, ""},
		{"a wrong last row", func(dst, x []float32) {
			copy(dst, x)
			if n := len(dst); wrong() && n > 0 {
				dst[n-1] += 1
			}
		}, "1 rows: lane 0: element 0 is "},
		{"wrong for NaN alone", func(dst, x []float32) {
			copy(dst, x)
			if wrong() {
				for i, v := range x {
					if v != v {
						dst[i] = 0
					}
				}
			}
		}, "13 rows: lane 0: element 2 is 0, want 7fc00000"},
		{"a wrong sign of zero", func(dst []float64) {
			clear(dst)
			if n := len(dst); wrong() && n > 2 {
				dst[2] = -dst[2]
			}
		}, "3 rows: lane 0: element 2 is 8000000000000000, want 0"},
		{"a source is written to", func(v *kernels.Quats[float64]) *kernels.Quats[float64] {
			if wrong() && len(v.W) > 0 {
				v.W[0]++
			}
			return v
		}, "1 rows: lane 3: element 0 is "},
		{"a wrong result", func(x []float32) int {
			if wrong() {
				return -1
			}
			return 7
		}, "0 rows: lane 1: element 0 is ffffffffffffffff, want 7"},
		{"a panic", func(x []float32) {
			if wrong() {
				panic("kernels: no")
			}
		}, `0 rows: panic "kernels: no", want ""`},
		{"a panic in place of a result", func(x []float32) int {
			if wrong() {
				panic("kernels: no")
			}
			return 7
		}, `0 rows: panic "kernels: no", want ""`},
		{"a result in place of a panic", func(x []float32) int {
			if !wrong() {
				panic("kernels: no")
			}
			return 7
		}, `0 rows: panic "", want "kernels: no"`},
		{"a view in place of a panic", func(v *kernels.Vec3s[float32]) *kernels.Vec3s[float32] {
			if !wrong() {
				panic("kernels: no")
			}
			return v
		}, `0 rows: panic "", want "kernels: no"`},
		{"no view", func(v *kernels.Vec3s[float32]) *kernels.Vec3s[float32] {
			if wrong() {
				return nil
			}
			return v
		}, "0 rows: 3 lanes, want 6"},
		{"another length", func(v *kernels.Vec3s[float32]) {
			if n := len(v.Y); n > 0 && wrong() {
				v.Y = v.Y[1:]
			}
		}, "1 rows: lane 1: 0 elements, want 1"},
		{"the same panic", func(x []float32) int { panic("kernels: no") }, ""},
		{"NaN of another kind", func(dst []float64) {
			for i := range dst {
				dst[i] = nan
				if wrong() {
					dst[i] = -dst[i]
				}
			}
		}, ""},
		{"matrices and indices", func(m *kernels.Mat4s[float32], index []int32, mask []uint64, order kernels.RotationOrder, q [4]float32) {
			if order > kernels.OrderZYX || len(mask) != kernels.MaskLen(len(index)) {
				panic("wrong operands")
			}
			for i, k := range index {
				m.M[i][15] = float32(k) / float32(len(m.M)) // does not panic for zero rows
			}
		}, ""},
	} {
		calls = 0
		k := New(c.name, "f32", c.call)
		got, err := k.difference(path, Usual.Lengths)
		if err != nil || !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

// TestExaminePanics examines kernels that panic in every run, and kernels that panic only with more
// rows than the comparison uses. The doctor must survive them.
func TestExaminePanics(t *testing.T) {
	calls := 0
	for name, c := range map[string]struct {
		call func(x []float32) int
		want string
	}{
		"now and then": {func(x []float32) int {
			if calls++; calls > 1 {
				panic("kernels: no")
			}
			return 7
		}, `0 rows: panic "kernels: no", want ""`},
		"on many rows": {func(x []float32) int {
			if len(x) > 100 {
				panic("kernels: no")
			}
			return 7
		}, `when measured: panic "kernels: no"`},
	} {
		rows, err := new(Report).Examine(t.Context(), New(name, "f32", c.call), quick)
		if err != nil || len(rows) != len(kernels.Paths()) {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		if row := rows[0]; row.Agree || row.Why != c.want || row.NS != 0 || row.GBps != 0 {
			t.Errorf("%s: %+v, want %s and no times", name, row, c.want)
		}
	}
}

var nan = func() float64 { zero := 0.0; return zero / zero }()

// TestMeasure checks the number of bytes per row.
func TestMeasure(t *testing.T) {
	want := map[string]float64{"Fill/f32": 4, "Less/f64": 16 + 1.0/8, "Sum/f64": 8, "Convert/f32": 12, "Vec3s.Rotate/f32": 40, "Mat4s.MulAffineByParent/f32": 3*64 + 4, "Mat4s.Compose/rot=nil/f64": 128 + 6*8}
	for _, k := range List(every) {
		bytes, ok := want[k.String()]
		if !ok {
			continue
		}
		delete(want, k.String())
		if ns, got := k.measure(quick); got != bytes || !(ns > 0) {
			t.Errorf("%v: %v ns, %v bytes a row, want %v", k, ns, got, bytes)
		}
	}
	if len(want) > 0 {
		t.Errorf("no such kernels: %v", slices.Collect(maps.Keys(want)))
	}
}

// TestWhy checks that the doctor gives a reason for a missing path that is possible in this build.
func TestWhy(t *testing.T) {
	t.Setenv("LANEWISE_KERNELS", "")
	paths := kernels.Paths()
	want := map[string]string{"avx512": "AVX-512", "avx2": "lacks AVX-512", "neon": "NEON", "simd": "GOEXPERIMENT=simd"}[paths[len(paths)-1]]
	if len(paths) == 1 && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		want = "no assembly for " + runtime.GOARCH
		if runtime.GOARCH == "wasm" {
			want = "GOEXPERIMENT=simd"
		}
	}
	if got := choiceReason(); !strings.Contains(got, want) || got == "" {
		t.Errorf("paths %v: %q, want %q in it", paths, got, want)
	}
	t.Setenv("LANEWISE_KERNELS", "generic")
	if got := choiceReason(); got != "LANEWISE_KERNELS asks for it" {
		t.Error(got)
	}
}
