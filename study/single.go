package study

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study/table"
)

func (p *program) paramsCommand(_ context.Context, args []string, c Console) error {
	f := newFlags("params", c)
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.checkNoArgs(); err != nil {
		return err
	}
	rows := [][]string{{"parameter", "default", "range", "unit", "meaning"}}
	for i := range p.params {
		q := &p.params[i]
		rows = append(rows, []string{q.Name, q.Default, q.Range(), q.Unit, q.Help})
	}
	return align(c.Out, rows)
}

// align writes a table of words in aligned columns.
func align(w io.Writer, rows [][]string) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row)) // a tab or a line end inside a cell would begin another cell
		for i, cell := range row {
			cells[i] = printable.Line(cell)
		}
		_, _ = fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) runCommand(ctx context.Context, args []string, c Console) error {
	f := newFlags("run", c)
	o := &designFlags{seeds: new(int), latin: new(int), random: new(int), list: new(string),
		seed: f.Uint64("seed", 1, "the `seed`, as of a study of one run"), limit: f.Duration("limit", 0, "the `time` that the run may take; 0: any")}
	*o.seeds = 1
	name := f.String("table", "", "write this `table` instead of the result")
	format := f.String("format", "csv", "of the table or, without -table, of the result: one of "+strings.Join(table.Formats(), ", "))
	workers := f.Int("cores", cores(), "how many `cores` the run's jobs use")
	if err := f.parse(args); err != nil {
		return err
	}
	if f.given("format") && *name == "" {
		*name = resultTable
	}
	d, err := p.design(o, f.rest)
	switch {
	case err != nil:
		return usageError{err}
	case d.Runs() != 1:
		return usageError{fmt.Errorf("%s: %d runs: that is a sweep", strings.Join(f.rest, " "), d.Runs())}
	case *workers < 1:
		return usageError{fmt.Errorf("-cores %d: take 1 or more", *workers)}
	}
	pool := jobs.New(jobs.Workers(*workers))
	defer pool.Close()
	t := task{limit: *o.limit}
	t.values, t.seed = d.At(nil, 0)
	out, err := p.execute(ctx, t, pool)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.Err, "%s, %d ticks, %.1f ms, hash %016x\n", out.state, out.Ticks, out.Ms, out.hash)
	if out.state != OK {
		if out.Stack != "" {
			_, _ = fmt.Fprintln(c.Err, out.Stack)
		}
		err = fmt.Errorf("%s: %s", out.state, out.Why)
	}
	if e := p.show(out, *name, *format, c.Out); e != nil {
		return e
	}
	return err
}

// show writes the results of a single run.
func (p *program) show(o *outcome, name, format string, out io.Writer) error {
	wanted := name
	if wanted == "" {
		wanted = resultTable
	}
	i := slices.IndexFunc(o.Tables, func(t part) bool { return t.Name == wanted })
	if i < 0 {
		if name == "" || o.state != OK {
			return nil // the run has none; the reason is reported elsewhere
		}
		var names []string
		for _, t := range o.Tables {
			names = append(names, t.Name)
		}
		return usageError{fmt.Errorf("-table %s: the run has %s", name, strings.Join(names, ", "))}
	}
	t, rows := o.Tables[i], o.body[i]
	columns := append([]table.Column{tickColumn}, t.Columns...)
	each := func(do func([]table.Value) error) error {
		var cells []table.Value
		left := rows
		for range t.Rows {
			var err error
			if cells, left, err = table.Decode(left, t.Columns, cells[:0]); err != nil {
				return err
			}
			if err := do(cells); err != nil {
				return err
			}
		}
		return nil
	}
	var w table.Writer = &listing{w: out, columns: columns}
	if name != "" {
		first, err := table.New(format, io.Discard, columns)
		if err != nil {
			return usageError{err}
		}
		if c, ok := first.(table.Checker); ok {
			if err := each(c.Check); err != nil {
				return err
			}
		}
		if w, err = table.New(format, out, columns); err != nil {
			return usageError{err}
		}
	}
	if err := each(w.Row); err != nil {
		return err
	}
	return w.Close()
}

// listing writes one row for human readers. It prints a line for each cell except the tick.
type listing struct {
	w       io.Writer
	columns []table.Column
}

func (l *listing) Row(cells []table.Value) error {
	var rows [][]string
	for i, c := range l.columns[1:] {
		rows = append(rows, []string{c.Name, string(cells[i+1].AppendText(nil, c.Kind)), c.Unit})
	}
	return align(l.w, rows)
}

func (l *listing) Close() error { return nil }
