package front

import (
	"go/ast"
	"go/token"
	"maps"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// forks says whether a condition is a branch of the kernel: all rows share it, from the first to the last, and what stands under it leaves neither a
// loop nor a helper, and writes at no number that is computed. What takes rows out, or is done behind them, is said of rows.
func forks(c *compiler, cond *ir.Value, sides ...side) bool {
	if cond.Region != c.b.Kernel.Entry || cond.Op == ir.Const || !c.inRows() || c.pkg.Frame {
		return false
	}
	for _, s := range sides {
		for _, n := range s.nodes {
			if leaves(c, n) {
				return false
			}
		}
	}
	return true
}

// leaves says whether something has a return, a break or continue of a loop around it, or writes at a number that is computed.
func leaves(c *compiler, n ast.Node) (yes bool) {
	loops := 0
	var open []ast.Node // the nodes around
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			if isLoop(open[len(open)-1]) {
				loops--
			}
			open = open[:len(open)-1]
			return true
		}
		open = append(open, n)
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			loops++
		case *ast.ReturnStmt:
			yes = true
		case *ast.BranchStmt:
			yes = yes || loops == 0 || n.Tok != token.BREAK && n.Tok != token.CONTINUE
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				_, looked := c.looked(l)
				yes = yes || looked
			}
		case *ast.IncDecStmt:
			_, looked := c.looked(n.X)
			yes = yes || looked
		}
		return true
	})
	return yes
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// fork makes both sides branches of the kernel. What one of them has written, the other has not.
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

// way makes a branch of one side, which is taken where the condition is set, or where it is not. A variable that it changes is a phi: within it what it was before,
// behind it what either way has left.
func way(c *compiler, cond *ir.Value, set bool, s side) {
	changed, has := c.changes(s.nodes...)
	outer, vars, cache := c.b.Region, c.vars, c.cache
	l := c.b.Loop()
	l.Once, l.Unless, l.Alive = true, !set, cond
	l.Body = ir.NewRegion(outer, l)
	c.vars, c.cache = maps.Clone(vars), maps.Clone(cache)
	phis := c.handed(l, l.Body, changed)
	c.b.Region = l.Body
	s.read()
	for i, o := range changed {
		end := c.vars[o]
		if end.v.Kind.Base() == ir.Float && !c.clean(end.v, know(cond, set, nil)) {
			c.mine(phis[i])
		}
		phis[i].Args = append(phis[i].Args, end.v)
		vars[o] = val{phis[i], max(vars[o].raw, end.raw)}
	}
	c.b.Close(l, outer)
	c.vars, c.cache = vars, cache
	if has.stores {
		clear(c.cache)
	}
}
