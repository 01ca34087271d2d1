package simulate

import (
	"fmt"
	"math"
)

type float interface{ float32 | float64 }

// addFloats adds the instructions on floats of both widths.
func addFloats(t map[string]*op) {
	addBinary(t, "VADD", true, sum[float32], sum[float64])
	addBinary(t, "VSUB", true, difference[float32], difference[float64])
	addBinary(t, "VMUL", false, product[float32], product[float64])
	addBinary(t, "VDIV", false, quotient[float32], quotient[float64])
	addBinary(t, "VMIN", false, smaller[float32], smaller[float64])
	addBinary(t, "VMAX", false, larger[float32], larger[float64])
	addOp(t, "VSQRTP", 1, false,
		func(a, _ float32, _ uint64) float32 { return float32(math.Sqrt(float64(a))) },
		func(a, _ float64, _ uint64) float64 { return math.Sqrt(a) })
	addOp(t, "VRNDSCALEP", 1, true,
		func(a, _ float32, imm uint64) float32 { return float32(roundTo(float64(a), imm)) },
		func(a, _ float64, imm uint64) float64 { return roundTo(a, imm) })
	addOp(t, "VRANGEP", 2, true, extreme[float32], extreme[float64])
	t["VCMPPS"] = &op{operands: 2, size: 4, from: 4, immediate: true, each: func(x *[3]uint64, imm uint64) uint64 {
		return bit(compareIs(float64(math.Float32frombits(uint32(x[0]))), float64(math.Float32frombits(uint32(x[1]))), imm))
	}}
	t["VCMPPD"] = &op{operands: 2, size: 8, from: 8, immediate: true, each: func(x *[3]uint64, imm uint64) uint64 {
		return bit(compareIs(math.Float64frombits(x[0]), math.Float64frombits(x[1]), imm))
	}}
	t["VXORPS"] = &op{operands: 2, size: 4, from: 4, each: func(x *[3]uint64, _ uint64) uint64 { return x[0] ^ x[1] }}
}

// addBinary adds an instruction with two floats as operands. If scalar is set, it also
// adds the form of the instruction that operates on only the first element.
func addBinary(t map[string]*op, name string, scalar bool, f func(a, b float32) float32, g func(a, b float64) float64) {
	f32 := func(a, b float32, _ uint64) float32 { return f(a, b) }
	f64 := func(a, b float64, _ uint64) float64 { return g(a, b) }
	if addOp(t, name+"P", 2, false, f32, f64); scalar {
		addOp(t, name+"S", 2, false, f32, f64)
		t[name+"SS"].one, t[name+"SD"].one = true, true
	}
}

// addOp adds an instruction with one or two floats as operands, optionally with an immediate.
func addOp(t map[string]*op, name string, operands int, immediate bool, f func(a, b float32, imm uint64) float32, g func(a, b float64, imm uint64) float64) {
	t[name+"S"] = &op{operands: operands, size: 4, from: 4, immediate: immediate, each: func(x *[3]uint64, imm uint64) uint64 {
		return uint64(math.Float32bits(f(math.Float32frombits(uint32(x[0])), math.Float32frombits(uint32(x[1])), imm)))
	}}
	t[name+"D"] = &op{operands: operands, size: 8, from: 8, immediate: immediate, each: func(x *[3]uint64, imm uint64) uint64 {
		return math.Float64bits(g(math.Float64frombits(x[0]), math.Float64frombits(x[1]), imm))
	}}
}

func sum[T float](a, b T) T        { return a + b }
func difference[T float](a, b T) T { return a - b }
func product[T float](a, b T) T    { return a * b }
func quotient[T float](a, b T) T   { return a / b }

// The functions smaller and larger return the second number if one is NaN or both are zeros.
func smaller[T float](a, b T) T {
	if a < b {
		return a
	}
	return b
}

func larger[T float](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// roundTo rounds to an integer. It raises no floating-point exception.
func roundTo(x float64, imm uint64) float64 {
	switch imm {
	case 8:
		return math.RoundToEven(x)
	case 9:
		return math.Floor(x)
	case 10:
		return math.Ceil(x)
	case 11:
		return math.Trunc(x)
	}
	panic(fmt.Sprintf("a rounding of %d", imm))
}

// extreme returns the larger number. It orders zeros by their signs. If only one
// operand is NaN, it returns the other one.
func extreme[T float](a, b T, imm uint64) T {
	switch {
	case imm != 5:
		panic(fmt.Sprintf("a range of %d", imm))
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

// compareIs reports whether a comparison is true. The fifth bit of the predicate
// only affects exceptions.
func compareIs(a, b float64, predicate uint64) bool {
	if predicate > 31 {
		panic(fmt.Sprintf("a comparison of %d", predicate))
	}
	less, equal, more := a < b, a == b, a > b
	apart := !less && !equal && !more
	return [16]bool{
		equal, less, less || equal, apart, !equal, !less, !less && !equal, !apart,
		equal || apart, less || apart, !more, false, less || more, more || equal, more, true,
	}[predicate%16]
}
