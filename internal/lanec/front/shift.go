package front

import (
	"go/ast"
	"go/token"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

func (c *compiler) shift(at token.Pos, op token.Token, x val, by ast.Expr) val {
	n, ok := c.constantInt(by)
	if !ok {
		fail(by.Pos(), "a shift by a variable is not understood: shift by a constant")
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
