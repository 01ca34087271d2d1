package amd64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// framed are the registers of streams where arguments stand in the frame. AX and DX join them where there are many: R15 is the linker's.
var framed = []string{"DI", "SI", "BX", "R8", "R9", "R10", "R11", "R12", "R13", "R14"}

// inFrame is what an emitter needs for such kernels.
type inFrame struct {
	masked string             // the register that holds the mask of the last rows on AVX2; "" if it stands in the frame
	folded map[*ir.Value]bool // loads that are operands in memory
	shift  int                // bytes of the vectors before this one, in a loop that has several a turn
	slot   int                // where in the frame the end of the rows stands, if DX does not hold it
}

// EmitFrame appends a kernel without inner loops whose arguments stand in the frame of the call. It changes the kernel.
func EmitFrame(k *ir.Kernel, p *Path, t *asm.Text, constants *asm.Constants) *alloc.Allocation {
	k.Lower()
	target := p.target
	if p == AVX2 {
		target.Registers = []int{13}
		target.InMemory = nil
	}
	e := &emitter{Text: t, path: p, form: form{k: k, registers: map[any]string{}}, constants: constants, inFrame: inFrame{slot: -1}}
	if e.places = alloc.Allocate(k, target); p == AVX2 {
		e.masked = "Y13"
		if e.places.Spilled > 0 || mixed(k) {
			e.places, e.masked = alloc.Allocate(k, p.target), ""
		}
	}
	if p == AVX512 {
		e.set = &avx512{e}
	} else {
		e.set = &avx2{e}
	}
	frame := e.places.Slots * p.vector
	if p == AVX2 && e.masked == "" {
		frame += p.vector
	}
	if p == AVX2 && mixed(k) {
		e.narrow = frame
		frame += p.vector
	}
	frame = e.share(frame)
	flags := "NOSPLIT"
	if frame > 700 {
		flags = "0"
	}
	t.Begin()
	t.Line("\n// func %s%s%s", k.Frame.Symbol, p.Name, k.Frame.Go)
	t.Line("// Requires: %s.\n//\n//\tCX row   DX end", p.needs)
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s", r, s.Expr)
		}
	}
	t.Line("TEXT ·%s%s(SB), %s, $%d-%d", k.Frame.Symbol, p.Name, flags, frame, k.Frame.Bytes)
	if flags == "0" {
		e.Ins("NO_LOCAL_POINTERS")
	}
	if p == AVX512 && slices.ContainsFunc(k.Rows.Body.Items, func(it ir.Item) bool { v, ok := it.(*ir.Value); return ok && v.Op == ir.Rows }) {
		e.Ins("KXNORW K7, K7, K7 // all rows")
	}
	e.fold()
	e.region(k.Entry)
	return e.places
}

// fold notes the loads that are operands in memory of the one operation that uses them.
func (e *emitter) fold() {
	e.folded = map[*ir.Value]bool{}
	uses := map[*ir.Value]int{}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if v, ok := it.(*ir.Value); ok {
			for _, a := range v.Args {
				uses[a]++
			}
		}
	})
	fits := func(v *ir.Value) bool { return v.Op == ir.Load && uses[v] == 1 && e.registers[v.Stream] != "" }
	since := map[*ir.Value]bool{} // loads that no store follows yet
	for _, it := range e.k.Rows.Body.Items {
		v := it.(*ir.Value)
		switch v.Op {
		case ir.Load:
			since[v] = true
		case ir.Store:
			clear(since)
		case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Smaller, ir.Larger, ir.Xor, ir.And:
			switch {
			case fits(v.Args[1]) && since[v.Args[1]]:
				e.folded[v.Args[1]] = true
			case slices.Contains(commutes, v.Op) && fits(v.Args[0]) && since[v.Args[0]]:
				e.folded[v.Args[0]] = true
			}
		}
	}
}

// share gives the streams of the rows their registers and returns the size of the frame.
func (e *emitter) share(frame int) int {
	var rows []*ir.Stream
	for _, s := range e.k.Streams {
		if s.Offset > 0 && s.Place.Kind != ir.Array {
			rows = append(rows, s)
		}
	}
	free := framed
	if n := len(rows) - len(free); n == 1 || n == 2 {
		free = append(slices.Clip(free), "AX")
	}
	if len(rows) > len(framed)+1 {
		free = append(slices.Clip(free), "DX")
		e.slot, frame = frame, frame+8
	}
	for i, s := range rows {
		if i < len(free) {
			e.registers[s] = free[i]
		}
	}
	return frame
}

// fetch brings where a stream starts into a register.
func (e *emitter) fetch(s *ir.Stream, to string) {
	switch p := s.Place; {
	case e.k.Frame == nil:
		e.Ins("MOVQ %d(DI), %s", s.Offset, to)
	case p.Kind == ir.Slice:
		e.Ins("MOVQ %s_base+%d(FP), %s", p.Name, p.At, to)
	case p.Kind == ir.Array:
		e.Ins("MOVQ %s+%d(FP), %s", p.Name, p.At, to)
	default:
		e.Ins("MOVQ %s+%d(FP), %s", p.Name, p.At, to)
		e.Ins("MOVQ %s, %s // %s", at(p.In, to), to, s.Expr)
	}
}

// scalar is where a number stands.
func (e *emitter) scalar(s *ir.Scalar) string {
	if e.k.Frame == nil {
		return fmt.Sprintf("%d(DI)", s.Offset)
	}
	return fmt.Sprintf("%s+%d(FP)", s.Place.Name, s.Place.At)
}

// at is a memory operand.
func at(offset int, register string) string {
	if offset == 0 {
		return "(" + register + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, register)
}

// unrolled is how many vectors a turn of the first loop has.
func (e *emitter) unrolled() int {
	if e.k.Stop > 0 {
		return 1 // what was written of a turn before it stops would be done again
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

// frameRows writes the loops over the rows: several vectors a turn, one, and the rest.
func (e *emitter) frameRows(l *ir.Loop) {
	n := e.path.vector / e.k.Width
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" && r != "AX" && r != "DX" {
			e.fetch(s, r)
		}
	}
	allRows(e, "DX")
	e.Ins("XORL CX, CX")
	if u := e.unrolled(); u > 1 {
		e.Ins("SUBQ $%d, DX", u*n-1)
		e.Ins("JLE whole")
		e.turns(l, u, n)
		e.Label("whole")
		e.Ins("ADDQ $%d, DX", (u-1)*n)
		e.Ins("CMPQ CX, DX")
		e.Ins("JGE tail")
	} else {
		e.Ins("SUBQ $%d, DX", n-1)
		e.Ins("JLE tail")
	}
	e.turns(l, 1, n)
	e.Label("tail")
	e.Ins("ADDQ $%d, DX", n-1)
	e.Ins("SUBQ CX, DX")
	e.Ins("JEQ done")
	e.set.rest()
	e.again("AX", "DX")
	e.tail = true
	e.region(l.Body)
	e.Label("done")
	if e.k.Stop > 0 {
		allRows(e, "CX")
		e.Label("stop")
		e.Ins("MOVQ CX, ret+%d(FP) // the rows that are done", e.k.Frame.Result)
	}
	e.Ins("VZEROUPPER")
	e.Ins("RET")
}

// allRows brings the number of all rows into a register.
func allRows(e *emitter, to string) {
	rows := *e.k.Frame.Rows
	if rows.Kind == ir.Slice {
		e.Ins("MOVQ %s_len+%d(FP), %s", rows.Name, rows.At+8, to)
		return
	}
	e.Ins("MOVQ %s+%d(FP), %s", rows.Name, rows.At, to)
	e.Ins("MOVQ %d(%s), %s // rows", rows.In+8, to, to)
}

// turns writes a loop of so many vectors a turn.
func (e *emitter) turns(l *ir.Loop, u, n int) {
	if e.slot >= 0 {
		e.Ins("MOVQ DX, %d(SP)", e.slot)
	}
	e.again("AX", "DX")
	e.Ins("PCALIGN $32")
	loop := fmt.Sprintf("loop%d", u*n)
	e.Label(loop)
	for v := range u {
		e.shift = v * e.path.vector
		e.region(l.Body)
	}
	e.shift = 0
	e.Ins("ADDQ $%d, CX", u*n)
	if e.slot >= 0 {
		e.Ins("CMPQ CX, %d(SP)", e.slot)
	} else {
		e.Ins("CMPQ CX, DX")
	}
	e.Ins("JLT %s", loop)
	if e.slot >= 0 {
		e.Ins("MOVQ %d(SP), DX", e.slot)
	}
}

// again brings streams back into registers that were used for something else.
func (e *emitter) again(registers ...string) {
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" && slices.Contains(registers, r) {
			e.fetch(s, r)
		}
	}
}
