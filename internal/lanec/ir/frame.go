package ir

// A Place is the position of an argument in the frame of the call, in the
// layout of Go's ABI0. Kernels with places have no argument block.
type Place struct {
	Name string // of the parameter
	At   int    // offset in the frame
	Kind PlaceKind
	In   int // of a lane of a view: offset of its slice header in the view
}

// A PlaceKind is the kind of a parameter.
type PlaceKind uint8

// The kinds of parameters: a slice, a pointer to a struct of slices, a pointer to an array, a number.
const (
	Slice PlaceKind = iota + 1
	View
	Array
	Number
)

// A Frame describes the call of a kernel without an argument block.
type Frame struct {
	Go      string // parameters and result as Go source
	Bytes   int    // of all arguments and the result
	Result  int    // offset of the result, the number of rows that were done, if the kernel may stop; otherwise 0
	Rows    *Place // the operand whose length is the number of rows
	Symbol  string // name of the function, without its path
	Comment string // above it
}
