package front

import (
	"go/ast"
	"go/types"
)

// A matrix is a slice of arrays: a few numbers for each row. The numbers that
// the kernel uses become lanes.
type matrix struct {
	expr string       // as an expression of parameters
	of   *types.Array // a row
}

// matrixOf returns the slice of arrays that an expression names, or nil. The slice is a parameter,
// or a field of a parameter that points to a struct.
func (c *scope) matrixOf(e ast.Expr) *matrix {
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

// matrixRow returns the slice of arrays m if an expression is m[i], where i is the row,
// or a name for the address of m[i]. Otherwise it returns nil.
func (c *scope) matrixRow(e ast.Expr) *matrix {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if n := c.names[c.object(e)]; n.ofRow {
			return n.matrix
		}
	case *ast.IndexExpr:
		m := c.matrixOf(e.X)
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

// largest is the largest number of elements that an array may have.
const largest = 16

// cell returns the lane of one number of an array, or nil if the expression is
// not such a number. The generated function copies the number from the arrays to the
// lane and back.
func (c *scope) cell(e *ast.IndexExpr) *stream {
	m := c.matrixRow(e.X)
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
	s := c.stream(e.Pos(), m.expr+"[]["+decimal(at)+"]", types.NewSlice(m.of.Elem()))
	s.Matrix, s.At = m.expr, int(at)
	return s
}
