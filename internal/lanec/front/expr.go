package front

import (
	"go/ast"
	"go/token"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

func (c *compiler) expr(e ast.Expr) val {
	if tv := c.pkg.Info.Types[e]; tv.Value != nil {
		return val{v: c.constant(e, tv.Value)}
	}
	if n := c.literal(e); n != nil {
		if tv := c.pkg.Info.Types[n]; tv.Value != nil {
			return val{v: c.constant(n, tv.Value)}
		}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.expr(e.X)
	case *ast.Ident:
		return c.ident(e)
	case *ast.UnaryExpr:
		return c.unary(e)
	case *ast.BinaryExpr:
		x := c.expr(e.X)
		if e.Op == token.SHL || e.Op == token.SHR {
			return c.shift(e.OpPos, e.Op, x, e.Y)
		}
		if e.Op == token.LAND || e.Op == token.LOR {
			return c.binary(e.OpPos, e.Op, x, c.second(e.Op, x.v, e.Y))
		}
		return c.binary(e.OpPos, e.Op, x, c.expr(e.Y))
	case *ast.IndexExpr:
		return c.index(e)
	case *ast.CallExpr:
		out := c.call(e)
		if len(out) != 1 {
			fail(e.Pos(), "a call with %d results inside of an expression", len(out))
		}
		return out[0]
	case *ast.FuncLit:
		fail(e.Pos(), "a function in a kernel is not understood: declare it in the package")
	case *ast.SelectorExpr:
		fail(e.Pos(), "this field is no number of the row: a kernel sees its parameters, constants and elements x[i] of lanes")
	}
	fail(e.Pos(), "this expression is not understood in a kernel")
	return val{}
}

func (c *compiler) ident(e *ast.Ident) val {
	o := c.object(e)
	if x, ok := c.vars[o]; ok {
		return x
	}
	n, known := c.names[o]
	switch {
	case n.scalar != nil:
		return val{v: c.b.Put(&ir.Value{Op: ir.Param, Kind: n.scalar.Kind, Scalar: n.scalar})}
	case o == c.row || c.counters[o] != nil:
		fail(e.Pos(), "%s is an index, which may stand in brackets only: keep a number of the row in a lane of int32 or int64", e.Name)
	case known && n.lane == nil && n.view == "":
		fail(e.Pos(), "%s is an int, which counts turns only: a number to compute with is a parameter of type int32 or float32, say", e.Name)
	case known:
		fail(e.Pos(), "%s is a whole lane or view: write the element of the row, x[i]", e.Name)
	}
	fail(e.Pos(), "%s is not known in a kernel, which sees its parameters, constants and variables of the row: make it a parameter", e.Name)
	return val{}
}

func (c *compiler) unary(e *ast.UnaryExpr) val {
	x := c.expr(e.X)
	switch e.Op {
	case token.ADD:
		return x
	case token.SUB:
		if x.v.Kind.Base() == ir.Float {
			return val{c.negate(x.v), x.raw}
		}
		return val{v: c.b.Op(ir.IntSub, x.v.Kind, c.b.Const(x.v.Kind, 0), x.v)}
	case token.NOT, token.XOR:
		return val{v: c.b.Op(ir.Not, x.v.Kind, x.v)}
	}
	fail(e.Pos(), "%v is not understood in a kernel", e.Op)
	return val{}
}

// index translates an index expression: x[i] where i is the row, x[j] where j is the
// counter of a loop, x[3], or x[k] where k is computed.
func (c *compiler) index(e *ast.IndexExpr) val {
	if s := c.cell(e); s != nil {
		return c.load(s)
	}
	s, length := c.lane(e.X)
	if n, ok := c.constantInt(e.Index); ok {
		return c.spread(e.Pos(), s, length, decimal(n+1), &ir.Value{Bits: uint64(n)})
	}
	if id, ok := ast.Unparen(e.Index).(*ast.Ident); ok {
		o := c.object(id)
		if o == c.row && o != nil {
			c.checkApart(e.Pos(), s)
			c.want(length, c.b.Kernel.Number)
			return c.load(s)
		}
		if l := c.counters[o]; l != nil {
			return c.spread(e.Pos(), s, length, iterations(l), &ir.Value{Loop: l})
		}
	}
	if l := c.listedIn(e.Index); l != nil {
		return c.pick(e, s, length, l)
	}
	if n, ok := c.offsetAhead(e.Index); ok {
		return c.load(c.shiftedLane(e, s, length, n))
	}
	return c.gather(e, s, length)
}

// iterations returns the number of iterations of a counted loop as a Go expression.
func iterations(l *ir.Loop) string {
	if l.Count != nil {
		return l.Count.Expr
	}
	return decimal(l.Turns)
}

// shift translates a shift by a constant, or by a number that differs between rows.
func (c *compiler) shift(at token.Pos, op token.Token, x val, by ast.Expr) val {
	n, ok := c.constantInt(by)
	if !ok {
		return val{v: c.shiftBy(by.Pos(), op, x.v, c.expr(by).v)}
	}
	kind, bits := x.v.Kind, int64(8*c.size(x.v))
	if n >= bits {
		if op == token.SHR && kind.Base() == ir.Int {
			n = bits - 1 // the sign in every bit
		} else {
			return val{v: c.b.Const(kind, 0)}
		}
	}
	shifted := func(op ir.Op, v *ir.Value, n int64) *ir.Value {
		return c.b.Put(&ir.Value{Op: op, Kind: kind, Args: []*ir.Value{v}, Bits: uint64(n)})
	}
	switch {
	case n == 0:
		return val{v: x.v}
	case op == token.SHL:
		return val{v: shifted(ir.Shl, x.v, n)}
	case kind.Base() == ir.Uint:
		return val{v: shifted(ir.Shr, x.v, n)}
	case bits == 32:
		return val{v: shifted(ir.Sar, x.v, n)}
	}
	// AVX2 has no arithmetic right shift of 64-bit numbers. So a logical shift moves
	// the sign bit down, and a subtraction extends it.
	sign := c.b.Const(kind, 1<<(63-n))
	return val{v: c.b.Op(ir.IntSub, kind, c.b.Op(ir.Xor, kind, shifted(ir.Shr, x.v, n), sign), sign)}
}
