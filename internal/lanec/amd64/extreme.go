package amd64

import (
	"math"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// x86 gives the second operand of VMINPS and VMAXPS where one is NaN or both are zeros; Go's min and max know NaN and the signs of zeros. Of a number that
// is known to be neither NaN nor the negative zero, the instruction alone does what Go does, or nearly.

// plain says whether a float is never a NaN and never the negative zero, and whether it is not zero either, in a kernel of a width.
func plain(v *ir.Value, width int) (never, nonzero bool) {
	switch v.Op {
	case ir.Const:
		f := number(v, width)
		return !math.IsNaN(f) && (f != 0 || !math.Signbit(f)), f < 0 || f > 0
	case ir.ToFloat:
		return true, false
	case ir.Mul:
		for i, a := range v.Args {
			if c := v.Args[1-i]; a.Op == ir.ToFloat && c.Op == ir.Const {
				f := number(c, width)
				return f > 0 && f <= math.MaxFloat64, false // of whole numbers one at least, whose product is none of the smallest
			}
		}
	}
	return false, false
}

// number is a constant.
func number(v *ir.Value, width int) float64 {
	if v.Kind.Size(width) == 4 {
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(v.Bits)
}

// plainly returns the arguments of a choice of the smaller or larger one, a plain one second, if there is one.
func plainly(v *ir.Value, width int) (x, y *ir.Value, never, nonzero bool) {
	x, y = v.Args[0], v.Args[1]
	if never, _ := plain(x, width); never {
		x, y = y, x
	}
	never, nonzero = plain(y, width)
	return x, y, never, nonzero
}
