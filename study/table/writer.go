package table

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Writer writes the rows of one table in some format.
type Writer interface {
	// Row writes a row, with a cell for each column. It does not keep the slice of cells.
	Row(cells []Value) error
	// Close writes the remaining output. It does not close the underlying writer.
	Close() error
}

// Open opens a table in a format.
type Open func(w io.Writer, columns []Column) (Writer, error)

var (
	formatsMu sync.Mutex
	formats   = map[string]Open{"csv": NewCSV, "jsonl": NewLines, "summary": NewSummary}
)

// Register adds a format under a name. Call it in an init function. It panics if another
// format has the same name.
func Register(name string, open Open) {
	formatsMu.Lock()
	defer formatsMu.Unlock()
	if _, ok := formats[name]; ok || open == nil {
		panic(fmt.Sprintf("table: Register: the format %q is there already, or is nil", name))
	}
	formats[name] = open
}

// Formats returns the names of all formats, sorted.
func Formats() (names []string) {
	formatsMu.Lock()
	defer formatsMu.Unlock()
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New opens a table in the format with this name.
func New(format string, w io.Writer, columns []Column) (Writer, error) {
	formatsMu.Lock()
	open := formats[format]
	formatsMu.Unlock()
	if open == nil {
		return nil, fmt.Errorf("table: the format %q is unknown: this program has %s", format, strings.Join(Formats(), ", "))
	}
	return open(w, columns)
}

type csvWriter struct {
	w       *bufio.Writer
	columns []Column
	line    []byte
}

// NewCSV opens a table in CSV (RFC 4180, but with lines that end in \n): a line
// of names, then the rows. Floats have the fewest digits that identify the
// value; floats that are not finite are written as NaN, +Inf and -Inf.
func NewCSV(w io.Writer, columns []Column) (Writer, error) {
	c := &csvWriter{w: bufio.NewWriterSize(w, 1<<16), columns: columns}
	for i, col := range columns {
		c.cell(i, TextValue(col.Name), KindText)
	}
	return c, c.end()
}

func (c *csvWriter) Row(cells []Value) error {
	if err := checkCells(cells, c.columns); err != nil {
		return err
	}
	for i, v := range cells {
		c.cell(i, v, c.columns[i].Kind)
	}
	return c.end()
}

func (c *csvWriter) cell(i int, v Value, k Kind) {
	if i > 0 {
		c.line = append(c.line, ',')
	}
	if k != KindText || v.text != "" && !strings.ContainsAny(v.text, ",\"\r\n") && v.text[0] != ' ' {
		c.line = v.AppendText(c.line, k)
		return
	}
	if v.text == "" && len(c.columns) > 1 { // readers of CSV skip an empty line
		return
	}
	c.line = append(c.line, '"')
	c.line = append(c.line, strings.ReplaceAll(v.text, `"`, `""`)...)
	c.line = append(c.line, '"')
}

func (c *csvWriter) end() error {
	c.line = append(c.line, '\n')
	_, err := c.w.Write(c.line)
	c.line = c.line[:0]
	return err
}

func (c *csvWriter) Close() error { return c.w.Flush() }

type lineWriter struct {
	w       *bufio.Writer
	columns []Column
	names   [][]byte // the quoted name of each column, with the separator before and the colon after it
	line    []byte
}

// NewLines opens a table in JSON lines: an object for each row, with members in
// the order of the columns. Floats that are not finite are texts, because JSON
// has no such numbers: "NaN", "+Inf", "-Inf". Numbers of kind uint64 are texts too, because many readers
// of JSON round numbers to 53 bits.
func NewLines(w io.Writer, columns []Column) (Writer, error) {
	l := &lineWriter{w: bufio.NewWriterSize(w, 1<<16), columns: columns}
	for i, c := range columns {
		sign := byte(',')
		if i == 0 {
			sign = '{'
		}
		l.names = append(l.names, append(appendJSON([]byte{sign}, c.Name), ':'))
	}
	return l, nil
}

func (l *lineWriter) Row(cells []Value) error {
	if err := checkCells(cells, l.columns); err != nil {
		return err
	}
	b := l.line[:0]
	for i, v := range cells {
		b = append(b, l.names[i]...)
		switch k := l.columns[i].Kind; k {
		case KindText:
			b = appendJSON(b, v.text)
		case KindUint:
			b = append(v.AppendText(append(b, '"'), k), '"')
		case KindFloat, KindFloat32:
			if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
				b = append(v.AppendText(append(b, '"'), k), '"')
				break
			}
			b = v.AppendText(b, k)
		default:
			b = v.AppendText(b, k)
		}
	}
	if len(cells) == 0 {
		b = append(b, '{')
	}
	l.line = append(b, '}', '\n')
	_, err := l.w.Write(l.line)
	return err
}

func (l *lineWriter) Close() error { return l.w.Flush() }

// appendJSON appends a text as JSON, without HTML escapes.
func appendJSON(b []byte, s string) []byte {
	plain := utf8.ValidString(s)
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < 0x7f
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	j, err := json.Marshal(s)
	if err != nil {
		return strconv.AppendQuoteToASCII(b, s)
	}
	return append(b, j...)
}

// checkCells returns an error unless a row has one cell for each column.
func checkCells(cells []Value, columns []Column) error {
	if len(cells) != len(columns) {
		return fmt.Errorf("table: a row of %d cells, the table has %d columns", len(cells), len(columns))
	}
	return nil
}
