package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A Package is a type-checked package.
type Package struct {
	Info  *types.Info
	Types *types.Package
	Funcs map[types.Object]*ast.FuncDecl // without methods
	Vars  map[types.Object]ast.Expr      // constant values of variables in packages of the library
	Name  types.Qualifier                // names of other packages in the generated code
	Elem  types.Type                     // type argument of the kernel; nil if it has no type parameter
	Frame bool                           // arguments are in the frame of the call

	// Import reads the source of another package. It adds the contents to Info,
	// Funcs and Vars.
	Import func(path string) (*types.Package, error)
}

// source is the program as the type checker knows it. It knows nothing of
// values.
type source struct {
	pkg     *Package
	elem    types.Type             // type argument of the code that is being translated, or nil
	numbers map[types.Object]int64 // the counters of loops that are unrolled
	trust   bool                   // the code belongs to the library, whose tests check its bits
}

func (s *source) builtin(e *ast.CallExpr) string {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := s.pkg.Info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// importedFunc returns the path and name of a called function of another package.
func (s *source) importedFunc(e *ast.CallExpr) (pkg string, name *ast.Ident) {
	fun := ast.Unparen(e.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	if x, ok := fun.(*ast.SelectorExpr); ok {
		if id, ok := x.X.(*ast.Ident); ok {
			if p, ok := s.pkg.Info.Uses[id].(*types.PkgName); ok {
				return p.Imported().Path(), x.Sel
			}
		}
		fail(e.Pos(), "a call of a method is not understood: write a function")
	}
	return "", nil
}

// concrete returns the type t in which each type parameter is replaced by its argument.
func (s *source) concrete(t types.Type) types.Type {
	if s.elem == nil || t == nil {
		return t
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return s.elem
	case *types.Slice:
		return types.NewSlice(s.concrete(t.Elem()))
	case *types.Pointer:
		return types.NewPointer(s.concrete(t.Elem()))
	case *types.Array:
		return types.NewArray(s.concrete(t.Elem()), t.Len())
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		var args []types.Type
		for a := range t.TypeArgs().Types() {
			args = append(args, s.concrete(a))
		}
		if n, err := types.Instantiate(nil, t.Origin(), args, false); err == nil {
			return n
		}
	}
	return t
}

// instance returns the type argument of a called function, or nil if it has
// none.
func (s *source) instance(id *ast.Ident, f *ast.FuncDecl) types.Type {
	if f.Type.TypeParams == nil {
		return nil
	}
	args := s.pkg.Info.Instances[id].TypeArgs
	elem := s.concrete(args.At(0))
	for a := range args.Types() {
		if !types.Identical(s.concrete(a), elem) {
			fail(id.Pos(), "%s has type parameters that stand for different types: one type for all of them is understood", id.Name)
		}
	}
	return elem
}

// place records the position of a parameter in the frame, and the positions of
// the lanes of a view.
func (s *source) place(places map[string]ir.Place, name string, t types.Type, at int) {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		places[name] = ir.Place{Name: name, At: at, Kind: ir.Slice}
	case *types.Pointer:
		s, ok := t.Elem().Underlying().(*types.Struct)
		if !ok {
			places[name] = ir.Place{Name: name, At: at, Kind: ir.Array}
			return
		}
		for i := range s.NumFields() {
			places[name+"."+s.Field(i).Name()] = ir.Place{Name: name, At: at, Kind: ir.View, In: 24 * i}
		}
	default:
		places[name] = ir.Place{Name: name, At: at, Kind: ir.Number}
	}
}

// constantInt returns the value of a constant integer expression.
func (s *source) constantInt(e ast.Expr) (int64, bool) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if n, ok := s.numbers[s.object(id)]; ok {
			return n, true
		}
	}
	tv := s.pkg.Info.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.Int && tv.Value.Kind() != constant.Float {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(tv.Value))
}

// foreignBody returns a function of another package, or nil. It refuses
// functions of the standard library, because their source differs between
// versions of Go.
func (s *source) foreignBody(path, name string) *ast.FuncDecl {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") || s.pkg.Import == nil {
		return nil
	}
	p, err := s.pkg.Import(path)
	if err != nil {
		return nil
	}
	return s.pkg.Funcs[p.Scope().Lookup(name)]
}

func (s *source) object(id *ast.Ident) types.Object {
	if o := s.pkg.Info.Defs[id]; o != nil {
		return o
	}
	return s.pkg.Info.Uses[id]
}

func (s *source) typeOf(e ast.Expr) types.Type {
	t := s.concrete(s.pkg.Info.TypeOf(e))
	if t == nil || t == types.Typ[types.Invalid] {
		fail(e.Pos(), "this does not compile: run go vet")
	}
	return t
}

// loopCounter returns the counter of for j := 0; j < n; j++ if the body does not
// assign j.
func (s *source) loopCounter(f *ast.ForStmt) types.Object {
	init, ok := f.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return nil
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	if n, zero := s.constantInt(init.Rhs[0]); !ok || !zero || n != 0 {
		return nil
	}
	if b, ok := s.typeOf(id).Underlying().(*types.Basic); !ok || b.Kind() != types.Int {
		return nil
	}
	is := func(e ast.Expr) bool {
		x, ok := e.(*ast.Ident)
		return ok && s.object(x) == s.object(id)
	}
	cond, ok := f.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS || !is(cond.X) {
		return nil
	}
	if post, ok := f.Post.(*ast.IncDecStmt); !ok || post.Tok != token.INC || !is(post.X) {
		return nil
	}
	return s.object(id)
}
