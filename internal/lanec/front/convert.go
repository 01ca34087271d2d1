package front

import (
	"go/ast"
	"go/constant"
	"go/types"
	"math"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

const kernelsPath = "github.com/lanewise/lanewise/kernels"

// wholes are the functions of package kernels that make an integer of a float.
var wholes = map[string]types.BasicKind{"ToInt32": types.Int32, "ToUint32": types.Uint32, "ToInt64": types.Int64, "ToUint64": types.Uint64}

// convert is a conversion, which rounds: so a product in it is none that could be fused.
func (c *compiler) convert(e *ast.CallExpr) val {
	to := c.typeOf(e.Fun)
	if x, ok := c.single(to, e.Args[0]); ok {
		return x
	}
	kind := c.kind(e.Pos(), to)
	if call, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok && kind.Base() == ir.Float && !c.pkg.Info.Types[call.Fun].IsType() {
		if pkg, name := c.imported(call); pkg == "math" && name.Name == "NaN" {
			return val{v: c.nan(kind)} // whose width is that
		}
	}
	if tv := c.pkg.Info.Types[e.Args[0]]; tv.Value != nil && kind.Base() == ir.Float { // a constant as a type parameter
		value := tv.Value
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Kind() == types.Float64 { // Go rounds it to that first
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
		c.fail(e.Pos(), "a float to an integer: Go's result differs between CPUs where the number is too large; write kernels.ToInt32, or its like, which says what it is then")
	case float && from < wide:
		return val{v: c.b.Op(ir.Widen, kind, x)}
	case float:
		return val{v: c.b.Op(ir.Narrow, kind, x)}
	case kind.Base() == ir.Float && from > wide:
		c.fail(e.Pos(), "%v to %v: no CPU rounds that once; make it a float64 first", c.typeOf(e.Args[0]), to)
	case kind.Base() == ir.Float:
		return val{v: c.toFloat(x, kind)}
	case from < wide:
		x = c.widened(x)
	case from > wide:
		x = c.b.Op(ir.Narrow, x.Kind|ir.Half, x)
	}
	if x.Kind != kind {
		x = c.b.Op(ir.Cast, kind, x)
	}
	return val{v: x}
}

// widened is an integer of twice the width.
func (c *compiler) widened(x *ir.Value) *ir.Value { return c.b.Op(ir.Widen, x.Kind.Base(), x) }

// nan is a number that is none.
func (c *compiler) nan(kind ir.Kind) *ir.Value {
	if kind.Size(c.width()) == 4 {
		return c.b.Const(kind, 0x7fc00000)
	}
	return c.b.Const(kind, math.Float64bits(math.NaN()))
}

// single is float32(math.Sqrt(float64(x))) of a float32, which is the root of float32: rounding twice gives the same bits.
func (c *compiler) single(to types.Type, arg ast.Expr) (val, bool) {
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

// op is an operation on two values of a kind.
func (c *compiler) op(op ir.Op, a, b *ir.Value) *ir.Value { return c.b.Op(op, a.Kind, a, b) }

// whole is an integer constant of the kind of a value, like a float one, number64 one of float64.
func (c *compiler) whole(like *ir.Value, bits uint64) *ir.Value { return c.b.Const(like.Kind, bits) }

func (c *compiler) number64(f float64) *ir.Value { return c.b.Const(ir.Float, math.Float64bits(f)) }

func (c *compiler) like(v *ir.Value, f float64) *ir.Value {
	if c.size(v) == 4 {
		return c.b.Const(v.Kind, uint64(math.Float32bits(float32(f))))
	}
	return c.b.Const(v.Kind, math.Float64bits(f))
}

// moved is a shift of an integer as a number without sign.
func (c *compiler) moved(op ir.Op, v *ir.Value, n uint64) *ir.Value {
	return c.b.Put(&ir.Value{Op: op, Kind: v.Kind, Args: []*ir.Value{v}, Bits: n})
}

// product is that of integers of 64 bits, of three products of 32.
func (c *compiler) product(a, b *ir.Value) *ir.Value {
	low := c.op(ir.MulWide, a, b)
	cross := c.op(ir.IntAdd, c.op(ir.MulWide, c.moved(ir.Shr, a, 32), b), c.op(ir.MulWide, a, c.moved(ir.Shr, b, 32)))
	return c.op(ir.IntAdd, low, c.moved(ir.Shl, cross, 32))
}

// toFloat rounds an integer to the nearest float of its own width, or of a larger one. Only int32 has an instruction on every CPU.
func (c *compiler) toFloat(x *ir.Value, kind ir.Kind) *ir.Value {
	switch {
	case x.Kind.Base() == ir.Int && c.size(x) == 4:
		return c.b.Op(ir.ToFloat, kind, x)
	case c.size(x) < kind.Size(c.width()): // 2^52 + x, less 2^52
		bits := c.op(ir.Or, c.widened(x), c.b.Const(ir.Uint, math.Float64bits(1<<52)))
		return c.b.Op(ir.Sub, kind, c.b.Op(ir.Cast, kind, bits), c.number64(1<<52))
	case c.size(x) == 4: // both halves are exact, and their sum rounds once
		high := c.b.Op(ir.ToFloat, kind, c.b.Op(ir.Cast, kind|ir.Int, c.moved(ir.Shr, x, 16)))
		low := c.b.Op(ir.ToFloat, kind, c.b.Op(ir.Cast, kind|ir.Int, c.op(ir.And, x, c.whole(x, 0xffff))))
		return c.op(ir.Add, c.op(ir.Mul, high, c.like(high, 1<<16)), low)
	}
	// The lower half is added to 2^52, the upper one to 2^84, so that its unit is 2^32; the last sum rounds once.
	low := c.op(ir.Or, c.op(ir.And, x, c.whole(x, 1<<32-1)), c.whole(x, math.Float64bits(1<<52)))
	offset := float64(1<<84 + 1<<52)
	high := c.op(ir.Xor, c.moved(ir.Shr, x, 32), c.whole(x, math.Float64bits(1<<84)))
	if x.Kind == ir.Int {
		high = c.op(ir.Xor, high, c.whole(x, 1<<31))
		offset = 1<<84 + 1<<63 + 1<<52
	}
	exact := c.b.Op(ir.Sub, kind, c.b.Op(ir.Cast, kind, high), c.number64(offset))
	return c.b.Op(ir.Add, kind, exact, c.b.Op(ir.Cast, kind, low))
}

// toInt is kernels.ToInt32 and its like: what is out of range is the nearest integer, and NaN is 0.
func (c *compiler) toInt(x *ir.Value, kind ir.Kind) *ir.Value {
	bits := 8 * kind.Size(c.width())
	least, most, first, last := 0.0, math.Ldexp(1, bits), uint64(0), uint64(math.MaxUint64)
	if kind.Base() == ir.Int {
		least, most, first, last = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1), 1<<(bits-1), 1<<(bits-1)-1
	}
	if c.size(x) < kind.Size(c.width()) {
		x = c.b.Op(ir.Widen, x.Kind.Base(), x)
	}
	compare := func(op ir.Op, a, b *ir.Value) *ir.Value { return c.b.Op(op, ir.Mask, a, b) }
	below, above := compare(ir.Less, x, c.like(x, least)), compare(ir.LessEqual, c.like(x, most), x)
	inside := c.b.And(compare(ir.LessEqual, c.like(x, least), x), compare(ir.Less, x, c.like(x, most)))
	whole := c.inRange(c.b.Choose(inside, x, c.like(x, 0)), kind) // so that no NaN goes on
	whole = c.b.Choose(below, c.b.Const(kind, first), whole)
	return c.b.Choose(above, c.b.Const(kind, last), whole)
}

// inRange makes an integer of a float that has one.
func (c *compiler) inRange(x *ir.Value, kind ir.Kind) *ir.Value {
	bits := func(v *ir.Value, kind ir.Kind) *ir.Value { return c.b.Op(ir.Cast, kind, v) }
	signed := kind.Base() == ir.Int
	from, to := c.size(x), kind.Size(c.width())
	switch {
	case from == 4 && signed:
		return c.b.Op(ir.ToInt, kind, x)
	case from == 4: // the upper half of them less 2^31, and that bit
		half := c.like(x, 1<<31)
		large := c.b.Op(ir.LessEqual, ir.Mask, half, x)
		low := c.b.Op(ir.ToInt, x.Kind|ir.Int, c.b.Choose(large, c.op(ir.Sub, x, half), x))
		return c.op(ir.Xor, bits(low, kind), c.b.Choose(large, c.b.Const(kind, 1<<31), c.b.Const(kind, 0)))
	}
	// The lower bits of 2^52 + x are those of x; of a signed one, those of 3·2^51 + x.
	offset := float64(1 << 52)
	if signed {
		offset = 3 << 51
	}
	t := c.b.Op(ir.Trunc, ir.Float, x)
	if to == 4 {
		return c.b.Op(ir.Narrow, kind, bits(c.b.Op(ir.Add, ir.Float, t, c.number64(offset)), kind.Base()))
	}
	high := c.b.Op(ir.Floor, ir.Float, c.b.Op(ir.Mul, ir.Float, t, c.number64(1.0/(1<<32))))
	low := c.b.Op(ir.Sub, ir.Float, t, c.b.Op(ir.Mul, ir.Float, high, c.number64(1<<32)))
	upper := c.moved(ir.Shl, bits(c.b.Op(ir.Add, ir.Float, high, c.number64(offset)), kind), 32)
	lower := c.op(ir.And, bits(c.b.Op(ir.Add, ir.Float, low, c.number64(1<<52)), kind), c.b.Const(kind, 1<<32-1))
	return c.op(ir.Or, upper, lower)
}
