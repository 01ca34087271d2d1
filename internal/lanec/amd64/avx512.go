package amd64

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// firstMask is the number of the first mask register that holds a value: K0 to K2 are spare.
const firstMask = 3

// These operands stand for constant masks.
const (
	noRows  = "no rows"
	allRows = "all rows"
)

// AVX512 has 32 vector registers of 64 bytes, which also hold constants, and mask registers.
var AVX512 = &Path{
	Name: "AVX512", suffix: "512", needs: "AVX512F, AVX512DQ, AVX512VL, BMI2", vector: 64, letter: "Z", lower: "Y",
	target: alloc.Target{
		Registers: []int{30, 4},
		Class:     registerClass,
		InMemory:  func(v *ir.Value) bool { return v.Kind == ir.Mask },
		Early:     map[ir.Op]bool{ir.Gather: true},
	},
}

func registerClass(v *ir.Value) int {
	if v.Kind == ir.Mask {
		return 1
	}
	return 0
}

type avx512 struct{ *emitter }

func (e *avx512) emitValue(v *ir.Value) {
	if v.Kind == ir.Mask && v.Op != ir.Store {
		e.emitMask(v)
		return
	}
	s, dst := e.floatSuffix(), "Z31"
	if r, ok := e.places.Register(v); ok && v.Op != ir.Store {
		dst = "Z" + decimal(r)
	}
	zero, mask := "", ""
	if e.tail {
		zero, mask = ".Z", "K7, "
	}
	switch v.Op {
	case ir.Const:
		if v.Bits == 0 {
			e.Ins("VPXORD %s, %s, %s", dst, dst, dst)
		} else {
			e.Ins("VBROADCASTS%s %s, %s", s, e.constants.Symbol(e.elementBytes(), v.Bits), dst)
		}
	case ir.Param:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.scalarOperand(v.Scalar), dst, v.Scalar.Expr)
	case ir.Load:
		e.Ins("VMOVUP%s%s %s, %s%s // %s", s, zero, e.rowOperand(v.Stream), mask, dst, v.Stream.Expr)
	case ir.Spread:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.elementOperand(v), dst, v.Stream.Expr)
	case ir.Pick:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.pickOperand(v), dst, v.Stream.Expr)
	case ir.Gather:
		half, name, to := e.half, map[int]string{4: "VGATHERDPS", 8: "VGATHERQPD"}[e.k.Width], dst
		e.half = false
		if half {
			name, to = "VGATHERQPS", e.lowerHalf(dst)
		}
		k := e.inRegister(v.Args[0], "Z30")
		e.moveValue(asm.Move{Class: 1, From: e.operand(v.Args[1]), To: "K1"})
		e.Ins("VPXORD %s, %s, %s", dst, dst, dst)
		e.Ins("%s (%s)(%s*%d), K1, %s // %s", name, e.baseRegister(v.Stream), k, v.Kind.Size(e.k.Width), to, v.Stream.Expr)
		e.half = half
	case ir.Store:
		x := e.inRegister(v.Args[0], "Z31")
		e.Ins("VMOVUP%s %s, %s%s // %s", s, x, mask, e.rowOperand(v.Stream), v.Stream.Expr)
		return
	default:
		e.emitCompute(v, dst)
	}
	if _, ok := e.places.Slot(v); ok {
		e.Ins("VMOVUPS Z31, %s", e.operand(v))
	}
}

// emitCompute writes an operation on vectors.
func (e *avx512) emitCompute(v *ir.Value, dst string) {
	s := e.floatSuffix()
	switch v.Op {
	case ir.Widen, ir.Narrow:
		e.emitConvert(v, dst)
	case ir.MulWide:
		a, b := e.binaryOperands(v, "Z31")
		e.Ins("VPMULUDQ %s, %s, %s", b, a, dst)
	case ir.ToInt:
		e.Ins("VCVTTPS2DQ %s, %s", e.operand(v.Args[0]), dst)
	case ir.Smaller, ir.Larger:
		e.Ins("%s%s %s, %s, %s", minMaxInstructions[v.Op], s, e.operand(v.Args[1]), e.inRegister(v.Args[0], "Z31"), dst)
	case ir.Add, ir.Sub, ir.Mul, ir.Div:
		if x := e.maskedSums[v]; x != nil {
			e.emitMaskedSum(v, x, dst)
			return
		}
		a, b := e.binaryOperands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", binaryInstructions[v.Op], s, b, a, dst)
	case ir.IntAdd, ir.IntSub, ir.IntMul, ir.ShlBy, ir.ShrBy, ir.SarBy:
		a, b := e.binaryOperands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", binaryInstructions[v.Op], e.intSuffix(), b, a, dst)
	case ir.Sqrt:
		e.Ins("VSQRTP%s %s, %s", s, e.operand(v.Args[0]), dst)
	case ir.Floor, ir.Ceil, ir.Trunc, ir.Round:
		e.Ins("VRNDSCALEP%s $%d, %s, %s", s, roundingModes[v.Op], e.operand(v.Args[0]), dst)
	case ir.Abs:
		e.Ins("VPAND%s.BCST %s, %s, %s", e.intSuffix(), e.constants.Symbol(e.elementBytes(), e.signBit()-1), e.inRegister(v.Args[0], "Z31"), dst)
	case ir.Neg:
		e.emitNegate(e.inRegister(v.Args[0], "Z31"), dst)
	case ir.Min:
		e.emitMin(v, dst)
	case ir.Max:
		e.emitMax(v, dst)
	case ir.And, ir.Or, ir.Xor:
		a, b := e.binaryOperands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", map[ir.Op]string{ir.And: "VPAND", ir.Or: "VPOR", ir.Xor: "VPXOR"}[v.Op], e.intSuffix(), b, a, dst)
	case ir.AndNot:
		e.Ins("VPANDN%s %s, %s, %s", e.intSuffix(), e.operand(v.Args[0]), e.inRegister(v.Args[1], "Z31"), dst)
	case ir.Not:
		e.Ins("VPTERNLOGD $255, Z31, Z31, Z31 // ones")
		e.Ins("VPXORD %s, Z31, %s", e.operand(v.Args[0]), dst)
	case ir.Sel:
		e.emitSelect(v, dst)
	case ir.Cast:
		e.moveValue(asm.Move{From: e.operand(v.Args[0]), To: dst})
	case ir.Shl, ir.Shr, ir.Sar:
		e.Ins("%s%s $%d, %s, %s", shiftInstructions[v.Op], e.intSuffix(), v.Bits, e.inRegister(v.Args[0], "Z31"), dst)
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

// emitSelect writes a choice between two numbers by a mask.
func (e *avx512) emitSelect(v *ir.Value, dst string) {
	s := e.floatSuffix()
	if name, ok := minMaxOf(v); ok {
		e.Ins("%s%s %s, %s, %s", name, s, e.operand(v.Args[2]), e.inRegister(v.Args[1], "Z31"), dst)
		return
	}
	if n, ok := incrementOf(v); ok && e.fused[v.Args[1]] {
		e.emitIncrement(n, v, dst)
		return
	}
	e.Ins("VBLENDMP%s %s, %s, %s, %s", s, e.operand(v.Args[1]), e.inRegister(v.Args[2], "Z30"), e.maskRegisterOf(v.Args[0], "K1"), dst)
}

// emitIncrement adds one to n under a mask.
func (e *avx512) emitIncrement(n, v *ir.Value, dst string) {
	by := e.inRegister(v.Args[1].Args[1], "Z30")
	if by == dst {
		e.moveValue(asm.Move{From: by, To: "Z30"})
		by = "Z30"
	}
	e.moveValue(asm.Move{From: e.operand(n), To: dst})
	e.Ins("VPADD%s %s, %s, %s, %s", e.intSuffix(), by, dst, e.maskRegisterOf(v.Args[0], "K1"), dst)
}

// emitMaskedSum adds or subtracts a number under a mask.
func (e *avx512) emitMaskedSum(v, x *ir.Value, dst string) {
	s, k := e.floatSuffix(), e.maskRegisterOf(x.Args[0], "K1")
	if e.operand(v.Args[0]) == dst {
		e.Ins("%s%s %s, %s, %s, %s", binaryInstructions[v.Op], s, e.operand(x.Args[1]), dst, k, dst)
		return
	}
	e.Ins("VMOVUP%s.Z %s, %s, Z31", s, e.operand(x.Args[1]), k)
	e.Ins("%s%s Z31, %s, %s", binaryInstructions[v.Op], s, e.inRegister(v.Args[0], "Z30"), dst)
}

// emitNegate flips the sign.
func (e *avx512) emitNegate(x, dst string) {
	e.Ins("VPXOR%s.BCST %s, %s, %s", e.intSuffix(), e.constants.Symbol(e.elementBytes(), e.signBit()), x, dst)
}

// emitMin computes the minimum with the operands in both orders and ORs the two results, as on AVX2.
func (e *avx512) emitMin(v *ir.Value, dst string) {
	s := e.floatSuffix()
	if x, y, ordered, _ := orderedArgs(v, e.k.Width); ordered {
		e.Ins("VMINP%s %s, %s, %s", s, e.operand(x), e.inRegister(y, "Z31"), dst)
		return
	}
	a, b := e.inRegister(v.Args[0], "Z30"), e.operand(v.Args[1])
	e.Ins("VMINP%s %s, %s, Z31", s, b, a)
	y := e.inRegister(v.Args[1], "Z30")
	e.Ins("VMINP%s %s, %s, Z30", s, e.operand(v.Args[0]), y)
	e.Ins("VPORD Z30, Z31, %s", dst)
}

// emitMax writes VRANGEPS, which orders the zeros by their signs. VRANGEPS does not propagate NaN, so if one operand is NaN, the sum of the operands
// replaces the result.
func (e *avx512) emitMax(v *ir.Value, dst string) {
	if x, y, _, nonzero := orderedArgs(v, e.k.Width); nonzero {
		e.Ins("VMAXP%s %s, %s, %s", e.floatSuffix(), e.operand(x), e.inRegister(y, "Z31"), dst)
		return
	}
	s, a, b := e.floatSuffix(), e.inRegister(v.Args[0], "Z31"), e.operand(v.Args[1])
	e.Ins("VCMPP%s $3, %s, %s, K1", s, b, a)
	e.Ins("VADDP%s %s, %s, Z30", s, b, a)
	e.Ins("VRANGEP%s $5, %s, %s, %s", s, b, a, dst)
	e.Ins("VMOVAP%s Z30, K1, %s", s, dst)
}

// emitMask writes an operation whose result is a mask.
func (e *avx512) emitMask(v *ir.Value) {
	if v.Op == ir.Const {
		return // its user creates it
	}
	if comparesHalves(v) {
		e.half = v.Args[0].Kind.IsHalf()
		defer func() { e.half = false }()
	}
	dst := "K0"
	if r, ok := e.places.Register(v); ok {
		dst = fmt.Sprintf("K%d", firstMask+r)
	}
	arg := func(i int, spare string) string { return e.maskRegisterOf(v.Args[i], spare) }
	switch v.Op {
	case ir.Param:
		e.Ins("VPBROADCAST%s %s, Z31 // %s", e.intSuffix(), e.scalarOperand(v.Scalar), v.Scalar.Expr)
		e.Ins("VPMOV%s2M Z31, %s", e.intSuffix(), dst)
	case ir.Rows:
		e.Ins("KMOVW K7, %s", dst)
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual, ir.IntEqual, ir.IntGreater:
		e.emitCompare(v, dst)
	case ir.And:
		switch c := e.maskedCompares[v]; c {
		case nil:
			e.Ins("KANDW %s, %s, %s", arg(1, "K1"), arg(0, "K0"), dst)
		case v.Args[1]:
			e.emitCompare(c, arg(0, "K1")+", "+dst)
		default:
			e.emitCompare(c, arg(1, "K1")+", "+dst)
		}
	case ir.Or:
		e.Ins("KORW %s, %s, %s", arg(1, "K1"), arg(0, "K0"), dst)
	case ir.Xor:
		e.Ins("KXORW %s, %s, %s", arg(1, "K1"), arg(0, "K0"), dst)
	case ir.AndNot:
		e.Ins("KANDNW %s, %s, %s", arg(0, "K0"), arg(1, "K1"), dst)
	case ir.Not:
		e.Ins("KNOTW %s, %s", arg(0, "K0"), dst)
	case ir.Sel:
		m := arg(0, "K1")
		e.Ins("KANDW %s, %s, K0", arg(1, "K0"), m)
		e.Ins("KANDNW %s, %s, K2", arg(2, "K2"), m)
		e.Ins("KORW K0, K2, %s", dst)
	default:
		panic("amd64: " + v.String())
	}
	if _, ok := e.places.Slot(v); ok {
		e.Ins("KMOVW K0, %s", e.operand(v))
	}
}

// emitCompare writes a comparison. dst may begin with a mask. For example, "K1, K3" compares only
// the rows in K1 and stores the result in K3.
func (e *avx512) emitCompare(v *ir.Value, dst string) {
	if v.Op == ir.IntEqual || v.Op == ir.IntGreater {
		a, b := e.binaryOperands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", binaryInstructions[v.Op], e.intSuffix(), b, a, dst)
		return
	}
	predicate, a, b := e.comparisonOperands(v, "Z31")
	e.Ins("VCMPP%s $%d, %s, %s, %s", e.floatSuffix(), predicate, b, a, dst)
}

// maskRegisterOf returns a register that holds a mask. If the mask has a register, it returns this one.
// Otherwise it moves the mask into the spare register.
func (e *avx512) maskRegisterOf(v *ir.Value, spare string) string {
	place := e.operand(v)
	if strings.HasPrefix(place, "K") {
		return place
	}
	e.moveValue(asm.Move{Class: 1, From: place, To: spare})
	return spare
}

func (e *avx512) jumpIfNone(mask *ir.Value, to string) {
	k, size := e.maskRegisterOf(mask, "K1"), "W"
	if e.k.Width == 8 {
		size = "B"
	}
	e.Ins("KORTEST%s %s, %s", size, k, k)
	e.Ins("JEQ %s", to)
}

func (e *avx512) jumpIfAny(mask *ir.Value, to string) {
	k, size := e.maskRegisterOf(mask, "K1"), "W"
	if e.k.Width == 8 {
		size = "B"
	}
	e.Ins("KORTEST%s %s, %s", size, k, k)
	e.Ins("JNE %s", to)
}

func (e *avx512) storeVector(v *ir.Value, at int) {
	if v.Kind != ir.Mask {
		e.Ins("VMOVUPS %s, %s", e.inRegister(v, "Z31"), e.slot(at))
		return
	}
	e.Ins("VPMOVM2%s %s, Z31", e.intSuffix(), e.maskRegisterOf(v, "K1"))
	e.Ins("VMOVUPS Z31, %s", e.slot(at))
}

func (e *avx512) maskTail() {
	e.Ins("MOVL $-1, AX")
	e.Ins("BZHIL DX, AX, AX")
	e.Ins("KMOVW AX, K7 // as many ones as rows are left")
}

func (e *avx512) moveValue(m asm.Move) {
	if m.From == m.To {
		return
	}
	if m.Class == 0 {
		switch from, to := inMemory(m.From), inMemory(m.To); {
		case from && to:
			e.Ins("VMOVUPS %s, Z31", m.From)
			e.Ins("VMOVUPS Z31, %s", m.To)
		default:
			e.Ins("VMOVUPS %s, %s", m.From, m.To)
		}
		return
	}
	to := m.To
	if inMemory(to) {
		to = "K0"
	}
	switch {
	case m.From == noRows:
		e.Ins("KXORW %s, %s, %s", to, to, to)
	case m.From == allRows:
		e.Ins("KXNORW %s, %s, %s", to, to, to)
	case inMemory(m.To) && strings.HasPrefix(m.From, "K"):
		to = m.From
	default:
		e.Ins("KMOVW %s, %s", m.From, to)
	}
	if inMemory(m.To) {
		e.Ins("KMOVW %s, %s", to, m.To)
	}
}

func (e *avx512) moveAside(m asm.Move) string {
	spare := "Z30"
	if m.Class == 1 {
		spare = "K2"
	}
	e.moveValue(asm.Move{Class: m.Class, From: m.From, To: spare})
	return spare
}

// emitConvert writes a conversion between the two widths.
func (e *avx512) emitConvert(v *ir.Value, dst string) {
	e.convertWidth(v, dst, "Z31", "VCVTPD2PS", func(x string) { e.Ins("VPMOVQD %s, %s", x, e.lowerHalf(dst)) })
}
