package front

import (
	"go/token"
	"strconv"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A fact says that a mask is known to be set, or known not to be set, at the current
// point of the source. Facts form a linked list; more is the next one.
type fact struct {
	mask *ir.Value
	set  bool
	more *fact
}

// know returns the list of facts with a new fact: that the mask m is set, or that it is
// not set. A nil mask is always set.
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

// valueOf returns the value of a mask, if facts determine it.
func (f *fact) valueOf(m *ir.Value) (set, known bool) {
	for ; f != nil; f = f.more {
		if f.mask == m {
			return f.set, true
		}
	}
	return false, false
}

// number reports whether facts show that a float is not a NaN. They show this if the
// float was compared with itself and was equal.
func (f *fact) number(v *ir.Value) bool {
	for ; f != nil; f = f.more {
		equal := f.mask.Op == ir.Equal && f.set || f.mask.Op == ir.NotEqual && !f.set
		if equal && f.mask.Args[0] == v && f.mask.Args[1] == v {
			return true
		}
	}
	return false
}

// nans tracks floats that may be a computed NaN, because the bits of such a NaN differ
// between CPUs. It records only those floats whose operations do not show whether this
// is possible.
type nans struct {
	own    map[*ir.Value]bool  // floats that may be a computed NaN: made from bits by the library, or loaded where one may have been stored
	soiled bool                // a computed NaN may be in memory
	shared map[*ir.Stream]bool // slices that may share that memory, by the final pass
	log    []happening
	bytes  int // size of an element of the kernel
	cones  map[*ir.Value]cone
	asked  map[question]bool // answers of clean
}

// A cone of a value is a bit set of value IDs. It contains the other values to which
// the value may be equal, and the masks that select among them. Facts about all other
// masks are irrelevant to the value.
type cone []uint64

func (c cone) has(v *ir.Value) bool { return v.ID/64 < len(c) && c[v.ID/64]>>(v.ID%64)&1 != 0 }

func (c cone) with(v *ir.Value) cone {
	if more := v.ID/64 + 1 - len(c); more > 0 {
		c = append(c, make([]uint64, more)...)
	}
	c[v.ID/64] |= 1 << (v.ID % 64)
	return c
}

// A question is an argument of clean: a value, and the relevant facts in their
// order.
type question struct {
	v     *ir.Value
	known string
}

// most is the largest number of questions that clean answers for a kernel. It answers
// all further questions with false. The limit is necessary because the number of
// questions can be exponential in the number of choices, if each path through the
// choices has different facts.
const most = 1 << 14

// noNaNs returns the initial state of a kernel.
func noNaNs(bytes int) nans {
	return nans{own: map[*ir.Value]bool{}, bytes: bytes, cones: map[*ir.Value]cone{}, asked: map[question]bool{}}
}

// mayBeNaN records that a float may be a computed NaN.
func (n *nans) mayBeNaN(v *ir.Value) {
	if !n.own[v] {
		n.own[v] = true
		clear(n.asked)
	}
}

// passedArgs returns those arguments of an operation that can become its result, either
// unchanged or with another sign.
func passedArgs(v *ir.Value) []*ir.Value {
	switch v.Op {
	case ir.Neg, ir.Abs:
		return v.Args
	case ir.Sel:
		return v.Args[1:]
	case ir.Phi:
		if v.Loop.Once { // the value from before the branch; if the branch leaves one that is not clean, the phi itself is marked
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
	for _, a := range passedArgs(v) {
		c = c.with(a)
		for i, bits := range n.cone(a) {
			c[i] |= bits // a value can only be equal to an older one
		}
	}
	if v.Op == ir.Sel {
		c = c.with(v.Args[0])
	}
	n.cones[v] = c
	return c
}

// ask returns the question whether a float is clean under the facts f. It leaves out the irrelevant
// facts.
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

// clean reports whether the bits of a float are the same on every CPU even if it is a NaN. This is
// true if the float was not computed, or if the source replaces NaN by another number.
func (n *nans) clean(v *ir.Value, f *fact) bool {
	if f.number(v) {
		return true
	}
	if passedArgs(v) == nil {
		switch v.Op {
		case ir.Cast, ir.Load, ir.Spread, ir.Pick, ir.Gather:
			return !n.own[v] && !n.shared[v.Stream]
		case ir.Param, ir.Const:
			return true
		}
		return false
	}
	if f != nil && n.clean(v, nil) { // the usual case, which needs only one question
		return true
	}
	q := n.ask(v, f)
	is, ok := n.asked[q]
	if !ok && len(n.asked) < most {
		is = n.cleanPassed(v, f)
		n.asked[q] = is
	}
	return is
}

// cleanPassed does the work of clean for a float that may be equal to one of its arguments.
func (n *nans) cleanPassed(v *ir.Value, f *fact) bool {
	switch v.Op {
	case ir.Phi:
		return !n.own[v] && n.clean(v.Args[0], f)
	case ir.Neg:
		return n.clean(v.Args[0], f)
	case ir.Abs: // Go computes float32 via float64, which changes a signaling NaN
		return n.clean(v.Args[0], f) && (v.Kind.Size(n.bytes) == 8 || f.number(v.Args[0]))
	}
	m := v.Args[0]
	set, known := f.valueOf(m)
	return (known && !set || n.clean(v.Args[1], know(m, true, f))) && (known && set || n.clean(v.Args[2], know(m, false, f)))
}

// A happening is an event that affects whether a float may be a computed NaN,
// with its position in the source.
type happening struct {
	how   how
	v     *ir.Value // the value that is stored, loaded, left by a branch or asked for
	known *fact
	phi   *ir.Value // the phi of the branch's result
	turns bool      // it is loaded in an iteration that stores
	at    token.Pos
	what  string // the purpose for which the bits are needed
}

type how uint8

const (
	stored how = iota
	loaded
	left
	asked
)

// recordEvent evaluates an event, and stores the event for the final pass.
func (n *nans) recordEvent(h happening) {
	if h.v.Kind.Base() == ir.Float {
		n.log = append(n.log, h)
		n.judge(h)
	}
}

func (n *nans) judge(h happening) {
	switch h.how {
	case loaded: // an iteration that stores may load a value that the one before stored
		if n.soiled || h.turns {
			n.mayBeNaN(h.v)
		}
	case stored: // later loads may return it, because two lanes may share memory
		n.soiled = n.soiled || !n.clean(h.v, h.known)
	case left:
		if !n.clean(h.v, h.known) {
			n.mayBeNaN(h.phi)
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

// look evaluates all events once more if a NaN may be in memory. A slice that is read
// at other rows may overlap a slice that is written. In this case, an earlier row may
// have written the NaN that a later row reads.
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
