package front

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A val is the result of an expression: an ir.Value and the properties that the translation needs.
type val struct {
	v   *ir.Value
	raw token.Pos // position of the raw product that the value may be; 0 if it is none
}

// ops translates operations on values with the semantics of Go. It does not use the
// source of the program, except for positions.
type ops struct {
	b       *ir.Builder
	summed  map[*ir.Value]token.Pos // phis that are added
	refused Problems                // products that are added without rounding
}

func (o *ops) float(kind ir.Kind, value constant.Value) *ir.Value {
	if kind.Size(o.width()) == 4 {
		f, _ := constant.Float32Val(constant.ToFloat(value))
		return o.b.Const(kind, uint64(math.Float32bits(f)))
	}
	f, _ := constant.Float64Val(constant.ToFloat(value))
	return o.b.Const(kind, math.Float64bits(f))
}

// negate returns -v. If v is a product and one factor is the same for all rows, the
// result is a product with this factor negated, so that the negation is done only once.
func (o *ops) negate(v *ir.Value) *ir.Value {
	if v.Op == ir.Mul {
		for i, a := range v.Args {
			if a.Region == o.b.Kernel.Entry && v.Region != a.Region {
				return o.b.Op(ir.Mul, v.Kind, o.b.Op(ir.Neg, v.Kind, a), v.Args[1-i])
			}
		}
	}
	return o.b.Op(ir.Neg, v.Kind, v)
}

// nan returns a NaN.
func (o *ops) nan(kind ir.Kind) *ir.Value {
	if kind.Size(o.width()) == 4 {
		return o.b.Const(kind, 0x7fc00000)
	}
	return o.b.Const(kind, math.Float64bits(math.NaN()))
}

// wider is the value of a panic: the kernel was translated with width 32 but has a
// 64-bit value, so the translation starts again with width 64.
type wider struct{}

func (o *ops) width() int { return o.b.Kernel.Width }

// size returns the number of bytes of an element of a value.
func (o *ops) size(v *ir.Value) int { return v.Kind.Size(o.width()) }

// kind returns the kind of a Go type. It reports a problem for a type that has no kind
// or whose width differs between CPUs.
func (o *ops) kind(at token.Pos, t types.Type) ir.Kind {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		fail(at, "%v is no number: what a row computes with is float32, float64, int32, uint32, int64, uint64 or bool", t)
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return ir.Mask
	case info&types.IsUntyped != 0 && info&types.IsFloat != 0:
		return ir.Float
	case info&types.IsUntyped != 0 && info&types.IsInteger != 0:
		return ir.Int
	case b.Kind() == types.Int || b.Kind() == types.Uint || b.Kind() == types.Uintptr:
		fail(at, "%v has another width on other CPUs: write int32 or int64", t)
	case sizes[b.Kind()] == 0:
		fail(at, "%v is no number of 32 or 64 bits", t)
	case sizes[b.Kind()] > o.width():
		panic(wider{})
	}
	half := ir.Kind(0)
	if sizes[b.Kind()] < o.width() {
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
