package amd64

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// beginSpan loads the range of the list that the rows of the vector share. It stores the begin of the range
// in the counter and the end in the argument block. If the range is not within the list, the kernel stops
// before this vector.
func (e *emitter) beginSpan(l *ir.Loop, out string) {
	s, j := l.Span, e.registers[l]
	e.Ins("MOVQ CX, AX")
	e.Ins("MOVQ CX, %s", j)
	e.Ins("MOVQ %d(DI), CX // %s", s.Shift.Offset, s.Shift.Expr)
	e.Ins("SHRQ CX, %s // the group of the row", j)
	e.Ins("MOVQ AX, CX")
	e.Ins("SHLQ $2, %s", j)
	e.Ins("ADDQ %d(DI), %s // %s", s.Start.Offset, j, s.Start.Expr)
	e.Ins("MOVL 4(%s), AX", j) // the upper halves become zero, so that a negative number is too large
	e.Ins("MOVL (%s), %s", j, j)
	e.Ins("CMPQ AX, %d(DI) // %s", s.Length.Offset, s.Length.Expr)
	e.Ins("JGT stop")
	e.Ins("MOVQ AX, %d(DI)", s.End.Offset)
	e.Ins("CMPQ %s, AX", j)
	e.Ins("JGT stop")
	e.Ins("JEQ %s", out)
}

// emitWithin stops the kernel if the element of a list is not a valid index. A negative index is not valid either: it becomes a large
// number, because MOVL extends it with zeros.
func (e *emitter) emitWithin(v *ir.Value) {
	e.loadListed(v.Loop)
	e.Ins("CMPQ AX, %d(DI) // %s", v.Scalar.Offset, v.Scalar.Expr)
	e.Ins("JGE stop")
}

// loadListed loads the element of a loop's list into AX, unless AX already holds it.
func (e *emitter) loadListed(l *ir.Loop) {
	if e.listed == l {
		return
	}
	list := l.Span.List
	e.Ins("MOVL (%s)(%s*4), AX // %s", e.baseRegister(list), e.registers[l], list.Expr)
	e.listed = l
}

// pickOperand returns the operand that Pick reads.
func (e *emitter) pickOperand(v *ir.Value) string {
	base := e.registers[v.Stream]
	if base == "" {
		e.listed = nil // its base is in AX
		e.loadListed(v.Loop)
		size := e.elementBytes()
		e.Ins("SHLQ $%d, AX", size/4+1)
		e.Ins("ADDQ %d(DI), AX", v.Stream.Offset)
		return "(AX)"
	}
	e.loadListed(v.Loop)
	return fmt.Sprintf("(%s)(AX*%d)", base, e.elementBytes())
}

// forgetListed records that AX no longer holds the element of a list, if the instruction writes AX.
func (e *emitter) forgetListed(line string) {
	if strings.HasSuffix(line, "AX") {
		e.listed = nil
	}
}

// Label writes a label. If the code gets to the label by a jump, AX may have another value.
func (e *emitter) Label(name string) {
	e.listed = nil
	e.Text.Label(name)
}
