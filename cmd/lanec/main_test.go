package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package own

//lanec:kernel Double
func double(x []float32) {
	for i := range x {
		x[i] *= 2
	}
}

func use(x []float32) { Double(x) }
`

// program runs the program in a directory with one file.
func program(t *testing.T, text string, args ...string) (dir, out, errors string, status int) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	status = run(append(args, dir), &a, &b)
	return dir, a.String(), b.String(), status
}

func TestWrites(t *testing.T) {
	dir, out, text, status := program(t, source)
	if status != 0 || out+text != "" {
		t.Fatalf("status %d, %s%s", status, out, text)
	}
	for _, name := range []string{"lanec_amd64.s", "lanec_amd64_gen.go", "lanec_arm64.h", "lanec_arm64.s", "lanec_arm64_gen.go", "lanec_gen.go", "lanec_noasm_gen.go", "lanec_wasm_gen.go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	var b bytes.Buffer
	if status := run([]string{"-check", dir}, &b, &b); status != 0 || b.Len() > 0 {
		t.Errorf("-check of what was written: status %d, %s", status, b.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "lanec_gen.go"), []byte("package own\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status := run([]string{"-check", dir}, &b, &b); status != 1 || !strings.Contains(b.String(), "not what lanec writes: lanec_gen.go: run go generate") {
		t.Errorf("-check of another file: status %d, %s", status, b.String())
	}
}

func TestRefuses(t *testing.T) {
	dir, out, text, status := program(t, strings.Replace(source, "x[i] *= 2", "x[i] = x[i] % 2", 1))
	if status != 1 || out != "" || !strings.Contains(text, "own.go:6:") {
		t.Errorf("status %d, %s%s", status, out, text)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files: something was written", len(files))
	}
}

func TestExplains(t *testing.T) {
	dir, out, text, status := program(t, source, "-explain")
	if status != 0 || text != "" {
		t.Fatalf("status %d, %s", status, text)
	}
	for _, want := range []string{"Double, of double at ", "len(x) rows; elements of 32 bits; 0 lanes read, 1 written; 0 loops in a row", "AVX512", "NEON", "WebAssembly: vectors of 4 rows, with Go 1.27\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nwant %s", out, want)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files: something was written", len(files))
	}
}

func TestArguments(t *testing.T) {
	var b bytes.Buffer
	if status := run([]string{"-what"}, &b, &b); status != 2 {
		t.Errorf("status %d, %s", status, b.String())
	}
	if status := run(nil, &b, &b); status != 1 || !strings.Contains(b.String(), "no function has a line //lanec:kernel Name above it") {
		t.Errorf("without a directory: status %d, %s", status, b.String())
	}
}
