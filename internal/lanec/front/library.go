package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

const libraryPath = "github.com/lanewise/lanewise/"

// foreign reads the body of a function of another package in the place of its call.
func (c *compiler) foreign(e *ast.CallExpr, path string, id *ast.Ident) []val {
	f := c.foreignBody(path, id.Name)
	if f == nil {
		fail(e.Pos(), "%s.%s is no function that a kernel can call: it calls those of its own package and of other ones that compute numbers of numbers in Go, and of the standard library some of math", path, id.Name)
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Problem:
			if own := len(c.calls) > 0 && p.Pos == c.calls[0].at; !own && (p.Pos < e.Pos() || p.Pos >= e.End()) { // in the other package
				p = &Problem{e.Pos(), fmt.Sprintf("%s.%s is no function that a kernel can call: %s", path, id.Name, p.Text)}
			}
			panic(p)
		default:
			panic(p)
		}
	}()
	if path == kernelsPath && id.Name == "CopySignOf" && !c.trust && !c.clean(c.expr(e.Args[1]).v, know(c.mask(), true, nil)) {
		fail(e.Pos(), "the sign of a number that is computed: that of a NaN differs between CPUs; replace it first, if v != v { v = 0 }")
	}
	out := c.inline(e, id, f, strings.HasPrefix(path, libraryPath))
	for i := range out {
		if out[i].raw != 0 { // a product: what is to be changed is here
			out[i].raw = e.Pos()
		}
	}
	return out
}

// leaveToGo stops the kernel in front of a vector with a row for which a condition holds; Go does some rows from there on.
func (c *compiler) leaveToGo(rare *ir.Value) {
	here := c.mask()
	for _, call := range c.calls {
		if call.pure { // it does not ask which rows are here
			here = c.b.And(here, c.b.And(call.path, call.live))
		}
	}
	call := c.calls[0]
	c.stop(c.b.And(here, rare), func() {
		fail(call.at, "%s leaves some rows to Go, and is called after something was written: nothing of the row may have been written yet; call it first", call.name)
	})
}

// stop ends the kernel in front of this vector where a mask is set. late is called if something of the vector may have been written, and it is the first
// time that it is asked.
func (c *compiler) stop(where *ir.Value, late func()) {
	inLoop := slices.ContainsFunc(c.turns, func(t *turn) bool { return t.stores })
	known := len(c.b.Region.Items)
	c.b.Put(&ir.Value{Op: ir.Guard, Args: []*ir.Value{where}})
	if len(c.b.Region.Items) > known && (inLoop || c.stored) {
		late()
	}
}

// turnByTurn reads a loop over numbers of the library, or over a small constant number of turns in it, as that many bodies, and says whether it is one.
func (c *compiler) turnByTurn(s *ast.RangeStmt) bool {
	if !c.trust || s.Tok == token.ASSIGN {
		return false
	}
	var list []ast.Expr
	turns, ok := c.constantInt(s.X)
	if lit, is := c.literal(s.X).(*ast.CompositeLit); is {
		list = lit.Elts
		turns, ok = int64(len(list)), true
	}
	leaves := false
	ast.Inspect(s.Body, func(n ast.Node) bool {
		_, is := n.(*ast.BranchStmt)
		leaves = leaves || is
		return !leaves
	})
	if !ok || turns > 64 || leaves {
		return false
	}
	key, _ := s.Key.(*ast.Ident)
	value, _ := s.Value.(*ast.Ident)
	for i := range turns {
		if key != nil && key.Name != "_" {
			c.numbers[c.object(key)] = i
		}
		if value != nil && value.Name != "_" {
			c.vars[c.object(value)] = c.expr(list[i])
		}
		c.block(s.Body.List)
	}
	return true
}

// literal finds what an expression is that is made of variables of the library alone: a list, a struct, or a constant. It is nil for all others.
func (c *compiler) literal(e ast.Expr) ast.Expr {
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

// part is a part of a list, or nil.
func (c *compiler) part(e *ast.SliceExpr) ast.Expr {
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

// value is an expression that is a constant or a literal, or nil.
func (c *compiler) value(e ast.Expr) ast.Expr {
	if c.pkg.Info.Types[e].Value != nil {
		return e
	}
	return c.literal(e)
}

// field is a field of a literal.
func (c *compiler) field(e *ast.SelectorExpr) ast.Expr {
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

// known is the value of a call of one of two functions of package kernels that say something to lanec:
//
//	single[T]()        whether T is float32, which is known: the other side of an if is not read
//	rarely(condition)  where it holds, the kernel stops in front of that vector, and the generic body does some rows; false for what follows
//
// Elements behind the last row, which are zeros, may stop it for nothing: a condition should not hold for zeros.
func known(c *compiler, e *ast.CallExpr) (*ir.Value, bool) {
	if !c.trust {
		return nil, false
	}
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	id, ok := fun.(*ast.Ident)
	switch {
	case !ok:
		return nil, false
	case id.Name == "single" && len(e.Args) == 0:
		bits := uint64(0)
		if b, ok := c.concrete(c.pkg.Info.Instances[id].TypeArgs.At(0)).Underlying().(*types.Basic); ok && b.Kind() == types.Float32 {
			bits = math.MaxUint64
		}
		return c.b.Const(ir.Mask, bits), true
	case id.Name == "rarely" && len(e.Args) == 1:
		c.leaveToGo(c.expr(e.Args[0]).v)
		return c.b.Const(ir.Mask, 0), true
	}
	return nil, false
}
