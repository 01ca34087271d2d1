package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
)

// A signature holds the parameters and results of a function. T stands for the
// element type.
type signature struct {
	params []param
	result string
	doc    string // the lines above it
	front  bool   // whether the directive is among them
	single bool   // whether the function has no type parameter and is for float32 only; then T stands for float32
}

// A param is one parameter.
type param struct{ name, typ string }

// lane returns the expression for the first lane of the parameters. The length of this lane is the
// number of rows.
func (s signature) lane() string {
	for _, p := range s.params {
		elem, pointer := strings.CutPrefix(p.typ, "*")
		switch {
		case pointer && strings.HasPrefix(elem, "Mat4s["):
			return p.name + ".M"
		case pointer:
			return p.name + ".X"
		case strings.HasPrefix(elem, "[][]"):
			return p.name + "[0]"
		case strings.HasPrefix(elem, "[]"):
			return p.name
		}
	}
	return ""
}

// readBodies returns the signatures of all generic functions of package kernels, and of the bodies that are for
// float32 only.
func readBodies(dir string) (map[string]signature, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	bodies := map[string]signature{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_gen.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			single := fn.Type.TypeParams == nil
			if !single || strings.HasSuffix(fn.Name.Name, "Generic") {
				sig := signatureOf(fn.Type)
				if sig.single = single; single {
					for i, p := range sig.params {
						sig.params[i].typ = strings.ReplaceAll(p.typ, "float32", "T")
					}
				}
				sig.doc = linesOf(fn.Doc)
				sig.front = strings.HasSuffix(sig.doc, directive)
				bodies[fn.Name.Name] = sig
			}
		}
	}
	return bodies, nil
}

// linesOf returns a comment with the same line breaks as in the source.
func linesOf(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	var lines []string
	for _, c := range doc.List {
		lines = append(lines, c.Text)
	}
	return strings.Join(lines, "\n")
}

func signatureOf(t *ast.FuncType) (s signature) {
	for _, p := range t.Params.List {
		for _, name := range p.Names {
			s.params = append(s.params, param{name.Name, types.ExprString(p.Type)})
		}
	}
	if t.Results != nil && len(t.Results.List) == 1 {
		s.result = types.ExprString(t.Results.List[0].Type)
	}
	return s
}

// parse parses a signature that the table contains, for example (x []T) int.
func parse(text string) (s signature, err error) {
	e, err := parser.ParseExpr("func" + text)
	if err != nil {
		return s, fmt.Errorf("%s: %w", text, err)
	}
	return signatureOf(e.(*ast.FuncType)), nil
}

var letter = regexp.MustCompile(`\bT\b`)

// elements returns the element types of a function.
func (s signature) elements() []element {
	if s.single {
		return elements[:1]
	}
	return elements
}

// replaceT returns a type with T replaced by the element type.
func (e element) replaceT(typ string) string { return letter.ReplaceAllString(typ, e.typ) }

// text returns the parameters and the result as Go source, for one element type.
func (s signature) text(e element) string {
	var b strings.Builder
	b.WriteString("(")
	for i, p := range s.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name)
		if i+1 == len(s.params) || s.params[i+1].typ != p.typ {
			b.WriteString(" " + e.replaceT(p.typ))
		}
	}
	b.WriteString(")")
	if s.result != "" {
		b.WriteString(" " + e.replaceT(s.result))
	}
	return b.String()
}

// args returns the parameters as arguments of a call.
func (s signature) args() string {
	names := make([]string, len(s.params))
	for i, p := range s.params {
		names[i] = p.name
	}
	return "(" + strings.Join(names, ", ") + ")"
}
