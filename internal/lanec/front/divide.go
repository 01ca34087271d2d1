package front

import (
	"math/bits"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// quotient divides integers by a constant and truncates, as Go does.
func (o *ops) quotient(a, by *ir.Value) *ir.Value {
	size := 8 * o.size(a)
	if a.Kind.Base() == ir.Uint {
		return o.unsigned(a, by.Bits, size)
	}
	d := int64(by.Bits<<(64-size)) >> (64 - size)
	unsigned := ir.Uint | a.Kind&ir.Half
	zero := o.integerConst(a, 0)
	below := o.isGreater(zero, a)
	size0 := o.b.Choose(below, o.op(ir.IntSub, zero, a), a)
	magnitude := uint64(d)
	if d < 0 {
		magnitude = -magnitude
	}
	q := o.b.Op(ir.Cast, a.Kind, o.unsigned(o.b.Op(ir.Cast, unsigned, size0), magnitude, size))
	minus := o.op(ir.IntSub, zero, q)
	if d < 0 {
		return o.b.Choose(below, q, minus)
	}
	return o.b.Choose(below, minus, q)
}

// unsigned divides unsigned integers by a constant.
//
// Source: T. Granlund and P. L. Montgomery, "Division by invariant integers
// using multiplication", PLDI 1994, figure 4.1.
func (o *ops) unsigned(n *ir.Value, d uint64, size int) *ir.Value {
	if size < 64 {
		d &= 1<<size - 1
	}
	l := bits.Len64(d - 1)
	if d == 1<<l { // a power of two
		if l == 0 {
			return n
		}
		return o.shift(ir.Shr, n, uint64(l))
	}
	high := uint64(1)<<l - d // of 2^l, which is 0 where l is 64
	var m uint64
	if size == 64 {
		m, _ = bits.Div64(high, 0, d)
	} else {
		m = high << size / d
	}
	t := o.upper(n, o.integerConst(n, m+1))
	return o.shift(ir.Shr, o.op(ir.IntAdd, o.shift(ir.Shr, o.op(ir.IntSub, n, t), 1), t), uint64(l-1))
}

// upper returns the upper half of a product of unsigned integers. For 64-bit lanes, no
// CPU has an instruction for this, so upper combines four products of 32-bit halves.
func (o *ops) upper(a, b *ir.Value) *ir.Value {
	if a.Kind.IsHalf() {
		wide := o.op(ir.MulWide, o.widenInt(a), o.widenInt(b))
		return o.b.Op(ir.Narrow, a.Kind, o.shift(ir.Shr, wide, 32))
	}
	half := uint64(4 * o.size(a))
	mul, low := ir.MulWide, o.integerConst(a, 1<<half-1)
	if half == 16 {
		mul = ir.IntMul
	}
	lower := func(v *ir.Value) *ir.Value { return o.op(ir.And, v, low) }
	al, ah, bl, bh := lower(a), o.shift(ir.Shr, a, half), lower(b), o.shift(ir.Shr, b, half)
	first := o.op(ir.IntAdd, o.op(mul, ah, bl), o.shift(ir.Shr, o.op(mul, al, bl), half))
	second := o.op(ir.IntAdd, o.op(mul, al, bh), lower(first))
	return o.op(ir.IntAdd, o.op(ir.IntAdd, o.op(mul, ah, bh), o.shift(ir.Shr, first, half)), o.shift(ir.Shr, second, half))
}
