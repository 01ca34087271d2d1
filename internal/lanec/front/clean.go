package front

import "github.com/lanewise/lanewise/internal/lanec/ir"

// A fact is a mask of which it is known here whether it is set, and what else is known.
type fact struct {
	mask *ir.Value
	set  bool
	more *fact
}

// know adds to what is known that a mask is set here, or that it is not. Nil is a mask that is always set.
func know(m *ir.Value, set bool, more *fact) *fact {
	if m == nil {
		return more
	}
	more = &fact{m, set, more}
	switch {
	case m.Op == ir.Not:
		return know(m.Args[0], !set, more)
	case m.Op == ir.And && set, m.Op == ir.Or && !set:
		return know(m.Args[0], set, know(m.Args[1], set, more))
	case m.Op == ir.AndNot && set:
		return know(m.Args[0], true, know(m.Args[1], false, more))
	}
	return more
}

// says is what is known of a mask.
func (f *fact) says(m *ir.Value) (set, known bool) {
	for ; f != nil; f = f.more {
		if f.mask == m {
			return f.set, true
		}
	}
	return false, false
}

// number says whether a float is known to be no NaN, by a comparison with itself.
func (f *fact) number(v *ir.Value) bool {
	for ; f != nil; f = f.more {
		equal := f.mask.Op == ir.Equal && f.set || f.mask.Op == ir.NotEqual && !f.set
		if equal && f.mask.Args[0] == v && f.mask.Args[1] == v {
			return true
		}
	}
	return false
}

// nans are the floats that may be a NaN that was computed, whose bits differ between CPUs, besides those that operations show.
type nans struct {
	own    map[*ir.Value]bool // of bits, by the library, or loaded where one may have been stored
	soiled bool               // one may be in memory
	bytes  int                // of an element of the kernel
}

// clean says whether the bits of a float are the same on every CPU also if it is a NaN: nothing was computed, or a NaN is replaced.
func (n *nans) clean(v *ir.Value, f *fact) bool {
	if f.number(v) {
		return true
	}
	switch v.Op {
	case ir.Cast, ir.Load:
		return !n.own[v]
	case ir.Spread, ir.Gather, ir.Param, ir.Const:
		return true
	case ir.Neg:
		return n.clean(v.Args[0], f)
	case ir.Abs: // of float32 it goes by way of float64 in Go, which changes a NaN that signals
		return n.clean(v.Args[0], f) && (v.Kind.Size(n.bytes) == 8 || f.number(v.Args[0]))
	case ir.Sel:
		m := v.Args[0]
		set, known := f.says(m)
		return (known && !set || n.clean(v.Args[1], know(m, true, f))) && (known && set || n.clean(v.Args[2], know(m, false, f)))
	}
	return false
}

// wrote notes what is stored in the rows of a mask: what is loaded from now on may be it, because two lanes may be the same.
func (n *nans) wrote(x, here *ir.Value) {
	if x.Kind.Base() == ir.Float && !n.clean(x, know(here, true, nil)) {
		n.soiled = true
	}
}

// reads notes what a load may give: in a turn that stores, what the turn before has stored.
func (n *nans) reads(x *ir.Value, stores bool) {
	if n.soiled || stores {
		n.own[x] = true
	}
}
