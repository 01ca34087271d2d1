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

// TestCompiles checks that the mutants of Go files compile. A name that was changed in the code and not in the list would otherwise be found
// on the night that tries the mutant. By default it checks the syntax alone.
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

// check compiles the package of a file that has another text. It omits the bodies of all functions but the changed one.
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
		// Most imports are used in bodies that were omitted, and functions without bodies are not assembly.
		if text := err.Error(); first == nil && !strings.Contains(text, "and not used") && !strings.Contains(text, "missing function body") && !strings.Contains(text, "func init must") {
			first = err
		}
	}}
	_, _ = conf.Check(pkg.Dir, c.fset, files, nil) // Error receives each error
	return first
}
