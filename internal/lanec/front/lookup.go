package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// gather is y[k] of a number k that is computed. Where it is out of range in a row that asks for it, the kernel stops in front of that vector, of
// which nothing has been written yet, and the Go source goes on from there: so it panics as Go does, after the rows before.
func (c *compiler) gather(e *ast.IndexExpr, s *stream, length string) val {
	c.everywhere(e.Pos(), s)
	k, here := c.guarded(e, s, length)
	return val{v: c.b.Put(&ir.Value{Op: ir.Gather, Kind: s.Elem, Args: []*ir.Value{k, here}, Stream: s.all})}
}

// everywhere notes that a slice is read at other rows than the loop's.
func (c *compiler) everywhere(at token.Pos, s *stream) {
	c.apart(at, s)
	if s.Written {
		fail(at, "%s is written at its own row and read at another one, so it would matter which row comes first: write into a slice of its own", s.Expr)
	}
	if s.all == nil {
		all := *s.Stream
		all.Name, all.ByLoop = all.Name+"_all", true
		s.all = &all
		c.b.Kernel.Streams = append(c.b.Kernel.Streams, s.all)
	}
}

// apart refuses anything else that is done with a slice which is written at numbers that are computed.
func (c *compiler) apart(at token.Pos, s *stream) {
	if s.put != nil {
		fail(at, "%s is written at an index that is computed, and used here too, so it would matter which row comes first: use a slice of its own", s.Expr)
	}
}

// guarded computes an index, and lets the kernel stop where it is out of range in a row that is here.
func (c *compiler) guarded(e *ast.IndexExpr, s *stream, length string) (k, here *ir.Value) {
	if !c.inRows() {
		fail(e.Pos(), "an element at an index that is computed has no place before the loop over the rows")
	}
	k = c.number(e.Index, s)
	here = c.here()
	n := c.b.Put(&ir.Value{Op: ir.Param, Kind: ir.Int, Scalar: c.length(length)})
	// Where k, or the last index less k, is below zero.
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

// number is an index that is computed: a number of the row, maybe as an int.
func (c *compiler) number(e ast.Expr, s *stream) *ir.Value {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && c.pkg.Info.Types[call.Fun].IsType() {
		if b, ok := c.typeOf(e).Underlying().(*types.Basic); ok && b.Kind() == types.Int {
			e = call.Args[0]
		}
	}
	if b, ok := c.typeOf(e).Underlying().(*types.Basic); ok && b.Kind() == types.Int {
		fail(e.Pos(), "%s at an index that is neither the row's, a loop's counter, a constant nor a number of the row: compute it in int32 or int64, from a lane or a parameter of that type", s.Expr)
	}
	k := c.expr(e).v
	if k.Kind.IsHalf() {
		k = c.widened(k)
	}
	return k
}

// length is how long a slice is, as a number that indices are compared with.
func (c *compiler) length(expr string) *ir.Scalar {
	k := c.b.Kernel
	for _, s := range k.Lengths {
		if s.Expr == expr {
			return s
		}
	}
	s := &ir.Scalar{Name: "length_" + decimal(int64(len(k.Lengths))), Expr: expr, Kind: ir.Int, Type: "int" + decimal(int64(8*c.width()))}
	k.Lengths = append(k.Lengths, s)
	return s
}

// second is the right side of && and ||, which only some rows ask for: what they look up there is looked up for them alone.
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

// looked says whether something that is written is y[k] of a number that is computed.
func (c *compiler) looked(e ast.Expr) (*ast.IndexExpr, bool) {
	l, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	if _, constant := c.constantInt(l.Index); constant {
		return nil, false
	}
	if id, ok := ast.Unparen(l.Index).(*ast.Ident); ok {
		if o := c.object(id); o == c.row || c.counters[o] != nil {
			return nil, false
		}
	}
	return l, true
}

// hows are what may be done with an element at an index that is computed.
var hows = map[token.Token][2]ir.Op{ // to a float, to an integer
	0:         {ir.Store, ir.Store},
	token.ADD: {ir.Add, ir.IntAdd},
	token.SUB: {ir.Sub, ir.IntSub},
	token.AND: {0, ir.And},
	token.OR:  {0, ir.Or},
	token.XOR: {0, ir.Xor},
}

// scatter writes to y[k], or adds to it. It is done at the end of the vector, row by row: two rows may write to one element.
func (c *compiler) scatter(e *ast.IndexExpr, op token.Token, x val) {
	s, length := c.lane(e.X)
	kind := 0
	if s.Elem.Base() != ir.Float {
		kind = 1
	}
	how := hows[op][kind]
	switch {
	case how == 0:
		fail(e.Pos(), "of what is done to an element at an index that is computed =, +=, -=, ++ and -- are understood, and &=, |= and ^= of integers")
	case len(c.turns) > 0:
		fail(e.Pos(), "%s is written at an index that is computed, in a loop of the row: the turns of one row would have to end before those of the next; do it behind the loop", s.Expr)
	case s.all != nil || s.ahead != nil || s.read || s.Written:
		fail(e.Pos(), "%s is written at an index that is computed, and used elsewhere in the row too, so it would matter which row comes first: use a slice of its own", s.Expr)
	}
	s.raw = max(s.raw, x.raw)
	if s.raw != 0 && how != ir.Store {
		c.refuseRaw(s.raw, x.v)
	}
	k, here := c.guarded(e, s, length)
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
}

// matrixOf is the slice of arrays that an expression names, or nil: a parameter, or a field of one that points to a struct.
func matrixOf(c *compiler, e ast.Expr) *matrix {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if n := c.names[c.object(e)]; !n.ofRow {
			return n.matrix
		}
	case *ast.SelectorExpr:
		v, ok := ast.Unparen(e.X).(*ast.Ident)
		if !ok || c.names[c.object(v)].view == "" {
			return nil
		}
		if t, ok := c.typeOf(e).Underlying().(*types.Slice); ok {
			if a, ok := t.Elem().Underlying().(*types.Array); ok {
				return &matrix{c.names[c.object(v)].view + "." + e.Sel.Name, a}
			}
		}
	}
	return nil
}

// matrixRow is the same of m[i], the array of the row, and of a name for its address.
func matrixRow(c *compiler, e ast.Expr) *matrix {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if n := c.names[c.object(e)]; n.ofRow {
			return n.matrix
		}
	case *ast.IndexExpr:
		m := matrixOf(c, e.X)
		if m == nil {
			return nil
		}
		if id, ok := ast.Unparen(e.Index).(*ast.Ident); !ok || c.row == nil || c.object(id) != c.row {
			fail(e.Index.Pos(), "%s has arrays for rows, of which a kernel sees that of its own row: write %s[i]", m.expr, m.expr)
		}
		return m
	}
	return nil
}

// largest is how many numbers an array may have that is a row.
const largest = 16

// cell is the lane that one number of an array is, or nil where an element is none. The generated function brings arrays apart and together again.
func cell(c *compiler, e *ast.IndexExpr) *stream {
	m := matrixRow(c, e.X)
	if m == nil {
		return nil
	}
	at, ok := c.constantInt(e.Index)
	switch {
	case !ok:
		fail(e.Index.Pos(), "which number of an array is meant must be a constant: write %d, say", 3)
	case m.of.Len() > largest || c.pkg.Frame:
		fail(e.Pos(), "%s has %d numbers a row: up to %d are understood", m.expr, m.of.Len(), largest)
	}
	c.want("len("+m.expr+")", c.b.Kernel.Number)
	s := c.stream(e.Pos(), strings.ReplaceAll(m.expr, ".", "_")+"_"+decimal(at)+"_", types.NewSlice(m.of.Elem()))
	s.Matrix, s.At = m.expr, int(at)
	return s
}
