package lanec

import (
	"strconv"
	"strings"
	"testing"
)

// spoil replaces the function that a kernel calls at a yield by one that overwrites all
// registers, as Go may do. A kernel that keeps a value in a register across the call fails.
func spoil(t *testing.T, p *Package) {
	t.Helper()
	text := strings.Replace(string(p.Files["lanec_gen.go"]), "//go:noinline\nfunc lanecSafepoint() {}", "", 1)
	if text == string(p.Files["lanec_gen.go"]) {
		t.Fatal("nothing is called when a kernel yields")
	}
	p.Files["lanec_gen.go"] = []byte(text)
	p.Files["spoil.go"] = []byte("//go:build (amd64 || arm64) && !purego\n\npackage own\n\nfunc lanecSafepoint()\n")
	p.Files["spoil_noasm.go"] = []byte("//go:build purego || !(amd64 || arm64)\n\npackage own\n\nfunc lanecSafepoint() {}\n")
	x86 := []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13"}
	var b strings.Builder
	b.WriteString("//go:build !purego\n\n#include \"textflag.h\"\n\n// func lanecSafepoint()\nTEXT ·lanecSafepoint(SB), NOSPLIT, $0-0\n")
	for _, r := range x86 {
		b.WriteString("\tMOVQ $-77, " + r + "\n")
	}
	for i := range 16 {
		b.WriteString("\tVPCMPEQD " + strings.ReplaceAll("Y#, Y#, Y#\n", "#", strconv.Itoa(i)))
	}
	b.WriteString("\tCMPB ·spoilAll(SB), $0\n\tJEQ done\n")
	for i := range 32 {
		b.WriteString("\tVPTERNLOGD $255, " + strings.ReplaceAll("Z#, Z#, Z#\n", "#", strconv.Itoa(i)))
	}
	for i := range 8 {
		b.WriteString("\tKXNORW " + strings.ReplaceAll("K#, K#, K#\n", "#", strconv.Itoa(i)))
	}
	b.WriteString("\ndone:\n\tVZEROUPPER\n\tRET\n")
	p.Files["spoil_amd64.s"] = []byte(b.String())
	p.Files["spoil_amd64.go"] = []byte("package own\n\nimport \"github.com/lanewise/lanewise/kernels\"\n\nvar spoilAll = kernels.Paths()[len(kernels.Paths())-1] == \"avx512\"\n")
	b.Reset()
	b.WriteString("//go:build !purego\n\n#include \"textflag.h\"\n\n// func lanecSafepoint()\nTEXT ·lanecSafepoint(SB), NOSPLIT, $0-0\n")
	for i := range 27 {
		if i != 18 {
			b.WriteString("\tMOVD $-77, R" + strconv.Itoa(i) + "\n")
		}
	}
	for i := range 32 {
		b.WriteString("\tVMOVI $77, V" + strconv.Itoa(i) + ".B16\n")
	}
	b.WriteString("\tRET\n")
	p.Files["spoil_arm64.s"] = []byte(b.String())
}

// TestYieldInterval checks that the time between two yields is far less than a millisecond, and that
// a kernel does not yield if the wrapper divides the rows into pieces.
func TestYieldInterval(t *testing.T) {
	p, err := Compile(module(t, map[string]string{"own.go": `package own

import "math"

//lanec:kernel None
func none(x []float32) {
	for i := range x {
		for range 8 {
			for range 100 {
				x[i] /= 3
			}
		}
	}
}

//lanec:kernel Many
func many(x []float32) {
	for i := range x {
		for range 100 {
			for range 100 {
				x[i] /= 3
			}
		}
	}
}

//lanec:kernel Slow
func slow(x []float32) {
	for i := range x {
		v := x[i]
		for v > 0 {
			for range 1000 {
				v = float32(math.Sqrt(float64(v))) / 3
			}
		}
		x[i] = v
	}
}
`}))
	if err != nil {
		t.Fatal(err)
	}
	const cycles = 1e6 // about a third of a millisecond
	for i, slow := range []int{0, 32, 1000 * 64} {
		k := p.Kernels[i]
		switch interval := k.IR.YieldInterval(); {
		case slow == 0 && interval != 0:
			t.Errorf("%s yields", k.Name)
		case slow > 0 && (interval == 0 || interval*slow > cycles && interval > 16):
			t.Errorf("%s: %d turns of %d cycles", k.Name, interval, slow)
		case slow > 0 && !strings.Contains(k.Paths[0].Text, "MOVL $"+strconv.Itoa(interval)+", R14") && !strings.Contains(k.Paths[0].Text, "MOVL $"+strconv.Itoa(interval/2)+", R14"):
			t.Errorf("%s: the assembly does not count %d turns", k.Name, interval)
		}
	}
	if !strings.Contains(string(p.Files["lanec_gen.go"]), "piece_ = 81\n") { // 2^16 iterations, of which a row takes 800
		t.Error("None is not cut to 81 rows")
	}
}
