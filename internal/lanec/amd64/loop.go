package amd64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// emitRows writes the loop over the rows: whole vectors, then the tail.
func (e *emitter) emitRows(l *ir.Loop) {
	switch {
	case e.k.Twinned:
		e.emitPairRows(l)
		return
	case e.k.Frame != nil:
		e.emitFrameRows(l)
		return
	}
	n := e.path.vector / e.k.Width
	loop := fmt.Sprintf("loop%d", n)
	e.Ins("SUBQ $%d, DX", n-1)
	if e.pairVariant != nil {
		e.Ins("CMPQ CX, DX")
		e.Ins("JGE tail")
	} else {
		e.Ins("JLE tail")
		e.alignInnermost(l)
	}
	e.Label(loop)
	e.emitRegion(l.Body)
	e.Ins("ADDQ $%d, CX", n)
	e.Ins("CMPQ CX, DX")
	e.Ins("JLT %s", loop)
	e.Label("tail")
	e.Ins("ADDQ $%d, DX", n-1)
	e.Ins("SUBQ CX, DX")
	e.Ins("JEQ done")
	e.isa.maskTail()
	e.tail = true
	e.emitRegion(l.Body)
	e.Label("done")
	e.Ins("VZEROUPPER")
	e.Ins("RET")
	if e.k.Stop > 0 {
		e.Label("stop")
		e.Ins("MOVQ CX, %d(DI) // the row", e.k.Stop)
		e.Ins("VZEROUPPER")
		e.Ins("RET")
	}
}

// emitPairLoop writes the kernel's loop with two vectors per iteration.
func (e *emitter) emitPairLoop() {
	if e.pairVariant == nil {
		return
	}
	one := e.variant
	e.variant = *e.pairVariant
	n := 2 * e.path.vector / e.k.Width
	e.Ins("SUBQ $%d, DX", n-1)
	e.Ins("JLE single")
	e.emitRegion(e.k.Entry)
	e.Label("single")
	e.Ins("ADDQ $%d, DX", n-1)
	e.variant = one
}

// emitPairRows writes the loop over the rows for emitPairLoop.
func (e *emitter) emitPairRows(l *ir.Loop) {
	n := 2 * e.path.vector / e.k.Width
	loop := fmt.Sprintf("loop%d", n)
	e.alignInnermost(l)
	e.Label(loop)
	e.emitRegion(l.Body)
	e.Ins("ADDQ $%d, CX", n)
	e.Ins("CMPQ CX, DX")
	e.Ins("JLT %s", loop)
}

// emitFrameRows writes the loops over the rows: several vectors per iteration, one vector per iteration, the tail.
func (e *emitter) emitFrameRows(l *ir.Loop) {
	n := e.path.vector / e.k.Width
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" && r != "AX" && r != "DX" {
			e.loadBase(s, r)
		}
	}
	loadRowCount(e, "DX")
	e.Ins("XORL CX, CX")
	if u := e.unrollFactor(); u > 1 {
		e.Ins("SUBQ $%d, DX", u*n-1)
		e.Ins("JLE whole")
		e.emitVectorLoop(l, u, n)
		e.Label("whole")
		e.Ins("ADDQ $%d, DX", (u-1)*n)
		e.Ins("CMPQ CX, DX")
		e.Ins("JGE tail")
	} else {
		e.Ins("SUBQ $%d, DX", n-1)
		e.Ins("JLE tail")
	}
	e.emitVectorLoop(l, 1, n)
	e.Label("tail")
	e.Ins("ADDQ $%d, DX", n-1)
	e.Ins("SUBQ CX, DX")
	e.Ins("JEQ done")
	e.isa.maskTail()
	e.reloadBases("AX", "DX")
	e.tail = true
	e.emitRegion(l.Body)
	e.Label("done")
	if e.k.Stop > 0 {
		loadRowCount(e, "CX")
		e.Label("stop")
		e.Ins("MOVQ CX, ret+%d(FP) // the rows that are done", e.k.Frame.Result)
	}
	e.Ins("VZEROUPPER")
	e.Ins("RET")
}

// unrollFactor returns the number of vectors per iteration of the first loop.
func (e *emitter) unrollFactor() int {
	if e.k.Stop > 0 {
		return 1 // since the caller repeats the whole iteration in which the kernel stopped, although some of its vectors were stored
	}
	loads, others := 0, 0
	for _, it := range e.k.Rows.Body.Items {
		switch v := it.(*ir.Value); v.Op {
		case ir.Load, ir.Store:
			loads++
		case ir.Div, ir.Sqrt:
			others += 8
		default:
			others++
		}
	}
	if loads+others <= 12 {
		return 4
	}
	return 1
}

// loadRowCount loads the number of rows into a register.
func loadRowCount(e *emitter, to string) {
	rows := *e.k.Frame.Rows
	if rows.Kind == ir.Slice {
		e.Ins("MOVQ %s_len+%d(FP), %s", rows.Name, rows.At+8, to)
		return
	}
	e.Ins("MOVQ %s+%d(FP), %s", rows.Name, rows.At, to)
	e.Ins("MOVQ %d(%s), %s // rows", rows.In+8, to, to)
}

// emitVectorLoop writes a loop with u vectors of n rows per iteration.
func (e *emitter) emitVectorLoop(l *ir.Loop, u, n int) {
	if e.rowEndAt >= 0 {
		e.Ins("MOVQ DX, %s", e.slot(e.rowEndAt))
	}
	e.reloadBases("AX", "DX")
	e.Ins("PCALIGN $32")
	loop := fmt.Sprintf("loop%d", u*n)
	e.Label(loop)
	for v := range u {
		e.vectorOffset = v * e.path.vector
		e.emitRegion(l.Body)
	}
	e.vectorOffset = 0
	e.Ins("ADDQ $%d, CX", u*n)
	if e.rowEndAt >= 0 {
		e.Ins("CMPQ CX, %s", e.slot(e.rowEndAt))
	} else {
		e.Ins("CMPQ CX, DX")
	}
	e.Ins("JLT %s", loop)
	if e.rowEndAt >= 0 {
		e.Ins("MOVQ %s, DX", e.slot(e.rowEndAt))
	}
}

// reloadBases loads base addresses again. It does so for the given registers, which have been used
// for other purposes.
func (e *emitter) reloadBases(registers ...string) {
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" && slices.Contains(registers, r) {
			e.loadBase(s, r)
		}
	}
}

func (e *emitter) emitLoop(l *ir.Loop) {
	var begin, again []asm.Move
	for _, p := range l.Phis {
		begin = append(begin, e.phiMove(p.Args[0], p))
		again = append(again, e.phiMove(p.Args[1], p))
	}
	asm.Parallel(begin, e.isa.moveValue, e.isa.moveAside)
	if l.Once {
		emitBranch(e, l, again)
		return
	}
	turn, out := e.New("turn"), e.New("out")
	j := e.registers[l]
	if l.Span != nil {
		e.beginSpan(l, out)
	} else if l.Counted() {
		e.Ins("XORL %s, %s", j, j)
		if l.Count != nil {
			e.Ins("CMPQ %d(DI), $0 // %s", l.Count.Offset, l.Count.Expr)
			e.Ins("JLE %s", out)
		} else if l.Turns <= 0 {
			e.Ins("JMP %s", out)
		}
	}
	if e.pairVariant == nil || e.k.Twinned {
		e.alignInnermost(l)
	}
	e.Label(turn)
	e.emitRegion(l.Head)
	if l.Alive != nil {
		e.isa.jumpIfNone(l.Alive, out)
	}
	e.emitRegion(l.Body)
	asm.Parallel(again, e.isa.moveValue, e.isa.moveAside)
	if l.EndAlive != nil {
		e.isa.jumpIfNone(l.EndAlive, out)
	}
	if l.Counted() {
		e.emitYieldCheck(l)
	}
	switch {
	case l.Count != nil:
		e.Ins("INCQ %s", j)
		e.Ins("CMPQ %s, %d(DI)", j, l.Count.Offset)
		e.Ins("JLT %s", turn)
	case l.Counted():
		e.Ins("INCQ %s", j)
		e.Ins("CMPQ %s, $%d", j, l.Turns)
		e.Ins("JLT %s", turn)
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
		e.isa.jumpIfAny(l.Alive, past)
	} else {
		e.isa.jumpIfNone(l.Alive, past)
	}
	e.emitRegion(l.Body)
	asm.Parallel(after, e.isa.moveValue, e.isa.moveAside)
	e.Label(past)
}

// alignInnermost aligns a loop to 32 bytes if it is the kernel's only innermost loop. If a kernel has several
// loops, it aligns none of them, because Go's assembler does not terminate on functions with many alignments
// and with jumps across them.
func (e *emitter) alignInnermost(l *ir.Loop) {
	innermost := 0
	last := e.k.Rows
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if in, ok := it.(*ir.Loop); ok && !in.Once && !in.Nests() {
			innermost, last = innermost+1, in
		}
	})
	if innermost == 1 && last == l && !e.tail {
		e.Ins("PCALIGN $32")
	}
}

func (e *emitter) phiMove(from, to *ir.Value) asm.Move {
	return asm.Move{Class: e.path.target.Class(to), From: e.operand(from), To: e.operand(to)}
}
