package datafile

import (
	"bytes"
	"io"
)

// maxNumber is the largest length of a number as text, for example -2.2250738585072014e-308.
const maxNumber = 24

// lineBytes returns an upper bound for the length of a row of the table in a text format.
func lineBytes(t *Table) (n int) {
	for _, c := range t.Columns {
		longest := maxNumber
		for _, label := range c.labels {
			longest = max(longest, 2*len(label)+2) // quotes around it, and each quote in it doubled
		}
		n += c.Width() * (longest + 1)
	}
	return n
}

// longestLine returns the length of the longest line that write produces, but measures it only if bound is more
// than most. Otherwise it returns bound, because measuring takes time.
func longestLine(bound, most int, write func(io.Writer) error) (int, error) {
	if bound <= most {
		return bound, nil
	}
	m := &meter{}
	err := write(m)
	return m.longest, err
}

// A meter is a writer that measures lines with their ends.
type meter struct{ longest, line int }

func (m *meter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			m.line += len(rest)
			break
		}
		m.longest = max(m.longest, m.line+n)
		m.line, rest = 0, rest[n:]
	}
	return len(b), nil
}
