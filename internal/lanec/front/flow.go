package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A flow is the state at the current point: the active rows, the values of
// their variables and elements, and the surrounding loops and calls.
type flow struct {
	scope
	nans
	vars     map[types.Object]val
	cache    map[*ir.Stream]val // known values of the row's elements
	path     *ir.Value
	live     *ir.Value
	turns    []*turn    // the surrounding loops, inside the loop over the rows
	calls    []*inline  // the surrounding helpers
	stored   bool       // something was stored in this row
	bodyAt   token.Pos  // of the body of the function
	rowsAt   token.Pos  // of the loop over the rows in it
	branches int        // number of surrounding conditions and loops
	gone     bool       // no row is active, because all have returned
	before   []ast.Stmt // statements before the current one, which is the first of behind
	behind   []ast.Stmt
}

// A turn is the state of an inner loop while the body of the loop is translated.
type turn struct {
	loop   *ir.Loop
	outer  *ir.Region
	stores bool
	goesOn bool      // it has a continue: then live alone does not determine the rows of the next iteration
	gone   *ir.Value // rows that have left by a break in this iteration
	at     ast.Node
	body   *ast.BlockStmt
	local  map[types.Object]bool // variables that are declared right before the loop and not used after it
}

// An inline is a call of a helper whose body is being translated.
type inline struct {
	name     string
	at       token.Pos // of the call
	turns    int       // number of surrounding loops
	branches int       // the value before the call
	live     *ir.Value // the value before the loop
	path     *ir.Value
	pure     bool         // it only computes
	results  []*ast.Ident // if they have names
	types    []types.Type
	out      []val
}

// mask returns the active rows; nil means all.
func (c *flow) mask() *ir.Value { return c.b.And(c.path, c.live) }

// activeHere also returns the active rows, but its mask is never set for elements after
// the last row. Use it for effects that must not happen for these elements.
func (c *flow) activeHere() *ir.Value {
	m := c.mask()
	if withinRows(m) {
		return m
	}
	return c.b.And(m, c.b.Op(ir.Rows, ir.Mask))
}

// withinRows reports whether a mask is known to be set only for valid rows.
func withinRows(m *ir.Value) bool {
	if m == nil {
		return false
	}
	switch m.Op {
	case ir.Rows:
		return true
	case ir.And:
		return withinRows(m.Args[0]) || withinRows(m.Args[1])
	case ir.AndNot, ir.Phi:
		return withinRows(m.Args[0])
	}
	return false
}

// inRows reports whether the current point is in the loop over the rows.
func (c *flow) inRows() bool { return c.b.Region != c.b.Kernel.Entry }

// isShared reports whether a variable is declared before the loop over the rows,
// so that it has one value for all rows.
func (c *flow) isShared(o types.Object) bool {
	return c.inRows() && c.bodyAt <= o.Pos() && o.Pos() < c.rowsAt
}

// isForgotten reports whether the variable is never used again for rows that have
// left. If so, the variable may keep changing in these rows. This saves a choice
// between the old and the new value, for which each iteration would have to wait.
// Effects of a row (stores, guards, look-ups, the decision for another iteration) check
// that the row is active.
func (c *flow) isForgotten(o types.Object) bool {
	turns := 0
	if n := len(c.calls); n > 0 {
		if c.calls[n-1].pure { // it only computes
			return true
		}
		turns = c.calls[n-1].turns
	}
	if len(c.turns) == turns { // the rows of a helper become active again after it
		return false
	}
	t := c.turns[len(c.turns)-1]
	within := func(n ast.Node) bool { return n.Pos() <= o.Pos() && o.Pos() < n.End() }
	return within(t.body) || !t.goesOn && (within(t.at) || t.local[o])
}

// leave translates break and continue: it deactivates the active rows for the rest of
// the iteration.
func (c *flow) leave(s *ast.BranchStmt) {
	inner := len(c.turns) > 0
	switch {
	case s.Label != nil || s.Tok != token.BREAK && s.Tok != token.CONTINUE:
		fail(s.Pos(), "%v with a label is not understood: break and continue of the innermost loop are", s.Tok)
	case s.Tok == token.BREAK && !inner:
		fail(s.Pos(), "break would end the loop for later rows, too: write continue")
	}
	here := c.mask()
	if here == nil {
		here = c.b.Op(ir.Rows, ir.Mask)
	}
	if c.live == nil {
		c.live = c.b.Op(ir.Rows, ir.Mask)
	}
	if s.Tok == token.BREAK {
		if t := c.turns[len(c.turns)-1]; t.gone == nil {
			t.gone = here
		} else {
			t.gone = c.b.Op(ir.Or, ir.Mask, t.gone, here)
		}
	}
	c.live = c.b.Op(ir.AndNot, ir.Mask, c.live, here)
}

// leaveToGo stops the kernel before a vector if the condition holds in one of
// its rows. The Go source then computes some rows, beginning with the first row of this
// vector.
func (c *flow) leaveToGo(rare *ir.Value) {
	here := c.mask()
	for _, call := range c.calls {
		if call.pure { // its body is executed for all rows
			here = c.b.And(here, c.b.And(call.path, call.live))
		}
	}
	call := c.calls[0]
	c.stop(c.b.And(here, rare), func() {
		fail(call.at, "%s leaves some rows to Go, and is called after something was written: nothing of the row may have been written yet; call it first", call.name)
	})
}

// stop adds a guard that ends the kernel before this vector if any element of a mask is
// set. If this vector may already have been stored when the guard runs, stop calls
// late.
func (c *flow) stop(where *ir.Value, late func()) {
	inLoop := slices.ContainsFunc(c.turns, func(t *turn) bool { return t.stores })
	known := len(c.b.Region.Items)
	c.b.Put(&ir.Value{Op: ir.Guard, Args: []*ir.Value{where}})
	if len(c.b.Region.Items) > known && (inLoop || c.stored) {
		late()
	}
}
