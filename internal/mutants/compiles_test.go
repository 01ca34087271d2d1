package main

import (
	"flag"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

var full = flag.Bool("lanewise.full", false, "also check the types of all mutants: make full")

// TestCompiles checks that the mutants of Go files compile. If a name was changed in the code but not in the list, only the
// nightly run that tries the mutant would fail otherwise. By default, it checks only the syntax.
func TestCompiles(t *testing.T) {
	list, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	c := compiler{fset, importer.ForCompiler(fset, "source", nil)}
	for _, m := range list {
		if path.Ext(m.file) != ".go" || m.arch != "" {
			continue
		}
		name := filepath.Join(root, m.file)
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := m.apply(string(source))
		if err != nil {
			t.Fatal(err)
		}
		if *full {
			err = c.check(name, text, m.anchor)
		} else {
			_, err = parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		}
		if err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// A compiler checks the types of packages.
type compiler struct {
	fset *token.FileSet
	deps types.Importer
}

// check compiles the package of a file whose text was changed. It omits the bodies of all functions except the changed
// function.
func (c *compiler) check(name, text, anchor string) error {
	pkg, err := build.ImportDir(filepath.Dir(name), 0)
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, other := range pkg.GoFiles {
		other = filepath.Join(pkg.Dir, other)
		var source any
		if other == name {
			source = text
		}
		file, err := parser.ParseFile(c.fset, other, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && (other != name || !declaresName(fn, anchor)) {
				fn.Body = nil
			}
		}
		files = append(files, file)
	}
	var first error
	conf := types.Config{Importer: c.deps, FakeImportC: true, Error: func(err error) {
		// Ignore the errors that omitted bodies cause: unused imports, and functions without a body.
		if text := err.Error(); first == nil && !strings.Contains(text, "and not used") && !strings.Contains(text, "missing function body") && !strings.Contains(text, "func init must") {
			first = err
		}
	}}
	_, _ = conf.Check(pkg.Dir, c.fset, files, nil) // Error receives each error
	return first
}
