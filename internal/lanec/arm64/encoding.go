package arm64

import (
	"fmt"
	"strconv"
	"strings"
)

// An encoding holds the bits of an instruction for four elements of 32 bits and for two elements of 64 bits.
type encoding struct {
	name      string
	four, two uint32
	registers int
}

// encodings lists the instructions (Arm Architecture Reference Manual for A-profile, DDI 0487, section C7.2).
var encodings = []encoding{
	{"FADD", 0x4E20D400, 0x4E60D400, 3},
	{"FSUB", 0x4EA0D400, 0x4EE0D400, 3},
	{"FMUL", 0x6E20DC00, 0x6E60DC00, 3},
	{"FDIV", 0x6E20FC00, 0x6E60FC00, 3},
	{"FCMEQ", 0x4E20E400, 0x4E60E400, 3},
	{"FCMGE", 0x6E20E400, 0x6E60E400, 3},
	{"FCMGT", 0x6EA0E400, 0x6EE0E400, 3},
	{"FMIN", 0x4EA0F400, 0x4EE0F400, 3},
	{"FMAX", 0x4E20F400, 0x4E60F400, 3},
	{"FSQRT", 0x6EA1F800, 0x6EE1F800, 2},
	{"FABS", 0x4EA0F800, 0x4EE0F800, 2},
	{"FNEG", 0x6EA0F800, 0x6EE0F800, 2},
	{"FRINTM", 0x4E219800, 0x4E619800, 2},
	{"FRINTN", 0x4E218800, 0x4E618800, 2},
	{"FRINTP", 0x4EA18800, 0x4EE18800, 2},
	{"FRINTZ", 0x4EA19800, 0x4EE19800, 2},
	{"SCVTF", 0x4E21D800, 0x4E61D800, 2},
	{"FCVTZS", 0x4EA1B800, 0x4EE1B800, 2},
	{"FCVTL", 0, 0x0E617800, 2},
	{"FCVTN", 0, 0x0E616800, 2},
	{"SXTL", 0, 0x0F20A400, 2},
	{"UXTL", 0, 0x2F20A400, 2},
	{"XTN", 0, 0x0EA12800, 2},
	{"UMULL", 0, 0x2EA0C000, 3},
	{"BIC", 0x4E601C00, 0x4E601C00, 3},
	{"NOT", 0x6E205800, 0x6E205800, 2},
	{"AND", 0x4E201C00, 0x4E201C00, 3},
	{"ORR", 0x4EA01C00, 0x4EA01C00, 3},
	{"EOR", 0x6E201C00, 0x6E201C00, 3},
	{"ADD", 0x4EA08400, 0x4EE08400, 3},
	{"SUB", 0x6EA08400, 0x6EE08400, 3},
	{"MUL", 0x4EA09C00, 0, 3},
	{"USHL", 0x6EA04400, 0x6EE04400, 3},
	{"SSHL", 0x4EA04400, 0x4EE04400, 3},
	{"NEG", 0x6EA0B800, 0x6EE0B800, 2},
	{"CMEQ", 0x6EA08C00, 0x6EE08C00, 3},
	{"CMGT", 0x4EA03400, 0x4EE03400, 3},
	{"BSL", 0x6E601C00, 0x6E601C00, 3},
	{"BIT", 0x6EA01C00, 0x6EA01C00, 3},
	{"BIF", 0x6EE01C00, 0x6EE01C00, 3},
	{"LDRQ", 0x3CE06800, 0x3CE06800, 3},
	{"LDR", 0xBC606800, 0xFC606800, 3},
	{"STRQ", 0x3CA06800, 0x3CA06800, 3},
	{"STR", 0xBC206800, 0xFC206800, 3},
}

// shiftEncodings lists the shifts by a constant. The field immh:immb of such an instruction encodes
// both the width and the constant.
var shiftEncodings = []struct {
	name string
	base uint32
	left bool
}{
	{"SHL", 0x4F005400, true},
	{"USHR", 0x6F000400, false},
	{"SSHR", 0x4F000400, false},
}

// Header returns the contents of the header file with the macros that a text uses.
func Header(text string) string {
	var b strings.Builder
	b.WriteString("// Instructions of Advanced SIMD that Go's assembler cannot spell, sources first, by the numbers of their registers.\n")
	define := func(name, params, value string) {
		if strings.Contains(text, name+"(") {
			fmt.Fprintf(&b, "\n#define %s(%s) WORD $(%s)\n", name, params, value)
		}
	}
	for _, w := range encodings {
		for i, code := range []uint32{w.four, w.two} {
			name := "L" + w.name + []string{"4S", "2D"}[i]
			if w.registers == 3 {
				define(name, "m, n, d", fmt.Sprintf("%#X | (m)<<16 | (n)<<5 | (d)", code))
			} else {
				define(name, "n, d", fmt.Sprintf("%#X | (n)<<5 | (d)", code))
			}
		}
	}
	for _, s := range shiftEncodings {
		for i, width := range []int{32, 64} {
			amount := fmt.Sprintf("(%d - (s))", 2*width)
			if s.left {
				amount = fmt.Sprintf("(%d + (s))", width)
			}
			define("L"+s.name+[]string{"4S", "2D"}[i], "s, n, d", fmt.Sprintf("%#X | %s<<16 | (n)<<5 | (d)", s.base, amount))
		}
	}
	return b.String()
}

// emitVector writes a vector instruction: a macro of the header, or the instruction itself if Go's assembler has it.
func (e *emitter) emitVector(name string, registers ...int) {
	if e.k.Frame != nil && e.emitNative(name, registers) {
		return
	}
	suffix := "4S"
	if e.elementBytes() == 8 && name != "MUL" {
		suffix = "2D"
	}
	list := make([]string, len(registers))
	for i, r := range registers {
		list[i] = strconv.Itoa(r)
	}
	if e.k.Frame != nil {
		if s := fixedArrangements[name]; s != "" {
			suffix = s
		}
		e.Ins("V%s%s(%s)", name, suffix, strings.Join(list, ", ")) // of neon_arm64.h
		return
	}
	e.Ins("L%s%s(%s)", name, suffix, strings.Join(list, ","))
}

// emitNative writes an instruction that Go's assembler has, and reports whether it has it.
func (e *emitter) emitNative(name string, r []int) bool {
	t := arrangement(e.elementBytes())
	switch name {
	case "AND", "ORR", "EOR", "BSL", "BIT", "BIF":
		e.Ins("V%s V%d.B16, V%d.B16, V%d.B16", name, r[0], r[1], r[2])
		return true
	case "ADD", "SUB", "CMEQ":
		e.Ins("V%s V%d.%s, V%d.%s, V%d.%s", name, r[0], t, r[1], t, r[2], t)
		return true
	case "SHL", "USHR":
		e.Ins("V%s $%d, V%d.%s, V%d.%s", name, r[0], r[1], t, r[2], t)
		return true
	case "NOT": // the manual prefers the alias MVN
		e.Ins("VMVN16B(%d, %d)", r[0], r[1])
		return true
	case "XTN":
		e.Ins("VUZP1 V%[1]d.S4, V%[1]d.S4, V%d.S4", r[0], r[1]) // the lower halves
		return true
	case "UXTL":
		e.Ins("VUXTL V%d.S2, V%d.D2", r[0], r[1])
		return true
	}
	return false
}

// fixedArrangements holds the suffixes of those instructions that have the same suffix for every width of
// a kernel.
var fixedArrangements = map[string]string{"BIC": "16B", "FCVTN": "2S", "MUL": "4S"}
