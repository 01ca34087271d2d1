package transform_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	_ "github.com/lanewise/lanewise/ecs/transform"
)

// known holds the names of the components of a program that only imports the package. The list is
// computed when the test program is initialized, before any test runs.
var known = func() (list []string) {
	for _, c := range ecs.ComponentTypes() {
		if name, ok := strings.CutPrefix(c.Name, "github.com/lanewise/lanewise/ecs/transform."); ok {
			list = append(list, name)
		}
	}
	return list
}()

// Importing the package registers each of its components, that is, all types with a Column.
func TestImportMakesKnown(t *testing.T) {
	dir, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range dir {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Name.Name != "Column" || m.Recv == nil {
				continue
			}
			typ, args := m.Recv.List[0].Type, []string{""}
			switch own := typ.(type) {
			case *ast.IndexExpr:
				typ, args = own.X, []string{"[float32]", "[float64]"}
			}
			id, ok := typ.(*ast.Ident)
			if !ok || !id.IsExported() {
				continue
			}
			for _, a := range args {
				if n++; !slices.Contains(known, id.Name+a) {
					t.Errorf("%s%s is not registered", id.Name, a)
				}
			}
		}
	}
	if n < 18 {
		t.Errorf("%d components were looked for", n)
	}
}
