package exact

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// exactMath lists the functions of package math that have the same bits
// everywhere, because IEEE 754 or their definition determines the results. The
// other functions have assembly on some CPUs. On other CPUs, they consist of
// products and sums, which Go may fuse.
var exactMath = words(`Abs Ceil Copysign Dim FMA Float32bits Float32frombits Float64bits Float64frombits Floor Frexp Ilogb Inf
	IsInf IsNaN Ldexp Logb Max Min Mod Modf NaN Nextafter Nextafter32 Pow10 Remainder Round RoundToEven Signbit Sqrt Trunc`)

// exactCmplx lists the exact functions of package math/cmplx.
var exactCmplx = words("Conj Inf IsInf IsNaN NaN")

// inexactRand lists the functions and methods of math/rand and math/rand/v2
// that use inexact functions.
var inexactRand = words("ExpFloat64 NormFloat64")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// mathFindings reports uses of functions whose bits differ between CPUs.
func mathFindings(pass *analysis.Pass) (all []finding) {
	selected := map[*ast.Ident]bool{}
	for _, file := range pass.Files {
		calls := map[ast.Node]*ast.CallExpr{}
		ast.Inspect(file, func(n ast.Node) bool {
			var name *ast.Ident
			switch n := n.(type) {
			case *ast.CallExpr:
				calls[ast.Unparen(n.Fun)] = n
				return true
			case *ast.SelectorExpr:
				name = n.Sel
				selected[n.Sel] = true
			case *ast.Ident: // import . "math"
				if name = n; selected[n] {
					return true
				}
			}
			if name != nil {
				fn, ok := pass.TypesInfo.Uses[name].(*types.Func)
				if !ok || fn.Pkg() == nil || !differs(fn) {
					return true
				}
				f := finding{pos: n.Pos(), end: n.End(), carries: true}
				f.text = fmt.Sprintf("%s.%s has other bits on other CPUs", fn.Pkg().Name(), fn.Name())
				if call := calls[n]; call != nil {
					f.end = call.End()
					what := ""
					if f.mends, what = replacement(pass, file, fn, n.(ast.Expr), call); what != "" {
						f.text += ": " + what
					}
				}
				all = append(all, f)
			}
			return true
		})
	}
	return all
}

func differs(fn *types.Func) bool {
	switch fn.Pkg().Path() {
	case "math":
		return !exactMath[fn.Name()]
	case "math/cmplx":
		return !exactCmplx[fn.Name()]
	case "math/rand", "math/rand/v2":
		return inexactRand[fn.Name()]
	}
	return false
}

// kernelOf lists the functions of package math that package kernels provides
// too, with the same bits on every CPU. For each there is a function for one
// number (SinOf) and a kernel for whole lanes (Sin).
var kernelOf = words("Acos Asin Atan Atan2 Cbrt Cos Cosh Erf Erfc Exp Exp2 Expm1 Hypot J0 J1 Log Log10 Log1p Log2 Pow Sin Sincos Sinh Tan Tanh")

// replacement describes how to replace a call. It adds a fix if the replacement
// can be made in place.
func replacement(pass *analysis.Pass, file *ast.File, fn *types.Func, fun ast.Expr, call *ast.CallExpr) ([]mend, string) {
	if fn.Pkg().Path() != "math" {
		return nil, ""
	}
	if fn.Name() != "Pow" || len(call.Args) != 2 {
		return byKernel(pass, file, fn, fun, call)
	}
	exponent := pass.TypesInfo.Types[call.Args[1]].Value
	if exponent == nil {
		return byKernel(pass, file, fn, fun, call)
	}
	name := importName(pass, file, "math", call.Pos())
	if x, _ := constant.Float64Val(constant.ToFloat(exponent)); x == 0.5 && name != "" {
		return []mend{{call.Pos(), call.Args[0].Pos(), name + ".Sqrt("}, {call.Args[0].End(), call.End(), ")"}}, "use math.Sqrt, or kernels.PowOf, which gives +Inf of -Inf and +0 of -0 as math.Pow does"
	}
	if n, exact := constant.Int64Val(constant.ToInt(exponent)); exact && (n == 2 || n == 3) && isSimple(call.Args[0]) && pass.TypesInfo.Types[call.Args[0]].Value == nil {
		x := operand(call.Args[0])
		product := fmt.Sprintf("float64(%s*%s)", x, x)
		if n == 3 {
			product = fmt.Sprintf("float64(%s*%s)", product, x)
		}
		return []mend{{call.Pos(), call.End(), product}}, "multiply, each product in a conversion, or use kernels.PowOf"
	}
	return byKernel(pass, file, fn, fun, call)
}

// byKernel makes a fix that calls the function of package kernels instead, if
// there is one.
func byKernel(pass *analysis.Pass, file *ast.File, fn *types.Func, fun ast.Expr, call *ast.CallExpr) ([]mend, string) {
	if fn.Name() == "Lgamma" {
		return nil, "use kernels.LgammaOf, which returns no sign, or kernels.Lgamma for all rows at once"
	}
	if !kernelOf[fn.Name()] {
		return nil, "an exact one needs a table, or a polynomial with each product in a conversion"
	}
	advice := fmt.Sprintf("use kernels.%sOf, or kernels.%[1]s for all rows at once", fn.Name())
	k, mends := imports(pass, file, module+"/kernels", call.Pos())
	if k == "" {
		return nil, advice
	}
	name := k + "." + fn.Name() + "Of"
	if !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return pass.TypesInfo.Types[e].Value == nil }) {
		name += "[float64]" // constants have no type to infer
	}
	return append([]mend{{fun.Pos(), fun.End(), name}}, mends...), advice
}

// operand prints an expression so that it can be a factor, in parentheses if
// necessary.
func operand(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return "(" + text(x) + ")"
	case *ast.UnaryExpr:
		if x.Op != token.AND {
			return "(" + text(x) + ")"
		}
	}
	return text(ast.Unparen(e))
}
