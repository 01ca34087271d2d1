package main

import (
	"fmt"
	"strings"
)

// A text is assembly in the format of asmfmt: the operands and comments of consecutive
// instructions are aligned.
type text struct {
	b   strings.Builder
	run [][3]string // mnemonic, operands, comment
}

// op writes an instruction: a mnemonic and its operands.
func (t *text) op(mnemonic, format string, args ...any) {
	t.run = append(t.run, [3]string{mnemonic, fmt.Sprintf(format, args...), ""})
}

// explain adds a comment to the last instruction.
func (t *text) explain(comment string) { t.run[len(t.run)-1][2] = comment }

// macro writes an instruction that is a macro of neon_arm64.h.
func (t *text) macro(name string, registers ...int) {
	t.op(name+"("+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(registers)), ", "), "[]")+")", "")
}

// gap writes an empty line.
func (t *text) gap() { t.flush(); t.b.WriteString("\n") }

// label writes an empty line and a label.
func (t *text) label(name string) { t.gap(); t.line(name + ":") }

// line writes a line unchanged.
func (t *text) line(format string, args ...any) {
	t.flush()
	fmt.Fprintf(&t.b, format+"\n", args...)
}

// String returns the text.
func (t *text) String() string { t.flush(); return t.b.String() }

// flush aligns the run of instructions.
func (t *text) flush() {
	first, second := 0, 0
	for _, in := range t.run {
		if in[1] != "" {
			first = max(first, len(in[0]))
		}
	}
	lines := make([]string, len(t.run))
	for i, in := range t.run {
		lines[i] = "\t" + in[0]
		if in[1] != "" {
			lines[i] = fmt.Sprintf("\t%-*s %s", first, in[0], in[1])
		}
		second = max(second, len(lines[i]))
	}
	for i, in := range t.run {
		if in[2] != "" {
			lines[i] = fmt.Sprintf("%-*s // %s", second, lines[i], in[2])
		}
		t.b.WriteString(lines[i] + "\n")
	}
	t.run = nil
}
