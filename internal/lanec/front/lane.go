package front

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// spread returns an element of a slice that is the same for all rows. v has the index
// of the element: a constant or the counter of a loop. reach is the number of elements
// that the slice must have.
func (c *scope) spread(at token.Pos, s *stream, length, reach string, v *ir.Value) val {
	c.readEverywhere(at, s)
	if !s.fixed || v.Loop != nil {
		c.want(length, reach)
	}
	if !slices.Contains(s.all.Reach, reach) {
		s.all.Reach = append(s.all.Reach, reach)
	}
	v.Op, v.Kind, v.Stream = ir.Spread, s.Elem, s.all
	return val{v: c.b.Put(v)}
}

// readEverywhere records that a slice is read at indices other than the index of the row.
func (c *scope) readEverywhere(at token.Pos, s *stream) {
	c.checkApart(at, s)
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

// checkApart reports a problem if a slice is written at computed indices and also used in another way.
func (c *scope) checkApart(at token.Pos, s *stream) {
	if s.put != nil {
		fail(at, "%s is written at an index that is computed, and used here too, so it would matter which row comes first: use a slice of its own", s.Expr)
	}
}

// shiftedLane returns the lane whose element for row i is element i+n of the given lane. It must
// not be written.
func (c *scope) shiftedLane(e *ast.IndexExpr, s *stream, length string, n int64) *stream {
	c.checkApart(e.Pos(), s)
	if s.Written {
		fail(e.Pos(), "%s is written at its own row and read at another one, so it would matter which row comes first: write into a slice of its own", s.Expr)
	}
	c.want(length, c.b.Kernel.Number+" + "+decimal(n))
	if s.ahead == nil {
		s.ahead = map[int64]*stream{}
	}
	if s.ahead[n] == nil {
		lane := *s.Stream
		lane.Name, lane.Ahead = lane.Name+"_"+decimal(n), int(n)
		s.ahead[n] = &stream{Stream: &lane}
		c.b.Kernel.Streams = append(c.b.Kernel.Streams, &lane)
	}
	return s.ahead[n]
}

// isRow reports whether an expression is the index of the row.
func (c *scope) isRow(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && c.row != nil && c.object(id) == c.row
}

// offsetAhead returns n if the expression is the index i+n of a row.
func (c *scope) offsetAhead(e ast.Expr) (n int64, ok bool) {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD {
		return 0, false
	}
	i, by := b.X, b.Y
	if n, ok = c.constantInt(i); ok {
		i = by
	} else if n, ok = c.constantInt(by); !ok {
		return 0, false
	}
	return n, c.isRow(i) && n > 0 && n < 1<<20
}

// isLookup reports whether the target of an assignment is y[k], where k is a
// computed index.
func (c *scope) isLookup(e ast.Expr) (*ast.IndexExpr, bool) {
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
