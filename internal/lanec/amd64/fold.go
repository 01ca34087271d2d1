package amd64

import (
	"math"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A foldedLoad is a load that is the memory operand of the next instruction, its only user.
type foldedLoad struct {
	v  *ir.Value
	at string // the operand
}

// foldsSecond lists the operations whose second argument may be in memory. foldsOnly lists the operations whose only
// argument may be in memory.
var (
	foldsSecond = []ir.Op{
		ir.Add, ir.Sub, ir.Mul, ir.Div, ir.And, ir.Or, ir.Xor, ir.IntAdd, ir.IntSub, ir.IntMul, ir.IntEqual, ir.IntGreater,
		ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual,
	}
	foldsOnly = []ir.Op{ir.Sqrt, ir.Floor, ir.Ceil, ir.Trunc, ir.Round}
)

// canFold reports whether a load may be a memory operand of the next item. In the tail it may not,
// because a memory operand cannot be masked.
func (e *emitter) canFold(v *ir.Value, next ir.Item) bool {
	u, ok := next.(*ir.Value)
	if !ok || e.tail || v.Op != ir.Load || e.useCount[v] != 1 || v.Kind.IsHalf() || u.Kind.IsHalf() {
		return false
	}
	switch {
	case len(u.Args) == 1:
		return u.Args[0] == v && slices.Contains(foldsOnly, u.Op)
	case len(u.Args) != 2 || !slices.Contains(foldsSecond, u.Op):
		return false
	case u.Args[1] == v:
		return !u.Args[0].Kind.IsHalf()
	}
	return u.Args[0] == v && slices.Contains(commutative, u.Op) && !inMemory(e.operand(u.Args[1]))
}

// findFoldedLoads notes the loads that are memory operands of their only user. No store may come between the load and its user, because the store
// could write the element.
func (e *emitter) findFoldedLoads() {
	e.foldedLoads = map[*ir.Value]bool{}
	uses := map[*ir.Value]int{}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if v, ok := it.(*ir.Value); ok {
			for _, a := range v.Args {
				uses[a]++
			}
		}
	})
	fits := func(v *ir.Value) bool { return v.Op == ir.Load && uses[v] == 1 && e.registers[v.Stream] != "" }
	since := map[*ir.Value]bool{} // loads since the last store
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
				e.foldedLoads[v.Args[1]] = true
			case slices.Contains(commutative, v.Op) && fits(v.Args[0]) && since[v.Args[0]]:
				e.foldedLoads[v.Args[0]] = true
			}
		}
	}
}

// minMaxOf returns the instruction for a Sel that chooses the smaller or larger of two floats. For example, it is VMINPS for a < b ? a : b. The Sel
// and the instruction also agree for NaN and for equal numbers, because in these cases the instruction returns the second operand.
func minMaxOf(v *ir.Value) (name string, ok bool) {
	if v.Op != ir.Sel || v.Args[0].Op != ir.Less || v.Kind.Base() != ir.Float {
		return "", false
	}
	switch a, b := v.Args[0].Args[0], v.Args[0].Args[1]; {
	case v.Args[1] == a && v.Args[2] == b:
		return "VMINP", true
	case v.Args[1] == b && v.Args[2] == a:
		return "VMAXP", true
	}
	return "", false
}

// incrementOf returns n if a Sel has the form mask ? n + 1 : n. On AVX2 this is one subtraction, n - mask, because the elements of a mask are −1 or
// 0.
func incrementOf(v *ir.Value) (n *ir.Value, ok bool) {
	if v.Op != ir.Sel || v.Kind.IsHalf() || v.Args[1].Op != ir.IntAdd || v.Args[1].Kind.IsHalf() {
		return nil, false
	}
	n, by := v.Args[1].Args[0], v.Args[1].Args[1]
	return n, n == v.Args[2] && by.Op == ir.Const && by.Bits == 1
}

// findMaskedCompares finds each And of a mask and a comparison that AVX-512 can compute with one instruction, which is a comparison under the mask.
// The And must be the next item after the comparison and its only user.
func findMaskedCompares(k *ir.Kernel, uses map[*ir.Value]int) map[*ir.Value]*ir.Value {
	found := map[*ir.Value]*ir.Value{}
	k.Entry.Walk(func(it ir.Item, r *ir.Region, _ int) {
		for i := range len(r.Items) - 1 {
			v, _ := r.Items[i].(*ir.Value)
			if next, _ := r.Items[i+1].(*ir.Value); it == r.Items[0] && v != nil && next != nil && masksComparison(next, v) && uses[v] == 1 {
				found[next] = v
			}
		}
	})
	return found
}

// masksComparison reports whether v is the And of a comparison and another mask.
func masksComparison(v, comparison *ir.Value) bool {
	switch comparison.Op {
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual, ir.IntEqual, ir.IntGreater:
		return v.Op == ir.And && v.Kind == ir.Mask && slices.Contains(v.Args, comparison) && !comparesHalves(comparison)
	}
	return false
}

// findMaskedSums finds the sums that AVX-512 computes with one instruction, an addition under a mask. The
// item before such a sum is a Sel between zero and the number to add.
func findMaskedSums(k *ir.Kernel, uses map[*ir.Value]int) map[*ir.Value]*ir.Value {
	found := map[*ir.Value]*ir.Value{}
	k.Entry.Walk(func(it ir.Item, r *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		if !ok {
			return
		}
		if x := ir.Addend(k, v, uses); x != nil && r.Items[slices.Index(r.Items, it)-1] == ir.Item(x) {
			if _, ok := minMaxOf(x); !ok {
				found[v] = x
			}
		}
	})
	return found
}

// findNarrow records items that have no instruction of their own, because the next item does their work. There are two
// kinds. On AVX2, a guard does the work of a comparison of 32-bit elements that only the guard uses, so that the mask need
// not be widened. A conversion to 64 bits does the work of the load of its 32-bit floats.
func (e *emitter) findNarrow() {
	e.fused, e.widenedLoads = map[*ir.Value]bool{}, map[*ir.Value]bool{}
	uses := e.k.Uses()
	for i, it := range e.k.Rows.Body.Items[1:] {
		v, _ := e.k.Rows.Body.Items[i].(*ir.Value)
		next, _ := it.(*ir.Value)
		switch {
		case v == nil || next == nil || uses[v] != 1 || len(next.Args) == 0 || next.Args[0] != v:
		case next.Op == ir.Guard && comparesHalves(v) && e.path == AVX2:
			e.fused[v] = true
		case next.Op == ir.Widen && v.Op == ir.Load && v.Kind.Base() == ir.Float:
			e.widenedLoads[v] = true
		}
	}
}

// findFused returns the values that need no instruction, because their only user is a Sel whose instruction also computes them. For
// example, VMINPS also computes a < b.
func findFused(k *ir.Kernel, uses map[*ir.Value]int) map[*ir.Value]bool {
	found := map[*ir.Value]bool{}
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		if !ok {
			return
		}
		if _, ok := minMaxOf(v); ok && uses[v.Args[0]] == 1 {
			found[v.Args[0]] = true
		}
		if _, ok := incrementOf(v); ok && uses[v.Args[1]] == 1 {
			found[v.Args[1]] = true
		}
	})
	return found
}

// neverNaN reports whether a float can be neither NaN nor the negative zero. nonzero reports whether it
// can be no zero at all.
//
// VMINPS and VMAXPS return the second operand if one operand is NaN or both are zeros. In contrast, Go's min and max propagate NaN and order the
// zeros by their signs. If one operand is known to be neither NaN nor the negative zero, the instruction alone gives Go's result, except that it may
// return the zero of the opposite sign.
func neverNaN(v *ir.Value, width int) (never, nonzero bool) {
	switch v.Op {
	case ir.Const:
		f := constantValue(v, width)
		return !math.IsNaN(f) && (f != 0 || !math.Signbit(f)), f < 0 || f > 0
	case ir.ToFloat:
		return true, false
	case ir.Mul:
		for i, a := range v.Args {
			if c := v.Args[1-i]; a.Op == ir.ToFloat && c.Op == ir.Const {
				f := constantValue(c, width)
				return f > 0 && f <= math.MaxFloat64, false // since the product of f and an integer is zero, or at least f
			}
		}
	}
	return false, false
}

// constantValue returns the value of a Const as a float64.
func constantValue(v *ir.Value, width int) float64 {
	if v.Kind.Size(width) == 4 {
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(v.Bits)
}

// orderedArgs returns the arguments of Min or Max. If one of them is never NaN, it becomes the
// second one.
func orderedArgs(v *ir.Value, width int) (x, y *ir.Value, never, nonzero bool) {
	x, y = v.Args[0], v.Args[1]
	if never, _ := neverNaN(x, width); never {
		x, y = y, x
	}
	never, nonzero = neverNaN(y, width)
	return x, y, never, nonzero
}
