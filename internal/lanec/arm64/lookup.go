package arm64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// gather reads elements one by one: NEON has no instruction for it. Rows that do not ask read element 0; where no row asks, nothing is read.
func (e *emitter) gather(v *ir.Value) {
	dst, inRegister := e.places.Register(v)
	if !inRegister {
		dst = 31
	}
	half := e.half
	e.half = false
	m := e.reg(v.Args[1], 29)
	e.any(m)
	e.word("AND", e.reg(v.Args[0], 30), m, 30)
	e.word("EOR", dst, dst, dst)
	skip := e.New("nothing")
	e.Ins("CBZ R3, %s", skip)
	base := e.start(v.Stream, "R3")
	_, index, _ := e.sizes()
	e.half = half
	move, letter, scale := e.sizes()
	for lane := range e.lanes() {
		e.Ins("VMOV V30.%s[%d], R26", index, lane)
		e.Ins("%s (%s)(R26<<%d), R26 // %s", move, base, scale, v.Stream.Expr)
		e.Ins("VMOV R26, V%d.%s[%d]", dst, letter, lane)
	}
	e.Label(skip)
	if !inRegister {
		e.Ins("FMOVQ F31, %s", e.place(v))
	}
}

// sizes are the move of an element into a general register, the letter of one and the shift of its number.
func (e *emitter) sizes() (move, letter string, scale int) {
	if e.width() == 4 {
		return "MOVWU", "S", 2
	}
	return "MOVD", "D", 3
}

// lanes is how many rows there are in a vector here.
func (e *emitter) lanes() int {
	if e.tail {
		return 1
	}
	return 16 / e.k.Width
}

// puts is how many values a kernel writes row by row.
func puts(k *ir.Kernel) (n int) {
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if v, ok := it.(*ir.Value); ok {
			n += len(v.Puts)
		}
	})
	return n
}

// scatter writes all vectors to the frame, and from there one row after the other, in the order of the Go source.
func (e *emitter) scatter(v *ir.Value) {
	for i, a := range v.Args {
		e.Ins("FMOVQ F%d, %d(RSP)", e.reg(a, 31), e.scratch+16*i)
	}
	move, _, _ := e.sizes()
	for lane := range e.lanes() {
		for i, p := range v.Puts {
			at := func(k int) string {
				return fmt.Sprintf("%d(RSP)", e.scratch+16*(3*i+k)+lane*v.Args[3*i+k].Kind.Size(e.k.Width))
			}
			next := e.New("next")
			e.Ins("%s %s, R3", move, at(2))
			e.Ins("CBZ R3, %s", next)
			e.Ins("%s %s, R26", move, at(0))
			e.half = p.Stream.Elem.IsHalf()
			_, _, scale := e.sizes()
			e.put(p, at(1), fmt.Sprintf("(%s)(R26<<%d)", e.start(p.Stream, "R25"), scale))
			e.half = false
			e.Label(next)
		}
	}
}

// integers are the instructions on two integers, the second of which is the one in memory.
var integers = map[ir.Op]string{ir.IntAdd: "ADD", ir.IntSub: "SUB", ir.And: "AND", ir.Or: "ORR", ir.Xor: "EOR"}

// put writes one value to one element.
func (e *emitter) put(p ir.Put, value, to string) {
	s, store := "S", "MOVW"
	if e.width() == 8 {
		s, store = "D", "MOVD"
	}
	load, _, _ := e.sizes()
	switch p.How {
	case ir.Add, ir.Sub:
		e.Ins("FMOV%s %s, F31 // %s", s, to, p.Stream.Expr)
		e.Ins("FMOV%s %s, F30", s, value)
		e.Ins("F%s%s F30, F31, F31", map[ir.Op]string{ir.Add: "ADD", ir.Sub: "SUB"}[p.How], s)
		e.Ins("FMOV%s F31, %s", s, to)
	case ir.Store:
		e.Ins("%s %s, R3", load, value)
		e.Ins("%s R3, %s // %s", store, to, p.Stream.Expr)
	default:
		e.Ins("%s %s, R3", load, value)
		e.Ins("%s %s, R24 // %s", load, to, p.Stream.Expr)
		e.Ins("%s R3, R24, R24", integers[p.How])
		e.Ins("%s R24, %s", store, to)
	}
}
