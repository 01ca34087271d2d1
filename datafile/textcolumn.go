package datafile

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/study/table"
)

// A textColumn is a column that is read from a text.
type textColumn struct {
	name   string
	first  int // the first of its fields in a line
	width  int
	keep   bool
	data   storage // nil until the first row
	labels *labels // of a categorical column

	guessed bool // the kind is not declared
}

// column returns the column that was read.
func (c *textColumn) column(o Options) Column {
	if c.data == nil {
		c.data = newStorage(o.float(), c.width)
	}
	column := Column{Name: c.name, data: c.data, decimal: c.guessed}
	if c.labels != nil {
		column.labels = c.labels.list
	}
	return column
}

// bytes returns the number of bytes that a number of rows takes in memory.
func (c *textColumn) bytes(rows int64) int64 {
	all := int64(c.width) * laneBytes
	if c.data != nil {
		row := int64(c.width * kinds[c.data.kind()].size)
		all += min(rows, (math.MaxInt64/2-all)/row) * row
	}
	if c.labels != nil {
		all += c.labels.bytes
	}
	return all
}

// textBytes returns the number of bytes that a number of rows takes in the columns that are kept.
func textBytes(columns []*textColumn, rows int64) (all int64) {
	for _, c := range columns {
		if c.keep {
			all += min(c.bytes(rows), math.MaxInt64-all)
		}
	}
	return all
}

// addGuessed adds a row to a column of undeclared kind: the first row decides the kind.
func (c *textColumn) addGuessed(fields []string, o Options) error {
	if c.data == nil {
		c.data, c.guessed = newStorage(Int64, c.width), true
		if c.width == 1 && !isNumber(fields[0]) {
			c.data, c.labels = newStorage(Int32, 1), newLabels()
		}
	}
	if c.labels != nil {
		c.data.add(0, c.labels.code(fields[0]))
		return nil
	}
	for lane, text := range fields {
		whole, err := parseInt(text)
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("%q is a whole number, and not an int64: if it may be rounded to a float, write it with a point or an exponent", shorten(strings.TrimSpace(text)))
		}
		if c.data.kind() == Int64 {
			if err == nil {
				c.data.add(lane, whole)
				continue
			}
			c.toFloats(o.float())
		}
		v, err := parseFloat(text, c.data.kind())
		if err != nil {
			return err
		}
		c.data.add(lane, v)
	}
	return nil
}

// toFloats converts whole numbers to floats. The result is the same float that parsing the decimal would have
// given.
func (c *textColumn) toFloats(k Kind) {
	old := c.data
	c.data = newStorage(k, c.width)
	c.data.reserve(old.length(0))
	for lane := range c.width {
		for row := range old.length(lane) {
			v := old.at(lane, row).Int()
			f := float64(v)
			if k == Float32 {
				f = float64(float32(v)) // rounded once
			}
			c.data.add(lane, table.FloatValue(f))
		}
	}
}

// isNumber reports whether a column of CSV contains numbers, given the text in its first row. Otherwise the
// column has labels.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return !errors.Is(err, strconv.ErrSyntax)
}

// parseInt parses a whole number. Minus zero is a float, because a whole number would lose its sign.
func parseInt(text string) (table.Value, error) {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "+-0123456789") != "" { // ParseInt would say that a number is too large before it finds a point
		return table.Value{}, strconv.ErrSyntax
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err == nil && v == 0 && text[0] == '-' {
		err = strconv.ErrSyntax
	}
	return table.IntValue(v), err
}

// parseFloat parses a decimal and rounds it only once.
func parseFloat(text string, k Kind) (table.Value, error) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, kinds[k].size*8)
	switch {
	case text == "":
		return table.Value{}, errors.New("a number is missing: write NaN for it")
	case errors.Is(err, strconv.ErrRange):
		return table.Value{}, fmt.Errorf("%q is too large for %s", shorten(text), k)
	case err != nil:
		return table.Value{}, fmt.Errorf("%q is not a number", shorten(text))
	}
	return table.FloatValue(v), nil
}

// shorten cuts a text from a file so that it fits into a message.
func shorten(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// labels gives codes to labels, in the order in which they appear.
type labels struct {
	codes map[string]int32
	list  []string
	bytes int64 // of all labels
}

func newLabels() *labels { return &labels{codes: map[string]int32{}, list: []string{}} }

func (l *labels) code(label string) table.Value {
	code, ok := l.codes[label]
	if !ok {
		label = strings.Clone(label)
		code = int32(len(l.list))
		l.codes[label] = code
		l.list = append(l.list, label)
		l.bytes += int64(len(label)) + labelBytes
	}
	return table.IntValue(int64(code))
}
