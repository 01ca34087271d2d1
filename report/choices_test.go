package report

import (
	"flag"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/study/table"
)

// plotOf returns the page of a table with the parameters h, kind and w, and the columns y and z, for one row per run.
func plotOf(t *testing.T, about table.About, rows int, row func(i int) (h float64, kind string, w, y, z float64)) string {
	t.Helper()
	columns := []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "h", Kind: table.KindFloat}, {Name: "kind", Kind: table.KindText}, {Name: "w", Kind: table.KindFloat}, {Name: "y", Kind: table.KindFloat}, {Name: "z", Kind: table.KindFloat}}
	var out strings.Builder
	w, err := Open(&out, columns)
	if err != nil {
		t.Fatal(err)
	}
	about.Params, about.Runs = []string{"h", "kind", "w"}, rows
	w.(table.Presenter).About(about)
	for i := range rows {
		h, kind, p, y, z := row(i)
		if err := w.Row([]table.Value{table.IntValue(int64(i)), table.FloatValue(h), table.TextValue(kind), table.FloatValue(p), table.FloatValue(y), table.FloatValue(z)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	bars      = regexp.MustCompile(`<line x1="[^"]*" y1="[^"]*" x2="[^"]*" y2="[^"]*"/><circle`)
	polylines = regexp.MustCompile(`<polyline[^>]*points="([^"]*)"`)
)

// TestCurves checks that there is a curve for each value of a second parameter, and that only replicates have intervals.
func TestCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 1))
	noise := rng.Float64
	kinds := []string{"euler", "heun", "rk4"}
	for _, c := range []struct {
		name          string
		row           func(i int) (float64, string, float64, float64, float64)
		bars, curves  int // of column y
		says, notSays string
	}{
		{"one parameter", func(i int) (float64, string, float64, float64, float64) { return float64(i % 5), "k", 0, noise(), 0 }, 5, 1, "over n replicates", "There are no intervals"},
		{"two parameters", func(i int) (float64, string, float64, float64, float64) {
			return float64(i % 5), kinds[i/5%3], 0, noise(), 0
		}, 2 * 15, 3, ">kind</text>", "There are no intervals"},
		{"three parameters", func(i int) (float64, string, float64, float64, float64) {
			return float64(i % 5), kinds[i/5%3], float64(i / 15 % 2), noise(), 0
		}, 0, 3 + 2 + 5 + 3, "then it has no intervals", "There are no intervals"},
		{"bins", func(int) (float64, string, float64, float64, float64) { return noise(), "k", 0, noise(), 0 }, 0, 1, "There are no intervals", "over n replicates"},
		{"one run at each point", func(i int) (float64, string, float64, float64, float64) {
			return float64(i % 15), kinds[i/15%3], 0, float64(i), 0
		}, 0, 3, "over n replicates", "There are no intervals"},
	} {
		rows := 120
		if strings.HasPrefix(c.name, "one run") {
			rows = 45
		}
		page := plotOf(t, table.About{Columns: []string{"y"}}, rows, c.row)
		if n := len(bars.FindAllString(page, -1)); n != c.bars {
			t.Errorf("%s: %d intervals, want %d", c.name, n, c.bars)
		}
		if n := len(polylines.FindAllString(page, -1)); n != c.curves {
			t.Errorf("%s: %d curves, want %d", c.name, n, c.curves)
		}
		if !strings.Contains(page, c.says) || strings.Contains(page, c.notSays) || strings.Contains(page, "<h2>z</h2>") {
			t.Errorf("%s: the page must say %q and not %q, and not have column z", c.name, c.says, c.notSays)
		}
	}
}

// TestOneRunManyRows checks that several rows of one run are not replicates.
func TestOneRunManyRows(t *testing.T) {
	c := &collector{columns: []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "p", Kind: table.KindInt}}, runs: map[int64]bool{}, most: 100}
	for _, again := range []bool{false, true} {
		c.About(table.About{Params: []string{"p"}})
		c.run = nil
		for i := range int64(8) {
			run := i
			if again {
				run = i / 4
			}
			if err := c.Row([]table.Value{table.IntValue(run), table.IntValue(i % 2)}); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.replicated(c.variedAxes()); got == again {
			t.Errorf("one run has several rows: %v, replicates: %v", again, got)
		}
	}
}

// TestLog checks that equal quotients are equal distances on logarithmic axes, and that numbers that are not positive are left out.
func TestLog(t *testing.T) {
	row := func(i int) (float64, string, float64, float64, float64) {
		h := math.Ldexp(1, i%6)
		y := h * h * h
		if i%6 == 2 {
			y = -1
		}
		return h, "k", 0, y, 0
	}
	for _, log := range []bool{false, true} {
		about := table.About{Columns: []string{"y"}}
		if log {
			about.Log = []string{"h", "y"}
		}
		page := plotOf(t, about, 6, row)
		line := polylines.FindStringSubmatch(page)
		if line == nil {
			t.Fatal("there is no curve")
		}
		points := strings.Fields(line[1])
		if want := map[bool]int{false: 6, true: 5}[log]; len(points) != want {
			t.Fatalf("log %v: %d points, want %d", log, len(points), want)
		}
		if strings.Contains(page, "1 point is not on the logarithmic axes") != log {
			t.Errorf("log %v: the note about points that are left out is wrong", log)
		}
		at := func(i, k int) float64 { return number(t, strings.Split(points[i], ",")[k]) }
		for k := range 2 { // the last points are 8, 16, 32 and their cubes
			n := len(points)
			first, second := at(n-2, k)-at(n-3, k), at(n-1, k)-at(n-2, k)
			if (math.Abs(first-second) < 0.21) != log {
				t.Errorf("log %v, axis %d: distances %v and %v", log, k, first, second)
			}
		}
	}
}

// TestScale checks ticks: at least two, in order, at round numbers of the axis.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		log    bool
		want   string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1"}, {-3, 17, false, "0 5 10 15"}, {0.1, 0.35, false, "0.1 0.15 0.2 0.25 0.3 0.35"}, {1e6, 1.1e6, false, "1e+06 1.02e+06 1.04e+06 1.06e+06 1.08e+06 1.1e+06"},
		{1000001, 1000003, false, "1000001 1000001.5 1000002 1000002.5 1000003"}, {-1e308, 1e308, false, "-1e+308 0 1e+308"}, {5, 5, false, "5"},
		{1e-4, 1, true, "0.0001 0.001 0.01 0.1 1"}, {0.2, 4, true, "0.2 0.5 1 2"}, {3, 4, true, "3 3.5 4"}, {1e-300, 1e300, true, ""},
	} {
		s := newScale([]float64{c.hi, c.lo}, c.log)
		var texts []string
		before := -1.0
		for _, m := range s.ticks {
			texts = append(texts, m.text)
			if !(m.at > before && m.at <= 1) {
				t.Errorf("%v to %v: tick %s is at %v, after %v", c.lo, c.hi, m.text, m.at, before)
			}
			before = m.at
			if v := number(t, m.text); math.Abs(s.position(v)-m.at) > 1e-6 {
				t.Errorf("%v to %v: tick %s is at %v, its number is at %v", c.lo, c.hi, m.text, m.at, s.position(v))
			}
		}
		if got := strings.Join(texts, " "); got != c.want && c.want != "" || len(texts) == 0 || len(texts) > 12 {
			t.Errorf("%v to %v: ticks %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// TestFitPower compares fits with exact powers, and with an interval that was computed by hand.
func TestFitPower(t *testing.T) {
	for _, p := range []float64{-1, 0.5, 1, 2, 4} {
		var h, y []float64
		for i := range 5 {
			h = append(h, math.Ldexp(1, -i))
			y = append(y, 3*math.Exp2(-p*float64(i)))
		}
		h, y = append(h, 0, 1, math.NaN()), append(y, 1, 0, 1) // left out
		y[2] = -y[2]
		f := FitPower(h, y)
		if f.N != 5 || math.Abs(f.P-p) > 1e-14 || math.Abs(f.C-3) > 1e-13 || f.Half > 1e-12 || math.Abs(f.At(0.25)-3*math.Exp2(-2*p)) > 1e-13 {
			t.Errorf("p = %v: %+v", p, f)
		}
	}
	// The logarithms are (0, 0), (1, 1), (2, 3): the slope is 3/2, the sum of squares of the residuals is 1/6, and the quantile of
	// Student's t with one degree of freedom is 12.706.
	f := FitPower([]float64{1, math.E, math.E * math.E}, []float64{1, math.E, math.E * math.E * math.E})
	if want := 12.7062 * math.Sqrt(1.0/6/2); f.N != 3 || math.Abs(f.P-1.5) > 1e-14 || math.Abs(f.Half-want) > 1e-4 || f.String() != "p = 1.500 ± 3.7" {
		t.Errorf("%v, %+v, want half a width of %v", f, f, want)
	}
	if f := FitPower([]float64{2, 4}, []float64{1, 2}); f.String() != "p = 1.000" {
		t.Errorf("of two points: %v", f)
	}
	for _, h := range [][]float64{nil, {2}, {2, 2}} {
		if f := FitPower(h, []float64{1, 2}[:len(h)]); f.N != len(h) || f.String() != "no p" {
			t.Errorf("%v: %+v", h, f)
		}
	}
}

// TestConvergence checks the pictures of methods of orders 1, 2 and 4, and that their page says the orders.
func TestConvergence(t *testing.T) {
	kinds, orders := []string{"euler", "heun", "rk4"}, []int{1, 2, 4}
	methods := func(i int) (float64, string, float64, float64, float64) {
		h := math.Ldexp(1, -(i % 5))
		return h, kinds[i/5%3], 0, -0.5 * math.Pow(h, float64(orders[i/5%3])), 1
	}
	page := plotOf(t, table.About{Columns: []string{"y"}, Fit: "h"}, 15, methods)
	for _, want := range []string{"Fit |y| ~ h^p: euler: p = 1.000", "; heun: p = 2.000", "; rk4: p = 4.000", "(n = 5)", "Residuals: each mean, divided by the fit", ">y / fit</text>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	one := plotOf(t, table.About{Columns: []string{"y"}, Fit: "h"}, 5, methods)
	if len(drawnPictures(t, page)) != 5 || len(drawnPictures(t, one)) != 3 {
		t.Errorf("%d and %d pictures, want 5 and 3", len(drawnPictures(t, page)), len(drawnPictures(t, one)))
	}
	if !strings.Contains(one, "Fit |y| ~ h^p: p = 1.000") {
		t.Error("the fit of one method is missing")
	}
	if s := plotOf(t, table.About{Columns: []string{"z"}, Fit: "h"}, 5, methods); !strings.Contains(s, "p = 0.000 ± 0") {
		t.Error("the fit of equal numbers is missing")
	}
}

// TestBoxes checks that few replicates are drawn as boxes with each number, and many are not.
func TestBoxes(t *testing.T) {
	for _, c := range []struct{ replicates, boxes int }{{1, 0}, {2, 0}, {3, 4}, {20, 4}, {21, 0}} {
		page := plotOf(t, table.About{Columns: []string{"y"}}, 4*c.replicates, func(i int) (float64, string, float64, float64, float64) {
			return float64(i % 4), "k", 0, float64(i * i % 37), 0
		})
		if n := strings.Count(page, `fill="#dcebf5"`); n != c.boxes {
			t.Errorf("%d replicates: %d boxes, want %d", c.replicates, n, c.boxes)
		}
		if n := strings.Count(page, `r="1.6"`); n != c.boxes*c.replicates {
			t.Errorf("%d replicates: %d dots, want %d", c.replicates, n, c.boxes*c.replicates)
		}
	}
}

// TestLostNumbers checks that histograms and boxes on a logarithmic axis say what they leave out, also if nothing is left.
func TestLostNumbers(t *testing.T) {
	numbers := []float64{-1, 0, 0, 0, 0, 1, 2, 3}
	lists := [][]float64{{0, 1, 2}, {1, 2, 3}, {4, 5, 6}, {-2, -1, 5}}
	for _, c := range []struct {
		log                bool
		histogram, nothing string
		boxes              string
		drawn              int
	}{
		{false, "", "", "", 4},
		{true, "5 numbers are not on the logarithmic axes, or not finite.", "4 numbers are not on the logarithmic axes, or not finite.", "2 points are not on the logarithmic axes, or not finite.", 2},
	} {
		v := value{name: "v", log: c.log}
		if p := v.histogram(numbers); p.Note != c.histogram || p.SVG == "" {
			t.Errorf("logarithmic %v: the note of a histogram is %q, want %q", c.log, p.Note, c.histogram)
		}
		if p := v.histogram(numbers[1:5]); p.Note != c.nothing || (p.SVG == "") != c.log {
			t.Errorf("logarithmic %v: the note of a histogram without numbers is %q, want %q", c.log, p.Note, c.nothing)
		}
		p := v.boxes(&axis{labels: []string{"a", "b", "c", "d"}}, lists, summarizeAll(lists))
		if !strings.HasSuffix(p.Note, "Each dot is a replicate. "+c.boxes) || strings.Count(string(p.SVG), `fill="#dcebf5"`) != c.drawn {
			t.Errorf("logarithmic %v: %d boxes with the note %q, want %d with %q", c.log, strings.Count(string(p.SVG), `fill="#dcebf5"`), p.Note, c.drawn, c.boxes)
		}
	}
	page := plotOf(t, table.About{Columns: []string{"y"}, Log: []string{"y"}}, 12, func(i int) (float64, string, float64, float64, float64) {
		return float64(i % 4), "k", 0, float64(-i), 0
	})
	if !strings.Contains(page, "<figure><figcaption>4 points are not on the logarithmic axes") {
		t.Error("a page without any number on its axis has no note")
	}
}

// TestEqualNumbers checks that numbers which are all equal have neither an exponent nor a deviation.
func TestEqualNumbers(t *testing.T) {
	for _, x := range []float64{0.1, 0.3, 0.7, 3, 1e-3, 5, 7, 1e300} {
		for n := 2; n < 40; n++ {
			equal, different := slices.Repeat([]float64{x}, n), make([]float64, n)
			for i := range different {
				different[i] = 1 + float64(i)
			}
			if f := FitPower(equal, different); f.String() != "no p" || f.N != n || !math.IsNaN(f.C) || !math.IsNaN(f.Half) {
				t.Errorf("%d times the h %v: %+v, want no p", n, x, f)
			}
			if f := FitPower(different, equal); f.P != 0 || n > 2 && f.Half != 0 || math.Abs(f.C/x-1) > 1e-12 {
				t.Errorf("%d times the y %v: %+v, want the power 0", n, x, f)
			}
			if s := Summarize(equal); s.Mean != x || s.SD != 0 || s.Low != x || s.High != x {
				t.Errorf("the summary of %d times %v is %+v", n, x, s)
			}
		}
	}
}

var full = flag.Bool("lanewise.full", false, "pages of 10⁵ rows")

// TestManyColumns checks that pages of hundreds of columns, and of long texts, are smaller than 1 MB and say what they leave out.
func TestManyColumns(t *testing.T) {
	for _, c := range []struct {
		columns, params, runs, text int
		rows, left                  string
	}{
		{400, 4, 40, 0, "more points are not listed", ""},
		{400, 1, 20, 300, "<p class=\"note\">20 points are not listed", ""},
		{1500, 1, 6, 0, "", "columns are left out, because the page would be too large"},
		{3, 2, 100, 5000, "points are not listed", ""},
	} {
		var columns []table.Column
		var params []string
		for i := range c.params {
			params = append(params, "a<&>parameter_"+strconv.Itoa(i))
			columns = append(columns, table.Column{Name: params[i], Kind: table.KindFloat})
		}
		if c.text > 0 {
			columns[0].Kind = table.KindText
		}
		for i := range c.columns {
			columns = append(columns, table.Column{Name: "value<&>" + strconv.Itoa(i), Kind: table.KindFloat, Help: "all of it"})
		}
		rng := rand.New(rand.NewPCG(*seed, 8))
		page := makePage(t, c.runs, columns, params, func(run int) (cells []table.Value) {
			for i := range c.params {
				if i == 0 && c.text > 0 {
					cells = append(cells, table.TextValue(strings.Repeat("<", c.text)+strconv.Itoa(run%20)))
				} else {
					cells = append(cells, table.FloatValue(0.123456*float64(run>>i&15)))
				}
			}
			for range c.columns {
				cells = append(cells, table.FloatValue(rng.NormFloat64()*1e9))
			}
			return cells
		})
		t.Logf("%d columns, %d parameters: %d bytes, %d pictures", c.columns, c.params, len(page), strings.Count(page, "<svg"))
		if len(page) > 1_000_000 || len(page) < 100_000 {
			t.Errorf("%d columns, %d parameters: the page has %d bytes", c.columns, c.params, len(page))
		}
		if !strings.Contains(page, c.rows) || !strings.Contains(page, c.left) || strings.Contains(page, "columns are left out") != (c.left != "") {
			t.Errorf("%d columns, %d parameters: the page does not say %q and %q", c.columns, c.params, c.rows, c.left)
		}
	}
}

// TestSize checks that pages of many rows are smaller than 1 MB, with few and with many columns and parameters.
func TestSize(t *testing.T) {
	rows := 10_000
	if *full {
		rows *= 10
	}
	for _, c := range []struct {
		columns, params, values int
		dropped                 bool
	}{{2, 2, 24, false}, {16, 4, 24, true}} {
		var columns []table.Column
		about := table.About{Table: "own", Model: "m", Runs: rows}
		for i := range c.params {
			about.Params = append(about.Params, "parameter_"+strconv.Itoa(i))
			columns = append(columns, table.Column{Name: about.Params[i], Kind: table.KindFloat})
		}
		for i := range c.columns {
			columns = append(columns, table.Column{Name: "y" + strconv.Itoa(i), Kind: table.KindFloat})
		}
		rng := rand.New(rand.NewPCG(*seed, 7))
		page := makePage(t, rows, columns, about.Params, func(int) (cells []table.Value) {
			for range c.params {
				cells = append(cells, table.FloatValue(float64(rng.IntN(c.values))/7))
			}
			for range c.columns {
				cells = append(cells, table.FloatValue(rng.NormFloat64()))
			}
			return cells
		})
		if len(page) > 1_000_000 {
			t.Errorf("%d columns, %d parameters: the page has %d bytes", c.columns, c.params, len(page))
		}
		if strings.Contains(page, "pictures are left out") != c.dropped {
			t.Errorf("%d columns, %d parameters: pictures are left out: %v", c.columns, c.params, !c.dropped)
		}
		if len(drawnPictures(t, page)) == 0 {
			t.Error("there are no pictures")
		}
	}
}
