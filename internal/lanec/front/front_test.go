package front

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// compile compiles the function f of a package without imports.
func compile(t *testing.T, source string) error {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "own.go", "package own\n"+source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &Package{Funcs: map[types.Object]*ast.FuncDecl{}, Name: func(p *types.Package) string { return p.Name() }}
	p.Info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	p.Types, err = (&types.Config{Importer: importer.Default()}).Check("own", fset, []*ast.File{file}, p.Info)
	if err != nil {
		t.Fatal(err)
	}
	var f *ast.FuncDecl
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			p.Funcs[p.Info.Defs[fn.Name]] = fn
			f = fn
		}
	}
	_, err = Compile(p, f)
	return err
}

// TestCompile wants a kernel, or a problem with its place; what else there is to say and to refuse is in the tests of package lanec.
func TestCompile(t *testing.T) {
	if err := compile(t, "func f(x []float32) {\n\tfor i := range x {\n\t\tx[i]++\n\t}\n}"); err != nil {
		t.Error(err)
	}
	var p *Problem
	err := compile(t, "func f(x []float32) {\n\tfor i := range x {\n\t\tx[i] = 2*x[i] + 1\n\t}\n}")
	if !errors.As(err, &p) || p.Pos == 0 || p.Error() != p.Text {
		t.Errorf("got %v", err)
	}
}
