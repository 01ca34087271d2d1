package ir

// A Kind is the kind of the elements of a vector. They have the width of the
// kernel, or half of it if Half is set.
type Kind uint8

// The kinds: floats, signed and unsigned integers, and masks, whose elements
// are all ones or all zeros.
const (
	Float Kind = iota
	Int
	Uint
	Mask
	Half Kind = 4 // in a kernel of width 64: the 32-bit variant of a kind
)

// Base returns the kind without its width.
func (k Kind) Base() Kind { return k &^ Half }

// IsHalf reports whether elements have half of the kernel's width.
func (k Kind) IsHalf() bool { return k&Half != 0 }

// Size returns the number of bytes of an element in a kernel of this width.
func (k Kind) Size(width int) int {
	if k.IsHalf() {
		return width / 2
	}
	return width
}

// An Op is the operation of a value.
type Op uint8

// These are the operations. In the comments, a, b and c are the arguments in their order.
const (
	Const   Op = iota // Bits in each element
	Param             // a scalar, in each element
	Rows              // mask of the valid rows: all elements except in the last vector
	Load              // element of a stream at the row
	Spread            // element of a stream at the counter of a loop, in each element
	Store             // stores a to a stream at the row
	Pick              // element of a stream at the index that the list of a loop's Span has at its counter, in each element
	Within            // ends the kernel before this vector if that index is not below Scalar
	Gather            // elements of a stream at the indices a where the mask b is set, 0 elsewhere
	Scatter           // stores several values to streams at computed indices, row by row: see Puts
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
	Min   // Go's min: NaN if an operand is NaN, and -0 is less than +0
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
	Shl // shift by Bits, which is less than the width
	Shr
	Sar
	ShlBy // logical shift of a by b, which is at most the width
	ShrBy
	SarBy // of 32 bits
	IntEqual
	IntGreater // with sign
	ToFloat    // converts a signed 32-bit integer, rounded to nearest
	ToInt      // truncates a float32 that is in range
	MulWide    // the unsigned product of the lower 32 bits
	Widen      // a with twice the width: a float, or a signed or unsigned integer, like a
	Narrow     // a with half of the width: a float, rounded to nearest, or the lower bits of an integer
)

var opNames = [...]string{
	Const: "const", Param: "param", Rows: "rows", Load: "load", Spread: "spread", Pick: "pick", Within: "within", Store: "store", Gather: "gather", Scatter: "scatter", Guard: "guard", Phi: "phi",
	Add: "add", Sub: "sub", Mul: "mul", Div: "div", Sqrt: "sqrt", Abs: "abs", Neg: "neg", Floor: "floor", Ceil: "ceil", Trunc: "trunc", Round: "round", Min: "min", Max: "max", Smaller: "smaller", Larger: "larger",
	Less: "less", LessEqual: "lessequal", Equal: "equal", NotEqual: "notequal",
	And: "and", Or: "or", Xor: "xor", AndNot: "andnot", Not: "not", Sel: "sel", Cast: "cast",
	IntAdd: "intadd", IntSub: "intsub", IntMul: "intmul", Shl: "shl", Shr: "shr", Sar: "sar", ShlBy: "shlby", ShrBy: "shrby", SarBy: "sarby", IntEqual: "intequal", IntGreater: "intgreater", ToFloat: "tofloat",
	ToInt: "toint", MulWide: "mulwide", Widen: "widen", Narrow: "narrow",
}

func (o Op) String() string { return opNames[o] }

// Pure reports whether an operation depends only on its arguments, so that it
// may be placed anywhere after them, and computed once.
func (o Op) Pure() bool {
	switch o {
	case Load, Store, Phi, Spread, Pick, Within, Gather, Scatter, Guard:
		return false
	}
	return true
}

// Acts reports whether an operation has an effect instead of a result.
func (o Op) Acts() bool { return o == Store || o == Scatter || o == Guard || o == Within }
