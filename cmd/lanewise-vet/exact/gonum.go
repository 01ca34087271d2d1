package exact

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A rewrite is the kernel for a function of gonum.
type rewrite struct {
	kernel string
	args   string // the arguments of gonum's function in the order of the kernel: their numbers
	nil    bool   // the last argument of gonum's function must be nil: no weights
	norm   bool   // the last argument selects the norm, and so the kernel
	alone  bool   // the call must be a statement, because the kernel returns nothing
}

// rewrites lists the functions of gonum whose bits differ between CPUs, and for which there is a kernel.
// A norm has one kernel for each constant: for 1, for 2 and for infinity, in this order.
var rewrites = map[string]rewrite{
	"floats.Add":         {kernel: "Add", args: "001", alone: true},
	"floats.AddTo":       {kernel: "Add", args: "012", alone: true},
	"floats.Sub":         {kernel: "Sub", args: "001", alone: true},
	"floats.SubTo":       {kernel: "Sub", args: "012", alone: true},
	"floats.Div":         {kernel: "Div", args: "001", alone: true},
	"floats.DivTo":       {kernel: "Div", args: "012", alone: true},
	"floats.AddConst":    {kernel: "AddConst", args: "110", alone: true},
	"floats.AddScaled":   {kernel: "AddScaled", args: "0021", alone: true},
	"floats.AddScaledTo": {kernel: "AddScaled", args: "0132", alone: true},
	"floats.Scale":       {kernel: "Scale", args: "110", alone: true},
	"floats.ScaleTo":     {kernel: "Scale", args: "021", alone: true},
	"floats.CumSum":      {kernel: "PrefixSum", args: "01", alone: true},
	"floats.Sum":         {kernel: "Sum", args: "0"},
	"floats.Dot":         {kernel: "Dot", args: "01"},
	"floats.Norm":        {kernel: "Norm1 NormScaled NormInf", args: "0", norm: true},
	"floats.Distance":    {kernel: "Distance1 Distance DistanceInf", args: "01", norm: true},
	"stat.Mean":          {kernel: "Mean", args: "0", nil: true},
	"stat.Variance":      {kernel: "Variance", args: "0", nil: true},
	"stat.StdDev":        {kernel: "StdDev", args: "0", nil: true},
	"stat.MeanStdDev":    {kernel: "MeanStdDev", args: "0", nil: true},
	"stat.Covariance":    {kernel: "Covariance", args: "01", nil: true},
	"stat.Correlation":   {kernel: "Correlation", args: "01", nil: true},
}

// gonumOf returns the entry for a function.
func gonumOf(obj types.Object) (rewrite, bool) {
	fn, ok := obj.(*types.Func)
	if !ok || fn.Pkg() == nil {
		return rewrite{}, false
	}
	name, ok := strings.CutPrefix(fn.Pkg().Path(), "gonum.org/v1/gonum/")
	r, found := rewrites[name+"."+fn.Name()]
	return r, ok && found
}

// byKernels adds fixes to the findings about functions of gonum for which there is a kernel. It drops a
// finding about a product that such a function returns, because the kernel rounds this product.
func byKernels(pass *analysis.Pass, findings []finding) []finding {
	type callAt struct {
		file *ast.File
		call *ast.CallExpr
		name *ast.Ident
		rewrite
	}
	var calls []callAt
	for _, file := range pass.Files {
		alone := map[*ast.CallExpr]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ExprStmt:
				if call, ok := n.X.(*ast.CallExpr); ok {
					alone[call] = true
				}
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				if r, ok := gonumOf(pass.TypesInfo.Uses[f.Sel]); ok && (alone[n] || !r.alone) {
					calls = append(calls, callAt{file, n, f.Sel, r})
				}
			}
			return true
		})
	}
	for _, c := range calls {
		i := slices.IndexFunc(findings, func(f finding) bool { return f.pos == c.name.Pos() && f.end == c.name.End() })
		if i < 0 {
			continue
		}
		kernel := c.choose(pass, c.call)
		if kernel == "" {
			continue
		}
		findings[i].text += fmt.Sprintf("; kernels.%s has the same bits everywhere", kernel)
		if mends := c.callMends(pass, c.file, c.call, kernel); mends != nil && !dropsComment(pass, mends) {
			findings[i].mends = mends
			findings = slices.DeleteFunc(findings, func(f finding) bool { return f.pos == c.call.Pos() && f.end == c.call.End() })
		}
	}
	return findings
}

// choose returns the kernel that can replace a call with the given arguments, or nothing if there is no
// such kernel.
func (r rewrite) choose(pass *analysis.Pass, call *ast.CallExpr) string {
	last := call.Args[len(call.Args)-1]
	switch {
	case r.nil && !pass.TypesInfo.Types[last].IsNil():
		return ""
	case !r.norm:
		return r.kernel
	}
	names := strings.Fields(r.kernel)
	if v := pass.TypesInfo.Types[last].Value; v != nil {
		switch x, _ := constant.Float64Val(constant.ToFloat(v)); x {
		case 1:
			return names[0]
		case 2:
			return names[1]
		}
		return ""
	}
	inf, ok := ast.Unparen(last).(*ast.CallExpr)
	if !ok || len(inf.Args) != 1 {
		return ""
	}
	f, ok := inf.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	fn, ok := pass.TypesInfo.Uses[f.Sel].(*types.Func)
	if sign := pass.TypesInfo.Types[inf.Args[0]].Value; ok && fn.FullName() == "math.Inf" && sign != nil && constant.Sign(sign) >= 0 {
		return names[2]
	}
	return ""
}

// callMends returns the text changes that replace a call by a call of a kernel. One argument may contain
// calls, which may need fixes too. This argument keeps its place in the file, and the text of the other
// arguments moves around it. callMends returns none in four cases: more than one argument would have to
// stay, an argument with a call would be evaluated twice, the kernel could not infer its type, or one
// call returns all arguments.
func (r rewrite) callMends(pass *analysis.Pass, file *ast.File, call *ast.CallExpr, kernel string) []mend {
	if f, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature); !ok || f.Params().Len() != len(call.Args) {
		return nil
	}
	inPlace := strings.HasPrefix("0123", r.args) // the kernel has the first arguments in their order
	stays := -1
	for i, arg := range call.Args {
		uses := strings.Count(r.args, string(rune('0'+i)))
		if uses > 0 && pass.TypesInfo.Types[arg].IsNil() || uses > 1 && !isSimple(arg) {
			return nil
		}
		switch moves := !inPlace && !isSimple(arg); {
		case moves && stays >= 0 && !isSimple(call.Args[stays]):
			return nil
		case moves || stays < 0 && uses == 1:
			stays = i
		}
	}
	k, imported := imports(pass, file, module+"/kernels", call.Pos())
	if k == "" {
		return nil
	}
	mends := []mend{{call.Fun.Pos(), call.Fun.End(), k + "." + kernel}}
	if inPlace {
		if n := len(r.args); n < len(call.Args) {
			mends = append(mends, mend{call.Args[n-1].End(), call.Rparen, ""})
		}
		return append(mends, imported...)
	}
	tokens := pass.Fset.File(call.Pos())
	source, err := pass.ReadFile(tokens.Name())
	if err != nil {
		return nil
	}
	list := func(numbers string) (texts []string) {
		for _, n := range numbers {
			arg := call.Args[n-'0']
			texts = append(texts, string(source[tokens.Offset(arg.Pos()):tokens.Offset(arg.End())]))
		}
		return texts
	}
	before, after, _ := strings.Cut(r.args, string(rune('0'+stays)))
	left, right := strings.Join(append(list(before), ""), ", "), strings.Join(append([]string{""}, list(after)...), ", ")
	anchor := call.Args[stays]
	mends = append(mends, mend{call.Lparen + 1, anchor.Pos(), left}, mend{anchor.End(), call.Rparen, right})
	return append(mends, imported...)
}
