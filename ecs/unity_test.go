package ecs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleDirs maps the name of each package to the folder with its examples.
var exampleDirs = map[string]string{"ecs": ".", "blob": "blob", "app": "app", "system": "system", "transform": "transform", "render": "render", "jobs": "../jobs", "kernels": "../kernels"}

// TestUnity checks the table of names for users of Unity's DOTS. Each row must name an existing example,
// and the file of the example must use the name.
func TestUnity(t *testing.T) {
	page, err := os.ReadFile("../docs/unity.md")
	must(t, err)
	row := regexp.MustCompile("(?m)^\\| [^|`]+ \\| `([A-Za-z0-9.]+)` \\| `(\\w+)\\.(Example\\w*)` \\|$")
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 80 {
		t.Errorf("the table has %d rows", len(rows))
	}
	table, _, _ := strings.Cut(string(page), "## What is not there")
	if lines := strings.Count(table, "\n| ") - 2*strings.Count(table, "| DOTS |"); lines != len(rows) {
		t.Errorf("%d rows of %d are not of the form: name | `name` | `package.Example`", lines-len(rows), lines)
	}
	files := map[string][]*ast.File{}
	for pkg, dir := range exampleDirs {
		files[pkg] = exampleFiles(t, dir)
	}
	for _, r := range rows {
		name, pkg, example := r[1], r[2], r[3]
		path := strings.Split(name, ".")
		found := false
		for _, f := range files[pkg] {
			if f.Scope.Lookup(example) == nil {
				continue
			}
			if found = true; !mentions(f, path[len(path)-1]) {
				t.Errorf("%s does not use %s", r[2]+"."+example, name)
			}
		}
		if !found {
			t.Errorf("%s: there is no %s.%s", name, pkg, example)
		}
	}
}

// exampleFiles returns the files of a folder that have examples.
func exampleFiles(t *testing.T, dir string) (files []*ast.File) {
	names, err := filepath.Glob(filepath.Join(dir, "*example*_test.go"))
	must(t, err)
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		must(t, err)
		files = append(files, f)
	}
	return files
}

// mentions reports whether an identifier occurs in a file.
func mentions(f *ast.File, name string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
