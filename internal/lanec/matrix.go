package lanec

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// The rows of a slice of arrays stand one behind the other, and a kernel wants lanes. So the generated function brings some rows at a time apart into
// lanes on the stack, those numbers that the kernel uses, and what was written together again. The frame that they stand in is that of a function in
// assembly, which calls Go back: Go itself would clear them on each call, 256 bytes for each number of 32 bits, however few rows there are.

// rowsOfMatrix is how many rows these lanes have: they stay in the first cache, and a Total begins anew after as many.
const rowsOfMatrix = 64

// A matrix is a slice of arrays that a kernel uses.
type matrix struct {
	expr    string
	lanes   []*ir.Stream
	written bool
}

// matrices returns those of a kernel, in the order in which it meets them.
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

// onStack is how many bytes the lanes of matrices take.
func onStack(k *ir.Kernel) (bytes int) {
	for _, m := range matrices(k) {
		for _, s := range m.lanes {
			bytes += rowsOfMatrix * s.Elem.Size(k.Width)
		}
	}
	return bytes
}

// within writes what calls a function for the pieces of rows with lanes on the stack, and the head of that function.
func (k *Kernel) within(b *strings.Builder, params, args []string) {
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

// memory is where a lane stands, as Go.
func memory(s *ir.Stream) string {
	if s.Matrix != "" {
		return s.Matrix
	}
	return s.Expr
}

// apart brings the rows from one on apart. A number that is written is read, too: it may be written in some rows alone.
func apart(b *strings.Builder, list []*matrix, at string) {
	for _, m := range list {
		fmt.Fprintf(b, "\t\tfor i_, row_ := 0, %s[%s:%s+a_.rows]; i_ < len(row_); i_++ {\n\t\t\te_ := &row_[i_]\n", m.expr, at, at)
		for _, s := range m.lanes {
			fmt.Fprintf(b, "\t\t\tl_.%s[i_&%d] = e_[%d]\n", s.Name, rowsOfMatrix-1, s.At)
		}
		b.WriteString("\t\t}\n")
	}
}

// rejoin brings back what the kernel has written in as many rows as it has done.
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
