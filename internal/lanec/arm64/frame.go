package arm64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// inFrame is what an emitter needs for kernels whose arguments stand in the frame.
type inFrame struct {
	shift int                // bytes of the vectors before this one, in a loop that has several a turn
	step  int                // bytes of a turn
	uses  map[*ir.Stream]int // left in the first vector, or pair of vectors, of a turn
	twin  int                // added to the registers of values of the row: those of the second vector of a pair
}

// EmitFrame appends a kernel without inner loops whose arguments stand in the frame of the call.
func EmitFrame(k *ir.Kernel, t *asm.Text, constants *asm.Constants) *alloc.Allocation {
	e := &emitter{Text: t, k: k, places: alloc.Allocate(k, target), constants: constants, registers: map[any]string{}}
	frame := 0
	if e.places.Slots > 0 {
		frame = 16 * (e.places.Slots + 1)
	}
	free := append([]string{"R0", "R2"}, general(25)...)
	for _, s := range k.Streams {
		if s.Offset > 0 && s.Place.Kind != ir.Array {
			e.registers[s], free = free[0], free[1:]
		}
	}
	t.Begin()
	t.Line("\n// func %sNEON%s\n// Requires: NEON.\n//\n//\tR1 rows left", k.Frame.Symbol, k.Frame.Go)
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s, advanced by the loops", r, s.Expr)
		}
	}
	t.Line("TEXT ·%sNEON(SB), NOSPLIT, $%d-%d", k.Frame.Symbol, frame, k.Frame.Bytes)
	e.region(k.Entry)
	return e.places
}

// fetch brings where a stream starts into a register.
func (e *emitter) fetch(s *ir.Stream, to string) {
	switch p := s.Place; {
	case e.k.Frame == nil:
		e.Ins("MOVD %d(R0), %s", s.Offset, to)
	case p.Kind == ir.Slice:
		e.Ins("MOVD %s_base+%d(FP), %s", p.Name, p.At, to)
	case p.Kind == ir.Array:
		e.Ins("MOVD %s+%d(FP), %s", p.Name, p.At, to)
	default:
		e.Ins("MOVD %s+%d(FP), %s", p.Name, p.At, to)
		e.Ins("MOVD %s, %s // %s", at(p.In, to), to, s.Expr)
	}
}

// at is a memory operand.
func at(offset int, register string) string {
	if offset == 0 {
		return "(" + register + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, register)
}

// named writes an instruction on bits that Go's assembler can spell, if it is one.
func (e *emitter) named(name string, r []int) bool {
	t := elements(e.width())
	switch name {
	case "AND", "ORR", "EOR", "BSL", "BIT", "BIF":
		e.Ins("V%s V%d.B16, V%d.B16, V%d.B16", name, r[0], r[1], r[2])
		return true
	case "ADD", "SUB", "CMEQ":
		e.Ins("V%s V%d.%s, V%d.%s, V%d.%s", name, r[0], t, r[1], t, r[2], t)
		return true
	case "SHL", "USHR":
		e.Ins("V%s $%d, V%d.%s, V%d.%s", name, r[0], r[1], t, r[2], t)
		return true
	case "NOT": // MVN is what the manual prefers
		e.Ins("VMVN16B(%d, %d)", r[0], r[1])
		return true
	case "XTN":
		e.Ins("VUZP1 V%[1]d.S4, V%[1]d.S4, V%d.S4", r[0], r[1]) // the lower halves
		return true
	case "UXTL":
		e.Ins("VUXTL V%d.S2, V%d.D2", r[0], r[1])
		return true
	}
	return false
}

// elements are those of a register, as Go's assembler writes them.
func elements(width int) string {
	if width == 8 {
		return "D2"
	}
	return "S4"
}

// arrangements are those that have no two forms, or another one than their kernel's.
var arrangements = map[string]string{"BIC": "16B", "FCVTN": "2S", "MUL": "4S"}

// param spreads a number of the frame.
func (e *emitter) param(v *ir.Value, dst int, elements string) {
	letter := "S"
	if e.width() == 8 {
		letter = "D"
	}
	e.Ins("FMOV%s %s+%d(FP), F%d", letter, v.Scalar.Place.Name, v.Scalar.Place.At, dst)
	e.Ins("VDUP V%d.%s[0], V%d.%s", dst, letter, dst, elements)
}

// element reads or writes the row of a stream.
func (e *emitter) element(read bool, s *ir.Stream, register int) {
	name := "FMOVQ"
	switch {
	case e.tail && e.width() == 4:
		name = "FMOVS"
	case e.tail || e.half: // two of 32 bits are one of 64
		name = "FMOVD"
	}
	e.access(read, name, s, fmt.Sprintf("F%d", register))
}

// access reads or writes a stream. Its last use in the first vector, or pair of vectors, of a turn moves its register to the next turn's, from where
// the others are counted back.
func (e *emitter) access(read bool, name string, s *ir.Stream, register string) {
	shift, step := e.shift*e.width()/e.k.Width, e.step*e.width()/e.k.Width
	place := at(shift, e.registers[s])
	if shift > 0 {
		place = at(shift-step, e.registers[s])
	} else if e.uses[s]--; e.uses[s] == 0 {
		name, place = name+".P", at(step, e.registers[s])
	}
	if read {
		e.Ins("%s %s, %s // %s", name, place, register, s.Expr)
	} else {
		e.Ins("%s %s, %s // %s", name, register, place, s.Expr)
	}
}

// register is that of a value, if it has one.
func (e *emitter) register(v *ir.Value) (int, bool) {
	r, ok := e.places.Register(v)
	if ok && e.twin > 0 && v.Region.In(e.k.Rows.Body) {
		r += e.twin
	}
	return r, ok
}

// pairs says whether two vectors have room side by side.
func (e *emitter) pairs() bool {
	for _, it := range e.k.Rows.Body.Items {
		if v, ok := it.(*ir.Value); ok && v.Kind.IsHalf() {
			return false
		}
	}
	return e.places.Slots == 0 && 2*e.places.Peak[0] <= target.Registers[0]
}

// pair writes the operations on two vectors in turns, with one instruction for both loads or stores.
func (e *emitter) pair(r *ir.Region) {
	both := func(v *ir.Value) string {
		first, _ := e.register(v)
		e.twin = e.places.Peak[0]
		second, _ := e.register(v)
		e.twin = 0
		return fmt.Sprintf("(F%d, F%d)", first, second)
	}
	for _, it := range r.Items {
		switch v := it.(*ir.Value); v.Op {
		case ir.Load:
			e.access(true, "FLDPQ", v.Stream, both(v))
		case ir.Store:
			e.access(false, "FSTPQ", v.Stream, both(v.Args[0]))
		default:
			e.value(v)
			e.twin = e.places.Peak[0]
			e.value(v)
			e.twin = 0
		}
	}
}

// unrolled is how many vectors a turn of the first loop has.
func (e *emitter) unrolled() int {
	if e.k.Stop > 0 {
		return 1 // what was written of a turn before it stops would be done again
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

// frameRows writes the loops over the rows: several vectors a turn, one, and row by row.
func (e *emitter) frameRows(l *ir.Loop) {
	n := 16 / e.k.Width
	allRows(e, "R1")
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" {
			e.fetch(s, r)
		}
	}
	u := e.unrolled()
	if u > 1 {
		e.Ins("SUBS $%d, R1", u*n)
		e.Ins("BLT whole")
		e.turns(l, u, n)
		e.Label("whole")
		e.Ins("ADDS $%d, R1", (u-1)*n)
		e.Ins("BLT last")
	} else {
		e.Ins("SUBS $%d, R1", n)
		e.Ins("BLT last")
	}
	e.turns(l, 1, n)
	e.Label("last")
	e.Ins("ADDS $%d, R1", n)
	e.Ins("BEQ done")
	e.tail = true
	e.turns(l, 1, 1)
	e.Label("done")
	if e.k.Stop > 0 {
		allRows(e, "R3")
		e.Ins("MOVD R3, ret+%d(FP)", e.k.Frame.Result)
	}
	e.Ins("RET")
	if e.k.Stop > 0 {
		e.Label("stop")
		e.Ins("ADD $%d, R1", n)
		e.Label("stop1")
		allRows(e, "R3")
		e.Ins("SUB R1, R3")
		e.Ins("MOVD R3, ret+%d(FP) // the rows that are done", e.k.Frame.Result)
		e.Ins("RET")
	}
}

// allRows brings the number of all rows into a register.
func allRows(e *emitter, to string) {
	rows := *e.k.Frame.Rows
	if rows.Kind == ir.Slice {
		e.Ins("MOVD %s_len+%d(FP), %s", rows.Name, rows.At+8, to)
		return
	}
	e.Ins("MOVD %s+%d(FP), %s", rows.Name, rows.At, to)
	e.Ins("MOVD %d(%s), %s // rows", rows.In+8, to, to)
}

// turns writes a loop of so many vectors a turn, of n rows each.
func (e *emitter) turns(l *ir.Loop, u, n int) {
	loop := fmt.Sprintf("loop%d", u*n)
	e.Label(loop)
	e.step, e.uses = e.k.Width*u*n, map[*ir.Stream]int{}
	for _, it := range l.Body.Items {
		if v := it.(*ir.Value); v.Stream != nil {
			e.uses[v.Stream]++
		}
	}
	for v := 0; v < u; v++ {
		if e.shift = 16 * v; u > 1 && e.pairs() {
			e.pair(l.Body)
			v++
			continue
		}
		e.region(l.Body)
	}
	e.shift = 0
	e.Ins("SUBS $%d, R1", u*n)
	if e.tail {
		e.Ins("BNE %s", loop)
	} else {
		e.Ins("BGE %s", loop)
	}
}
