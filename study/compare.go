package study

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

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

// compareLogs compares the records of the logs with the certificate, and looks for bytes of no entry.
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
			log, _, _, err := certified(e, payload)
			if err != nil {
				return err
			}
			if text := v.cert.runs[run].differs(log); text != "" {
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
	r := csv.NewReader(bytes.NewReader(text))
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t := &tableCheck{v: v, file: name}
	if err := t.recognize(header); err != nil {
		return err
	}
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
		cells, wrong := t.cells(fields)
		if wrong != "" {
			v.fault("%s: line %d: %s", name, line, wrong)
			t.broken = true
			continue
		}
		if err := w.Row(cells); err != nil {
			return err
		}
		if run := int(cells[0].Int()); run != t.run {
			t.end(ctx)
			t.run = run
		}
		t.lines = append(t.lines, line)
		t.rows = appendRow(t.rows, cells[t.head:], t.columns[t.head:])
	}
	t.end(ctx)
	t.missing()
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
}

// recognize finds the table that has the columns of a file.
func (t *tableCheck) recognize(header []string) error {
	t.run, t.seen = -1, map[int]bool{}
	var names []string
	for name := range t.v.cert.head.Tables {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.head = len(headColumns) + len(t.v.program.params)
		t.columns = t.v.program.tableColumns(append([]table.Column{tickColumn}, t.v.cert.head.Tables[name]...))
		if slices.EqualFunc(header, t.columns, func(field string, c table.Column) bool { return field == c.Name }) {
			t.name = name
			return nil
		}
	}
	return fmt.Errorf("%s: its first line is not that of a table of the certificate, which has %s, as the command table writes them in CSV", t.file, printable.Line(fmt.Sprint(names)))
}

// cells converts the fields of a line, and compares those that the design and the certificate determine.
func (t *tableCheck) cells(fields []string) (cells []table.Value, wrong string) {
	for i, field := range fields {
		cell, err := t.columns[i].Kind.Parse(field)
		if err != nil {
			return nil, fmt.Sprintf("%s: %v", t.columns[i].Name, err)
		}
		cells = append(cells, cell)
	}
	run := int(cells[0].Int())
	c, ok := t.v.cert.runs[run]
	if !ok {
		return nil, fmt.Sprintf("the study has no run %d", run)
	}
	values, seed := t.v.study.manifest.Design.At(nil, run)
	hash := ""
	if c.Hash != 0 {
		hash = fmt.Sprintf("%016x", uint64(c.Hash))
	}
	want := append([]string{strconv.Itoa(run), strconv.FormatUint(seed, 10), c.State, hash}, values...)
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
func (t *tableCheck) end(ctx context.Context) {
	if t.run < 0 {
		return
	}
	switch sum := sumOf(t.rows); {
	case t.seen[t.run]:
		t.v.fault("%s: line %d: run %d: its rows are in two places", t.file, t.lines[0], t.run)
	case sum != t.v.cert.runs[t.run].Rows[t.name]:
		t.v.suspect[t.run] = true
		text, row := t.firstRow(ctx)
		t.v.fault("%s: line %d: run %d: %s", t.file, t.lines[min(row, len(t.lines)-1)], t.run, text)
	}
	t.seen[t.run] = true
	t.rows, t.lines = t.rows[:0], t.lines[:0]
}

// firstRow describes the first row of the file that differs from the certified rows. It takes these from the logs, or
// computes the run again.
func (t *tableCheck) firstRow(ctx context.Context) (text string, row int) {
	own := t.v.rowsInLogs(t.run)
	if own == nil || sumOf(own[t.name]) != t.v.cert.runs[t.run].Rows[t.name] {
		own = rowsOf(t.v.outcomeOf(ctx, t.v.task(t.run), t.v.pool[0]))
	}
	only := map[string][]table.Column{t.name: t.v.cert.head.Tables[t.name]}
	text, row = firstDifferentRow(only, map[string][]byte{t.name: t.rows}, own, tickRange{})
	if text == "" || sumOf(own[t.name]) != t.v.cert.runs[t.run].Rows[t.name] {
		return "its rows are not those of the certificate", 0
	}
	return text, row
}

// missing reports the runs of the certificate that the file does not have.
func (t *tableCheck) missing() {
	for run := range t.v.study.Runs() {
		c, ok := t.v.cert.runs[run]
		if _, has := c.Rows[t.name]; ok && has && !t.seen[run] && !t.broken && c.Rows[t.name] != sumOf(nil) {
			t.v.suspect[run] = true
			t.v.fault("%s: it has no rows of run %d", t.file, run)
		}
	}
}

// appendRow appends a row as the log stores it.
func appendRow(b []byte, cells []table.Value, columns []table.Column) []byte {
	for i, c := range cells {
		switch columns[i].Kind {
		case table.KindInt:
			b = binary.LittleEndian.AppendUint64(b, uint64(c.Int()))
		case table.KindFloat, table.KindFloat32:
			x := c.Float()
			if math.IsNaN(x) {
				x = math.NaN() // with one sign and payload, as in the log
			}
			if columns[i].Kind == table.KindFloat {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			} else {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		case table.KindBool:
			bit := byte(0)
			if c.Bool() {
				bit = 1
			}
			b = append(b, bit)
		default:
			b = binary.LittleEndian.AppendUint32(b, uint32(len(c.Text())))
			b = append(b, c.Text()...)
		}
	}
	return b
}
