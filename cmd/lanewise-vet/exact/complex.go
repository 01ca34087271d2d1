package exact

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// complexFindings reports complex products and quotients, because Go computes their parts by real products and sums. A
// product of complex64 is not reported, because Go computes its parts in float64, where the products are exact.
func complexFindings(pass *analysis.Pass) (all []finding) {
	const remedy = " is made of products and sums that Go may round at once, as on arm64: compute its parts, each product in a conversion"
	for _, file := range pass.Files {
		report := func(n ast.Node, x, y ast.Expr, op token.Token) {
			t := pass.TypesInfo.TypeOf(x)
			if !isComplex(t) {
				t = pass.TypesInfo.TypeOf(y)
			}
			if !isComplex(t) {
				return
			}
			f := finding{pos: n.Pos(), end: n.End(), carries: true}
			switch {
			case op == token.QUO:
				f.text = "a complex quotient" + remedy
			case op == token.MUL && !is(t, types.Complex64):
				f.text = "a complex product" + remedy
				f.mends = byParts(pass, file, n, x, y, t)
			default:
				return
			}
			all = append(all, f)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if pass.TypesInfo.Types[n].Value == nil {
					report(n, n.X, n.Y, n.Op)
				}
			case *ast.AssignStmt:
				switch n.Tok {
				case token.MUL_ASSIGN:
					report(n, n.Lhs[0], n.Rhs[0], token.MUL)
				case token.QUO_ASSIGN:
					report(n, n.Lhs[0], n.Rhs[0], token.QUO)
				}
			}
			return true
		})
	}
	return all
}

// longestPart is the length of the longest operand that a fix repeats.
const longestPart = 100

// byParts makes a fix that computes the parts of a complex product as Go does, but converts each real product. It makes
// no fix if an operand cannot be repeated. It also makes no fix if an operand contains another complex product, which
// must be fixed first.
func byParts(pass *analysis.Pass, file *ast.File, n ast.Node, x, y ast.Expr, t types.Type) []mend {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return nil // the language has no real(x) and imag(x) of it
	}
	for _, e := range []ast.Expr{x, y} {
		if !repeatable(pass, e) || len(text(e)) > longestPart {
			return nil
		}
	}
	realX, imagX, ok := partsOf(pass, x)
	realY, imagY, ok2 := partsOf(pass, y)
	if !ok || !ok2 {
		return nil
	}
	whole := fmt.Sprintf("complex(float64(%s*%s)-float64(%s*%s), float64(%s*%s)+float64(%s*%s))", realX, realY, imagX, imagY, realX, imagY, imagX, realY)
	if !is(t, types.Complex128) || !types.Identical(types.Unalias(t), types.Typ[types.Complex128]) {
		name := typeName(pass, file, t, n.Pos())
		if name == "" {
			return nil
		}
		whole = name + "(" + whole + ")"
	}
	for _, name := range []string{"complex", "real", "imag", "float64"} {
		if scope := pass.Pkg.Scope().Innermost(n.Pos()); scope != nil {
			if _, obj := scope.LookupParent(name, n.Pos()); obj == nil || obj.Parent() != types.Universe {
				return nil
			}
		}
	}
	if s, ok := n.(*ast.AssignStmt); ok {
		return []mend{{s.TokPos, s.End(), "= " + whole}}
	}
	return []mend{{n.Pos(), n.End(), whole}}
}

// partsOf returns expressions for the real and the imaginary part of an operand.
func partsOf(pass *analysis.Pass, e ast.Expr) (re, im string, ok bool) {
	e = ast.Unparen(e)
	if v := pass.TypesInfo.Types[e].Value; v != nil {
		return "real(" + text(e) + ")", "imag(" + text(e) + ")", isComplex(pass.TypesInfo.TypeOf(e))
	}
	call, isCall := e.(*ast.CallExpr)
	if isCall && len(call.Args) == 2 && builtin(pass, call) == "complex" {
		part := func(e ast.Expr) string {
			if b, ok := pass.TypesInfo.TypeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 || pass.TypesInfo.Types[e].Value != nil {
				return "float64(" + text(e) + ")"
			}
			return operand(e)
		}
		return part(call.Args[0]), part(call.Args[1]), true
	}
	return "real(" + text(e) + ")", "imag(" + text(e) + ")", true
}

// repeatableBuiltins lists the builtin functions that have no effect and return the same value each time.
var repeatableBuiltins = []string{"complex", "real", "imag", "len", "min", "max"}

// repeatable reports whether a program may evaluate an expression several times: it then has the same value each time, and no
// effect. Such an expression calls only conversions, some builtin functions, and functions of math and math/cmplx.
func repeatable(pass *analysis.Pass, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.BinaryExpr:
			ok = ok && !(n.Op == token.MUL && isComplex(pass.TypesInfo.TypeOf(n)) && pass.TypesInfo.Types[n].Value == nil && !is(pass.TypesInfo.TypeOf(n), types.Complex64))
		case *ast.CallExpr:
			fn := callee(pass, n)
			pure := fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "math" || fn.Pkg().Path() == "math/cmplx")
			ok = ok && (pure || pass.TypesInfo.Types[n.Fun].IsType() || slices.Contains(repeatableBuiltins, builtin(pass, n)))
		}
		return ok
	})
	return ok
}

// builtin returns the name of the builtin function that is called, or nothing.
func builtin(pass *analysis.Pass, call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := pass.TypesInfo.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}
