package lanec

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestRefused checks that lanec refuses each function of testdata/refused, and that the message has
// the line and the words of the comment in the source.
func TestRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/refused/*.go")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compile("testdata/refused")
	if err == nil {
		t.Fatal("accepted")
	}
	said := map[string][]string{}
	place := regexp.MustCompile(`^(testdata/refused/\w+\.go:\d+):\d+: (\w+): (.*)$`)
	for line := range strings.Lines(filepath.ToSlash(err.Error())) {
		m := place.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("no place: %s", line)
		}
		said[m[1]] = append(said[m[1]], m[3])
	}
	for _, file := range files {
		compareRefusals(t, file, said)
	}
	for at, got := range said {
		t.Errorf("%s: %s\nwant it accepted", at, got)
	}
}

// compareRefusals compares the messages about each line of a file with the comment on that line, and
// deletes from said the messages that it has compared.
func compareRefusals(t *testing.T, file string, said map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kernels, wants := strings.Count(string(text), "\n"+directive), 0
	for n, line := range strings.Split(string(text), "\n") {
		_, want, ok := strings.Cut(line, " // ")
		if !ok || strings.HasPrefix(line, "//") {
			continue
		}
		wants++
		at := filepath.ToSlash(file) + ":" + strconv.Itoa(n+1)
		if len(said[at]) == 0 {
			t.Errorf("%s: accepted, want %s", at, want)
			continue
		}
		for _, got := range said[at] {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\nwant %s", at, got, want)
			}
		}
		delete(said, at)
	}
	if wants < kernels {
		t.Errorf("%s: %d functions, %d of them with what is said", file, kernels, wants)
	}
}

// TestCurrent checks that the generated files of the example, which serve as golden files, are equal
// to the output of lanec.
func TestCurrent(t *testing.T) {
	p, err := Compile("../../examples/lanec")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range p.Files {
		got, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what lanec writes: run go generate ./examples/lanec", name)
		}
	}
}

// TestTwice checks that compiling twice gives the same bytes.
func TestTwice(t *testing.T) {
	source := "package own\n\nimport (\n\t\"math\"\n\n\t\"github.com/lanewise/lanewise/kernels\"\n)\n\nvar _ = math.Sqrt\n\n"
	for i := range 6 {
		text, _ := randomKernel(5, i, i%2 == 0, false)
		source += text
	}
	dir := module(t, map[string]string{"own.go": source})
	first, err := Compile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(); err != nil {
		t.Fatal(err)
	}
	again, err := Compile(dir) // the earlier output is not read
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Stale(); err != nil {
		t.Error(err)
	}
}

// TestFaults checks the messages about errors in a package outside of its kernels' loops.
func TestFaults(t *testing.T) {
	const body = "(x []float32) {\n\tfor i := range x {\n\t\tx[i] = 0\n\t}\n}\n"
	for _, c := range []struct{ name, source, want string }{
		{"no kernels", "package own\n", "no function has a line //lanec:kernel Name above it"},
		{"another word", "package own\n\n//lanec:kernal A\nfunc a" + body, "own.go:3:1: //lanec:kernal A is no directive of a function: write //lanec:kernel Name"},
		{"a space", "package own\n\n// lanec:kernel A\nfunc a" + body, "own.go:3:1: // lanec:kernel A is no directive"},
		{"an empty line", "package own\n\n//lanec:kernel A\n\nfunc a" + body, "own.go:3:1: //lanec:kernel A is no directive"},
		{"a variable", "package own\n\n//lanec:kernel B\nvar b int\n\n//lanec:kernel A\nfunc a" + body, "own.go:3:1: //lanec:kernel B is no directive"},
		{"no name", "package own\n\n//lanec:kernel\nfunc a" + body, "own.go:3:1: //lanec:kernel needs the name of the function to be written"},
		{"a name that is none", "package own\n\n//lanec:kernel 3\nfunc a" + body, "own.go:3:1: //lanec:kernel needs the name"},
		{"two of a name", "package own\n\n//lanec:kernel A\nfunc a" + body + "\n//lanec:kernel A\nfunc b" + body, "own.go:10:1: two kernels are called A"},
		{"a name in use", "package own\n\n//lanec:kernel A\nfunc a" + body + "\nvar A int\n", "A is declared at"},
		{"half a type", "package own\n\n//lanec:kernel A[float32\nfunc a" + body, "own.go:3:1: //lanec:kernel needs the name"},
		{"a type of nothing", "package own\n\n//lanec:kernel A[float32]\nfunc a" + body, "own.go:3:1: A[float32]: a has 0 type parameters, and not one"},
		{"no type", "package own\n\n//lanec:kernel A[single]\nfunc a[T float32](x []T) {\n}\n", "own.go:3:1: A[single]: single is no type of numbers, such as float32"},
		{"a type that may not be", "package own\n\n//lanec:kernel A[int32]\nfunc a[T float32](x []T) {\n}\n", "own.go:3:1: A[int32]: int32 does not satisfy float32"},
		{"no Go", "package own\n\nfunc a(\n", "own.go:3:"},
		{"no types", "package own\n\nvar x undefinedType\n\n//lanec:kernel A\nfunc a" + body, "own.go:3:7: this does not compile: undefined: undefinedType"},
		{"no package", "package own\n\nimport _ \"example.org/none\"\n\n//lanec:kernel A\nfunc a" + body, "go list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(module(t, map[string]string{"own.go": c.source}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := Compile(t.TempDir()); err == nil {
		t.Error("a directory without Go is accepted")
	}
}

// TestImports checks that views of several packages get different names, even if the packages have
// the same name. The package also has two files that lanec must skip: a test file and a file for
// another CPU.
func TestImports(t *testing.T) {
	const view = "// Points are there.\ntype Points struct{ X []float32 }\n"
	dir := module(t, map[string]string{
		"own.go": `package own

import (
	"example.org/own/a/geo"
	other "example.org/own/b/geo"
)

//lanec:kernel Add
func add(p *geo.Points, q *other.Points) {
	for i := range p.X {
		p.X[i] += q.X[i]
	}
}
`,
		"own_plan9.go":  "package own\n\nfunc add() {}\n",
		"own_test.go":   "package own\n\nvar _ = Add\n",
		"a/geo/geo.go":  "// Package geo is one.\npackage geo\n\n" + view,
		"b/geo/geo.go":  "// Package geo is another one.\npackage geo\n\n" + view,
		"c/unread.go":   "package c\n\nfunc (\n",
		"lanec_gen.go":  "package own\n\nfunc Add() { this is left from before }\n",
		"lanec_old.txt": "not read\n",
	})
	p, err := Compile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stale(); err == nil || !strings.Contains(err.Error(), "lanec_amd64.s, lanec_amd64_gen.go") {
		t.Errorf("before it is written: %v", err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	if text, err := goCommand(t, dir, nil, "vet", "."); err != nil {
		t.Error(text)
	}
	p.Dir = filepath.Join(dir, "own.go")
	if err := p.Write(); err == nil {
		t.Error("files are written into a file")
	}
}

// TestExplainLookups checks that Explain counts reads and writes at computed indices.
func TestExplainLookups(t *testing.T) {
	p, err := Compile(module(t, map[string]string{"own.go": `package own

//lanec:kernel Sort
func sort(count, first []uint32, x, y []float32, k []int32) {
	for i := range k {
		if x[k[i]] > y[k[i]] {
			count[k[i]]++
		}
		first[k[i]] = 1
		count[k[i]] += 2
	}
}

//lanec:kernel Sum
func sum(x, y []float32, start, list []int32) {
	for i := range x {
		s := x[i]
		for _, k := range list[start[i/16]:start[i/16+1]] {
			s += y[k]
		}
		x[i] = s
	}
}
`}))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Explain(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"elements at computed indices: 2 looked up, 3 written row by row\n", "elements at indices of a list that rows share: 1, one load for a vector\n",
		"  WebAssembly: Go source, because of elements one by one, which take longer than in Go\n", "  WebAssembly: vectors of 4 rows, with Go 1.27\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nwant %s", b.String(), want)
		}
	}
}

// TestExplain checks the numbers that Explain prints for a kernel whose instructions can be counted
// by hand.
func TestExplain(t *testing.T) {
	dir := module(t, map[string]string{"own.go": `package own

//lanec:kernel Mean
func mean(x, y []float64, c []float64) {
	for i := range x {
		for j := range c {
			x[i] = (x[i] + y[i]) / c[j]
		}
	}
}
`})
	p, err := Compile(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Explain(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Mean, of mean at ", "len(x) rows; elements of 64 bits; 2 lanes read, 1 written; 1 loops in a row\n",
		"   AVX2              4          2          0                     16                10                 1  0.8 instructions   6.5 divisions and roots\n",
		" AVX512              8          2          0                     16                10                 1  0.8 instructions  13.0 divisions and roots\n",
		"   NEON              2          2          0                     20                13                 1  0.9 instructions   5.0 divisions and roots\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nwant %s", b.String(), want)
		}
	}
}

// languageFiles returns the files of two packages: the package of testdata/language, together with
// kernels that call the functions of package kernels for one row, and a package that it imports.
func languageFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"far/far.go": "// Package far is another one.\npackage far\n\n// Half is half of x, and what is left.\nfunc Half(x float32) (float32, float32) {\n\treturn float32(x / 2), x - float32(x/2)\n}\n"}
	names, err := filepath.Glob("testdata/language/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(name), ".txt")] = string(text)
	}
	addFunctions(t, files)
	return files
}

// TestLanguage compiles testdata/language, which uses every feature of a kernel. It vets the output
// and runs its tests. It vets the assembly of the other CPU only with -lanewise.full, because vet then
// compiles the standard library for that CPU.
func TestLanguage(t *testing.T) {
	dir := module(t, languageFiles(t))
	testSlowVectors = *onWasm
	defer func() { testSlowVectors = false }()
	p, err := Compile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		if arch != runtime.GOARCH && !*full {
			continue
		}
		if text, err := goCommand(t, dir, []string{"GOARCH=" + arch}, "vet", "-asmdecl", "."); err != nil {
			t.Errorf("go vet for %s: %s", arch, text)
		}
	}
	if text, err := goTest(t, dir); err != nil {
		t.Error(text)
	}
}
