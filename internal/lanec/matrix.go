package lanec

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// In a slice of arrays, the numbers at one index of the arrays are not contiguous, but
// a kernel needs contiguous lanes. So the generated function processes a few rows at
// once: it copies the numbers that the kernel uses into lanes on the stack, and copies
// the numbers that the kernel has written back. The lanes are in the frame of an
// assembly function, which calls a Go function. If they were in the frame of a Go
// function, each call would clear them, even for a few rows. A lane has 256 bytes for
// 32-bit numbers.

// rowsOfMatrix is the number of rows of the lanes on the stack. That number of
// rows fits in the first-level cache. A Total uses its accumulators in an order that
// repeats after this number of rows, so the sums are the same as without the division
// into pieces.
const rowsOfMatrix = 64

// A matrix is a slice of arrays that a kernel uses.
type matrix struct {
	expr    string
	lanes   []*ir.Stream
	written bool
}

// matrices returns the matrices of a kernel, in the order of their first use.
func matrices(k *ir.Kernel) (list []*matrix) {
	of := map[string]*matrix{}
	for _, s := range k.Streams {
		if s.Matrix == "" || s.Offset == 0 {
			continue
		}
		m := of[s.Matrix]
		if m == nil {
			m = &matrix{expr: s.Matrix}
			of[s.Matrix] = m
			list = append(list, m)
		}
		m.lanes = append(m.lanes, s)
		m.written = m.written || s.Written
	}
	return list
}

// onStack returns the number of bytes of the lanes of matrices.
func onStack(k *ir.Kernel) (bytes int) {
	for _, m := range matrices(k) {
		for _, s := range m.lanes {
			bytes += rowsOfMatrix * s.Elem.Size(k.Width)
		}
	}
	return bytes
}

// writeWithin writes the code that puts the lanes on the stack and calls a function
// for each piece of rows. It also writes the head of that function.
func (k *Kernel) writeWithin(b *strings.Builder, params, args []string) {
	s := k.symbol()
	fields := make([]string, len(args))
	for i, a := range args {
		fields[i] = "c_." + a
	}
	list := strings.Join(args, ", ")
	fmt.Fprintf(b, "\t%sStack(&%sCall{%s, rows_, vector_})\n}\n", s, s, list)
	fmt.Fprintf(b, "\ntype %sCall struct {\n\t%s\n\trows_, vector_ int\n}\n\ntype %sLanes struct {\n", s, strings.ReplaceAll(strings.Join(params, "\n"), "\n", "\n\t"), s)
	for _, m := range matrices(k.IR) {
		for _, l := range m.lanes {
			fmt.Fprintf(b, "\t%s [%d]%s\n", l.Name, rowsOfMatrix, l.Type)
		}
	}
	fmt.Fprintf(b, "}\n\n// %sPieces is called by %sStack, whose lanes hold anything.\nfunc %sPieces(c_ *%sCall, l_ *%sLanes) {\n", s, s, s, s, s)
	fmt.Fprintf(b, "\t%s, rows_, vector_ := %s, c_.rows_, c_.vector_\n\t%s = %s\n", list, strings.Join(fields, ", "), strings.TrimSuffix(strings.Repeat("_, ", len(args)), ", "), list)
}

// memory returns the Go expression for the address of a lane.
func memory(s *ir.Stream) string {
	if s.Matrix != "" {
		return s.Matrix
	}
	return s.Expr
}

// writeApart writes the code that copies rows, beginning at a given row, to lanes.
// The code also copies the numbers that the kernel writes, because the kernel
// may write them only in some rows.
func writeApart(b *strings.Builder, list []*matrix, at string) {
	for _, m := range list {
		fmt.Fprintf(b, "\t\tfor i_, row_ := 0, %s[%s:%s+a_.rows]; i_ < len(row_); i_++ {\n\t\t\te_ := &row_[i_]\n", m.expr, at, at)
		for _, s := range m.lanes {
			fmt.Fprintf(b, "\t\t\tl_.%s[i_&%d] = e_[%d]\n", s.Name, rowsOfMatrix-1, s.At)
		}
		b.WriteString("\t\t}\n")
	}
}

// rejoin writes the code that copies the numbers that the kernel has written back to
// the arrays, for the rows that the kernel has computed.
func rejoin(b *strings.Builder, list []*matrix, at, done string) {
	for _, m := range list {
		if !m.written {
			continue
		}
		fmt.Fprintf(b, "\t\tfor i_, row_ := 0, %s[%s:%s+%s]; i_ < len(row_); i_++ {\n\t\t\te_ := &row_[i_]\n", m.expr, at, at, done)
		for _, s := range m.lanes {
			if s.Written {
				fmt.Fprintf(b, "\t\t\te_[%d] = l_.%s[i_&%d]\n", s.At, s.Name, rowsOfMatrix-1)
			}
		}
		b.WriteString("\t\t}\n")
	}
}
