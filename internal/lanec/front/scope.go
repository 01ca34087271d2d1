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

// A scope maps the names and indices of the function to their meanings. It does not
// track the values of variables and the active rows.
type scope struct {
	source
	ops
	streams  map[string]*stream // by expression
	names    map[types.Object]name
	counters map[types.Object]*ir.Loop
	row      types.Object              // the index of the row
	listed   map[types.Object]*ir.Loop // elements of the list of a loop's Span
}

// A name is the meaning of an identifier that is not a variable of the row.
type name struct {
	lane   *stream
	length string     // length of the lane, as an expression of parameters
	view   string     // a pointer to a struct of slices, as an expression of parameters
	count  string     // an int, as an expression of parameters
	turns  int64      // or its constant value, if count is ""
	scalar *ir.Scalar // a number
	total  *stream    // a kernels.Total
	matrix *matrix    // a slice of arrays, or the address of its row
	ofRow  bool       // it is that address

	literal *ast.CompositeLit // a literal of the library that never changes
}

// A stream is an ir.Stream with the data that translation needs.
type stream struct {
	*ir.Stream
	all    *ir.Stream        // the same slice, indexed from its first element
	put    *ir.Stream        // the same slice, written at computed indices
	ahead  map[int64]*stream // the same slice, read some rows further on
	read   bool              // at the row
	fixed  bool              // an array: Go has checked that its constant indices are in range
	copied bool              // an array and not a pointer to one, so that no other memory overlaps it
	raw    token.Pos         // a raw product stored in it, because Go may see through the store
}

// overlappedStreams lists the streams of slices that are read at other rows too, and
// so may overlap lanes that are written.
func (c *scope) overlappedStreams() map[*ir.Stream]bool {
	of := map[*ir.Stream]bool{}
	for _, s := range c.streams { //lanewise:inexact fills a set
		if s.all != nil && !s.copied || s.ahead != nil {
			of[s.Stream] = true
			if s.all != nil {
				of[s.all] = true
			}
			for _, ahead := range s.ahead {
				of[ahead.Stream] = true
			}
		}
	}
	return of
}

// stream returns the stream of an expression; it creates each stream only once.
func (c *scope) stream(at token.Pos, expr string, t *types.Slice) *stream {
	if s := c.streams[expr]; s != nil {
		return s
	}
	s := &stream{Stream: &ir.Stream{Expr: expr, Elem: c.kind(at, t.Elem()), Type: types.TypeString(t.Elem(), c.pkg.Name)}}
	if s.Elem == ir.Mask {
		fail(at, "a slice of bool has elements of 8 bits: write int32, 0 or 1")
	}
	s.Name = fmt.Sprintf("%s_%d", strings.NewReplacer(".", "_", "[:]", "", "[]", "", "[", "_", "]", "").Replace(expr), len(c.streams))
	c.streams[expr] = s
	c.b.Kernel.Streams = append(c.b.Kernel.Streams, s.Stream)
	return s
}

// array returns a stream of all elements of an array.
func (c *scope) array(id *ast.Ident, t *types.Array) *stream {
	s := c.stream(id.Pos(), id.Name+"[:]", types.NewSlice(t.Elem()))
	s.fixed = true
	return s
}

// lane returns the stream of an expression of slice type, and its length.
func (c *scope) lane(e ast.Expr) (s *stream, length string) {
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
		} else if !strings.HasPrefix(n, "len(") {
			c.want(n, "0")
		}
		c.want(length, n)
		return s, n
	case *ast.CallExpr:
		fail(e.Pos(), "a kernel makes no slices: pass one as a parameter")
	}
	if m := c.matrixOf(e); m != nil {
		fail(e.Pos(), "%s has arrays for rows: write which number of the row's, %s[i][3]", m.expr, m.expr)
	} else if c.matrixRow(e) != nil {
		fail(e.Pos(), "which number of an array is meant must be a constant: write %d, say", 3)
	}
	fail(e.Pos(), "this is no lane: a parameter that is a slice, or a field of one that is a pointer to a struct")
	return nil, ""
}

// laneOfView returns the stream of a field of a parameter that points to a
// struct of slices, or nil.
func (c *scope) laneOfView(e *ast.SelectorExpr) (s *stream, length string) {
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

// want records a condition on lengths: have must be at least least, because otherwise
// the Go source would panic.
func (c *scope) want(have, least string) {
	w := ir.Want{Have: have, Least: least}
	if k := c.b.Kernel; have != least && !slices.Contains(k.Wants, w) {
		k.Wants = append(k.Wants, w)
	}
}

// count translates an int expression that has the same value for all rows. If the value
// is a constant, count returns "" and the value. Otherwise it returns an expression of
// parameters.
func (c *scope) count(e ast.Expr) (expr string, turns int64) {
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
			if m := c.matrixOf(e.Args[0]); m != nil {
				return "len(" + m.expr + ")", -1
			}
			_, length := c.lane(e.Args[0])
			return length, -1
		}
	}
	fail(e.Pos(), "this number must be the same for all rows: a constant, an int parameter or the len of a slice")
	return "", 0
}

// countScalar returns the scalar for the count of a loop.
func (c *scope) countScalar(expr string) *ir.Scalar {
	k := c.b.Kernel
	for _, s := range k.Counts {
		if s.Expr == expr {
			return s
		}
	}
	s := &ir.Scalar{Name: "count_" + string(rune('a'+len(k.Counts))), Expr: expr, Type: "int"}
	k.Counts = append(k.Counts, s)
	return s
}

// length returns the scalar that holds the length of a slice, for comparisons with
// indices.
func (c *scope) length(expr string) *ir.Scalar {
	k := c.b.Kernel
	for _, s := range k.Lengths {
		if s.Expr == expr {
			return s
		}
	}
	s := &ir.Scalar{Name: "length_" + decimal(int64(len(k.Lengths))), Expr: expr, Kind: ir.Int, Type: "int" + decimal(int64(8*c.width()))}
	k.Lengths = append(k.Lengths, s)
	return s
}
