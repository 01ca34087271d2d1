package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// Compile makes a kernel of a function, of 32 bits if it has no value of 64. The error is a *Problem.
func Compile(pkg *Package, fn *ast.FuncDecl) (k *ir.Kernel, err error) { return compileAs(pkg, fn, 4) }

func compileAs(pkg *Package, fn *ast.FuncDecl, width int) (k *ir.Kernel, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case wider:
			k, err = compileAs(pkg, fn, 8)
		case *Problem:
			k, err = nil, p
		default:
			panic(p)
		}
	}()
	c := &compiler{
		source: source{pkg: pkg, elem: pkg.Elem, numbers: map[types.Object]int64{}, trust: pkg.Frame},
		ops:    ops{b: ir.Build(fn.Name.Name, width), summed: map[*ir.Value]token.Pos{}},
		nans:   noNaNs(width),

		streams: map[string]*stream{}, names: map[types.Object]name{}, vars: map[types.Object]val{},
		cache: map[*ir.Stream]val{}, counters: map[types.Object]*ir.Loop{},
	}
	c.signature(fn)
	c.block(fn.Body.List)
	if c.b.Kernel.Rows == nil {
		fail(fn.Name.Pos(), "there is no loop over rows: for i := range x")
	}
	c.b.Kernel.Tidy()
	if pkg.Frame {
		c.frame(fn)
	}
	return c.b.Kernel, nil
}

// mask is which rows are here; nil is all.
func (c *compiler) mask() *ir.Value { return c.b.And(c.path, c.live) }

// here is the same for what must not happen in an element that is no row, behind the last one.
func (c *compiler) here() *ir.Value {
	m := c.mask()
	if withinRows(m) {
		return m
	}
	return c.b.And(m, c.b.Op(ir.Rows, ir.Mask))
}

// withinRows says whether a mask is known to be set in rows alone.
func withinRows(m *ir.Value) bool {
	if m == nil {
		return false
	}
	switch m.Op {
	case ir.Rows:
		return true
	case ir.And:
		return withinRows(m.Args[0]) || withinRows(m.Args[1])
	case ir.AndNot, ir.Phi:
		return withinRows(m.Args[0])
	}
	return false
}

// inRows says whether this place is in the loop over the rows.
func (c *compiler) inRows() bool { return c.b.Region != c.b.Kernel.Entry }
