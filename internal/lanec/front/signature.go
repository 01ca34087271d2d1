package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// signature takes the parameters in.
func (c *compiler) signature(fn *ast.FuncDecl) {
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
		fail(fn.Name.Pos(), "no parameter is a slice of numbers, or a pointer to a struct of such slices")
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

// elements is the width of what the slices of a type hold; 0 if there are none.
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

// taken are the names that the wrapper of a kernel uses itself.
var taken = []string{"_", "kernels", "len", "min", "max", "panic"}

func (c *compiler) parameter(id *ast.Ident, t types.Type) {
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
		c.names[o] = name{lane: array(c, id, u), length: "len(" + id.Name + ")"}
	case *types.Pointer:
		if a, ok := u.Elem().Underlying().(*types.Array); ok && c.pkg.Frame {
			n := fmt.Sprint(a.Len())
			c.names[o] = name{lane: c.stream(id.Pos(), id.Name, types.NewSlice(a.Elem())), length: n}
			return
		} else if ok {
			c.names[o] = name{lane: array(c, id, a), length: "len(" + id.Name + ")"}
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
		fail(id.Pos(), "a parameter of type %v is not understood: slices, pointers to structs of slices, arrays, numbers, bools and int counts are", t)
	}
}

// array is a stream of all elements of an array.
func array(c *compiler, id *ast.Ident, t *types.Array) *stream {
	s := c.stream(id.Pos(), id.Name+"[:]", types.NewSlice(t.Elem()))
	s.fixed = true
	return s
}

// stream returns the stream of an expression, once.
func (c *compiler) stream(at token.Pos, expr string, t *types.Slice) *stream {
	if s := c.streams[expr]; s != nil {
		return s
	}
	s := &stream{Stream: &ir.Stream{Expr: expr, Elem: c.kind(at, t.Elem()), Type: types.TypeString(t.Elem(), c.pkg.Name)}}
	if s.Elem == ir.Mask {
		fail(at, "a slice of bool has elements of 8 bits: write int32, 0 or 1")
	}
	s.Name = fmt.Sprintf("%s_%d", strings.NewReplacer(".", "_", "[:]", "").Replace(expr), len(c.streams))
	c.streams[expr] = s
	c.b.Kernel.Streams = append(c.b.Kernel.Streams, s.Stream)
	return s
}

// lane finds the stream that an expression of slice type names, and how long it is.
func (c *compiler) lane(e ast.Expr) (s *stream, length string) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if n := c.names[c.object(e)]; n.lane != nil {
			return n.lane, n.length
		}
	case *ast.SelectorExpr:
		if s, length := c.laneOfView(e); s != nil {
			return s, length
		}
	case *ast.SliceExpr:
		if e.Low != nil || e.Slice3 {
			fail(e.Pos(), "a part of a slice that begins at its first row is understood, x[:n]: cut the others before the call")
		}
		s, length := c.lane(e.X)
		if e.High == nil {
			return s, length
		}
		n, turns := c.count(e.High)
		if n == "" {
			n = fmt.Sprint(turns)
		}
		c.want(length, n)
		return s, n
	}
	if m := matrixOf(c, e); m != nil {
		fail(e.Pos(), "%s has arrays for rows: write which number of the row's, %s[i][3]", m.expr, m.expr)
	} else if matrixRow(c, e) != nil {
		fail(e.Pos(), "which number of an array is meant must be a constant: write %d, say", 3)
	}
	fail(e.Pos(), "this is no lane: a parameter that is a slice, or a field of one that is a pointer to a struct")
	return nil, ""
}

// laneOfView is the stream that a field of a parameter is, or nil: the parameter points to a struct of slices.
func (c *compiler) laneOfView(e *ast.SelectorExpr) (s *stream, length string) {
	v, ok := ast.Unparen(e.X).(*ast.Ident)
	if !ok || c.names[c.object(v)].view == "" {
		return nil, ""
	}
	t, isSlice := c.typeOf(e).Underlying().(*types.Slice)
	selected := c.pkg.Info.Selections[e]
	if !isSlice || selected == nil || len(selected.Index()) != 1 {
		return nil, ""
	}
	expr := c.names[c.object(v)].view + "." + e.Sel.Name
	return c.stream(e.Pos(), expr, t), "len(" + expr + ")"
}

// want notes that one number of rows or elements must reach another, as in Go it must.
func (c *compiler) want(have, least string) {
	w := ir.Want{Have: have, Least: least}
	if k := c.b.Kernel; have != least && !slices.Contains(k.Wants, w) {
		k.Wants = append(k.Wants, w)
	}
}

// count is an int that is the same for all rows: an expression of parameters, or "" and its constant value.
func (c *compiler) count(e ast.Expr) (expr string, turns int64) {
	if n, ok := c.constantInt(e); ok {
		return "", n
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if n, ok := c.names[c.object(e)]; ok && n.lane == nil && n.view == "" && n.scalar == nil {
			return n.count, n.turns
		}
	case *ast.CallExpr:
		if c.builtin(e) == "len" {
			if m := matrixOf(c, e.Args[0]); m != nil {
				return "len(" + m.expr + ")", -1
			}
			_, length := c.lane(e.Args[0])
			return length, -1
		}
	}
	fail(e.Pos(), "this number must be the same for all rows: a constant, an int parameter or the len of a slice")
	return "", 0
}
