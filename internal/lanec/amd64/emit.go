package amd64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A Path is one of the instruction sets.
type Path struct {
	Name   string
	suffix string // of lanec in the names of functions
	needs  string
	vector int    // bytes
	letter string // of its registers
	lower  string // of their lower halves
	target alloc.Target
}

// Symbol is the name of a kernel's function on this path.
func (p *Path) Symbol(symbol string) string {
	return strings.Replace(symbol, "lanec", "lanec"+p.suffix, 1)
}

// general are the registers that loops and streams share.
var general = []string{"BX", "SI", "R8", "R9", "R10", "R11", "R12", "R13"}

// An emitter writes one kernel for one path.
type emitter struct {
	*asm.Text
	form
	two       *form // with two vectors a turn, or nil
	path      *Path
	constants *asm.Constants
	tail      bool // it is at the last, masked vector
	puts      int  // values that are written row by row
	scratch   int  // where they stand in the frame
	half      bool // it writes an operation on elements of half the kernel's width
	narrow    int  // where in the frame the mask of the last rows stands for them, on AVX2
	breath    breath
	operand   operand
	lookups   lookups
	inFrame
	set set
}

// A set is what differs between the paths.
type set interface {
	value(v *ir.Value)
	leave(none *ir.Value, to string) // jumps if no element of a mask is set
	stop(any *ir.Value, to string)   // jumps if one is
	spill(v *ir.Value, at int)       // writes a value to the frame, masks as numbers
	rest()                           // prepares the mask of the last vector; DX holds the number of its rows
	move(m asm.Move)
	aside(m asm.Move) string
}

// Emit appends a kernel to a text. It returns what was allocated.
func Emit(k *ir.Kernel, p *Path, t *asm.Text, constants *asm.Constants, symbol string) *alloc.Allocation {
	free := general
	n := puts(k)
	if n > 0 {
		free = general[:len(general)-len(scattering)]
	}
	e := &emitter{Text: t, path: p, form: newForm(k, p, free), constants: constants, puts: n}
	e.pair(free)
	if p == AVX512 {
		e.set = &avx512{e}
	} else {
		e.set = &avx2{e}
	}
	frame := p.vector * e.most(func(a *alloc.Allocation) int { return a.Slots })
	if p == AVX2 {
		frame += p.vector // the mask of the last rows
	}
	if p == AVX2 && mixed(k) {
		e.narrow = frame
		frame += p.vector
	}
	e.scratch = frame
	frame += 3 * e.puts * p.vector
	frame = e.lookups.plan(e, frame)
	frame = e.planBreaths(frame)
	flags := "NOSPLIT"
	if frame > 700 || e.breath.fuel > 0 {
		flags = "0"
	}
	t.Begin()
	name := p.Symbol(symbol)
	t.Line("\n// func %s(a *%sArgs)\n// Requires: %s.\n//", name, symbol, p.needs)
	t.Line("//\tDI a   CX row   DX end of whole vectors   AX work")
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s", r, s.Expr)
		}
	}
	t.Line("TEXT ·%s(SB), %s, $%d-8", name, flags, frame)
	if e.breath.fuel > 0 {
		e.Ins("NO_LOCAL_POINTERS")
	}
	e.pointers()
	e.Ins("MOVQ 0(DI), DX // rows")
	e.Ins("XORL CX, CX")
	e.refuel()
	if p == AVX512 {
		e.Ins("KXNORW K7, K7, K7 // all rows")
	}
	e.pairs()
	e.region(k.Entry)
	e.breathe()
	return e.places
}

// pointers reads where the argument block is, and where streams start.
func (e *emitter) pointers() {
	e.Ins("MOVQ a+0(FP), DI")
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" {
			e.Ins("MOVQ %d(DI), %s // %s", s.Offset, r, s.Expr)
		}
	}
}

// region writes what a region does, in its order. Its invariant: a value that is folded is not written where it
// stands, but by the next item, its only reader, as an operand in memory.
func (e *emitter) region(r *ir.Region) {
	if r == nil {
		return
	}
	for i, it := range r.Items {
		switch it := it.(type) {
		case *ir.Value:
			if e.k.Twinned {
				e.shift = twin(it) * e.path.vector
			}
			switch {
			case i+1 < len(r.Items) && e.folds(it, r.Items[i+1]):
				e.operand = operand{it, e.row(it.Stream)}
			case e.unasked[it], e.lookups.idle[it] && !e.tail:
			case it.Op == ir.Guard && e.lookups.idle[it.Args[0]] && !e.tail:
				e.set.stop(withoutRows(it.Args[0]).Args[1], "stop")
			case it.Op == ir.Guard:
				e.set.stop(it.Args[0], "stop")
			case it.Op == ir.Scatter:
				e.scatter(it)
			case e.folded[it] && !e.tail:
			default:
				e.half = it.Kind.IsHalf()
				e.set.value(it)
				e.half = false
				e.operand.v = nil
			}
		case *ir.Loop:
			if e.shift = 0; it == e.k.Rows {
				e.rows(it)
			} else {
				e.loop(it)
			}
		}
	}
}

// twin is which of two vectors of rows a value is of.
func twin(v *ir.Value) int {
	if v.Next {
		return 1
	}
	return 0
}

// rows writes the loop over the rows: whole vectors, then the rest.
func (e *emitter) rows(l *ir.Loop) {
	switch {
	case e.k.Twinned:
		e.twoRows(l)
		return
	case e.k.Frame != nil:
		e.frameRows(l)
		return
	}
	n := e.path.vector / e.k.Width
	loop := fmt.Sprintf("loop%d", n)
	e.Ins("SUBQ $%d, DX", n-1)
	if e.two != nil {
		e.Ins("CMPQ CX, DX")
		e.Ins("JGE tail")
	} else {
		e.Ins("JLE tail")
		e.align(l)
	}
	e.Label(loop)
	e.region(l.Body)
	e.Ins("ADDQ $%d, CX", n)
	e.Ins("CMPQ CX, DX")
	e.Ins("JLT %s", loop)
	e.Label("tail")
	e.Ins("ADDQ $%d, DX", n-1)
	e.Ins("SUBQ CX, DX")
	e.Ins("JEQ done")
	e.set.rest()
	e.tail = true
	e.region(l.Body)
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

func (e *emitter) loop(l *ir.Loop) {
	var begin, again []asm.Move
	for _, p := range l.Phis {
		begin = append(begin, e.moving(p.Args[0], p))
		again = append(again, e.moving(p.Args[1], p))
	}
	asm.Parallel(begin, e.set.move, e.set.aside)
	if l.Once {
		once(e, l, again)
		return
	}
	turn, out := e.New("turn"), e.New("out")
	j := e.registers[l]
	if l.Counted() {
		e.Ins("XORL %s, %s", j, j)
		if l.Count != nil {
			e.Ins("CMPQ %d(DI), $0 // %s", l.Count.Offset, l.Count.Expr)
			e.Ins("JLE %s", out)
		} else if l.Turns <= 0 {
			e.Ins("JMP %s", out)
		}
	}
	if e.two == nil || e.k.Twinned {
		e.align(l)
	}
	e.Label(turn)
	e.region(l.Head)
	if l.Alive != nil {
		e.set.leave(l.Alive, out)
	}
	e.region(l.Body)
	asm.Parallel(again, e.set.move, e.set.aside)
	if l.EndAlive != nil {
		e.set.leave(l.EndAlive, out)
	}
	if l.Counted() {
		e.ask(l)
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
		e.turnAgain(turn)
	}
	e.Label(out)
}

// once writes a branch behind what its variables are before it.
func once(e *emitter, l *ir.Loop, after []asm.Move) {
	past := e.New("past")
	if l.Unless {
		e.set.stop(l.Alive, past)
	} else {
		e.set.leave(l.Alive, past)
	}
	e.region(l.Body)
	asm.Parallel(after, e.set.move, e.set.aside)
	e.Label(past)
}

// align puts a loop on a border of 32 bytes, if it is the only one of the kernel that has no other loop inside: where there are many
// such borders and jumps over them, Go's assembler does not come to an end.
func (e *emitter) align(l *ir.Loop) {
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

func (e *emitter) moving(from, to *ir.Value) asm.Move {
	return asm.Move{Class: e.path.target.Class(to), From: e.place(from), To: e.place(to)}
}

// place is where a value stands: a register, memory, or its constant.
func (e *emitter) place(v *ir.Value) string {
	if e.folded[v] && !e.tail {
		return e.row(v.Stream)
	}
	if v == e.operand.v {
		return e.operand.at
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
		return fmt.Sprintf("%d(SP)", n*e.path.vector)
	}
	if class == 1 {
		if v.Bits == 0 {
			return none
		}
		return every
	}
	return e.constants.Symbol(v.Kind.Size(e.k.Width), v.Bits)
}

func inMemory(place string) bool { return strings.HasSuffix(place, ")") }

// reg returns a register that holds v: its own, or the spare one, into which it is loaded.
func (e *emitter) reg(v *ir.Value, spare string) string {
	place := e.place(v)
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

// base is the register that holds where a stream starts.
func (e *emitter) base(s *ir.Stream) string {
	if r := e.registers[s]; r != "" {
		return r
	}
	e.fetch(s, "AX")
	return "AX"
}

// element is the operand that Spread reads.
func (e *emitter) element(v *ir.Value) string {
	if v.Loop == nil {
		return fmt.Sprintf("%d(%s)", int(v.Bits)*e.width(), e.base(v.Stream))
	}
	return fmt.Sprintf("(%s)(%s*%d)", e.base(v.Stream), e.registers[v.Loop], e.width())
}

// row is the operand of a stream at the row.
func (e *emitter) row(s *ir.Stream) string {
	if s.Ring {
		e.Ins("MOVL CX, AX")
		if e.shift > 0 {
			e.Ins("ADDL $%d, AX", e.shift/e.k.Width)
		}
		e.Ins("SHLL $%d, AX", e.width()/4+1)
		e.Ins("ANDL $255, AX // the accumulator of the row")
		e.Ins("ADDQ %d(DI), AX", s.Offset)
		return "(AX)"
	}
	return at(e.shift*e.width()/e.k.Width, e.base(s)) + fmt.Sprintf("(CX*%d)", e.width())
}

// float is the letter of an instruction on floats of this width, whole that of one on integers.
func (e *emitter) float() string {
	if e.width() == 4 {
		return "S"
	}
	return "D"
}

func (e *emitter) whole() string {
	if e.width() == 4 {
		return "D"
	}
	return "Q"
}

// sign is the highest bit.
func (e *emitter) sign() uint64 { return 1 << (8*e.width() - 1) }

// commutes are the operations whose arguments may change places.
var commutes = []ir.Op{ir.Add, ir.Mul, ir.And, ir.Or, ir.Xor, ir.IntAdd, ir.IntMul, ir.IntEqual}

// comparison returns the predicate of a comparison of floats, a register with the one number and the place of the other.
func (e *emitter) comparison(v *ir.Value, spare string) (predicate int, a, b string) {
	x, y := v.Args[0], v.Args[1]
	predicate = compares[v.Op]
	if inMemory(e.place(x)) && !inMemory(e.place(y)) {
		x, y = y, x
		predicate = mirrored[v.Op]
	}
	return predicate, e.reg(x, spare), e.place(y)
}

// operands returns a register with the first argument and the place of the second one.
func (e *emitter) operands(v *ir.Value, spare string) (a, b string) {
	x, y := v.Args[0], v.Args[1]
	if slices.Contains(commutes, v.Op) && inMemory(e.place(x)) && !inMemory(e.place(y)) {
		x, y = y, x
	}
	return e.reg(x, spare), e.place(y)
}
