package lanec

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// directive is what stands above a function that is to be compiled, before the name of the function that users call.
const directive = "//lanec:kernel"

// prefix is that of all files that are written, which are not read.
const prefix = "lanec_"

// A source is a package before its kernels are compiled.
type source struct {
	dir   string
	fset  *token.FileSet
	types *types.Package
	info  *types.Info
	funcs map[types.Object]*ast.FuncDecl
	marks []mark
	wrong []types.Error // what the compiler would say; calls of what is yet to be written are among it
}

// A mark is a function with a directive.
type mark struct {
	fn     *ast.FuncDecl
	public string
	at     token.Pos
}

// load reads the package in a directory.
func load(dir string) (*source, error) {
	found, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	s := &source{dir: dir, fset: token.NewFileSet(), funcs: map[types.Object]*ast.FuncDecl{}}
	var files []*ast.File
	imports := map[string]bool{}
	for _, name := range found.GoFiles {
		if strings.HasPrefix(name, prefix) {
			continue
		}
		f, err := parser.ParseFile(s.fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			imports[path] = true
		}
	}
	exports, err := exported(dir, slices.Sorted(maps.Keys(imports)))
	if err != nil {
		return nil, err
	}
	s.check(found.Name, files, exports)
	return s, s.find(files)
}

// exported asks the go command where it has compiled packages to, and what they import.
func exported(dir string, imports []string) (map[string]string, error) {
	exports := map[string]string{}
	if len(imports) == 0 {
		return exports, nil
	}
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "--"}, imports...)...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, text.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	return exports, nil
}

// check finds the types of what can be compiled.
func (s *source) check(name string, files []*ast.File, exports map[string]string) {
	s.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	open := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(exports[path])
	}
	conf := types.Config{Importer: importer.ForCompiler(s.fset, "gc", open), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			s.wrong = append(s.wrong, e)
		}
	}}
	s.types, _ = conf.Check(name, s.fset, files, s.info) // its error is the first of s.wrong
}

// find looks for functions and directives.
func (s *source) find(files []*ast.File) error {
	var faults []error
	public := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fn.Recv == nil && fn.Body != nil {
				s.funcs[s.info.Defs[fn.Name]] = fn
			}
			m, ok := marked(fn)
			if !ok {
				continue
			}
			switch {
			case !token.IsIdentifier(m.public):
				faults = append(faults, s.fault(m.at, "%s needs the name of the function to be written: %s Name", directive, directive))
			case s.types.Scope().Lookup(m.public) != nil:
				faults = append(faults, s.fault(m.at, "%s is declared at %v: give the kernel another name", m.public, s.fset.Position(s.types.Scope().Lookup(m.public).Pos())))
			case public[m.public]:
				faults = append(faults, s.fault(m.at, "two kernels are called %s", m.public))
			default:
				public[m.public] = true
				s.marks = append(s.marks, m)
			}
		}
	}
	if len(s.marks) == 0 && len(faults) == 0 {
		return fmt.Errorf("%s: no function has a line %s Name above it", s.dir, directive)
	}
	return errors.Join(faults...)
}

// marked returns the directive of a function.
func marked(fn *ast.FuncDecl) (m mark, ok bool) {
	if fn.Doc == nil {
		return m, false
	}
	for _, c := range fn.Doc.List {
		if rest, ok := strings.CutPrefix(c.Text, directive); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return mark{fn, strings.TrimSpace(rest), c.Pos()}, true
		}
	}
	return m, false
}

// fault is an error at a place of the source.
func (s *source) fault(at token.Pos, format string, args ...any) error {
	where := s.fset.Position(at)
	if rel, err := filepath.Rel(s.dir, where.Filename); err == nil {
		where.Filename = filepath.Join(s.dir, rel)
	}
	return fmt.Errorf("%v: %s", where, fmt.Sprintf(format, args...))
}

// broken returns what does not compile, but for calls of what is yet to be written.
func (s *source) broken() error {
	var faults []error
	for _, e := range s.wrong {
		missing := func(m mark) bool { return e.Msg == "undefined: "+m.public }
		if !slices.ContainsFunc(s.marks, missing) {
			faults = append(faults, s.fault(e.Pos, "this does not compile: %s", e.Msg))
		}
	}
	return errors.Join(faults...)
}
