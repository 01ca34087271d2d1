package ir

// A Place is where an argument stands that the kernel is given in the frame of the call, as Go's ABI0 has it, in place of a block.
type Place struct {
	Name string // of the parameter
	At   int    // where it begins in the frame
	Kind PlaceKind
	In   int // of a lane of a view: where its header stands there
}

// A PlaceKind is what a parameter is.
type PlaceKind uint8

// The kinds of parameters: a slice, a pointer to a struct of slices, a pointer to an array, a number.
const (
	Slice PlaceKind = iota + 1
	View
	Array
	Number
)

// A Frame is how a kernel is called without a block.
type Frame struct {
	Go      string // the parameters and the result, as Go
	Bytes   int    // of all of them, and of the result
	Result  int    // where the number of rows goes that were done, if it may stop; else 0
	Rows    *Place // whose length is the number of rows
	Symbol  string // of the function, without its path
	Comment string // above it
}
