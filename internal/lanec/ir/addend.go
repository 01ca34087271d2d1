package ir

import (
	"math"
	"slices"
)

// Consider a loop that adds only in some rows, such as if c { s += x }. Each iteration
// would wait for the sum and then for the choice between the new and the old sum. So
// the choice is moved to the addend: the sum adds x in the rows where c is true, and
// zero in the other rows. Then no iteration waits for the choice.
//
// s + 0 and s - 0 have the bits of s, unless s is the negative zero or a
// signaling NaN. If a sum begins with a constant other than these two, it never becomes
// one of them: with rounding to nearest, only two negative zeros add up to a negative
// zero, and the result of an addition is never a signaling NaN.

// moveAddends moves each choice between a new and an old sum to the addend. It begins
// with the innermost choices.
func moveAddends(k *Kernel) {
	uses := k.Uses()
	var zero *Value
	k.Entry.eachRegion(func(r *Region) {
		for i := 0; i < len(r.Items); i++ {
			v, ok := r.Items[i].(*Value)
			if !ok || v.Op != Sel || v.Kind != Float {
				continue
			}
			if side := findSum(k, v, uses); side > 0 {
				if zero == nil {
					zero = zeroOf(k)
				}
				before := addend(k, v, side, zero, uses, r.Items[:i])
				r.Items = slices.Insert(r.Items, i, before...)
				uses[v.Args[1]] = 1
				i += len(before)
			}
		}
	})
	if zero == nil {
		return
	}
	if zero.Region == nil {
		k.number(zero, k.Entry)
		k.Entry.Items = slices.Insert(k.Entry.Items, 0, Item(zero))
	}
	k.Entry.drop()
}

// findSum checks whether a choice is between s and a sum that adds to s. If so, and if
// the choice may be moved and the sum has no other use, it returns the index of the sum
// among the arguments of the choice. Otherwise it returns 0.
func findSum(k *Kernel, v *Value, uses map[*Value]int) int {
	for side := 1; side <= 2; side++ {
		sum, s := v.Args[side], v.Args[3-side]
		if (sum.Op == Add || sum.Op == Sub) && uses[sum] == 1 && sum.Region == v.Region && sum.Args[0] == s && isSum(k, s, map[*Value]bool{}) {
			return side
		}
	}
	return 0
}

// addend replaces a choice between s and a sum that adds to s. The result is a sum that
// adds to s a choice between the addend and zero. addend returns the new values, which
// must be placed before the sum. If the addend already is a choice, both become one
// choice for the rows that are in both masks.
func addend(k *Kernel, v *Value, side int, zero *Value, uses map[*Value]int, above []Item) (before []Item) {
	sum, s := v.Args[side], v.Args[3-side]
	m, y := v.Args[0], sum.Args[1]
	if in := Addend(k, sum, uses); in != nil && in.Args[2] == zero && side == 1 {
		y = in.Args[1]
		if m = findAnd(above, m, in.Args[0]); m == nil {
			m = &Value{Op: And, Kind: Mask, Args: []*Value{v.Args[0], in.Args[0]}}
			k.number(m, v.Region)
			before = append(before, m)
		}
	}
	x := &Value{Op: Sel, Kind: v.Kind, Args: []*Value{m, zero, zero}}
	x.Args[side] = y
	k.number(x, v.Region)
	v.Op, v.Args = sum.Op, []*Value{s, x}
	return append(before, x)
}

// findAnd returns the AND of two masks if the items contain it, and otherwise nil.
func findAnd(items []Item, m, n *Value) *Value {
	for _, it := range items {
		if v, ok := it.(*Value); ok && v.Op == And && v.Kind == Mask && (v.Args[0] == m && v.Args[1] == n || v.Args[0] == n && v.Args[1] == m) {
			return v
		}
	}
	return nil
}

// isSum reports whether a float is a constant other than the negative zero and NaN, or
// a sum that began with such a constant. For a phi, it assumes this at the beginning of
// an iteration and checks it at the end of the iteration.
func isSum(k *Kernel, v *Value, assumed map[*Value]bool) bool {
	if assumed[v] {
		return true
	}
	switch v.Op {
	case Const:
		f := math.Float64frombits(v.Bits)
		if v.Kind.Size(k.Width) == 4 {
			f = float64(math.Float32frombits(uint32(v.Bits)))
		}
		return !math.IsNaN(f) && (f != 0 || !math.Signbit(f))
	case Phi:
		assumed[v] = true
		return isSum(k, v.Args[0], assumed) && isSum(k, v.Args[1], assumed)
	case Add, Sub:
		return isSum(k, v.Args[0], assumed)
	case Sel:
		return isSum(k, v.Args[1], assumed) && isSum(k, v.Args[2], assumed)
	}
	return false
}

// zeroOf returns the constant zero of the kernel. If there is none, it returns a new
// constant that is not in a region yet.
func zeroOf(k *Kernel) *Value {
	for _, it := range k.Entry.Items {
		if c, ok := it.(*Value); ok && c.Op == Const && c.Kind == Float && c.Bits == 0 {
			return c
		}
	}
	return &Value{Op: Const, Kind: Float}
}

// Addend returns the addend of a sum if it is a choice between a value and zero and has
// no other use. Otherwise it returns nil. The source itself may contain such a choice,
// so Addend also returns nil if adding zero may change the sum. To combine the choice
// and the sum, an emitter requires that the choice is directly before the sum.
func Addend(k *Kernel, v *Value, uses map[*Value]int) *Value {
	if (v.Op == Add || v.Op == Sub) && v.Kind == Float {
		if x := v.Args[1]; x.Op == Sel && x.Kind == Float && uses[x] == 1 && x.Region == v.Region && x != v.Args[0] {
			if zero := x.Args[2]; zero.Op == Const && zero.Bits == 0 && isSum(k, v.Args[0], map[*Value]bool{}) {
				return x
			}
		}
	}
	return nil
}

// moveBeside moves each choice that a sum adds directly before this sum. This is
// necessary after two vectors were interleaved.
func moveBeside(k *Kernel) {
	uses := k.Uses()
	k.Entry.eachRegion(func(r *Region) {
		for i := range r.Items {
			v, ok := r.Items[i].(*Value)
			if !ok || Addend(k, v, uses) == nil {
				continue
			}
			if at := slices.Index(r.Items[:i], Item(v.Args[1])); at >= 0 {
				copy(r.Items[at:i-1], r.Items[at+1:i])
				r.Items[i-1] = v.Args[1]
			}
		}
	})
}
