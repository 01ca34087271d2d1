package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/study/table"
)

// The limits of a page. With them, a page is smaller than 1 MB, no matter how many rows and columns a table has.
const (
	mostRows     = 500     // the largest number of points that the page lists for a column; pictures show all points
	mostListed   = 400_000 // bytes of the lists of all columns
	mostPictures = 450_000 // bytes of all pictures together
	mostNames    = 130_000 // bytes of the names and help texts of all columns, with the notes
)

// page holds the data that the HTML template shows.
type page struct {
	About    table.About
	Have     int // runs with rows
	Axes     []string
	Columns  []shownColumn
	Binned   bool
	Averaged bool // each picture is over two of several parameters
	Bars     bool // the rows of a point are replicates
	Size     int  // bytes of the pictures
	Dropped  int  // pictures that do not fit
	Hidden   int  // columns that do not fit
}

// picture is an element svg and the sentence below it.
type picture struct {
	SVG  template.HTML
	Note string
}

// shownColumn holds the part of the page about one column of numbers.
type shownColumn struct {
	Name, Help string
	Pictures   []picture
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
<meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.5 sans-serif; max-width: 88em; margin: 1em auto; padding: 0 1em; color: #222; background: #fff }
h1 { font-size: 1.5em; overflow-wrap: anywhere } h2 { font-size: 1.2em; margin-top: 2em; border-top: 1px solid #ddd; padding-top: .5em }
table { border-collapse: collapse; font-size: 12px; font-variant-numeric: tabular-nums } th, td { padding: .15em .5em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
.wide { overflow-x: auto; max-height: 30em; margin: 1em 0 } th { position: sticky; top: 0; background: #fff }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27em), 1fr)); gap: 1em } figure { margin: 0; max-width: 34em }
svg { display: block; width: 100%; height: auto } svg text { fill: #222; stroke: none } figcaption, .note { color: #666; font-size: 13px }
</style></head><body>
<h1>{{.About.Table}} of {{.About.Model}}</h1>
<p>{{.Have}}{{with .About.Runs}} of {{.}}{{end}} runs have rows.{{if .Axes}} Varied: {{range $i, $a := .Axes}}{{if $i}}, {{end}}{{$a}}{{end}}.{{end}}
{{if .Bars}}Means are shown with the interval in which they lie with 95 % confidence (Student's t) over n replicates.{{else}}There are no intervals, because the rows of a point are not replicates: they differ in a parameter, or one run has several of them.{{end}} Quantiles are of type 7, as R, numpy and Excel have them.{{if .Averaged}} A picture is over all values of the parameters that it does not show, and then it has no intervals.{{end}}{{if .Binned}} Values that are many are in bins of equal width.{{end}}</p>
{{with .Dropped}}<p class="note">{{.}} pictures are left out, because the page would be too large. Select columns with -columns.</p>{{end}}
{{with .Hidden}}<p class="note">{{.}} columns are left out, because the page would be too large. Select columns with -columns.</p>{{end}}
{{$axes := .Axes}}{{range .Columns}}<h2>{{.Name}}</h2>
{{with .Help}}<p>{{.}}</p>{{end}}{{with .Left}}<p class="note">{{.}} values are not finite, and left out.</p>{{end}}
<div class="pictures">{{range .Pictures}}<figure>{{.SVG}}{{with .Note}}<figcaption>{{.}}</figcaption>{{end}}</figure>
{{end}}</div>{{if .Rows}}<div class="wide"><table><tr>{{range $axes}}<th>{{.}}</th>{{end}}<th>n</th><th>mean</th><th>from</th><th>to</th><th>sd</th><th>min</th><th>5 %</th><th>25 %</th><th>50 %</th><th>75 %</th><th>95 %</th><th>max</th></tr>
{{range .Rows}}<tr>{{range .At}}<td>{{.}}</td>{{end}}<td>{{.N}}</td><td>{{n .Mean}}</td><td>{{n .Low}}</td><td>{{n .High}}</td><td>{{n .SD}}</td><td>{{n .Min}}</td>{{range .Q}}<td>{{n .}}</td>{{end}}<td>{{n .Max}}</td></tr>
{{end}}</table></div>{{with .More}}<p class="note">{{.}} more points are not listed.</p>{{end}}{{else}}{{with .More}}<p class="note">{{.}} points are not listed, because the page would be too large.</p>{{end}}{{end}}
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
	p := page{About: c.about, Have: len(c.runs), Averaged: len(axes) > 2, Bars: c.replicated(axes)}
	for i := range axes {
		p.Axes = append(p.Axes, axes[i].name())
		p.Binned = p.Binned || axes[i].binned
	}
	if fit := c.about.Fit; fit != "" && !slices.ContainsFunc(axes, func(a axis) bool { return a.column.Name == fit }) {
		return fmt.Errorf("report: a fit ~ %s^p needs two values of %s or more: vary this parameter", fit, fit)
	}
	var shown []int
	for k, i := range c.numbers {
		if v := c.values[k]; c.columns[i].Name != tick || len(v) == 0 || slices.Min(v) != slices.Max(v) { // usually all runs end at one tick
			shown = append(shown, k)
		}
	}
	shown = p.fitting(shown, c)
	room := mostListed
	for i, k := range shown {
		s, used := p.show(c.columns[c.numbers[k]], c.values[k], axes, room/(len(shown)-i))
		p.Columns, room = append(p.Columns, s), room-used
	}
	if err := layout.Execute(c.out, &p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// fitting returns the first columns whose names and help texts fit on the page, and counts the others.
func (p *page) fitting(shown []int, c *collector) []int {
	const own = 250 // bytes of the template for a column without pictures and rows
	room := mostNames - p.axesSize() - 2*escapedLen(p.About.Table) - 2*escapedLen(p.About.Model)
	for i, k := range shown {
		col := &c.columns[c.numbers[k]]
		room -= escapedLen(label(col.Name, col.Unit)) + escapedLen(col.Help) + own
		if room < 0 {
			p.Hidden = len(shown) - i
			return shown[:i]
		}
	}
	return shown
}

// axesSize returns the number of bytes of the axes' names in the head of a list.
func (p *page) axesSize() (n int) {
	for _, name := range p.Axes {
		n += escapedLen(name) + len("<th></th>")
	}
	return n
}

// escapedLen returns the number of bytes of a text on the page, or a little more.
func escapedLen(text string) int {
	n := len(text)
	for _, r := range text {
		if strings.ContainsRune("\"&'+<>\x00", r) {
			n += len("&#34;") - 1
		}
	}
	return n
}

// show returns the statistics and the pictures of a column, and the bytes of the listed points, which are at most room.
func (p *page) show(c table.Column, values []float64, axes []axis, room int) (s shownColumn, used int) {
	v := value{name: label(c.Name, c.Unit), log: slices.Contains(p.About.Log, c.Name), bars: p.Bars}
	s = shownColumn{Name: v.name, Help: c.Help}
	var list []float64
	for _, v := range values {
		if !finite(v) {
			s.Left++
		} else {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return s, 0
	}
	const head = 200 // bytes of the template
	used = s.list(values, axes, room-head-p.axesSize(), p.Bars)
	if used > 0 {
		used += head + p.axesSize()
	}
	for _, pic := range v.pictures(values, list, axes, p.About.Fit) {
		switch size := len(pic.SVG) + escapedLen(pic.Note) + len("<figure></figure>\n<figcaption></figcaption>"); {
		case pic == (picture{}):
		case p.Size+size > mostPictures:
			p.Dropped++
		default:
			p.Size += size
			s.Pictures = append(s.Pictures, pic)
		}
	}
	return s, used
}

// mostCurves is the largest number of values of a parameter that are curves in one picture.
const mostCurves = len(palette)

// A picture has boxes if each point has at least fewest and at most most replicates. Fewer numbers have no quartiles. Of
// more numbers, the interval of the mean says more.
const fewest, most = 3, 20

// pictures draws a column. Parameter list holds its finite values.
func (v *value) pictures(values, list []float64, axes []axis, fit string) (all []picture) {
	if len(axes) == 0 {
		return []picture{v.histogram(list)}
	}
	for i := range axes {
		a := &axes[i]
		one := v
		if len(axes) > 1 {
			one = &value{name: v.name, log: v.log}
		}
		drawn := false
		for j := range axes {
			b := &axes[j]
			if i == j || len(b.labels) > mostCurves {
				continue
			}
			drawn = true
			two := *v
			two.bars = v.bars && len(axes) == 2
			if a.column.Name == fit && len(axes) == 2 {
				all = append(all, two.convergence(a, b, group(values, a, b))...)
			}
			all = append(all, two.curves(a, b, group(values, a, b)))
		}
		if !drawn {
			all = append(all, one.curves(a, nil, group(values, a)))
		}
		if a.column.Name == fit && (len(axes) != 2 || !drawn) {
			all = append(all, v.convergence(a, nil, group(values, a))...)
		}
		for j := range axes[:i] {
			b := &axes[j]
			all = append(all, v.heat(b, a, group(values, b, a)))
		}
	}
	if a := &axes[0]; len(axes) == 1 && v.bars {
		lists := groupLists(values, a)
		few := slices.ContainsFunc(lists, func(l []float64) bool { return len(l) >= fewest })
		for _, l := range lists {
			few = few && len(l) <= most
		}
		if few {
			all = append(all, v.boxes(a, lists, summarizeAll(lists)))
		}
	}
	return all
}

// list lists the points that have numbers, up to a number of bytes, and returns the bytes of these points. Points whose rows are not
// replicates have no interval.
func (s *shownColumn) list(values []float64, axes []axis, room int, replicates bool) (used int) {
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
		if s.More > 0 || len(s.Rows) == mostRows {
			s.More++
		} else {
			row := newShownRow(values, rows[:n], axes)
			if !replicates {
				row.Low, row.High = math.NaN(), math.NaN()
			}
			if size := row.size(); used+size <= room {
				s.Rows, used = append(s.Rows, row), used+size
			} else {
				s.More++
			}
		}
		rows = rows[n:]
	}
	return used
}

// size returns the number of bytes of a line, or a little more.
func (r *shownRow) size() int {
	const cell = len("<td></td>")
	n := len("<tr></tr>\n") + len(strconv.Itoa(r.N)) + cell
	for _, text := range r.At {
		n += escapedLen(text) + cell
	}
	for _, x := range append([]float64{r.Mean, r.Low, r.High, r.SD, r.Min, r.Max}, r.Q[:]...) {
		n += escapedLen(shortText(x)) + cell
	}
	return n
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
