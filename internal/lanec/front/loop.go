package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A shape describes a loop without its body.
type shape struct {
	at      ast.Node
	counter types.Object
	count   string           // number of iterations as a Go expression
	turns   int64            // or the constant
	cond    func() *ir.Value // or a condition, evaluated before each iteration
	post    func()           // executed after each iteration
	changes []ast.Node       // nodes in addition to the body that assign variables
	own     types.Object     // another one, without a name
	lane    *stream          // lane of the range loop, whose element is value
	length  string
	value   types.Object
	span    *ir.Span // the range of a list; value is then an element of the list
	body    *ast.BlockStmt
}

// rangeLoop translates for i := range x, for i, v := range x, and for i :=
// range n, where n may differ between rows.
func (c *compiler) rangeLoop(s *ast.RangeStmt) {
	l := shape{at: s, body: s.Body}
	if s.Tok == token.ASSIGN {
		fail(s.Pos(), "the index is a variable of its own: write := in the range")
	}
	if c.inRows() && c.turnByTurn(s) {
		return
	}
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
		l.counter = c.object(id)
	}
	if id, ok := s.Value.(*ast.Ident); ok && id.Name != "_" {
		l.value = c.object(id)
	}
	if c.spanLoop(&l, s) {
		return
	}
	switch t := c.typeOf(s.X).Underlying().(type) {
	case *types.Slice, *types.Array, *types.Pointer:
		if m := c.matrixOf(s.X); m != nil {
			if l.value != nil {
				fail(s.Value.Pos(), "a range over arrays with a value would copy them: write for i := range %s, and %s[i][3]", m.expr, m.expr)
			}
			l.count, l.turns = "len("+m.expr+")", -1
			break
		}
		l.lane, l.length = c.lane(s.X)
		l.count, l.turns = l.length, -1
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 && sizes[t.Kind()] != 0 && c.inRows() {
			c.upTo(&l, s)
			break
		}
		if t.Kind() != types.Int && t.Kind() != types.UntypedInt {
			fail(s.X.Pos(), "a range over %v: the number of turns must be the same for all rows, an int; or write a loop with a condition", t)
		}
		l.count, l.turns = c.count(s.X)
	default:
		fail(s.X.Pos(), "a range over %v: a slice or an int is understood", t)
	}
	c.loop(l)
}

// forLoop translates three forms of loops: for cond, for j := 0; j < n; j++,
// and for j := start[i]; j < end[i]; j++.
func (c *compiler) forLoop(s *ast.ForStmt) {
	l := shape{at: s, body: s.Body, turns: -1}
	if s.Cond == nil {
		fail(s.Pos(), "a loop without an end: give it a count or a condition")
	}
	if l.counter = c.loopCounter(s); l.counter != nil {
		l.count, l.turns = c.count(s.Cond.(*ast.BinaryExpr).Y)
		c.loop(l)
		return
	}
	if s.Init != nil {
		c.begin(s)
	}
	l.cond = func() *ir.Value { return c.expr(s.Cond).v }
	if s.Post != nil {
		l.post = func() { c.stmt(s.Post) }
		l.changes = []ast.Node{s.Post}
	}
	c.loop(l)
}

// begin translates the init statement of a loop such as for j := start[i]; j < end[i];
// j++, in which j differs between rows.
func (c *compiler) begin(s *ast.ForStmt) {
	if !c.inRows() {
		fail(s.Pos(), "the loop over the rows is for i := range x, or for i := 0; i < n; i++")
	}
	if a, ok := s.Init.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
		for _, l := range a.Lhs {
			if b, ok := c.typeOf(l).Underlying().(*types.Basic); ok && b.Kind() == types.Int {
				fail(s.Pos(), "of loops with three parts only for j := 0; j < n; j++ is understood of an int, and any of numbers of the row: start with a number of type int32 or int64")
			}
		}
	}
	c.stmt(s.Init)
}

// upTo translates a range over a number that differs between rows. The result is a loop
// with a condition. The number of a row determines how many iterations it does, even if
// the body changes the index.
func (c *compiler) upTo(l *shape, s *ast.RangeStmt) {
	most := c.expr(s.X).v
	l.turns = -1
	l.own = types.NewVar(s.TokPos, nil, "", c.typeOf(s.X))
	c.vars[l.own] = val{v: c.b.Const(most.Kind, 0)}
	index := l.counter
	l.counter = nil
	l.cond = func() *ir.Value {
		j := c.vars[l.own]
		if index != nil {
			c.vars[index] = j
		}
		return c.isGreater(most, j.v)
	}
	own := l.own
	l.post = func() {
		j := c.vars[own].v
		c.vars[own] = val{v: c.b.Choose(c.live, c.b.Op(ir.IntAdd, j.Kind, j, c.b.Const(j.Kind, 1)), j)}
	}
}

func (c *compiler) loop(l shape) {
	switch {
	case c.inRows():
		c.inner(l)
	case l.cond != nil:
		fail(l.at.Pos(), "the loop over the rows is counted: for i := range x")
	case l.count == "":
		fail(l.at.Pos(), "a loop over a constant number of rows: range over a slice")
	default:
		c.rowLoop(l)
	}
}

// rowLoop translates the loop over the rows.
func (c *compiler) rowLoop(l shape) {
	k := c.b.Kernel
	k.Rows, k.Number, c.row, c.rowsAt = c.b.Loop(), l.count, l.counter, l.at.Pos()
	k.Rows.Body = ir.NewRegion(k.Entry, k.Rows)
	c.b.Region = k.Rows.Body
	if l.value != nil {
		c.vars[l.value] = c.load(l.lane)
	}
	c.block(l.body.List)
	if c.puts != nil {
		c.b.Put(c.puts) // row by row, after all operations on vectors
	}
	c.b.Close(k.Rows, k.Entry)
}

// inner translates a loop inside the row. If the loop has a condition, a break or
// inactive rows, it iterates until no row needs another iteration. The mask of the rows
// that need another iteration is a phi.
//
// Invariant: a variable that the body changes is a phi within the loop and
// after it. Once the loop is closed, the phi has two arguments: the value
// before the loop, and the value at the end of an iteration. After the loop, the state
// of the rows (path, live, cache) is the same as before it, except for the effects of
// stores.
func (c *compiler) inner(s shape) {
	c.branches++
	defer func() { c.branches-- }()
	changed, has := c.findChanges(append([]ast.Node{s.body}, s.changes...)...)
	if s.own != nil {
		changed = append(changed, s.own)
	}
	path, live, cache := c.path, c.live, c.cache
	c.cache = maps.Clone(cache)
	if has.stores {
		clear(c.cache)
	}
	t := &turn{outer: c.b.Region, stores: has.stores, goesOn: has.goesOn, at: s.at, body: s.body, local: c.locals(s.at)}
	var alive *ir.Value // at the beginning of an iteration
	t.loop = c.b.Loop()
	if s.cond != nil || has.breaks {
		alive = c.activeHere()
	}
	first := c.open(t, &s)
	phis := c.replaceByPhis(t.loop, first, changed)
	entered := c.mask()
	if alive != nil {
		alive = c.b.Phi(t.loop, first, alive)
		c.path, c.live, entered = nil, alive, alive
	}
	c.turns = append(c.turns, t)
	c.b.Region = first
	if s.cond != nil {
		t.loop.Alive = c.b.And(alive, s.cond())
		c.live, entered = t.loop.Alive, t.loop.Alive
	}
	c.b.Region = t.loop.Body
	before := maps.Clone(c.vars)
	next := c.body(t, &s, entered, alive != nil)
	c.setAgain(t.loop, changed, phis, before)
	if alive != nil {
		alive.Args = append(alive.Args, next)
		if has.breaks {
			t.loop.EndAlive = alive
		}
	}
	c.b.Close(t.loop, t.outer)
	c.vars, c.turns = before, c.turns[:len(c.turns)-1]
	c.path, c.live, c.cache = path, live, cache
	if has.stores {
		clear(c.cache)
	}
}

// body translates the body of a loop that some rows have entered, and returns
// the mask of the rows that continue with the next iteration.
func (c *compiler) body(t *turn, s *shape, entered *ir.Value, masked bool) (next *ir.Value) {
	switch {
	case s.span != nil:
		c.beginSpan(t.loop, s.value)
	case s.value != nil:
		c.vars[s.value] = c.spread(s.at.Pos(), s.lane, s.length, iterations(t.loop), &ir.Value{Loop: t.loop})
	}
	c.block(s.body.List)
	if s.span != nil {
		c.endSpan(t.loop)
	}
	next = c.live
	if masked && t.goesOn {
		next = entered
		if t.gone != nil {
			next = c.b.Op(ir.AndNot, ir.Mask, entered, t.gone)
		}
	}
	if s.post != nil {
		c.live = next
		s.post()
	}
	return next
}

// A has records which events occur in a loop.
type has struct{ stores, breaks, goesOn bool }

// A survey finds the variables that the body of a loop changes, and the events that occur in the
// body.
type survey struct {
	uses    map[*ast.Ident]types.Object
	vars    map[types.Object]val // variables that exist before the loop
	seen    map[types.Object]bool
	changed []types.Object
	has     has
	depth   int // depth of loops within the body: a break in one of these does not leave the body
}

func (s *survey) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			s.recordAssigned(l)
		}
	case *ast.IncDecStmt:
		s.recordAssigned(n.X)
	case *ast.ExprStmt:
		s.has.stores = true // adds to a total
	case *ast.ForStmt:
		if n.Init != nil {
			ast.Inspect(n.Init, s.look)
		}
		if n.Post != nil {
			ast.Inspect(n.Post, s.look)
		}
		s.searchLoop(n.Body)
		return false
	case *ast.RangeStmt:
		s.searchLoop(n.Body)
		return false
	case *ast.BranchStmt:
		s.has.breaks = s.has.breaks || s.depth == 0 && n.Tok == token.BREAK
		s.has.goesOn = s.has.goesOn || s.depth == 0 && n.Tok == token.CONTINUE
	}
	return true
}

// searchLoop searches a nested loop of the body.
func (s *survey) searchLoop(body *ast.BlockStmt) {
	s.depth++
	ast.Inspect(body, s.look)
	s.depth--
}

// recordAssigned records a variable that is assigned.
func (s *survey) recordAssigned(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := s.uses[e]
		if _, ok := s.vars[o]; ok && !s.seen[o] {
			s.seen[o] = true
			s.changed = append(s.changed, o)
		}
	case *ast.IndexExpr:
		s.has.stores = true
	}
}
