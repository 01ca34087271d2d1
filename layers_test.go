package lanewise

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/lanewise/lanewise"

// A layer is one row of the table of packages. A layer lists the imports that a package may
// have in addition to the standard library. A new import is a decision, so it needs half a
// page in docs/decisions before the table changes.
type layer struct {
	pkg  string // a directory; "name/..." covers it and everything below it
	may  string // packages of this module
	ext  string // modules outside this one
	test string // packages that only its tests may import
}

// below lists the packages below ecs/transform; all lists every package that others may
// import.
const (
	below = "soa kernels jobs jobs/profile jobs/access chunk ecs ecs/system ecs/app"
	all   = below + " ecs/blob kernels/ints kernels/forces random stats integrate grid order near ecs/transform ecs/host ecs/render ecs/snapshot ecs/snapshot/untyped ecs/diff ecs/check ecs/replay ecs/scene ecs/rollback ecs/pack inspect ecs/roads study datafile"
)

// layers lists the packages, lowest first. Planned packages already have a row.
var layers = []layer{
	{pkg: "."},
	{pkg: "internal/listing"}, // only for tests
	{pkg: "soa"},
	{pkg: "kernels", ext: "github.com/klauspost/cpuid/v2 golang.org/x/sys", test: "soa internal/listing"},
	{pkg: "kernels/kerneltest", may: "kernels"},
	{pkg: "kernels/ints", may: "kernels", test: "kernels/kerneltest"},
	{pkg: "kernels/forces", may: "kernels", test: "kernels/kerneltest"},
	{pkg: "jobs/internal/park"},
	{pkg: "jobs/profile", test: "jobs"},
	{pkg: "internal/fpmode"},
	{pkg: "jobs", may: "internal/fpmode jobs/internal/park jobs/profile", ext: "golang.org/x/sys"},
	{pkg: "jobs/access", may: "jobs"},
	{pkg: "internal/raster", may: "kernels jobs"},
	{pkg: "internal/atomicfile"},
	{pkg: "internal/printable"},
	{pkg: "internal/film", may: "internal/atomicfile"},
	{pkg: "random", may: "kernels", test: "soa"},
	{pkg: "stats", may: "kernels", test: "random"},
	{pkg: "integrate", may: "kernels jobs random", test: "kernels/kerneltest"},
	{pkg: "grid", may: "kernels jobs", test: "kernels/kerneltest"},
	{pkg: "order", may: "kernels jobs", test: "kernels/kerneltest"},
	{pkg: "near", may: "soa jobs kernels order", test: "kernels/kerneltest"},
	{pkg: "chunk", may: "soa"},
	{pkg: "internal/spell"},
	{pkg: "ecs/internal/category"},
	{pkg: "ecs/blob", may: "soa ecs/internal/category", test: "ecs internal/messages"},
	{pkg: "ecs/internal/table", may: "soa chunk"},
	{pkg: "ecs/internal/fold"},
	{pkg: "ecs", may: "soa chunk jobs jobs/profile jobs/access order ecs/blob ecs/internal/category ecs/internal/table ecs/internal/fold internal/spell", test: "kernels"},
	{pkg: "ecs/internal/plain"},
	{pkg: "ecs/internal/panics", may: "jobs"},
	{pkg: "ecs/system/internal/topo"},
	{pkg: "ecs/internal/driver", may: "ecs"},
	{pkg: "ecs/system", may: "ecs jobs jobs/profile jobs/access ecs/internal/driver ecs/system/internal/topo", test: "kernels ecs/app internal/listing"},
	{pkg: "ecs/app", may: "ecs ecs/internal/driver ecs/system", test: "jobs jobs/access"},
	{pkg: "ecs/system/systemtest", may: "ecs ecs/system ecs/app jobs"},
	{pkg: "ecs/transform/internal/trees", may: "ecs"},
	{pkg: "ecs/transform", may: below + " ecs/internal/driver ecs/transform/internal/trees", test: "ecs/pack ecs/replay ecs/rollback ecs/snapshot"},
	{pkg: "ecs/host", may: below + " ecs/transform"},
	{pkg: "ecs/render", may: below + " ecs/transform internal/raster internal/film", test: "ecs/snapshot"},
	{pkg: "ecs/internal/frames", may: "ecs"},
	{pkg: "ecs/snapshot/internal/format", may: "ecs/internal/frames internal/printable"},
	{pkg: "ecs/snapshot", may: "soa jobs chunk ecs ecs/blob ecs/system ecs/internal/frames ecs/snapshot/internal/format ecs/internal/plain ecs/internal/panics internal/atomicfile internal/printable"},
	{pkg: "ecs/snapshot/untyped", may: "ecs ecs/internal/frames ecs/snapshot/internal/format", test: "ecs/snapshot"},
	{pkg: "ecs/pack", may: "ecs ecs/blob ecs/internal/frames ecs/internal/plain internal/printable", test: "jobs"},
	{pkg: "ecs/diff", may: "ecs ecs/blob ecs/snapshot/untyped internal/printable", test: "ecs/snapshot"},
	{pkg: "ecs/check", may: "kernels ecs ecs/system", test: "ecs/app"},
	{pkg: "ecs/replay", may: "jobs ecs ecs/internal/frames ecs/system ecs/snapshot ecs/snapshot/untyped ecs/diff internal/printable", test: "near"},
	{pkg: "ecs/rollback", may: "ecs", test: "jobs"},
	{pkg: "ecs/scene", may: "soa jobs chunk ecs ecs/blob ecs/internal/frames ecs/internal/panics ecs/system ecs/app ecs/snapshot internal/spell internal/atomicfile internal/printable"},
	{pkg: "internal/progress", may: "internal/printable"},
	{pkg: "internal/messages"},
	{pkg: "study/table", test: "internal/messages"},
	{pkg: "datafile", may: "study/table internal/atomicfile", test: "internal/messages random soa kernels ecs"},
	{pkg: "study/internal/journal", may: "internal/atomicfile", test: "internal/messages"},
	{pkg: "study/internal/design", may: "random study/table internal/spell", test: "internal/messages"},
	{pkg: "study", may: "ecs ecs/diff ecs/replay ecs/snapshot ecs/system jobs random internal/progress internal/atomicfile study/table study/internal/journal study/internal/design internal/printable", test: "kernels internal/messages"},
	{pkg: "inspect", may: below + " ecs/transform ecs/host ecs/render ecs/snapshot ecs/check ecs/scene internal/spell"},
	{pkg: "ecs/roads", may: "kernels jobs ecs ecs/blob ecs/system ecs/snapshot ecs/diff ecs/check ecs/replay ecs/rollback ecs/pack ecs/scene inspect"},

	// Instruments for kernels: these are programs and tests, and no package imports them.
	{pkg: "internal/c2go", test: "soa kernels"},
	{pkg: "internal/benchbin"},
	{pkg: "internal/benchguard", may: "internal/benchbin"},
	{pkg: "internal/gate"},
	{pkg: "internal/kerneldoc"},
	{pkg: "internal/accuracy", may: "kernels"},
	{pkg: "internal/minimax"},
	{pkg: "internal/mca"},
	{pkg: "internal/neon", ext: "golang.org/x/arch"},
	{pkg: "internal/mutants"},
	{pkg: "internal/stall"},
	{pkg: "internal/ports"},
	{pkg: "internal/firstday"},
	{pkg: "internal/footprint"},
	{pkg: "internal/vectorspeed", may: "kernels"},
	{pkg: "internal/footprint/testdata/...", may: below},

	// The compiler of users' loops, with one package per pass.
	{pkg: "internal/lanec/ir"},
	{pkg: "internal/lanec/asm"},
	{pkg: "internal/lanec/front", may: "internal/lanec/ir"},
	{pkg: "internal/lanec/alloc", may: "internal/lanec/ir"},
	{pkg: "internal/lanec/amd64", may: "internal/lanec/ir internal/lanec/asm internal/lanec/alloc"},
	{pkg: "internal/lanec/arm64", may: "internal/lanec/ir internal/lanec/asm internal/lanec/alloc"},
	{pkg: "internal/lanec/wasm", may: "internal/lanec/ir"},
	{pkg: "internal/lanec/simulate"}, // only for tests
	{pkg: "internal/lanec", may: "internal/lanec/ir internal/lanec/asm internal/lanec/front internal/lanec/alloc internal/lanec/amd64 internal/lanec/arm64 internal/lanec/wasm"},
	{pkg: "internal/kernelgen", may: "internal/lanec internal/lanec/ir internal/lanec/wasm"}, // only for tests
	{pkg: "internal/lanec/opinion", may: "soa kernels"},
	{pkg: "internal/crowd", may: "kernels jobs near", test: "random kernels/kerneltest"},

	// The following packages may not be imported by others, because no row names them.
	{pkg: "bench", may: all, ext: "gonum.org/v1/gonum"},
	{pkg: "bench/md", may: "soa kernels kernels/forces jobs random near", test: "stats"},
	{pkg: "cmd/lanewise/internal/doctor", may: "kernels kernels/ints kernels/forces", ext: "github.com/klauspost/cpuid/v2"},
	{pkg: "cmd/lanewise/internal/julian"},
	{pkg: "cmd/lanewise/internal/catalogue", may: "cmd/lanewise/internal/julian", test: "cmd/lanewise/internal/belt cmd/lanewise/internal/solar"},
	{pkg: "cmd/lanewise/internal/reference", may: "cmd/lanewise/internal/catalogue"},
	{pkg: "cmd/lanewise/internal/orbit", may: "kernels cmd/lanewise/internal/catalogue cmd/lanewise/internal/julian", test: "soa cmd/lanewise/internal/belt cmd/lanewise/internal/reference cmd/lanewise/internal/solar"},
	{pkg: "cmd/lanewise/internal/orrery", may: below + " ecs/snapshot ecs/transform cmd/lanewise/internal/catalogue cmd/lanewise/internal/orbit cmd/lanewise/internal/reference", test: "cmd/lanewise/internal/belt"},
	{pkg: "cmd/lanewise/solarsystem", may: "jobs cmd/lanewise/internal/catalogue cmd/lanewise/internal/julian cmd/lanewise/internal/orrery cmd/lanewise/internal/reference"},
	{pkg: "cmd/lanewise/...", may: all + " internal/raster internal/film internal/progress internal/crowd internal/atomicfile internal/fpmode internal/printable", ext: "golang.org/x/image"},
	{pkg: "cmd/lanec", may: "internal/lanec"},
	{pkg: "internal/golden", may: all + " internal/raster internal/film"},
	{pkg: "internal/zoo", may: all + " internal/crowd", test: "ecs/roads"}, // only for tests
	{pkg: "examples/internal/exampletest", may: all},
	{pkg: "examples/regatta", may: all, test: "examples/internal/exampletest"},
	{pkg: "examples/...", may: all + " cmd/lanewise/solarsystem", test: "kernels/kerneltest", ext: "gonum.org/v1/gonum"},
	{pkg: "internal/inspectbench", may: all + " examples/regatta internal/benchbin"},
}

// TestLayers fails if an import is not in the table.
func TestLayers(t *testing.T) {
	report(t, os.DirFS("."), arrows)
}

// arrows reports the imports of f that its layer does not allow.
func arrows(f *file) []string {
	if f.ast == nil {
		return nil
	}
	at := slices.IndexFunc(layers, func(l layer) bool { return coversDir(l.pkg, f.dir) })
	if at < 0 {
		return []string{f.at(f.ast.Name, "package %s has no row in the table of layers_test.go", f.dir)}
	}
	row, found := layers[at], []string(nil)
	for _, spec := range f.ast.Imports {
		target := strings.Trim(spec.Path.Value, `"`)
		if target == "C" {
			found = append(found, f.at(spec, "imports C: no cgo"))
		} else if why := row.refusal(target, f); why != "" {
			found = append(found, f.at(spec, "%s", why))
		}
	}
	return found
}

// refusal returns the reason why a file of the layer may not import target, or "".
func (l layer) refusal(target string, f *file) string {
	if local, ok := strings.CutPrefix(target+"/", module+"/"); ok {
		local = path.Clean(strings.TrimSuffix(local, "/"))
		own := local == f.dir || strings.HasSuffix(l.pkg, "/...") && coversDir(l.pkg, local)
		if own && (f.test || local != f.dir) || hasWord(l.may, local) || f.test && hasWord(l.test, local) {
			return ""
		}
		return fmt.Sprintf("%s imports %s, which is not below it", f.dir, local)
	}
	first, _, _ := strings.Cut(target, "/")
	if !strings.Contains(first, ".") {
		return "" // the standard library
	}
	allowed := strings.Fields(l.ext) // of tests too, because the modules of a user's imported packages enter the go.sum of the user
	for _, m := range allowed {
		if target == m || strings.HasPrefix(target, m+"/") {
			return ""
		}
	}
	return fmt.Sprintf("%s imports %s, a module that its row does not name", f.dir, target)
}

// coversDir reports whether the pattern of a row matches a directory.
func coversDir(pattern, dir string) bool {
	if root, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == root || strings.HasPrefix(dir, root+"/")
	}
	return dir == pattern
}

// hasWord reports whether a list of words contains word.
func hasWord(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// TestLayersRows checks the table itself: no package appears twice, and every import refers to an
// earlier row. So the table cannot contain a cycle.
func TestLayersRows(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range layers {
		if seen[l.pkg] {
			t.Errorf("%s has two rows", l.pkg)
		}
		for _, to := range strings.Fields(l.may) {
			if !seen[to] {
				t.Errorf("%s may import %s, which is not above it in the table", l.pkg, to)
			}
		}
		seen[l.pkg] = true
	}
}

// TestLayersCatches checks that the check finds small faults that were made on purpose.
func TestLayersCatches(t *testing.T) {
	for _, c := range []struct{ name, path, source, want string }{
		{"standard library", "soa/a.go", `package soa; import _ "reflect"`, ""},
		{"downwards", "ecs/a.go", `package ecs; import _ "` + module + `/soa"`, ""},
		{"upwards", "soa/a.go", `package soa; import _ "` + module + `/ecs"`, "soa imports ecs, which is not below it"},
		{"sideways", "kernels/a.go", `package kernels; import _ "` + module + `/jobs"`, "kernels imports jobs"},
		{"the front page", "soa/a.go", `package soa; import _ "` + module + `"`, "soa imports ., which is not below it"},
		{"bench is the end", "ecs/a.go", `package ecs; import _ "` + module + `/bench"`, "ecs imports bench"},
		{"examples are the end", "inspect/a.go", `package inspect; import _ "` + module + `/examples/fountain"`, "inspect imports examples/fountain"},
		{"a program and its parts", "cmd/lanewise/a.go", `package main; import _ "` + module + `/cmd/lanewise/orrery"`, ""},
		{"part of a program", "ecs/a.go", `package ecs; import _ "` + module + `/cmd/lanewise/orrery"`, "ecs imports cmd/lanewise/orrery"},
		{"named module", "kernels/a.go", `package kernels; import _ "golang.org/x/sys/cpu"`, ""},
		{"module of another row", "ecs/a.go", `package ecs; import _ "golang.org/x/sys/unix"`, "ecs imports golang.org/x/sys/unix, a module"},
		{"like a named module", "jobs/a.go", `package jobs; import _ "golang.org/x/system"`, "jobs imports golang.org/x/system, a module"},
		{"gonum in a test of what users import", "soa/a_test.go", `package soa; import _ "gonum.org/v1/gonum/mat"`, "soa imports gonum.org/v1/gonum/mat, a module"},
		{"gonum beside the numbers", "bench/a_test.go", `package bench; import _ "gonum.org/v1/gonum/mat"`, ""},
		{"gonum in the library", "soa/a.go", `package soa; import _ "gonum.org/v1/gonum/mat"`, "soa imports gonum.org/v1/gonum/mat, a module"},
		{"an external test", "ecs/a_test.go", `package ecs_test; import _ "` + module + `/ecs"`, ""},
		{"a test's own arrow", "kernels/a_test.go", `package kernels_test; import _ "` + module + `/soa"`, ""},
		{"a test's arrow upwards", "kernels/a_test.go", `package kernels_test; import _ "` + module + `/ecs"`, "kernels imports ecs"},
		{"other platforms count", "soa/a_plan9.go", "//go:build purego\npackage soa; import _ \"" + module + `/ecs"`, "soa imports ecs"},
		{"cgo", "soa/a.go", `package soa; import "C"`, "soa/a.go:1: imports C: no cgo"},
		{"no row", "matrix/a.go", `package matrix`, "matrix/a.go:1: package matrix has no row"},
	} {
		t.Run(c.name, func(t *testing.T) { checkCatch(t, fstest.MapFS{c.path: {Data: []byte(c.source)}}, arrows, c.want) })
	}
}
