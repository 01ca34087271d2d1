package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// A walk follows the calls of a kernel down to the assembly functions, on one
// path and for one element type. It follows each branch of an if or a switch,
// unless it knows that the branch is not taken.
type walk struct {
	*program
	path   string // value of the variable path
	single bool   // T is float32

	given map[string]string // known arguments of the current calls, by their type
	seen  map[string]bool   // the functions that were walked, with the known arguments
	asm   map[string]bool
}

// assembly returns the names of the functions in assembly that a kernel runs.
func (p *program) assembly(k *kernel, path string, single bool) map[string]bool {
	w := &walk{p, path, single, map[string]string{}, map[string]bool{}, map[string]bool{}}
	w.function(k.fn)
	return w.asm
}

func (w *walk) function(fn *types.Func) {
	fn = fn.Origin()
	d := w.decls[fn]
	switch {
	case d == nil:
		return
	case d.Body == nil:
		w.asm[fn.Name()] = true
		return
	}
	if key := fmt.Sprint(fn.FullName(), w.given); !w.seen[key] {
		w.seen[key] = true
		w.node(d.Body)
	}
}

// node visits the code below n.
func (w *walk) node(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			w.branch(n)
			return false
		case *ast.SwitchStmt:
			w.choice(n)
			return false
		case *ast.CallExpr:
			for _, arg := range n.Args {
				if c, ok := w.constant(arg); ok {
					w.given[c.Type().String()] = c.Name()
				}
			}
		case *ast.Ident:
			if fn, ok := w.info.Uses[n].(*types.Func); ok {
				w.function(fn)
			}
		}
		return true
	})
}

// constant returns the constant that an expression denotes, if the constant has
// a named type.
func (w *walk) constant(e ast.Expr) (*types.Const, bool) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, false
	}
	c, ok := w.info.Uses[id].(*types.Const)
	if !ok {
		return nil, false
	}
	_, named := c.Type().(*types.Named)
	return c, named
}

func (w *walk) branch(s *ast.IfStmt) {
	if s.Init != nil {
		w.node(s.Init)
	}
	w.node(s.Cond)
	is := w.truth(s.Cond)
	if is != no {
		w.node(s.Body)
	}
	if is != yes && s.Else != nil {
		w.node(s.Else)
	}
}

func (w *walk) choice(s *ast.SwitchStmt) {
	var otherwise *ast.CaseClause
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		is := no
		for _, e := range c.List {
			if s.Tag != nil {
				is = or(is, w.equal(s.Tag, e))
			} else {
				is = or(is, w.truth(e))
			}
		}
		if is != no {
			w.statements(c.Body)
		}
		if is == yes {
			return
		}
	}
	if otherwise != nil {
		w.statements(otherwise.Body)
	}
}

func (w *walk) statements(list []ast.Stmt) {
	for _, s := range list {
		w.node(s)
	}
}

// A truth is the known value of a condition.
type truth int8

const (
	no truth = iota - 1
	maybe
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func or(a, b truth) truth  { return max(a, b) }
func and(a, b truth) truth { return min(a, b) }

func (w *walk) truth(e ast.Expr) truth {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.truth(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return -w.truth(e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return and(w.truth(e.X), w.truth(e.Y))
		case token.LOR:
			return or(w.truth(e.X), w.truth(e.Y))
		case token.EQL:
			return w.equal(e.X, e.Y)
		case token.NEQ:
			return -w.equal(e.X, e.Y)
		}
	case *ast.Ident: // the parameter of a front, or a constant of the build
		if e.Name == "single" {
			return truthOf(w.single)
		}
		if c, ok := w.info.Uses[e].(*types.Const); ok && c.Val().Kind() == constant.Bool {
			return truthOf(constant.BoolVal(c.Val()))
		}
	case *ast.CallExpr: // single[T]()
		if at, ok := e.Fun.(*ast.IndexExpr); ok && isName(at.X, "single") {
			if isName(at.Index, "D") { // the other type, in Convert
				return truthOf(!w.single)
			}
			return truthOf(w.single)
		}
	}
	return maybe
}

// equal compares an expression with a constant. It knows the value of the
// variable path, and of parameters whose arguments are known.
func (w *walk) equal(x, y ast.Expr) truth {
	c, ok := w.constant(y)
	if !ok {
		return maybe
	}
	if isName(x, "path") {
		return truthOf(c.Name() == w.path)
	}
	if name, ok := w.given[c.Type().String()]; ok {
		return truthOf(c.Name() == name)
	}
	return maybe
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// describeInstructions describes the assembly that a kernel runs on a path. If there is
// none, it returns "generic".
func describeInstructions(asm map[string]bool) string {
	best := "generic"
	for name := range asm {
		for _, path := range []string{"avx512", "avx2", "neon"} {
			if strings.HasSuffix(name, strings.ToUpper(path)) && best != "avx512" {
				best = path
			}
		}
	}
	return best
}
