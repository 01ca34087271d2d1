// Package exact reports code that makes the bits of a result depend on the CPU
// or the run: products that Go may fuse with a sum, functions of package math
// that differ between CPUs, and loops over maps.
//
// Go may fuse a product with a sum, "possibly across statements"; it then
// rounds only once. An explicit conversion to a floating-point type forbids
// this. The compiler fuses on arm64, loong64, ppc64, riscv64, s390x and with
// GOAMD64=v3, after inlining. So the analyzer follows a product through
// variables, fields, results and parameters, also across packages.
package exact

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer is the analyzer, for programs that run several analyzers.
var Analyzer = &analysis.Analyzer{
	Name: "exact",
	Doc: `report what makes bits depend on the CPU or on the run

In packages that import a package of github.com/lanewise/lanewise it reports products
(and quotients by a power of two) that Go may fuse with a sum, functions of package
math whose bits differ between CPUs, functions that have no Go body on some CPU, and
iteration over maps; with -all in every package. The comment //lanewise:inexact and a
reason accept what its line, the statement or declaration below it, or the file is
reported for.

It does not see:

- ` + strings.Join(unseen, "\n- "),
	URL:       "https://github.com/lanewise/lanewise/blob/main/docs/guide/vet.md",
	Run:       run,
	FactTypes: []analysis.Fact{(*summary)(nil)},
}

// unseen lists the faults that the analyzer does not see. docs/guide/vet.md has the same list.
var unseen = []string{
	"The check does not follow calls through an interface. It also does not follow calls of a function that comes from a field, a map, a channel or an exported variable of a package. But it does follow functions that are passed to a function, assigned to a variable, or returned.",
	"The check misses a product that one function stores and another function loads, if both use pointers that a third function created. It also misses a product that passes through a map, a channel, reflect or unsafe.",
	"The check misses a product that passes through a function of the standard library, such as slices.Collect. It knows only math, math/cmplx, math/rand and the functions that loop over a map.",
	"The check ignores assembly and C functions whose parameters and results are only integers, bytes and strings.",
	"In files that are built only for other systems, the check finds only calls of functions without a Go body in the same package.",
	"The check misses divisors that are computed from the arguments of inlined functions.",
	"The check misses loops over maps in functions of other modules that are not generic, and sorts that treat different values as equal.",
	"The check does not report conversions of NaN and of numbers out of range to integers, or code that reads the bits of a NaN.",
	"The check does not report an order that depends on goroutines, select, addresses or the clock, or the seeds of math/rand.",
}

// tests is the flag that makes the analyzer examine test files too.
var tests bool

func init() {
	Analyzer.Flags.BoolVar(&tests, "tests", true, "look at test files as well")
}

// module is the path of the library. A package that imports a package of this module is
// examined even without -all.
const module = "github.com/lanewise/lanewise"

// A finding is one problem to report.
type finding struct {
	pos, end token.Pos
	text     string
	mends    []mend
	carries  bool // whether callers in other packages have the same fault
	placed   bool // whether the text contains the position
}

func run(pass *analysis.Pass) (any, error) {
	if isStandard(pass) {
		return nil, nil
	}
	a := newAnalyzer(pass)
	a.settle()
	target := allFlag() || LooksAt(paths(pass.Pkg))
	findings := slices.Concat(a.productFindings(), a.escapeFindings(), complexFindings(pass), mathFindings(pass), mapFindings(pass), bodyFindings(pass), a.callFindings())
	accepted := accept(pass)
	findings = slices.DeleteFunc(findings, func(f finding) bool { return accepted.covers(pass, f) })
	if target {
		findings = append(byKernels(pass, findings), accepted.faults(pass)...)
		report(pass, slices.DeleteFunc(findings, func(f finding) bool {
			return !tests && strings.HasSuffix(pass.Fset.Position(f.pos).Filename, "_test.go")
		}))
		if isOurs(pass) {
			findings = nil
		}
	}
	a.export(findings, accepted)
	return nil, nil
}

// everywhere has the effect of the flag -all. Only tests set it.
var everywhere bool

// allFlag returns the flag -all, which drivers of analyzers define for the old vet.
func allFlag() bool {
	f := flag.Lookup("all")
	return everywhere || f != nil && f.Value.String() == "true"
}

// isStandard reports whether a package belongs to the standard library, where
// users cannot change the source.
func isStandard(pass *analysis.Pass) bool {
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	if pass.Module != nil && pass.Module.Path != "" && pass.Module.Path != "std" {
		return false
	}
	return first == "vendor" || !strings.Contains(first, ".") && first != "command-line-arguments" && first != "main" && !fixture(pass)
}

// fixture reports whether a package is in testdata. Import paths there have no dots,
// but they do not belong to the standard library.
func fixture(pass *analysis.Pass) bool {
	return len(pass.Files) > 0 && strings.Contains(filepath.ToSlash(pass.Fset.Position(pass.Files[0].Pos()).Filename), "/testdata/")
}

// isOurs reports whether a fault in a package is not passed on to the callers
// of the faulty function. In the user's own module, the fault is printed
// instead. In this library, other tests look for faults. In any other module,
// the user cannot change the function, so its callers get findings.
func isOurs(pass *analysis.Pass) bool {
	m := pass.Module
	return m == nil || m.Version == "" || library(m.Path)
}

func library(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// LooksAt reports whether one of the imports is a package of the library. Without -all,
// findings are reported only in packages that have such an import.
func LooksAt(imports []string) bool {
	return slices.ContainsFunc(imports, library)
}

func paths(pkg *types.Package) (all []string) {
	for _, p := range pkg.Imports() {
		all = append(all, p.Path())
	}
	return all
}

// productFindings returns findings for products that are added to something before they
// are rounded.
func (a *analyzer) productFindings() (all []finding) {
	exprs := a.exprs()
	for product, sum := range a.products {
		e, ok := exprs[product.Pos()]
		if !ok || isComplex(product.Type()) {
			continue // of a wrapper that the builder wrote, or made of parts: see complexFindings
		}
		name := typeName(a.pass, e.file, product.Type(), e.node.Pos())
		what := "%s meets the sum in %s"
		if product.Op == token.QUO {
			what = "%s is a product to Go, since the divisor is a power of two, and meets the sum in %s"
		}
		f := finding{pos: e.node.Pos(), end: e.node.End(), carries: true}
		f.text = fmt.Sprintf(what+": where Go rounds the two at once, as on arm64, the bits differ", shortText(e.node), a.line(sum, product.Pos()))
		if name != "" {
			f.mends = roundMends(e.node, name)
			f.text += fmt.Sprintf("; write %s(…)", name)
		}
		all = append(all, f)
	}
	return all
}

// expr is the syntax node of an expression or an assignment that computes a product, together with
// its file.
type expr struct {
	node ast.Node
	file *ast.File
}

// exprs returns the expressions of products by their positions. It searches the files only at the first
// call.
func (a *analyzer) exprs() map[token.Pos]expr {
	if a.places != nil {
		return a.places
	}
	exprs := map[token.Pos]expr{}
	a.places = exprs
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				exprs[n.OpPos] = expr{n, file}
			case *ast.AssignStmt:
				if n.Tok == token.MUL_ASSIGN || n.Tok == token.QUO_ASSIGN {
					exprs[n.Pos()], exprs[n.TokPos] = expr{n, file}, expr{n, file}
				}
			}
			return true
		})
	}
	return exprs
}

// escapeFindings returns findings for unrounded products that leave an exported function in three ways: as a part
// of a result, as one of several results, or stored through a parameter. A caller in another package that adds
// such a product cannot round it by a conversion, so the function must round it.
func (a *analyzer) escapeFindings() (all []finding) {
	if a.pass.Pkg.Name() == "main" {
		return nil
	}
	escapes := map[*ssa.BinOp]string{}
	add := func(f *ssa.Function, p *ssa.BinOp) {
		name := f.Object().Name()
		if _, added := a.products[p]; p != nil && !added && !isComplex(p.Type()) && (escapes[p] == "" || name < escapes[p]) {
			escapes[p] = name
		}
	}
	for f, s := range a.summaries {
		if f.Parent() != nil || f.Object() == nil || !f.Object().Exported() || a.noinline[f.Object()] {
			continue
		}
		for _, g := range s.Returns {
			if len(g.Path) > 0 || f.Signature.Results().Len() > 1 {
				add(f, g.Source.product)
			}
		}
		for _, g := range s.Stores {
			add(f, g.Source.product)
		}
	}
	exprs := a.exprs()
	for product, by := range escapes {
		e, ok := exprs[product.Pos()]
		if !ok {
			continue
		}
		f := finding{pos: e.node.Pos(), end: e.node.End()}
		f.text = fmt.Sprintf("%s leaves %s as a part of a value: a caller in another package that adds it cannot round it", shortText(e.node), by)
		if name := typeName(a.pass, e.file, product.Type(), e.node.Pos()); name != "" {
			f.mends = roundMends(e.node, name)
			f.text += fmt.Sprintf("; write %s(…)", name)
		}
		all = append(all, f)
	}
	return all
}

// line returns the line of a position. It includes the name of the file if this differs from the file of from.
func (a *analyzer) line(pos, from token.Pos) string {
	at := a.pass.Fset.Position(pos)
	if at.Filename != a.pass.Fset.Position(from).Filename {
		return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	return fmt.Sprintf("line %d", at.Line)
}

func is(t types.Type, kind types.BasicKind) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == kind
}

// callFindings returns findings for calls of functions in other packages.
// Such a function has a fault, or it returns an unrounded product that this
// package adds.
func (a *analyzer) callFindings() (all []finding) {
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if loop, ok := n.(*ast.RangeStmt); ok {
				if o, ok := a.calls[loop.Range]; ok {
					all = append(all, handedFinding(loop.Pos(), loop.X, loop.X, o))
				}
			}
			expr, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			o, ok := a.calls[expr.Lparen]
			if !ok {
				return true
			}
			if o.handed {
				all = append(all, handedFinding(expr.Pos(), expr, expr.Fun, o))
				return true
			}
			f := finding{pos: expr.Pos(), end: expr.End(), carries: true}
			f.text = fmt.Sprintf("what %s returns is a product, or has one in it (%s), and meets a sum: where Go inlines the call and rounds the two at once, as on arm64, the bits differ",
				text(expr.Fun), o.text)
			if t := a.pass.TypesInfo.TypeOf(expr); number(t) {
				if name := typeName(a.pass, file, t, expr.Pos()); name != "" {
					f.mends = roundMends(expr, name)
					f.text += fmt.Sprintf("; write %s(…)", name)
				}
			}
			all = append(all, f)
			return true
		})
	}
	notExact := func(pos, end token.Pos, obj types.Object) {
		if s := new(summary); obj.Pkg() != nil && obj.Pkg() != a.pass.Pkg && a.pass.ImportObjectFact(obj, s) && len(s.Faults) > 0 {
			all = append(all, finding{pos: pos, end: end, carries: true,
				text: fmt.Sprintf("%s.%s is not exact: %s", obj.Pkg().Name(), obj.Name(), s.Faults[0])})
		}
	}
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if obj := declaredObject(a.pass.TypesInfo.Uses[id]); obj != nil {
					notExact(id.Pos(), id.End(), obj)
				}
			}
			return true
		})
	}
	a.dynamic(func(_ types.Object, at token.Pos, fn *types.Func) {
		notExact(at, at, fn.Origin())
	})
	return all
}

// handedFinding makes a finding for a call of a function that passes an unrounded product to a function
// argument or to the body of a loop.
func handedFinding(pos token.Pos, e, name ast.Expr, o origin) finding {
	return finding{pos: pos, end: e.End(), carries: true, text: fmt.Sprintf("a value from %s is a product, or has one in it (%s), and meets a sum: where Go inlines the calls and rounds the two at once, as on arm64, the bits differ; convert the value to its own type before it meets the sum",
		shortText(name), o.text)}
}

// export stores the summaries of functions for the packages that import this
// package. A summary contains the first fault of its function, unless the
// fault was reported. An accepted finding is not a fault for the callers of a
// function either.
func (a *analyzer) export(findings []finding, accepted acceptances) {
	faults := a.faults(findings)
	vouched := func(s source) bool { return s.product != nil && accepted.covers(a.pass, finding{pos: s.product.Pos()}) }
	for _, s := range a.summaries {
		s.Returns = slices.DeleteFunc(s.Returns, func(f flow) bool { return vouched(f.Source) })
		s.Stores = slices.DeleteFunc(s.Stores, func(f flow) bool { return vouched(f.Source) })
		s.Conds = slices.DeleteFunc(s.Conds, func(p place) bool { return vouched(p.Source) })
		s.Hands = slices.DeleteFunc(s.Hands, func(h hand) bool { return vouched(h.Flow.Source) })
	}
	for f, s := range a.summaries {
		fn, ok := f.Object().(*types.Func)
		if !ok || fn.Pkg() != a.pass.Pkg || f.Parent() != nil {
			continue
		}
		if text := faults[fn]; text != "" {
			s.Faults = []string{text}
		}
		if a.noinline[fn] {
			s.Returns, s.Stores, s.Sums, s.Conds, s.Hands = nil, nil, nil, nil, nil
		} else {
			s.Makes = a.madeFuncs(f)
		}
		if len(s.Returns)+len(s.Stores)+len(s.Sums)+len(s.Conds)+len(s.Hands)+len(s.Makes)+len(s.Faults) > 0 {
			a.pass.ExportObjectFact(fn, s.forImporters())
		}
	}
	for obj, text := range faults {
		if v, ok := obj.(*types.Var); ok && v.Exported() {
			a.pass.ExportObjectFact(v, &summary{Faults: []string{text}})
		}
	}
}
