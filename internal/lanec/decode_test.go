package lanec

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDecoded assembles the output for AVX-512 and decodes the bytes with llvm-mc. Each decoded
// instruction must be the instruction in the text, with the same mask and the same effect on masked
// elements. Functions that may grow the stack are left out, because Go inserts instructions at their
// start.
func TestDecoded(t *testing.T) {
	if _, err := exec.LookPath("llvm-mc-19"); err != nil {
		t.Skip("there is no llvm-mc-19 here: llvm-19 has it")
	}
	p, err := Compile(module(t, languageFiles(t)))
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	var want, at []string
	source.WriteString("#include \"textflag.h\"\n")
	for line := range strings.Lines(string(p.Files["lanec_amd64.s"])) {
		if strings.HasPrefix(line, "DATA ") || strings.HasPrefix(line, "GLOBL ") {
			source.WriteString(line)
		}
	}
	for _, k := range p.Kernels {
		if text := k.Paths[1].Text; strings.Contains(text, "(SB), NOSPLIT, ") {
			source.WriteString(text)
			for line := range strings.Lines(text) {
				if s := expected(line); s != "" {
					want, at = append(want, s), append(at, k.Name+": "+strings.TrimSpace(line))
				}
			}
		}
	}
	got := decode(t, source.String())
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s\nis read as %s, want %s", at[i], got[i], want[i])
		}
	}
	if len(got) != len(want) || len(got) < 10_000 {
		t.Errorf("%d instructions were read, want %d, and not less than 10000", len(got), len(want))
	}
}

// named lists the instructions whose names in Go's assembler differ from those in llvm.
var named = map[string]string{"ret": "retq", "jeq": "je", "jlt": "jl", "jgt": "jg"}

// predicates names the predicates of comparisons.
var predicates = map[string]string{"0": "eq", "3": "unord", "4": "neq", "17": "lt_oq", "18": "le_oq", "29": "ge_oq", "30": "gt_oq"}

var (
	comparison = regexp.MustCompile(`^vcmp(p[sd]) \$(\d+), `)
	inMask     = regexp.MustCompile(`, (k[1-7]), `)
	readMask   = regexp.MustCompile(`\{%(k[1-7])\}`)
)

// expected returns the text that llvm-mc should print for a line of assembly: the name, the mask,
// {z} and {1to}. For a line without an instruction it returns "".
func expected(line string) string {
	if !strings.HasPrefix(line, "\t") {
		return ""
	}
	line, _, _ = strings.Cut(line, "//")
	line = strings.ToLower(strings.Join(strings.Fields(line), " "))
	name, _, _ := strings.Cut(line, " ")
	name, suffix, _ := strings.Cut(name, ".")
	if to := named[name]; to != "" {
		name = to
	}
	if m := comparison.FindStringSubmatch(line); m != nil {
		name = "vcmp" + predicates[m[2]] + m[1]
	}
	if name == "pcalign" {
		return ""
	}
	if m := inMask.FindStringSubmatch(line); m != nil && name[0] == 'v' {
		name += " " + m[1]
	}
	return name + map[string]string{"z": " {z}", "bcst": " {1to}"}[suffix]
}

// decode assembles a text and returns the instructions that llvm-mc decodes, without those that Go's
// assembler adds.
func decode(t *testing.T, text string) (list []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.s"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := goCommand(t, dir, nil, "env", "GOROOT")
	if err != nil {
		t.Fatal(root)
	}
	if said, err := goCommand(t, dir, []string{"GOARCH=amd64"}, "tool", "asm", "-p", "own", "-I", filepath.Join(strings.TrimSpace(root), "pkg", "include"), "a.s"); err != nil {
		t.Fatal(said)
	}
	dump, err := goCommand(t, dir, nil, "tool", "objdump", "a.o")
	if err != nil {
		t.Fatal(dump)
	}
	var code strings.Builder
	for line := range strings.Lines(dump) {
		if f := strings.Fields(line); strings.HasPrefix(line, "  ") && len(f) > 2 {
			for i := 0; i+1 < len(f[2]); i += 2 {
				fmt.Fprintf(&code, "0x%s ", f[2][i:i+2])
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "llvm-mc-19", "--disassemble", "--triple=x86_64", "--mattr=+avx512f,+avx512dq,+avx512vl")
	cmd.Stdin = strings.NewReader(code.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.Join(strings.Fields(line), " ")
		name, operands, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "."), strings.HasPrefix(name, "nop"), operands == "%rbp", operands == "%rsp, %rbp", strings.HasPrefix(operands, "$") && strings.HasSuffix(operands, ", %rsp"):
			continue
		}
		if m := readMask.FindStringSubmatch(operands); m != nil {
			name += " " + m[1]
		}
		if strings.Contains(operands, "{z}") {
			name += " {z}"
		}
		if strings.Contains(operands, "{1to") {
			name += " {1to}"
		}
		list = append(list, name)
	}
	return list
}
