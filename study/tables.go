package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// plotFormat is the format that package report registers. The constant summaryFormat is the
// format of table.NewSummary, a summary as text.
const (
	plotFormat    = "html"
	summaryFormat = "summary"
)

func (p *program) tableCommand(_ context.Context, args []string, c Console) error {
	f := newFlags("table", c)
	out := f.String("out", "study", "the study's `directory`")
	format := f.String("format", "csv", "one of "+strings.Join(table.Formats(), ", "))
	plot := f.Bool("plot", false, "statistics over replicates and pictures, a page of HTML, if the program imports package report")
	var chosen plotFlags
	chosen.register(f)
	summary := f.Bool("summary", false, "one line for each point: the mean over the replicates ± its standard error, and their number n; as text, or as columns in the -format")
	if err := f.parse(args); err != nil {
		return err
	}
	given := f.given("format")
	switch {
	case !*plot && *format != plotFormat && chosen.given(f):
		return usageError{errors.New("-columns, -log and -fit are for pictures: add -plot")}
	case *plot && *summary:
		return usageError{errors.New("-plot -summary: take one of them")}
	case *plot && given && *format != plotFormat:
		return usageError{fmt.Errorf("-plot -format %s: a plot is a page of HTML: take one of them", *format)}
	case *summary && *format == plotFormat:
		return usageError{fmt.Errorf("-summary -format %s: take -plot, which has the statistics of each point", *format)}
	case *plot:
		*format = plotFormat
	case *summary && !given:
		*format = summaryFormat
	}
	name := resultTable
	switch len(f.rest) {
	case 0:
	case 1:
		name = f.rest[0]
	default:
		return usageError{fmt.Errorf("table %s: take one table at a time", strings.Join(f.rest, " "))}
	}
	if *plot && !slices.Contains(table.Formats(), plotFormat) {
		return usageError{errors.New(`-plot: this program makes no pictures: import _ "github.com/lanewise/lanewise/report" in it`)}
	}
	if !slices.Contains(table.Formats(), *format) {
		return usageError{fmt.Errorf("-format %s: this program has %s", *format, strings.Join(table.Formats(), ", "))}
	}
	s := &Study{program: p, errOut: c.Err, anyBuild: true} // any build of the program can read the records
	s.errOut = io.Discard
	if err := s.load(*out); err != nil {
		return err
	}
	var err error
	if s.history, err = journal.Read(*out, s.id, s.Runs()); err != nil {
		return err
	}
	if missing := s.Runs() - s.history.Done; missing > 0 {
		_, _ = fmt.Fprintf(c.Err, "%d of %d runs are missing: resume -out %s does them\n", missing, s.Runs(), *out)
	}
	open := func(w io.Writer, columns []table.Column) (table.Writer, error) { return table.New(*format, w, columns) }
	if *summary && *format != summaryFormat {
		open = table.SummaryIn(open)
	}
	return errors.Join(s.table(name, open, c.Out, chosen), s.checkReproducible())
}

// plotFlags are the choices of a user for pictures.
type plotFlags struct{ columns, log, fit string }

func (p *plotFlags) register(f *flags) {
	f.StringVar(&p.columns, "columns", "", "the `columns` of a -plot, separated by commas (default: all)")
	f.StringVar(&p.log, "log", "", "the `columns` and parameters that have logarithmic axes in a -plot, separated by commas")
	f.StringVar(&p.fit, "fit", "", "a `parameter` h: a -plot fits ~ h^p to each column, and has pictures of convergence and residuals")
}

// given reports whether the command line contains one of the flags.
func (p *plotFlags) given(f *flags) bool {
	return f.given("columns") || f.given("log") || f.given("fit")
}

// describe stores the choices in the description of a table. It returns an error if the table has no such column.
func (p *plotFlags) describe(a *table.About, columns []table.Column) error {
	names := func(flag, list string, wanted func(table.Column) bool) ([]string, error) {
		var have, truths, chosen []string
		for _, c := range columns {
			if c.Kind == table.KindBool && flag != "columns" {
				truths = append(truths, c.Name)
			} else if wanted(c) && c.Kind != table.KindText && (slices.Contains(a.Params, c.Name) || !table.OfStudy(c.Name)) {
				have = append(have, c.Name)
			}
		}
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			if slices.Contains(truths, name) {
				return nil, usageError{fmt.Errorf("-%s %s: its values are true and false, which have no logarithms: there are %s", flag, printable.Name(name), strings.Join(have, ", "))}
			}
			if !slices.Contains(have, name) {
				return nil, usageError{fmt.Errorf("-%s %s: the table has no such numbers: there are %s", flag, printable.Name(name), strings.Join(have, ", "))}
			}
			chosen = append(chosen, name)
		}
		return chosen, nil
	}
	param := func(c table.Column) bool {
		return slices.Contains(a.Params, c.Name) || c.Name == tickColumn.Name && a.Table != resultTable
	}
	var err error
	if a.Columns, err = names("columns", p.columns, func(c table.Column) bool { return !slices.Contains(a.Params, c.Name) }); err != nil {
		return err
	}
	if a.Log, err = names("log", p.log, func(table.Column) bool { return true }); err != nil {
		return err
	}
	fit, err := names("fit", p.fit, param)
	if len(fit) > 1 {
		err = usageError{fmt.Errorf("-fit %s: take one parameter", p.fit)}
	}
	if len(fit) == 1 {
		a.Fit = fit[0]
	}
	return err
}

// table writes one table, with the rows of all runs that have ended. Each line contains the state
// and all parameters of the run, and then the row. The rows are in the order of the runs, so the
// table does not depend on the workers.
func (s *Study) table(name string, open table.Open, out io.Writer, chosen plotFlags) error {
	t := tableWriter{study: s, chosen: chosen, name: name, open: open, out: io.Discard, seen: map[string]bool{}, check: true}
	if err := s.history.Records(t.record); err != nil && !errors.Is(err, fs.SkipAll) {
		return err
	}
	t = tableWriter{study: s, chosen: chosen, name: name, open: open, out: out, seen: map[string]bool{}}
	if err := s.history.Records(t.record); err != nil {
		return err
	}
	if t.w == nil {
		if s.history.Done == 0 {
			return errors.New("no run has ended yet: there is no table")
		}
		t.seen[runsTable], t.seen[timesTable] = true, true
		names := slices.Sorted(maps.Keys(t.seen))
		for i, n := range names {
			names[i] = printable.Name(n)
		}
		return fmt.Errorf("no run has a table %q: there are %s", name, strings.Join(names, ", "))
	}
	return t.w.Close()
}

// tableWriter writes a table record by record.
type tableWriter struct {
	study   *Study
	chosen  plotFlags
	name    string
	open    table.Open
	out     io.Writer
	w       table.Writer
	columns []table.Column // columns of the rows without those of the study
	cells   []table.Value
	values  []string
	seen    map[string]bool
	check   bool // only check the rows; write none
}

// checkOnlyWriter is a table writer that only checks rows.
type checkOnlyWriter struct{ table.Checker }

func (c checkOnlyWriter) Row(cells []table.Value) error { return c.Check(cells) }

// record writes the rows of one run.
func (t *tableWriter) record(e journal.Entry, payload []byte) error {
	h, body, err := parsePayload(payload)
	if err != nil {
		return fmt.Errorf("run %d: %w", e.Run, err)
	}
	switch t.name {
	case runsTable:
		why, _, _ := strings.Cut(h.Why, "\n")
		return t.row(e, h, runColumns, table.IntValue(int64(h.Ticks)), table.TextValue(why))
	case timesTable:
		return t.row(e, h, timeColumns, table.FloatValue(h.Ms))
	}
	for _, p := range h.Tables {
		t.seen[p.Name] = true
		if p.Bytes < 0 || p.Bytes > len(body) {
			return fmt.Errorf("run %d: %w", e.Run, ErrRecord)
		}
		rows := body[:p.Bytes]
		body = body[p.Bytes:]
		if p.Name != t.name {
			continue
		}
		if err := t.rows(e, h, p, rows); err != nil {
			return fmt.Errorf("run %d: table %s: %w", e.Run, p.Name, err)
		}
	}
	return nil
}

var (
	runColumns  = []table.Column{{Name: "ticks", Kind: table.KindInt}, {Name: "why", Kind: table.KindText}}
	timeColumns = []table.Column{{Name: "ms", Kind: table.KindFloat, Unit: "ms"}}
)

func (t *tableWriter) rows(e journal.Entry, h header, p part, rows []byte) error {
	if err := t.begin(e, h, append([]table.Column{tickColumn}, p.Columns...)); err != nil {
		return err
	}
	head := len(t.cells)
	for range p.Rows {
		var err error
		if t.cells, rows, err = table.Decode(rows, p.Columns, t.cells[:head]); err != nil {
			return err
		}
		if err := t.w.Row(t.cells); err != nil {
			return err
		}
	}
	return nil
}

// row writes a row that is not stored in the body of the record.
func (t *tableWriter) row(e journal.Entry, h header, columns []table.Column, cells ...table.Value) error {
	if err := t.begin(e, h, columns); err != nil {
		return err
	}
	t.cells = append(t.cells, cells...)
	return t.w.Row(t.cells)
}

// begin sets the first cells of a run's rows in t.cells. For the first run it
// opens the table.
func (t *tableWriter) begin(e journal.Entry, h header, columns []table.Column) error {
	params := t.study.program.params
	if t.w == nil {
		all := t.study.program.tableColumns(columns)
		about := t.description()
		if err := t.chosen.describe(&about, all); err != nil {
			return err
		}
		w, err := t.open(t.out, all)
		if err != nil {
			return err
		}
		if t.check {
			c, ok := w.(table.Checker)
			if !ok {
				return fs.SkipAll // the format accepts every row
			}
			w = checkOnlyWriter{c}
		} else if p, ok := w.(table.Presenter); ok {
			p.About(about)
		}
		t.w, t.columns = w, columns
	} else if !slices.Equal(t.columns, columns) {
		return errors.New("its columns differ from those of runs before: the program was changed meanwhile")
	}
	var seed uint64
	t.values, seed = t.study.manifest.Design.At(t.values[:0], e.Run)
	t.cells = append(t.cells[:0], table.IntValue(int64(e.Run)), table.UintValue(seed), table.TextValue(State(e.State).String()), table.TextValue(hashText(e.Hash)))
	for i := range params {
		v, err := params[i].Kind.Parse(t.values[i])
		if err != nil {
			return err
		}
		t.cells = append(t.cells, v)
	}
	return nil
}

// tableColumns returns the columns of a table: the columns that every table has, the parameters,
// and the columns of its rows.
func (p *program) tableColumns(columns []table.Column) []table.Column {
	all := slices.Clone(headColumns)
	taken := map[string]bool{}
	for _, p := range p.params {
		all = append(all, table.Column{Name: p.Name, Kind: p.Kind, Unit: p.Unit, Help: p.Help})
	}
	for _, c := range all {
		taken[c.Name] = true
	}
	for _, c := range columns {
		for taken[c.Name] {
			c.Name = "out_" + c.Name
		}
		taken[c.Name] = true
		all = append(all, c)
	}
	return all
}

// description returns the description of the table.
func (t *tableWriter) description() table.About {
	a := table.About{Model: t.study.program.name, Table: t.name, Runs: t.study.Runs()}
	for _, p := range t.study.program.params {
		a.Params = append(a.Params, p.Name)
	}
	return a
}

// hashText returns the hash of a run as text. The text is empty if the run has no hash.
func hashText(hash uint64) string {
	if hash == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", hash)
}
