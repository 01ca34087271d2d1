package front

import (
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strconv"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func (c *compiler) binary(at token.Pos, op token.Token, x, y val) val {
	a, b := x.v, y.v
	switch op {
	case token.LAND:
		return val{v: c.b.And(a, b)}
	case token.LOR:
		return val{v: c.b.Op(ir.Or, ir.Mask, a, b)}
	case token.AND:
		return val{v: c.b.Op(ir.And, a.Kind, a, b)}
	case token.OR:
		return val{v: c.b.Op(ir.Or, a.Kind, a, b)}
	case token.XOR:
		return val{v: c.b.Op(ir.Xor, a.Kind, a, b)}
	case token.AND_NOT:
		return val{v: c.b.Op(ir.AndNot, a.Kind, a, b)}
	}
	switch a.Kind.Base() {
	case ir.Mask:
		differ := c.b.Op(ir.Xor, ir.Mask, a, b)
		if op == token.EQL {
			return val{v: c.b.Op(ir.Not, ir.Mask, differ)}
		}
		return val{v: differ}
	case ir.Float:
		return c.floats(at, op, x, y)
	}
	return val{v: c.ints(at, op, a, b)}
}

func (c *compiler) floats(at token.Pos, op token.Token, x, y val) val {
	a, b := x.v, y.v
	switch op {
	case token.ADD, token.SUB:
		for _, o := range []val{x, y} {
			if o.raw != 0 {
				c.refuseRaw(o.raw, a)
			}
			if o.v.Op == ir.Phi {
				c.summed[o.v] = at
			}
		}
		if op == token.SUB {
			return val{v: c.b.Op(ir.Sub, a.Kind, a, b)}
		}
		return val{v: c.b.Op(ir.Add, a.Kind, a, b)}
	case token.MUL:
		if raw := max(x.raw, y.raw); raw != 0 && (c.mayBe(a, 2) || c.mayBe(b, 2)) {
			c.refuseRaw(raw, a) // Go adds the product to itself
		}
		return val{c.b.Op(ir.Mul, a.Kind, a, b), at}
	case token.QUO:
		return c.divided(at, x, y)
	case token.LSS:
		return val{v: c.b.Op(ir.Less, ir.Mask, a, b)}
	case token.LEQ:
		return val{v: c.b.Op(ir.LessEqual, ir.Mask, a, b)}
	case token.GTR:
		return val{v: c.b.Op(ir.Less, ir.Mask, b, a)}
	case token.GEQ:
		return val{v: c.b.Op(ir.LessEqual, ir.Mask, b, a)}
	case token.EQL:
		return val{v: c.b.Op(ir.Equal, ir.Mask, a, b)}
	}
	return val{v: c.b.Op(ir.NotEqual, ir.Mask, a, b)}
}

// divided divides. By a power of two it is a product, as it is to Go.
func (c *compiler) divided(at token.Pos, x, y val) val {
	a, b := x.v, y.v
	if x.raw != 0 && c.mayBe(b, 0.5) {
		c.refuseRaw(x.raw, a)
	}
	switch {
	case b.Op != ir.Const && fixed(b):
		return val{c.b.Op(ir.Div, a.Kind, a, b), at}
	case b.Op != ir.Const || !c.powerOfTwo(b):
		return val{v: c.b.Op(ir.Div, a.Kind, a, b)}
	}
	return val{c.b.Op(ir.Mul, a.Kind, a, c.reciprocal(b)), at}
}

// refuseRaw refuses a sum with a product that Go may fuse with it.
func (c *compiler) refuseRaw(at token.Pos, v *ir.Value) {
	t := "float" + decimal(int64(c.size(v)*8))
	c.fail(at, "this product meets a sum, and where Go fuses the two (arm64, GOAMD64=v3) the bits are others: write %s(a*b), or %s(a/2) of a quotient by a power of two", t, t)
}

// mayBe says whether Go may know a value to be a constant of this size, of either sign.
func (c *compiler) mayBe(v *ir.Value, f float64) bool {
	switch {
	case v.Op != ir.Const:
		return fixed(v)
	case c.size(v) == 4:
		return math.Float32frombits(uint32(v.Bits)&^(1<<31)) == float32(f)
	}
	return math.Float64frombits(v.Bits&^(1<<63)) == f
}

// fixed says whether a value is made of constants alone: Go computes it, and what comes out may be a power of two.
func fixed(v *ir.Value) bool {
	switch v.Op {
	case ir.Const:
		return true
	case ir.Load, ir.Spread, ir.Param, ir.Phi, ir.Rows:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !fixed(a) })
}

// powerOfTwo says whether a number is one that is normal, as is its reciprocal, or the largest.
func (c *compiler) powerOfTwo(v *ir.Value) bool {
	bits := v.Bits
	if c.size(v) == 4 {
		e := bits >> 23 & 0xff
		return bits&(1<<23-1) == 0 && e != 0 && e != 0xff
	}
	e := bits >> 52 & 0x7ff
	return bits&(1<<52-1) == 0 && e != 0 && e != 0x7ff
}

// reciprocal of a power of two, which is exact.
func (c *compiler) reciprocal(v *ir.Value) *ir.Value {
	if c.size(v) == 4 {
		return c.b.Const(v.Kind, uint64(math.Float32bits(1/math.Float32frombits(uint32(v.Bits)))))
	}
	return c.b.Const(v.Kind, math.Float64bits(1/math.Float64frombits(v.Bits)))
}

func (c *compiler) ints(at token.Pos, op token.Token, a, b *ir.Value) *ir.Value {
	not := func(v *ir.Value) *ir.Value { return c.b.Op(ir.Not, ir.Mask, v) }
	switch op {
	case token.ADD:
		return c.b.Op(ir.IntAdd, a.Kind, a, b)
	case token.SUB:
		return c.b.Op(ir.IntSub, a.Kind, a, b)
	case token.MUL:
		if c.size(a) == 8 {
			return c.product(a, b)
		}
		return c.b.Op(ir.IntMul, a.Kind, a, b)
	case token.EQL:
		return c.b.Op(ir.IntEqual, ir.Mask, a, b)
	case token.NEQ:
		return not(c.b.Op(ir.IntEqual, ir.Mask, a, b))
	case token.GTR:
		return c.greater(a, b)
	case token.LSS:
		return c.greater(b, a)
	case token.GEQ:
		return not(c.greater(b, a))
	case token.LEQ:
		return not(c.greater(a, b))
	case token.QUO, token.REM:
		if b.Op != ir.Const || b.Bits == 0 {
			break
		}
		q := c.quotient(a, b)
		if op == token.QUO {
			return q
		}
		return c.op(ir.IntSub, a, c.ints(at, token.MUL, q, b))
	}
	c.fail(at, "%v of integers: no CPU divides vectors of them; shift or divide by a constant, or divide floats", op)
	return nil
}

// greater compares integers. The order of unsigned ones is that of signed ones whose highest bit is flipped.
func (c *compiler) greater(a, b *ir.Value) *ir.Value {
	if a.Kind.Base() == ir.Uint {
		top := c.b.Const(a.Kind, 1<<(8*c.size(a)-1))
		a, b = c.b.Op(ir.Xor, a.Kind, a, top), c.b.Op(ir.Xor, a.Kind, b, top)
	}
	return c.b.Op(ir.IntGreater, ir.Mask, a, b)
}

func (c *compiler) shift(at token.Pos, op token.Token, x val, by ast.Expr) val {
	n, ok := c.constantInt(by)
	if !ok {
		c.fail(by.Pos(), "a shift by a variable is not understood: shift by a constant")
	}
	kind, bits := x.v.Kind, int64(8*c.size(x.v))
	if n >= bits {
		if op == token.SHR && kind.Base() == ir.Int {
			n = bits - 1 // the sign in every bit
		} else {
			return val{v: c.b.Const(kind, 0)}
		}
	}
	shifted := func(op ir.Op, v *ir.Value, n int64) *ir.Value {
		return c.b.Put(&ir.Value{Op: op, Kind: kind, Args: []*ir.Value{v}, Bits: uint64(n)})
	}
	switch {
	case n == 0:
		return val{v: x.v}
	case op == token.SHL:
		return val{v: shifted(ir.Shl, x.v, n)}
	case kind.Base() == ir.Uint:
		return val{v: shifted(ir.Shr, x.v, n)}
	case bits == 32:
		return val{v: shifted(ir.Sar, x.v, n)}
	}
	// AVX2 shifts no signs of 64 bits in: the sign bit goes down and is spread by a sum.
	sign := c.b.Const(kind, 1<<(63-n))
	return val{v: c.b.Op(ir.IntSub, kind, c.b.Op(ir.Xor, kind, shifted(ir.Shr, x.v, n), sign), sign)}
}
