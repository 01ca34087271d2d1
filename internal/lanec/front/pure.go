package front

import (
	"go/ast"
	"go/types"
)

// isPure reports whether the body of a function only computes. Such a body uses no
// elements of slices. It has no loops except for ranges, and calls only conversions,
// functions of package math and other pure functions.
func (s *source) isPure(body *ast.BlockStmt) bool { return s.pureTo(body, 0) }

func (s *source) pureTo(body *ast.BlockStmt, depth int) bool {
	pure := depth <= deepest
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.BranchStmt:
			pure = false
		case *ast.IndexExpr:
			_, call := s.pkg.Info.TypeOf(n.X).(*types.Signature)
			_, constant := s.constantInt(n.Index)
			pure = pure && (call || constant)
		case *ast.RangeStmt:
			pure = pure && s.pkg.Info.TypeOf(n.X) != nil && s.trust
		case *ast.CallExpr:
			pure = pure && s.pureCall(n, depth)
		}
		return pure
	})
	return pure
}

func (s *source) pureCall(e *ast.CallExpr, depth int) bool {
	if s.pkg.Info.Types[e.Fun].IsType() || s.builtin(e) != "" {
		return true
	}
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		f := s.pkg.Funcs[s.object(fun)]
		return f != nil && s.pureTo(f.Body, depth+1)
	case *ast.SelectorExpr:
		if id, ok := fun.X.(*ast.Ident); ok {
			if p, ok := s.pkg.Info.Uses[id].(*types.PkgName); ok {
				if p.Imported().Path() == "math" {
					return true
				}
				f := s.foreignBody(p.Imported().Path(), fun.Sel.Name)
				return f != nil && s.pureTo(f.Body, depth+1)
			}
		}
	}
	return false
}
