package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// apply returns the text of a file with the mutant applied.
func (m *mutant) apply(source string) (string, error) {
	from, to, err := m.part(source)
	if err != nil {
		return "", err
	}
	pattern, err := loosePattern(m.old)
	if err != nil {
		return "", err
	}
	at := pattern.FindAllStringIndex(source[from:to], -1)
	if len(at) != 1 {
		return "", fmt.Errorf("%s: its text occurs %d times in %s, %s; want once", m, len(at), m.file, m.anchor)
	}
	mutated := source[:from+at[0][0]] + strings.TrimSpace(strings.Join(m.new, "\n")) + source[from+at[0][1]:]
	if mutated == source {
		return "", fmt.Errorf("%s: changes nothing", m)
	}
	return mutated, nil
}

// loosePattern returns a pattern that matches the given lines with any indentation.
func loosePattern(lines []string) (*regexp.Regexp, error) {
	quoted := make([]string, len(lines))
	for i, line := range lines {
		quoted[i] = regexp.QuoteMeta(strings.TrimSpace(line))
	}
	return regexp.Compile(strings.Join(quoted, `[ \t]*\n[ \t]*`))
}

// part finds the code that the mutant's anchor names. In Go, an anchor is a
// function, a method as Type.Name, or another declaration. In assembly, it is
// a TEXT or a #define. In a page, it is a heading. The anchor * means the
// whole file.
func (m *mutant) part(source string) (from, to int, err error) {
	if m.anchor == "*" {
		return 0, len(source), nil
	}
	switch path.Ext(m.file) {
	case ".go":
		from, to, err = declaration(source, m.anchor)
	case ".s", ".h":
		from, to = section(source, `(?m)^(?:TEXT ·|#define )`, m.anchor)
	case ".md":
		from, to = section(source, `(?m)^#+ `, m.anchor)
	}
	if err == nil && to == 0 {
		err = fmt.Errorf("there is no %s", m.anchor)
	}
	if err != nil {
		err = fmt.Errorf("%s: %s: %w", m, m.file, err)
	}
	return from, to, err
}

// declaration finds a top-level declaration of Go.
func declaration(source, name string) (from, to int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, decl := range f.Decls {
		if declaresName(decl, name) {
			if to > 0 {
				return 0, 0, fmt.Errorf("there are two of %s", name)
			}
			from, to = fset.Position(decl.Pos()).Offset, fset.Position(decl.End()).Offset
		}
	}
	return from, to, nil
}

// declaresName reports whether a declaration declares a name.
func declaresName(decl ast.Decl, name string) bool {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name == name
		}
		return receiver(d.Recv.List[0].Type)+"."+d.Name.Name == name
	case *ast.GenDecl:
		return slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool { return specifiesName(spec, name) })
	}
	return false
}

// specifiesName reports whether a part of a declaration declares a name.
func specifiesName(spec ast.Spec, name string) bool {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Name.Name == name
	case *ast.ValueSpec:
		return slices.ContainsFunc(s.Names, func(n *ast.Ident) bool { return n.Name == name })
	}
	return false
}

// receiver returns the name of the type of a method's receiver.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// section finds the text that begins with a head followed by a name, and ends
// at the next head.
func section(source, head, name string) (from, to int) {
	start := regexp.MustCompile(head + regexp.QuoteMeta(name) + `(?:[(\s]|$)`).FindStringIndex(source)
	if start == nil {
		return 0, 0
	}
	next := regexp.MustCompile(head).FindStringIndex(source[start[1]:])
	if next == nil {
		return start[0], len(source)
	}
	return start[0], start[1] + next[0]
}
