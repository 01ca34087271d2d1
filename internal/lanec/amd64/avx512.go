package amd64

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

func decimal(n int) string { return strconv.Itoa(n) }

// firstMask is the first of the registers for masks that values have: K0 to K2 are spare.
const firstMask = 3

// Places of masks that are constants.
const (
	none  = "no rows"
	every = "all rows"
)

// AVX512 has 32 registers of 64 bytes, which hold constants, too, and registers for masks.
var AVX512 = &Path{
	Name: "AVX512", suffix: "512", needs: "AVX512F, AVX512DQ, AVX512VL, BMI2", vector: 64, letter: "Z", lower: "Y",
	target: alloc.Target{
		Registers: []int{30, 4},
		Class:     class512,
		InMemory:  func(v *ir.Value) bool { return v.Kind == ir.Mask },
		Early:     map[ir.Op]bool{ir.Gather: true},
	},
}

func class512(v *ir.Value) int {
	if v.Kind == ir.Mask {
		return 1
	}
	return 0
}

type avx512 struct{ *emitter }

func (e *avx512) value(v *ir.Value) {
	if v.Kind == ir.Mask && v.Op != ir.Store {
		e.mask(v)
		return
	}
	s, dst := e.float(), "Z31"
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
			e.Ins("VBROADCASTS%s %s, %s", s, e.constants.Symbol(e.width(), v.Bits), dst)
		}
	case ir.Param:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.scalar(v.Scalar), dst, v.Scalar.Expr)
	case ir.Load:
		e.Ins("VMOVUP%s%s %s, %s%s // %s", s, zero, e.row(v.Stream), mask, dst, v.Stream.Expr)
	case ir.Spread:
		e.Ins("VBROADCASTS%s %s, %s // %s", s, e.element(v), dst, v.Stream.Expr)
	case ir.Gather:
		half, name, to := e.half, map[int]string{4: "VGATHERDPS", 8: "VGATHERQPD"}[e.k.Width], dst
		e.half = false
		if half {
			name, to = "VGATHERQPS", e.lower(dst)
		}
		k := e.reg(v.Args[0], "Z30")
		e.move(asm.Move{Class: 1, From: e.place(v.Args[1]), To: "K1"})
		e.Ins("VPXORD %s, %s, %s", dst, dst, dst)
		e.Ins("%s (%s)(%s*%d), K1, %s // %s", name, e.base(v.Stream), k, v.Kind.Size(e.k.Width), to, v.Stream.Expr)
		e.half = half
	case ir.Store:
		x := e.reg(v.Args[0], "Z31")
		e.Ins("VMOVUP%s %s, %s%s // %s", s, x, mask, e.row(v.Stream), v.Stream.Expr)
		return
	default:
		e.compute(v, dst)
	}
	if _, ok := e.places.Slot(v); ok {
		e.Ins("VMOVUPS Z31, %s", e.place(v))
	}
}

// compute writes the operations on vectors.
func (e *avx512) compute(v *ir.Value, dst string) {
	s := e.float()
	switch v.Op {
	case ir.Widen, ir.Narrow:
		e.convert(v, dst)
	case ir.MulWide:
		a, b := e.operands(v, "Z31")
		e.Ins("VPMULUDQ %s, %s, %s", b, a, dst)
	case ir.ToInt:
		e.Ins("VCVTTPS2DQ %s, %s", e.place(v.Args[0]), dst)
	case ir.Smaller, ir.Larger:
		e.Ins("%s%s %s, %s, %s", picks[v.Op], s, e.place(v.Args[1]), e.reg(v.Args[0], "Z31"), dst)
	case ir.Add, ir.Sub, ir.Mul, ir.Div:
		if x := e.addends[v]; x != nil {
			e.sum(v, x, dst)
			return
		}
		a, b := e.operands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", instructions[v.Op], s, b, a, dst)
	case ir.IntAdd, ir.IntSub, ir.IntMul, ir.ShlBy, ir.ShrBy, ir.SarBy:
		a, b := e.operands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", instructions[v.Op], e.whole(), b, a, dst)
	case ir.Sqrt:
		e.Ins("VSQRTP%s %s, %s", s, e.place(v.Args[0]), dst)
	case ir.Floor, ir.Ceil, ir.Trunc, ir.Round:
		e.Ins("VRNDSCALEP%s $%d, %s, %s", s, roundings[v.Op], e.place(v.Args[0]), dst)
	case ir.Abs:
		e.Ins("VPAND%s.BCST %s, %s, %s", e.whole(), e.constants.Symbol(e.width(), e.sign()-1), e.reg(v.Args[0], "Z31"), dst)
	case ir.Neg:
		e.flip(e.reg(v.Args[0], "Z31"), dst)
	case ir.Min:
		e.min(v, dst)
	case ir.Max:
		e.max(v, dst)
	case ir.And, ir.Or, ir.Xor:
		a, b := e.operands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", map[ir.Op]string{ir.And: "VPAND", ir.Or: "VPOR", ir.Xor: "VPXOR"}[v.Op], e.whole(), b, a, dst)
	case ir.AndNot:
		e.Ins("VPANDN%s %s, %s, %s", e.whole(), e.place(v.Args[0]), e.reg(v.Args[1], "Z31"), dst)
	case ir.Not:
		e.Ins("VPTERNLOGD $255, Z31, Z31, Z31 // ones")
		e.Ins("VPXORD %s, Z31, %s", e.place(v.Args[0]), dst)
	case ir.Sel:
		e.choose(v, dst)
	case ir.Cast:
		e.move(asm.Move{From: e.place(v.Args[0]), To: dst})
	case ir.Shl, ir.Shr, ir.Sar:
		e.Ins("%s%s $%d, %s, %s", shifts[v.Op], e.whole(), v.Bits, e.reg(v.Args[0], "Z31"), dst)
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

// choose writes what is of one number or of another, by a mask.
func (e *avx512) choose(v *ir.Value, dst string) {
	s := e.float()
	if name, ok := extreme(v); ok {
		e.Ins("%s%s %s, %s, %s", name, s, e.place(v.Args[2]), e.reg(v.Args[1], "Z31"), dst)
		return
	}
	if n, ok := counts(v); ok && e.unasked[v.Args[1]] {
		e.count(n, v, dst)
		return
	}
	e.Ins("VBLENDMP%s %s, %s, %s, %s", s, e.place(v.Args[1]), e.reg(v.Args[2], "Z30"), e.predicate(v.Args[0], "K1"), dst)
}

// count adds one in the rows of a mask.
func (e *avx512) count(n, v *ir.Value, dst string) {
	by := e.reg(v.Args[1].Args[1], "Z30")
	if by == dst {
		e.move(asm.Move{From: by, To: "Z30"})
		by = "Z30"
	}
	e.move(asm.Move{From: e.place(n), To: dst})
	e.Ins("VPADD%s %s, %s, %s, %s", e.whole(), by, dst, e.predicate(v.Args[0], "K1"), dst)
}

// sum adds a number in the rows of a mask, or takes it away.
func (e *avx512) sum(v, x *ir.Value, dst string) {
	s, k := e.float(), e.predicate(x.Args[0], "K1")
	if e.place(v.Args[0]) == dst {
		e.Ins("%s%s %s, %s, %s, %s", instructions[v.Op], s, e.place(x.Args[1]), dst, k, dst)
		return
	}
	e.Ins("VMOVUP%s.Z %s, %s, Z31", s, e.place(x.Args[1]), k)
	e.Ins("%s%s Z31, %s, %s", instructions[v.Op], s, e.reg(v.Args[0], "Z30"), dst)
}

// flip changes the sign.
func (e *avx512) flip(x, dst string) {
	e.Ins("VPXOR%s.BCST %s, %s, %s", e.whole(), e.constants.Symbol(e.width(), e.sign()), x, dst)
}

// min takes the smaller in both orders and joins the bits, as on AVX2.
func (e *avx512) min(v *ir.Value, dst string) {
	s := e.float()
	if x, y, plain, _ := plainly(v, e.k.Width); plain {
		e.Ins("VMINP%s %s, %s, %s", s, e.place(x), e.reg(y, "Z31"), dst)
		return
	}
	a, b := e.reg(v.Args[0], "Z30"), e.place(v.Args[1])
	e.Ins("VMINP%s %s, %s, Z31", s, b, a)
	y := e.reg(v.Args[1], "Z30")
	e.Ins("VMINP%s %s, %s, Z30", s, e.place(v.Args[0]), y)
	e.Ins("VPORD Z30, Z31, %s", dst)
}

// max is that of VRANGEPS, which knows the signs of zeros, except for NaN, of which the sum is one.
func (e *avx512) max(v *ir.Value, dst string) {
	if x, y, _, nonzero := plainly(v, e.k.Width); nonzero {
		e.Ins("VMAXP%s %s, %s, %s", e.float(), e.place(x), e.reg(y, "Z31"), dst)
		return
	}
	s, a, b := e.float(), e.reg(v.Args[0], "Z31"), e.place(v.Args[1])
	e.Ins("VCMPP%s $3, %s, %s, K1", s, b, a)
	e.Ins("VADDP%s %s, %s, Z30", s, b, a)
	e.Ins("VRANGEP%s $5, %s, %s, %s", s, b, a, dst)
	e.Ins("VMOVAP%s Z30, K1, %s", s, dst)
}

// mask writes what gives a mask.
func (e *avx512) mask(v *ir.Value) {
	if v.Op == ir.Const {
		return // made where it is needed
	}
	if other(v) {
		e.half = v.Args[0].Kind.IsHalf()
		defer func() { e.half = false }()
	}
	dst := "K0"
	if r, ok := e.places.Register(v); ok {
		dst = fmt.Sprintf("K%d", firstMask+r)
	}
	arg := func(i int, spare string) string { return e.predicate(v.Args[i], spare) }
	switch v.Op {
	case ir.Param:
		e.Ins("VPBROADCAST%s %s, Z31 // %s", e.whole(), e.scalar(v.Scalar), v.Scalar.Expr)
		e.Ins("VPMOV%s2M Z31, %s", e.whole(), dst)
	case ir.Rows:
		e.Ins("KMOVW K7, %s", dst)
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual, ir.IntEqual, ir.IntGreater:
		e.compare(v, dst)
	case ir.And:
		switch c := e.joined[v]; c {
		case nil:
			e.Ins("KANDW %s, %s, %s", arg(1, "K1"), arg(0, "K0"), dst)
		case v.Args[1]:
			e.compare(c, arg(0, "K1")+", "+dst)
		default:
			e.compare(c, arg(1, "K1")+", "+dst)
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
		e.Ins("KMOVW K0, %s", e.place(v))
	}
}

// compare writes a comparison. Its destination may begin with the mask of the rows in which it is made.
func (e *avx512) compare(v *ir.Value, dst string) {
	if v.Op == ir.IntEqual || v.Op == ir.IntGreater {
		a, b := e.operands(v, "Z31")
		e.Ins("%s%s %s, %s, %s", instructions[v.Op], e.whole(), b, a, dst)
		return
	}
	predicate, a, b := e.comparison(v, "Z31")
	e.Ins("VCMPP%s $%d, %s, %s, %s", e.float(), predicate, b, a, dst)
}

// predicate returns a register that holds a mask.
func (e *avx512) predicate(v *ir.Value, spare string) string {
	place := e.place(v)
	if strings.HasPrefix(place, "K") {
		return place
	}
	e.move(asm.Move{Class: 1, From: place, To: spare})
	return spare
}

func (e *avx512) leave(mask *ir.Value, to string) {
	k, size := e.predicate(mask, "K1"), "W"
	if e.k.Width == 8 {
		size = "B"
	}
	e.Ins("KORTEST%s %s, %s", size, k, k)
	e.Ins("JEQ %s", to)
}

func (e *avx512) stop(mask *ir.Value, to string) {
	k, size := e.predicate(mask, "K1"), "W"
	if e.k.Width == 8 {
		size = "B"
	}
	e.Ins("KORTEST%s %s, %s", size, k, k)
	e.Ins("JNE %s", to)
}

func (e *avx512) spill(v *ir.Value, at int) {
	if v.Kind != ir.Mask {
		e.Ins("VMOVUPS %s, %d(SP)", e.reg(v, "Z31"), at)
		return
	}
	e.Ins("VPMOVM2%s %s, Z31", e.whole(), e.predicate(v, "K1"))
	e.Ins("VMOVUPS Z31, %d(SP)", at)
}

func (e *avx512) rest() {
	e.Ins("MOVL $-1, AX")
	e.Ins("BZHIL DX, AX, AX")
	e.Ins("KMOVW AX, K7 // as many ones as rows are left")
}

func (e *avx512) move(m asm.Move) {
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
	case m.From == none:
		e.Ins("KXORW %s, %s, %s", to, to, to)
	case m.From == every:
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

func (e *avx512) aside(m asm.Move) string {
	spare := "Z30"
	if m.Class == 1 {
		spare = "K2"
	}
	e.move(asm.Move{Class: m.Class, From: m.From, To: spare})
	return spare
}
