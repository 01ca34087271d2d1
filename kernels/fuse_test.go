package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/listing"
)

// fused matches, in the listing of the compiler and in our assembly, the names of instructions that
// multiply and add with one rounding.
var fused = regexp.MustCompile(`\b[VWX]?FN?M(ADD|SUB)[A-Z0-9]*\b|\bVFN?ML[AS]\b|\b[VW]FN?M[AS][DS]B\b`)

// TestNotFused reads the compiler's output for CPUs on which it may fuse a product with a sum. One
// fused instruction would change the result on that CPU only.
func TestNotFused(t *testing.T) {
	if !*full {
		t.Skip("compiles the package for other CPUs, with the same result everywhere: make fused")
	}
	for _, target := range [][]string{
		{"GOARCH=arm64"}, {"GOARCH=riscv64"}, {"GOARCH=s390x"}, {"GOARCH=amd64", "GOAMD64=v3"},
	} {
		t.Run(strings.Join(target, ","), func(t *testing.T) {
			bait := fusedLines(t, target, "./testdata/fused")
			for _, function := range []string{"float32", "float64"} {
				if !strings.Contains(strings.Join(bait, "\n"), function) {
					t.Errorf("the fused loop over %s in testdata was not found: the search is broken", function)
				}
			}
			for _, line := range append(fusedLines(t, target, "."), fusedLines(t, target, "-tags=purego", ".")...) {
				t.Error(line)
			}
		})
	}
}

// fusedLines compiles a package and returns the fused instructions of the listing, each with its
// function.
func fusedLines(t *testing.T, target []string, pkg ...string) (found []string) {
	text, err := listing.Of(target, pkg...)
	if err != nil {
		t.Fatal(err)
	}
	function, products := "", 0
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, " STEXT"); ok {
			function = name
			continue
		}
		if strings.Contains(line, "MUL") {
			products++
		}
		if fused.MatchString(line) {
			found = append(found, fmt.Sprintf("%s: %s", function, strings.TrimSpace(line)))
		}
	}
	if products == 0 && len(found) == 0 {
		t.Fatalf("%v %v: no product in the listing: the search is broken", target, pkg)
	}
	return found
}

// TestNotFusedAssembly looks for fused instructions in the assembly sources.
func TestNotFusedAssembly(t *testing.T) {
	for _, pattern := range []string{"*.s", "*.h"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s files here: %v", pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				code, _, _ := strings.Cut(line, "//")
				if fused.MatchString(code) {
					t.Errorf("%s:%d: %s", name, i+1, strings.TrimSpace(line))
				}
			}
		}
	}
	for _, bait := range []string{"VFMADD231PS Y1, Y2, Y3", "VFNMSUB213SD X1, X2, X3", "FMADDS F1, F2, F3, F4", "VFMLA V0.S4, V1.S4, V2.S4", "WFMADB V0, V1, V2, V3"} {
		if !fused.MatchString(bait) {
			t.Errorf("%s is not recognised", bait)
		}
	}
}
