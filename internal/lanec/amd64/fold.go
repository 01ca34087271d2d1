package amd64

import (
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// An operand is a load that stands in the instruction which needs it: no other does, and it comes next.
type operand struct {
	v  *ir.Value
	at string // the operand
}

// seconds are the operations whose second argument, and singles those whose only one, may be in memory.
var (
	seconds = []ir.Op{
		ir.Add, ir.Sub, ir.Mul, ir.Div, ir.And, ir.Or, ir.Xor, ir.IntAdd, ir.IntSub, ir.IntMul, ir.IntEqual, ir.IntGreater,
		ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual,
	}
	singles = []ir.Op{ir.Sqrt, ir.Floor, ir.Ceil, ir.Trunc, ir.Round}
)

// folds says whether a load may stand in the item behind it. The last vector's loads are masked, which operands are not.
func (e *emitter) folds(v *ir.Value, next ir.Item) bool {
	u, ok := next.(*ir.Value)
	if !ok || e.tail || v.Op != ir.Load || e.uses[v] != 1 || v.Kind.IsHalf() || u.Kind.IsHalf() {
		return false
	}
	switch {
	case len(u.Args) == 1:
		return u.Args[0] == v && slices.Contains(singles, u.Op)
	case len(u.Args) != 2 || !slices.Contains(seconds, u.Op):
		return false
	case u.Args[1] == v:
		return !u.Args[0].Kind.IsHalf()
	}
	return u.Args[0] == v && slices.Contains(commutes, u.Op) && !inMemory(e.place(u.Args[1]))
}

// extreme returns the instruction that a choice between two floats by their order is, VMINPS of a < b ? a : b, and says whether v is one: x86 gives the
// second operand of both where they are equal or one is NaN.
func extreme(v *ir.Value) (name string, ok bool) {
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

// counts says whether a choice adds one where a mask is set, which is minus one there on AVX2, and returns the number.
func counts(v *ir.Value) (n *ir.Value, ok bool) {
	if v.Op != ir.Sel || v.Kind.IsHalf() || v.Args[1].Op != ir.IntAdd || v.Args[1].Kind.IsHalf() {
		return nil, false
	}
	n, by := v.Args[1].Args[0], v.Args[1].Args[1]
	return n, n == v.Args[2] && by.Op == ir.Const && by.Bits == 1
}

// joined finds comparisons that AVX-512 makes in the rows of a mask: what joins the two comes next, and nothing else needs the comparison.
func joined(k *ir.Kernel, uses map[*ir.Value]int) map[*ir.Value]*ir.Value {
	found := map[*ir.Value]*ir.Value{}
	k.Entry.Walk(func(it ir.Item, r *ir.Region, _ int) {
		for i := range len(r.Items) - 1 {
			v, _ := r.Items[i].(*ir.Value)
			if next, _ := r.Items[i+1].(*ir.Value); it == r.Items[0] && v != nil && next != nil && joins(next, v) && uses[v] == 1 {
				found[next] = v
			}
		}
	})
	return found
}

// addends finds the sums that AVX-512 makes in the rows of a mask: the choice between a number and zero that they add comes right before them.
func addends(k *ir.Kernel, uses map[*ir.Value]int) map[*ir.Value]*ir.Value {
	found := map[*ir.Value]*ir.Value{}
	k.Entry.Walk(func(it ir.Item, r *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		if !ok {
			return
		}
		if x := ir.Addend(k, v, uses); x != nil && r.Items[slices.Index(r.Items, it)-1] == ir.Item(x) {
			if _, ok := extreme(x); !ok {
				found[v] = x
			}
		}
	})
	return found
}

// joins says whether a mask is another one in the rows of a comparison.
func joins(v, comparison *ir.Value) bool {
	switch comparison.Op {
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual, ir.IntEqual, ir.IntGreater:
		return v.Op == ir.And && v.Kind == ir.Mask && slices.Contains(v.Args, comparison) && !other(comparison)
	}
	return false
}

// unasked are the values that nothing needs except choices which make them by themselves.
func unasked(k *ir.Kernel, uses map[*ir.Value]int) map[*ir.Value]bool {
	found := map[*ir.Value]bool{}
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		if !ok {
			return
		}
		if _, ok := extreme(v); ok && uses[v.Args[0]] == 1 {
			found[v.Args[0]] = true
		}
		if _, ok := counts(v); ok && uses[v.Args[1]] == 1 {
			found[v.Args[1]] = true
		}
	})
	return found
}
