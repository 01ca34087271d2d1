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
	Vars  map[types.Object]ast.Expr      // what variables of packages of the library begin as, and stay
	Name  types.Qualifier                // how other packages are called in what is generated
	Elem  types.Type                     // what type parameters of the kernel stand for; nil if it has none
	Frame bool                           // arguments stand in the frame of the call

	// Import reads the source of another package. What it has goes to Info, Funcs and Vars, as of this one.
	Import func(path string) (*types.Package, error)
}

// source is what is being read, as the type checker knows it. It knows nothing of values.
type source struct {
	pkg     *Package
	elem    types.Type             // what type parameters stand for in what is being read, or nil
	numbers map[types.Object]int64 // the counters of loops that are read turn by turn
	trust   bool                   // what is being read is of the library, whose tests hold its bits
}

func (s *source) builtin(e *ast.CallExpr) string {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := s.pkg.Info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// imported returns the path and name of a called function of another package.
func (s *source) imported(e *ast.CallExpr) (pkg string, name *ast.Ident) {
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

// concrete is a type with what type parameters stand for in their place.
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

// instance is what the type parameters of a called function stand for, or nil if it has none.
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

// place notes where a parameter and the lanes of one that is a view stand.
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

// constantInt is the value of a constant expression that is a whole number.
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

// foreignBody is a function of another package, or nil. Those of the standard library differ between versions of Go.
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

// counting returns the counter of for j := 0; j < n; j++ whose body leaves j alone.
func (s *source) counting(f *ast.ForStmt) types.Object {
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
