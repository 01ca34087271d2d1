package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A flow is what holds at the place that is being read: which rows are here, what their variables and elements are, and what stands around it.
type flow struct {
	scope
	nans
	vars     map[types.Object]val
	cache    map[*ir.Stream]val // what an element of the row is known to be
	path     *ir.Value
	live     *ir.Value
	turns    []*turn    // the loops around this place, inside of the one over the rows
	calls    []*inline  // the helpers around this place
	stored   bool       // something was written in this row
	bodyAt   token.Pos  // of the body of the function
	rowsAt   token.Pos  // of the loop over the rows in it
	branches int        // how many conditions and loops there are around this place
	gone     bool       // nothing comes here: all rows have returned
	before   []ast.Stmt // the statement that is being read is the first of behind
	behind   []ast.Stmt
}

// A turn is what is known of a loop while its body is read.
type turn struct {
	loop   *ir.Loop
	outer  *ir.Region
	stores bool
	goesOn bool      // it has a continue: then live alone does not say which rows take the next turn
	gone   *ir.Value // rows that a break has taken in this turn
	at     ast.Node
	body   *ast.BlockStmt
	local  map[types.Object]bool // variables that are declared right before the loop and that nothing asks for behind it
}

// An inline is a call of a helper whose body is being read.
type inline struct {
	name     string
	at       token.Pos // of the call
	turns    int       // how many loops there were around it
	branches int       // and how many conditions
	live     *ir.Value // as it was before
	path     *ir.Value
	pure     bool         // it does nothing but compute
	results  []*ast.Ident // if they have names
	types    []types.Type
	out      []val
}

// mask is which rows are here; nil is all.
func (c *flow) mask() *ir.Value { return c.b.And(c.path, c.live) }

// here is the same for what must not happen in an element that is no row, behind the last one.
func (c *flow) here() *ir.Value {
	m := c.mask()
	if withinRows(m) {
		return m
	}
	return c.b.And(m, c.b.Op(ir.Rows, ir.Mask))
}

// withinRows says whether a mask is known to be set in rows alone.
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

// inRows says whether this place is in the loop over the rows.
func (c *flow) inRows() bool { return c.b.Region != c.b.Kernel.Entry }

// shared says whether a variable is declared before the loop over the rows, so that all rows have it.
func (c *flow) shared(o types.Object) bool {
	return c.inRows() && c.bodyAt <= o.Pos() && o.Pos() < c.rowsAt
}

// forgotten says whether nothing asks what a variable is in rows that have left: it may then go on to change in them, which costs no choice, and a turn
// does not wait for one. What is seen of a row (stores, guards, what it looks up, whether it takes another turn) asks whether it is here.
func (c *flow) forgotten(o types.Object) bool {
	turns := 0
	if n := len(c.calls); n > 0 {
		if c.calls[n-1].pure { // it does nothing but compute
			return true
		}
		turns = c.calls[n-1].turns
	}
	if len(c.turns) == turns { // a helper's rows come back behind it
		return false
	}
	t := c.turns[len(c.turns)-1]
	within := func(n ast.Node) bool { return n.Pos() <= o.Pos() && o.Pos() < n.End() }
	return within(t.body) || !t.goesOn && (within(t.at) || t.local[o])
}

// leave takes the rows that are here out of the turn, by break or continue.
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

// leaveToGo stops the kernel in front of a vector with a row for which a condition holds; Go does some rows from there on.
func (c *flow) leaveToGo(rare *ir.Value) {
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
func (c *flow) stop(where *ir.Value, late func()) {
	inLoop := slices.ContainsFunc(c.turns, func(t *turn) bool { return t.stores })
	known := len(c.b.Region.Items)
	c.b.Put(&ir.Value{Op: ir.Guard, Args: []*ir.Value{where}})
	if len(c.b.Region.Items) > known && (inLoop || c.stored) {
		late()
	}
}
