package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// literal returns the definition of an expression that uses only variables of the
// library: a list, a struct, or a constant. It returns nil for all other expressions.
func (c *scope) literal(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.literal(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return c.literal(e.X)
		}
	case *ast.CompositeLit:
		if c.trust {
			return e
		}
	case *ast.Ident:
		o := c.object(e)
		if n := c.names[o]; n.literal != nil {
			return n.literal
		}
		if init := c.pkg.Vars[o]; init != nil && c.trust {
			return c.value(init)
		}
	case *ast.SelectorExpr:
		return c.field(e)
	case *ast.IndexExpr:
		lit, ok := c.literal(e.X).(*ast.CompositeLit)
		if i, constant := c.constantInt(e.Index); ok && constant && i >= 0 && i < int64(len(lit.Elts)) {
			return c.value(lit.Elts[i])
		}
	case *ast.SliceExpr:
		return c.part(e)
	}
	return nil
}

// part returns the literal for a slice expression of a list with constant bounds, or nil.
func (c *scope) part(e *ast.SliceExpr) ast.Expr {
	lit, ok := c.literal(e.X).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	from, to, known := int64(0), int64(len(lit.Elts)), true
	if e.Low != nil {
		from, known = c.constantInt(e.Low)
	}
	if e.High != nil && known {
		to, known = c.constantInt(e.High)
	}
	if !known {
		return nil
	}
	part := *lit
	part.Elts = lit.Elts[from:to]
	return &part
}

// value returns the expression if it is a constant or a literal; otherwise it returns nil.
func (c *scope) value(e ast.Expr) ast.Expr {
	if c.pkg.Info.Types[e].Value != nil {
		return e
	}
	return c.literal(e)
}

// field returns a field of a literal.
func (c *scope) field(e *ast.SelectorExpr) ast.Expr {
	lit, ok := c.literal(e.X).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if k, ok := kv.Key.(*ast.Ident); ok && k.Name == e.Sel.Name {
				return c.value(kv.Value)
			}
		}
	}
	return nil
}

// constant returns a constant converted to the type of the expression.
func (c *scope) constant(e ast.Expr, value constant.Value) *ir.Value {
	if value.Kind() == constant.Bool {
		bits := uint64(0)
		if constant.BoolVal(value) {
			bits = math.MaxUint64
		}
		return c.b.Const(ir.Mask, bits)
	}
	kind := c.kind(e.Pos(), c.typeOf(e))
	if kind.Base() == ir.Float {
		return c.float(kind, value)
	}
	whole := constant.ToInt(value)
	if i, ok := constant.Int64Val(whole); ok {
		return c.b.Const(kind, uint64(i))
	}
	u, _ := constant.Uint64Val(whole)
	return c.b.Const(kind, u)
}

// oneOf returns the number 1 in the type of an expression.
func (c *scope) oneOf(e ast.Expr) *ir.Value {
	kind := c.kind(e.Pos(), c.typeOf(e))
	if kind.Base() == ir.Float {
		return c.float(kind, constant.MakeInt64(1))
	}
	return c.b.Const(kind, 1)
}
