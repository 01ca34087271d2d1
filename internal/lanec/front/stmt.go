package front

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (c *compiler) block(list []ast.Stmt) {
	for i, s := range list {
		if !c.gone {
			c.before, c.behind = list[:i], list[i:]
			c.stmt(s)
		}
	}
}

func (c *compiler) stmt(s ast.Stmt) {
	if c.b.Kernel.Rows != nil && !c.inRows() {
		fail(s.Pos(), "nothing may follow the loop over the rows: a kernel is one loop")
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		c.block(s.List)
	case *ast.EmptyStmt:
	case *ast.DeclStmt:
		c.declare(s.Decl.(*ast.GenDecl))
	case *ast.AssignStmt:
		c.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		if l, ok := c.isLookup(s.X); ok {
			c.scatter(l, op, val{v: c.oneOf(s.X)})
			return
		}
		c.store(s.X, c.binary(s.TokPos, op, c.expr(s.X), val{v: c.oneOf(s.X)}))
	case *ast.IfStmt:
		c.branch(s)
	case *ast.ForStmt:
		c.forLoop(s)
	case *ast.RangeStmt:
		c.rangeLoop(s)
	case *ast.BranchStmt:
		c.leave(s)
	case *ast.ReturnStmt:
		c.result(s)
	case *ast.SwitchStmt:
		choice(c, s)
	case *ast.ExprStmt:
		if c.accumulate(s) {
			return
		}
		c.refuseCall(s)
	default:
		fail(s.Pos(), "%s: a row has variables, assignments, if, switch, loops and calls of helpers", unknownName(s))
	}
}

// unknownName returns the text of the message about an unsupported statement.
func unknownName(s ast.Stmt) string {
	switch s.(type) {
	case *ast.LabeledStmt:
		return "a label is not understood in a kernel"
	case *ast.GoStmt:
		return "go has no place in a kernel"
	case *ast.DeferStmt:
		return "defer has no place in a kernel"
	case *ast.SelectStmt, *ast.SendStmt:
		return "channels have no place in a kernel"
	case *ast.TypeSwitchStmt:
		return "a switch over types is not understood in a kernel"
	}
	return "this statement is not understood in a kernel"
}

func (c *compiler) declare(g *ast.GenDecl) {
	if g.Tok == token.TYPE {
		fail(g.Pos(), "a type inside of a kernel is not understood: declare it outside")
	}
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || g.Tok == token.CONST {
			continue
		}
		if len(v.Values) > 0 {
			c.define(v.Names, v.Values)
			continue
		}
		for _, id := range v.Names {
			o := c.object(id)
			c.vars[o] = val{v: c.b.Const(c.kind(id.Pos(), c.concrete(o.Type())), 0)}
		}
	}
}

func (c *compiler) define(ids []*ast.Ident, values []ast.Expr) {
	left := make([]ast.Expr, len(ids))
	for i, id := range ids {
		left[i] = id
	}
	c.assign(&ast.AssignStmt{Lhs: left, Rhs: values, Tok: token.DEFINE, TokPos: ids[0].Pos()})
}

// operations maps the operators of assignments.
var operations = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM,
	token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

func (c *compiler) assign(s *ast.AssignStmt) {
	switch op := operations[s.Tok]; {
	case s.Tok == token.SHL_ASSIGN:
		c.store(s.Lhs[0], c.shift(s.TokPos, token.SHL, c.expr(s.Lhs[0]), s.Rhs[0]))
		return
	case s.Tok == token.SHR_ASSIGN:
		c.store(s.Lhs[0], c.shift(s.TokPos, token.SHR, c.expr(s.Lhs[0]), s.Rhs[0]))
		return
	case op != 0:
		if l, ok := c.isLookup(s.Lhs[0]); ok {
			c.scatter(l, op, c.expr(s.Rhs[0]))
			return
		}
		x := c.expr(s.Lhs[0])
		c.store(s.Lhs[0], c.binary(s.TokPos, op, x, c.expr(s.Rhs[0])))
		return
	}
	var values []val
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
		if !ok {
			fail(s.Pos(), "this assignment is not understood")
		}
		values = c.call(call)
	} else {
		for i, r := range s.Rhs {
			values = append(values, val{})
			if !c.alias(s, s.Lhs[i], r) {
				values[i] = c.expr(r)
			}
		}
	}
	give(c, s.Lhs, values)
}

// give assigns values to the left side of an assignment. Index expressions on
// the left side are evaluated before any variable gets its value, as in Go. If the
// variable has become a name for a lane, view or length, nothing is assigned.
func give(c *compiler, left []ast.Expr, values []val) {
	if len(left) > 1 {
		for i, l := range left {
			if e, ok := c.isLookup(l); ok {
				c.scatter(e, 0, values[i])
				values[i] = val{}
			}
		}
	}
	for i, l := range left {
		id, ok := l.(*ast.Ident)
		switch {
		case values[i].v == nil || ok && id.Name == "_":
		case ok && c.pkg.Info.Defs[id] != nil:
			c.vars[c.object(id)] = values[i]
		default:
			c.store(l, values[i])
		}
	}
}

// alias translates definitions that only name lanes, views and lengths: n :=
// len(x), x = x[:n], p := pos.
func (c *compiler) alias(s *ast.AssignStmt, l, r ast.Expr) bool {
	id, ok := l.(*ast.Ident)
	if !ok {
		return false
	}
	if _, plain := r.(*ast.Ident); id.Name == "_" {
		return plain || !c.inRows() // _ = x[n-1], a hint for Go's bounds checks
	}
	var n name
	if a, ok := ast.Unparen(r).(*ast.UnaryExpr); ok && a.Op == token.AND && s.Tok == token.DEFINE {
		if n.matrix = c.matrixRow(a.X); n.matrix != nil { // a := &m[i]
			n.ofRow = true
			c.names[c.object(id)] = n
			return true
		}
	}
	if lit, ok := c.literal(r).(*ast.CompositeLit); ok {
		c.names[c.object(id)] = name{literal: lit}
		return true
	}
	switch t := c.typeOf(r).Underlying().(type) {
	case *types.Slice:
		n.lane, n.length = c.lane(r)
	case *types.Pointer:
		if v, ok := ast.Unparen(r).(*ast.Ident); ok {
			n.view = c.names[c.object(v)].view
		}
		if n.view == "" {
			fail(r.Pos(), "a pointer that is no parameter")
		}
	case *types.Basic:
		if t.Kind() != types.Int {
			return false
		}
		n.count, n.turns = c.count(r)
	default:
		return false
	}
	if c.inRows() && s.Tok != token.DEFINE {
		fail(s.Pos(), "%s is no number of the row: it may be given a new meaning before the loop over the rows only", id.Name)
	}
	c.names[c.object(id)] = n
	return true
}

// store assigns to a variable of the row, or to the row's element of a lane.
func (c *compiler) store(l ast.Expr, x val) {
	switch l := ast.Unparen(l).(type) {
	case *ast.Ident:
		o := c.object(l)
		old, ok := c.vars[o]
		switch {
		case c.names[o].scalar != nil:
			fail(l.Pos(), "%s is a parameter: give its value to a variable of the row first, v := %s", l.Name, l.Name)
		case c.listed[o] != nil:
			fail(l.Pos(), "%s is an element of a list: give its value to a variable of the row first", l.Name)
		case !ok:
			fail(l.Pos(), "%s is not a variable of the row", l.Name)
		case c.isShared(o):
			fail(l.Pos(), "%s is declared before the loop over the rows, so each row would go on from the one before: declare it in the row; a sum over rows goes to a kernels.Total", l.Name)
		}
		if c.live != nil && old.v != x.v && !c.isForgotten(o) {
			x = val{c.b.Choose(c.live, x.v, old.v), max(x.raw, old.raw)}
		}
		c.vars[o] = x
	case *ast.IndexExpr:
		if _, ok := c.isLookup(l); ok {
			c.scatter(l, 0, x)
			return
		}
		c.storeRow(l, x)
	default:
		fail(l.Pos(), "this cannot be assigned to: a variable of the row or x[i] can")
	}
}

func (c *compiler) storeRow(l *ast.IndexExpr, x val) {
	if s := c.cell(l); s != nil {
		c.storeTo(s, x)
		return
	}
	s, length := c.lane(l.X)
	id, ok := ast.Unparen(l.Index).(*ast.Ident)
	switch {
	case !ok || c.row == nil || c.object(id) != c.row:
		fail(l.Index.Pos(), "%s is written at another row than the loop's: rows run side by side, so write x[i] alone; a sum over rows goes to a kernels.Total", s.Expr)
	case s.all != nil || s.ahead != nil:
		fail(l.Pos(), "%s is read at other rows and written here, so it would matter which row comes first: write into a slice of its own", s.Expr)
	}
	c.checkApart(l.Pos(), s)
	c.want(length, c.b.Kernel.Number)
	c.storeTo(s, x)
}
