package amd64

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// operand returns the operand of a value: a register, a slot of the frame, or a constant in memory.
func (e *emitter) operand(v *ir.Value) string {
	if e.foldedLoads[v] && !e.tail {
		return e.rowOperand(v.Stream)
	}
	if v == e.folded.v {
		return e.folded.at
	}
	class := e.path.target.Class(v)
	if r, ok := e.places.Register(v); ok {
		if class == 1 {
			return fmt.Sprintf("K%d", firstMask+r)
		}
		return fmt.Sprintf("%s%d", e.path.letter, r)
	}
	if n, ok := e.places.Slot(v); ok {
		if e.path == AVX512 {
			n--
		}
		return e.slot(n * e.path.vector)
	}
	if class == 1 {
		if v.Bits == 0 {
			return noRows
		}
		return allRows
	}
	return e.constants.Symbol(v.Kind.Size(e.k.Width), v.Bits)
}

func inMemory(place string) bool { return strings.HasSuffix(place, ")") }

func decimal(n int) string { return strconv.Itoa(n) }

// inRegister returns a register that holds v. If v has no register, inRegister loads it into the
// spare register.
func (e *emitter) inRegister(v *ir.Value, spare string) string {
	place := e.operand(v)
	switch {
	case !inMemory(place):
		return place
	case v.Op == ir.Const && v.Bits == 0:
		e.Ins("VXORPS %s, %s, %s", spare, spare, spare)
	default:
		e.Ins("VMOVUPS %s, %s", place, spare)
	}
	return spare
}

// comparisonOperands returns the predicate of a comparison of floats, a register with one argument, and the
// operand of the other argument.
func (e *emitter) comparisonOperands(v *ir.Value, spare string) (predicate int, a, b string) {
	x, y := v.Args[0], v.Args[1]
	predicate = comparePredicates[v.Op]
	if inMemory(e.operand(x)) && !inMemory(e.operand(y)) {
		x, y = y, x
		predicate = swappedPredicates[v.Op]
	}
	return predicate, e.inRegister(x, spare), e.operand(y)
}

// binaryOperands returns a register that holds one argument, and the operand of the other argument. If only the first argument of a commutative
// operation is in memory, it swaps the arguments.
func (e *emitter) binaryOperands(v *ir.Value, spare string) (a, b string) {
	x, y := v.Args[0], v.Args[1]
	if slices.Contains(commutative, v.Op) && inMemory(e.operand(x)) && !inMemory(e.operand(y)) {
		x, y = y, x
	}
	return e.inRegister(x, spare), e.operand(y)
}

// commutative lists the operations whose arguments may be swapped.
var commutative = []ir.Op{ir.Add, ir.Mul, ir.And, ir.Or, ir.Xor, ir.IntAdd, ir.IntMul, ir.IntEqual}

// baseRegister returns a register with the base address of a stream.
func (e *emitter) baseRegister(s *ir.Stream) string {
	if r := e.registers[s]; r != "" {
		return r
	}
	e.loadBase(s, "AX")
	return "AX"
}

// loadBase loads the base address of a stream into a register.
func (e *emitter) loadBase(s *ir.Stream, to string) {
	switch p := s.Place; {
	case e.k.Frame == nil:
		e.Ins("MOVQ %d(DI), %s", s.Offset, to)
	case p.Kind == ir.Slice:
		e.Ins("MOVQ %s_base+%d(FP), %s", p.Name, p.At, to)
	case p.Kind == ir.Array:
		e.Ins("MOVQ %s+%d(FP), %s", p.Name, p.At, to)
	default:
		e.Ins("MOVQ %s+%d(FP), %s", p.Name, p.At, to)
		e.Ins("MOVQ %s, %s // %s", address(p.In, to), to, s.Expr)
	}
}

// elementOperand returns the operand that Spread reads.
func (e *emitter) elementOperand(v *ir.Value) string {
	if v.Loop == nil {
		return fmt.Sprintf("%d(%s)", int(v.Bits)*e.elementBytes(), e.baseRegister(v.Stream))
	}
	return fmt.Sprintf("(%s)(%s*%d)", e.baseRegister(v.Stream), e.registers[v.Loop], e.elementBytes())
}

// rowOperand returns the memory operand for the current row of a stream.
func (e *emitter) rowOperand(s *ir.Stream) string {
	if s.Ring {
		e.Ins("MOVL CX, AX")
		if e.vectorOffset > 0 {
			e.Ins("ADDL $%d, AX", e.vectorOffset/e.k.Width)
		}
		e.Ins("SHLL $%d, AX", e.elementBytes()/4+1)
		e.Ins("ANDL $255, AX // the accumulator of the row")
		e.Ins("ADDQ %d(DI), AX", s.Offset)
		return "(AX)"
	}
	return address(e.vectorOffset*e.elementBytes()/e.k.Width, e.baseRegister(s)) + fmt.Sprintf("(CX*%d)", e.elementBytes())
}

// scalarOperand returns the operand of a scalar parameter.
func (e *emitter) scalarOperand(s *ir.Scalar) string {
	if e.k.Frame == nil {
		return fmt.Sprintf("%d(DI)", s.Offset)
	}
	return fmt.Sprintf("%s+%d(FP)", s.Place.Name, s.Place.At)
}

// address returns a memory operand.
func address(offset int, register string) string {
	if offset == 0 {
		return "(" + register + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, register)
}

// elementBytes returns the size of an element of the operation that is being written.
func (e *emitter) elementBytes() int {
	if e.half {
		return 4
	}
	return e.k.Width
}

// hasHalfElements reports whether a kernel of 64 bits has elements of 32 bits, too. Such elements are in the lower half of a register, and
// operations on them use the name of this half. However, their masks have elements of 64 bits.
func hasHalfElements(k *ir.Kernel) (yes bool) {
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		yes = yes || ok && v.Kind.IsHalf()
	})
	return yes
}

var vectorRegister = regexp.MustCompile(`\b[YZ](\d)`)

// Ins writes an instruction. While half is set, it replaces the names of the registers by those of
// their lower halves.
func (e *emitter) Ins(format string, args ...any) {
	line, comment, has := strings.Cut(fmt.Sprintf(format, args...), " // ")
	e.forgetListed(line)
	if !e.half {
		e.Text.Ins(format, args...)
		return
	}
	if line = vectorRegister.ReplaceAllString(line, e.path.lower+"$1"); has {
		line += " // " + comment
	}
	e.Text.Ins("%s", line)
}

// lowerHalf returns the name of the lower half of a register.
func (e *emitter) lowerHalf(register string) string {
	return vectorRegister.ReplaceAllString(register, e.path.lower+"$1")
}

// floatSuffix returns the last letter of an instruction on floats of this width.
func (e *emitter) floatSuffix() string {
	if e.elementBytes() == 4 {
		return "S"
	}
	return "D"
}

func (e *emitter) intSuffix() string {
	if e.elementBytes() == 4 {
		return "D"
	}
	return "Q"
}

// signBit returns the mask of the sign bit.
func (e *emitter) signBit() uint64 { return 1 << (8*e.elementBytes() - 1) }

// convertWidth writes a conversion between the two widths. It loads the argument into spare if the argument
// is in memory. The argument half is the instruction that narrows floats, and integers is a function that
// writes the instructions that narrow integers.
func (e *emitter) convertWidth(v *ir.Value, dst, spare, half string, integers func(x string)) {
	defer func(was bool) { e.half = was }(e.half)
	e.half = false
	if e.widenedLoads[v.Args[0]] && !e.tail {
		e.half = true // of the address
		at := e.rowOperand(v.Args[0].Stream)
		e.half = false
		e.Ins("VCVTPS2PD %s, %s // %s", at, dst, v.Args[0].Stream.Expr)
		return
	}
	x := e.inRegister(v.Args[0], spare)
	switch a := v.Args[0].Kind; {
	case v.Op == ir.ToFloat:
		e.Ins("VCVTDQ2PD %s, %s", e.lowerHalf(x), dst)
	case v.Op == ir.Widen && a.Base() == ir.Float:
		e.Ins("VCVTPS2PD %s, %s", e.lowerHalf(x), dst)
	case v.Op == ir.Widen && a.Base() == ir.Uint:
		e.Ins("VPMOVZXDQ %s, %s", e.lowerHalf(x), dst)
	case v.Op == ir.Widen:
		e.Ins("VPMOVSXDQ %s, %s", e.lowerHalf(x), dst)
	case a == ir.Float:
		e.Ins(half+" %s, %s", x, e.lowerHalf(dst))
	default:
		integers(x)
	}
}

// comparesHalves reports whether an operation compares elements of half the kernel's width. The mask of such a
// comparison has elements of the full width.
func comparesHalves(v *ir.Value) bool {
	return v.Kind == ir.Mask && len(v.Args) == 2 && v.Args[0].Kind.IsHalf()
}
