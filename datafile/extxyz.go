package datafile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteExtXYZ writes a table as one frame in extended XYZ, for OVITO and ASE. A
// file may have several frames, one after another. The table must have a column
// pos of float32 or float64 and 3 lanes. A categorical column species has the
// chemical elements. Floats are written with the fewest digits that identify the
// value.
func WriteExtXYZ(w io.Writer, t *Table) error {
	const do = "WriteExtXYZ"
	if err := t.check(do); err != nil {
		return err
	}
	if _, err := t.positions(do, 3); err != nil {
		return err
	}
	for _, c := range t.Columns {
		if strings.ContainsFunc(c.Name, isSpecial) {
			return fmt.Errorf("datafile: %s: the name %q of a column has a space, a colon, a quote, a backslash, an equals sign, a comma or a bracket: rename the column", do, c.Name)
		}
		for _, label := range c.labels {
			if label == "" || strings.ContainsFunc(label, unicode.IsSpace) {
				return fmt.Errorf("datafile: %s: the label %q of column %q is empty or has a space: change the label", do, label, c.Name)
			}
		}
	}
	head := appendComment(strconv.AppendInt(nil, int64(t.Rows()), 10), t)
	write := func(w io.Writer) error { return writeFrame(w, t, head) }
	if n, err := longestLine(max(len(head), lineBytes(t)), maxLine, write); err != nil {
		return err
	} else if n > maxLine {
		return fmt.Errorf("datafile: %s: a line would have %d bytes, and ReadExtXYZ reads at most %d: write fewer columns or shorter texts, or npz", do, n, maxLine)
	}
	return write(w)
}

// writeFrame writes a frame that was checked. Parameter head has the first two lines of the
// frame.
func writeFrame(w io.Writer, t *Table, head []byte) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	if _, err := b.Write(head); err != nil {
		return err
	}
	for row := range t.Rows() {
		line = line[:0]
		for _, c := range t.Columns {
			for lane := range c.Width() {
				if len(line) > 0 {
					line = append(line, ' ')
				}
				if v := c.data.at(lane, row); c.labels != nil {
					line = append(line, c.labels[v.Int()]...)
				} else {
					line = v.AppendText(line, c.Kind().text())
				}
			}
		}
		if _, err := b.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return b.Flush()
}

// isSpecial reports whether a character has a meaning in the second line of a frame.
func isSpecial(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`:"'\=,[]{}`, r) }

// appendComment appends the second line of a frame to the first.
func appendComment(b []byte, t *Table) []byte {
	b = append(b, '\n')
	if l := t.Lattice; l != nil {
		b = fmt.Appendf(b, "Lattice=\"%s\" ", formatVectors(l.Vectors[:]...))
		if l.Origin != [3]float64{} {
			b = fmt.Appendf(b, "Origin=\"%s\" ", formatVectors(l.Origin))
		}
		flags := strings.NewReplacer("true", "T", "false", "F").Replace(fmt.Sprint(l.Periodic))
		b = fmt.Appendf(b, "pbc=\"%s\" ", flags[1:len(flags)-1])
	}
	b = append(b, "Properties="...)
	for i, c := range t.Columns {
		if i > 0 {
			b = append(b, ':')
		}
		code := byte('I')
		if c.labels != nil {
			code = 'S'
		} else if c.Kind().float() {
			code = 'R'
		}
		b = fmt.Appendf(b, "%s:%c:%d", c.Name, code, c.Width())
	}
	for _, in := range t.Info {
		b = append(quoteInfo(append(b, ' '), in.Name), '=')
		b = quoteInfo(b, in.Value)
	}
	return append(b, '\n')
}

// quoteInfo appends a text to the second line of a frame, in quotes if it needs them.
func quoteInfo(b []byte, text string) []byte {
	if text != "" && !strings.ContainsFunc(text, isSpecial) {
		return append(b, text...)
	}
	return append(append(append(b, '"'), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)...), '"')
}
