package amd64

import (
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// AVX2 has sixteen registers of 32 bytes. Constants are memory operands.
var AVX2 = &Path{
	Name: "AVX2", needs: "AVX2", vector: 32, letter: "Y", lower: "X",
	target: alloc.Target{
		Registers: []int{14},
		Class:     func(*ir.Value) int { return 0 },
		InMemory:  func(*ir.Value) bool { return true },
		Early:     map[ir.Op]bool{ir.Gather: true},
	},
}

type avx2 struct{ *emitter }

// binaryInstructions maps an operation on two vectors to its instruction, without the suffix of the width.
var binaryInstructions = map[ir.Op]string{
	ir.Add: "VADDP", ir.Sub: "VSUBP", ir.Mul: "VMULP", ir.Div: "VDIVP",
	ir.IntAdd: "VPADD", ir.IntSub: "VPSUB", ir.IntMul: "VPMULL", ir.IntEqual: "VPCMPEQ", ir.IntGreater: "VPCMPGT",
	ir.ShlBy: "VPSLLV", ir.ShrBy: "VPSRLV", ir.SarBy: "VPSRAV",
}

// minMaxInstructions lists the instructions for minimum and maximum, which return the second operand if one operand
// is NaN or both are zeros.
var minMaxInstructions = map[ir.Op]string{ir.Smaller: "VMINP", ir.Larger: "VMAXP"}

// comparePredicates maps comparisons to the immediates of VCMPPS. If an operand is NaN, only NotEqual is true.
var comparePredicates = map[ir.Op]int{ir.Less: 17, ir.LessEqual: 18, ir.Equal: 0, ir.NotEqual: 4}

// swappedPredicates maps comparisons to the predicates for swapped operands.
var swappedPredicates = map[ir.Op]int{ir.Less: 30, ir.LessEqual: 29, ir.Equal: 0, ir.NotEqual: 4}

// roundingModes maps operations to the immediates of VROUNDPS and VRNDSCALEPS that suppress the inexact exception.
var roundingModes = map[ir.Op]int{ir.Round: 8, ir.Floor: 9, ir.Ceil: 10, ir.Trunc: 11}

var shiftInstructions = map[ir.Op]string{ir.Shl: "VPSLL", ir.Shr: "VPSRL", ir.Sar: "VPSRA"}

func (e *avx2) emitValue(v *ir.Value) {
	if v.Op == ir.Const {
		e.emitConstant(v)
		return
	}
	s, dst := e.floatSuffix(), "Y15"
	if r, ok := e.places.Register(v); ok && v.Op != ir.Store {
		dst = "Y" + decimal(r)
	}
	switch v.Op {
	case ir.Param:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.scalarOperand(v.Scalar), dst, v.Scalar.Expr)
	case ir.Rows:
		if e.tail && e.maskRegister != "" {
			e.Ins("VMOVAPS %s, %s", e.maskRegister, dst)
		} else if e.tail {
			e.Ins("VMOVUPS %s, %s", e.slot(0), dst)
		} else {
			e.Ins("VPCMPEQD %s, %s, %s", dst, dst, dst)
		}
	case ir.Load:
		from := e.rowOperand(v.Stream)
		if e.tail {
			e.Ins("VMASKMOVP%s %s, %s, %s // %s", s, from, e.loadRowMask(), dst, v.Stream.Expr)
		} else {
			e.Ins("VMOVUP%s %s, %s // %s", s, from, dst, v.Stream.Expr)
		}
	case ir.Spread:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.elementOperand(v), dst, v.Stream.Expr)
	case ir.Pick:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.pickOperand(v), dst, v.Stream.Expr)
	case ir.Gather:
		e.emitGather(v, dst)
	case ir.Store:
		x, to := e.inRegister(v.Args[0], "Y15"), e.rowOperand(v.Stream)
		if e.tail {
			e.Ins("VMASKMOVP%s %s, %s, %s // %s", s, x, e.loadRowMask(), to, v.Stream.Expr)
		} else {
			e.Ins("VMOVUP%s %s, %s // %s", s, x, to, v.Stream.Expr)
		}
		return
	default:
		e.emitCompute(v, dst)
	}
	if n, ok := e.places.Slot(v); ok {
		e.Ins("VMOVUPS Y15, %s", e.slot(32*n))
	}
}

// loadRowMask returns a register that holds the mask of the last rows. If the mask is in the frame,
// loadRowMask loads it.
func (e *avx2) loadRowMask() string {
	if e.maskRegister != "" {
		return e.maskRegister
	}
	e.Ins("VMOVUPS %s, Y14", e.slot(e.rowMaskAt()))
	return "Y14"
}

// emitConstant loads a constant into its register. A constant without a register is a memory
// operand.
func (e *avx2) emitConstant(v *ir.Value) {
	r, ok := e.places.Register(v)
	switch {
	case !ok:
	case v.Bits == 0:
		e.Ins("VXORPS Y%d, Y%d, Y%d", r, r, r)
	default:
		e.Ins("VBROADCASTS%s %s, Y%d", e.floatSuffix(), e.constants.Symbol(e.elementBytes(), v.Bits), r)
	}
}

// rowMaskAt returns the offset of the mask of the last rows in the frame.
func (e *avx2) rowMaskAt() int {
	if e.half {
		return e.halfMaskAt
	}
	return 0
}

// emitCompute writes an operation on vectors.
func (e *avx2) emitCompute(v *ir.Value, dst string) {
	if comparesHalves(v) && !e.half {
		e.emitCompareHalves(v, dst)
		return
	}
	s := e.floatSuffix()
	switch v.Op {
	case ir.Widen, ir.Narrow:
		e.emitConvert(v, dst)
	case ir.MulWide:
		a, b := e.binaryOperands(v, "Y15")
		e.Ins("VPMULUDQ %s, %s, %s", b, a, dst)
	case ir.ToInt:
		e.Ins("VCVTTPS2DQ %s, %s", e.operand(v.Args[0]), dst)
	case ir.Smaller, ir.Larger:
		e.Ins("%s%s %s, %s, %s", minMaxInstructions[v.Op], s, e.operand(v.Args[1]), e.inRegister(v.Args[0], "Y15"), dst)
	case ir.Add, ir.Sub, ir.Mul, ir.Div:
		a, b := e.binaryOperands(v, "Y15")
		e.Ins("%s%s %s, %s, %s", binaryInstructions[v.Op], s, b, a, dst)
	case ir.IntAdd, ir.IntSub, ir.IntMul, ir.IntEqual, ir.IntGreater, ir.ShlBy, ir.ShrBy, ir.SarBy:
		e.emitInteger(v, dst)
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual:
		predicate, a, b := e.comparisonOperands(v, "Y15")
		e.Ins("VCMPP%s $%d, %s, %s, %s", s, predicate, b, a, dst)
	case ir.Sqrt:
		e.Ins("VSQRTP%s %s, %s", s, e.operand(v.Args[0]), dst)
	case ir.Floor, ir.Ceil, ir.Trunc, ir.Round:
		e.Ins("VROUNDP%s $%d, %s, %s", s, roundingModes[v.Op], e.operand(v.Args[0]), dst)
	case ir.Abs:
		e.Ins("VANDPS %s, %s, %s", e.constants.Symbol(e.elementBytes(), e.signBit()-1), e.inRegister(v.Args[0], "Y15"), dst)
	case ir.Neg:
		e.Ins("VXORPS %s, %s, %s", e.constants.Symbol(e.elementBytes(), e.signBit()), e.inRegister(v.Args[0], "Y15"), dst)
	case ir.Min:
		e.emitMin(v, dst)
	case ir.Max:
		e.emitMax(v, dst)
	case ir.And, ir.Or, ir.Xor:
		e.emitBitwise(v, dst)
	case ir.AndNot:
		e.Ins("VANDNPS %s, %s, %s", e.operand(v.Args[0]), e.inRegister(v.Args[1], "Y15"), dst)
	case ir.Not:
		e.Ins("VPCMPEQD Y15, Y15, Y15")
		e.Ins("VXORPS %s, Y15, %s", e.operand(v.Args[0]), dst)
	case ir.Sel:
		e.emitSelect(v, dst)
	case ir.Cast:
		e.moveValue(asm.Move{From: e.operand(v.Args[0]), To: dst})
	case ir.Shl, ir.Shr, ir.Sar:
		e.Ins("%s%s $%d, %s, %s", shiftInstructions[v.Op], e.intSuffix(), v.Bits, e.inRegister(v.Args[0], "Y15"), dst)
	case ir.ToFloat:
		if v.Args[0].Kind.IsHalf() && !v.Kind.IsHalf() {
			e.emitConvert(v, dst)
			return
		}
		e.Ins("VCVTDQ2PS %s, %s", e.operand(v.Args[0]), dst)
	default:
		panic("amd64: " + v.String())
	}
}

// emitBitwise writes a bitwise operation on two operands. In a whole vector, the AND of a value and the row mask is only a move, because all elements
// of the row mask are set.
func (e *avx2) emitBitwise(v *ir.Value, dst string) {
	if m := withoutRowMask(v); m != v && !e.tail && e.k.Frame == nil {
		e.moveValue(asm.Move{From: e.operand(m), To: dst})
		return
	}
	a, b := e.binaryOperands(v, "Y15")
	e.Ins("%s %s, %s, %s", map[ir.Op]string{ir.And: "VANDPS", ir.Or: "VORPS", ir.Xor: "VXORPS"}[v.Op], b, a, dst)
}

// emitInteger writes an operation on two integers.
func (e *avx2) emitInteger(v *ir.Value, dst string) {
	if x := v.Args[0]; v.Op == ir.IntGreater && x.Op == ir.Const && x.Bits == 0 && e.elementBytes() == 4 {
		e.Ins("VPSRAD $31, %s, %s", e.inRegister(v.Args[1], "Y15"), dst) // the sign in every bit
		return
	}
	a, b := e.binaryOperands(v, "Y15")
	e.Ins("%s%s %s, %s, %s", binaryInstructions[v.Op], e.intSuffix(), b, a, dst)
}

// emitMin computes the minimum with the operands in both orders and ORs the two results. The x86
// instruction returns the second operand if an operand is NaN or both are zeros. So if there is a NaN or
// a −0, it is one of the two results.
func (e *avx2) emitMin(v *ir.Value, dst string) {
	if x, y, ordered, _ := orderedArgs(v, e.k.Width); ordered { // VMINPS returns x, the operand that may be NaN or −0
		e.Ins("VMINP%s %s, %s, %s", e.floatSuffix(), e.operand(x), e.inRegister(y, "Y15"), dst)
		return
	}
	s, a, b := e.floatSuffix(), e.operand(v.Args[0]), e.operand(v.Args[1])
	x := e.inRegister(v.Args[0], "Y14")
	e.Ins("VMINP%s %s, %s, Y15", s, b, x)
	y := e.inRegister(v.Args[1], "Y14")
	e.Ins("VMINP%s %s, %s, Y14", s, a, y)
	e.Ins("VORPS Y14, Y15, %s", dst)
}

// emitMax computes the maximum with the operands in both orders and ANDs the
// two results. The results differ only if one operand is NaN or both are
// zeros. The AND clears the sign of a zero if only one of the zeros is negative; the OR
// with the unordered comparison restores NaN.
func (e *avx2) emitMax(v *ir.Value, dst string) {
	if x, y, ordered, nonzero := orderedArgs(v, e.k.Width); nonzero {
		e.Ins("VMAXP%s %s, %s, %s", e.floatSuffix(), e.operand(x), e.inRegister(y, "Y15"), dst)
		return
	} else if ordered { // of two zeros VMAXPS returns y, which is +0
		x := e.inRegister(x, "Y14")
		e.Ins("VMAXP%s %s, %s, Y15", e.floatSuffix(), e.operand(y), x)
		e.Ins("VCMPP%s $3, %s, %s, Y14", e.floatSuffix(), x, x)
		e.Ins("VORPS Y14, Y15, %s", dst)
		return
	}
	s, a, b := e.floatSuffix(), e.operand(v.Args[0]), e.operand(v.Args[1])
	x := e.inRegister(v.Args[0], "Y14")
	e.Ins("VMAXP%s %s, %s, Y15", s, b, x)
	y := e.inRegister(v.Args[1], "Y14")
	e.Ins("VMAXP%s %s, %s, Y14", s, a, y)
	e.Ins("VANDPS Y14, Y15, Y15")
	x = e.inRegister(v.Args[0], "Y14")
	e.Ins("VCMPP%s $3, %s, %s, Y14", s, b, x)
	e.Ins("VORPS Y14, Y15, %s", dst)
}

func (e *avx2) emitSelect(v *ir.Value, dst string) {
	if name, ok := minMaxOf(v); ok {
		e.Ins("%s%s %s, %s, %s", name, e.floatSuffix(), e.operand(v.Args[2]), e.inRegister(v.Args[1], "Y15"), dst)
		return
	}
	if n, ok := incrementOf(v); ok {
		e.Ins("VPSUB%s %s, %s, %s", e.intSuffix(), e.operand(v.Args[0]), e.inRegister(n, "Y15"), dst)
		return
	}
	half := e.half
	e.half = false
	m, x, y := e.inRegister(v.Args[0], "Y15"), v.Args[1], v.Args[2]
	if e.half = half; half {
		if m == "Y15" {
			e.narrowMask(m, m, "Y14")
		} else {
			e.narrowMask(m, "Y15", "Y15")
		}
		m = "Y15"
	}
	switch {
	case y.Op == ir.Const && y.Bits == 0:
		e.Ins("VANDPS %s, %s, %s", e.operand(x), m, dst)
	case x.Op == ir.Const && x.Bits == 0:
		e.Ins("VANDNPS %s, %s, %s", e.operand(y), m, dst)
	default:
		e.Ins("VBLENDVP%s %s, %s, %s, %s", e.floatSuffix(), m, e.operand(x), e.inRegister(y, "Y14"), dst)
	}
}

func (e *avx2) jumpIfNone(mask *ir.Value, to string) {
	e.Ins("VMOVMSKP%s %s, AX", e.floatSuffix(), e.inRegister(mask, "Y15"))
	e.Ins("TESTL AX, AX")
	e.Ins("JEQ %s", to)
}

func (e *avx2) jumpIfAny(mask *ir.Value, to string) {
	if e.fused[mask] { // by findNarrow
		e.half = true
		e.emitCompute(mask, "Y15")
		e.half = false
		e.Ins("VMOVMSKPS X15, AX")
	} else {
		e.Ins("VMOVMSKP%s %s, AX", e.floatSuffix(), e.inRegister(mask, "Y15"))
	}
	e.Ins("TESTL AX, AX")
	e.Ins("JNE %s", to)
}

func (e *avx2) storeVector(v *ir.Value, at int) {
	e.Ins("VMOVUPS %s, %s", e.inRegister(v, "Y15"), e.slot(at))
}

// emitGather gathers elements under a mask, which the instruction overwrites. The registers of the result, the index and the mask must differ. If
// neither the result nor the index has a register, the index uses Y13, which is saved in the slot of the result.
func (e *avx2) emitGather(v *ir.Value, dst string) {
	name, mask, to := map[int]string{4: "VGATHERDPS", 8: "VGATHERQPD"}[e.k.Width], "Y14", dst
	half := e.half
	e.half = false
	switch whole := e.k.Frame == nil && !e.tail && v.Args[1].Op == ir.Rows; {
	case whole && gathersElementwise(e.emitter, v):
		e.gathers.emitGather(e.emitter, v, dst)
		return
	case whole:
		e.Ins("VPCMPEQD %s, %s, %s", mask, mask, mask)
	default:
		e.moveValue(asm.Move{From: e.operand(v.Args[1]), To: mask})
	}
	if half {
		e.narrowMask(mask, mask, "Y15")
		name, mask, to = "VGATHERQPS", "X14", e.lowerHalf(dst)
	}
	k, kept := e.operand(v.Args[0]), false
	if inMemory(k) {
		if k = "Y15"; dst == k {
			k, kept = "Y13", true
			e.Ins("VMOVUPS Y13, %s", e.operand(v))
		}
		e.moveValue(asm.Move{From: e.operand(v.Args[0]), To: k})
	}
	e.Ins("VXORPS %s, %s, %s", dst, dst, dst)
	e.Ins("%s %s, (%s)(%s*%d), %s // %s", name, mask, e.baseRegister(v.Stream), k, v.Kind.Size(e.k.Width), to, v.Stream.Expr)
	if kept {
		e.Ins("VMOVUPS %s, Y13", e.operand(v))
	}
	e.half = half
}

// maskTail loads the mask from a table of ones and zeros. For n remaining rows, it loads the vector that begins n elements
// before the middle of the table.
func (e *avx2) maskTail() {
	e.Ins("NEGQ DX")
	e.Ins("LEAQ lanecRows%d<>+32(SB), AX", e.k.Width*8)
	if e.maskRegister != "" {
		e.Ins("VMOVUPS (AX)(DX*%d), %s", e.k.Width, e.maskRegister)
		return
	}
	e.Ins("VMOVUPS (AX)(DX*%d), Y15", e.k.Width)
	e.Ins("VMOVUPS Y15, %s", e.slot(0))
	if e.halfMaskAt > 0 {
		e.Ins("LEAQ lanecRows32<>+32(SB), AX")
		e.Ins("VMOVUPS (AX)(DX*4), Y15")
		e.Ins("VMOVUPS Y15, %s", e.slot(e.halfMaskAt))
	}
}

func (e *avx2) moveValue(m asm.Move) {
	switch from, to := inMemory(m.From), inMemory(m.To); {
	case m.From == m.To:
	case from && to:
		e.Ins("VMOVUPS %s, Y15", m.From)
		e.Ins("VMOVUPS Y15, %s", m.To)
	case from || to:
		e.Ins("VMOVUPS %s, %s", m.From, m.To)
	default:
		e.Ins("VMOVAPS %s, %s", m.From, m.To)
	}
}

func (e *avx2) moveAside(m asm.Move) string {
	e.moveValue(asm.Move{From: m.From, To: "Y14"})
	return "Y14"
}

// Tables returns the data from which AVX2 loads the mask of the last rows.
func Tables() string {
	var b strings.Builder
	for _, w := range []int{32, 64} {
		b.WriteString("\n")
		for i := range 8 {
			bits := "0x0"
			if i < 4 {
				bits = "0xffffffffffffffff"
			}
			b.WriteString("DATA lanecRows" + decimal(w) + "<>+" + decimal(8*i) + "(SB)/8, $" + bits + "\n")
		}
		b.WriteString("GLOBL lanecRows" + decimal(w) + "<>(SB), RODATA|NOPTR, $64\n")
	}
	return b.String()
}

// narrowMask converts a mask with elements of 64 bits to one with elements of 32 bits. The result is in spare, which may
// be the same register as mask. narrowMask overwrites other.
func (e *avx2) narrowMask(mask, spare, other string) {
	e.Text.Ins("VEXTRACTF128 $1, %s, %s", mask, e.lowerHalf(other))
	e.Text.Ins("VSHUFPS $0x88, %s, %s, %s", e.lowerHalf(other), e.lowerHalf(mask), e.lowerHalf(spare))
}

// emitCompareHalves writes a comparison of 32-bit elements whose result is a mask with 64-bit
// elements.
func (e *avx2) emitCompareHalves(v *ir.Value, dst string) {
	e.half = true
	e.emitCompute(v, "Y15")
	e.half = false
	e.Ins("VPMOVSXDQ X15, %s", dst)
}

// emitConvert writes a conversion between the two widths.
func (e *avx2) emitConvert(v *ir.Value, dst string) {
	e.convertWidth(v, dst, "Y15", "VCVTPD2PSY", func(x string) { e.narrowMask(x, dst, "Y14") })
}
