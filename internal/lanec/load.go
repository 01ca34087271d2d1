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
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/front"
)

// directive begins the comment that marks a function to compile. The name of
// the function for users follows it in the comment.
const directive = "//lanec:kernel"

// prefix is the prefix of generated files, which are not read.
const prefix = "lanec_"

// A source is a package before its kernels are compiled.
type source struct {
	dir   string
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
	funcs map[types.Object]*ast.FuncDecl
	vars  map[types.Object]ast.Expr // of other packages
	built map[string]compiled       // all imported packages, by path
	read  map[string]*types.Package // imported packages whose source was read
	marks []mark
	wrong []types.Error // errors of the type checker; calls of functions that are not generated yet are among them
}

// A compiled describes an imported package: the name of the file with its export data,
// and the directory of its source.
type compiled struct{ export, dir string }

// A mark is a function with a directive.
type mark struct {
	fn        *ast.FuncDecl
	public    string
	at        token.Pos
	object    *types.Func
	elem      types.Type       // the type argument, or nil if the function is not generic
	signature *types.Signature // the signature with that type argument
}

// load reads the package in a directory and finds its directives.
func load(dir string) (*source, error) {
	s, err := read(dir, func(name string) bool { return !strings.HasPrefix(name, prefix) })
	if err != nil {
		return nil, err
	}
	return s, s.find()
}

// read reads the wanted files of the package in a directory, after it has
// applied build tags.
func read(dir string, want func(name string) bool, tags ...string) (*source, error) {
	context := build.Default
	context.BuildTags = append(slices.Clone(context.BuildTags), tags...)
	found, err := context.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	s := &source{
		dir: dir, fset: token.NewFileSet(), funcs: map[types.Object]*ast.FuncDecl{},
		vars: map[types.Object]ast.Expr{}, read: map[string]*types.Package{},
	}
	imports := map[string]bool{}
	for _, name := range found.GoFiles {
		if !want(name) {
			continue
		}
		f, err := parser.ParseFile(s.fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			imports[path] = true
		}
	}
	if s.built, err = exportData(dir, slices.Sorted(maps.Keys(imports))); err != nil {
		return nil, err
	}
	s.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	s.types = s.check(found.Name, s.files, func(e types.Error) { s.wrong = append(s.wrong, e) })
	s.recordFunctions(s.files)
	return s, nil
}

// recordFunctions records the functions of files by their objects.
func (s *source) recordFunctions(files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
				s.funcs[s.info.Defs[fn.Name]] = fn
			}
		}
	}
}

// recordVariables records the initial values of variables.
func (s *source) recordVariables(files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				if v := spec.(*ast.ValueSpec); len(v.Values) == len(v.Names) {
					for i, id := range v.Names {
						s.vars[s.info.Defs[id]] = v.Values[i]
					}
				}
			}
		}
	}
}

// other reads the source of an imported package, with the files for CPUs without assembly.
func (s *source) other(path string) (*types.Package, error) {
	if p := s.read[path]; p != nil {
		return p, nil
	}
	context := build.Default
	context.BuildTags = append(slices.Clone(context.BuildTags), "purego")
	found, err := context.ImportDir(s.built[path].dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(s.fset, filepath.Join(found.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p := s.check(path, files, func(types.Error) {}) // problems are reported where such a function is called
	s.recordFunctions(files)
	s.recordVariables(files)
	s.read[path] = p
	return p, nil
}

// exportData asks the go command for the export data of packages and their
// imports.
func exportData(dir string, imports []string) (map[string]compiled, error) {
	exports := map[string]compiled{}
	if len(imports) == 0 {
		return exports, nil
	}
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}", "--"}, imports...)...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, text.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		exports[part[0]] = compiled{part[1], part[2]}
	}
	return exports, nil
}

// check type-checks files, and continues after errors.
func (s *source) check(name string, files []*ast.File, wrong func(types.Error)) *types.Package {
	open := func(path string) (io.ReadCloser, error) {
		if s.built[path].export == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(s.built[path].export)
	}
	conf := types.Config{Importer: importer.ForCompiler(s.fset, "gc", open), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			wrong(e)
		}
	}}
	p, _ := conf.Check(name, s.fset, files, s.info) // its error is the first of the recorded ones
	return p
}

// front returns the package in the form that the front end needs.
func (s *source) front(name types.Qualifier, elem types.Type) *front.Package {
	return &front.Package{Info: s.info, Types: s.types, Funcs: s.funcs, Vars: s.vars, Name: name, Elem: elem, Import: s.other}
}

// find looks for directives.
func (s *source) find() error {
	var faults []error
	for _, f := range s.files {
		meant := map[token.Pos]bool{}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, m := range markedBy(fn) {
				meant[m.at] = true
				if err := s.mark(&m); err != nil {
					faults = append(faults, err)
				} else {
					s.marks = append(s.marks, m)
				}
			}
		}
		faults = append(faults, s.findStrays(f, meant)...)
	}
	if len(s.marks) == 0 && len(faults) == 0 {
		return fmt.Errorf("%s: no function has a line %s Name above it", s.dir, directive)
	}
	return errors.Join(faults...)
}

// likeDirective matches a comment that is, or resembles, a directive of lanec.
var likeDirective = regexp.MustCompile(`^//\s*lanec\s*:\s*\w+(\s+\w+(\[\w+\])?)?\s*$`)

// findStrays returns an error for each comment in a file that looks like a directive
// but does not belong to a function.
func (s *source) findStrays(f *ast.File, meant map[token.Pos]bool) (faults []error) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if likeDirective.MatchString(c.Text) && !meant[c.Pos()] {
				faults = append(faults, s.fault(c.Pos(), "%s is no directive of a function: write %s Name at the end of the comment right above it", c.Text, directive))
			}
		}
	}
	return faults
}

// mark checks a directive, and finds its function.
func (s *source) mark(m *mark) error {
	name, arg, typed := strings.Cut(strings.TrimSuffix(m.public, "]"), "[")
	switch {
	case !token.IsIdentifier(name) || typed != strings.HasSuffix(m.public, "]"):
		return s.fault(m.at, "%s needs the name of the function to be written: %s Name", directive, directive)
	case s.types.Scope().Lookup(name) != nil:
		return s.fault(m.at, "%s is declared at %v: give the kernel another name", name, s.fset.Position(s.types.Scope().Lookup(name).Pos()))
	case slices.ContainsFunc(s.marks, func(o mark) bool { return o.public == name }):
		return s.fault(m.at, "two kernels are called %s", name)
	}
	m.public = name
	m.object, _ = s.info.Defs[m.fn.Name].(*types.Func)
	if m.object == nil {
		return nil // a type error, which is reported elsewhere
	}
	m.signature = m.object.Signature()
	if !typed {
		return nil
	}
	t, ok := types.Universe.Lookup(arg).(*types.TypeName)
	switch n := m.signature.TypeParams().Len(); {
	case !ok:
		return s.fault(m.at, "%s[%s]: %s is no type of numbers, such as float32", name, arg, arg)
	case n != 1:
		return s.fault(m.at, "%s[%s]: %s has %d type parameters, and not one", name, arg, m.fn.Name.Name, n)
	}
	m.elem = t.Type()
	typ, err := types.Instantiate(nil, m.signature, []types.Type{m.elem}, true)
	if err != nil {
		return s.fault(m.at, "%s[%s]: %v", name, arg, err)
	}
	m.signature = typ.(*types.Signature)
	return nil
}

// markedBy returns the directives of a function.
func markedBy(fn *ast.FuncDecl) (found []mark) {
	if fn.Doc == nil {
		return nil
	}
	for _, c := range fn.Doc.List {
		if rest, ok := strings.CutPrefix(c.Text, directive); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			found = append(found, mark{fn: fn, public: strings.TrimSpace(rest), at: c.Pos()})
		}
	}
	return found
}

// fault returns an error at a position of the source.
func (s *source) fault(at token.Pos, format string, args ...any) error {
	where := s.fset.Position(at)
	if rel, err := filepath.Rel(s.dir, where.Filename); err == nil {
		where.Filename = filepath.Join(s.dir, rel)
	}
	return fmt.Errorf("%v: %s", where, fmt.Sprintf(format, args...))
}

// typeErrors returns the type errors, except for calls of functions that are not
// generated yet.
func (s *source) typeErrors() error {
	var faults []error
	for _, e := range s.wrong {
		missing := func(m mark) bool { return e.Msg == "undefined: "+m.public }
		if !slices.ContainsFunc(s.marks, missing) {
			faults = append(faults, s.fault(e.Pos, "this does not compile: %s", e.Msg))
		}
	}
	return errors.Join(faults...)
}
