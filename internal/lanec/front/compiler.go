package front

import (
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A compiler translates one function: statements, expressions, calls and loops.
// The embedded layers provide the operations.
type compiler struct {
	flow
	puts *ir.Value // the value that the row writes at a computed index, or nil
}
