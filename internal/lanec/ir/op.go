package ir

// A Kind is what the elements of a vector are. Those of a kernel have its width, and half of it where Half is set.
type Kind uint8

// The kinds: floats, integers with and without sign, and masks, whose elements are all ones or all zeros.
const (
	Float Kind = iota
	Int
	Uint
	Mask
	Half Kind = 4 // in a kernel of 64 bits: the kind below, of 32 bits
)

// Base is the kind whatever its width.
func (k Kind) Base() Kind { return k &^ Half }

// IsHalf says whether elements have half of the kernel's width.
func (k Kind) IsHalf() bool { return k&Half != 0 }

// Size is how many bytes an element has in a kernel of this width.
func (k Kind) Size(width int) int {
	if k.IsHalf() {
		return width / 2
	}
	return width
}

// An Op is what a value does.
type Op uint8

// The operations. a, b and c are the arguments in their order.
const (
	Const   Op = iota // Bits in each element
	Param             // a scalar in each element
	Rows              // mask: the elements that are rows, which are all but in the last vector
	Load              // a stream at the row
	Spread            // a stream at the counter of a loop, in each element
	Store             // a to a stream at the row
	Gather            // a stream at the elements a, where the mask b is set, 0 elsewhere
	Scatter           // several values to streams at elements, row by row: see Puts
	Guard             // ends the kernel before this vector if any element of the mask a is set
	Phi               // a variable that a loop changes

	Add // floats
	Sub
	Mul
	Div
	Sqrt
	Abs
	Neg
	Floor
	Ceil
	Trunc
	Round // to even
	Min   // Go's: NaN wins, -0 is below +0
	Max
	Smaller // a < b ? a : b
	Larger  // a > b ? a : b

	Less // floats to masks
	LessEqual
	Equal
	NotEqual

	And // bits of any kind
	Or
	Xor
	AndNot // a &^ b
	Not
	Sel  // a ? b : c
	Cast // the bits of a as another kind

	IntAdd // integers
	IntSub
	IntMul
	Shl // by Bits, which is less than the width
	Shr
	Sar
	ShlBy // a by b, which is at most the width, without sign
	ShrBy
	SarBy // of 32 bits
	IntEqual
	IntGreater // with sign
	ToFloat    // a signed integer of 32 bits, rounded to nearest
	ToInt      // a float32 that is in range, without its fraction
	MulWide    // the product of the lower 32 bits, without sign
	Widen      // a with twice the width: a float, or an integer with or without sign, as a is
	Narrow     // a with half of the width: a float, rounded to nearest, or the lower bits of an integer
)

var opNames = [...]string{
	Const: "const", Param: "param", Rows: "rows", Load: "load", Spread: "spread", Store: "store", Gather: "gather", Scatter: "scatter", Guard: "guard", Phi: "phi",
	Add: "add", Sub: "sub", Mul: "mul", Div: "div", Sqrt: "sqrt", Abs: "abs", Neg: "neg", Floor: "floor", Ceil: "ceil", Trunc: "trunc", Round: "round", Min: "min", Max: "max", Smaller: "smaller", Larger: "larger",
	Less: "less", LessEqual: "lessequal", Equal: "equal", NotEqual: "notequal",
	And: "and", Or: "or", Xor: "xor", AndNot: "andnot", Not: "not", Sel: "sel", Cast: "cast",
	IntAdd: "intadd", IntSub: "intsub", IntMul: "intmul", Shl: "shl", Shr: "shr", Sar: "sar", ShlBy: "shlby", ShrBy: "shrby", SarBy: "sarby", IntEqual: "intequal", IntGreater: "intgreater", ToFloat: "tofloat",
	ToInt: "toint", MulWide: "mulwide", Widen: "widen", Narrow: "narrow",
}

func (o Op) String() string { return opNames[o] }

// Pure says whether an operation depends on its arguments alone, so that it may stand anywhere below them, and once.
func (o Op) Pure() bool {
	switch o {
	case Load, Store, Phi, Spread, Gather, Scatter, Guard:
		return false
	}
	return true
}

// Acts says whether an operation is there for what it does: it has no result.
func (o Op) Acts() bool { return o == Store || o == Scatter || o == Guard }
