package study

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// compareFiles compares the logs and the given tables with the certificate.
func (v *verification) compareFiles(ctx context.Context, tables []string) error {
	if v.study.history != nil && v.cert.name != "" {
		if err := v.compareLogs(); err != nil {
			return err
		}
	}
	for _, name := range tables {
		if err := v.compareTable(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// compareDesign compares the seeds of the certificate with the seeds of the design, and the columns of the certificate's
// results with the columns of the program's results. Neither comparison needs a run.
func (v *verification) compareDesign() {
	var values []string
	for run := range v.study.Runs() {
		var seed uint64
		values, seed = v.study.manifest.Design.At(values[:0], run)
		if c, ok := v.cert.runs[run]; ok && c.Seed != seed {
			v.fault("run %d: its seed is %d, and %d by the design", run, c.Seed, seed)
		}
	}
	v.compareColumns("here", []part{{Name: resultTable, Columns: v.program.result.Columns}})
}

// compareColumns compares the columns of the tables of a run with those of the certificate: their names, kinds, units and
// descriptions. It reports at most one fault for each table.
func (v *verification) compareColumns(where string, tables []part) {
	for _, p := range tables {
		theirs, ok := v.cert.head.Tables[p.Name]
		if !ok || slices.Equal(theirs, p.Columns) {
			continue
		}
		v.mu.Lock()
		known := v.columns[p.Name]
		v.columns[p.Name] = true
		v.mu.Unlock()
		if known {
			continue
		}
		i := 0
		for i < len(theirs) && i < len(p.Columns) && theirs[i] == p.Columns[i] {
			i++
		}
		v.fault("table %s: column %d is %s, and %s %s", p.Name, i+1, describeColumn(theirs, i), where, describeColumn(p.Columns, i))
	}
}

// describeColumn describes a column that may be missing.
func describeColumn(columns []table.Column, i int) string {
	if i >= len(columns) {
		return "missing"
	}
	c := columns[i]
	return fmt.Sprintf("%q (%v, unit %q, help %q)", c.Name, c.Kind, c.Unit, c.Help)
}

// compareLogs compares the records of the logs with the certificate, and looks for bytes that belong to no entry.
func (v *verification) compareLogs() error {
	before := v.faults
	gaps, err := v.study.history.Gaps(v.study.id)
	if err != nil {
		return err
	}
	for _, g := range gaps {
		if g.AtEnd {
			v.note("note: %s: %d bytes after its last entry are no entry, as when a worker was killed", g.File, g.To-g.From)
			continue
		}
		v.fault("%s: the bytes from %d to %d are no entry: they were changed or are not whole", g.File, g.From, g.To)
	}
	same := 0
	for run := range v.study.Runs() {
		if !v.study.history.Has(run) {
			v.suspect[run] = true
			v.fault("run %d: no log has a whole record of it: resume -out %s does it again", run, v.dir)
			continue
		}
		err := v.study.history.Record(run, func(e journal.Entry, payload []byte) error {
			log, _, err := certifiedLine(e, payload)
			if err != nil {
				return err
			}
			v.compareColumns("in the logs", log.tables)
			if text := v.cert.runs[run].firstDifference(log); text != "" {
				v.suspect[run] = true
				v.fault("run %d: its record in the log is not that of the certificate (here is the log): %s", run, text)
				return nil
			}
			same++
			return nil
		})
		if err != nil {
			v.suspect[run] = true
			v.fault("run %d: %v", run, err)
		}
	}
	if before == v.faults {
		v.say("logs: %d records are those of the certificate", same)
	}
	return nil
}

// compareTable compares a table in CSV, as the command table writes it, with the certificate.
func (v *verification) compareTable(ctx context.Context, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	t, err := v.recognize(name, text)
	if err != nil {
		return err
	}
	r := newCSVReader(text, t.exact)
	_, _ = r.Read() // the header, which recognize has read
	before := v.faults
	var back bytes.Buffer // the table written again
	w, err := table.NewCSV(&back, t.columns)
	if err != nil {
		return err
	}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			v.fault("%s: %v", name, err)
			if !errors.Is(err, csv.ErrFieldCount) {
				return nil // the lines after a wrong quote cannot be told apart
			}
			t.broken = true
			continue
		}
		line, _ := r.FieldPos(0)
		cells, wrong := t.convertCells(fields)
		if wrong != "" {
			v.fault("%s: line %d: %s", name, line, wrong)
			t.broken = true
			continue
		}
		if err := w.Row(cells); err != nil {
			return err
		}
		if run := int(cells[0].Int()); run != t.run {
			if err := t.end(ctx); err != nil {
				return err
			}
			t.run = run
		}
		t.lines = append(t.lines, line)
		t.rows = table.AppendRow(t.rows, t.columns[t.head+1:], cells[t.head:])
	}
	if err := t.end(ctx); err != nil {
		return err
	}
	t.reportMissing()
	if err := w.Close(); err != nil {
		return err
	}
	if before == v.faults && !bytes.Equal(back.Bytes(), text) {
		v.fault("%s: line %d has the certified values, and not the bytes that the command table writes", name, firstDifferentLine(text, back.Bytes()))
	}
	if before == v.faults {
		v.say("%s: table %s, the rows of %d runs are those of the certificate", name, t.name, len(t.seen))
	}
	return nil
}

// firstDifferentLine returns the number of the first line that differs, from 1.
func firstDifferentLine(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte{'\n'})
}

// A tableCheck compares the runs of one table with the certificate.
type tableCheck struct {
	v       *verification
	file    string
	name    string // of the table
	columns []table.Column
	head    int   // number of columns before the tick
	run     int   // the current run, or -1
	lines   []int // of the rows of the current run
	rows    []byte
	seen    map[int]bool
	broken  bool // a line of the file could not be read
	exact   bool // how csvReader reads the file
}

// A csvReader reads CSV as package csv does. An exact csvReader keeps each \r, whereas package csv turns \r\n into \n,
// even in a text in quotes.
type csvReader struct {
	*csv.Reader
	hidden bool
}

// hideReturns replaces each \r by two bytes that package csv leaves alone, and showReturns is its inverse.
var (
	hideReturns = strings.NewReplacer("\x00", "\x00"+"0", "\r", "\x00"+"1")
	showReturns = strings.NewReplacer("\x00"+"0", "\x00", "\x00"+"1", "\r")
)

func newCSVReader(text []byte, exact bool) *csvReader {
	if !exact || bytes.IndexByte(text, '\r') < 0 {
		return &csvReader{Reader: csv.NewReader(bytes.NewReader(text))}
	}
	return &csvReader{csv.NewReader(strings.NewReader(hideReturns.Replace(string(text)))), true}
}

// Read reads a line.
func (r *csvReader) Read() (fields []string, err error) {
	fields, err = r.Reader.Read()
	for i := range fields {
		if r.hidden {
			fields[i] = showReturns.Replace(fields[i])
		}
	}
	return fields, err
}

// recognize finds the table of the certificate that a file contains. If several tables have the columns of the file,
// recognize takes the table with the most equal rows. If several of these tables have equally many such rows, recognize
// takes the table with the name of the file.
func (v *verification) recognize(file string, text []byte) (best *tableCheck, err error) {
	names := slices.Sorted(maps.Keys(v.cert.head.Tables))
	var found []*tableCheck
	for _, exact := range []bool{true, false} { // an editor may have written \r\n at the end of each line
		header, err := newCSVReader(text, exact).Read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, name := range names {
			t := &tableCheck{v: v, file: file, name: name, exact: exact, run: -1, seen: map[int]bool{}, head: len(headColumns) + len(v.program.params)}
			t.columns = v.program.tableColumns(append([]table.Column{tickColumn}, v.cert.head.Tables[name]...))
			if slices.EqualFunc(header, t.columns, func(field string, c table.Column) bool { return field == c.Name }) {
				found = append(found, t)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%s: its first line is not that of a table of the certificate, which has %s, as the command table writes them in CSV", file, printable.Line(fmt.Sprint(names)))
	case 1:
		return found[0], nil
	}
	least := -1
	for _, t := range found {
		n := t.countUnlike(text)
		if least < 0 || n < least || n == least && t.name == strings.TrimSuffix(filepath.Base(file), ".csv") {
			least, best = n, t
		}
	}
	return best, nil
}

// countUnlike returns the number of runs whose rows in a file differ from those of the certificate, or are missing in one of them.
func (t *tableCheck) countUnlike(text []byte) (n int) {
	const none = -1
	same, run := map[int]bool{}, none
	var rows []byte
	end := func() {
		if run != none && sumOf(rows) == t.v.cert.runs[run].Rows[t.name] {
			same[run] = true
		} else if run != none {
			n++
		}
		rows = rows[:0]
	}
	r := newCSVReader(text, t.exact)
	_, _ = r.Read()
	for {
		fields, err := r.Read()
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			break
		}
		cells, _, bad := t.parse(fields)
		if err != nil || bad != nil {
			n++
			continue
		}
		if next := int(cells[0].Int()); next != run {
			end()
			run = next
		}
		rows = table.AppendRow(rows, t.columns[t.head+1:], cells[t.head:])
	}
	end()
	for run, c := range t.v.cert.runs { //lanewise:inexact it counts
		if sum, ok := c.Rows[t.name]; ok && sum != sumOf(nil) && !same[run] {
			n++
		}
	}
	return n
}

// parse converts the fields of a line. If a field cannot be converted, parse returns the column of that field.
func (t *tableCheck) parse(fields []string) (cells []table.Value, column string, err error) {
	for i, field := range fields[:min(len(fields), len(t.columns))] {
		cell, err := t.columns[i].Kind.Parse(field)
		if err != nil {
			return nil, t.columns[i].Name, err
		}
		cells = append(cells, cell)
	}
	return cells, "", nil
}

// convertCells converts the fields of a line. It compares those cells whose values the design and the certificate
// determine.
func (t *tableCheck) convertCells(fields []string) (cells []table.Value, wrong string) {
	cells, column, err := t.parse(fields)
	if err != nil {
		return nil, fmt.Sprintf("%s: %v", column, err)
	}
	run := int(cells[0].Int())
	c, ok := t.v.cert.runs[run]
	if !ok {
		return nil, fmt.Sprintf("the study has no run %d", run)
	}
	values, seed := t.v.study.manifest.Design.At(nil, run)
	want := append([]string{strconv.Itoa(run), strconv.FormatUint(seed, 10), c.State, hashText(uint64(c.Hash))}, values...)
	for i, text := range want {
		kind := t.columns[i].Kind
		if cell, err := kind.Parse(text); err != nil || cell != cells[i] {
			t.v.suspect[run] = true
			return nil, fmt.Sprintf("run %d: %s is %s, and %s in the certificate", run, t.columns[i].Name, fields[i], text)
		}
	}
	return cells, ""
}

// end compares the rows of the current run.
func (t *tableCheck) end(ctx context.Context) error {
	if t.run < 0 {
		return nil
	}
	switch sum := sumOf(t.rows); {
	case t.seen[t.run]:
		t.v.fault("%s: line %d: run %d: its rows are in two places", t.file, t.lines[0], t.run)
	case sum != t.v.cert.runs[t.run].Rows[t.name]:
		t.v.suspect[t.run] = true
		text, row, err := t.firstRow(ctx)
		if err != nil {
			return err
		}
		t.v.fault("%s: line %d: run %d: %s", t.file, t.lines[min(row, len(t.lines)-1)], t.run, text)
	}
	t.seen[t.run] = true
	t.rows, t.lines = t.rows[:0], t.lines[:0]
	return nil
}

// firstRow describes the first row of the file that differs from the certified rows. It takes the certified rows from the
// logs. If the logs do not have them, it computes the run again, unless the command compares only files.
func (t *tableCheck) firstRow(ctx context.Context) (text string, row int, err error) {
	own := t.v.rowsInLogs(t.run)
	if own == nil && !t.v.only {
		o, err := t.v.program.execute(ctx, t.v.task(t.run), t.v.pool(0))
		if err != nil {
			return "", 0, err
		}
		own = rowsOf(o)
	}
	only := map[string][]table.Column{t.name: t.v.cert.head.Tables[t.name]}
	text, row = firstDifferentRow(only, map[string][]byte{t.name: t.rows}, own, tickRange{})
	if text == "" || sumOf(own[t.name]) != t.v.cert.runs[t.run].Rows[t.name] {
		return "its rows are not those of the certificate", 0, nil
	}
	return text, row, nil
}

// reportMissing reports the runs of the certificate that the file does not have.
func (t *tableCheck) reportMissing() {
	for run := range t.v.study.Runs() {
		c, ok := t.v.cert.runs[run]
		if _, has := c.Rows[t.name]; ok && has && !t.seen[run] && !t.broken && c.Rows[t.name] != sumOf(nil) {
			t.v.suspect[run] = true
			t.v.fault("%s: it has no rows of run %d", t.file, run)
		}
	}
}
