package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// branch translates an if: it computes both sides, each for the rows of its condition,
// and selects between the results.
func (c *compiler) branch(s *ast.IfStmt) {
	early := func(yes bool) {
		if yes && !c.inRows() {
			fail(s.Pos(), "if before the loop over the rows: decide in the function that calls the kernel, or in the row")
		}
	}
	early(!c.trust)
	if s.Init != nil {
		c.stmt(s.Init)
	}
	cond := c.expr(s.Cond).v
	if c.trust && cond.Op == ir.Const { // a condition on the type, or on rows left to Go: the side that is not taken may use unsupported code
		if cond.Bits != 0 {
			c.block(s.Body.List)
		} else if s.Else != nil {
			c.stmt(s.Else)
		}
		return
	}
	early(true)
	then, otherwise := side{[]ast.Node{s.Body}, func() { c.block(s.Body.List) }}, side{}
	if s.Else != nil {
		otherwise = side{[]ast.Node{s.Else}, func() { c.stmt(s.Else) }}
	}
	compileEither(c, cond, then, otherwise)
}

// A side is one of the two sides of a branch: it holds the source, and the
// function that compiles it. The function is nil if the side is empty.
type side struct {
	nodes []ast.Node
	read  func()
}

// compileEither compiles both sides of a branch: then for the rows in which the condition is true, and
// otherwise, unless it is empty, for the remaining rows.
func compileEither(c *compiler, cond *ir.Value, then, otherwise side) {
	if canBranch(c, cond, then, otherwise) {
		fork(c, cond, then, otherwise)
		return
	}
	path, live, before := c.path, c.live, c.vars
	c.branches++
	defer func() { c.branches-- }()

	c.vars, c.path = maps.Clone(before), c.b.And(path, cond)
	then.read()
	yes, yesLive := c.vars, c.live

	c.vars, c.live = maps.Clone(before), live
	if otherwise.read != nil {
		c.path = c.b.AndNot(path, cond)
		otherwise.read()
	}
	no, noLive := c.vars, c.live

	c.vars, c.path = before, path
	if yesLive != noLive { // each side removed only rows that it contains
		c.live = c.b.And(yesLive, noLive)
	}
	for _, o := range inOrder(before) {
		x, y := yes[o], no[o] // both sides may leave the same value, which differs from that before
		before[o] = val{c.b.Choose(cond, x.v, y.v), max(x.raw, y.raw)}
	}
}

// canBranch reports whether a condition can become a branch of the kernel. There are
// two requirements. The condition must have the same value in all rows. The code in the
// branch must not leave a loop or a helper, or write at a computed index, because such
// code needs the set of active rows, which a branch does not track.
func canBranch(c *compiler, cond *ir.Value, sides ...side) bool {
	if cond.Region != c.b.Kernel.Entry || cond.Op == ir.Const || !c.inRows() || c.pkg.Frame {
		return false
	}
	looked := func(e ast.Expr) bool { _, ok := c.isLookup(e); return ok }
	for _, s := range sides {
		for _, n := range s.nodes {
			if hasExit(n, looked) {
				return false
			}
		}
	}
	return true
}

// fork compiles both sides as branches of the kernel. A variable that only one
// side assigns keeps its value on the other side.
func fork(c *compiler, cond *ir.Value, then, otherwise side) {
	c.branches++
	defer func() { c.branches-- }()
	before := c.stored
	way(c, cond, true, then)
	stored := c.stored
	c.stored = before
	if otherwise.read != nil {
		way(c, cond, false, otherwise)
	}
	c.stored = c.stored || stored
}

// way compiles one side as a branch of the kernel. If set is true, the branch is taken
// if the condition is true; otherwise it is taken if the condition is false. Each
// variable that the side changes becomes a phi. At the beginning of the branch, the phi
// has the value from before it; after the branch, it has the new value if the branch
// was taken.
func way(c *compiler, cond *ir.Value, set bool, s side) {
	changed, has := c.findChanges(s.nodes...)
	outer, vars, cache := c.b.Region, c.vars, c.cache
	l := c.b.Loop()
	l.Once, l.Unless, l.Alive = true, !set, cond
	l.Body = ir.NewRegion(outer, l)
	c.vars, c.cache = maps.Clone(vars), maps.Clone(cache)
	phis := c.replaceByPhis(l, l.Body, changed)
	c.b.Region = l.Body
	s.read()
	for i, o := range changed {
		end := c.vars[o]
		c.recordEvent(happening{how: left, v: end.v, known: know(cond, set, nil), phi: phis[i]})
		phis[i].Args = append(phis[i].Args, end.v)
		vars[o] = val{phis[i], max(vars[o].raw, end.raw)}
	}
	c.b.Close(l, outer)
	c.vars, c.cache = vars, cache
	if has.stores {
		clear(c.cache)
	}
}

// choice translates a switch like a chain of ifs. It evaluates the tag once,
// and the cases in order.
func choice(c *compiler, s *ast.SwitchStmt) {
	if !c.inRows() {
		fail(s.Pos(), "switch before the loop over the rows: decide in the function that calls the kernel, or in the row")
	}
	if s.Init != nil {
		c.stmt(s.Init)
	}
	var tag val
	if s.Tag != nil {
		tag = c.expr(s.Tag)
	}
	ast.Inspect(s.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
			return false // a break inside these does not leave the switch
		case *ast.BranchStmt:
			if n.Tok == token.BREAK || n.Tok == token.FALLTHROUGH {
				fail(n.Pos(), "%v in a switch is not understood: write if and else", n.Tok)
			}
		}
		return true
	})
	var last []ast.Stmt
	var clauses []*ast.CaseClause
	for _, l := range s.Body.List {
		if clause := l.(*ast.CaseClause); clause.List == nil {
			last = clause.Body
		} else {
			clauses = append(clauses, clause)
		}
	}
	compileCases(c, tag, clauses, last)
}

// compileCases compiles the remaining cases of a switch. The statements of last are for the case
// that none of them matches.
func compileCases(c *compiler, tag val, clauses []*ast.CaseClause, last []ast.Stmt) {
	if len(clauses) == 0 {
		c.block(last)
		return
	}
	var cond val
	for _, e := range clauses[0].List {
		is := func() val {
			x := c.expr(e)
			if tag.v != nil {
				x = c.binary(e.Pos(), token.EQL, tag, x)
			}
			return x
		}
		if cond.v == nil {
			cond = is()
			continue
		}
		path := c.path
		c.path = c.b.AndNot(path, cond.v) // elements are looked up only for the remaining rows here
		x := is()
		c.path = path
		cond = c.binary(e.Pos(), token.LOR, cond, x)
	}
	var first, rest []ast.Node
	for _, s := range clauses[0].Body {
		first = append(first, s)
	}
	for _, clause := range clauses[1:] {
		rest = append(rest, clause)
	}
	for _, s := range last {
		rest = append(rest, s)
	}
	compileEither(c, cond.v, side{first, func() { c.block(clauses[0].Body) }}, side{rest, func() { compileCases(c, tag, clauses[1:], last) }})
}

// inOrder returns the variables in the order of the source, so that every run
// of lanec generates the same kernel.
func inOrder(vars map[types.Object]val) []types.Object {
	return slices.SortedFunc(maps.Keys(vars), func(a, b types.Object) int {
		if a.Pos() != b.Pos() {
			return int(a.Pos() - b.Pos())
		}
		return 0
	})
}

// result translates a return statement in a helper: it records the results for the
// active rows, and deactivates these rows.
func (c *compiler) result(s *ast.ReturnStmt) {
	if len(c.calls) == 0 {
		if c.inRows() {
			fail(s.Pos(), "return would end the loop for later rows, too: write continue")
		}
		fail(s.Pos(), "return before the loop over the rows: decide in the function that calls the kernel")
	}
	call := c.calls[len(c.calls)-1]
	if len(c.turns) != call.turns {
		fail(s.Pos(), "return in a loop of %s: set a variable, break, and return it at the end", call.name)
	}
	out := c.evalReturn(call, s)
	here := c.mask()
	for i, x := range call.out {
		out[i] = val{c.b.Choose(here, out[i].v, x.v), max(out[i].raw, x.raw)}
	}
	call.out = out
	c.gone = c.branches == call.branches
	if call.pure {
		if here == nil {
			c.live = c.b.Const(ir.Mask, 0) // no row is active after this
		} else {
			c.live = c.b.AndNot(c.live, here)
		}
		return
	}
	if here == nil {
		here = c.b.Op(ir.Rows, ir.Mask)
	}
	if c.live == nil {
		c.live = c.b.Op(ir.Rows, ir.Mask)
	}
	c.live = c.b.Op(ir.AndNot, ir.Mask, c.live, here)
}

// evalReturn evaluates the values of a return.
func (c *compiler) evalReturn(call *inline, s *ast.ReturnStmt) (out []val) {
	if len(s.Results) == 0 {
		for _, id := range call.results {
			out = append(out, c.vars[c.object(id)])
		}
		return out
	}
	if e, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok && len(s.Results) == 1 && len(call.types) > 1 {
		return c.call(e)
	}
	for _, r := range s.Results {
		out = append(out, c.expr(r))
	}
	return out
}
