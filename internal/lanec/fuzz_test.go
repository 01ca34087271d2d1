package lanec

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	programs = flag.Int("lanewise.programs", 24, "how many random functions are compiled and compared")
	seed     = flag.Uint64("lanewise.seed", 1, "what they are drawn from; 0 is another one each time")
	onARM    = flag.Bool("lanewise.arm64", false, "run them on arm64, by qemu-aarch64-static")
	onWasm   = flag.Bool("lanewise.wasm", false, "run them on WebAssembly with the vectors of Go 1.27, by node")
	full     = flag.Bool("lanewise.full", false, "also what needs the standard library compiled for other targets: arm64 and GOAMD64=v3")
	patience = flag.Duration("lanewise.patience", 15*time.Minute, "how long compiling and running one package of them may take")
)

// module writes a module with the given files. It imports this module.
func module(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\n")
	files["go.mod"] = "module example.org/own\n" + requires + "\nrequire github.com/lanewise/lanewise v0.1.0\n\nreplace github.com/lanewise/lanewise => " + root + "\n"
	files["go.sum"] = string(sum)
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goCommand runs the go command in a directory and returns its output.
func goCommand(t *testing.T, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *patience) // includes the time of the assembler
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Sprintf("go %s took more than %v: %s", args[0], *patience, out), err
	}
	return string(out), err
}

// goTest runs the tests of a directory.
func goTest(t *testing.T, dir string, env ...string) (string, error) {
	t.Helper()
	args := []string{"test", "-vet=off", fmt.Sprintf("-timeout=%v", *patience-min(time.Minute, *patience/2)), "."}
	if *onARM {
		env, args = append(env, "GOARCH=arm64"), append(args[:1:1], append([]string{"-exec=qemu-aarch64-static"}, args[1:]...)...)
	}
	if *onWasm {
		const toolchain = "GOTOOLCHAIN=go1.27.0"
		root, err := goCommand(t, dir, []string{toolchain}, "env", "GOROOT")
		if err != nil {
			return root, err
		}
		script := filepath.Join(strings.TrimSpace(root), "lib", "wasm", "go_js_wasm_exec")
		env, args = append(env, toolchain, "GOEXPERIMENT=simd", "GOOS=js", "GOARCH=wasm"), append(args[:1:1], append([]string{"-exec=" + script}, args[1:]...)...)
	}
	return goCommand(t, dir, env, args...)
}

// TestRandom compiles random functions and compares each with its source on every path.
func TestRandom(t *testing.T) {
	randoms(t, false)
}

// TestRandomProducts compiles random functions, many of which have products without a conversion. It
// compares the functions that lanec accepts with their sources. With -lanewise.full it uses a build
// in which Go may fuse products and sums. This build compiles the standard library again.
func TestRandomProducts(t *testing.T) {
	var env []string
	if *full {
		env = append(env, "GOAMD64=v3")
	}
	randoms(t, true, env...)
}

// perPackage is the number of functions per package. It is smaller on an emulator, which takes ten times as long for
// each function.
func perPackage() int {
	if *onARM {
		return 50
	}
	return 200
}

func randoms(t *testing.T, loose bool, env ...string) {
	t.Helper()
	from := *seed
	if from == 0 {
		from = rand.Uint64()
	}
	testYieldInterval, testSlowVectors = 3, *onWasm
	defer func() { testYieldInterval, testSlowVectors = 0, false }()
	for at := 0; at < *programs; at += perPackage() {
		random(t, from, at, min(perPackage(), *programs-at), loose, env...)
	}
}

var refused = regexp.MustCompile(`: k(\d+): .*this product`)

func random(t *testing.T, seed uint64, from, n int, loose bool, env ...string) {
	t.Helper()
	tests := make([]string, n)
	source := make([]string, n)
	for i := range n {
		source[i], tests[i] = randomKernel(seed, from+i, i%3 == 2, loose)
	}
	dir := module(t, map[string]string{})
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const head = "package own\n\nimport (\n\t\"math\"\n\n\t\"github.com/lanewise/lanewise/kernels\"\n)\n\nvar _ = math.Sqrt\n\n"
	write("own.go", head+strings.Join(source, ""))
	p, err := Compile(dir)
	accepted := n
	if err != nil && loose {
		for _, m := range refused.FindAllStringSubmatch(err.Error(), -1) {
			var k int
			fmt.Sscan(m[1], &k)
			if tests[k-from] != "" { // a function may have several tests
				accepted--
			}
			source[k-from], tests[k-from] = "", ""
		}
		write("own.go", head+strings.Join(source, ""))
		p, err = Compile(dir)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	spoil(t, p)
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("package own\n\nimport (\n\t\"testing\"\n\n\t\"github.com/lanewise/lanewise/kernels\"\n\t\"github.com/lanewise/lanewise/kernels/kerneltest\"\n)\n" + ofArrays)
	for i, body := range tests {
		if body != "" {
			fmt.Fprintf(&b, "\nfunc TestK%d(t *testing.T) {\n\t%s\n}\n", from+i, body)
		}
	}
	write("own_test.go", b.String())
	if text, err := goTest(t, dir, env...); err != nil {
		t.Errorf("seed %d, kernels %d to %d: %s", seed, from, from+n-1, text)
		t.Logf("kept in %s", keep(t, dir))
	}
	spilled := 0
	for _, k := range p.Kernels {
		if k.Paths[0].Places.Spilled > 0 {
			spilled++
		}
	}
	t.Logf("%d functions, %d accepted, %d with values in memory", n, accepted, spilled)
	if accepted == 0 {
		t.Error("all were refused: nothing was compared")
	}
}

// keep copies a directory to a place that outlives the test.
func keep(t *testing.T, dir string) string {
	t.Helper()
	to, err := os.MkdirTemp("", "lanec")
	if err == nil {
		err = os.CopyFS(to, os.DirFS(dir))
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}
