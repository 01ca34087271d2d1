package lanec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/lanec/amd64"
)

// TestSimulated runs the AVX-512 assembly of testdata/language and of random functions in package
// simulate, which is a CPU written in Go. So the assembly is tested on every machine. The tests
// compare the results with those of the Go source. Together, the tests of testdata/language must run
// every kernel and every instruction in the table.
func TestSimulated(t *testing.T) {
	dir := module(t, languageFiles(t))
	p, err := Compile(dir)
	if err != nil {
		t.Fatal(err)
	}
	useSimulation(t, p, true)
	from, n := *seed, (*programs+2)/3 // a simulation is slower than a CPU
	if from == 0 {
		from = rand.Uint64()
	}
	for at := 0; at < n; at += perPackage() {
		simulatedRandom(t, filepath.Join(dir, fmt.Sprint("random", at)), from, at, min(perPackage(), n-at))
	}
	copySimulate(t, filepath.Join(dir, "simulate"))
	if text, err := goCommand(t, dir, nil, "test", "-tags=purego", "-vet=off", "-ldflags=-s -w", fmt.Sprintf("-timeout=%v", *patience), "./..."); err != nil {
		t.Errorf("seed %d, %d random functions: %s", from, n, text)
	}
}

// simulatedRandom writes a package of random functions and their tests.
func simulatedRandom(t *testing.T, dir string, seed uint64, from, n int) {
	t.Helper()
	var source, tests strings.Builder
	source.WriteString("package own\n\nimport (\n\t\"math\"\n\n\t\"github.com/lanewise/lanewise/kernels\"\n)\n\nvar _ = math.Sqrt\n\n")
	tests.WriteString("package own\n\nimport (\n\t\"testing\"\n\n\t\"github.com/lanewise/lanewise/kernels\"\n\t\"github.com/lanewise/lanewise/kernels/kerneltest\"\n)\n" + ofArrays)
	for i := from; i < from+n; i++ {
		kernel, body := randomKernel(seed, i, i%3 == 2, false)
		source.WriteString(kernel)
		fmt.Fprintf(&tests, "\nfunc TestK%d(t *testing.T) {\n\t%s\n}\n", i, body)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"own.go": source.String(), "own_test.go": tests.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testYieldInterval = 3
	defer func() { testYieldInterval = 0 }()
	p, err := Compile(dir)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	useSimulation(t, p, false)
}

// copySimulate copies package simulate, because it is internal and another module cannot import it.
func copySimulate(t *testing.T, to string) {
	t.Helper()
	names, err := filepath.Glob("simulate/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no package simulate", err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// glue is Go source for a build without assembly. It calls the simulation in place of the assembly.
const glue = `package own

import (
	_ "embed"
	"unsafe"

	"example.org/own/simulate"
)

const lanecHere, lanecWide, lanecSIMD = true, 64, false

func lanecVectorBytes() int { return lanecWide }

//go:embed avx512.txt
var avx512 string

var program = func() *simulate.Program {
	p, err := simulate.Parse(avx512)
	if err != nil {
		panic(err)
	}
	return p
}()

func lane[T any](name string, first *T, n, at uintptr, fixed bool) simulate.Lane {
	s := simulate.Segment{Name: name, Fixed: fixed}
	if first != nil {
		s.Bytes = unsafe.Slice((*byte)(unsafe.Pointer(first)), n*unsafe.Sizeof(*first))
	}
	return simulate.Lane{Segment: s, At: int(at)}
}

// block is the bytes of an argument block.
func block[T any](a *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a)) }

// word is one of them.
func word(block []byte, at int) int { return *(*int)(unsafe.Pointer(&block[at])) }
`

// lastTest is the last test of a package, because its name sorts after all others.
const lastTest = `package own

import (
	"strings"
	"testing"
)

func TestSimulatedAll(t *testing.T) {
	functions, instructions := program.Idle()
	if len(functions) > 0 {
		t.Errorf("not run: %s", strings.Join(functions, ", "))
	}
	if ALL && len(instructions) > 0 {
		t.Errorf("no kernel has %s", strings.Join(instructions, ", "))
	}
}
`

// reached matches the code that stores the address of a slice's first element in the argument block.
var reached = regexp.MustCompile(`\tif len\((.*)\) > 0 \{\n\t\ta_\.(\w+) = &.*\[0\]\n\t\}`)

// grouped matches the code that stores the address of the element of a group of rows.
var grouped = regexp.MustCompile(`\t\ta_\.(\w+_of) = &(.*)\[(.*)\]\n`)

// useSimulation makes a package run its AVX-512 assembly in package simulate. If all is true, the tests
// of the package must run all instructions.
func useSimulation(t *testing.T, p *Package, all bool) {
	t.Helper()
	var b, text strings.Builder
	b.WriteString(glue)
	for line := range bytes.Lines(p.Files["lanec_amd64.s"]) {
		if bytes.HasPrefix(line, []byte("DATA ")) {
			text.Write(line)
		}
	}
	wrappers := strings.ReplaceAll(string(p.Files["lanec_gen.go"]), "kernels.VectorBytes()", "lanecVectorBytes()")
	wrappers = reached.ReplaceAllString(wrappers, "$0\n\ta_.${2}_n = uintptr(len($1))")
	wrappers = grouped.ReplaceAllString(wrappers, "$0\t\ta_.${1}_n = uintptr(len($2[$3:]))\n")
	for _, k := range p.Kernels {
		text.WriteString(k.Paths[1].Text)
		wrappers = simulatedKernel(t, &b, k, wrappers)
	}
	p.Files["lanec_gen.go"] = []byte(wrappers)
	p.Files["simulated.go"] = []byte(b.String())
	p.Files["zsimulated_test.go"] = []byte(strings.ReplaceAll(lastTest, "ALL", fmt.Sprint(all)))
	p.Files["avx512.txt"] = []byte(text.String())
	delete(p.Files, "lanec_noasm_gen.go")
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
}

// simulatedKernel writes the functions that replace a kernel's assembly. It appends the lengths of the
// slices to the argument block, so that the simulation can check bounds.
func simulatedKernel(t *testing.T, b *strings.Builder, k *Kernel, wrappers string) string {
	t.Helper()
	s, wide, lengths, result := k.symbol(), amd64.AVX512.Symbol(k.symbol()), "", "_"
	if k.IR.Stop > 0 {
		result = "a.stop"
	}
	fmt.Fprintf(b, "\nfunc %s(*%sArgs) { panic(\"not simulated\") }\n", s, s)
	fmt.Fprintf(b, "\nfunc %s(a *%sArgs) {\n\t%s = word(program.Run(%q, block(a),\n", wide, s, result, wide)
	for _, l := range k.IR.Streams {
		n := "uintptr(a.rows)"
		switch {
		case l.Offset == 0:
			continue
		case l.Group != "":
			n = "a." + l.Name + "_n"
			lengths += "\t" + l.Name + "_n uintptr\n"
		case l.Ring:
			n = fmt.Sprint(256 / l.Elem.Size(k.IR.Width))
		case l.ByLoop && l.Matrix == "":
			n = "a." + l.Name + "_n"
			lengths += "\t" + l.Name + "_n uintptr\n"
		}
		fmt.Fprintf(b, "\t\tlane(%q, a.%s, %s, unsafe.Offsetof(a.%s), %v),\n", l.Expr, l.Name, n, l.Name, !l.Written)
	}
	fmt.Fprintf(b, "\t), %d)\n}\n", k.IR.Stop)
	if k.NoSIMD == nil {
		fmt.Fprintf(b, "\nfunc %s(...any) {}\n", k.vectorSymbol())
	}
	if onStack(k.IR) > 0 {
		fmt.Fprintf(b, "\nfunc %sStack(c *%sCall) { %sPieces(c, &%sLanes{}) }\n", s, s, s, s)
	}
	before, rest, found := strings.Cut(wrappers, "type "+s+"Args struct {\n")
	fields, rest, ends := strings.Cut(rest, "\n}\n")
	if !found || !ends {
		t.Fatalf("%s has no argument block", k.Name)
	}
	return before + "type " + s + "Args struct {\n" + fields + "\n" + lengths + "}\n" + rest
}
