package front

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// spread is one element of a slice for all rows: v says which. reach is how many elements there must be.
func (c *scope) spread(at token.Pos, s *stream, length, reach string, v *ir.Value) val {
	c.everywhere(at, s)
	if !s.fixed || v.Loop != nil {
		c.want(length, reach)
	}
	if !slices.Contains(s.all.Reach, reach) {
		s.all.Reach = append(s.all.Reach, reach)
	}
	v.Op, v.Kind, v.Stream = ir.Spread, s.Elem, s.all
	return val{v: c.b.Put(v)}
}

// everywhere notes that a slice is read at other rows than the loop's.
func (c *scope) everywhere(at token.Pos, s *stream) {
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
func (c *scope) apart(at token.Pos, s *stream) {
	if s.put != nil {
		fail(at, "%s is written at an index that is computed, and used here too, so it would matter which row comes first: use a slice of its own", s.Expr)
	}
}

// further is a lane as it is some rows further on, which nothing may write.
func (c *scope) further(e *ast.IndexExpr, s *stream, length string, n int64) *stream {
	c.apart(e.Pos(), s)
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

// isRow says whether an expression is the index of the row.
func (c *scope) isRow(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && c.row != nil && c.object(id) == c.row
}

// ahead returns n of the index i+n.
func (c *scope) ahead(e ast.Expr) (n int64, ok bool) {
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

// looked says whether something that is written is y[k] of a number that is computed.
func (c *scope) looked(e ast.Expr) (*ast.IndexExpr, bool) {
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
