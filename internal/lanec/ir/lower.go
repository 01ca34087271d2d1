package ir

// Simplify shortens choices whose result in inactive elements does not matter.
// For example, if the condition of a choice is "active and not m", the choice becomes
// one by m with its two values exchanged. Call it after Tidy.
func (k *Kernel) Simplify() {
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		v, ok := it.(*Value)
		if !ok || v.Op != Sel || v.Kind.Base() == Mask {
			return
		}
		if m := v.Args[0]; m.Op == AndNot && m.Args[0].Op == Rows {
			v.Args = []*Value{m.Args[1], v.Args[2], v.Args[1]}
		}
	})
	k.Entry.drop()
}

// drop removes unused values.
func (r *Region) drop() {
	k := &Kernel{Entry: r}
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		switch it := it.(type) {
		case *Value:
			it.needed = false
		case *Loop:
			for _, p := range it.Phis {
				p.needed = false
			}
		}
	})
	k.mark()
	r.sweep()
}

// Lower replaces operations that a CPU lacks: it changes and removes signs by bitwise
// operations with constants. It also merges a choice of the smaller or larger of two
// floats into one operation if the comparison has no other use. Call it after Tidy.
func (k *Kernel) Lower() {
	uses := map[*Value]int{}
	var all []*Value
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		if v, ok := it.(*Value); ok {
			all = append(all, v)
			for _, a := range v.Args {
				uses[a]++
			}
		}
	})
	constants := map[uint64]*Value{}
	constant := func(kind Kind, bits uint64) *Value {
		c := constants[bits]
		if c == nil {
			c = &Value{Op: Const, Kind: kind, Bits: bits}
			k.number(c, k.Entry)
			k.Entry.Items = append([]Item{c}, k.Entry.Items...)
			constants[bits] = c
		}
		return c
	}
	sign := uint64(1) << (8*k.Width - 1)
	for _, v := range all {
		switch {
		case v.Kind.IsHalf():
		case v.Op == Neg:
			v.Op, v.Args = Xor, append(v.Args, constant(v.Kind, sign))
		case v.Op == Abs:
			v.Op, v.Args = And, append(v.Args, constant(v.Kind, sign-1))
		case v.Op == Sel && v.Kind == Float && v.Args[0].Op == Less && uses[v.Args[0]] == 1:
			m, x, y := v.Args[0], v.Args[1], v.Args[2]
			switch {
			case m.Args[0] == x && m.Args[1] == y:
				v.Op, v.Args = Smaller, []*Value{x, y}
			case m.Args[0] == y && m.Args[1] == x:
				v.Op, v.Args = Larger, []*Value{x, y}
			default:
				continue
			}
		}
	}
	k.Entry.drop()
}
