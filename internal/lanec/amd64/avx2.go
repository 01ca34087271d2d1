package amd64

import (
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// AVX2 has sixteen registers of 32 bytes. Constants are operands in memory.
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

// instructions are those of operations on two vectors, without the letter of the width.
var instructions = map[ir.Op]string{
	ir.Add: "VADDP", ir.Sub: "VSUBP", ir.Mul: "VMULP", ir.Div: "VDIVP",
	ir.IntAdd: "VPADD", ir.IntSub: "VPSUB", ir.IntMul: "VPMULL", ir.IntEqual: "VPCMPEQ", ir.IntGreater: "VPCMPGT",
	ir.ShlBy: "VPSLLV", ir.ShrBy: "VPSRLV", ir.SarBy: "VPSRAV",
}

// picks are the instructions that give the second operand where one is NaN or both are zeros.
var picks = map[ir.Op]string{ir.Smaller: "VMINP", ir.Larger: "VMAXP"}

// compares are the predicates of comparisons, those that no NaN fulfils, except for the last.
var compares = map[ir.Op]int{ir.Less: 17, ir.LessEqual: 18, ir.Equal: 0, ir.NotEqual: 4}

// mirrored are the same with the numbers in the other order.
var mirrored = map[ir.Op]int{ir.Less: 30, ir.LessEqual: 29, ir.Equal: 0, ir.NotEqual: 4}

// roundings are the immediates of VROUNDPS and VRNDSCALEPS, without exceptions.
var roundings = map[ir.Op]int{ir.Round: 8, ir.Floor: 9, ir.Ceil: 10, ir.Trunc: 11}

var shifts = map[ir.Op]string{ir.Shl: "VPSLL", ir.Shr: "VPSRL", ir.Sar: "VPSRA"}

func (e *avx2) value(v *ir.Value) {
	if v.Op == ir.Const {
		e.constant(v)
		return
	}
	s, dst := e.float(), "Y15"
	if r, ok := e.places.Register(v); ok && v.Op != ir.Store {
		dst = "Y" + decimal(r)
	}
	switch v.Op {
	case ir.Param:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.scalar(v.Scalar), dst, v.Scalar.Expr)
	case ir.Rows:
		if e.tail && e.masked != "" {
			e.Ins("VMOVAPS %s, %s", e.masked, dst)
		} else if e.tail {
			e.Ins("VMOVUPS 0(SP), %s", dst)
		} else {
			e.Ins("VPCMPEQD %s, %s, %s", dst, dst, dst)
		}
	case ir.Load:
		from := e.row(v.Stream)
		if e.tail {
			e.Ins("VMASKMOVP%s %s, %s, %s // %s", s, from, e.rowMask(), dst, v.Stream.Expr)
		} else {
			e.Ins("VMOVUP%s %s, %s // %s", s, from, dst, v.Stream.Expr)
		}
	case ir.Spread:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.element(v), dst, v.Stream.Expr)
	case ir.Gather:
		e.gather(v, dst)
	case ir.Store:
		x, to := e.reg(v.Args[0], "Y15"), e.row(v.Stream)
		if e.tail {
			e.Ins("VMASKMOVP%s %s, %s, %s // %s", s, x, e.rowMask(), to, v.Stream.Expr)
		} else {
			e.Ins("VMOVUP%s %s, %s // %s", s, x, to, v.Stream.Expr)
		}
		return
	default:
		e.compute(v, dst)
	}
	if n, ok := e.places.Slot(v); ok {
		e.Ins("VMOVUPS Y15, %d(SP)", 32*n)
	}
}

// rowMask returns a register with the mask of the last rows.
func (e *avx2) rowMask() string {
	if e.masked != "" {
		return e.masked
	}
	e.Ins("VMOVUPS %d(SP), Y14", e.rows())
	return "Y14"
}

// constant gives a constant its register, if it has one: else it is an operand in memory.
func (e *avx2) constant(v *ir.Value) {
	r, ok := e.places.Register(v)
	switch {
	case !ok:
	case v.Bits == 0:
		e.Ins("VXORPS Y%d, Y%d, Y%d", r, r, r)
	default:
		e.Ins("VBROADCASTS%s %s, Y%d", e.float(), e.constants.Symbol(e.width(), v.Bits), r)
	}
}

// rows is where in the frame the mask of the last rows stands.
func (e *avx2) rows() int {
	if e.half {
		return e.narrow
	}
	return 0
}

// compute writes the operations on vectors.
func (e *avx2) compute(v *ir.Value, dst string) {
	if other(v) && !e.half {
		e.compares32(v, dst)
		return
	}
	s := e.float()
	switch v.Op {
	case ir.Widen, ir.Narrow:
		e.convert(v, dst)
	case ir.MulWide:
		a, b := e.operands(v, "Y15")
		e.Ins("VPMULUDQ %s, %s, %s", b, a, dst)
	case ir.ToInt:
		e.Ins("VCVTTPS2DQ %s, %s", e.place(v.Args[0]), dst)
	case ir.Smaller, ir.Larger:
		e.Ins("%s%s %s, %s, %s", picks[v.Op], s, e.place(v.Args[1]), e.reg(v.Args[0], "Y15"), dst)
	case ir.Add, ir.Sub, ir.Mul, ir.Div:
		a, b := e.operands(v, "Y15")
		e.Ins("%s%s %s, %s, %s", instructions[v.Op], s, b, a, dst)
	case ir.IntAdd, ir.IntSub, ir.IntMul, ir.IntEqual, ir.IntGreater, ir.ShlBy, ir.ShrBy, ir.SarBy:
		e.ints(v, dst)
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual:
		predicate, a, b := e.comparison(v, "Y15")
		e.Ins("VCMPP%s $%d, %s, %s, %s", s, predicate, b, a, dst)
	case ir.Sqrt:
		e.Ins("VSQRTP%s %s, %s", s, e.place(v.Args[0]), dst)
	case ir.Floor, ir.Ceil, ir.Trunc, ir.Round:
		e.Ins("VROUNDP%s $%d, %s, %s", s, roundings[v.Op], e.place(v.Args[0]), dst)
	case ir.Abs:
		e.Ins("VANDPS %s, %s, %s", e.constants.Symbol(e.width(), e.sign()-1), e.reg(v.Args[0], "Y15"), dst)
	case ir.Neg:
		e.Ins("VXORPS %s, %s, %s", e.constants.Symbol(e.width(), e.sign()), e.reg(v.Args[0], "Y15"), dst)
	case ir.Min:
		e.min(v, dst)
	case ir.Max:
		e.max(v, dst)
	case ir.And, ir.Or, ir.Xor:
		e.bits(v, dst)
	case ir.AndNot:
		e.Ins("VANDNPS %s, %s, %s", e.place(v.Args[0]), e.reg(v.Args[1], "Y15"), dst)
	case ir.Not:
		e.Ins("VPCMPEQD Y15, Y15, Y15")
		e.Ins("VXORPS %s, Y15, %s", e.place(v.Args[0]), dst)
	case ir.Sel:
		e.choose(v, dst)
	case ir.Cast:
		e.move(asm.Move{From: e.place(v.Args[0]), To: dst})
	case ir.Shl, ir.Shr, ir.Sar:
		e.Ins("%s%s $%d, %s, %s", shifts[v.Op], e.whole(), v.Bits, e.reg(v.Args[0], "Y15"), dst)
	case ir.ToFloat:
		if v.Args[0].Kind.IsHalf() && !v.Kind.IsHalf() {
			e.convert(v, dst)
			return
		}
		e.Ins("VCVTDQ2PS %s, %s", e.place(v.Args[0]), dst)
	default:
		panic("amd64: " + v.String())
	}
}

// bits writes operations on the bits of two operands. In a whole vector the mask of the rows that are there takes
// nothing from another one.
func (e *avx2) bits(v *ir.Value, dst string) {
	if m := withoutRows(v); m != v && !e.tail && e.k.Frame == nil {
		e.move(asm.Move{From: e.place(m), To: dst})
		return
	}
	a, b := e.operands(v, "Y15")
	e.Ins("%s %s, %s, %s", map[ir.Op]string{ir.And: "VANDPS", ir.Or: "VORPS", ir.Xor: "VXORPS"}[v.Op], b, a, dst)
}

// ints writes operations on two whole numbers.
func (e *avx2) ints(v *ir.Value, dst string) {
	if x := v.Args[0]; v.Op == ir.IntGreater && x.Op == ir.Const && x.Bits == 0 && e.width() == 4 {
		e.Ins("VPSRAD $31, %s, %s", e.reg(v.Args[1], "Y15"), dst) // the sign in every bit
		return
	}
	a, b := e.operands(v, "Y15")
	e.Ins("%s%s %s, %s, %s", instructions[v.Op], e.whole(), b, a, dst)
}

// min takes the smaller in both orders and joins the bits: x86 gives the second operand where one is NaN or both are zeros.
func (e *avx2) min(v *ir.Value, dst string) {
	if x, y, plain, _ := plainly(v, e.k.Width); plain { // the second operand is what is NaN, or which zero
		e.Ins("VMINP%s %s, %s, %s", e.float(), e.place(x), e.reg(y, "Y15"), dst)
		return
	}
	s, a, b := e.float(), e.place(v.Args[0]), e.place(v.Args[1])
	x := e.reg(v.Args[0], "Y14")
	e.Ins("VMINP%s %s, %s, Y15", s, b, x)
	y := e.reg(v.Args[1], "Y14")
	e.Ins("VMINP%s %s, %s, Y14", s, a, y)
	e.Ins("VORPS Y14, Y15, %s", dst)
}

// max takes the larger in both orders and joins the bits, which are different only where one is NaN or both are zeros: there the sign must go, and NaN
// come back.
func (e *avx2) max(v *ir.Value, dst string) {
	if x, y, plain, nonzero := plainly(v, e.k.Width); nonzero {
		e.Ins("VMAXP%s %s, %s, %s", e.float(), e.place(x), e.reg(y, "Y15"), dst)
		return
	} else if plain { // of two zeros it is the second one, without a sign
		x := e.reg(x, "Y14")
		e.Ins("VMAXP%s %s, %s, Y15", e.float(), e.place(y), x)
		e.Ins("VCMPP%s $3, %s, %s, Y14", e.float(), x, x)
		e.Ins("VORPS Y14, Y15, %s", dst)
		return
	}
	s, a, b := e.float(), e.place(v.Args[0]), e.place(v.Args[1])
	x := e.reg(v.Args[0], "Y14")
	e.Ins("VMAXP%s %s, %s, Y15", s, b, x)
	y := e.reg(v.Args[1], "Y14")
	e.Ins("VMAXP%s %s, %s, Y14", s, a, y)
	e.Ins("VANDPS Y14, Y15, Y15")
	x = e.reg(v.Args[0], "Y14")
	e.Ins("VCMPP%s $3, %s, %s, Y14", s, b, x)
	e.Ins("VORPS Y14, Y15, %s", dst)
}

func (e *avx2) choose(v *ir.Value, dst string) {
	if name, ok := extreme(v); ok {
		e.Ins("%s%s %s, %s, %s", name, e.float(), e.place(v.Args[2]), e.reg(v.Args[1], "Y15"), dst)
		return
	}
	if n, ok := counts(v); ok {
		e.Ins("VPSUB%s %s, %s, %s", e.whole(), e.place(v.Args[0]), e.reg(n, "Y15"), dst)
		return
	}
	half := e.half
	e.half = false
	m, x, y := e.reg(v.Args[0], "Y15"), v.Args[1], v.Args[2]
	if e.half = half; half {
		if m == "Y15" {
			e.narrowed(m, m, "Y14")
		} else {
			e.narrowed(m, "Y15", "Y15")
		}
		m = "Y15"
	}
	switch {
	case y.Op == ir.Const && y.Bits == 0:
		e.Ins("VANDPS %s, %s, %s", e.place(x), m, dst)
	case x.Op == ir.Const && x.Bits == 0:
		e.Ins("VANDNPS %s, %s, %s", e.place(y), m, dst)
	default:
		e.Ins("VBLENDVP%s %s, %s, %s, %s", e.float(), m, e.place(x), e.reg(y, "Y14"), dst)
	}
}

func (e *avx2) leave(mask *ir.Value, to string) {
	e.Ins("VMOVMSKP%s %s, AX", e.float(), e.reg(mask, "Y15"))
	e.Ins("TESTL AX, AX")
	e.Ins("JEQ %s", to)
}

func (e *avx2) stop(mask *ir.Value, to string) {
	e.Ins("VMOVMSKP%s %s, AX", e.float(), e.reg(mask, "Y15"))
	e.Ins("TESTL AX, AX")
	e.Ins("JNE %s", to)
}

func (e *avx2) spill(v *ir.Value, at int) {
	e.Ins("VMOVUPS %s, %d(SP)", e.reg(v, "Y15"), at)
}

// gather reads elements under a mask, which the instruction overwrites. All three registers must differ: where neither the result nor the number has
// one, Y13 is kept in the slot of the result meanwhile.
func (e *avx2) gather(v *ir.Value, dst string) {
	name, mask, to := map[int]string{4: "VGATHERDPS", 8: "VGATHERQPD"}[e.k.Width], "Y14", dst
	half := e.half
	e.half = false
	switch whole := e.k.Frame == nil && !e.tail && v.Args[1].Op == ir.Rows; {
	case whole && oneByOne(e.emitter, v):
		e.lookups.look(e.emitter, v, dst)
		return
	case whole:
		e.Ins("VPCMPEQD %s, %s, %s", mask, mask, mask)
	default:
		e.move(asm.Move{From: e.place(v.Args[1]), To: mask})
	}
	if half {
		e.narrowed(mask, mask, "Y15")
		name, mask, to = "VGATHERQPS", "X14", e.lower(dst)
	}
	k, kept := e.place(v.Args[0]), false
	if inMemory(k) {
		if k = "Y15"; dst == k {
			k, kept = "Y13", true
			e.Ins("VMOVUPS Y13, %s", e.place(v))
		}
		e.move(asm.Move{From: e.place(v.Args[0]), To: k})
	}
	e.Ins("VXORPS %s, %s, %s", dst, dst, dst)
	e.Ins("%s %s, (%s)(%s*%d), %s // %s", name, mask, e.base(v.Stream), k, v.Kind.Size(e.k.Width), to, v.Stream.Expr)
	if kept {
		e.Ins("VMOVUPS %s, Y13", e.place(v))
	}
	e.half = half
}

// rest reads the mask from a table of ones and zeros, as far before its middle as there are rows.
func (e *avx2) rest() {
	e.Ins("NEGQ DX")
	e.Ins("LEAQ lanecRows%d<>+32(SB), AX", e.k.Width*8)
	if e.masked != "" {
		e.Ins("VMOVUPS (AX)(DX*%d), %s", e.k.Width, e.masked)
		return
	}
	e.Ins("VMOVUPS (AX)(DX*%d), Y15", e.k.Width)
	e.Ins("VMOVUPS Y15, 0(SP)")
	if e.narrow > 0 {
		e.Ins("LEAQ lanecRows32<>+32(SB), AX")
		e.Ins("VMOVUPS (AX)(DX*4), Y15")
		e.Ins("VMOVUPS Y15, %d(SP)", e.narrow)
	}
}

func (e *avx2) move(m asm.Move) {
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

func (e *avx2) aside(m asm.Move) string {
	e.move(asm.Move{From: m.From, To: "Y14"})
	return "Y14"
}

// Tables are the masks that AVX2 takes for the last rows.
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
