package front

import (
	"go/token"
	"strconv"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

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
	own    map[*ir.Value]bool  // of bits, by the library, or loaded where one may have been stored
	soiled bool                // one may be in memory
	shared map[*ir.Stream]bool // slices that may be that memory, as the last look has it
	log    []happening
	bytes  int // of an element of the kernel
	cones  map[*ir.Value]cone
	asked  map[question]bool // what clean has answered
}

// A cone is the values that a value may be, besides itself, and the masks that choose among them. A fact about anything else says nothing of it.
// It is a set of bits, by their IDs.
type cone []uint64

func (c cone) has(v *ir.Value) bool { return v.ID/64 < len(c) && c[v.ID/64]>>(v.ID%64)&1 != 0 }

func (c cone) with(v *ir.Value) cone {
	if more := v.ID/64 + 1 - len(c); more > 0 {
		c = append(c, make([]uint64, more)...)
	}
	c[v.ID/64] |= 1 << (v.ID % 64)
	return c
}

// A question is one that clean was asked: a value, and those of the facts known that say something of it, in their order.
type question struct {
	v     *ir.Value
	known string
}

// most is how many questions a kernel may ask. One that asks more is told that a float is not clean: facts that differ on each way to a choice can be
// more than anybody has time for.
const most = 1 << 14

// noNaNs returns what is known at the beginning of a kernel.
func noNaNs(bytes int) nans {
	return nans{own: map[*ir.Value]bool{}, bytes: bytes, cones: map[*ir.Value]cone{}, asked: map[question]bool{}}
}

// mine notes that a float may be a NaN that was computed.
func (n *nans) mine(v *ir.Value) {
	if !n.own[v] {
		n.own[v] = true
		clear(n.asked)
	}
}

// passes are the arguments that a float may be, or be except for its sign.
func passes(v *ir.Value) []*ir.Value {
	switch v.Op {
	case ir.Neg, ir.Abs:
		return v.Args
	case ir.Sel:
		return v.Args[1:]
	case ir.Phi:
		if v.Loop.Once { // it is its own where what the branch leaves is not clean
			return v.Args[:1]
		}
	}
	return nil
}

// cone returns the cone of a float.
func (n *nans) cone(v *ir.Value) cone {
	c, ok := n.cones[v]
	if ok {
		return c
	}
	for _, a := range passes(v) {
		c = c.with(a)
		for i, bits := range n.cone(a) {
			c[i] |= bits // what it may be is older than itself
		}
	}
	if v.Op == ir.Sel {
		c = c.with(v.Args[0])
	}
	n.cones[v] = c
	return c
}

// ask makes a question of a float and what is known.
func (n *nans) ask(v *ir.Value, f *fact) question {
	below := n.cone(v)
	var known []byte
	for ; f != nil; f = f.more {
		of := f.mask.Op == ir.Equal || f.mask.Op == ir.NotEqual
		if of = of && (f.mask.Args[0] == v || below.has(f.mask.Args[0])); of || below.has(f.mask) {
			known = strconv.AppendInt(known, int64(f.mask.ID), 10)
			known = strconv.AppendBool(known, f.set)
		}
	}
	return question{v, string(known)}
}

// clean says whether the bits of a float are the same on every CPU also if it is a NaN: nothing was computed, or a NaN is replaced.
func (n *nans) clean(v *ir.Value, f *fact) bool {
	if f.number(v) {
		return true
	}
	if passes(v) == nil {
		switch v.Op {
		case ir.Cast, ir.Load, ir.Spread, ir.Gather:
			return !n.own[v] && !n.shared[v.Stream]
		case ir.Param, ir.Const:
			return true
		}
		return false
	}
	if f != nil && n.clean(v, nil) { // which is most often so, and is asked once
		return true
	}
	q := n.ask(v, f)
	is, ok := n.asked[q]
	if !ok && len(n.asked) < most {
		is = n.passed(v, f)
		n.asked[q] = is
	}
	return is
}

// passed is clean of a float that one of its arguments is.
func (n *nans) passed(v *ir.Value, f *fact) bool {
	switch v.Op {
	case ir.Phi:
		return !n.own[v] && n.clean(v.Args[0], f)
	case ir.Neg:
		return n.clean(v.Args[0], f)
	case ir.Abs: // of float32 it goes by way of float64 in Go, which changes a NaN that signals
		return n.clean(v.Args[0], f) && (v.Kind.Size(n.bytes) == 8 || f.number(v.Args[0]))
	}
	m := v.Args[0]
	set, known := f.says(m)
	return (known && !set || n.clean(v.Args[1], know(m, true, f))) && (known && set || n.clean(v.Args[2], know(m, false, f)))
}

// A happening is what matters to what may be a NaN that was computed, at its place in the source.
type happening struct {
	how   how
	v     *ir.Value // what is stored, loaded, left by a branch or asked for
	known *fact
	phi   *ir.Value // what a branch leaves it in
	turns bool      // it is loaded in a turn that stores
	at    token.Pos
	what  string // of a float is asked for
}

type how uint8

const (
	stored how = iota
	loaded
	left
	asked
)

// happens judges what happens, and keeps it for the last look.
func (n *nans) happens(h happening) {
	if h.v.Kind.Base() == ir.Float {
		n.log = append(n.log, h)
		n.judge(h)
	}
}

func (n *nans) judge(h happening) {
	switch h.how {
	case loaded: // in a turn that stores, what the turn before has stored
		if n.soiled || h.turns {
			n.mine(h.v)
		}
	case stored: // what is loaded from now on may be it, because two lanes may be the same
		n.soiled = n.soiled || !n.clean(h.v, h.known)
	case left:
		if !n.clean(h.v, h.known) {
			n.mine(h.phi)
		}
	case asked:
		switch {
		case n.clean(h.v, h.known):
		case n.shared == nil:
			fail(h.at, "the %s of a number that is computed: %s", h.what, remedies[h.what])
		default:
			fail(h.at, "the %s of an element that an earlier row may have computed, where the slice overlaps one that is written: %s", h.what, remedies[h.what])
		}
	}
}

var remedies = map[string]string{
	"bits": "those of a NaN differ between CPUs; replace it first, if v != v { v = 0 }",
	"sign": "that of a NaN differs between CPUs; replace it first, if v != v { v = 0 }",
}

// look judges everything once more, if a NaN may be in memory: where a slice that is read at other rows than the row's overlaps one that is written, rows
// before have written what it gives.
func (n *nans) look(shared map[*ir.Stream]bool) {
	if !n.soiled {
		return
	}
	n.soiled, n.shared = false, shared
	clear(n.asked)
	for _, h := range n.log {
		n.judge(h)
	}
}
