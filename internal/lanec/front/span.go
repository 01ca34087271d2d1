package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// spanLoop translates for _, k := range list[start[i/n]:start[i/n+1]], in which
// each group of n rows has a part of the list. It reports whether the loop has
// this form. All rows of a vector belong to the same group. So k has the same value for
// all of them, and y[k] is a single load.
func (c *compiler) spanLoop(l *shape, s *ast.RangeStmt) bool {
	e, ok := ast.Unparen(s.X).(*ast.SliceExpr)
	if !ok || e.Slice3 || e.Low == nil || e.High == nil || !c.inRows() {
		return false
	}
	from, n, lower := c.ofGroup(e.Low, 0)
	to, m, upper := c.ofGroup(e.High, 1)
	if !lower || !upper {
		fail(e.Pos(), "a part of a list is understood that several rows share: list[start[i/n]:start[i/n+1]], where n is a constant or a parameter; if each row has its own part, write for j := start[i]; j < start[i+1]; j++")
	}
	list, length := c.lane(e.X)
	start, _ := c.lane(from)
	other, _ := c.lane(to)
	switch {
	case start != other || n != m:
		fail(e.Pos(), "a part of a list begins and ends at two neighbours of one slice: list[start[i/n]:start[i/n+1]]")
	case l.counter != nil:
		fail(s.Key.Pos(), "the position in a list has no meaning for a row: write for _, k := range")
	case !isIndex(c.typeOf(e.X)) || !isIndex(c.typeOf(from)):
		fail(e.Pos(), "a list that several rows share has elements of type int32, and so has the slice of its parts")
	case c.stored || slices.ContainsFunc(c.turns, func(t *turn) bool { return t.stores }):
		fail(e.Pos(), "%s is looked up after something was written: where a part of it is out of range, nothing of the row may have been written yet; look all of them up first", list.Expr)
	}
	c.readEverywhere(e.X.Pos(), list)
	c.readEverywhere(from.Pos(), start)
	span := &ir.Span{List: list.all, Start: c.byGroup(start, n)}
	span.Shift = c.newKnown("lanecShift(" + n + ")")
	span.Length = c.newKnown("min(" + length + ", 1<<31-1)")
	span.End = c.newKnown("0") // the kernel writes it
	l.span, l.turns = span, -1
	c.loop(*l)
	return true
}

// isIndex reports whether a type is []int32.
func isIndex(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Int32
}

// ofGroup returns start and n if an expression has the form start[i/n], where i is the
// row. If further is 1, the form is start[i/n+1].
func (c *compiler) ofGroup(e ast.Expr, further int64) (lane ast.Expr, n string, ok bool) {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return nil, "", false
	}
	index := ast.Unparen(x.Index)
	if further > 0 {
		b, ok := index.(*ast.BinaryExpr)
		if !ok || b.Op != token.ADD {
			return nil, "", false
		}
		if k, constant := c.constantInt(b.Y); !constant || k != further {
			return nil, "", false
		}
		index = ast.Unparen(b.X)
	}
	b, ok := index.(*ast.BinaryExpr)
	if !ok || b.Op != token.QUO || !c.isRow(b.X) {
		return nil, "", false
	}
	n, turns := c.count(b.Y)
	if n == "" {
		n = strconv.FormatInt(turns, 10)
	}
	return x.X, n, true
}

// byGroup returns the stream of a slice that has one element for each group of n rows.
func (c *scope) byGroup(s *stream, n string) *ir.Stream {
	group := *s.Stream
	group.Name, group.Group, group.ByLoop = group.Name+"_of", n, true
	for _, known := range c.b.Kernel.Streams {
		if known.Expr == group.Expr && known.Group == n {
			return known
		}
	}
	c.b.Kernel.Streams = append(c.b.Kernel.Streams, &group)
	return &group
}

// newKnown returns a new scalar of the argument block. The generated function computes its value
// with the given expression.
func (c *scope) newKnown(expr string) *ir.Scalar {
	k := c.b.Kernel
	s := &ir.Scalar{Name: "count_" + decimal(int64(len(k.Counts))), Expr: expr, Type: "int"}
	k.Counts = append(k.Counts, s)
	return s
}

// beginSpan sets the variable for the element of the list at the beginning of an iteration.
func (c *compiler) beginSpan(l *ir.Loop, element types.Object) {
	if element == nil {
		return
	}
	list := l.Span.List
	c.vars[element] = val{v: c.b.Put(&ir.Value{Op: ir.Spread, Kind: list.Elem, Stream: list, Loop: l})}
	c.listed[element] = l
}

// endSpan adds the check that the elements of the list are valid indices of all slices that the
// loop reads at them.
func (c *compiler) endSpan(l *ir.Loop) {
	if len(l.Span.Picked) == 0 {
		return
	}
	l.Span.Bound = c.newKnown("min(" + strings.Join(l.Span.Picked, ", ") + ", 1<<31-1)")
	body := c.b.Region
	c.b.Region = l.Body
	check := c.b.Put(&ir.Value{Op: ir.Within, Loop: l, Scalar: l.Span.Bound})
	c.b.Region = body
	items := l.Body.Items
	l.Body.Items = slices.Insert(items[:len(items)-1], 0, ir.Item(check))
}

// listedIn returns the loop over a list if an expression is the current element of the list, or
// a conversion of this element to int. It returns nil if there is no such loop.
func (c *compiler) listedIn(e ast.Expr) *ir.Loop {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && c.pkg.Info.Types[call.Fun].IsType() {
		if b, ok := c.typeOf(e).Underlying().(*types.Basic); ok && b.Kind() == types.Int {
			e = call.Args[0]
		}
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return c.listed[c.object(id)]
}

// pick translates y[k], where k is the current element of the list of a loop.
func (c *compiler) pick(e *ast.IndexExpr, s *stream, length string, l *ir.Loop) val {
	c.readEverywhere(e.Pos(), s)
	if c.stored || slices.ContainsFunc(c.turns, func(t *turn) bool { return t.stores }) {
		fail(e.Pos(), "%s is looked up after something was written: where an index is out of range, nothing of the row may have been written yet; look all of them up first", s.Expr)
	}
	if !slices.Contains(l.Span.Picked, length) {
		l.Span.Picked = append(l.Span.Picked, length)
	}
	return val{v: c.b.Put(&ir.Value{Op: ir.Pick, Kind: s.Elem, Stream: s.all, Loop: l})}
}
