package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// mathOps are the functions of package math whose bits are the same on every CPU and that are one instruction.
var mathOps = map[string]ir.Op{"Sqrt": ir.Sqrt, "Abs": ir.Abs, "Floor": ir.Floor, "Ceil": ir.Ceil, "Trunc": ir.Trunc}

func (c *compiler) call(e *ast.CallExpr) []val {
	if c.pkg.Info.Types[e.Fun].IsType() {
		return []val{c.convert(e)}
	}
	switch b := c.builtin(e); b {
	case "":
	case "min", "max":
		return []val{c.extreme(e, b == "min")}
	case "len":
		c.fail(e.Pos(), "len is an int, which counts turns only: pass a number of type int32 or float32, say")
	default:
		c.fail(e.Pos(), "%s has no place in a row", b)
	}
	if pkg, name := c.imported(e); pkg == "math" {
		return []val{c.math(e, name)}
	} else if pkg == kernelsPath && wholes[name] != 0 {
		return []val{{v: c.toInt(c.expr(e.Args[0]).v, c.kind(e.Pos(), c.typeOf(e)))}}
	} else if pkg != "" {
		c.fail(e.Pos(), "%s.%s is a function of another package: a kernel calls functions of its own package, some of math, and kernels.ToInt32 and its like", pkg, name)
	}
	return c.helper(e)
}

func (c *compiler) builtin(e *ast.CallExpr) string {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := c.pkg.Info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// imported returns the path and name of a called function of another package.
func (c *compiler) imported(e *ast.CallExpr) (pkg, name string) {
	if s, ok := e.Fun.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			if p, ok := c.pkg.Info.Uses[id].(*types.PkgName); ok {
				return p.Imported().Path(), s.Sel.Name
			}
		}
		c.fail(e.Pos(), "a call of a method is not understood: write a function")
	}
	return "", ""
}

// math is a call of a function of package math.
func (c *compiler) math(e *ast.CallExpr, name string) val {
	if op, ok := mathOps[name]; ok {
		kind := c.kind(e.Pos(), c.typeOf(e))
		return val{v: c.b.Op(op, kind, c.expr(e.Args[0]).v)}
	}
	switch name {
	case "Float32bits", "Float64bits":
		kind := c.kind(e.Pos(), c.typeOf(e))
		x := c.expr(e.Args[0]).v
		if !c.clean(x, nil) {
			c.fail(e.Pos(), "the bits of a number that is computed: those of a NaN differ between CPUs; replace it first, if v != v { v = 0 }")
		}
		return val{v: c.b.Op(ir.Cast, kind, x)}
	case "Float32frombits", "Float64frombits":
		kind := c.kind(e.Pos(), c.typeOf(e))
		return val{v: c.b.Op(ir.Cast, kind, c.expr(e.Args[0]).v)}
	}
	c.fail(e.Pos(), "math.%s has no place in a kernel: Sqrt, Abs, Floor, Ceil, Trunc and the functions on bits have; others differ between CPUs, or are functions of package kernels on lanes", name)
	return val{}
}

// clean says whether the bits of a float are the same on every CPU also if it is a NaN: nothing was computed, or a NaN is replaced. number is a
// value that is known to be no NaN here.
func (c *compiler) clean(v, number *ir.Value) bool {
	switch v.Op {
	case ir.Load, ir.Spread, ir.Gather, ir.Param, ir.Const, ir.Cast:
		return true
	case ir.Neg:
		return v == number || c.clean(v.Args[0], number)
	case ir.Abs: // of float32 it goes by way of float64 in Go, which changes a NaN that signals
		return v == number || c.clean(v.Args[0], number) && (c.size(v) == 8 || v.Args[0] == number)
	case ir.Sel:
		m, yes, no := v.Args[0], number, number
		if len(m.Args) == 2 && m.Args[0] == m.Args[1] {
			switch m.Op {
			case ir.Equal:
				yes = m.Args[0]
			case ir.NotEqual:
				no = m.Args[0]
			}
		}
		return v == number || c.clean(v.Args[1], yes) && c.clean(v.Args[2], no)
	}
	return v == number
}

// extreme is Go's min or max.
func (c *compiler) extreme(e *ast.CallExpr, least bool) val {
	x := c.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		y := c.expr(a)
		switch {
		case x.v.Kind.Base() == ir.Float && least:
			x = val{v: c.b.Op(ir.Min, x.v.Kind, x.v, y.v)}
		case x.v.Kind.Base() == ir.Float:
			x = val{v: c.b.Op(ir.Max, x.v.Kind, x.v, y.v)}
		case least:
			x = val{v: c.b.Choose(c.greater(x.v, y.v), y.v, x.v)}
		default:
			x = val{v: c.b.Choose(c.greater(x.v, y.v), x.v, y.v)}
		}
	}
	return x
}

// deepest is how many helpers may stand inside each other.
const deepest = 20

// helper reads the body of a function of the package in the place of its call, as Go's compiler may.
func (c *compiler) helper(e *ast.CallExpr) []val {
	id, ok := ast.Unparen(e.Fun).(*ast.Ident)
	if !ok {
		c.fail(e.Pos(), "a call of something else than a function of this package, without type parameters")
	}
	f := c.pkg.Funcs[c.object(id)]
	switch {
	case f == nil:
		c.fail(e.Pos(), "%s is no function of this package with a body in Go", id.Name)
	case f.Type.TypeParams != nil:
		c.fail(e.Pos(), "%s has type parameters: write it for float32 or float64", id.Name)
	case f.Type.Results == nil:
		c.fail(e.Pos(), "%s returns nothing: a helper returns what it computes", id.Name)
	case len(c.calls) == deepest:
		c.fail(e.Pos(), "%s calls itself, or calls are %d deep", id.Name, deepest)
	}
	var params []*ast.Ident
	for _, p := range f.Type.Params.List {
		if _, many := p.Type.(*ast.Ellipsis); many || len(p.Names) == 0 {
			c.fail(e.Pos(), "%s has a parameter without a name, or any number of them", id.Name)
		}
		params = append(params, p.Names...)
	}
	if len(params) != len(e.Args) {
		c.fail(e.Pos(), "%s is called with the results of another call: give them names first", id.Name)
	}
	for _, r := range f.Type.Results.List {
		if len(r.Names) > 0 {
			c.fail(e.Pos(), "%s names its results: return values instead", id.Name)
		}
	}
	c.take(params, e.Args)
	call := &inline{name: id.Name, turns: len(c.turns), live: c.live, path: c.path}
	c.calls = append(c.calls, call)
	c.block(f.Body.List)
	c.calls = c.calls[:len(c.calls)-1]
	c.live, c.path = call.live, call.path
	return call.out
}

// take gives the parameters of a helper their values.
func (c *compiler) take(params []*ast.Ident, args []ast.Expr) {
	define := &ast.AssignStmt{Tok: token.DEFINE}
	values := make([]val, len(args))
	for i, a := range args {
		define.TokPos = a.Pos()
		if !c.alias(define, params[i], a) {
			values[i] = c.expr(a) // raw stays raw: Go inlines, too
		}
	}
	for i, id := range params {
		if values[i].v != nil && id.Name != "_" {
			c.vars[c.object(id)] = values[i]
		}
	}
}
