package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A compiler goes through one function.
type compiler struct {
	source
	ops
	nans
	streams  map[string]*stream // by expression
	names    map[types.Object]name
	vars     map[types.Object]val
	cache    map[*ir.Stream]val // what an element of the row is known to be
	counters map[types.Object]*ir.Loop
	row      types.Object // the index of the row
	path     *ir.Value
	live     *ir.Value
	turns    []*turn   // the loops around this place, inside of the one over the rows
	calls    []*inline // the helpers around this place
	stored   bool      // something was written in this row
	puts     *ir.Value // what the row writes at numbers that are computed, or nil
	branches int       // how many conditions and loops there are around this place
	gone     bool      // nothing comes here: all rows have returned
}

// A name is what an identifier stands for, if it is no variable of the row.
type name struct {
	lane   *stream
	length string     // of the lane, as an expression of parameters
	view   string     // a pointer to a struct of slices, as an expression of parameters
	count  string     // an int, as an expression of parameters
	turns  int64      // or its constant value, if count is ""
	scalar *ir.Scalar // a number
	total  *stream    // a kernels.Total
	matrix *matrix    // a slice of arrays, or the address of its row
	ofRow  bool       // it is that address

	literal *ast.CompositeLit // numbers of the library that stay as they are
}

// A stream is an ir.Stream and what must be known of it while the function is read.
type stream struct {
	*ir.Stream
	all   *ir.Stream        // the same slice, read from its first element on
	put   *ir.Stream        // the same slice, written at numbers that are computed
	ahead map[int64]*stream // the same slice, read rows further on
	read  bool              // at the row
	fixed bool              // an array, of whose constant indices Go has seen to it that they are in range
	raw   token.Pos         // a product that is stored in it: Go may look through the store
}

// A matrix is a slice of arrays: a few numbers a row, of which those that the kernel uses are lanes.
type matrix struct {
	expr string       // as an expression of parameters
	of   *types.Array // a row
}

// A turn is what is known of a loop while its body is read.
type turn struct {
	loop   *ir.Loop
	outer  *ir.Region
	stores bool
	goesOn bool      // it has a continue: then live alone does not say which rows take the next turn
	gone   *ir.Value // rows that a break has taken in this turn
}

// An inline is a call of a helper whose body is being read.
type inline struct {
	name     string
	at       token.Pos // of the call
	turns    int       // how many loops there were around it
	branches int       // and how many conditions
	live     *ir.Value // as it was before
	path     *ir.Value
	pure     bool         // it does nothing but compute
	results  []*ast.Ident // if they have names
	types    []types.Type
	out      []val
}
