package front

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

const kernelsPath = "github.com/lanewise/lanewise/kernels"

// wholes lists the functions of package kernels that convert a float to an
// integer.
var wholes = map[string]types.BasicKind{"ToInt32": types.Int32, "ToUint32": types.Uint32, "ToInt64": types.Int64, "ToUint64": types.Uint64}

// convert translates a conversion. A conversion rounds its argument, so Go cannot fuse
// a product in a conversion with a sum.
func (c *compiler) convert(e *ast.CallExpr) val {
	to := c.typeOf(e.Fun)
	if x, ok := c.singleRoot(to, e.Args[0]); ok {
		return x
	}
	kind := c.kind(e.Pos(), to)
	if call, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok && kind.Base() == ir.Float && !c.pkg.Info.Types[call.Fun].IsType() {
		if pkg, name := c.importedFunc(call); pkg == "math" && name.Name == "NaN" {
			return val{v: c.nan(kind)} // whose width is that
		}
	}
	if tv := c.pkg.Info.Types[e.Args[0]]; tv.Value != nil && kind.Base() == ir.Float { // a constant converted to a type parameter
		value := tv.Value
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Kind() == types.Float64 { // Go rounds it to that type first
			f, _ := constant.Float64Val(constant.ToFloat(value))
			value = constant.MakeFloat64(f)
		}
		return val{v: c.float(kind, value)}
	}
	x := c.expr(e.Args[0]).v
	from, wide := c.size(x), kind.Size(c.width())
	switch float := x.Kind.Base() == ir.Float; {
	case kind == x.Kind:
		return val{v: x}
	case float && kind.Base() != ir.Float:
		fail(e.Pos(), "a float to an integer: Go's result differs between CPUs where the number is too large; write kernels.ToInt32, or its like, which says what it is then")
	case float && from < wide:
		return val{v: c.b.Op(ir.Widen, kind, x)}
	case float:
		return val{v: c.b.Op(ir.Narrow, kind, x)}
	case kind.Base() == ir.Float && from > wide:
		fail(e.Pos(), "%v to %v: no CPU rounds that once; make it a float64 first", c.typeOf(e.Args[0]), to)
	case kind.Base() == ir.Float:
		return val{v: c.toFloat(x, kind)}
	case from < wide:
		x = c.widenInt(x)
	case from > wide:
		x = c.b.Op(ir.Narrow, x.Kind|ir.Half, x)
	}
	if x.Kind != kind {
		x = c.b.Op(ir.Cast, kind, x)
	}
	return val{v: x}
}

// singleRoot translates float32(math.Sqrt(float64(x))) of a float32 to a root of
// float32, because rounding the square root to float64 and then to float32 gives the
// same bits.
func (c *compiler) singleRoot(to types.Type, arg ast.Expr) (val, bool) {
	call, ok := ast.Unparen(arg).(*ast.CallExpr)
	if b, float := to.Underlying().(*types.Basic); !ok || !float || b.Kind() != types.Float32 || c.pkg.Info.Types[call.Fun].IsType() {
		return val{}, false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return val{}, false
	}
	id, ok := s.X.(*ast.Ident)
	if !ok {
		return val{}, false
	}
	p, ok := c.pkg.Info.Uses[id].(*types.PkgName)
	op, known := mathOps[s.Sel.Name]
	if !ok || !known || p.Imported().Path() != "math" {
		return val{}, false
	}
	wide, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	if !ok || !c.pkg.Info.Types[wide.Fun].IsType() || c.pkg.Info.Types[wide].Value != nil {
		return val{}, false
	}
	if b, ok := c.typeOf(wide.Args[0]).Underlying().(*types.Basic); !ok || b.Kind() != types.Float32 {
		return val{}, false
	}
	x := c.expr(wide.Args[0]).v
	return val{v: c.b.Op(op, x.Kind, x)}, true
}
