package table

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// OfStudy reports whether a study adds a column of this name to every table: run, seed, state and hash. These
// columns describe a single run, so a summary omits them. No column of a model has one of these names.
func OfStudy(name string) bool {
	return slices.Contains([]string{"run", "seed", "state", "hash"}, name)
}

// summaryWriter collects the statistics of each point until Close.
type summaryWriter struct {
	out     io.Writer
	open    Open // format of the summary; nil for text
	about   About
	columns []Column
	where   []int // the columns that identify a point: the parameters, and the tick of a series
	numbers []int // the columns with statistics
	points  []*point
	byKey   map[string]*point
	key     []byte
}

// A point consists of the rows that have equal values in the columns listed in where.
type point struct {
	where []Value
	rows  int
	stats []moments
}

// moments has the mean of numbers and the sum of their squared deviations, by Welford's method.
type moments struct {
	n        int
	mean, m2 float64
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m2 += float64(d * (x - m.mean))
}

// NewSummary opens a table as text for a terminal. The text has one line for each point of the design, in the order
// of the runs. A line has the parameters that differ between points, the number n of rows, and for each numeric
// column the mean with its standard error, for example 0.154 ± 0.012. An error below 100 has two digits. From 100 on,
// the mean and the error are whole numbers, for example 606972 ± 183688. In a table that a model emits, each tick is
// a separate point. Numbers that are NaN or infinite are left out; the cell then says how many are left. Nothing is
// written before Close.
func NewSummary(w io.Writer, columns []Column) (Writer, error) {
	s := &summaryWriter{out: w, columns: columns, byKey: map[string]*point{}}
	s.About(About{})
	return s, nil
}

// SummaryIn returns a function that opens a table as NewSummary does, but writes the summary as a table in another
// format, for other programs. The table has one row for each point. A row has all parameters, the number n of rows of
// the point, and three columns for each numeric column: share_mean, share_error and share_n, for example. The error is
// the standard error of the mean. share_n is the number of finite values. If it is 0, the mean
// is NaN. If it is 0 or 1, the error is NaN. If a name is already taken, the column gets the prefix out_.
func SummaryIn(format Open) Open {
	return func(w io.Writer, columns []Column) (Writer, error) {
		s := &summaryWriter{out: w, open: format, columns: columns, byKey: map[string]*point{}}
		s.About(About{})
		return s, nil
	}
}

// About receives the names of the parameters. The tick is a result in the table of results, which
// has one row for each run: it is the tick at which the run ended.
func (s *summaryWriter) About(a About) {
	s.about, s.where, s.numbers = a, nil, nil
	for i, c := range s.columns {
		switch {
		case slices.Contains(a.Params, c.Name) || c.Name == "tick" && a.Table != "result":
			s.where = append(s.where, i)
		case OfStudy(c.Name) || c.Kind == KindText:
		default:
			s.numbers = append(s.numbers, i)
		}
	}
}

func (s *summaryWriter) Row(cells []Value) error {
	if err := checkCells(cells, s.columns); err != nil {
		return err
	}
	s.key = s.key[:0]
	for _, i := range s.where {
		s.key = append(cells[i].AppendText(s.key, s.columns[i].Kind), 0)
	}
	p := s.byKey[string(s.key)]
	if p == nil {
		p = &point{stats: make([]moments, len(s.numbers))}
		for _, i := range s.where {
			p.where = append(p.where, cells[i])
		}
		s.byKey[string(s.key)] = p
		s.points = append(s.points, p)
	}
	p.rows++
	for k, i := range s.numbers {
		if x := cells[i].Number(s.columns[i].Kind); !math.IsNaN(x) && !math.IsInf(x, 0) {
			p.stats[k].add(x)
		}
	}
	return nil
}

// Close writes the summary.
func (s *summaryWriter) Close() error {
	if s.open != nil {
		return s.writeTable()
	}
	return s.writeText()
}

// writeTable writes the summary in the format that open opens.
func (s *summaryWriter) writeTable() error {
	var columns []Column
	taken := map[string]bool{}
	add := func(c Column, name string, kind Kind) {
		for taken[name] {
			name = "out_" + name
		}
		taken[name] = true
		columns = append(columns, Column{Name: name, Kind: kind, Unit: c.Unit, Help: c.Help})
	}
	for _, i := range s.where {
		add(s.columns[i], s.columns[i].Name, s.columns[i].Kind)
	}
	add(Column{Help: "rows of the point"}, "n", KindInt)
	for _, i := range s.numbers {
		c := s.columns[i]
		add(c, c.Name+"_mean", KindFloat)
		add(Column{Unit: c.Unit, Help: "standard error of the mean"}, c.Name+"_error", KindFloat)
		add(Column{Help: "finite values"}, c.Name+"_n", KindInt)
	}
	w, err := s.open(io.Discard, columns)
	if err != nil {
		return err
	}
	if check, ok := w.(Checker); ok { // a refused table must leave no partial output
		if err := s.eachPoint(check.Check); err != nil {
			return err
		}
	}
	if w, err = s.open(s.out, columns); err != nil {
		return err
	}
	if p, ok := w.(Presenter); ok {
		p.About(s.about)
	}
	if err := s.eachPoint(w.Row); err != nil {
		return err
	}
	return w.Close()
}

// eachPoint calls a function with the cells of each point.
func (s *summaryWriter) eachPoint(do func([]Value) error) error {
	var cells []Value
	for _, p := range s.points {
		cells = append(append(cells[:0], p.where...), IntValue(int64(p.rows)))
		for _, m := range p.stats {
			mean := m.mean
			if m.n == 0 {
				mean = math.NaN()
			}
			cells = append(cells, FloatValue(mean), FloatValue(m.standardError()), IntValue(int64(m.n)))
		}
		if err := do(cells); err != nil {
			return err
		}
	}
	return nil
}

// writeText writes the summary as lines for a terminal.
func (s *summaryWriter) writeText() error {
	out := bufio.NewWriter(s.out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var line []string
	end := func() {
		_, _ = fmt.Fprintln(t, strings.Join(line, "\t")) // Flush returns the error
		line = line[:0]
	}
	varied := s.variedColumns()
	for _, k := range varied {
		line = append(line, s.columns[s.where[k]].heading())
	}
	line = append(line, "n")
	for _, i := range s.numbers {
		line = append(line, s.columns[i].heading())
	}
	end()
	for _, p := range s.points {
		for _, k := range varied {
			line = append(line, s.text(p, k))
		}
		line = append(line, strconv.Itoa(p.rows))
		for _, m := range p.stats {
			text := m.String()
			if m.n > 0 && m.n < p.rows {
				text += fmt.Sprintf(" (of %d)", m.n)
			}
			line = append(line, text)
		}
		end()
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return out.Flush()
}

// variedColumns returns the indices, in the list where, of the columns that have more than one value.
func (s *summaryWriter) variedColumns() (list []int) {
	for k := range s.where {
		if slices.ContainsFunc(s.points, func(p *point) bool { return s.text(p, k) != s.text(s.points[0], k) }) {
			list = append(list, k)
		}
	}
	return list
}

// text returns the value of a point in the column where[k], for a terminal.
func (s *summaryWriter) text(p *point, k int) string {
	return terminalText(string(p.where[k].AppendText(nil, s.columns[s.where[k]].Kind)))
}

// heading returns the name of a column with its unit.
func (c Column) heading() string {
	if c.Unit == "" {
		return terminalText(c.Name)
	}
	return terminalText(c.Name) + " [" + terminalText(c.Unit) + "]"
}

// terminalText returns a text for a terminal. A text with control characters is quoted, because a terminal
// obeys some of them, and a tab or a line break would destroy the columns.
func terminalText(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// standardError returns the standard error of the mean. It is NaN for fewer than two numbers.
func (m moments) standardError() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	return math.Sqrt(m.m2 / float64(m.n-1) / float64(m.n))
}

// String returns the mean and its standard error. An error below 100 has two digits, and the mean
// ends at the same decimal place. From 100 on, both the mean and the error are whole numbers. A single number has no
// error. If a number has so many digits that they would fill the line, String uses an exponent.
func (m moments) String() string {
	if m.n == 0 {
		return "-"
	}
	if m.n == 1 {
		return strconv.FormatFloat(m.mean, 'g', 6, 64)
	}
	e := m.standardError()
	if e == 0 || math.IsNaN(e) || math.IsInf(e, 0) {
		return fmt.Sprintf("%.6g ± %.2g", m.mean, e)
	}
	text := strconv.FormatFloat(e, 'e', 1, 64) // of the form 1.2e-03
	exponent, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	places := max(0, 1-exponent)
	if places > 12 || math.Abs(m.mean) >= 1e12 || e >= 1e12 {
		return fmt.Sprintf("%.6g ± %s", m.mean, text)
	}
	return fmt.Sprintf("%.*f ± %.*f", places, m.mean, places, e)
}
