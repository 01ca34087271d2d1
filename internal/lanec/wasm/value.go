package wasm

import (
	"fmt"
	"math"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// ref returns the expression for a value without a conversion.
func (e *emitter) ref(v *ir.Value) string {
	t := e.types(v.Kind)
	switch v.Op {
	case ir.Const:
	case ir.Rows:
		return fmt.Sprintf("archsimd.Broadcast%s(%#x)", t.uint, uint64(math.MaxUint64)>>(64-t.bits))
	default:
		return e.variable(v)
	}
	if v.Kind.Base() != ir.Float {
		return fmt.Sprintf("archsimd.Broadcast%s(%#x)", t.uint, v.Bits)
	}
	f := math.Float64frombits(v.Bits)
	if t.bits == 32 {
		f = float64(math.Float32frombits(uint32(v.Bits)))
	}
	if f != f || math.IsInf(f, 0) || f == 0 && v.Bits != 0 {
		return fmt.Sprintf("archsimd.Broadcast%s(%#x).BitsToFloat%d()", t.uint, v.Bits, t.bits)
	}
	return fmt.Sprintf("archsimd.Broadcast%s(%x)", t.float, f)
}

// arg returns the expression for a value as an argument of the given kind: as a float, or as bits
// for any other kind.
func (e *emitter) arg(v *ir.Value, kind ir.Kind) string {
	from, to := v.Kind.Base() == ir.Float, kind.Base() == ir.Float
	t := e.types(v.Kind)
	switch {
	case from && !to:
		return e.ref(v) + ".ToBits()"
	case !from && to:
		return fmt.Sprintf("%s.BitsToFloat%d()", e.ref(v), t.bits)
	}
	return e.ref(v)
}

// signed returns the expression for a value as signed integers.
func (e *emitter) signed(v *ir.Value) string {
	return fmt.Sprintf("%s.BitsToInt%d()", e.arg(v, ir.Int), e.types(v.Kind).bits)
}

var (
	floatMethods = map[ir.Op]string{
		ir.Add: "Add", ir.Sub: "Sub", ir.Mul: "Mul", ir.Div: "Div", ir.Min: "Min", ir.Max: "Max", ir.Sqrt: "Sqrt",
		ir.Abs: "Abs", ir.Neg: "Neg", ir.Floor: "Floor", ir.Ceil: "Ceil", ir.Trunc: "Trunc", ir.Round: "Round",
	}
	comparisons = map[ir.Op]string{ir.Less: "Less", ir.LessEqual: "LessEqual", ir.Equal: "Equal", ir.NotEqual: "NotEqual"}
	bitMethods  = map[ir.Op]string{
		ir.And: "And", ir.Or: "Or", ir.Xor: "Xor", ir.AndNot: "AndNot", ir.Not: "Not", ir.IntAdd: "Add", ir.IntSub: "Sub", ir.IntMul: "Mul",
	}
)

// expr returns the expression of a value, or an empty one if there is none.
func (e *emitter) expr(v *ir.Value) string {
	t := e.types(v.Kind)
	e.checkWidths(v)
	call := func(name string, kind ir.Kind) string {
		text := e.arg(v.Args[0], kind) + "." + name + "("
		if len(v.Args) > 1 {
			text += e.arg(v.Args[1], kind)
		}
		return text + ")"
	}
	mask := func(text string) string {
		if v.Args[0].Kind.IsHalf() && !v.Kind.IsHalf() {
			return text + ".ToInt32x4().ExtendLo2ToInt64().ToBits()"
		}
		return fmt.Sprintf("%s.ToInt%dx%d().ToBits()", text, t.bits, t.rows)
	}
	float := v.Kind.Base() == ir.Float
	if name := floatMethods[v.Op]; name != "" {
		return call(name, ir.Float)
	}
	if name := comparisons[v.Op]; name != "" {
		return mask(call(name, ir.Float))
	}
	if name := bitMethods[v.Op]; name != "" {
		text := call(name, ir.Uint)
		if float {
			text += fmt.Sprintf(".BitsToFloat%d()", t.bits)
		}
		return text
	}
	switch v.Op {
	case ir.Param:
		return e.broadcast(v.Kind, e.scalar(v))
	case ir.Spread:
		index := fmt.Sprint(v.Bits)
		if v.Loop != nil {
			index = e.counter(v.Loop)
		}
		return e.broadcast(v.Kind, fmt.Sprintf("%s[%s]", v.Stream.Expr, index))
	case ir.Load:
		return e.load(v)
	case ir.Pick:
		return e.broadcast(v.Kind, fmt.Sprintf("%s[%s]", v.Stream.Expr, e.listed(v.Loop)))
	case ir.Sel:
		m, x, y := e.arg(v.Args[0], ir.Mask), e.arg(v.Args[1], ir.Uint), e.arg(v.Args[2], ir.Uint)
		if e.types(v.Args[0].Kind) != t {
			m = lowerHalves(m)
		}
		text := fmt.Sprintf("%s.BitSelect(%s, %s)", x, y, m)
		if float {
			text += fmt.Sprintf(".BitsToFloat%d()", t.bits)
		}
		return text
	case ir.Cast:
		return e.arg(v.Args[0], v.Kind)
	case ir.Shl, ir.Shr:
		name := map[ir.Op]string{ir.Shl: "ShiftAllLeft", ir.Shr: "ShiftAllRight"}[v.Op]
		return fmt.Sprintf("%s.%s(%d)", e.arg(v.Args[0], ir.Uint), name, v.Bits)
	case ir.Sar:
		return fmt.Sprintf("%s.ShiftAllRight(%d).ToBits()", e.signed(v.Args[0]), v.Bits)
	case ir.ShlBy, ir.ShrBy, ir.SarBy:
		return e.shiftBy(v)
	case ir.IntEqual:
		return mask(call("Equal", ir.Uint))
	case ir.IntGreater:
		return mask(fmt.Sprintf("%s.Greater(%s)", e.signed(v.Args[0]), e.signed(v.Args[1])))
	case ir.MulWide:
		low := "archsimd.BroadcastUint64x2(0xffffffff)"
		return fmt.Sprintf("%s.And(%s).Mul(%s.And(%s))", e.arg(v.Args[0], ir.Uint), low, e.arg(v.Args[1], ir.Uint), low)
	}
	return e.convert(v)
}

// checkWidths refuses an operation on elements of two widths, unless the operation is one of those that expect them.
func (e *emitter) checkWidths(v *ir.Value) {
	switch v.Op {
	case ir.Less, ir.LessEqual, ir.Equal, ir.NotEqual, ir.Widen, ir.Narrow, ir.ToFloat:
		return
	case ir.IntEqual, ir.IntGreater, ir.Sel:
		if e.k.Frame == nil { // the kernels of package kernels that need these run Go
			return
		}
	}
	for _, a := range v.Args {
		if e.types(a.Kind) != e.types(v.Kind) {
			e.unsupported("operands of two widths: " + v.String())
		}
	}
}

// scalar returns the expression of a Param.
func (e *emitter) scalar(v *ir.Value) string {
	bits, s := e.types(v.Kind).bits, v.Scalar
	switch {
	case v.Kind.Base() == ir.Mask && e.k.Frame != nil:
		return fmt.Sprintf("allOnes[uint%d](%s)", bits, s.Expr)
	case v.Kind.Base() == ir.Mask:
		return fmt.Sprintf("uint%d(lanecMask[int%d](bool(%s)))", bits, bits, s.Expr)
	case slices.Contains(e.k.Lengths, s): // an index that is too large stops here as well, and then Go continues
		return fmt.Sprintf("min(%s, 1<<31-1)", s.Expr)
	case e.k.Frame == nil && s.Type != e.element(v.Kind):
		return fmt.Sprintf("%s(%s)", e.element(v.Kind), s.Expr)
	}
	return s.Expr
}

// shiftBy returns the expression of a shift by numbers of bits that differ between rows. WebAssembly has no instruction for it.
func (e *emitter) shiftBy(v *ir.Value) string {
	if e.k.Frame != nil {
		return ""
	}
	return e.collect(ir.Uint|v.Kind&ir.Half, func(row int) string {
		a, by := fmt.Sprintf("%s.GetElem(%d)", e.arg(v.Args[0], ir.Uint), row), fmt.Sprintf("%s.GetElem(%d)", e.arg(v.Args[1], ir.Uint), row)
		switch bits := e.types(v.Kind).bits; v.Op {
		case ir.ShlBy:
			return a + "<<" + by
		case ir.SarBy:
			return fmt.Sprintf("uint%d(int%d(%s)>>%s)", bits, bits, a, by)
		}
		return a + ">>" + by
	})
}

// lowerHalves returns the expression of the lower half of each of the two elements of 64 bits.
func lowerHalves(bits string) string {
	x := bits + ".ReshapeToUint32s()"
	return fmt.Sprintf("%s.SetElem(1, %s.GetElem(2))", x, x)
}

// convert returns the expression of a conversion between numbers.
func (e *emitter) convert(v *ir.Value) string {
	a := v.Args[0]
	from, to := e.types(a.Kind), e.types(v.Kind)
	switch {
	case v.Op == ir.ToFloat && from == types32 && to == types32:
		return e.signed(a) + ".ConvertToFloat32()"
	case v.Op == ir.ToFloat && from == types32:
		return e.signed(a) + ".ConvertLo2ToFloat64()"
	case v.Op == ir.ToInt && to == types32:
		return e.arg(a, ir.Float) + ".ConvertToInt32().ToBits()"
	case v.Op == ir.Widen && v.Kind.Base() == ir.Int:
		return e.signed(a) + ".ExtendLo2ToInt64().ToBits()"
	case v.Op == ir.Widen && v.Kind.Base() == ir.Uint:
		return e.arg(a, ir.Uint) + ".ExtendLo2ToUint64()"
	case v.Op == ir.Narrow && v.Kind.Base() != ir.Float:
		return lowerHalves(e.arg(a, ir.Uint))
	case v.Op == ir.Narrow: // SetElem is one instruction
		x := e.arg(a, ir.Float)
		return fmt.Sprintf("archsimd.BroadcastFloat32x4(float32(%s.GetElem(0))).SetElem(1, float32(%s.GetElem(1)))", x, x)
	case v.Op == ir.Widen && v.Kind.Base() == ir.Float && e.joined[a]:
		return fmt.Sprintf("archsimd.BroadcastFloat64x2(float64(%s)).SetElem(1, float64(%s))", e.rowElement(a.Stream, 0), e.rowElement(a.Stream, 1))
	case v.Op == ir.Widen && v.Kind.Base() == ir.Float:
		x := e.arg(a, ir.Float)
		return fmt.Sprintf("archsimd.BroadcastFloat64x2(float64(%s.GetElem(0))).SetElem(1, float64(%s.GetElem(1)))", x, x)
	}
	return ""
}
