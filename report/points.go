package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/lanewise/lanewise/study/table"
)

func init() { table.Register("html", Open) }

// MostNumbers is the largest number of numbers in a report. The limit exists because a
// report keeps all of its numbers in memory.
const MostNumbers = 50_000_000

// collector keeps the numbers of a table until its end.
type collector struct {
	out     io.Writer
	columns []table.Column
	about   table.About

	axes    []int // the columns that identify the point of a row: parameters, tick
	numbers []int // columns with statistics
	where   [][]cell
	values  [][]float64
	run     []int64 // of each row; empty if the table has no runs
	runs    map[int64]bool
	most    int // numbers
}

// cell is a value on an axis: numbers are sorted as numbers, texts as texts.
type cell struct {
	at   float64
	text string
}

func (c cell) compare(o cell) int {
	return cmp.Or(cmp.Compare(c.at, o.at), cmp.Compare(c.text, o.text))
}

// Open begins a report of a table of a study. A program that imports this package writes a
// report with `table -format html` or `table -plot`.
func Open(w io.Writer, columns []table.Column) (table.Writer, error) {
	c := &collector{out: w, columns: columns, runs: map[int64]bool{}, most: MostNumbers}
	c.About(table.About{})
	return c, nil
}

// The tick of a table is an axis if a run has many rows, each with a tick. In the table of
// results, which has one row for each run, the tick is the time at which the run ended.
// This time is an outcome, so it does not distinguish points.
const tick, result = "tick", "result"

// About receives the description of the table.
func (c *collector) About(a table.About) {
	c.about, c.axes, c.numbers = a, nil, nil
	for i, col := range c.columns {
		switch {
		case slices.Contains(a.Params, col.Name) || col.Name == tick && a.Table != result:
			c.axes = append(c.axes, i)
		case table.OfStudy(col.Name):
		case len(a.Columns) > 0 && !slices.Contains(a.Columns, col.Name):
		case col.Kind != table.KindText:
			c.numbers = append(c.numbers, i)
		}
	}
	c.where, c.values = make([][]cell, len(c.axes)), make([][]float64, len(c.numbers))
}

// Row keeps the numbers of a row.
func (c *collector) Row(cells []table.Value) error {
	if len(cells) != len(c.columns) {
		return fmt.Errorf("report: a row of %d cells, the table has %d columns", len(cells), len(c.columns))
	}
	for k, i := range c.axes {
		at := cell{text: string(cells[i].AppendText(nil, c.columns[i].Kind))}
		if kind := c.columns[i].Kind; kind != table.KindText {
			at.at = cells[i].Number(kind)
		}
		c.where[k] = append(c.where[k], at)
	}
	for k, i := range c.numbers {
		c.values[k] = append(c.values[k], cells[i].Number(c.columns[i].Kind))
	}
	if c.columns[0].Name == "run" {
		c.run = append(c.run, cells[0].Int())
		c.runs[cells[0].Int()] = true
	}
	if n := len(c.numbers); n > 0 && n*len(c.values[0]) > c.most {
		return fmt.Errorf("report: more than %d numbers: write the table itself, and aggregate it where it can be larger than memory (-format parquet and SQL)", c.most)
	}
	return nil
}

// axis is a parameter that was varied, or the tick.
type axis struct {
	column table.Column
	labels []string  // labels of the values, or of the bins, in order
	at     []float64 // positions of the values; nil if they are not numbers
	place  []int     // of each row
	binned bool
	log    bool
}

// An axis with more than mostValues values is divided into bins.
const (
	mostValues = 24
	bins       = 12
)

// variedAxes returns the axes with more than one value.
func (c *collector) variedAxes() (list []axis) {
	for k, i := range c.axes {
		values := slices.Clone(c.where[k])
		slices.SortFunc(values, cell.compare)
		values = slices.CompactFunc(values, func(a, b cell) bool { return a.compare(b) == 0 }) // NaN is one value
		if len(values) < 2 {
			continue
		}
		a := axis{column: c.columns[i], place: make([]int, len(c.where[k])), log: slices.Contains(c.about.Log, c.columns[i].Name)}
		kind := a.column.Kind
		if number := kind != table.KindText && kind != table.KindBool; number && len(values) > mostValues {
			a.bin(c.where[k], values)
		} else {
			for _, v := range values {
				a.labels = append(a.labels, v.text)
				if number {
					a.at = append(a.at, v.at)
				}
			}
			for row, v := range c.where[k] {
				a.place[row], _ = slices.BinarySearchFunc(values, v, cell.compare)
			}
		}
		list = append(list, a)
	}
	return list
}

// bin assigns the rows to bins of equal width between the smallest and the
// largest finite value. Values that are not finite are in the first or the last
// bin.
func (a *axis) bin(where []cell, values []cell) {
	a.binned = true
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v.at) {
			lo, hi = min(lo, v.at), max(hi, v.at)
		}
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	width := hi/bins - lo/bins // divided separately, because the difference may be infinite
	between := func(b float64) float64 { return float64(lo*(1-b/bins)) + float64(hi*(b/bins)) }
	for b := range bins {
		a.at = append(a.at, between(float64(b)+0.5))
	}
	for digits := 4; digits <= 17; digits++ { // as many digits as distinguish the bins
		a.labels = a.labels[:0]
		for b := range bins {
			from := float64(b)
			a.labels = append(a.labels, fmt.Sprintf("%.*g…%.*g", digits, between(from), digits, between(from+1)))
		}
		if len(slices.Compact(slices.Clone(a.labels))) == bins {
			break
		}
	}
	for row, v := range where {
		a.place[row] = binOf(v.at, lo, width)
	}
}

// binOf returns the index of a value's bin. NaN is in the first bin.
func binOf(at, lo, width float64) int {
	b := (float64(at/2) - float64(lo/2)) / (width / 2) // halves, because the difference may be infinite
	switch {
	case b >= bins:
		return bins - 1
	case b > 0:
		return int(b)
	}
	return 0
}

// replicated reports whether the rows of each point are replicates, so that they have equal parameters and
// come from different runs.
func (c *collector) replicated(axes []axis) bool {
	rows := make([]int, len(c.run))
	for i := range axes {
		if axes[i].binned {
			return false
		}
	}
	for row := range rows {
		rows[row] = row
	}
	compare := func(x, y int) int {
		for i := range axes {
			if d := cmp.Compare(axes[i].place[x], axes[i].place[y]); d != 0 {
				return d
			}
		}
		return cmp.Compare(c.run[x], c.run[y])
	}
	slices.SortFunc(rows, compare)
	for i := 1; i < len(rows); i++ {
		if compare(rows[i-1], rows[i]) == 0 {
			return false
		}
	}
	return true
}

// groupLists returns the finite numbers of a column, separately for each position on some axes. The position on the last
// axis varies fastest.
func groupLists(values []float64, axes ...*axis) [][]float64 {
	n := 1
	for _, a := range axes {
		n *= len(a.labels)
	}
	lists := make([][]float64, n)
	for row, v := range values {
		if !finite(v) {
			continue
		}
		at := 0
		for _, a := range axes {
			at = at*len(a.labels) + a.place[row]
		}
		lists[at] = append(lists[at], v)
	}
	return lists
}

// summarizeAll returns the summaries of lists. If a list is empty, its N is 0.
func summarizeAll(lists [][]float64) []Summary {
	out := make([]Summary, len(lists))
	for i, list := range lists {
		if len(list) > 0 {
			out[i] = Summarize(list)
		}
	}
	return out
}

// group summarizes the numbers of a column, separately for each position on some axes.
func group(values []float64, axes ...*axis) []Summary {
	return summarizeAll(groupLists(values, axes...))
}
