package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// gather translates y[k] for a computed index k. If k is out of range in an active row,
// the kernel stops before it has written anything of the vector with this row, and the
// Go source continues from there. So the call panics as the Go source does, after it
// has computed the earlier rows.
func (c *compiler) gather(e *ast.IndexExpr, s *stream, length string) val {
	c.readEverywhere(e.Pos(), s)
	k, here := c.guardIndex(e, s, length)
	return val{v: c.b.Put(&ir.Value{Op: ir.Gather, Kind: s.Elem, Args: []*ir.Value{k, here}, Stream: s.all})}
}

// guardIndex computes an index, and makes the kernel stop if it is out of range in
// an active row.
func (c *compiler) guardIndex(e *ast.IndexExpr, s *stream, length string) (k, here *ir.Value) {
	if !c.inRows() {
		fail(e.Pos(), "an element at an index that is computed has no place before the loop over the rows")
	}
	k = c.number(e.Index, s)
	here = c.activeHere()
	n := c.b.Put(&ir.Value{Op: ir.Param, Kind: ir.Int, Scalar: c.length(length)})
	// An index k is out of range if k is negative, or if the last index minus k is negative.
	last := c.b.Op(ir.IntSub, ir.Int, n, c.b.Const(ir.Int, 1))
	outside := c.b.Op(ir.IntGreater, ir.Mask, c.b.Const(ir.Int, 0), c.b.Op(ir.Or, ir.Int, k, c.b.Op(ir.IntSub, ir.Int, last, k)))
	outside = c.b.And(here, outside)
	inLoop := false
	for _, t := range c.turns {
		inLoop = inLoop || t.stores
	}
	if known := len(c.b.Region.Items); inLoop || c.stored {
		if c.b.Put(&ir.Value{Op: ir.Guard, Args: []*ir.Value{outside}}); len(c.b.Region.Items) > known {
			fail(e.Pos(), "%s is looked up after something was written: where an index is out of range, nothing of the row may have been written yet; look all of them up first", s.Expr)
		}
		return k, here
	}
	c.b.Put(&ir.Value{Op: ir.Guard, Args: []*ir.Value{outside}})
	return k, here
}

// number returns a computed index. The expression is a number that depends on the row,
// and may be converted to int.
func (c *compiler) number(e ast.Expr, s *stream) *ir.Value {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && c.pkg.Info.Types[call.Fun].IsType() {
		if b, ok := c.typeOf(e).Underlying().(*types.Basic); ok && b.Kind() == types.Int {
			e = call.Args[0]
		}
	}
	if b, ok := c.typeOf(e).Underlying().(*types.Basic); ok && b.Kind() == types.Int {
		if x, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && x.Op == token.SUB && c.isRow(x.X) {
			fail(e.Pos(), "%s at a row before the loop's: rows further on can be read, x[i+1], so give the kernel slices that begin some rows earlier and later", s.Expr)
		}
		fail(e.Pos(), "%s at an index that is neither the row's, a loop's counter, a constant nor a number of the row: compute it in int32 or int64, from a lane or a parameter of that type", s.Expr)
	}
	k := c.expr(e).v
	if k.Kind.IsHalf() {
		k = c.widenInt(k)
	}
	return k
}

// second translates the right side of && and ||. Only some rows evaluate the right
// side, so it does look-ups only for these rows.
func (c *compiler) second(op token.Token, first *ir.Value, e ast.Expr) val {
	if !c.inRows() {
		return c.expr(e)
	}
	path := c.path
	if op == token.LAND {
		c.path = c.b.And(path, first)
	} else {
		c.path = c.b.AndNot(path, first)
	}
	x := c.expr(e)
	c.path = path
	return x
}

// hows maps an assignment operator to the operation on the element at a computed index: the first
// one is for floats, the second one for integers.
var hows = map[token.Token][2]ir.Op{ // to a float, to an integer
	0:         {ir.Store, ir.Store},
	token.ADD: {ir.Add, ir.IntAdd},
	token.SUB: {ir.Sub, ir.IntSub},
	token.AND: {0, ir.And},
	token.OR:  {0, ir.Or},
	token.XOR: {0, ir.Xor},
}

// scatter translates y[k] = x and assignments such as y[k] += x. The kernel executes
// them at the end of the vector, row by row, because two rows may write to the same
// element.
func (c *compiler) scatter(e *ast.IndexExpr, op token.Token, x val) {
	s, length := c.lane(e.X)
	kind := 0
	if s.Elem.Base() != ir.Float {
		kind = 1
	}
	how := hows[op][kind]
	_, further := c.offsetAhead(e.Index)
	switch {
	case further:
		fail(e.Index.Pos(), "%s is written at another row than the loop's: rows run side by side, so write x[i] alone; rows further on can be read", s.Expr)
	case how == 0:
		fail(e.Pos(), "of what is done to an element at an index that is computed =, +=, -=, ++ and -- are understood, and &=, |= and ^= of integers")
	case len(c.turns) > 0:
		fail(e.Pos(), "%s is written at an index that is computed, in a loop of the row: the turns of one row would have to end before those of the next; do it behind the loop", s.Expr)
	case s.all != nil || s.ahead != nil || s.read || s.Written:
		fail(e.Pos(), "%s is written at an index that is computed, and used elsewhere in the row too, so it would matter which row comes first: use a slice of its own", s.Expr)
	}
	s.raw = max(s.raw, x.raw)
	if s.raw != 0 && how != ir.Store {
		c.refuseRaw(s.raw, e.Pos(), x.v)
	}
	k, here := c.guardIndex(e, s, length)
	if s.put == nil {
		put := *s.Stream
		put.Name, put.ByLoop, put.Written = put.Name+"_put", true, true
		s.put = &put
		c.b.Kernel.Streams = append(c.b.Kernel.Streams, s.put)
	}
	if c.puts == nil {
		c.puts = &ir.Value{Op: ir.Scatter}
	}
	c.puts.Args = append(c.puts.Args, k, x.v, here)
	c.puts.Puts = append(c.puts.Puts, ir.Put{Stream: s.put, How: how})
	if how != ir.Store { // the result
		x.v = &ir.Value{Op: how, Kind: s.Elem}
	}
	c.recordEvent(happening{how: stored, v: x.v, known: know(here, true, nil)})
}
