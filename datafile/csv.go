package datafile

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/study/table"
)

// WriteCSV writes a table as CSV: a line of names, then a line for each row. The
// lanes of a column pos become pos.x and pos.y, or pos.x, pos.y and pos.z; those
// of a column with more than three lanes become a.0, a.1 and so on. Floats have
// the fewest digits that identify the value; others are NaN, +Inf and -Inf.
func WriteCSV(w io.Writer, t *Table) error {
	if err := t.check("WriteCSV"); err != nil {
		return err
	}
	var columns []table.Column
	seen := map[string]bool{}
	for _, c := range t.Columns {
		kind := c.Kind().text()
		if c.labels != nil {
			kind = table.KindText
		}
		for lane := range c.Width() {
			name := laneName(c.Name, lane, c.Width())
			if seen[name] {
				return fmt.Errorf("datafile: WriteCSV: two lanes are named %q: rename column %q", name, c.Name)
			}
			seen[name] = true
			columns = append(columns, table.Column{Name: name, Kind: kind})
		}
	}
	if err := regrouped(t, columns); err != nil {
		return err
	}
	rows, err := table.NewCSV(w, columns)
	if err != nil {
		return err
	}
	cells := make([]table.Value, len(columns))
	for row := range t.Rows() {
		at := 0
		for _, c := range t.Columns {
			for lane := range c.Width() {
				v := c.data.at(lane, row)
				if c.labels != nil {
					v = table.TextValue(c.labels[v.Int()])
				}
				cells[at] = v
				at++
			}
		}
		if err := rows.Row(cells); err != nil {
			return err
		}
	}
	return rows.Close()
}

// regrouped returns an error if a reader would join the lanes to other columns.
func regrouped(t *Table, columns []table.Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	for i, c := range groupLanes(names) {
		if own := t.Columns[i]; c.name != own.Name || c.width != own.Width() {
			return fmt.Errorf("datafile: WriteCSV: column %q would be read as a part of column %q with %d lanes: rename it, or make one column of the lanes", own.Name, c.name, c.width)
		}
	}
	return nil
}

// laneName returns the name of a lane of a column.
func laneName(column string, lane, width int) string {
	switch {
	case width == 1:
		return column
	case width <= 3:
		return column + "." + "xyz"[lane:lane+1]
	}
	return column + "." + strconv.Itoa(lane)
}

// ReadCSV reads a CSV file with a line of names. Neighbouring columns with names
// as [WriteCSV] writes them, for example pos.x, pos.y and pos.z, become one
// column.
//
// The first row decides about a column. If it is a number, all rows must be
// numbers: a column of int64 if all of them are whole numbers without a point or
// an exponent, and of float64 otherwise (float32 with Options.Float32). A whole
// number outside of int64 is an error, because a float would round it and all
// other whole numbers of the column. If the first row is another text, the column
// is categorical. A missing number is an error: write NaN for it. Empty lines are
// skipped.
func ReadCSV(r io.Reader, o Options) (*Table, error) {
	const do = "ReadCSV"
	b := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	lines := csv.NewReader(b)
	lines.ReuseRecord = true
	names, err := lines.Read()
	if errors.Is(err, io.EOF) {
		return nil, malformed(do, "the file is empty: its first line must have the names of the columns")
	} else if err != nil {
		return nil, csvError(do, err)
	}
	columns := groupLanes(names)
	for _, c := range columns {
		c.keep = o.wants(c.name)
	}
	for row := 0; ; row++ {
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, csvError(do, err)
		}
		bytes := int64(0)
		for _, c := range columns {
			if !c.keep {
				continue
			}
			if err := c.addGuessed(record[c.first:c.first+c.width], o); err != nil {
				line, _ := lines.FieldPos(c.first)
				return nil, malformed(do, "line %d: column %q: %v", line, c.name, err)
			}
			bytes += c.bytes()
		}
		if err := o.over(do, bytes*int64(row+1)); err != nil {
			return nil, err
		}
	}
	t := &Table{}
	for _, c := range columns {
		if c.keep {
			t.Columns = append(t.Columns, c.column(o))
		}
	}
	return o.done(do, t)
}

// csvError returns the error of an io.Reader or of package csv.
func csvError(do string, err error) error {
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return fmt.Errorf("datafile: %s: %w: %w", do, ErrFormat, err)
	}
	return fmt.Errorf("datafile: %s: %w", do, err)
}

// groupLanes joins neighbouring names that are lanes of one column.
func groupLanes(names []string) (columns []*textColumn) {
	for i := 0; i < len(names); {
		width := 1
		base, cut := "", false
		for _, suffix := range []string{".x", ".0"} {
			if b, ok := strings.CutSuffix(names[i], suffix); ok && b != "" {
				base, cut = b, true
			}
		}
		for w := MaxLanes; cut && w > 1; w-- {
			if i+w <= len(names) && areLanes(names[i:i+w], base) {
				width = w
				break
			}
		}
		c := &textColumn{name: strings.Clone(names[i]), first: i, width: width}
		if width > 1 {
			c.name = strings.Clone(base)
		}
		columns = append(columns, c)
		i += width
	}
	return columns
}

// areLanes reports whether names are those of all lanes of a column.
func areLanes(names []string, column string) bool {
	for lane, name := range names {
		if name != laneName(column, lane, len(names)) {
			return false
		}
	}
	return true
}
