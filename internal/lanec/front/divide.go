package front

import (
	"math/bits"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// quotient divides integers by a constant, as Go does: towards zero.
func (c *compiler) quotient(a, by *ir.Value) *ir.Value {
	size := 8 * c.size(a)
	if a.Kind.Base() == ir.Uint {
		return c.unsigned(a, by.Bits, size)
	}
	d := int64(by.Bits<<(64-size)) >> (64 - size)
	unsigned := ir.Uint | a.Kind&ir.Half
	zero := c.whole(a, 0)
	below := c.greater(zero, a)
	size0 := c.b.Choose(below, c.op(ir.IntSub, zero, a), a)
	magnitude := uint64(d)
	if d < 0 {
		magnitude = -magnitude
	}
	q := c.b.Op(ir.Cast, a.Kind, c.unsigned(c.b.Op(ir.Cast, unsigned, size0), magnitude, size))
	minus := c.op(ir.IntSub, zero, q)
	if d < 0 {
		return c.b.Choose(below, q, minus)
	}
	return c.b.Choose(below, minus, q)
}

// unsigned divides integers without sign.
//
// Source: T. Granlund and P. L. Montgomery, "Division by invariant integers using multiplication", PLDI 1994, figure 4.1.
func (c *compiler) unsigned(n *ir.Value, d uint64, size int) *ir.Value {
	if size < 64 {
		d &= 1<<size - 1
	}
	l := bits.Len64(d - 1)
	if d == 1<<l { // a power of two
		if l == 0 {
			return n
		}
		return c.moved(ir.Shr, n, uint64(l))
	}
	high := uint64(1)<<l - d // of 2^l, which is 0 where l is 64
	var m uint64
	if size == 64 {
		m, _ = bits.Div64(high, 0, d)
	} else {
		m = high << size / d
	}
	t := c.upper(n, c.whole(n, m+1))
	return c.moved(ir.Shr, c.op(ir.IntAdd, c.moved(ir.Shr, c.op(ir.IntSub, n, t), 1), t), uint64(l-1))
}

// upper is the upper half of a product of integers without sign, of which no CPU has one of 64 bits: of four products of halves.
func (c *compiler) upper(a, b *ir.Value) *ir.Value {
	if a.Kind.IsHalf() {
		wide := c.op(ir.MulWide, c.widened(a), c.widened(b))
		return c.b.Op(ir.Narrow, a.Kind, c.moved(ir.Shr, wide, 32))
	}
	half := uint64(4 * c.size(a))
	mul, low := ir.MulWide, c.whole(a, 1<<half-1)
	if half == 16 {
		mul = ir.IntMul
	}
	lower := func(v *ir.Value) *ir.Value { return c.op(ir.And, v, low) }
	al, ah, bl, bh := lower(a), c.moved(ir.Shr, a, half), lower(b), c.moved(ir.Shr, b, half)
	first := c.op(ir.IntAdd, c.op(mul, ah, bl), c.moved(ir.Shr, c.op(mul, al, bl), half))
	second := c.op(ir.IntAdd, c.op(mul, al, bh), lower(first))
	return c.op(ir.IntAdd, c.op(ir.IntAdd, c.op(mul, ah, bh), c.moved(ir.Shr, first, half)), c.moved(ir.Shr, second, half))
}
