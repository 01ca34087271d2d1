package front

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// concrete is a type with what type parameters stand for in their place.
func (c *compiler) concrete(t types.Type) types.Type {
	if c.elem == nil || t == nil {
		return t
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return c.elem
	case *types.Slice:
		return types.NewSlice(c.concrete(t.Elem()))
	case *types.Pointer:
		return types.NewPointer(c.concrete(t.Elem()))
	case *types.Array:
		return types.NewArray(c.concrete(t.Elem()), t.Len())
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		var args []types.Type
		for a := range t.TypeArgs().Types() {
			args = append(args, c.concrete(a))
		}
		if n, err := types.Instantiate(nil, t.Origin(), args, false); err == nil {
			return n
		}
	}
	return t
}

// instance is what the type parameters of a called function stand for, or nil if it has none.
func (c *compiler) instance(id *ast.Ident, f *ast.FuncDecl) types.Type {
	if f.Type.TypeParams == nil {
		return nil
	}
	args := c.pkg.Info.Instances[id].TypeArgs
	elem := c.concrete(args.At(0))
	for a := range args.Types() {
		if !types.Identical(c.concrete(a), elem) {
			c.fail(id.Pos(), "%s has type parameters that stand for different types: one type for all of them is understood", id.Name)
		}
	}
	return elem
}

// frame notes where each argument stands in the frame of a call of the function, for which 64-bit CPUs have one layout.
func (c *compiler) frame(fn *ast.FuncDecl) {
	k := c.b.Kernel
	sizes := types.SizesFor("gc", "amd64")
	k.Frame = &ir.Frame{}
	places := map[string]ir.Place{} // by expression
	var params []string
	at := 0
	for _, p := range fn.Type.Params.List {
		t := c.typeOf(p.Type)
		var names []string
		for _, id := range p.Names {
			align := int(sizes.Alignof(t))
			at = (at + align - 1) / align * align
			c.place(places, id.Name, t, at)
			at += int(sizes.Sizeof(t))
			names = append(names, id.Name)
		}
		params = append(params, strings.Join(names, ", ")+" "+types.TypeString(t, types.RelativeTo(c.pkg.Types)))
	}
	k.Frame.Go, k.Frame.Bytes = "("+strings.Join(params, ", ")+")", at
	if k.Stop > 0 {
		k.Frame.Result = (at + 7) / 8 * 8
		k.Frame.Go, k.Frame.Bytes = k.Frame.Go+" int", k.Frame.Result+8
	}
	for _, s := range k.Streams {
		s.Place = places[s.Expr]
	}
	for _, s := range k.Scalars {
		s.Place = places[s.Expr]
	}
	rows, isLen := strings.CutPrefix(strings.TrimSuffix(k.Number, ")"), "len(")
	p := places[rows]
	if !isLen || p.Kind != ir.Slice && p.Kind != ir.View {
		c.fail(fn.Pos(), "the number of rows is no length of a slice: %s", k.Number)
	}
	k.Frame.Rows = &p
}

// place notes where a parameter and the lanes of one that is a view stand.
func (c *compiler) place(places map[string]ir.Place, name string, t types.Type, at int) {
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
