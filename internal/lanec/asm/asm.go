// Package asm writes Go assembly in the format of asmfmt, with helpers for the
// emitters of lanec: labels, tables of constants, parallel moves.
package asm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Text is a piece of assembly. Lines between two blank lines form a block, whose columns are aligned.
type Text struct {
	out    strings.Builder
	block  [][2]string // an instruction, its comment
	labels int
}

// Ins writes an instruction: its name, its operands, and a comment after //.
func (t *Text) Ins(format string, args ...any) {
	line, comment, _ := strings.Cut(fmt.Sprintf(format, args...), " // ")
	t.block = append(t.block, [2]string{line, comment})
}

// Label writes a label.
func (t *Text) Label(name string) {
	t.flush()
	fmt.Fprintf(&t.out, "\n%s:\n", name)
}

// Line writes a line that is not an instruction.
func (t *Text) Line(format string, args ...any) {
	t.flush()
	fmt.Fprintf(&t.out, format+"\n", args...)
}

// New returns a label that the function does not use yet.
func (t *Text) New(name string) string {
	t.labels++
	return fmt.Sprintf("%s%d", name, t.labels)
}

// Begin starts a function. The numbers of labels begin again.
func (t *Text) Begin() { t.labels = 0 }

func (t *Text) String() string {
	t.flush()
	return t.out.String()
}

func (t *Text) flush() {
	name, all := 0, 0
	for _, l := range t.block {
		op, _, operands := splitParts(l[0])
		if operands {
			name = max(name, len(op))
		}
	}
	lines := make([]string, len(t.block))
	for i, l := range t.block {
		op, operands, has := splitParts(l[0])
		if lines[i] = op; has {
			lines[i] = fmt.Sprintf("%-*s %s", name, op, operands)
			all = max(all, utf8.RuneCountInString(lines[i]))
		}
	}
	for i, l := range t.block {
		t.out.WriteString("\t" + lines[i])
		if l[1] != "" {
			t.out.WriteString(strings.Repeat(" ", all-utf8.RuneCountInString(lines[i])) + " // " + l[1])
		}
		t.out.WriteByte('\n')
	}
	t.block = t.block[:0]
}

// Constants holds the constant vectors of a file, keyed by symbol. All elements
// of a vector are equal.
type Constants struct {
	Bytes int // of one
	words map[string]uint64
}

// Symbol returns the symbol of a vector whose elements have these bits.
func (c *Constants) Symbol(width int, bits uint64) string {
	name := fmt.Sprintf("lanec%d_%x<>", width*8, bits)
	if width == 4 {
		bits |= bits << 32
	}
	if c.words == nil {
		c.words = map[string]uint64{}
	}
	c.words[name] = bits
	return name + "(SB)"
}

// String returns the declarations of all constants.
func (c *Constants) String() string {
	var t Text
	for _, name := range slices.Sorted(maps.Keys(c.words)) {
		t.Line("")
		for at := 0; at < c.Bytes; at += 8 {
			t.Line("DATA %s+%d(SB)/8, $%#x", name, at, c.words[name])
		}
		t.Line("GLOBL %s(SB), RODATA|NOPTR, $%d", name, c.Bytes)
	}
	return t.String()
}

// A Move is one of several parallel moves. From and To are registers, memory operands,
// or constants.
type Move struct {
	Class    int // class of the registers
	From, To string
}

// Parallel executes the moves in an order in which no move overwrites a place that
// another move still has to read. If moves form a cycle, Parallel calls aside, which
// copies one place of the cycle to a spare place and returns the spare place.
func Parallel(moves []Move, move func(Move), aside func(Move) string) {
	todo := slices.DeleteFunc(slices.Clone(moves), func(m Move) bool { return m.From == m.To })
	for len(todo) > 0 {
		i := slices.IndexFunc(todo, func(m Move) bool {
			return !slices.ContainsFunc(todo, func(n Move) bool { return n != m && n.From == m.To })
		})
		if i >= 0 {
			move(todo[i])
			todo = slices.Delete(todo, i, i+1)
			continue
		}
		i = slices.IndexFunc(todo, func(m Move) bool { return m.From == todo[0].To })
		place := aside(todo[i])
		for j, was := range todo {
			if was.From == todo[0].To {
				todo[j].From = place
			}
		}
	}
}

// splitParts splits an instruction into its name and its operands. It does not split a macro.
func splitParts(line string) (op, operands string, has bool) {
	if op, operands, has = strings.Cut(line, " "); strings.Contains(op, "(") {
		return line, "", false
	}
	return op, operands, has
}
