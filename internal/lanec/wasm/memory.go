package wasm

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// declareLanes declares a variable for each lane that is indexed by the row.
func (e *emitter) declareLanes() {
	n := e.local("n")
	for i, s := range e.k.Streams {
		if s.Offset == 0 {
			continue
		}
		if e.k.Frame == nil && s.Type != e.element(s.Elem) {
			e.unsupported("elements of type " + s.Type)
		}
		name := e.local(fmt.Sprint("p", i))
		switch {
		case s.ByLoop || s.Matrix != "" || s.Place.Kind == ir.Array:
			continue
		case s.Ring:
			e.line("%s := %s.Sums()", name, s.Expr)
		case s.Ahead > 0:
			e.line("%s := %s[%d:%s+%d]", name, s.Expr, s.Ahead, n, s.Ahead)
		default:
			e.line("%s := %s[:%s:%s]", name, s.Expr, n, n)
		}
		e.streams[s] = name
	}
}

// element returns the Go type of an element.
func (e *emitter) element(kind ir.Kind) string {
	t := e.types(kind)
	switch kind.Base() {
	case ir.Float:
		return t.element
	case ir.Int:
		return fmt.Sprint("int", t.bits)
	}
	return fmt.Sprint("uint", t.bits)
}

// rowIndex returns the expression for the index of element k of the current vector in a lane.
func (e *emitter) rowIndex(s *ir.Stream, k int) string {
	i := e.local("i")
	if k += e.shift; k > 0 {
		i = fmt.Sprintf("%s+%d", i, k)
	}
	if !s.Ring {
		return i
	}
	if k > 0 {
		i = "(" + i + ")"
	}
	return fmt.Sprintf("%s&%d", i, 256/s.Elem.Size(e.k.Width)-1)
}

// rowElement returns the expression for element k of the current vector in a lane.
func (e *emitter) rowElement(s *ir.Stream, k int) string {
	if s.Matrix != "" {
		return fmt.Sprintf("%s[%s][%d]", s.Matrix, e.rowIndex(s, k), s.At)
	}
	return fmt.Sprintf("%s[%s]", e.streams[s], e.rowIndex(s, k))
}

// isWhole reports whether the elements of the current vector are a whole vector in memory.
func isWhole(s *ir.Stream) bool { return s.Matrix == "" && !s.Elem.IsHalf() }

// vectorAddress returns the expression for the address of the current vector in a lane.
func (e *emitter) vectorAddress(s *ir.Stream) string {
	return fmt.Sprintf("(*[%d]%s)(%s[%s:])", e.types(s.Elem).rows, e.element(s.Elem), e.streams[s], e.rowIndex(s, 0))
}

// load returns the expression of a Load.
func (e *emitter) load(v *ir.Value) string {
	t, s := e.types(v.Kind), v.Stream
	switch {
	case !isWhole(s):
		return e.collect(v.Kind, func(k int) string { return e.rowElement(s, k) })
	case v.Kind == ir.Float:
		return fmt.Sprintf("archsimd.Load%sArray(%s)", t.float, e.vectorAddress(s))
	case v.Kind == ir.Int:
		return fmt.Sprintf("archsimd.Load%sArray(%s).ToBits()", t.int, e.vectorAddress(s))
	}
	return fmt.Sprintf("archsimd.Load%sArray(%s)", t.uint, e.vectorAddress(s))
}

// collect returns the expression of a vector from those of its elements.
func (e *emitter) collect(kind ir.Kind, element func(k int) string) string {
	var b strings.Builder
	b.WriteString(e.broadcast(kind, element(0)))
	for k := 1; k < vectorBytes/e.k.Width; k++ {
		fmt.Fprintf(&b, ".SetElem(%d, %s)", k, e.asBits(kind, element(k)))
	}
	return b.String()
}

// broadcast returns the expression of a vector with an element in each place.
func (e *emitter) broadcast(kind ir.Kind, element string) string {
	t := e.types(kind)
	if kind.Base() == ir.Float {
		return fmt.Sprintf("archsimd.Broadcast%s(%s)", t.float, element)
	}
	return fmt.Sprintf("archsimd.Broadcast%s(%s)", t.uint, e.asBits(kind, element))
}

// asBits returns the expression of an element as the vector has it: floats as they are, integers without a sign.
func (e *emitter) asBits(kind ir.Kind, element string) string {
	if kind.Base() == ir.Int {
		return fmt.Sprintf("uint%d(%s)", e.types(kind).bits, element)
	}
	return element
}

// number returns the expression for element k of a value, as a number of a lane.
func (e *emitter) number(v *ir.Value, kind ir.Kind, k int) string {
	text := fmt.Sprintf("%s.GetElem(%d)", e.arg(v, kind), k)
	if kind.Base() == ir.Int {
		return fmt.Sprintf("%s(%s)", e.element(kind), text)
	}
	return text
}

// store writes a Store. Floats of half the width are stored one by one, because the two floats fill only
// half of a vector.
func (e *emitter) store(v *ir.Value) {
	x, s := v.Args[0], v.Stream
	if isWhole(s) {
		text := e.arg(x, s.Elem)
		if s.Elem == ir.Int {
			text = e.signed(x)
		}
		e.line("%s.StoreArray(%s)", text, e.vectorAddress(s))
		return
	}
	for k := range vectorBytes / e.k.Width {
		if e.joined[x] {
			e.line("%s = float32(%s.GetElem(%d))", e.rowElement(s, k), e.arg(x.Args[0], ir.Float), k)
		} else {
			e.line("%s = %s", e.rowElement(s, k), e.number(x, s.Elem, k))
		}
	}
}

// gather writes a Gather: elements at computed indices. If no element of the mask is set, it reads nothing, because the slice may be
// empty. A row whose mask is not set reads the element with index 0.
func (e *emitter) gather(v *ir.Value) {
	index, mask, k := e.arg(v.Args[0], ir.Int), v.Args[1], e.local("k")
	read := e.collect(v.Kind, func(row int) string { return fmt.Sprintf("%s[%s.GetElem(%d)]", v.Stream.Expr, k, row) })
	if mask.Op == ir.Rows {
		e.line("var %s %s\n{", e.variable(v), e.vectorType(v.Kind))
	} else {
		e.line("var %s %s\nif %s {", e.variable(v), e.vectorType(v.Kind), e.anySet(mask, true))
		index = fmt.Sprintf("%s.And(%s)", index, e.arg(mask, ir.Mask))
	}
	e.line("%s := %s\n%s = %s\n}", k, index, e.variable(v), read)
}

// vectorType returns the type of the variables of a kind.
func (e *emitter) vectorType(kind ir.Kind) string {
	if kind.Base() == ir.Float {
		return "archsimd." + e.types(kind).float
	}
	return "archsimd." + e.types(kind).uint
}

// assignments maps the operation on an element in memory to its operator.
var assignments = map[ir.Op]string{ir.Store: "=", ir.Add: "+=", ir.Sub: "-=", ir.IntAdd: "+=", ir.IntSub: "-=", ir.And: "&=", ir.Or: "|=", ir.Xor: "^="}

// scatter writes a Scatter: one row after the other, in the order of the Go source, because two rows may have the same index.
func (e *emitter) scatter(v *ir.Value) {
	for row := range vectorBytes / e.k.Width {
		for i, p := range v.Puts {
			index, x, mask := v.Args[3*i], v.Args[3*i+1], v.Args[3*i+2]
			put := fmt.Sprintf("%s[%s.GetElem(%d)] %s %s", p.Stream.Expr, e.arg(index, ir.Int), row, assignments[p.How], e.number(x, p.Stream.Elem, row))
			if mask.Op == ir.Rows {
				e.line("%s", put)
				continue
			}
			e.line("if %s.GetElem(%d) != 0 {\n%s\n}", e.arg(mask, ir.Mask), row, put)
		}
	}
}

// beginSpan writes the head of a loop over a part of a list. If the part is not within the list, Go computes this vector.
func (e *emitter) beginSpan(l *ir.Loop) {
	s, j, group, end := l.Span, e.counter(l), e.local(fmt.Sprint("group", l.ID)), e.local(fmt.Sprint("end", l.ID))
	e.line("%s := %s / %s", group, e.local("i"), s.Start.Group)
	e.line("%s, %s := int(uint32(%s[%s])), int(uint32(%s[%s+1]))", j, end, s.Start.Expr, group, s.Start.Expr, group)
	e.line("if %s > %s || %s > %s {\n%s\n}", end, s.Length.Expr, j, end, e.stop)
	e.line("for ; %s < %s; %s++ {", j, end, j)
}

// listed returns the expression for the current element of a loop's list.
func (e *emitter) listed(l *ir.Loop) string {
	return fmt.Sprintf("%s[%s]", l.Span.List.Expr, e.counter(l))
}
