package front

import (
	"math"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// widenInt converts an integer to twice its width.
func (o *ops) widenInt(x *ir.Value) *ir.Value { return o.b.Op(ir.Widen, x.Kind.Base(), x) }

// op appends an operation on two values of a kind.
func (o *ops) op(op ir.Op, a, b *ir.Value) *ir.Value { return o.b.Op(op, a.Kind, a, b) }

// integerConst returns an integer constant of the same kind as the given value. like
// and number64 return constants for floats.
func (o *ops) integerConst(like *ir.Value, bits uint64) *ir.Value { return o.b.Const(like.Kind, bits) }

func (o *ops) number64(f float64) *ir.Value { return o.b.Const(ir.Float, math.Float64bits(f)) }

func (o *ops) like(v *ir.Value, f float64) *ir.Value {
	if o.size(v) == 4 {
		return o.b.Const(v.Kind, uint64(math.Float32bits(float32(f))))
	}
	return o.b.Const(v.Kind, math.Float64bits(f))
}

// shift shifts an integer as an unsigned number.
func (o *ops) shift(op ir.Op, v *ir.Value, n uint64) *ir.Value {
	return o.b.Put(&ir.Value{Op: op, Kind: v.Kind, Args: []*ir.Value{v}, Bits: n})
}

// product multiplies 64-bit integers. It computes three products of 32-bit halves.
func (o *ops) product(a, b *ir.Value) *ir.Value {
	low := o.op(ir.MulWide, a, b)
	cross := o.op(ir.IntAdd, o.op(ir.MulWide, o.shift(ir.Shr, a, 32), b), o.op(ir.MulWide, a, o.shift(ir.Shr, b, 32)))
	return o.op(ir.IntAdd, low, o.shift(ir.Shl, cross, 32))
}

// toFloat rounds an integer to the nearest float of the same or a larger width.
// Only for int32, every CPU has an instruction.
func (o *ops) toFloat(x *ir.Value, kind ir.Kind) *ir.Value {
	switch {
	case x.Kind.Base() == ir.Int && o.size(x) == 4:
		return o.b.Op(ir.ToFloat, kind, x)
	case o.size(x) < kind.Size(o.width()): // 2^52 + x, less 2^52
		bits := o.op(ir.Or, o.widenInt(x), o.b.Const(ir.Uint, math.Float64bits(1<<52)))
		return o.b.Op(ir.Sub, kind, o.b.Op(ir.Cast, kind, bits), o.number64(1<<52))
	case o.size(x) == 4: // both halves are exact, and their sum rounds once
		high := o.b.Op(ir.ToFloat, kind, o.b.Op(ir.Cast, kind|ir.Int, o.shift(ir.Shr, x, 16)))
		low := o.b.Op(ir.ToFloat, kind, o.b.Op(ir.Cast, kind|ir.Int, o.op(ir.And, x, o.integerConst(x, 0xffff))))
		return o.op(ir.Add, o.op(ir.Mul, high, o.like(high, 1<<16)), low)
	}
	// The lower half is added to 2^52, and the upper half times 2^32 is added to 2^84; both sums are exact. The
	// last sum rounds once.
	low := o.op(ir.Or, o.op(ir.And, x, o.integerConst(x, 1<<32-1)), o.integerConst(x, math.Float64bits(1<<52)))
	offset := float64(1<<84 + 1<<52)
	high := o.op(ir.Xor, o.shift(ir.Shr, x, 32), o.integerConst(x, math.Float64bits(1<<84)))
	if x.Kind == ir.Int {
		high = o.op(ir.Xor, high, o.integerConst(x, 1<<31))
		offset = 1<<84 + 1<<63 + 1<<52
	}
	exact := o.b.Op(ir.Sub, kind, o.b.Op(ir.Cast, kind, high), o.number64(offset))
	return o.b.Op(ir.Add, kind, exact, o.b.Op(ir.Cast, kind, low))
}

// toInt converts a float to an integer as kernels.ToInt32 and its variants do.
// A number that is out of range becomes the nearest integer, and NaN becomes 0.
func (o *ops) toInt(x *ir.Value, kind ir.Kind) *ir.Value {
	bits := 8 * kind.Size(o.width())
	least, most, first, last := 0.0, math.Ldexp(1, bits), uint64(0), uint64(math.MaxUint64)
	if kind.Base() == ir.Int {
		least, most, first, last = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1), 1<<(bits-1), 1<<(bits-1)-1
	}
	if o.size(x) < kind.Size(o.width()) {
		x = o.b.Op(ir.Widen, x.Kind.Base(), x)
	}
	compare := func(op ir.Op, a, b *ir.Value) *ir.Value { return o.b.Op(op, ir.Mask, a, b) }
	below, above := compare(ir.Less, x, o.like(x, least)), compare(ir.LessEqual, o.like(x, most), x)
	inside := o.b.And(compare(ir.LessEqual, o.like(x, least), x), compare(ir.Less, x, o.like(x, most)))
	whole := o.inRange(o.b.Choose(inside, x, o.like(x, 0)), kind) // so that no NaN goes into the conversion
	whole = o.b.Choose(below, o.b.Const(kind, first), whole)
	return o.b.Choose(above, o.b.Const(kind, last), whole)
}

// inRange converts a float that is in range to an integer.
func (o *ops) inRange(x *ir.Value, kind ir.Kind) *ir.Value {
	bits := func(v *ir.Value, kind ir.Kind) *ir.Value { return o.b.Op(ir.Cast, kind, v) }
	signed := kind.Base() == ir.Int
	from, to := o.size(x), kind.Size(o.width())
	switch {
	case from == 4 && signed:
		return o.b.Op(ir.ToInt, kind, x)
	case from == 4: // convert the upper half of the range after subtracting 2^31, and add that bit again
		half := o.like(x, 1<<31)
		large := o.b.Op(ir.LessEqual, ir.Mask, half, x)
		low := o.b.Op(ir.ToInt, x.Kind|ir.Int, o.b.Choose(large, o.op(ir.Sub, x, half), x))
		return o.op(ir.Xor, bits(low, kind), o.b.Choose(large, o.b.Const(kind, 1<<31), o.b.Const(kind, 0)))
	}
	// The lower bits of 2^52 + x are the lower bits of x. For a signed x, the lower bits of 3·2^51
	// + x are.
	offset := float64(1 << 52)
	if signed {
		offset = 3 << 51
	}
	t := o.b.Op(ir.Trunc, ir.Float, x)
	if to == 4 {
		return o.b.Op(ir.Narrow, kind, bits(o.b.Op(ir.Add, ir.Float, t, o.number64(offset)), kind.Base()))
	}
	high := o.b.Op(ir.Floor, ir.Float, o.b.Op(ir.Mul, ir.Float, t, o.number64(1.0/(1<<32))))
	low := o.b.Op(ir.Sub, ir.Float, t, o.b.Op(ir.Mul, ir.Float, high, o.number64(1<<32)))
	upper := o.shift(ir.Shl, bits(o.b.Op(ir.Add, ir.Float, high, o.number64(offset)), kind), 32)
	lower := o.op(ir.And, bits(o.b.Op(ir.Add, ir.Float, low, o.number64(1<<52)), kind), o.b.Const(kind, 1<<32-1))
	return o.op(ir.Or, upper, lower)
}
