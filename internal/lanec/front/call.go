package front

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// mathOps lists the functions of package math that are one instruction and give
// the same bits on every CPU.
var mathOps = map[string]ir.Op{"Sqrt": ir.Sqrt, "Abs": ir.Abs, "Floor": ir.Floor, "Ceil": ir.Ceil, "Trunc": ir.Trunc, "RoundToEven": ir.Round}

// ofOneRow lists the functions of package kernels on one row that the front knows. Their names end
// in Of.
var ofOneRow = []string{
	"Sin", "Cos", "Tan", "Sincos", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh",
	"Exp", "Exp2", "Expm1", "Log", "Log1p", "Log2", "Log10", "Pow", "Mod", "Hypot", "Cbrt", "Erf", "Erfc", "NormalCDF", "NormalQuantile", "Sinc", "Lgamma", "J0", "J1", "Round",
}

func (c *compiler) call(e *ast.CallExpr) []val {
	if c.pkg.Info.Types[e.Fun].IsType() {
		return []val{c.convert(e)}
	}
	switch b := c.builtin(e); b {
	case "":
	case "min", "max":
		return []val{c.extreme(e, b == "min")}
	case "len":
		fail(e.Pos(), "len is an int, which counts turns only: pass a number of type int32 or float32, say")
	default:
		fail(e.Pos(), "%s has no place in a row", b)
	}
	if pkg, id := c.importedFunc(e); pkg == "math" {
		return []val{c.math(e, id.Name)}
	} else if pkg == kernelsPath && wholes[id.Name] != 0 {
		return []val{{v: c.toInt(c.expr(e.Args[0]).v, c.kind(e.Pos(), c.typeOf(e)))}}
	} else if pkg != "" {
		return c.inlineForeign(e, pkg, id)
	}
	if v, ok := evalHint(c, e); ok {
		return []val{{v: v}}
	}
	return c.helper(e)
}

// refuseCall reports a call whose result is not used, with a remedy.
func (s *source) refuseCall(call *ast.ExprStmt) {
	if e, ok := ast.Unparen(call.X).(*ast.CallExpr); ok && s.builtin(e) == "" {
		if path, id := s.importedFunc(e); path == kernelsPath && slices.Contains(ofOneRow, id.Name) {
			fail(call.Pos(), "kernels.%s is for whole lanes: for one row there is kernels.%[1]sOf", id.Name)
		}
	}
	fail(call.Pos(), "a call without a result has no place in a row: call it outside of the kernel")
}

// math translates a call of a function of package math.
func (c *compiler) math(e *ast.CallExpr, name string) val {
	if op, ok := mathOps[name]; ok {
		kind := c.kind(e.Pos(), c.typeOf(e))
		return val{v: c.b.Op(op, kind, c.expr(e.Args[0]).v)}
	}
	switch name {
	case "Float32bits", "Float64bits":
		kind := c.kind(e.Pos(), c.typeOf(e))
		x := c.expr(e.Args[0]).v
		if !c.trust {
			c.recordEvent(happening{how: asked, v: x, known: know(c.mask(), true, nil), at: e.Pos(), what: "bits"})
		}
		return val{v: c.b.Op(ir.Cast, kind, x)}
	case "Float32frombits", "Float64frombits":
		kind := c.kind(e.Pos(), c.typeOf(e))
		x := c.b.Op(ir.Cast, kind, c.expr(e.Args[0]).v)
		if c.trust {
			c.mayBeNaN(x)
		}
		return val{v: x}
	case "NaN":
		return val{v: c.nan(c.kind(e.Pos(), c.typeOf(e)))}
	}
	switch name {
	case "Max", "Min":
		fail(e.Pos(), "math.%s: write %s, which is a word of Go", name, strings.ToLower(name))
	case "FMA":
		fail(e.Pos(), "math.FMA: rounds once, which not every CPU does fast: write a product and a sum, float64(a*b) + c")
	}
	if slices.Contains(ofOneRow, name) {
		fail(e.Pos(), "math.%s: its bits differ between CPUs or versions of Go; write kernels.%[1]sOf, whose bits do not", name)
	}
	fail(e.Pos(), "math.%s has no place in a kernel: Sqrt, Abs, Floor, Ceil, Trunc, RoundToEven and the functions on bits have; others differ between CPUs", name)
	return val{}
}

// extreme translates Go's min or max.
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
			x = val{v: c.b.Choose(c.isGreater(x.v, y.v), y.v, x.v)}
		default:
			x = val{v: c.b.Choose(c.isGreater(x.v, y.v), x.v, y.v)}
		}
	}
	return x
}

// deepest is the maximum depth to which calls of helpers may be nested.
const deepest = 20

// helper translates a call of a function of the package by inlining its body.
func (c *compiler) helper(e *ast.CallExpr) []val {
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	id, ok := fun.(*ast.Ident)
	if !ok {
		fail(e.Pos(), "a call of something else than a function of this package")
	}
	f := c.pkg.Funcs[c.object(id)]
	switch {
	case f == nil:
		fail(e.Pos(), "%s is no function of this package with a body in Go", id.Name)
	case c.trust && wholes[id.Name] != 0:
		return []val{{v: c.toInt(c.expr(e.Args[0]).v, c.kind(e.Pos(), c.typeOf(e)))}}
	}
	return c.inline(e, id, f, c.trust)
}

// inline inlines the body of a function.
func (c *compiler) inline(e *ast.CallExpr, id *ast.Ident, f *ast.FuncDecl, trust bool) []val {
	switch {
	case f.Type.Results == nil:
		fail(e.Pos(), "%s returns nothing: a helper returns what it computes", id.Name)
	case len(c.calls) == deepest:
		fail(e.Pos(), "%s calls itself, or calls are %d deep", id.Name, deepest)
	}
	var params []*ast.Ident
	for _, p := range f.Type.Params.List {
		if _, many := p.Type.(*ast.Ellipsis); many || len(p.Names) == 0 {
			fail(e.Pos(), "%s has a parameter without a name, or any number of them", id.Name)
		}
		params = append(params, p.Names...)
	}
	if len(params) != len(e.Args) {
		fail(e.Pos(), "%s is called with the results of another call: give them names first", id.Name)
	}
	c.take(params, e.Args)
	elem, trusted := c.elem, c.trust
	c.elem, c.trust = c.instance(id, f), trust
	call := &inline{name: id.Name, at: e.Pos(), turns: len(c.turns), branches: c.branches, live: c.live, path: c.path, pure: c.isPure(f.Body)}
	if call.pure {
		c.live, c.path = nil, nil // executing it for inactive rows has no effect
	}
	c.calls = append(c.calls, call)
	c.declareResults(call, f)
	c.block(f.Body.List)
	c.gone, c.elem, c.trust = false, elem, trusted
	c.calls = c.calls[:len(c.calls)-1]
	c.live, c.path = call.live, call.path
	return call.out
}

// take assigns the arguments to the parameters of a helper.
func (c *compiler) take(params []*ast.Ident, args []ast.Expr) {
	define := &ast.AssignStmt{Tok: token.DEFINE}
	values := make([]val, len(args))
	for i, a := range args {
		define.TokPos = a.Pos()
		if !c.alias(define, params[i], a) {
			values[i] = c.expr(a) // a raw product stays raw, because Go inlines too
		}
	}
	for i, id := range params {
		if values[i].v != nil && id.Name != "_" {
			c.vars[c.object(id)] = values[i]
		}
	}
}
