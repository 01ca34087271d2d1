package front

import (
	"go/ast"
	"go/token"
)

// hasExit reports whether code has a return, a break or continue of a surrounding loop, or a write
// at a computed index. The function looked reports whether the target of an assignment has a
// computed index.
func hasExit(n ast.Node, looked func(ast.Expr) bool) (yes bool) {
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
				yes = yes || looked(l)
			}
		case *ast.IncDecStmt:
			yes = yes || looked(n.X)
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
