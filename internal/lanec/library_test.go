package lanec

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// open writes a package with these functions and opens it as a library.
func open(t *testing.T, source string) *Library {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\ntype Float interface{ float32 | float64 }\n\n"+source), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// trimSpaces returns a text without the spaces that align it.
func trimSpaces(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }

// TestLibraryText looks for the essential instructions in the assembly of small bodies. The tests of
// package kernels and of opinion check the computed bits.
func TestLibraryText(t *testing.T) {
	l := open(t, `
type Views[T Float] struct{ X, Y []T }

func pick[T Float](a, b T) T {
	if a < b {
		return a
	}
	return b
}

func leastGeneric[T Float](dst, x []T, s T) {
	for i := range dst {
		dst[i] = pick[T](x[i], s)
	}
}

func halfGeneric[T Float](v, x *Views[T], by *[2]T) {
	for i := range v.X {
		v.X[i] = T(0.5) * x.X[i]
		v.Y[i] = -x.Y[i] - by[1]
	}
}
`)
	a := l.Assembly()
	if !a.Empty() {
		t.Error("an assembly without kernels is not empty")
	}
	for _, c := range []struct {
		body, symbol, elem string
		wide               bool
	}{{"leastGeneric", "leastF32", "float32", true}, {"halfGeneric", "halfF64", "float64", false}} {
		if err := a.Compile(c.body, c.symbol, c.elem, c.wide); err != nil {
			t.Fatal(err)
		}
	}
	x86, arm := trimSpaces(a.AMD64()), trimSpaces(a.ARM64("neon.h"))
	for _, want := range []string{
		"// func leastF32AVX2(dst, x []float32, s float32)\n", "TEXT ·leastF32AVX512(SB), NOSPLIT, $0-52\n",
		"s+48(FP), Y0", "VMINPS Y0, Y1, Y1", "loop32:", "TEXT ·halfF64AVX2(SB), NOSPLIT, $0-24\n", "by+16(FP), AX", "v+0(FP), DX", "lanec64_3fe0000000000000<>",
	} {
		if !strings.Contains(x86, want) {
			t.Errorf("no %q in\n%s", want, x86)
		}
	}
	if strings.Contains(x86, "halfF64AVX512") {
		t.Error("AVX-512 for a kernel that has none")
	}
	for _, want := range []string{`#include "neon.h"`, "TEXT ·leastF32NEON(SB), NOSPLIT, $0-52\n", "FSTPQ.P", "VBSL", "x+8(FP)", "VFNEG2D("} {
		if !strings.Contains(arm, want) {
			t.Errorf("no %q in\n%s", want, arm)
		}
	}
}

// TestLibrarySpills compiles a body with more values than AVX2 has registers. In this case the
// mask of the last rows must be in the frame, and no vector in the frame may cross a page
// boundary.
func TestLibrarySpills(t *testing.T) {
	var lanes, sums strings.Builder
	for _, name := range strings.Split("ABCDEFGHIJKLMNOPQR", "") {
		lanes.WriteString("\t\t" + name + " := x[i] * T(s" + ")\n\t\ts += T(" + name + "*s)\n")
		sums.WriteString(" + T(" + name + "*s)")
	}
	l := open(t, "func manyGeneric[T Float](dst, x []T, by T) {\n\tfor i := range dst {\n\t\ts := by\n"+lanes.String()+"\t\tdst[i] = s"+sums.String()+"\n\t}\n}\n")
	a := l.Assembly()
	if err := a.Compile("manyGeneric", "manyF32", "float32", true); err != nil {
		t.Fatal(err)
	}
	text := trimSpaces(a.AMD64())
	if !strings.Contains(text, "ANDQ $-32, BX // no slot crosses a page\n") || strings.Contains(text, "0(SP), Y") || strings.Contains(text, ", 0(SP)") {
		t.Errorf("the frame is not aligned:\n%s", text)
	}
	if !strings.Contains(text, "VMOVUPS Y15, 0(BX)") || !strings.Contains(text, "VMASKMOVPS (SI)(CX*4), Y14") {
		t.Errorf("the mask is not in the frame:\n%s", text)
	}
}

// TestLibraryRefuses passes functions that cannot be compiled.
func TestLibraryRefuses(t *testing.T) {
	l := open(t, `
func fusedGeneric[T Float](dst, x []T) {
	for i := range dst {
		dst[i] = x[i]*x[i] + x[i]
	}
}

func countGeneric[T Float](dst []T, n int) {
	for i := range n {
		dst[i] = 0
	}
}
`)
	for body, want := range map[string]string{
		"noneGeneric":  "no function noneGeneric",
		"fusedGeneric": "this product meets the sum at",
		"countGeneric": "the number of rows is no length of a slice",
	} {
		if err := l.Assembly().Compile(body, "x", "float32", true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	if _, err := OpenLibrary(t.TempDir()); err == nil {
		t.Error("a library was opened in an empty directory")
	}
}
