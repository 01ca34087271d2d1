package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

const libraryPath = "github.com/lanewise/lanewise/"

// inlineForeign inlines a function of another package.
func (c *compiler) inlineForeign(e *ast.CallExpr, path string, id *ast.Ident) []val {
	f := c.foreignBody(path, id.Name)
	if f == nil && path == "math/bits" {
		fail(e.Pos(), "bits.%s is no function that a kernel can call: write shifts, x<<7 | x>>25", id.Name)
	}
	if f == nil {
		fail(e.Pos(), "%s.%s is no function that a kernel can call: it calls those of its own package and of other ones that compute numbers of numbers in Go, and of the standard library some of math", path, id.Name)
	}
	here := func(p *Problem) *Problem {
		if own := len(c.calls) > 0 && p.Pos == c.calls[0].at; !own && (p.Pos < e.Pos() || p.Pos >= e.End()) { // in the other package
			return problem(e.Pos(), "%s.%s is no function that a kernel can call: %s", path, id.Name, p.Text)
		}
		return p
	}
	known := len(c.refused)
	defer func() {
		for i, p := range c.refused[known:] {
			c.refused[known+i] = here(p)
		}
		switch p := recover().(type) {
		case nil:
		case *Problem:
			panic(here(p))
		default:
			panic(p)
		}
	}()
	if path == kernelsPath && id.Name == "CopySignOf" && !c.trust {
		c.recordEvent(happening{how: asked, v: c.expr(e.Args[1]).v, known: know(c.mask(), true, nil), at: e.Pos(), what: "sign"})
	}
	out := c.inline(e, id, f, strings.HasPrefix(path, libraryPath))
	for i := range out {
		if out[i].raw != 0 { // a raw product: fix the library function
			out[i].raw = e.Pos()
		}
	}
	return out
}

// turnByTurn unrolls a loop over a list of numbers in package kernels, or a
// loop with a small constant number of iterations. It reports whether it has
// unrolled the loop.
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

// evalHint evaluates a call of one of two functions of package kernels that are
// hints to lanec:
//
//	single[T]()        whether T is float32; the side of the if that is not taken is not translated
//	rarely(condition)  if it holds in any row, the kernel stops before that vector and the generic body does some rows; false afterwards
//
// Elements after the last row are zeros. So a condition should be false for zeros;
// otherwise it may stop the kernel needlessly.
func evalHint(c *compiler, e *ast.CallExpr) (*ir.Value, bool) {
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
