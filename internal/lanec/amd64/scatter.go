package amd64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// scattering are the registers that a kernel needs which writes row by row: the row of the vector, the number of an element, a stream.
var scattering = []string{"R11", "R12", "R13"}

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
		e.set.spill(a, e.scratch+i*e.path.vector)
	}
	w := e.k.Width
	at := func(i int) string {
		return fmt.Sprintf("%d(SP)(R11*%d)", e.scratch+i*e.path.vector, v.Args[i].Kind.Size(w))
	}
	move, zero := "MOVL", "TESTL"
	if w == 8 {
		move, zero = "MOVQ", "TESTQ"
	}
	row := e.New("row")
	e.Ins("XORL R11, R11")
	e.Label(row)
	for i, p := range v.Puts {
		next := e.New("next")
		e.Ins("%s %s, AX", move, at(3*i+2))
		e.Ins("%s AX, AX", zero)
		e.Ins("JEQ %s", next)
		e.Ins("%s %s, R12", move, at(3*i))
		base := e.registers[p.Stream]
		if base == "" {
			base = "R13"
			e.Ins("MOVQ %d(DI), R13", p.Stream.Offset)
		}
		e.half = p.Stream.Elem.IsHalf()
		e.put(p, at(3*i+1), fmt.Sprintf("(%s)(R12*%d)", base, e.width()))
		e.half = false
		e.Label(next)
	}
	e.Ins("INCQ R11")
	e.Ins("CMPQ R11, $%d", e.path.vector/w)
	e.Ins("JLT %s", row)
}

// integers are the instructions that change an integer in memory.
var integers = map[ir.Op]string{ir.IntAdd: "ADD", ir.IntSub: "SUB", ir.And: "AND", ir.Or: "OR", ir.Xor: "XOR"}

// put writes one value to one element.
func (e *emitter) put(p ir.Put, value, to string) {
	size, s, spare := "L", e.float(), "X15"
	if e.path == AVX512 {
		spare = "X31"
	}
	if e.width() == 8 {
		size = "Q"
	}
	switch p.How {
	case ir.Add, ir.Sub:
		e.Ins("VMOVS%s %s, %s // %s", s, to, spare, p.Stream.Expr)
		e.Ins("V%sS%s %s, %s, %s", map[ir.Op]string{ir.Add: "ADD", ir.Sub: "SUB"}[p.How], s, value, spare, spare)
		e.Ins("VMOVS%s %s, %s", s, spare, to)
	case ir.Store:
		e.Ins("MOV%s %s, AX", size, value)
		e.Ins("MOV%s AX, %s // %s", size, to, p.Stream.Expr)
	default:
		e.Ins("MOV%s %s, AX", size, value)
		e.Ins("%s%s AX, %s // %s", integers[p.How], size, to, p.Stream.Expr)
	}
}
