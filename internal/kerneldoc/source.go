package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A program is package kernels for one architecture.
type program struct {
	fset  *token.FileSet
	pkg   *types.Package
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl
}

// load parses and checks the package in dir for an architecture. It ignores
// imports, because no imported package chooses a kernel.
func load(dir, arch string) (*program, error) {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.BuildTags, ctx.ToolTags, ctx.CgoEnabled = "linux", arch, nil, nil, false
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	p := &program{fset: token.NewFileSet(), decls: map[*types.Func]*ast.FuncDecl{}}
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if ok, err := ctx.MatchFile(dir, name); err != nil {
			return nil, err
		} else if !ok || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	p.pkg, _ = config.Check("kernels", p.fset, files, p.info) // the errors are about imports
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := p.info.Defs[d.Name].(*types.Func); ok {
					p.decls[fn] = d
				}
			}
		}
	}
	return p, nil
}

// nothing is an importer that returns an empty package for each import.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// A kernel is an exported function that takes slices, or an exported method that
// takes slices or views.
type kernel struct {
	name, family string
	does         string // the first sentence of its comment, without the name
	comment      string // the whole comment
	fn           *types.Func
}

// plumbing is the name of a file. Its functions work on lanes but are not kernels for users.
const plumbing = "compiled.go"

// kernels returns the kernels in the order of the page: functions in the order
// of the source, methods by view.
func (p *program) kernels() (all []*kernel) {
	for fn, d := range p.decls {
		if !fn.Exported() || !takesLanes(fn) || filepath.Base(p.fset.Position(d.Pos()).Filename) == plumbing {
			continue
		}
		k := &kernel{name: fn.Name(), fn: fn}
		if recv := fn.Signature().Recv(); recv != nil {
			t, pointer := recv.Type().(*types.Pointer)
			of := recv.Type()
			if pointer {
				of = t.Elem()
			}
			name := of.(*types.Named).Obj()
			if !name.Exported() || pointer && !isView(name.Type()) { // without a pointer it has the parameters of a kernel, such as those of a potential
				continue
			}
			k.family, k.name = name.Name(), name.Name()+"."+fn.Name()
		} else {
			k.family = familyOf(fn, p.home(fn).Filename)
		}
		k.comment = d.Doc.Text()
		k.does = sentence(fn.Name(), d.Doc.Text())
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *kernel) int { return strings.Compare(p.place(a), p.place(b)) })
	return all
}

// place returns a sort key that consists of the file and the line.
func (p *program) place(k *kernel) string {
	at := p.home(k.fn)
	return fmt.Sprintf("%s:%06d", at.Filename, at.Line)
}

// home returns the position of a function in hand-written source. For a
// generated function, it returns the position of the generic body, which has
// the comment.
func (p *program) home(fn *types.Func) token.Position {
	at := p.decls[fn]
	if strings.HasSuffix(p.fset.Position(at.Pos()).Filename, "_gen.go") {
		for _, d := range p.decls {
			if !d.Name.IsExported() && d.Doc.Text() != "" && d.Doc.Text() == at.Doc.Text() && d.Recv == nil {
				at = d
			}
		}
	}
	place := p.fset.Position(at.Pos())
	place.Filename = filepath.Base(place.Filename)
	return place
}

var (
	docLink = regexp.MustCompile(`\[([A-Z]\w*(\.[A-Z]\w*)?)\]`)
	returns = regexp.MustCompile(`,? and returns [a-z]$`)
)

// sentence returns the first sentence of a kernel's comment without the kernel's
// name. It ends the sentence at a colon.
func sentence(name, comment string) string {
	s, _, _ := strings.Cut(new(doc.Package).Synopsis(comment), ": ")
	s = docLink.ReplaceAllString(strings.TrimPrefix(s, name+" "), "$1")
	return returns.ReplaceAllString(strings.TrimRight(s, ".,:"), "")
}

// isView reports whether a type is a view, which is a struct of lanes. Other
// types with methods are results of kernels.
func isView(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if _, ok := f.Type().Underlying().(*types.Slice); !ok {
			return false
		}
	}
	return true
}

// takesLanes reports whether a function works on lanes. It returns false for
// functions that only create a view.
func takesLanes(fn *types.Func) (takes bool) {
	for v := range fn.Signature().Params().Variables() {
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Pointer:
			takes = true
		case *types.Struct:
			takes = takes || isView(v.Type())
		}
	}
	for v := range fn.Signature().Results().Variables() {
		if fn.Signature().Recv() == nil && isView(v.Type()) {
			return false
		}
	}
	return takes
}

// families lists the families in the order of the page. Views that it does not list come last.
var families = []string{"arithmetic", "masks", "reductions", "functions", "rounded", "Vec2s", "Vec3s", "Vec4s", "Quats"}

// arithmetic lists files whose kernels belong to the family arithmetic. Kernels in these files
// that have operands or results of another family, for example masks, belong to that family.
var arithmetic = []string{"arith.go", "clamp.go", "convert.go", "elementwise.go", "gather.go", "prefix.go", "unary.go"}

// familyOf returns the family of a function on slices. Its type decides, or its
// file if the type does not.
func familyOf(fn *types.Func, file string) string {
	sig := fn.Signature()
	for v := range sig.Params().Variables() {
		if s, ok := v.Type().(*types.Slice); ok && types.Identical(s.Elem(), types.Typ[types.Uint64]) {
			return "masks"
		}
	}
	switch {
	case sig.Results().Len() > 0:
		return "reductions"
	case slices.Contains(arithmetic, file):
		return "arithmetic"
	case strings.HasPrefix(file, "rounded"): // also roundedpairs.go
		return "rounded"
	}
	return "functions"
}
