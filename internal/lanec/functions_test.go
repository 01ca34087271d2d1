package lanec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// addFunctions writes a kernel and its test for each function of package kernels that works on one
// row: its name ends in Of, and its arguments and result have one type. A new function of package
// kernels is therefore tested without a change in lanec. The functions that exist only for float32 are similar to each
// other, so without -lanewise.full only two of them are tested.
func addFunctions(t *testing.T, files map[string]string) {
	t.Helper()
	paths, err := filepath.Glob("../../kernels/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var kernels, tests strings.Builder
	found := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || !strings.HasSuffix(fn.Name.Name, "Of") {
				continue
			}
			if single := fn.Type.TypeParams == nil; single && (!strings.HasSuffix(fn.Name.Name, "RoundedOf") ||
				!*full && fn.Name.Name != "SinRoundedOf" && fn.Name.Name != "HypotRoundedOf") {
				continue
			}
			found++
			addFunction(&kernels, &tests, fn)
		}
	}
	if found < 2 {
		t.Fatalf("%d functions of one row", found)
	}
	files["each.go"] = "package own\n\nimport \"github.com/lanewise/lanewise/kernels\"\n" + kernels.String()
	files["each_test.go"] = "package own\n\nimport (\n\t\"testing\"\n\n\t\"github.com/lanewise/lanewise/kernels/kerneltest\"\n)\n\nfunc TestEach(t *testing.T) {\n" + tests.String() + "}\n"
}

func addFunction(kernels, tests *strings.Builder, fn *ast.FuncDecl) {
	lanes := func(prefix string, list *ast.FieldList) (names []string) {
		for range list.NumFields() {
			names = append(names, fmt.Sprint(prefix, len(names)))
		}
		return names
	}
	at := func(names []string) string { return strings.Join(names, "[i], ") + "[i]" }
	name := fn.Name.Name
	in, out := lanes("x", fn.Type.Params), lanes("y", fn.Type.Results)
	all := strings.Join(append(out, in...), ", ")
	widths := []string{"32", "64"}
	if fn.Type.TypeParams == nil {
		widths = widths[:1]
		fmt.Fprintf(kernels, "\n//lanec:kernel Each%s32\nfunc each%[1]s(%s []float32) {\n", name, all)
	} else {
		fmt.Fprintf(kernels, "\n//lanec:kernel Each%[1]s32[float32]\n//lanec:kernel Each%[1]s64[float64]\nfunc each%[1]s[T kernels.Float](%[2]s []T) {\n", name, all)
	}
	fmt.Fprintf(kernels, "\tfor i := range y0 {\n\t\t%[1]s = kernels.%[2]s(%[3]s)\n\t}\n}\n", at(out), name, at(in))
	for _, width := range widths {
		lane := strings.Repeat(", kerneltest.Lane[float"+width+"](in)", len(in)+len(out))[2:]
		fmt.Fprintf(tests, "\tkerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {\n\t\t%[1]s := %[2]s\n\t\treturn func() { each%[3]s(%[1]s) }, func() { Each%[3]s%[4]s(%[1]s) }\n\t})\n",
			all, lane, name, width)
	}
}
