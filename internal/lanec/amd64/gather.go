package amd64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// elementwiseGathers plans the gathers for which AVX2 code loads the elements one by one. The code does this if all
// rows of a vector look up an element, because on most CPUs without AVX-512 a gather instruction does the same
// number of loads and about thirty additional operations. A guard before the loads has checked that all indices are
// in range.
type elementwiseGathers struct {
	unused    map[*ir.Value]bool // values that whole vectors do not need
	indicesAt int                // offset in the frame of computed indices; 0 if there are none
}

// planGathers finds the values that whole vectors do not need. It returns the size of the frame, including the slots for the
// indices.
func (l *elementwiseGathers) planGathers(e *emitter, frame int) int {
	l.unused = map[*ir.Value]bool{}
	if e.path != AVX2 || e.k.Frame != nil {
		return frame
	}
	var rows []*ir.Value
	needed := map[*ir.Value]bool{} // values with a user other than a gather's or an And's mask
	e.k.Entry.Walk(func(it ir.Item, r *ir.Region, _ int) {
		switch it := it.(type) {
		case *ir.Value:
			switch it.Op {
			case ir.Rows:
				rows = append(rows, it)
			case ir.Gather:
				frame += l.reserveIndices(e, it, frame)
			case ir.Guard:
				l.noteSignGuard(e, it, r)
			}
			for i, a := range it.Args {
				needed[a] = needed[a] || it.Op != ir.And && (it.Op != ir.Gather || i == 0)
			}
		case *ir.Loop:
			noteLoopUses(needed, it)
		}
	})
	for _, v := range rows {
		l.unused[v] = !needed[v]
	}
	return frame
}

// noteLoopUses notes the values that a loop needs in its next iteration.
func noteLoopUses(needed map[*ir.Value]bool, l *ir.Loop) {
	for _, p := range l.Phis {
		for _, a := range p.Args {
			needed[a] = true
		}
	}
	needed[l.Alive], needed[l.EndAlive] = true, true
}

// reserveIndices reserves a vector at the end of the frame for computed indices, unless there is one already, and returns its size.
func (l *elementwiseGathers) reserveIndices(e *emitter, v *ir.Value, frame int) int {
	if l.indicesAt != 0 || !gathersElementwise(e, v) || indexInStream(e, v.Args[0]) {
		return 0
	}
	l.indicesAt = frame
	return e.path.vector
}

// noteSignGuard handles a guard against negative numbers: the two items before it are the comparison 0 > x and the AND of this comparison and the row
// mask. In a whole vector the guard tests the sign bits of x directly, so both items are unused.
func (l *elementwiseGathers) noteSignGuard(e *emitter, guard *ir.Value, r *ir.Region) {
	both, at := guard.Args[0], slices.Index(r.Items, ir.Item(guard))
	below := withoutRowMask(both)
	if at < 2 || below == both || r.Items[at-1] != ir.Item(both) || r.Items[at-2] != ir.Item(below) || e.useCount[both] != 1 || e.useCount[below] != 1 {
		return
	}
	if below.Op == ir.IntGreater && below.Args[0].Op == ir.Const && below.Args[0].Bits == 0 {
		l.unused[both], l.unused[below] = true, true
	}
}

// withoutRowMask returns x if v is the AND of x and the row mask. Otherwise it returns v.
func withoutRowMask(v *ir.Value) *ir.Value {
	if v.Op == ir.And && v.Kind == ir.Mask {
		for i, a := range v.Args {
			if a.Op == ir.Rows {
				return v.Args[1-i]
			}
		}
	}
	return v
}

// gathersElementwise reports whether the elements of a gather are loaded one by one: all rows of a whole vector look up an element,
// and indices and elements have the width of the kernel.
func gathersElementwise(e *emitter, v *ir.Value) bool {
	return v.Args[1].Op == ir.Rows && !v.Kind.IsHalf() && !v.Args[0].Kind.IsHalf() && e.registers[v.Stream] != ""
}

// indexInStream reports whether an index is an element of a stream that the kernel does not write. Such an index is read from
// the stream itself.
func indexInStream(e *emitter, v *ir.Value) bool {
	return v.Op == ir.Load && !v.Stream.Written && !v.Kind.IsHalf() && e.registers[v.Stream] != ""
}

// emitGather loads the elements of a whole vector with one instruction each.
func (l *elementwiseGathers) emitGather(e *emitter, v *ir.Value, dst string) {
	k, w := v.Args[0], e.k.Width
	index := func(i int) string { return e.slot(l.indicesAt + i*w) }
	if indexInStream(e, k) {
		index = func(i int) string {
			return address(e.vectorOffset*e.elementBytes()/e.k.Width+i*w, e.registers[k.Stream]) + fmt.Sprintf("(CX*%d)", w)
		}
	} else {
		e.isa.storeVector(k, l.indicesAt)
	}
	table := e.registers[v.Stream]
	half := func(from int, to string) {
		for i := range 16 / w {
			if w == 8 {
				e.Ins("MOVQ %s, AX", index(from+i))
				e.Ins([]string{"VMOVSD (%s)(AX*8), %[2]s // %[3]s", "VMOVHPD (%s)(AX*8), %[2]s, %[2]s // %[3]s"}[i], table, to, v.Stream.Expr)
				continue
			}
			e.Ins("MOVL %s, AX", index(from+i))
			if i == 0 {
				e.Ins("VMOVSS (%s)(AX*4), %s // %s", table, to, v.Stream.Expr)
			} else {
				e.Ins("VINSERTPS $%d, (%s)(AX*4), %s, %s // %s", 16*i, table, to, to, v.Stream.Expr)
			}
		}
	}
	half(0, e.lowerHalf(dst))
	half(16/w, "X14")
	e.Ins("VINSERTF128 $1, X14, %s, %s", dst, dst)
}

// countScatterStores returns how many values all Scatters of the kernel together store per row.
func countScatterStores(k *ir.Kernel) (n int) {
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if v, ok := it.(*ir.Value); ok {
			n += len(v.Puts)
		}
	})
	return n
}

// emitScatter first stores the vectors with the values, indices and masks in the frame. Then it stores one
// row after the other, in the order of the Go source, because two rows may have the same index.
func (e *emitter) emitScatter(v *ir.Value) {
	for i, a := range v.Args {
		e.isa.storeVector(a, e.scatterAt+i*e.path.vector)
	}
	w := e.k.Width
	at := func(i int) string {
		return fmt.Sprintf("%s(R11*%d)", e.slot(e.scatterAt+i*e.path.vector), v.Args[i].Kind.Size(w))
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
		e.emitStore(p, at(3*i+1), fmt.Sprintf("(%s)(R12*%d)", base, e.elementBytes()))
		e.half = false
		e.Label(next)
	}
	e.Ins("INCQ R11")
	e.Ins("CMPQ R11, $%d", e.path.vector/w)
	e.Ins("JLT %s", row)
}

// memoryOps maps an operation to the instruction on an integer in memory.
var memoryOps = map[ir.Op]string{ir.IntAdd: "ADD", ir.IntSub: "SUB", ir.And: "AND", ir.Or: "OR", ir.Xor: "XOR"}

// emitStore writes the store of one value to one element.
func (e *emitter) emitStore(p ir.Put, value, to string) {
	size, s, spare := "L", e.floatSuffix(), "X15"
	if e.path == AVX512 {
		spare = "X31"
	}
	if e.elementBytes() == 8 {
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
		e.Ins("%s%s AX, %s // %s", memoryOps[p.How], size, to, p.Stream.Expr)
	}
}
