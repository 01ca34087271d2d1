package front

import (
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A compiler goes through one function: statements, expressions, calls and loops. What it reads them with is in the layers that it has.
type compiler struct {
	flow
	puts *ir.Value // what the row writes at numbers that are computed, or nil
}
