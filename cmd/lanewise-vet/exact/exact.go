// Package exact reports what makes the bits of a result depend on the CPU or the
// run: products that Go may fuse with a sum, functions of package math that differ
// between CPUs, and iteration over maps.
//
// Go may round a product and the sum that it goes into at once, "possibly across
// statements"; an explicit conversion to a floating-point type forbids it. The
// compiler does so on arm64, loong64, ppc64, riscv64, s390x and with GOAMD64=v3,
// after inlining, so a product is followed here through variables, fields, results
// and parameters, of other packages too.
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
)

// Analyzer is the check, for programs that run several.
var Analyzer = &analysis.Analyzer{
	Name: "exact",
	Doc: `report what makes bits depend on the CPU or on the run

In packages that import github.com/lanewise/lanewise/ecs, or a package below it, it
reports products (and quotients by a power of two) that Go may fuse with a sum,
functions of package math whose bits differ between CPUs, and iteration over maps;
with -all in every package. The comment //lanewise:inexact and a reason accept what
its line, the statement or declaration below it, or the file is reported for.`,
	URL:       "https://github.com/lanewise/lanewise/blob/main/docs/guide/loops.md",
	Run:       run,
	FactTypes: []analysis.Fact{(*summary)(nil)},
}

// tests says whether test files are looked at as well.
var tests bool

func init() {
	Analyzer.Flags.BoolVar(&tests, "tests", true, "look at test files as well")
}

// module is the path of the library: what imports its package ecs makes worlds.
const module = "github.com/lanewise/lanewise"

// A finding is one thing to report.
type finding struct {
	pos, end token.Pos
	text     string
	mends    []mend
	carries  bool // whether callers in other packages have the same fault
}

func run(pass *analysis.Pass) (any, error) {
	if standard(pass) {
		return nil, nil
	}
	a := newAnalyzer(pass)
	a.settle()
	target := all() || importsECS(pass.Pkg)
	findings := slices.Concat(a.productFindings(), mathFindings(pass), mapFindings(pass), a.callFindings())
	accepted := accept(pass)
	findings = slices.DeleteFunc(findings, func(f finding) bool { return accepted.covers(pass, f) })
	if target {
		findings = append(findings, accepted.faults(pass)...)
		report(pass, slices.DeleteFunc(findings, func(f finding) bool {
			return !tests && strings.HasSuffix(pass.Fset.Position(f.pos).Filename, "_test.go")
		}))
		findings = nil
	}
	a.export(findings, accepted)
	return nil, nil
}

// everywhere is what tests set in place of -all.
var everywhere bool

// all is the flag -all, which the drivers of analyzers have had from the times of
// the old vet.
func all() bool {
	f := flag.Lookup("all")
	return everywhere || f != nil && f.Value.String() == "true"
}

// standard says whether a package is of the standard library, where nothing is to
// be mended.
func standard(pass *analysis.Pass) bool {
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	if pass.Module != nil && pass.Module.Path != "" && pass.Module.Path != "std" {
		return false
	}
	return first == "vendor" || !strings.Contains(first, ".") && first != "command-line-arguments" && first != "main" && !fixture(pass)
}

// fixture says whether a package lies in testdata, where import paths have no dots.
func fixture(pass *analysis.Pass) bool {
	return len(pass.Files) > 0 && strings.Contains(filepath.ToSlash(pass.Fset.Position(pass.Files[0].Pos()).Filename), "/testdata/")
}

// importsECS says whether a package itself imports ecs or a package below it, or is
// the test of one of those.
func importsECS(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool {
		return p.Path() == module+"/ecs" || strings.HasPrefix(p.Path(), module+"/ecs/")
	})
}

// productFindings makes findings of the products that meet a sum.
func (a *analyzer) productFindings() (all []finding) {
	type expr struct {
		node ast.Node
		file *ast.File
	}
	exprs := map[token.Pos]expr{}
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
	for product, sum := range a.products {
		e, ok := exprs[product.Pos()]
		if !ok {
			continue // of a wrapper that the builder wrote
		}
		name := typeName(a.pass, e.file, product.Type(), e.node.Pos())
		what := "%s meets the sum in %s"
		if product.Op == token.QUO {
			what = "%s is a product to Go, since the divisor is a power of two, and meets the sum in %s"
		}
		f := finding{pos: e.node.Pos(), end: e.node.End(), carries: true}
		f.text = fmt.Sprintf(what+": where Go rounds the two at once, as on arm64, the bits differ", short(e.node), a.line(sum, product.Pos()))
		if name != "" {
			f.mends = rounded(e.node, name)
			f.text += fmt.Sprintf("; write %s(…)", name)
		}
		all = append(all, f)
	}
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			b, ok := x.(*ast.BinaryExpr)
			if !ok || !isComplex(a.pass.TypesInfo.TypeOf(b)) || a.pass.TypesInfo.Types[b].Value != nil {
				return true
			}
			switch {
			case b.Op == token.QUO:
				all = append(all, finding{pos: b.Pos(), end: b.End(), carries: true,
					text: "a complex quotient is made of products and sums that Go may round at once, as on arm64: compute its parts, each product in a conversion"})
			case b.Op == token.MUL && !is(a.pass.TypesInfo.TypeOf(b), types.Complex64):
				all = append(all, finding{pos: b.Pos(), end: b.End(), carries: true,
					text: "a complex product is made of products and sums that Go may round at once, as on arm64: compute its parts, each product in a conversion"})
			}
			return true
		})
	}
	return all
}

// line names a line, and its file if it is another one.
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

// callFindings are the calls of functions of packages that are not reported on: of
// those that return a product which meets a sum here, and of those with faults.
func (a *analyzer) callFindings() (all []finding) {
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			expr, ok := n.(*ast.CallExpr)
			if !ok || a.calls[expr.Lparen] == "" {
				return true
			}
			f := finding{pos: expr.Pos(), end: expr.End(), carries: true}
			f.text = fmt.Sprintf("what %s returns is a product, or has one in it (%s), and meets a sum: where Go inlines the call and rounds the two at once, as on arm64, the bits differ",
				text(expr.Fun), a.calls[expr.Lparen])
			if t := a.pass.TypesInfo.TypeOf(expr); inexact(t) {
				if name := typeName(a.pass, file, t, expr.Pos()); name != "" {
					f.mends = rounded(expr, name)
					f.text += fmt.Sprintf("; write %s(…)", name)
				}
			}
			all = append(all, f)
			return true
		})
	}
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			fn, ok := a.pass.TypesInfo.Uses[id].(*types.Func)
			if !ok || fn.Pkg() == nil || fn.Pkg() == a.pass.Pkg {
				return true
			}
			if s := new(summary); a.pass.ImportObjectFact(fn.Origin(), s) && len(s.Faults) > 0 {
				all = append(all, finding{pos: id.Pos(), end: id.End(), carries: true,
					text: fmt.Sprintf("%s.%s is not exact: %s", fn.Pkg().Name(), fn.Name(), s.Faults[0])})
			}
			return true
		})
	}
	return all
}

// export keeps the summaries of functions for the packages that import this one,
// with the first fault of each where it was not reported. What is accepted is no
// fault of callers either.
func (a *analyzer) export(findings []finding, accepted acceptances) {
	slices.SortFunc(findings, func(x, y finding) int { return int(x.pos - y.pos) })
	faults := map[*types.Func]string{}
	uses := map[*types.Func][]*types.Func{}
	var order []*types.Func
	for _, file := range a.pass.Files {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			fn := a.pass.TypesInfo.Defs[d.Name].(*types.Func)
			order = append(order, fn)
			for _, f := range findings {
				if f.carries && d.Pos() <= f.pos && f.pos < d.End() && faults[fn] == "" {
					text := f.text
					if !strings.Contains(text, "is not exact: ") {
						text = a.where(f.pos) + ": " + text
					} else {
						_, text, _ = strings.Cut(text, "is not exact: ")
					}
					faults[fn] = text
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if used, ok := a.pass.TypesInfo.Uses[id].(*types.Func); ok && used.Pkg() == a.pass.Pkg {
						uses[fn] = append(uses[fn], used.Origin())
					}
				}
				return true
			})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range order {
			for _, used := range uses[fn] {
				if faults[fn] == "" && faults[used] != "" {
					faults[fn], changed = faults[used], true
				}
			}
		}
	}
	vouched := func(s source) bool { return s.product != nil && accepted.covers(a.pass, finding{pos: s.product.Pos()}) }
	for f, s := range a.summaries {
		s.Returns = slices.DeleteFunc(s.Returns, func(f flow) bool { return vouched(f.Source) })
		s.Stores = slices.DeleteFunc(s.Stores, func(f flow) bool { return vouched(f.Source) })
		s.Conds = slices.DeleteFunc(s.Conds, func(p place) bool { return vouched(p.Source) })
		fn, ok := f.Object().(*types.Func)
		if !ok || fn.Pkg() != a.pass.Pkg || f.Parent() != nil {
			continue
		}
		if text := faults[fn]; text != "" {
			s.Faults = []string{text}
		}
		if a.noinline[fn] {
			s.Returns, s.Stores, s.Sums, s.Conds = nil, nil, nil, nil
		}
		if len(s.Returns)+len(s.Stores)+len(s.Sums)+len(s.Conds)+len(s.Faults) > 0 {
			a.pass.ExportObjectFact(fn, s.abroad())
		}
	}
}
