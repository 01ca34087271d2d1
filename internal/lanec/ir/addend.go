package ir

import (
	"math"
	"slices"
)

// A loop that adds in some rows only, if c { s += x }, would wait for the sum and then for a choice between it and the one before. The choice is made of
// the addend instead, which is zero in the other rows, and no turn waits for it.
//
// s + 0 and s - 0 are s, bit by bit, unless s is the negative zero or a NaN that signals. A sum that began with another constant never is: rounded to
// nearest, only two negative zeros add up to one, and what an addition gives does not signal.

// addends makes choices between a sum and what it was before choices of what is added, from the inner ones outwards.
func addends(k *Kernel) {
	uses := k.Uses()
	var zero *Value
	k.Entry.each(func(r *Region) {
		for i := 0; i < len(r.Items); i++ {
			v, ok := r.Items[i].(*Value)
			if !ok || v.Op != Sel || v.Kind != Float {
				continue
			}
			if side := sums(k, v, uses); side > 0 {
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

// sums says which argument of a choice is a sum whose first number is the other one, if nothing else needs it and it may be made so; 0 if none is.
func sums(k *Kernel, v *Value, uses map[*Value]int) int {
	for side := 1; side <= 2; side++ {
		sum, s := v.Args[side], v.Args[3-side]
		if (sum.Op == Add || sum.Op == Sub) && uses[sum] == 1 && sum.Region == v.Region && sum.Args[0] == s && accumulates(k, s, map[*Value]bool{}) {
			return side
		}
	}
	return 0
}

// addend makes of a choice between a sum, on one side, and its first number the sum with a choice, and returns what stands before it. A choice of a choice is
// one, in the rows of both masks.
func addend(k *Kernel, v *Value, side int, zero *Value, uses map[*Value]int, above []Item) (before []Item) {
	sum, s := v.Args[side], v.Args[3-side]
	m, y := v.Args[0], sum.Args[1]
	if in := Addend(k, sum, uses); in != nil && in.Args[2] == zero && side == 1 {
		y = in.Args[1]
		if m = both(above, m, in.Args[0]); m == nil {
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

// both finds what joins two masks.
func both(items []Item, m, n *Value) *Value {
	for _, it := range items {
		if v, ok := it.(*Value); ok && v.Op == And && v.Kind == Mask && (v.Args[0] == m && v.Args[1] == n || v.Args[0] == n && v.Args[1] == m) {
			return v
		}
	}
	return nil
}

// accumulates says whether a float is a constant that is neither the negative zero nor a NaN, or sums that began with one. A phi is, if it is at the end
// of a turn whenever it is at the beginning.
func accumulates(k *Kernel, v *Value, assumed map[*Value]bool) bool {
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
		return accumulates(k, v.Args[0], assumed) && accumulates(k, v.Args[1], assumed)
	case Add, Sub:
		return accumulates(k, v.Args[0], assumed)
	case Sel:
		return accumulates(k, v.Args[1], assumed) && accumulates(k, v.Args[2], assumed)
	}
	return false
}

// zeroOf is the kernel's constant, or a new one that has no place yet.
func zeroOf(k *Kernel) *Value {
	for _, it := range k.Entry.Items {
		if c, ok := it.(*Value); ok && c.Op == Const && c.Kind == Float && c.Bits == 0 {
			return c
		}
	}
	return &Value{Op: Const, Kind: Float}
}

// Addend returns the choice that a sum adds, which is zero in some rows and which nothing else needs; nil if there is none, or if the sum differs from what
// it was where zero is added, which a source may have said itself. The choice stands right before the sum.
func Addend(k *Kernel, v *Value, uses map[*Value]int) *Value {
	if (v.Op == Add || v.Op == Sub) && v.Kind == Float {
		if x := v.Args[1]; x.Op == Sel && x.Kind == Float && uses[x] == 1 && x.Region == v.Region && x != v.Args[0] {
			if zero := x.Args[2]; zero.Op == Const && zero.Bits == 0 && accumulates(k, v.Args[0], map[*Value]bool{}) {
				return x
			}
		}
	}
	return nil
}

// beside puts the choices that sums add right before them again, where two vectors are computed side by side.
func beside(k *Kernel) {
	uses := k.Uses()
	k.Entry.each(func(r *Region) {
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
