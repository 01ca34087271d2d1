package front

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// signature translates the parameters.
func (c *scope) signature(fn *ast.FuncDecl) {
	switch {
	case fn.Recv != nil:
		fail(fn.Name.Pos(), "a method cannot be a kernel: write a function and call it in the method")
	case fn.Type.TypeParams != nil && c.elem == nil:
		fail(fn.Type.TypeParams.Pos(), "a kernel with type parameters is made for one type at a time: say so with its name, //lanec:kernel %s32[float32]", strings.ToUpper(fn.Name.Name[:1])+fn.Name.Name[1:])
	case fn.Type.Results != nil:
		fail(fn.Type.Results.Pos(), "a kernel returns nothing: what it computes goes to slices")
	case fn.Body == nil:
		fail(fn.Pos(), "a kernel needs a body in Go: that is what is compiled")
	}
	width := 0
	for _, p := range fn.Type.Params.List {
		if t := c.concrete(c.pkg.Info.TypeOf(p.Type)); width == 0 && t != nil {
			width = elements(t)
		}
	}
	if width == 0 {
		c.noLane(fn)
	}
	for _, p := range fn.Type.Params.List {
		if len(p.Names) == 0 {
			fail(p.Pos(), "every parameter needs a name")
		}
		for _, id := range p.Names {
			c.parameter(id, c.typeOf(p.Type))
		}
	}
}

// noLane fails with a message that explains why no parameter is a lane.
func (c *scope) noLane(fn *ast.FuncDecl) {
	for _, p := range fn.Type.Params.List {
		t := c.typeOf(p.Type)
		u, ok := t.Underlying().(*types.Slice)
		if !ok {
			continue
		}
		if s, ok := u.Elem().Underlying().(*types.Struct); ok && s.NumFields() > 0 {
			fail(p.Pos(), "%s is a slice of structs: a kernel has a slice for each field, or a pointer to a struct of such slices", types.TypeString(t, c.pkg.Name))
		}
		c.kind(p.Pos(), u.Elem())
	}
	fail(fn.Name.Pos(), "no parameter is a slice of numbers, or a pointer to a struct of such slices")
}

// elements returns the width of the elements in the slices of a type. If the type has
// no slices, it returns 0.
func elements(t types.Type) int {
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		return elements(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if w := elements(t.Field(i).Type()); w != 0 {
				return w
			}
		}
	case *types.Slice:
		if a, ok := t.Elem().Underlying().(*types.Array); ok {
			return elements(types.NewSlice(a.Elem()))
		}
		if b, ok := t.Elem().Underlying().(*types.Basic); ok {
			return sizes[b.Kind()]
		}
	}
	return 0
}

// taken lists the names that the generated functions of a kernel use. Parameters must not have these names.
var taken = []string{"_", "kernels", "archsimd", "len", "min", "max", "panic"}

func (c *scope) parameter(id *ast.Ident, t types.Type) {
	if slices.Contains(taken, id.Name) || strings.HasSuffix(id.Name, "_") {
		fail(id.Pos(), "a parameter cannot be called %s here: the generated function would hide what it needs", id.Name)
	}
	o := c.object(id)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if a, ok := u.Elem().Underlying().(*types.Array); ok {
			c.names[o] = name{matrix: &matrix{id.Name, a}}
			return
		}
		c.names[o] = name{lane: c.stream(id.Pos(), id.Name, u), length: "len(" + id.Name + ")"}
	case *types.Array:
		c.names[o] = name{lane: c.array(id, u), length: "len(" + id.Name + ")"}
		c.names[o].lane.copied = true
	case *types.Pointer:
		if a, ok := u.Elem().Underlying().(*types.Array); ok && c.pkg.Frame {
			n := fmt.Sprint(a.Len())
			c.names[o] = name{lane: c.stream(id.Pos(), id.Name, types.NewSlice(a.Elem())), length: n}
			return
		} else if ok {
			c.names[o] = name{lane: c.array(id, a), length: "len(" + id.Name + ")"}
			return
		}
		if _, ok := u.Elem().Underlying().(*types.Struct); !ok {
			fail(id.Pos(), "%v: a pointer is understood to a struct of slices or an array only", t)
		}
		if elem := totalOf(u.Elem()); elem != nil {
			c.names[o] = name{total: c.total(id, elem)}
			return
		}
		c.names[o] = name{view: id.Name}
	case *types.Basic:
		if u.Kind() == types.Int {
			c.names[o] = name{count: id.Name}
			return
		}
		s := &ir.Scalar{Name: id.Name, Expr: id.Name, Kind: c.kind(id.Pos(), t), Type: types.TypeString(t, c.pkg.Name)}
		c.b.Kernel.Scalars = append(c.b.Kernel.Scalars, s)
		c.names[o] = name{scalar: s}
	default:
		if _, ok := u.(*types.Struct); ok && elements(t) != 0 {
			fail(id.Pos(), "a struct of slices is passed by its address: write *%s", types.TypeString(t, c.pkg.Name))
		}
		fail(id.Pos(), "a parameter of type %v is not understood: slices, pointers to structs of slices, arrays, numbers, bools and int counts are", t)
	}
}

// total translates a Total parameter: its accumulators are a stream that
// repeats after 256 bytes.
func (c *scope) total(id *ast.Ident, elem types.Type) *stream {
	s := c.stream(id.Pos(), id.Name, types.NewSlice(elem))
	s.Ring, s.Written = true, true
	return s
}
