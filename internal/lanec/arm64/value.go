package arm64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// binaryInstructions and unaryInstructions map the operations on two vectors and on one vector to instructions. A right shift by a vector of counts
// is a left shift by the negative counts.
var (
	binaryInstructions = map[ir.Op]string{
		ir.Add: "FADD", ir.Sub: "FSUB", ir.Mul: "FMUL", ir.Div: "FDIV", ir.Min: "FMIN", ir.Max: "FMAX",
		ir.Equal: "FCMEQ", ir.And: "AND", ir.Or: "ORR", ir.Xor: "EOR", ir.AndNot: "BIC",
		ir.IntAdd: "ADD", ir.IntSub: "SUB", ir.IntMul: "MUL", ir.IntEqual: "CMEQ", ir.IntGreater: "CMGT", ir.ShlBy: "USHL",
	}
	unaryInstructions = map[ir.Op]string{
		ir.Sqrt: "FSQRT", ir.Abs: "FABS", ir.Neg: "FNEG", ir.Floor: "FRINTM", ir.Ceil: "FRINTP", ir.Trunc: "FRINTZ", ir.Round: "FRINTN",
		ir.Not: "NOT", ir.ToFloat: "SCVTF", ir.ToInt: "FCVTZS",
	}
	rightShifts    = map[ir.Op]string{ir.ShrBy: "USHL", ir.SarBy: "SSHL"}
	constantShifts = map[ir.Op]string{ir.Shl: "SHL", ir.Shr: "USHR", ir.Sar: "SSHR"}
)

func (e *emitter) emitValue(v *ir.Value) {
	dst, inRegister := e.registerOf(v)
	if !inRegister {
		dst = 31
	}
	elements := "S4"
	if e.elementBytes() == 8 {
		elements = "D2"
	}
	switch v.Op {
	case ir.Const:
		switch {
		case !inRegister: // its user loads it
		case v.Bits == 0:
			e.emitVector("EOR", dst, dst, dst)
		default:
			e.moveValue(asm.Move{From: e.constants.Symbol(e.elementBytes(), v.Bits), To: fmt.Sprintf("F%d", dst)})
		}
		return
	case ir.Param:
		if e.k.Frame != nil {
			e.spreadParam(v, dst, elements)
			break
		}
		e.Ins("ADD $%d, R0, R3 // %s", v.Scalar.Offset, v.Scalar.Expr)
		e.Ins("VLD1R (R3), [V%d.%s]", dst, elements)
	case ir.Rows:
		e.emitRowMask(dst)
	case ir.Load:
		e.emitMemory("LDR", v.Stream, dst)
	case ir.Spread:
		e.elementAddress(v)
		e.Ins("VLD1R (R3), [V%d.%s]", dst, elements)
	case ir.Pick:
		e.pickAddress(v)
		e.Ins("VLD1R (R3), [V%d.%s]", dst, elements)
	case ir.Store:
		x := e.inRegister(v.Args[0], 30)
		e.emitMemory("STR", v.Stream, x)
		return
	default:
		e.emitCompute(v, dst)
	}
	if !inRegister {
		e.Ins("FMOVQ F31, %s", e.operand(v))
	}
}

// emitCompute writes an operation on vectors.
func (e *emitter) emitCompute(v *ir.Value, dst int) {
	if v.Kind == ir.Mask && len(v.Args) == 2 && v.Args[0].Kind.IsHalf() && !e.half {
		e.half = true
		e.emitCompute(v, dst)
		e.half = false
		e.emitVector("SXTL", dst, dst)
		return
	}
	if e.emitConvert(v, dst) {
		return
	}
	if name := rightShifts[v.Op]; name != "" { // a left shift by a negative number
		a, b := e.inRegister(v.Args[0], 30), e.inRegister(v.Args[1], 31)
		e.emitVector("NEG", b, 31)
		e.emitVector(name, 31, a, dst)
		return
	}
	if name, ok := binaryInstructions[v.Op]; ok {
		a, b := e.inRegister(v.Args[0], 30), e.inRegister(v.Args[1], 31)
		e.emitVector(name, b, a, dst)
		return
	}
	if name, ok := unaryInstructions[v.Op]; ok {
		e.emitVector(name, e.inRegister(v.Args[0], 30), dst)
		return
	}
	if name, ok := constantShifts[v.Op]; ok {
		e.emitVector(name, int(v.Bits), e.inRegister(v.Args[0], 30), dst)
		return
	}
	switch v.Op {
	case ir.Less, ir.LessEqual: // a < b is b > a
		a, b := e.inRegister(v.Args[0], 30), e.inRegister(v.Args[1], 31)
		e.emitVector(map[ir.Op]string{ir.Less: "FCMGT", ir.LessEqual: "FCMGE"}[v.Op], a, b, dst)
	case ir.NotEqual:
		a, b := e.inRegister(v.Args[0], 30), e.inRegister(v.Args[1], 31)
		e.emitVector("FCMEQ", b, a, dst)
		e.emitVector("NOT", dst, dst)
	case ir.Cast:
		e.moveValue(asm.Move{From: e.operand(v.Args[0]), To: fmt.Sprintf("F%d", dst)})
	case ir.Sel:
		e.emitSelect(v, dst)
	default:
		panic("arm64: " + v.String())
	}
}

// emitConvert writes a conversion between the two widths, and reports whether v is one.
func (e *emitter) emitConvert(v *ir.Value, dst int) bool {
	half := e.half
	e.half = false
	defer func() { e.half = half }()
	switch {
	case v.Op == ir.ToFloat && !half && v.Args[0].Kind.IsHalf():
		e.emitVector("SXTL", e.inRegister(v.Args[0], 30), dst)
		e.emitVector("SCVTF", dst, dst)
	case v.Op == ir.MulWide:
		e.emitVector("XTN", e.inRegister(v.Args[0], 30), 30)
		e.emitVector("XTN", e.inRegister(v.Args[1], 31), 31)
		e.emitVector("UMULL", 31, 30, dst)
	case v.Op == ir.Widen || v.Op == ir.Narrow:
		name := map[ir.Kind]string{ir.Float: "FCVTN", ir.Int: "XTN", ir.Uint: "XTN"}[v.Kind.Base()]
		if v.Op == ir.Widen {
			name = map[ir.Kind]string{ir.Float: "FCVTL", ir.Int: "SXTL", ir.Uint: "UXTL"}[v.Args[0].Kind.Base()]
		}
		e.emitVector(name, e.inRegister(v.Args[0], 30), dst)
	default:
		return false
	}
	return true
}

// emitSelect writes m ? x : y. It chooses one of three instructions, because each overwrites another operand, which must have the register dst: BSL
// overwrites the mask, BIT overwrites y, and BIF overwrites x.
func (e *emitter) emitSelect(v *ir.Value, dst int) {
	m, x, y := v.Args[0], v.Args[1], v.Args[2]
	is := func(v *ir.Value) bool { r, ok := e.registerOf(v); return ok && r == dst }
	switch {
	case e.half:
		e.half = false
		e.emitVector("XTN", e.inRegister(m, 29), 29)
		e.half = true
		e.moveValue(asm.Move{From: e.operand(y), To: "F31"})
		e.emitVector("BIT", 29, e.inRegister(x, 30), 31)
		if dst != 31 {
			e.moveValue(asm.Move{From: "F31", To: fmt.Sprintf("F%d", dst)})
		}
	case y.Op == ir.Const && y.Bits == 0:
		e.emitVector("AND", e.inRegister(x, 30), e.inRegister(m, 31), dst)
	case x.Op == ir.Const && x.Bits == 0:
		k := e.inRegister(m, 31)
		e.emitVector("BIC", k, e.inRegister(y, 30), dst)
	case is(y):
		k := e.inRegister(m, 31)
		e.emitVector("BIT", k, e.inRegister(x, 30), dst)
	case is(x):
		k := e.inRegister(m, 31)
		e.emitVector("BIF", k, e.inRegister(y, 30), dst)
	case is(m):
		e.emitVector("BSL", e.inRegister(y, 30), e.inRegister(x, 31), dst)
	case dst != 31: // dst is no operand: it takes y first
		e.moveValue(asm.Move{From: e.operand(y), To: fmt.Sprintf("F%d", dst)})
		k := e.inRegister(m, 31)
		e.emitVector("BIT", k, e.inRegister(x, 30), dst)
	default:
		e.moveValue(asm.Move{From: e.operand(y), To: "F31"})
		k := e.inRegister(m, 30)
		e.emitVector("BIT", k, e.inRegister(x, 29), 31)
	}
}
