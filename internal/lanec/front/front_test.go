package front

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain gives the importer the directory of Go, which a program that was compiled with -trimpath does not know.
func TestMain(m *testing.M) {
	if build.Default.GOROOT == "" {
		if dir, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
			build.Default.GOROOT = strings.TrimSpace(string(dir))
		}
	}
	os.Exit(m.Run())
}

// compile compiles the function f of a package without imports.
func compile(t *testing.T, source string) error {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "own.go", "package own\nimport \"math\"\nvar _ = math.Pi\n"+source, parser.SkipObjectResolution)
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

// TestCompile checks that the front end returns a kernel, or a problem with its position. The tests of
// package lanec cover all messages and refusals.
func TestCompile(t *testing.T) {
	if err := compile(t, "func f(x []float32) {\n\tfor i := range x {\n\t\tx[i]++\n\t}\n}"); err != nil {
		t.Error(err)
	}
	var p *Problem
	err := compile(t, "func f(x []float32) {\n\tfor i := range x {\n\t\tx[i] = 3*x[i] + 1\n\t}\n}")
	if !errors.As(err, &p) || p.Pos == 0 || p.Error() != p.Text {
		t.Errorf("got %v", err)
	}
}

// TestAllProducts checks that each product that Go may fuse with a sum is reported once and in
// order, even in helpers. The error that stops the translation must come last.
func TestAllProducts(t *testing.T) {
	err := compile(t, `
func g(a, b float64) float64 { return a*b + 1 }

func f(x, y []float64) {
	for i := range x {
		s := 3*x[i] - y[i]*5
		for range 2 {
			s = s*s + 1
		}
		x[i] = g(s, s) + 1
		y[i] = math.Gamma(s)
	}
}`[1:])
	var list Problems
	if !errors.As(err, &list) || len(list) != 5 {
		t.Fatalf("got %v", err)
	}
	for i, p := range list {
		if product := strings.HasPrefix(p.Text, "this product meets a sum"); product != (i < 4) || i > 0 && p.Pos <= list[i-1].Pos {
			t.Errorf("%d: at %d: %s", i, p.Pos, p.Text)
		}
	}
}

// TestChain compiles floats whose value depends on sixty conditions, in sequence and nested. Both
// branches of each condition use the previous value of the float. So the compiler must visit each
// value only once. Otherwise the time grows exponentially.
func TestChain(t *testing.T) {
	one := "\t\tif y[i] > J {\n\t\t\tv = -v\n\t\t}\n"
	var row, nest strings.Builder
	for j := range 60 {
		row.WriteString(strings.ReplaceAll(one, "J", strconv.Itoa(j)))
		fmt.Fprintf(&nest, "if y[i] > %d {\nv = -v\n", j)
	}
	twice := row.String() + row.String() // each is checked again after the others
	for name, body := range map[string]string{
		"in a row":            row.String(),
		"in each other":       nest.String() + strings.Repeat("}\n", 60),
		"twice":               twice,
		"twice, with numbers": "if v != v {\nv = 0\n}\n" + twice,
	} {
		for bits, want := range map[string]string{"v": "", "v + z": "the bits of a number that is computed"} {
			now := time.Now()
			err := compile(t, "func f(x, y []float32, k []uint32, z float32) {\n\tfor i := range x {\n\t\tv := x[i]\n"+body+
				"\t\tx[i] = v\n\t\tv = "+bits+"\n"+body+"\t\tk[i] = math.Float32bits(v)\n\t}\n}")
			if took := time.Since(now); took > time.Second {
				t.Errorf("%s: %s took %v", name, bits, took)
			}
			if name == "twice, with numbers" {
				want = "" // a NaN is replaced before any of them
			}
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: got %v, want %q", name, bits, err, want)
			}
		}
	}
}
