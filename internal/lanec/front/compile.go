package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

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

// A Problem is why a function cannot be a kernel.
type Problem struct {
	Pos  token.Pos
	Text string
}

func (p *Problem) Error() string { return p.Text }

// A compiler goes through one function.
type compiler struct {
	pkg      *Package
	b        *ir.Builder
	streams  map[string]*stream // by expression
	names    map[types.Object]name
	vars     map[types.Object]val
	cache    map[*ir.Stream]val // what an element of the row is known to be
	counters map[types.Object]*ir.Loop
	row      types.Object // the index of the row
	path     *ir.Value
	live     *ir.Value
	turns    []*turn                 // the loops around this place, inside of the one over the rows
	calls    []*inline               // the helpers around this place
	summed   map[*ir.Value]token.Pos // phis that meet a sum
	stored   bool                    // something was written in this row
	puts     *ir.Value               // what the row writes at numbers that are computed, or nil
	elem     types.Type              // what type parameters stand for in what is being read, or nil
	trust    bool                    // what is being read is of the library, whose tests hold its bits
	numbers  map[types.Object]int64  // the counters of loops that are read turn by turn
	branches int                     // how many conditions and loops there are around this place
	gone     bool                    // nothing comes here: all rows have returned
	own      map[*ir.Value]bool      // floats that the library made of bits
}

// A val is what an expression gives.
type val struct {
	v   *ir.Value
	raw token.Pos // where the product is made that it may be; 0 if it is none
}

// wider is why a kernel of 32 bits is begun anew with 64: it has a value of 64.
type wider struct{}

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
		pkg: pkg, elem: pkg.Elem, streams: map[string]*stream{}, names: map[types.Object]name{}, vars: map[types.Object]val{},
		cache: map[*ir.Stream]val{}, counters: map[types.Object]*ir.Loop{}, summed: map[*ir.Value]token.Pos{},
		numbers: map[types.Object]int64{}, own: map[*ir.Value]bool{}, trust: pkg.Frame,
	}
	c.b = ir.Build(fn.Name.Name, width)
	c.signature(fn)
	c.block(fn.Body.List)
	if c.b.Kernel.Rows == nil {
		c.fail(fn.Name.Pos(), "there is no loop over rows: for i := range x")
	}
	c.b.Kernel.Tidy()
	if pkg.Frame {
		c.frame(fn)
	}
	return c.b.Kernel, nil
}

func (c *compiler) fail(at token.Pos, format string, args ...any) {
	panic(&Problem{at, fmt.Sprintf(format, args...)})
}

func (c *compiler) width() int { return c.b.Kernel.Width }

// size is how many bytes an element of a value has.
func (c *compiler) size(v *ir.Value) int { return v.Kind.Size(c.width()) }

func (c *compiler) object(id *ast.Ident) types.Object {
	if o := c.pkg.Info.Defs[id]; o != nil {
		return o
	}
	return c.pkg.Info.Uses[id]
}

func (c *compiler) typeOf(e ast.Expr) types.Type {
	t := c.concrete(c.pkg.Info.TypeOf(e))
	if t == nil || t == types.Typ[types.Invalid] {
		c.fail(e.Pos(), "this does not compile: run go vet")
	}
	return t
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

// kind is the kind of a Go type. It fails if that is none or has another width.
func (c *compiler) kind(at token.Pos, t types.Type) ir.Kind {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		c.fail(at, "%v is no number: what a row computes with is float32, float64, int32, uint32, int64, uint64 or bool", t)
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return ir.Mask
	case info&types.IsUntyped != 0 && info&types.IsFloat != 0:
		return ir.Float
	case info&types.IsUntyped != 0 && info&types.IsInteger != 0:
		return ir.Int
	case b.Kind() == types.Int || b.Kind() == types.Uint || b.Kind() == types.Uintptr:
		c.fail(at, "%v has another width on other CPUs: write int32 or int64", t)
	case sizes[b.Kind()] == 0:
		c.fail(at, "%v is no number of 32 or 64 bits", t)
	case sizes[b.Kind()] > c.width():
		panic(wider{})
	}
	half := ir.Kind(0)
	if sizes[b.Kind()] < c.width() {
		half = ir.Half
	}
	switch info := b.Info(); {
	case info&types.IsFloat != 0:
		return ir.Float | half
	case info&types.IsUnsigned != 0:
		return ir.Uint | half
	}
	return ir.Int | half
}

var sizes = map[types.BasicKind]int{
	types.Float32: 4, types.Int32: 4, types.Uint32: 4,
	types.Float64: 8, types.Int64: 8, types.Uint64: 8,
}
