package datafile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lanewise/lanewise/study/table"
)

// maxLine is the largest length of a line in extended XYZ, in bytes.
const maxLine = 1 << 20

// ReadExtXYZ returns the frames of a file in extended XYZ, one after another. ReadExtXYZ stops after the first error.
//
//	for frame, err := range datafile.ReadExtXYZ(f, datafile.Options{}) {
//
// Columns of reals become float64, or float32 with Options.Float32. Columns of whole numbers become int64, columns of
// logicals become uint8, and columns of texts become categorical. A file in plain XYZ is read too: its columns are
// species and pos, and its comment becomes an Info. It is an error if pbc is periodic, or an Origin is given, without a
// Lattice.
func ReadExtXYZ(r io.Reader, o Options) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		x := &xyz{r: bufio.NewReaderSize(r, 1<<16), o: o}
		for {
			t, err := x.frame()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// xyz reads frames.
type xyz struct {
	r    *bufio.Reader
	o    Options
	line int // the number of the last line
	long []byte
}

func (x *xyz) malformed(format string, args ...any) error {
	return malformed("ReadExtXYZ", "line %d: %s", x.line, fmt.Sprintf(format, args...))
}

// next returns the next line, without its end. The bytes are valid until the next call. At the end of the file it returns
// io.EOF.
func (x *xyz) next() ([]byte, error) {
	x.line++
	x.long = x.long[:0]
	for {
		part, err := x.r.ReadSlice('\n')
		if len(x.long) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			x.long = append(x.long, part...)
			part = x.long
		}
		switch {
		case len(part) > maxLine:
			return nil, x.malformed("it has more than %d bytes", maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(part) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("datafile: ReadExtXYZ: %w", err)
		}
		return bytes.TrimRight(part, "\r\n"), nil
	}
}

// frame reads a frame. It returns io.EOF if there is no further line.
func (x *xyz) frame() (*Table, error) {
	first, err := x.next()
	for err == nil && len(bytes.TrimSpace(first)) == 0 { // empty lines at the end
		first, err = x.next()
	}
	if err != nil {
		return nil, err
	}
	rows, err := strconv.ParseInt(string(bytes.TrimSpace(first)), 10, 64)
	if err != nil || rows < 0 {
		return nil, x.malformed("%q is not the number of rows of a frame", shorten(string(first)))
	}
	comment, err := x.next()
	if err != nil {
		return nil, x.truncated(err)
	}
	if !utf8.Valid(comment) {
		return nil, x.malformed("it is not UTF-8")
	}
	t := &Table{}
	columns, err := x.comment(string(comment), t)
	if err != nil {
		return nil, err
	}
	width := 0 // of a line
	for _, c := range columns {
		c.keep = x.o.isWanted(c.name)
		width += c.width
	}
	if err := x.o.checkSize("ReadExtXYZ", textBytes(columns, rows)); err != nil {
		return nil, err
	}
	if err := x.readRows(columns, rows, width); err != nil {
		return nil, err
	}
	for _, c := range columns {
		if c.keep {
			t.Columns = append(t.Columns, c.column(x.o))
		}
	}
	return x.o.checkDone("ReadExtXYZ", t)
}

// readRows reads the lines of a frame, which have width fields each.
func (x *xyz) readRows(columns []*textColumn, rows int64, width int) error {
	fields := make([]string, 0, width)
	texts := x.o.Limit > 0 && slices.ContainsFunc(columns, func(c *textColumn) bool { return c.keep && c.labels != nil })
	for range rows {
		line, err := x.next()
		if err != nil {
			return x.truncated(err)
		}
		fields = appendFields(fields[:0], string(line))
		if len(fields) != width {
			return x.malformed("it has %d fields, and Properties has %d", len(fields), width)
		}
		for _, c := range columns {
			if !c.keep {
				continue
			}
			if err := c.addDeclared(fields[c.first : c.first+c.width]); err != nil {
				return x.malformed("column %q: %v", c.name, err)
			}
		}
		if texts {
			if err := x.o.checkSize("ReadExtXYZ", textBytes(columns, rows)); err != nil {
				return err
			}
		}
	}
	return nil
}

// truncated returns the error for a file that ends inside a frame.
func (x *xyz) truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return x.malformed("the file ends in the middle of a frame")
	}
	return err
}

// appendFields appends the words of a line.
func appendFields(fields []string, line string) []string {
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		end := i
		for end < len(line) && line[end] != ' ' && line[end] != '\t' {
			end++
		}
		fields = append(fields, line[i:end])
		i = end
	}
	return fields
}

// addDeclared adds a row to a column whose kind the file declares.
func (c *textColumn) addDeclared(fields []string) error {
	for lane, text := range fields {
		var v table.Value
		var err error
		switch kind := c.data.kind(); {
		case c.labels != nil:
			if !utf8.ValidString(text) {
				return errors.New("a text is not UTF-8")
			}
			v = c.labels.code(text)
		case kind.float():
			v, err = parseFloat(text, kind)
		case kind == Int64:
			whole, parseErr := strconv.ParseInt(text, 10, 64)
			if parseErr != nil {
				err = fmt.Errorf("%q is not a whole number of 64 bits", shorten(text))
			}
			v = table.IntValue(whole)
		default:
			v, err = parseLogical(text)
		}
		if err != nil {
			return err
		}
		c.data.add(lane, v)
	}
	return nil
}

// parseLogical parses T or F.
func parseLogical(text string) (table.Value, error) {
	switch strings.ToLower(text) {
	case "t", "true":
		return table.IntValue(1), nil
	case "f", "false":
		return table.IntValue(0), nil
	}
	return table.Value{}, fmt.Errorf("%q is neither T nor F", shorten(text))
}

// comment reads the second line of a frame: it sets the lattice and the facts of t, and returns the columns.
func (x *xyz) comment(line string, t *Table) ([]*textColumn, error) {
	facts, err := parseFacts(line)
	if err != nil || !strings.Contains(line, "=") { // plain XYZ
		if strings.Contains(line, "Properties=") {
			return nil, x.malformed("%v", err)
		}
		if line = strings.TrimSpace(line); line != "" {
			t.Info = []Info{{"comment", line}}
		}
		return x.readProperties("species:S:1:pos:R:3")
	}
	properties, periodic, l := "species:S:1:pos:R:3", "", Lattice{}
	for _, f := range facts {
		switch f.Name {
		case "Properties":
			properties = f.Value
		case "pbc":
			periodic = f.Value
		case "Lattice":
			if err := parseVectors(f.Value, l.Vectors[:]); err != nil {
				return nil, x.malformed("Lattice: %v", err)
			}
			l.Periodic = [3]bool{true, true, true}
			t.Lattice = &l
		case "Origin":
			origin := [1][3]float64{}
			if err := parseVectors(f.Value, origin[:]); err != nil {
				return nil, x.malformed("Origin: %v", err)
			}
			l.Origin = origin[0]
		default:
			t.Info = append(t.Info, f)
		}
	}
	if flags := strings.Fields(periodic); periodic != "" {
		if len(flags) != 3 {
			return nil, x.malformed("pbc has %d flags, want 3", len(flags))
		}
		for i, flag := range flags {
			v, err := parseLogical(flag)
			if err != nil {
				return nil, x.malformed("pbc: %v", err)
			}
			l.Periodic[i] = v.Int() == 1
		}
	}
	if t.Lattice == nil && (l.Periodic != [3]bool{} || l.Origin != [3]float64{}) { // pbc="F F F" says that there is no lattice
		return nil, x.malformed("it has a pbc or an Origin, and no Lattice: add the Lattice, or remove them")
	}
	return x.readProperties(properties)
}

// readProperties reads the list of columns: a name, a type and a number of lanes for each.
func (x *xyz) readProperties(list string) (columns []*textColumn, err error) {
	parts := strings.Split(list, ":")
	if len(parts)%3 != 0 {
		return nil, x.malformed("Properties has %d parts: each column has a name, a type and a number of lanes", len(parts))
	}
	first := 0
	for i := 0; i < len(parts); i += 3 {
		width, err := strconv.Atoi(parts[i+2])
		if err != nil || width < 1 || width > MaxLanes {
			return nil, x.malformed("column %q has %q lanes: a column has 1 to %d", parts[i], shorten(parts[i+2]), MaxLanes)
		}
		if width > maxLine/2-first {
			return nil, x.malformed("Properties has more lanes than a line can have numbers")
		}
		c := &textColumn{name: parts[i], first: first, width: width}
		switch parts[i+1] {
		case "R":
			c.data = newStorage(x.o.float(), width)
		case "I":
			c.data = newStorage(Int64, width)
		case "L":
			c.data = newStorage(Uint8, width)
		case "S":
			c.data, c.labels = newStorage(Int32, width), newLabels()
		default:
			return nil, x.malformed("column %q has the type %q: types are R, I, L and S", parts[i], shorten(parts[i+1]))
		}
		columns, first = append(columns, c), first+width
	}
	return columns, nil
}

// parseVectors parses the numbers of vectors.
func parseVectors(text string, vectors [][3]float64) error {
	fields := strings.Fields(text)
	if len(fields) != 3*len(vectors) {
		return fmt.Errorf("it has %d numbers, want %d", len(fields), 3*len(vectors))
	}
	for i, f := range fields {
		v, err := parseFloat(f, Float64)
		if err != nil {
			return err
		}
		vectors[i/3][i%3] = v.Float()
	}
	return nil
}

// parseFacts parses pairs of a name and a value. A name without a value has the value T.
func parseFacts(line string) (facts []Info, err error) {
	for at := 0; ; {
		for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		if at == len(line) {
			return facts, nil
		}
		var f Info
		if f.Name, at, err = parseWord(line, at, "= \t"); err != nil {
			return nil, err
		}
		if f.Value = "T"; at < len(line) && line[at] == '=' {
			if f.Value, at, err = parseWord(line, at+1, " \t"); err != nil {
				return nil, err
			}
		}
		facts = append(facts, f)
	}
}

// parseWord parses a word that ends before one of some characters, or that has quotes, braces or brackets around it.
// parseWord returns the position after the word.
func parseWord(line string, at int, end string) (string, int, error) {
	if at == len(line) {
		return "", at, errors.New("a value is missing after =")
	}
	last := byte(0)
	switch line[at] {
	case '"', '\'':
		last = line[at]
	case '{':
		last = '}'
	case '[':
		return parseArray(line, at)
	default:
		n := strings.IndexAny(line[at:], end)
		if n < 0 {
			n = len(line) - at
		}
		if n == 0 {
			return "", at, fmt.Errorf("a name is missing at byte %d", at)
		}
		return line[at : at+n], at + n, nil
	}
	var b strings.Builder
	for i := at + 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == last:
			return b.String(), i + 1, nil
		case c == '\\' && i+1 < len(line) && (line[i+1] == '\\' || line[i+1] == last):
			i++
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", at, fmt.Errorf("a text from byte %d on has no %c at its end", at, last)
}

// parseArray returns an array with its brackets.
func parseArray(line string, at int) (string, int, error) {
	depth := 0
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return line[at : i+1], i + 1, nil
			}
		}
	}
	return "", at, fmt.Errorf("an array from byte %d on has no ] at its end", at)
}
