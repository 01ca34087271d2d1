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
	if pkg, id := c.imported(e); pkg == "math" {
		return []val{c.math(e, id.Name)}
	} else if pkg == kernelsPath && wholes[id.Name] != 0 {
		return []val{{v: c.toInt(c.expr(e.Args[0]).v, c.kind(e.Pos(), c.typeOf(e)))}}
	} else if pkg != "" {
		return c.foreign(e, pkg, id)
	}
	if v, ok := known(c, e); ok {
		return []val{{v: v}}
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
func (c *compiler) imported(e *ast.CallExpr) (pkg string, name *ast.Ident) {
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			if p, ok := c.pkg.Info.Uses[id].(*types.PkgName); ok {
				return p.Imported().Path(), s.Sel
			}
		}
		c.fail(e.Pos(), "a call of a method is not understood: write a function")
	}
	return "", nil
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
		if !c.trust && !c.clean(x, nil) {
			c.fail(e.Pos(), "the bits of a number that is computed: those of a NaN differ between CPUs; replace it first, if v != v { v = 0 }")
		}
		return val{v: c.b.Op(ir.Cast, kind, x)}
	case "Float32frombits", "Float64frombits":
		kind := c.kind(e.Pos(), c.typeOf(e))
		x := c.b.Op(ir.Cast, kind, c.expr(e.Args[0]).v)
		if c.trust {
			c.own[x] = true
		}
		return val{v: x}
	case "NaN":
		return val{v: c.nan(c.kind(e.Pos(), c.typeOf(e)))}
	}
	c.fail(e.Pos(), "math.%s has no place in a kernel: Sqrt, Abs, Floor, Ceil, Trunc and the functions on bits have; others differ between CPUs, or are functions of package kernels on lanes", name)
	return val{}
}

// clean says whether the bits of a float are the same on every CPU also if it is a NaN: nothing was computed, or a NaN is replaced. number is a
// value that is known to be no NaN here.
func (c *compiler) clean(v, number *ir.Value) bool {
	switch v.Op {
	case ir.Cast:
		return !c.own[v]
	case ir.Load, ir.Spread, ir.Gather, ir.Param, ir.Const:
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
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	id, ok := fun.(*ast.Ident)
	if !ok {
		c.fail(e.Pos(), "a call of something else than a function of this package")
	}
	f := c.pkg.Funcs[c.object(id)]
	switch {
	case f == nil:
		c.fail(e.Pos(), "%s is no function of this package with a body in Go", id.Name)
	case c.trust && wholes[id.Name] != 0:
		return []val{{v: c.toInt(c.expr(e.Args[0]).v, c.kind(e.Pos(), c.typeOf(e)))}}
	}
	return c.inline(e, id, f, c.trust)
}

// inline reads a body in the place of a call.
func (c *compiler) inline(e *ast.CallExpr, id *ast.Ident, f *ast.FuncDecl, trust bool) []val {
	switch {
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
	c.take(params, e.Args)
	elem, trusted := c.elem, c.trust
	c.elem, c.trust = c.instance(id, f), trust
	call := &inline{name: id.Name, at: e.Pos(), turns: len(c.turns), branches: c.branches, live: c.live, path: c.path, pure: c.pure(f.Body)}
	if call.pure {
		c.live, c.path = nil, nil // it does no harm in rows that are not here
	}
	c.calls = append(c.calls, call)
	c.results(call, f)
	c.block(f.Body.List)
	c.gone, c.elem, c.trust = false, elem, trusted
	c.calls = c.calls[:len(c.calls)-1]
	c.live, c.path = call.live, call.path
	return call.out
}

// results notes what a helper returns. Results with names are variables that begin as zero.
func (c *compiler) results(call *inline, f *ast.FuncDecl) {
	for _, r := range f.Type.Results.List {
		t := c.concrete(c.pkg.Info.TypeOf(r.Type))
		for range max(1, len(r.Names)) {
			call.types = append(call.types, t)
		}
		for _, id := range r.Names {
			call.results = append(call.results, id)
			if id.Name != "_" {
				c.vars[c.object(id)] = val{v: c.b.Const(c.kind(id.Pos(), t), 0)}
			}
		}
	}
}

// inPure says whether a helper is being read that does nothing but compute: what its variables are in rows that have returned does not matter.
func (c *compiler) inPure() bool { return len(c.calls) > 0 && c.calls[len(c.calls)-1].pure }

// pure says whether a body does nothing but compute: no elements, no loops but those that are read turn by turn, and of calls conversions, functions of
// package math and others that are pure.
func (c *compiler) pure(body *ast.BlockStmt) bool { return c.pureTo(body, 0) }

func (c *compiler) pureTo(body *ast.BlockStmt, depth int) bool {
	pure := depth <= deepest
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.BranchStmt:
			pure = false
		case *ast.IndexExpr:
			_, call := c.pkg.Info.TypeOf(n.X).(*types.Signature)
			_, constant := c.constantInt(n.Index)
			pure = pure && (call || constant)
		case *ast.RangeStmt:
			pure = pure && c.pkg.Info.TypeOf(n.X) != nil && c.trust
		case *ast.CallExpr:
			pure = pure && c.pureCall(n, depth)
		}
		return pure
	})
	return pure
}

func (c *compiler) pureCall(e *ast.CallExpr, depth int) bool {
	if c.pkg.Info.Types[e.Fun].IsType() || c.builtin(e) != "" {
		return true
	}
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		f := c.pkg.Funcs[c.object(fun)]
		return f != nil && c.pureTo(f.Body, depth+1)
	case *ast.SelectorExpr:
		if id, ok := fun.X.(*ast.Ident); ok {
			if p, ok := c.pkg.Info.Uses[id].(*types.PkgName); ok {
				if p.Imported().Path() == "math" {
					return true
				}
				f := c.foreignBody(p.Imported().Path(), fun.Sel.Name)
				return f != nil && c.pureTo(f.Body, depth+1)
			}
		}
	}
	return false
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
