package amd64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// What is looked up in whole vectors, in all rows, is loaded element by element on AVX2: most CPUs that have nothing wider make of a gather as many
// loads and some thirty operations more. The guard before it has seen to it that all indices are in range.

// lookups is what is not written as it stands where all rows of a vector are there.
type lookups struct {
	idle map[*ir.Value]bool // values that nothing needs there
	at   int                // where in the frame the indices stand that no lane has; 0 if there are none
}

// plan finds what is idle in whole vectors, and makes room in the frame.
func (l *lookups) plan(e *emitter, frame int) int {
	l.idle = map[*ir.Value]bool{}
	if e.path != AVX2 || e.k.Frame != nil {
		return frame
	}
	var rows []*ir.Value
	asked := map[*ir.Value]bool{} // masks of rows that something needs
	e.k.Entry.Walk(func(it ir.Item, r *ir.Region, _ int) {
		switch it := it.(type) {
		case *ir.Value:
			switch it.Op {
			case ir.Rows:
				rows = append(rows, it)
			case ir.Gather:
				frame += l.room(e, it, frame)
			case ir.Guard:
				l.signs(e, it, r)
			}
			for i, a := range it.Args {
				asked[a] = asked[a] || it.Op != ir.And && (it.Op != ir.Gather || i == 0)
			}
		case *ir.Loop:
			ask(asked, it)
		}
	})
	for _, v := range rows {
		l.idle[v] = !asked[v]
	}
	return frame
}

// ask notes what a loop needs from turn to turn.
func ask(asked map[*ir.Value]bool, l *ir.Loop) {
	for _, p := range l.Phis {
		for _, a := range p.Args {
			asked[a] = true
		}
	}
	asked[l.Alive], asked[l.EndAlive] = true, true
}

// room takes room at the end of the frame for indices that no lane has, unless there is some, and returns how much.
func (l *lookups) room(e *emitter, v *ir.Value, frame int) int {
	if l.at != 0 || !oneByOne(e, v) || inLane(e, v.Args[0]) {
		return 0
	}
	l.at = frame
	return e.path.vector
}

// signs notes that a guard asks for signs alone, of which it takes those of the number itself: what it compares with zero and with the rows that are
// there stands right before it.
func (l *lookups) signs(e *emitter, guard *ir.Value, r *ir.Region) {
	both, at := guard.Args[0], slices.Index(r.Items, ir.Item(guard))
	below := withoutRows(both)
	if at < 2 || below == both || r.Items[at-1] != ir.Item(both) || r.Items[at-2] != ir.Item(below) || e.uses[both] != 1 || e.uses[below] != 1 {
		return
	}
	if below.Op == ir.IntGreater && below.Args[0].Op == ir.Const && below.Args[0].Bits == 0 {
		l.idle[both], l.idle[below] = true, true
	}
}

// withoutRows is a mask without the one of the rows that are there.
func withoutRows(v *ir.Value) *ir.Value {
	if v.Op == ir.And && v.Kind == ir.Mask {
		for i, a := range v.Args {
			if a.Op == ir.Rows {
				return v.Args[1-i]
			}
		}
	}
	return v
}

// oneByOne says whether an element is looked up in all rows of a whole vector, whose indices and elements have the kernel's width.
func oneByOne(e *emitter, v *ir.Value) bool {
	return v.Args[1].Op == ir.Rows && !v.Kind.IsHalf() && !v.Args[0].Kind.IsHalf() && e.registers[v.Stream] != ""
}

// inLane says whether an index is what a lane has, where nothing writes.
func inLane(e *emitter, v *ir.Value) bool {
	return v.Op == ir.Load && !v.Stream.Written && !v.Kind.IsHalf() && e.registers[v.Stream] != ""
}

// look loads the elements of a whole vector one by one.
func (l *lookups) look(e *emitter, v *ir.Value, dst string) {
	k, w := v.Args[0], e.k.Width
	index := func(i int) string { return fmt.Sprintf("%d(SP)", l.at+i*w) }
	if inLane(e, k) {
		index = func(i int) string {
			return at(e.shift*e.width()/e.k.Width+i*w, e.registers[k.Stream]) + fmt.Sprintf("(CX*%d)", w)
		}
	} else {
		e.set.spill(k, l.at)
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
	half(0, e.lower(dst))
	half(16/w, "X14")
	e.Ins("VINSERTF128 $1, X14, %s, %s", dst, dst)
}
