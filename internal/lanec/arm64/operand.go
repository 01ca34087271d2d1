package arm64

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// operand returns the operand of a value: a register, a slot of the frame, or a constant in memory.
func (e *emitter) operand(v *ir.Value) string {
	if r, ok := e.registerOf(v); ok {
		return "F" + strconv.Itoa(r)
	}
	if v.Op == ir.Const {
		return e.constants.Symbol(v.Kind.Size(e.k.Width), v.Bits)
	}
	n, _ := e.places.Slot(v)
	return fmt.Sprintf("%d(RSP)", 16*n)
}

// inRegister returns the register that holds v. If v has no register, inRegister loads it into the
// spare register.
func (e *emitter) inRegister(v *ir.Value, spare int) int {
	if r, ok := e.registerOf(v); ok {
		return r
	}
	e.moveValue(asm.Move{From: e.operand(v), To: "F" + strconv.Itoa(spare)})
	return spare
}

// registerOf returns the register of a value, if it has one.
func (e *emitter) registerOf(v *ir.Value) (int, bool) {
	r, ok := e.places.Register(v)
	if ok && e.pairOffset > 0 && v.Region.In(e.k.Rows.Body) {
		r += e.pairOffset
	}
	return r, ok
}

func registerNumber(register string) int {
	n, err := strconv.Atoi(register[1:])
	if err != nil {
		panic("arm64: " + register)
	}
	return n
}

func (e *emitter) moveValue(m asm.Move) {
	to := m.To
	if !strings.HasPrefix(to, "F") {
		to = "F31"
	}
	switch {
	case m.From == m.To:
		return
	case strings.HasPrefix(m.From, "F"):
		if to != m.To {
			to = m.From
		} else {
			r := registerNumber(m.From)
			e.emitVector("ORR", r, r, registerNumber(to))
		}
	case strings.HasSuffix(m.From, "(SB)"):
		e.Ins("MOVD $%s, R3", m.From)
		e.Ins("FMOVQ (R3), %s", to)
	default:
		e.Ins("FMOVQ %s, %s", m.From, to)
	}
	if to != m.To {
		e.Ins("FMOVQ %s, %s", to, m.To)
	}
}

func (e *emitter) moveAside(m asm.Move) string {
	e.moveValue(asm.Move{From: m.From, To: "F30"})
	return "F30"
}

// baseRegister returns a register with the base address of a stream.
func (e *emitter) baseRegister(s *ir.Stream) string { return e.baseOr(s, "R3") }

// baseOr returns the register with the base address of a stream. If the stream has none, it loads the address
// into the spare register.
func (e *emitter) baseOr(s *ir.Stream, spare string) string {
	if r := e.registers[s]; r != "" {
		return r
	}
	e.loadBase(s, spare)
	return spare
}

// loadBase loads the base address of a stream into a register.
func (e *emitter) loadBase(s *ir.Stream, to string) {
	switch p := s.Place; {
	case e.k.Frame == nil:
		e.Ins("MOVD %d(R0), %s", s.Offset, to)
	case p.Kind == ir.Slice:
		e.Ins("MOVD %s_base+%d(FP), %s", p.Name, p.At, to)
	case p.Kind == ir.Array:
		e.Ins("MOVD %s+%d(FP), %s", p.Name, p.At, to)
	default:
		e.Ins("MOVD %s+%d(FP), %s", p.Name, p.At, to)
		e.Ins("MOVD %s, %s // %s", address(p.In, to), to, s.Expr)
	}
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

// arrangement returns the suffix of a vector register in Go's assembler.
func arrangement(width int) string {
	if width == 8 {
		return "D2"
	}
	return "S4"
}

// rowsPerVector returns the number of rows of a vector, which is one in the tail.
func (e *emitter) rowsPerVector() int {
	if e.tail {
		return 1
	}
	return 16 / e.k.Width
}

// elementMove returns three things for the width of an element: the instruction that moves an element into a general register, the letter
// for the element, and the number of bits by which an index is shifted to get a byte offset.
func (e *emitter) elementMove() (move, letter string, scale int) {
	if e.elementBytes() == 4 {
		return "MOVWU", "S", 2
	}
	return "MOVD", "D", 3
}
