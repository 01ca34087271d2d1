package arm64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

func (e *emitter) emitRows(l *ir.Loop) {
	w := e.k.Width
	loop := fmt.Sprintf("loop%d", 16/w)
	e.Ins("MOVD 0(R0), R2 // rows")
	e.Ins("LSL $%d, R2", w/4+1)
	e.Ins("SUBS $15, R2")
	e.Ins("BLE tail")
	e.Label(loop)
	e.emitRegion(l.Body)
	e.Ins("ADD $16, R1")
	e.Ins("CMP R2, R1")
	e.Ins("BLT %s", loop)
	e.Label("tail")
	e.Ins("ADD $15, R2")
	e.Ins("CMP R2, R1")
	e.Ins("BGE done")
	e.Label("loop1")
	e.tail = true
	e.emitRegion(l.Body)
	e.Ins("ADD $%d, R1", w)
	e.Ins("CMP R2, R1")
	e.Ins("BLT loop1")
	e.Label("done")
	e.Ins("RET")
	if e.k.Stop > 0 {
		e.Label("stop")
		e.Ins("LSR $%d, R1, R3 // the row", w/4+1)
		e.Ins("MOVD R3, %d(R0)", e.k.Stop)
		e.Ins("RET")
	}
}

// emitFrameRows writes the loops over the rows: several vectors per iteration, one vector per iteration, one row per iteration.
func (e *emitter) emitFrameRows(l *ir.Loop) {
	n := 16 / e.k.Width
	loadRowCount(e, "R1")
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" {
			e.loadBase(s, r)
		}
	}
	u := e.unrollFactor()
	if u > 1 {
		e.Ins("SUBS $%d, R1", u*n)
		e.Ins("BLT whole")
		e.emitVectorLoop(l, u, n)
		e.Label("whole")
		e.Ins("ADDS $%d, R1", (u-1)*n)
		e.Ins("BLT last")
	} else {
		e.Ins("SUBS $%d, R1", n)
		e.Ins("BLT last")
	}
	e.emitVectorLoop(l, 1, n)
	e.Label("last")
	e.Ins("ADDS $%d, R1", n)
	e.Ins("BEQ done")
	e.tail = true
	e.emitVectorLoop(l, 1, 1)
	e.Label("done")
	if e.k.Stop > 0 {
		loadRowCount(e, "R3")
		e.Ins("MOVD R3, ret+%d(FP)", e.k.Frame.Result)
	}
	e.Ins("RET")
	if e.k.Stop > 0 {
		e.Label("stop")
		e.Ins("ADD $%d, R1", n)
		e.Label("stop1")
		loadRowCount(e, "R3")
		e.Ins("SUB R1, R3")
		e.Ins("MOVD R3, ret+%d(FP) // the rows that are done", e.k.Frame.Result)
		e.Ins("RET")
	}
}

// unrollFactor returns the number of vectors per iteration of the first loop.
func (e *emitter) unrollFactor() int {
	if e.k.Stop > 0 {
		return 1 // since the caller repeats the whole iteration in which the kernel stopped, although some of its vectors were stored
	}
	weight := 0
	for _, it := range e.k.Rows.Body.Items {
		if v, ok := it.(*ir.Value); ok && (v.Op == ir.Div || v.Op == ir.Sqrt) {
			weight += 7
		}
		weight++
	}
	switch {
	case weight <= 12:
		return 4
	case weight <= 24:
		return 2
	}
	return 1
}

// loadRowCount loads the number of rows into a register.
func loadRowCount(e *emitter, to string) {
	rows := *e.k.Frame.Rows
	if rows.Kind == ir.Slice {
		e.Ins("MOVD %s_len+%d(FP), %s", rows.Name, rows.At+8, to)
		return
	}
	e.Ins("MOVD %s+%d(FP), %s", rows.Name, rows.At, to)
	e.Ins("MOVD %d(%s), %s // rows", rows.In+8, to, to)
}

// emitVectorLoop writes a loop with u vectors of n rows per iteration.
func (e *emitter) emitVectorLoop(l *ir.Loop, u, n int) {
	loop := fmt.Sprintf("loop%d", u*n)
	e.Label(loop)
	e.iterationBytes, e.accessesLeft = e.k.Width*u*n, map[*ir.Stream]int{}
	for _, it := range l.Body.Items {
		if v := it.(*ir.Value); v.Stream != nil {
			e.accessesLeft[v.Stream]++
		}
	}
	for v := 0; v < u; v++ {
		if e.vectorOffset = 16 * v; u > 1 && e.pairsVectors() {
			e.emitPair(l.Body)
			v++
			continue
		}
		e.emitRegion(l.Body)
	}
	e.vectorOffset = 0
	e.Ins("SUBS $%d, R1", u*n)
	if e.tail {
		e.Ins("BNE %s", loop)
	} else {
		e.Ins("BGE %s", loop)
	}
}

// pairsVectors reports whether the registers suffice for the values of two vectors.
func (e *emitter) pairsVectors() bool {
	for _, it := range e.k.Rows.Body.Items {
		if v, ok := it.(*ir.Value); ok && v.Kind.IsHalf() {
			return false
		}
	}
	return e.places.Slots == 0 && 2*e.places.Peak[0] <= target.Registers[0]
}

// emitPair writes each operation twice, for two vectors, before it writes the next operation. One instruction loads or
// stores both vectors.
func (e *emitter) emitPair(r *ir.Region) {
	both := func(v *ir.Value) string {
		first, _ := e.registerOf(v)
		e.pairOffset = e.places.Peak[0]
		second, _ := e.registerOf(v)
		e.pairOffset = 0
		return fmt.Sprintf("(F%d, F%d)", first, second)
	}
	for _, it := range r.Items {
		switch v := it.(*ir.Value); v.Op {
		case ir.Load:
			e.accessStream(true, "FLDPQ", v.Stream, both(v))
		case ir.Store:
			e.accessStream(false, "FSTPQ", v.Stream, both(v.Args[0]))
		default:
			e.emitValue(v)
			e.pairOffset = e.places.Peak[0]
			e.emitValue(v)
			e.pairOffset = 0
		}
	}
}

func (e *emitter) emitLoop(l *ir.Loop) {
	var begin, again []asm.Move
	for _, p := range l.Phis {
		begin = append(begin, asm.Move{From: e.operand(p.Args[0]), To: e.operand(p)})
		again = append(again, asm.Move{From: e.operand(p.Args[1]), To: e.operand(p)})
	}
	asm.Parallel(begin, e.moveValue, e.moveAside)
	if l.Once {
		emitBranch(e, l, again)
		return
	}
	turn, out := e.New("turn"), e.New("out")
	j := e.registers[l]
	if l.Span != nil {
		e.beginSpan(l, out)
	} else if l.Counted() {
		e.Ins("MOVD $0, %s", j)
		if l.Count != nil {
			e.Ins("MOVD %d(R0), R3 // %s", l.Count.Offset, l.Count.Expr)
			e.Ins("CMP $0, R3")
			e.Ins("BLE %s", out)
		} else if l.Turns <= 0 {
			e.Ins("B %s", out)
		}
	}
	e.Label(turn)
	e.emitRegion(l.Head)
	if l.Alive != nil {
		e.jumpIfNone(l.Alive, out)
	}
	e.emitRegion(l.Body)
	asm.Parallel(again, e.moveValue, e.moveAside)
	if l.EndAlive != nil {
		e.jumpIfNone(l.EndAlive, out)
	}
	if l.Counted() {
		e.emitYieldCheck(l)
	}
	switch {
	case l.Count != nil:
		e.Ins("ADD $1, %s", j)
		e.Ins("MOVD %d(R0), R3", l.Count.Offset)
		e.Ins("CMP R3, %s", j)
		e.Ins("BLT %s", turn)
	case l.Counted():
		e.Ins("ADD $1, %s", j)
		e.Ins("CMP $%d, %s", l.Turns, j)
		e.Ins("BLT %s", turn)
	default:
		e.emitLoopBackOrYield(turn)
	}
	e.Label(out)
}

// emitBranch writes a branch. The moves before the branch have already set the variables to their values for the case that the
// branch is not taken.
func emitBranch(e *emitter, l *ir.Loop, after []asm.Move) {
	past := e.New("past")
	if l.Unless {
		e.testAny(e.inRegister(l.Alive, 30))
		e.Ins("CBNZ R3, %s", past)
	} else {
		e.jumpIfNone(l.Alive, past)
	}
	e.emitRegion(l.Body)
	asm.Parallel(after, e.moveValue, e.moveAside)
	e.Label(past)
}

// jumpIfNone jumps if no element of a mask is set.
func (e *emitter) jumpIfNone(mask *ir.Value, to string) {
	e.testAny(e.inRegister(mask, 30))
	e.Ins("CBZ R3, %s", to)
}

// testAny sets R3 to a number other than zero if an element of a mask is set. The test first narrows each
// element to half of its bits, so that it reads 64 bits instead of 128. This is enough, because all bits of
// an element of a mask are equal.
func (e *emitter) testAny(r int) {
	half := "H8"
	if e.k.Width == 8 {
		half = "S4"
	}
	e.Ins("VUZP1 V%d.%s, V%d.%s, V31.%s", r, half, r, half, half)
	e.Ins("FMOVD F31, R3")
}
