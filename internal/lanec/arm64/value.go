package arm64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// instructions are those of operations on two vectors, and on one.
var (
	instructions = map[ir.Op]string{
		ir.Add: "FADD", ir.Sub: "FSUB", ir.Mul: "FMUL", ir.Div: "FDIV", ir.Min: "FMIN", ir.Max: "FMAX",
		ir.Equal: "FCMEQ", ir.And: "AND", ir.Or: "ORR", ir.Xor: "EOR", ir.AndNot: "BIC",
		ir.IntAdd: "ADD", ir.IntSub: "SUB", ir.IntMul: "MUL", ir.IntEqual: "CMEQ", ir.IntGreater: "CMGT", ir.ShlBy: "USHL",
	}
	single = map[ir.Op]string{
		ir.Sqrt: "FSQRT", ir.Abs: "FABS", ir.Neg: "FNEG", ir.Floor: "FRINTM", ir.Ceil: "FRINTP", ir.Trunc: "FRINTZ", ir.Round: "FRINTN",
		ir.Not: "NOT", ir.ToFloat: "SCVTF", ir.ToInt: "FCVTZS",
	}
	right   = map[ir.Op]string{ir.ShrBy: "USHL", ir.SarBy: "SSHL"}
	shifted = map[ir.Op]string{ir.Shl: "SHL", ir.Shr: "USHR", ir.Sar: "SSHR"}
)

func (e *emitter) value(v *ir.Value) {
	dst, inRegister := e.register(v)
	if !inRegister {
		dst = 31
	}
	elements := "S4"
	if e.width() == 8 {
		elements = "D2"
	}
	switch v.Op {
	case ir.Const:
		switch {
		case !inRegister: // read where it is needed
		case v.Bits == 0:
			e.word("EOR", dst, dst, dst)
		default:
			e.move(asm.Move{From: e.constants.Symbol(e.width(), v.Bits), To: fmt.Sprintf("F%d", dst)})
		}
		return
	case ir.Param:
		if e.k.Frame != nil {
			e.param(v, dst, elements)
			break
		}
		e.Ins("ADD $%d, R0, R3 // %s", v.Scalar.Offset, v.Scalar.Expr)
		e.Ins("VLD1R (R3), [V%d.%s]", dst, elements)
	case ir.Rows:
		e.isRow(dst)
	case ir.Load:
		e.memory("LDR", v.Stream, dst)
	case ir.Spread:
		e.spread(v)
		e.Ins("VLD1R (R3), [V%d.%s]", dst, elements)
	case ir.Store:
		x := e.reg(v.Args[0], 30)
		e.memory("STR", v.Stream, x)
		return
	default:
		e.compute(v, dst)
	}
	if !inRegister {
		e.Ins("FMOVQ F31, %s", e.place(v))
	}
}

// memory reads or writes a register: the rows of a vector, or one.
func (e *emitter) memory(name string, s *ir.Stream, register int) {
	if e.k.Frame != nil {
		e.element(name == "LDR", s, register)
		return
	}
	row := e.row(s)
	base := number(e.base(s))
	switch {
	case e.tail:
		e.word(name, row, base, register)
	case e.half: // two of them are one of 64 bits
		e.Ins("L%s2D(%d,%d,%d)", name, row, base, register)
	default:
		e.word(name+"Q", row, base, register)
	}
}

// row is the register with the byte of a stream at the row.
func (e *emitter) row(s *ir.Stream) int {
	row := 1
	if e.half {
		row = 26
		e.Ins("LSR $1, R1, R26")
	}
	if s.Ring {
		e.Ins("AND $255, R%d, R26 // the accumulator of the row", row)
		row = 26
	}
	return row
}

// isRow sets all elements, or the first one alone.
func (e *emitter) isRow(dst int) {
	switch {
	case !e.tail:
		e.word("CMEQ", dst, dst, dst)
		return
	case e.k.Width == 4:
		e.Ins("MOVD $0xffffffff, R3")
	default:
		e.Ins("MOVD $-1, R3")
	}
	e.Ins("FMOVD R3, F%d", dst)
}

// spread puts the address of an element into R3.
func (e *emitter) spread(v *ir.Value) {
	base := e.base(v.Stream)
	if v.Loop == nil {
		e.Ins("ADD $%d, %s, R3 // %s", int(v.Bits)*e.width(), base, v.Stream.Expr)
		return
	}
	e.Ins("ADD %s<<%d, %s, R3 // %s", e.registers[v.Loop], e.width()/4+1, base, v.Stream.Expr)
}

// compute writes the operations on vectors.
func (e *emitter) compute(v *ir.Value, dst int) {
	if v.Kind == ir.Mask && len(v.Args) == 2 && v.Args[0].Kind.IsHalf() && !e.half {
		e.half = true
		e.compute(v, dst)
		e.half = false
		e.word("SXTL", dst, dst)
		return
	}
	if e.convert(v, dst) {
		return
	}
	if name := right[v.Op]; name != "" { // a shift to the left by less than nothing
		a, b := e.reg(v.Args[0], 30), e.reg(v.Args[1], 31)
		e.word("NEG", b, 31)
		e.word(name, 31, a, dst)
		return
	}
	if name, ok := instructions[v.Op]; ok {
		a, b := e.reg(v.Args[0], 30), e.reg(v.Args[1], 31)
		e.word(name, b, a, dst)
		return
	}
	if name, ok := single[v.Op]; ok {
		e.word(name, e.reg(v.Args[0], 30), dst)
		return
	}
	if name, ok := shifted[v.Op]; ok {
		e.word(name, int(v.Bits), e.reg(v.Args[0], 30), dst)
		return
	}
	switch v.Op {
	case ir.Less, ir.LessEqual: // a < b is b > a
		a, b := e.reg(v.Args[0], 30), e.reg(v.Args[1], 31)
		e.word(map[ir.Op]string{ir.Less: "FCMGT", ir.LessEqual: "FCMGE"}[v.Op], a, b, dst)
	case ir.NotEqual:
		a, b := e.reg(v.Args[0], 30), e.reg(v.Args[1], 31)
		e.word("FCMEQ", b, a, dst)
		e.word("NOT", dst, dst)
	case ir.Cast:
		e.move(asm.Move{From: e.place(v.Args[0]), To: fmt.Sprintf("F%d", dst)})
	case ir.Sel:
		e.choose(v, dst)
	default:
		panic("arm64: " + v.String())
	}
}

// convert writes an operation between both widths, and says whether v is one.
func (e *emitter) convert(v *ir.Value, dst int) bool {
	half := e.half
	e.half = false
	defer func() { e.half = half }()
	switch {
	case v.Op == ir.ToFloat && !half && v.Args[0].Kind.IsHalf():
		e.word("SXTL", e.reg(v.Args[0], 30), dst)
		e.word("SCVTF", dst, dst)
	case v.Op == ir.MulWide:
		e.word("XTN", e.reg(v.Args[0], 30), 30)
		e.word("XTN", e.reg(v.Args[1], 31), 31)
		e.word("UMULL", 31, 30, dst)
	case v.Op == ir.Widen || v.Op == ir.Narrow:
		name := map[ir.Kind]string{ir.Float: "FCVTN", ir.Int: "XTN", ir.Uint: "XTN"}[v.Kind.Base()]
		if v.Op == ir.Widen {
			name = map[ir.Kind]string{ir.Float: "FCVTL", ir.Int: "SXTL", ir.Uint: "UXTL"}[v.Args[0].Kind.Base()]
		}
		e.word(name, e.reg(v.Args[0], 30), dst)
	default:
		return false
	}
	return true
}

// choose writes m ? x : y. BSL overwrites the mask, BIT y and BIF x: the one whose register the result has decides.
func (e *emitter) choose(v *ir.Value, dst int) {
	m, x, y := v.Args[0], v.Args[1], v.Args[2]
	is := func(v *ir.Value) bool { r, ok := e.register(v); return ok && r == dst }
	switch {
	case e.half:
		e.half = false
		e.word("XTN", e.reg(m, 29), 29)
		e.half = true
		e.move(asm.Move{From: e.place(y), To: "F31"})
		e.word("BIT", 29, e.reg(x, 30), 31)
		if dst != 31 {
			e.move(asm.Move{From: "F31", To: fmt.Sprintf("F%d", dst)})
		}
	case y.Op == ir.Const && y.Bits == 0:
		e.word("AND", e.reg(x, 30), e.reg(m, 31), dst)
	case x.Op == ir.Const && x.Bits == 0:
		k := e.reg(m, 31)
		e.word("BIC", k, e.reg(y, 30), dst)
	case is(y):
		k := e.reg(m, 31)
		e.word("BIT", k, e.reg(x, 30), dst)
	case is(x):
		k := e.reg(m, 31)
		e.word("BIF", k, e.reg(y, 30), dst)
	case is(m):
		e.word("BSL", e.reg(y, 30), e.reg(x, 31), dst)
	case dst != 31: // a register of its own takes y first
		e.move(asm.Move{From: e.place(y), To: fmt.Sprintf("F%d", dst)})
		k := e.reg(m, 31)
		e.word("BIT", k, e.reg(x, 30), dst)
	default:
		e.move(asm.Move{From: e.place(y), To: "F31"})
		k := e.reg(m, 30)
		e.word("BIT", k, e.reg(x, 29), 31)
	}
}
