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

// byteOrderMark may be at the beginning of a file in UTF-8.
const byteOrderMark = "\ufeff"

// maxRecord is the largest length of a line in CSV, in bytes.
const maxRecord = 4 << 20

// WriteCSV writes a table as CSV: a line of names, then a line for each row. The
// lanes of a column pos become pos.x and pos.y, or pos.x, pos.y and pos.z. The
// lanes of a column a with more than three lanes become a.0, a.1 and so on. Floats
// have the fewest digits that identify the value. Numbers that are not finite are
// NaN, +Inf and -Inf. A column of labels has one lane, and its first label must
// not be a number, because [ReadCSV] would read the column as numbers.
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
	if err := checkGroups(t, columns); err != nil {
		return err
	}
	if err := readableLabels(t); err != nil {
		return err
	}
	names := 0
	for _, c := range columns {
		names += 2*len(c.Name) + 3 // quotes double at most
	}
	write := func(w io.Writer) error { return writeCSV(w, t, columns) }
	if n, err := longestLine(max(names, lineBytes(t)), maxRecord, write); err != nil {
		return err
	} else if n > maxRecord {
		return fmt.Errorf("datafile: WriteCSV: a line would have %d bytes, and ReadCSV reads at most %d: write fewer columns, or npz", n, maxRecord)
	}
	return write(w)
}

// writeCSV writes a table that was checked.
func writeCSV(w io.Writer, t *Table, columns []table.Column) error {
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

// readableLabels returns an error if a reader would not find the labels again.
func readableLabels(t *Table) error {
	if first := t.Columns[0].Name; strings.HasPrefix(first, byteOrderMark) {
		return fmt.Errorf("datafile: WriteCSV: the name %q of the first column begins with a byte order mark, which readers remove: rename the column", first)
	}
	for _, c := range t.Columns {
		if c.labels == nil {
			continue
		}
		if c.Width() > 1 {
			return fmt.Errorf("datafile: WriteCSV: column %q has labels in %d lanes: make a column of each lane", c.Name, c.Width())
		}
		if c.Rows() == 0 {
			continue
		}
		if label := c.labels[c.data.at(0, 0).Int()]; isNumber(label) {
			return fmt.Errorf("datafile: WriteCSV: the label %q in the first row of column %q would be read as a number: change the label, or make a column of numbers", label, c.Name)
		}
	}
	return nil
}

// checkGroups returns an error if a reader would join the lanes to other columns.
func checkGroups(t *Table, columns []table.Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	for i, c := range groupLanes(names, Options{}.isWanted) {
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

// ReadCSV reads a CSV file with a line of names. Adjacent columns with names as [WriteCSV]
// writes them, for example pos.x, pos.y and pos.z, become one column.
//
// The first row decides the kind of a column. If it is a number, all rows must be numbers.
// The column is int64 if no row has a point or an exponent, and otherwise float64 (float32
// with Options.Float32). A whole number outside of int64 is an error, because a float would
// round it and all other whole numbers of the column. If the first row is another text, the
// column is categorical. A missing number is an error; a file must contain NaN instead.
// Empty lines are skipped.
func ReadCSV(r io.Reader, o Options) (*Table, error) {
	const do = "ReadCSV"
	const buffer = 1 << 16
	capped := &io.LimitedReader{R: r, N: maxRecord + buffer}
	b := bufio.NewReaderSize(recordReader{capped}, buffer)
	if mark, _ := b.Peek(3); string(mark) == byteOrderMark {
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
	if len(o.Columns) == 0 {
		if err := o.checkSize(do, int64(len(names))*laneBytes); err != nil {
			return nil, err
		}
	}
	columns := groupLanes(names, o.isWanted)
	if err := o.checkSize(do, textBytes(columns, 0)); err != nil {
		return nil, err
	}
	for row := int64(0); ; row++ {
		capped.N = maxRecord + buffer // the buffer may have the beginning of the next record
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, csvError(do, err)
		}
		for _, c := range columns {
			if err := c.addGuessed(record[c.first:c.first+c.width], o); err != nil {
				line, _ := lines.FieldPos(c.first)
				return nil, malformed(do, "line %d: column %q: %v", line, c.name, err)
			}
		}
		if o.Limit == 0 {
			continue
		}
		if err := o.checkSize(do, textBytes(columns, row+1)); err != nil {
			return nil, err
		}
	}
	t := &Table{}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.column(o))
	}
	return o.checkDone(do, t)
}

// errRecord is the error for a record without an end.
var errRecord = fmt.Errorf("a line, or a text in quotes, has more than %d bytes: a quote at its end may be missing", maxRecord)

// recordReader is a limited reader whose limit is an error.
type recordReader struct{ *io.LimitedReader }

func (r recordReader) Read(b []byte) (int, error) {
	if r.N <= 0 {
		return 0, errRecord
	}
	return r.LimitedReader.Read(b)
}

// csvError returns the error of an io.Reader or of package csv.
func csvError(do string, err error) error {
	if errors.Is(err, errRecord) {
		return malformed(do, "%v", err)
	}
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return fmt.Errorf("datafile: %s: %w: %w", do, ErrFormat, err)
	}
	return fmt.Errorf("datafile: %s: %w", do, err)
}

// groupLanes joins adjacent names that are the lanes of one column. groupLanes returns the
// columns that are wanted.
func groupLanes(names []string, wanted func(string) bool) (columns []*textColumn) {
	for i := 0; i < len(names); {
		width := 1
		base, cut := "", false
		for _, suffix := range []string{".x", ".0"} {
			if b, ok := strings.CutSuffix(names[i], suffix); ok && b != "" {
				base, cut = b, true
			}
		}
		if cut {
			width = countLanes(names[i:], base)
		}
		name := names[i]
		if width > 1 {
			name = base
		}
		if wanted(name) {
			columns = append(columns, &textColumn{name: strings.Clone(name), first: i, width: width, keep: true})
		}
		i += width
	}
	return columns
}

// countLanes counts names from the first one on. It returns the largest number of them that
// are the names of all lanes of a column.
func countLanes(names []string, column string) int {
	for _, widths := range [][2]int{{4, MaxLanes}, {3, 3}, {2, 2}} { // the names of lanes do not depend on the width in these ranges
		n := 0
		for n < min(widths[1], len(names)) && names[n] == laneName(column, n, widths[1]) {
			n++
		}
		if n >= widths[0] {
			return n
		}
	}
	return 1
}
