package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// totalOf returns the element type of a kernels.Total, or nil for any other
// type.
func totalOf(t types.Type) types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Name() != "Total" || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "github.com/lanewise/lanewise/kernels" {
		return nil
	}
	return n.TypeArgs().At(0)
}

// accumulate translates sum.Add(i, v), which adds v to the accumulator of each active
// row. It reports whether the statement has this form.
func (c *compiler) accumulate(e *ast.ExprStmt) bool {
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(f.X).(*ast.Ident)
	if !ok || c.names[c.object(id)].total == nil {
		return false
	}
	s := c.names[c.object(id)].total
	switch {
	case !c.inRows():
		fail(e.Pos(), "a total is added to in the loop over the rows")
	case f.Sel.Name != "Add":
		fail(f.Sel.Pos(), "of a total a kernel knows Add: what it adds up to is asked for after the call")
	}
	switch i, ok := ast.Unparen(call.Args[0]).(*ast.Ident); {
	case !ok || c.row == nil || c.object(i) != c.row:
		fail(call.Args[0].Pos(), "the number of a row is added at the index of the row: %s.Add(i, …)", s.Expr)
	}
	x := c.expr(call.Args[1])
	old := c.load(s)
	sum := c.binary(e.Pos(), token.ADD, old, x)
	if m := c.mask(); m != nil {
		sum.v = c.b.Choose(m, sum.v, old.v)
	}
	c.stored = true
	c.b.Put(&ir.Value{Op: ir.Store, Kind: s.Elem, Args: []*ir.Value{sum.v}, Stream: s.Stream})
	clear(c.cache) // two totals may share memory
	c.cache[s.Stream] = sum
	return true
}
