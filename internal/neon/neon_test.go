package neon

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// These tests read the sources of the NEON path, so they run on every CPU. They are not in
// package kernels, because the modules that they need would then be added to the go.sum of
// users who import package kernels.

const sources = "../../kernels"

// A neonMacro is one instruction of neon_arm64.h.
type neonMacro struct {
	name   string
	params []string
	word   string // the expression of its 32 bits
	manual string // the instruction in the manual's form, with parameters as registers
}

var (
	neonDefine  = regexp.MustCompile(`^#define (\w+)\(([\w, ]+)\) WORD \$\((.+)\)$`)
	neonComment = regexp.MustCompile(`^// "[^"]+": (.+)$`)
)

// neonMacros reads neon_arm64.h.
func neonMacros(t *testing.T) []neonMacro {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sources, "neon_arm64.h"))
	if err != nil {
		t.Fatal(err)
	}
	var macros []neonMacro
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "#define") {
			continue
		}
		define := neonDefine.FindStringSubmatch(line)
		if define == nil {
			t.Fatalf("neon_arm64.h:%d: not a macro for one WORD: %s", i+1, line)
		}
		comment := neonComment.FindStringSubmatch(lines[i-1])
		if comment == nil {
			t.Fatalf("neon_arm64.h:%d: %s lacks the manual's form above it", i+1, define[1])
		}
		macros = append(macros, neonMacro{define[1], strings.Split(define[2], ", "), define[3], comment[1]})
	}
	if len(macros) == 0 {
		t.Fatal("neon_arm64.h: no macros")
	}
	return macros
}

// expand replaces the parameters of a macro by values. It returns the 32 bits of the macro, and the
// instruction in the form of the manual.
func (m *neonMacro) expand(values map[string]int) (uint32, string, error) {
	word, manual := m.word, m.manual
	for _, p := range m.params {
		v := fmt.Sprint(values[p])
		word = regexp.MustCompile(`\b`+p+`\b`).ReplaceAllString(word, v)
		manual = strings.ReplaceAll(manual, "V"+p+".", "V"+v+".")
		manual = strings.ReplaceAll(manual, "["+p+"]", "["+v+"]")
		manual = regexp.MustCompile(`\b([QDS])`+p+`\b`).ReplaceAllString(manual, "${1}"+v)
		manual = regexp.MustCompile(`\bX`+p+`\b`).ReplaceAllString(manual, "X"+v)
	}
	manual = strings.NewReplacer("[X31", "[SP", ",X31", ",XZR").Replace(manual)
	value, err := evaluate(word)
	if err != nil {
		return 0, "", err
	}
	bits, exact := constant.Uint64Val(value)
	if !exact || bits>>32 != 0 {
		return 0, "", fmt.Errorf("%v is not 32 bits", value)
	}
	return uint32(bits), manual, nil
}

// evaluate returns the value of a constant expression. The assembler reads such expressions as Go
// does.
func evaluate(expression string) (constant.Value, error) {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
	if err != nil {
		return nil, err
	}
	return tv.Value, nil
}

// TestNEONMacros decodes every macro of neon_arm64.h with several registers and compares the result
// with the macro's comment. A wrong word would be a different instruction.
func TestNEONMacros(t *testing.T) {
	registers := [][3]int{{0, 0, 0}, {31, 0, 0}, {0, 31, 0}, {0, 0, 31}, {1, 2, 3}, {21, 10, 21}, {16, 8, 4}, {31, 31, 31}}
	arrangement := regexp.MustCompile(`^(\w+) (?:Vd\.(\w+)|([QDS])t),`)
	for _, m := range neonMacros(t) {
		if a := arrangement.FindStringSubmatch(m.manual); a == nil || m.name != "V"+a[1]+a[2]+a[3] && m.name != "V"+a[1]+"E"+a[2] {
			t.Errorf("%s: its name does not say %q", m.name, m.manual)
		}
		elements := 1
		if m.params[0] == "i" {
			elements = 4
			if strings.Contains(m.manual, ".D[i]") {
				elements = 2
			}
		}
		for _, r := range registers {
			for i := range elements {
				word, want, err := m.expand(map[string]int{"m": r[0], "n": r[1], "d": r[2], "t": r[2], "i": i})
				if err != nil {
					t.Fatalf("%s: %v", m.name, err)
				}
				inst, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, word))
				if got := inst.String(); err != nil || got != want {
					t.Errorf("%s%v: %#08x decodes to %q (%v), want %q", m.name, m.params, word, got, err, want)
				}
			}
		}
	}
}

// neonRules lists text that a line of arm64 assembly must not contain, with the reason.
var neonRules = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`\b(WORD|DWORD|BYTE)\b`), "an instruction without a name"},
	{regexp.MustCompile(`\bV?F(N?M(ADD|SUB)[SDH]?|ML[AS]L?2?)\w*\b`), "a fused multiply-add rounds once, Go rounds twice"},
	{regexp.MustCompile(`\bV?F(RECP|RSQRT)\w*\b`), "an estimate differs between CPUs"},
	{regexp.MustCompile(`\b(R18|R18_PLATFORM|R27|R28|R29|g)\b`), "a register that is not ours"},
	{regexp.MustCompile(`\b(CALL|BL)\b`), "a call"},
}

// neonForbidden returns the fault of a line of arm64 assembly, or "".
func neonForbidden(line string) string {
	code, _, _ := strings.Cut(line, "//")
	for _, rule := range neonRules {
		if rule.pattern.MatchString(code) {
			return rule.why
		}
	}
	return ""
}

var neonHead = regexp.MustCompile(`^TEXT ·(\w+)NEON\(SB\), NOSPLIT, \$(\d+)-\d+$`)

// neonFrames lists the sizes in bytes of the stack frames of hand-written bodies. For all other
// bodies, the size is 0. The kernels of moments compute up to five sums in four sweeps. They keep
// the accumulators of two sweeps on the stack: 2*5*64 bytes. The linker checks that a frame with
// NOSPLIT fits into the space that Go keeps free on every stack.
var neonFrames = map[string]string{
	"deviationsF32": "640", "codeviationsF32": "640", "allDeviationsF32": "640",
	"deviationsF64": "640", "codeviationsF64": "640", "allDeviationsF64": "640",
}

// plainHead reports whether a TEXT line has NOSPLIT and the frame of its function.
func plainHead(line string) bool {
	m := neonHead.FindStringSubmatch(line)
	return m != nil && m[2] == cmp.Or(neonFrames[m[1]], "0")
}

// TestNEONHeads checks that TestNEONSources would find TEXT lines without NOSPLIT, and frames that
// neonFrames does not list.
func TestNEONHeads(t *testing.T) {
	for line, want := range map[string]bool{
		"TEXT ·sumF32NEON(SB), NOSPLIT, $0-44":          true,
		"TEXT ·sumF32NEON(SB), NOSPLIT, $640-44":        false,
		"TEXT ·sumF32NEON(SB), 0, $0-44":                false,
		"TEXT ·deviationsF32NEON(SB), NOSPLIT, $640-56": true,
		"TEXT ·deviationsF32NEON(SB), NOSPLIT, $648-56": false,
		"TEXT ·deviationsF32NEON(SB), 0, $640-56":       false,
	} {
		if got := plainHead(line); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// TestNEONSources searches the assembly of the NEON path and its headers for text that the style or
// the exactness of results forbids.
func TestNEONSources(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sources, "*_arm64.s"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files *_arm64.s (%v)", err)
	}
	headers, err := filepath.Glob(filepath.Join(sources, "*_arm64.h"))
	if err != nil || len(headers) < 2 {
		t.Fatalf("files *_arm64.h: %v (%v)", headers, err)
	}
	for _, file := range headers {
		if filepath.Base(file) != "neon_arm64.h" { // that header consists of words
			files = append(files, file)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if why := neonForbidden(line); why != "" {
				t.Errorf("%s:%d: %s: %s", file, i+1, why, strings.TrimSpace(line))
			}
			if strings.HasPrefix(line, "TEXT ") && !strings.HasSuffix(file, "_lanec_arm64.s") && !plainHead(line) {
				t.Errorf("%s:%d: not NOSPLIT with frame 0: %s", file, i+1, line)
			}
		}
	}
	for _, m := range neonMacros(t) {
		if why := neonForbidden("V" + m.manual); why != "" {
			t.Errorf("neon_arm64.h: %s: %s", m.name, why)
		}
	}
}

// TestNEONForbidden checks that TestNEONSources would find lines with forbidden text.
func TestNEONForbidden(t *testing.T) {
	for line, bad := range map[string]bool{
		"\tWORD $0x4E20D400":              true,
		"\tFMADDS F0, F1, F2, F3":         true,
		"\tFMSUBD F0, F1, F2, F3":         true,
		"\tFNMADDS F0, F1, F2, F3":        true,
		"\tFNMSUBD F0, F1, F2, F3":        true,
		"\tVFMLA V0.S4, V1.S4, V2.S4":     true,
		"\tVFMLS V0.D2, V1.D2, V2.D2":     true,
		"\tVFMLA4S(0, 1, 2)":              true,
		"\tVFRSQRTE4S(0, 1)":              true,
		"\tMOVD R0, R27":                  true,
		"\tCALL ·f(SB)":                   true,
		"\tVFMUL4S(0, 1, 2) // not FMADD": false,
		"\tFMULS F0, F1, F2":              false,
		"\tVFMULE4S(0, 1, 2, 3)":          false,
		"\tFNMULS F0, F1, F2":             false,
		"\tFSUBS F0, F1, F2":              false,
	} {
		if why := neonForbidden(line); (why != "") != bad {
			t.Errorf("%q: %q", line, why)
		}
	}
}
