package front

import (
	"fmt"
	"go/token"
)

// A Problem is why a function cannot be a kernel.
type Problem struct {
	Pos  token.Pos
	Text string
}

func (p *Problem) Error() string { return p.Text }

func fail(at token.Pos, format string, args ...any) {
	panic(&Problem{at, fmt.Sprintf(format, args...)})
}
