package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/lanewise/lanewise/study/table"
)

// mostRows is the largest number of points that the page lists for a column.
// The pictures show all points.
const mostRows = 500

// page holds the data that the HTML template shows.
type page struct {
	About    table.About
	Have     int // runs with rows
	Axes     []string
	Columns  []shownColumn
	Binned   bool
	Averaged bool // each picture is over two of several parameters
}

// shownColumn holds the part of the page about one column of numbers.
type shownColumn struct {
	Name, Help string
	Pictures   []template.HTML
	Rows       []shownRow
	More       int // number of points that are not listed
	Left       int // number of values that are not finite
}

// shownRow is the line of the page about one point.
type shownRow struct {
	At []string
	Summary
}

var layout = template.Must(template.New("report").Funcs(template.FuncMap{"n": shortText}).Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.About.Table}} of {{.About.Model}}</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-size: 12px; margin: 1em 0 } th, td { padding: .15em .5em; text-align: right; border-bottom: 1px solid #ddd }
svg { display: block; max-width: 100%; height: auto; margin: 1em 0 } svg text { font-family: sans-serif !important } p.note { color: #666 }
</style></head><body>
<h1>{{.About.Table}} of {{.About.Model}}</h1>
<p>{{.Have}}{{with .About.Runs}} of {{.}}{{end}} runs have rows.{{if .Axes}} Varied: {{range $i, $a := .Axes}}{{if $i}}, {{end}}{{$a}}{{end}}.{{end}}
Means are shown with the interval in which they lie with 95 % confidence (Student's t); quantiles are of type 7, as R, numpy and Excel have them.{{if .Averaged}} A picture is over all values of the parameters that it does not show.{{end}}{{if .Binned}} Values that are many are in bins of equal width.{{end}}</p>
{{$axes := .Axes}}{{range .Columns}}<h2>{{.Name}}</h2>
{{with .Help}}<p>{{.}}</p>{{end}}{{with .Left}}<p class="note">{{.}} values are not finite, and left out.</p>{{end}}
{{range .Pictures}}{{.}}
{{end}}<table><tr>{{range $axes}}<th>{{.}}</th>{{end}}<th>n</th><th>mean</th><th>from</th><th>to</th><th>sd</th><th>min</th><th>5 %</th><th>25 %</th><th>50 %</th><th>75 %</th><th>95 %</th><th>max</th></tr>
{{range .Rows}}<tr>{{range .At}}<td>{{.}}</td>{{end}}<td>{{.N}}</td><td>{{n .Mean}}</td><td>{{n .Low}}</td><td>{{n .High}}</td><td>{{n .SD}}</td><td>{{n .Min}}</td>{{range .Q}}<td>{{n .}}</td>{{end}}<td>{{n .Max}}</td></tr>
{{end}}</table>{{with .More}}<p class="note">{{.}} more points are not listed.</p>{{end}}
{{end}}</body></html>
`))

// shortText writes a number in six digits.
func shortText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// Close computes the statistics and writes the page.
func (c *collector) Close() error {
	axes := c.variedAxes()
	p := page{About: c.about, Have: len(c.runs), Averaged: len(axes) > 1}
	for i := range axes {
		p.Axes = append(p.Axes, label(axes[i].column.Name, axes[i].column.Unit))
		p.Binned = p.Binned || axes[i].binned
	}
	for k, i := range c.numbers {
		if v := c.values[k]; c.columns[i].Name == tick && len(v) > 0 && slices.Min(v) == slices.Max(v) {
			continue // all runs end at one tick, the usual case
		}
		s, err := show(c.columns[i], c.values[k], axes)
		if err != nil {
			return fmt.Errorf("report: %s: %w", c.columns[i].Name, err)
		}
		p.Columns = append(p.Columns, s)
	}
	if err := layout.Execute(c.out, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// show returns the statistics and the pictures of a column.
func show(c table.Column, values []float64, axes []axis) (s shownColumn, err error) {
	s = shownColumn{Name: label(c.Name, c.Unit), Help: c.Help}
	list := plotter.Values{}
	for _, v := range values {
		if !finite(v) {
			s.Left++
		} else {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return s, nil
	}
	s.list(values, axes)
	add := func(picture template.HTML, e error) {
		if err == nil {
			err = e
		}
		if picture != "" {
			s.Pictures = append(s.Pictures, picture)
		}
	}
	if len(axes) == 0 && len(list) > 1 {
		add(histogram(s.Name, list))
	}
	for i := range axes {
		a := &axes[i]
		add(drawMeans(s.Name, a, group(values, a)))
		for j := range axes[:i] {
			b := &axes[j]
			add(heat(s.Name, newField(b, a, group(values, b, a))))
		}
	}
	return s, err
}

// list lists the points that have numbers, up to a limit.
func (s *shownColumn) list(values []float64, axes []axis) {
	var rows []int
	for row, v := range values {
		if finite(v) {
			rows = append(rows, row)
		}
	}
	compare := func(x, y int) int {
		for _, a := range axes {
			if c := cmp.Compare(a.place[x], a.place[y]); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortFunc(rows, compare)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && compare(rows[0], rows[n]) == 0 {
			n++
		}
		if len(s.Rows) == mostRows {
			s.More++
		} else {
			s.Rows = append(s.Rows, newShownRow(values, rows[:n], axes))
		}
		rows = rows[n:]
	}
}

// newShownRow returns the line about a point. Parameter rows holds the indices of the
// point's values.
func newShownRow(values []float64, rows []int, axes []axis) shownRow {
	one := make([]float64, len(rows))
	for i, row := range rows {
		one[i] = values[row]
	}
	shown := shownRow{Summary: Summarize(one)}
	for _, a := range axes {
		shown.At = append(shown.At, a.labels[a.place[rows[0]]])
	}
	return shown
}
