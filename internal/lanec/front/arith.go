package front

import (
	"go/token"
	"math"
	"slices"
	"strconv"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func (o *ops) binary(at token.Pos, op token.Token, x, y val) val {
	a, b := x.v, y.v
	switch op {
	case token.LAND:
		return val{v: o.b.And(a, b)}
	case token.LOR:
		return val{v: o.b.Op(ir.Or, ir.Mask, a, b)}
	case token.AND:
		return val{v: o.b.Op(ir.And, a.Kind, a, b)}
	case token.OR:
		return val{v: o.b.Op(ir.Or, a.Kind, a, b)}
	case token.XOR:
		return val{v: o.b.Op(ir.Xor, a.Kind, a, b)}
	case token.AND_NOT:
		return val{v: o.b.Op(ir.AndNot, a.Kind, a, b)}
	}
	switch a.Kind.Base() {
	case ir.Mask:
		differ := o.b.Op(ir.Xor, ir.Mask, a, b)
		if op == token.EQL {
			return val{v: o.b.Op(ir.Not, ir.Mask, differ)}
		}
		return val{v: differ}
	case ir.Float:
		return o.floats(at, op, x, y)
	}
	return val{v: o.ints(at, op, a, b)}
}

func (o *ops) floats(at token.Pos, op token.Token, x, y val) val {
	a, b := x.v, y.v
	switch op {
	case token.ADD, token.SUB:
		for _, term := range []val{x, y} {
			if term.raw != 0 {
				o.refuseRaw(term.raw, at, a)
			}
			if term.v.Op == ir.Phi {
				o.summed[term.v] = at
			}
		}
		if op == token.SUB {
			return val{v: o.b.Op(ir.Sub, a.Kind, a, b)}
		}
		return val{v: o.b.Op(ir.Add, a.Kind, a, b)}
	case token.MUL:
		product := o.b.Op(ir.Mul, a.Kind, a, b)
		if o.isConst(a, 2) || o.isConst(b, 2) {
			return val{v: product} // Go computes x+x; this is exact, so it does not matter whether a product x is rounded before or after
		}
		return val{product, at}
	case token.QUO:
		return o.divide(at, x, y)
	case token.LSS:
		return val{v: o.b.Op(ir.Less, ir.Mask, a, b)}
	case token.LEQ:
		return val{v: o.b.Op(ir.LessEqual, ir.Mask, a, b)}
	case token.GTR:
		return val{v: o.b.Op(ir.Less, ir.Mask, b, a)}
	case token.GEQ:
		return val{v: o.b.Op(ir.LessEqual, ir.Mask, b, a)}
	case token.EQL:
		return val{v: o.b.Op(ir.Equal, ir.Mask, a, b)}
	}
	return val{v: o.b.Op(ir.NotEqual, ir.Mask, a, b)}
}

// divide translates a division of floats. Division by a power of two becomes a
// multiplication by its reciprocal, as in Go, because the reciprocal is exact.
func (o *ops) divide(at token.Pos, x, y val) val {
	a, b := x.v, y.v
	switch {
	case o.isConst(b, 0.5):
		return val{v: o.b.Op(ir.Mul, a.Kind, a, o.reciprocal(b))} // doubling is exact: see floats
	case b.Op != ir.Const && isConstant(b):
		return val{o.b.Op(ir.Div, a.Kind, a, b), at}
	case b.Op != ir.Const || !o.powerOfTwo(b):
		return val{v: o.b.Op(ir.Div, a.Kind, a, b)}
	}
	return val{o.b.Op(ir.Mul, a.Kind, a, o.reciprocal(b)), at}
}

// refuseRaw records a problem: at the position at, there is a product that Go may fuse
// with the sum at the position sum. It records only the first product of a sum, and
// continues as if the product were rounded, to find other problems.
func (o *ops) refuseRaw(at, sum token.Pos, v *ir.Value) {
	if slices.ContainsFunc(o.refused, func(p *Problem) bool { return p.Pos == at }) {
		return
	}
	t := "float" + decimal(int64(o.size(v)*8))
	p := problem(at, "this product meets a sum, and where Go fuses the two (arm64, GOAMD64=v3) the bits are others: write %s(a*b), or %s(a/2) of a quotient by a power of two", t, t)
	p.Sum = sum
	o.refused = append(o.refused, p)
}

// isConst reports whether a value is a constant number.
func (o *ops) isConst(v *ir.Value, f float64) bool {
	switch {
	case v.Op != ir.Const:
		return false
	case o.size(v) == 4:
		return math.Float32frombits(uint32(v.Bits)) == float32(f)
	}
	return math.Float64frombits(v.Bits) == f
}

// isConstant reports whether a value is computed from constants only. The Go compiler
// evaluates such a value, and may find that it is a power of two.
func isConstant(v *ir.Value) bool {
	switch v.Op {
	case ir.Const:
		return true
	case ir.Load, ir.Spread, ir.Pick, ir.Param, ir.Phi, ir.Rows:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !isConstant(a) })
}

// powerOfTwo reports whether a number is a power of two that is a normal number. Its
// reciprocal is then a normal number too, except for the largest power.
func (o *ops) powerOfTwo(v *ir.Value) bool {
	bits := v.Bits
	if o.size(v) == 4 {
		e := bits >> 23 & 0xff
		return bits&(1<<23-1) == 0 && e != 0 && e != 0xff
	}
	e := bits >> 52 & 0x7ff
	return bits&(1<<52-1) == 0 && e != 0 && e != 0x7ff
}

// reciprocal returns the reciprocal of a power of two, which is exact.
func (o *ops) reciprocal(v *ir.Value) *ir.Value {
	if o.size(v) == 4 {
		return o.b.Const(v.Kind, uint64(math.Float32bits(1/math.Float32frombits(uint32(v.Bits)))))
	}
	return o.b.Const(v.Kind, math.Float64bits(1/math.Float64frombits(v.Bits)))
}

func (o *ops) ints(at token.Pos, op token.Token, a, b *ir.Value) *ir.Value {
	not := func(v *ir.Value) *ir.Value { return o.b.Op(ir.Not, ir.Mask, v) }
	switch op {
	case token.ADD:
		return o.b.Op(ir.IntAdd, a.Kind, a, b)
	case token.SUB:
		return o.b.Op(ir.IntSub, a.Kind, a, b)
	case token.MUL:
		if o.size(a) == 8 {
			return o.product(a, b)
		}
		return o.b.Op(ir.IntMul, a.Kind, a, b)
	case token.EQL:
		return o.b.Op(ir.IntEqual, ir.Mask, a, b)
	case token.NEQ:
		return not(o.b.Op(ir.IntEqual, ir.Mask, a, b))
	case token.GTR:
		return o.isGreater(a, b)
	case token.LSS:
		return o.isGreater(b, a)
	case token.GEQ:
		return not(o.isGreater(b, a))
	case token.LEQ:
		return not(o.isGreater(a, b))
	case token.QUO, token.REM:
		if b.Op != ir.Const || b.Bits == 0 {
			break
		}
		q := o.quotient(a, b)
		if op == token.QUO {
			return q
		}
		return o.op(ir.IntSub, a, o.ints(at, token.MUL, q, b))
	}
	fail(at, "%v of integers: no CPU divides vectors of them; shift or divide by a constant, or divide floats", op)
	return nil
}

// isGreater compares integers. It compares unsigned integers as signed integers
// with the highest bit flipped.
func (o *ops) isGreater(a, b *ir.Value) *ir.Value {
	if a.Kind.Base() == ir.Uint {
		top := o.b.Const(a.Kind, 1<<(8*o.size(a)-1))
		a, b = o.b.Op(ir.Xor, a.Kind, a, top), o.b.Op(ir.Xor, a.Kind, b, top)
	}
	return o.b.Op(ir.IntGreater, ir.Mask, a, b)
}

// shiftBy shifts by a number that differs between rows. For shifts by more than the
// width, CPUs return different results, so the number is limited to the width.
func (o *ops) shiftBy(at token.Pos, op token.Token, x, n *ir.Value) *ir.Value {
	bits := uint64(8 * o.size(x))
	if n.Kind.Base() != ir.Uint || o.size(n) != o.size(x) {
		fail(at, "a shift by a variable is understood where that has the width of what is shifted, and no sign: write uint%d(n)", bits)
	}
	sar := op == token.SHR && x.Kind.Base() == ir.Int
	most := o.integerConst(n, bits)
	if sar && bits == 64 {
		most = o.integerConst(n, 63)
	}
	n = o.b.Choose(o.isGreater(n, most), most, n)
	switch {
	case op == token.SHL:
		return o.op(ir.ShlBy, x, n)
	case !sar:
		return o.op(ir.ShrBy, x, n)
	case bits == 32:
		return o.op(ir.SarBy, x, n)
	}
	sign := o.op(ir.ShrBy, o.integerConst(x, 1<<63), n) // as of a constant
	return o.op(ir.IntSub, o.op(ir.Xor, o.op(ir.ShrBy, x, n), sign), sign)
}
