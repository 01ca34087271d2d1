package arm64

import "github.com/lanewise/lanewise/internal/lanec/ir"

// beginSpan loads the range of the list that the rows of the vector share: the counter gets the begin of the
// range, and the argument block gets its end. If the range is not within the list, the kernel stops before
// this vector.
func (e *emitter) beginSpan(l *ir.Loop, out string) {
	s, j := l.Span, e.registers[l]
	e.Ins("LSR $%d, R1, %s", e.k.Width/4+1, j)
	e.Ins("MOVD %d(R0), R3 // %s", s.Shift.Offset, s.Shift.Expr)
	e.Ins("LSR R3, %s, %s // the group of the row", j, j)
	e.Ins("MOVD %d(R0), R3 // %s", s.Start.Offset, s.Start.Expr)
	e.Ins("ADD %s<<2, R3, %s", j, j)
	e.Ins("MOVWU 4(%s), R3", j) // the upper halves become zero, so that a negative number is too large
	e.Ins("MOVWU (%s), %s", j, j)
	e.Ins("MOVD %d(R0), R26 // %s", s.Length.Offset, s.Length.Expr)
	e.Ins("CMP R26, R3")
	e.Ins("BGT stop")
	e.Ins("MOVD R3, %d(R0)", s.End.Offset)
	e.Ins("CMP R3, %s", j)
	e.Ins("BGT stop")
	e.Ins("BEQ %s", out)
}

// emitWithin stops the kernel if the element of a list is not a valid index.
func (e *emitter) emitWithin(v *ir.Value) {
	e.loadListed(v.Loop)
	e.Ins("MOVD %d(R0), R26 // %s", v.Scalar.Offset, v.Scalar.Expr)
	e.Ins("CMP R26, R3")
	e.Ins("BGE stop")
}

// loadListed loads the element of a loop's list into R3.
func (e *emitter) loadListed(l *ir.Loop) {
	list := l.Span.List
	e.Ins("MOVWU (%s)(%s<<2), R3 // %s", e.baseRegister(list), e.registers[l], list.Expr)
}

// pickAddress loads the address of the element that Pick reads into R3.
func (e *emitter) pickAddress(v *ir.Value) {
	e.loadListed(v.Loop)
	e.Ins("ADD R3<<%d, %s, R3 // %s", e.elementBytes()/4+1, e.baseOr(v.Stream, "R26"), v.Stream.Expr)
}
