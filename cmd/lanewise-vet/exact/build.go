package exact

import (
	"go/ast"
	"go/types"
	"maps"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// rounding is the name of a builtin function that represents a conversion to a
// floating-point type. It is imag, because no program can call imag with a
// floating-point operand.
const rounding = "imag"

// build returns the package in SSA form. If an operand already has the type of
// a conversion, the SSA builder drops the conversion. But the conversion
// forbids fusing, so build replaces it by a call of a builtin function.
func build(pass *analysis.Pass) *ssa.Package {
	info := *pass.TypesInfo
	info.Types, info.Uses = maps.Clone(info.Types), maps.Clone(info.Uses)
	builtin := types.Universe.Lookup(rounding)
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !info.Types[call.Fun].IsType() {
				return true
			}
			from, to := info.TypeOf(call.Args[0]), info.TypeOf(call)
			if !number(from) || !number(to) {
				return true
			}
			name, _ := ast.Unparen(call.Fun).(*ast.Ident)
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				name = sel.Sel
			}
			if name == nil {
				return true // an instance of a generic type: the builder emits a ChangeType, or drops it
			}
			param, result := types.NewVar(call.Pos(), pass.Pkg, "", from), types.NewVar(call.Pos(), pass.Pkg, "", to)
			as := types.TypeAndValue{Type: types.NewSignatureType(nil, nil, nil, types.NewTuple(param), types.NewTuple(result), false)}
			for e := call.Fun; ; {
				info.Types[e] = as
				paren, ok := e.(*ast.ParenExpr)
				if !ok {
					break
				}
				e = paren.X
			}
			info.Types[name], info.Uses[name] = as, builtin
			return true
		})
	}
	prog := ssa.NewProgram(pass.Fset, 0)
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, &info, false)
	pkg.Build()
	return pkg
}

// functions returns the functions in the source of the package, including
// function literals.
func functions(pass *analysis.Pass, pkg *ssa.Package) (all []*ssa.Function) {
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		all = append(all, f)
		for _, anon := range f.AnonFuncs {
			add(anon)
		}
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok {
				if f := pkg.Prog.FuncValue(pass.TypesInfo.Defs[d.Name].(*types.Func)); f != nil {
					add(f)
				}
			}
		}
	}
	if f := pkg.Func("init"); f != nil { // the values of package variables
		add(f)
	}
	return all
}

// inexact reports whether values of a type are, or may be, floating-point
// numbers. A type parameter without a list of types may be a number, and an
// interface may hold a number.
func inexact(t types.Type) bool { return number(t) || open(t) }

// open reports whether a type is an interface, or a type parameter whose
// constraint lists no types, such as any or comparable.
func open(t types.Type) bool {
	if t == nil {
		return false
	}
	i, ok := t.Underlying().(*types.Interface) // for a type parameter this is its constraint
	return ok && !listsTypes(i)
}

// listsTypes reports whether a constraint lists the types that satisfy it.
func listsTypes(i *types.Interface) bool {
	for n := range i.NumEmbeddeds() {
		embedded, ok := i.EmbeddedType(n).Underlying().(*types.Interface)
		if !ok || listsTypes(embedded) {
			return true
		}
	}
	return false
}

// core returns the underlying type of t. For a type parameter such as S ~[]E it
// returns the common underlying type of all types that satisfy it, or nil.
func core(t types.Type) (u types.Type) {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	same := true
	var walk func(t types.Type)
	walk = func(t types.Type) {
		if t, ok := t.(*types.Union); ok {
			for n := range t.Len() {
				walk(t.Term(n).Type())
			}
			return
		}
		if i, ok := t.Underlying().(*types.Interface); ok {
			for n := range i.NumEmbeddeds() {
				walk(i.EmbeddedType(n))
			}
			return
		}
		same = same && (u == nil || types.Identical(u, t.Underlying()))
		u = t.Underlying()
	}
	walk(tp.Constraint())
	if !same {
		return nil
	}
	return u
}

// number reports whether the values of a type are floating-point or complex
// numbers.
func number(t types.Type) bool { return has(t, types.IsFloat|types.IsComplex) }

func isComplex(t types.Type) bool { return has(t, types.IsComplex) }

func has(t types.Type, what types.BasicInfo) bool {
	if t == nil {
		return false
	}
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return termHas(u.Constraint(), what)
	default:
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&what != 0
	}
}

// termHas reports whether a constraint allows a type of the given kind.
func termHas(t types.Type, what types.BasicInfo) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		for i := range u.NumEmbeddeds() {
			if termHas(u.EmbeddedType(i), what) {
				return true
			}
		}
	case *types.Union:
		for i := range u.Len() {
			if termHas(u.Term(i).Type(), what) {
				return true
			}
		}
	case *types.Basic:
		return u.Info()&what != 0
	}
	return false
}
