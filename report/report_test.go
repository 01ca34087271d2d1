package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/internal/messages"
	"github.com/lanewise/lanewise/study"
	"github.com/lanewise/lanewise/study/table"
)

// TestMain turns the test binary into the program of a model, for the processes that tests start.
func TestMain(m *testing.M) {
	if os.Getenv("LANEWISE_REPORT_TEST") != "" {
		study.Main[*throw]()
	}
	os.Exit(m.Run())
}

// throw is a model for tests: a ball is thrown, with some luck.
type throw struct {
	Speed float64 `default:"10" range:"1..40" unit:"m/s"`
	Angle float64 `default:"45" range:"0..90" unit:"°"`
	Hand  string  `default:"left" choices:"left,right"`
}

// Flight is the result of a throw.
type Flight struct {
	Distance float64 `unit:"m" help:"over <level> ground"`
	Far      bool
	Remark   string
}

// Height is a row of the table height.
type Height struct{ Up float64 }

func (m *throw) Setup(*study.Run) (*ecs.World, error) { return nil, nil }

func (m *throw) Step(r *study.Run) (bool, error) {
	study.Emit(r, Height{float64(r.Tick) + r.Unit(1, 2)})
	return r.Tick < 4, nil
}

func (m *throw) Result(r *study.Run) Flight {
	d := float64(m.Speed*m.Speed)*m.Angle/1000 + r.Unit(1, 1)
	return Flight{Distance: d, Far: d > 5, Remark: "thrown & caught"}
}

// start runs the program of the model.
func start(t *testing.T, dir string, args ...string) (out, said string, err error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, args...)
	c.Env, c.Dir = append(os.Environ(), "LANEWISE_REPORT_TEST=1"), dir
	var errs bytes.Buffer
	c.Stderr = &errs
	b, err := c.Output()
	return string(b), errs.String(), err
}

// program runs the program of the model, which must succeed.
func program(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, said, err := start(t, dir, args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, said)
	}
	return out
}

// TestPlot computes the numbers on the page of a study from its table with gonum, and compares them
// point by point.
func TestPlot(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "sweep", "speed=5:20:5", "angle=30,45,60", "-seeds", "7", "-cores", "1")
	page := program(t, dir, "table", "-plot")
	points := map[string][]float64{}
	rows, err := csv.NewReader(strings.NewReader(program(t, dir, "table"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) int { return slices.Index(rows[0], name) }
	var order []string
	for _, row := range rows[1:] {
		key := row[at("speed")] + " " + row[at("angle")]
		if points[key] == nil {
			order = append(order, key)
		}
		d, err := strconv.ParseFloat(row[at("distance")], 64)
		if err != nil {
			t.Fatal(err)
		}
		points[key] = append(points[key], d)
	}
	got := cellsOf(page, "distance (m)")
	if len(got) != 12 || len(order) != 12 {
		t.Fatalf("%d points on the page, %d in the table", len(got), len(order))
	}
	for i, key := range order {
		x := points[key]
		slices.Sort(x)
		mean, sd := stat.MeanStdDev(x, nil)
		half := distuv.StudentsT{Sigma: 1, Nu: 6}.Quantile(0.975) * sd / math.Sqrt(7)
		want := []float64{mean, mean - half, mean + half, sd, x[0]}
		for _, p := range Levels {
			h := p * 6 // of seven numbers, the first has level 0 and the last level 1
			want = append(want, x[int(h)]+(h-math.Floor(h))*(x[min(int(h)+1, 6)]-x[int(h)]))
		}
		text := strings.Fields(key + " 7")
		for _, v := range append(want, x[6]) {
			text = append(text, strconv.FormatFloat(v, 'g', 6, 64))
		}
		if !slices.Equal(got[i], text) {
			t.Errorf("point %s: %v\nwant %v", key, got[i], text)
		}
	}
	// There are two columns, each along two parameters and over both parameters together.
	if n := len(drawnPictures(t, page)); n != 6 {
		t.Errorf("%d pictures, want 6", n)
	}
	for _, want := range []string{"84 of 84 runs", "over &lt;level&gt; ground", "Varied: speed (m/s), angle (°)", "report.throw"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if page != program(t, dir, "table", "-format", "html") {
		t.Error("-plot and -format html are not the same")
	}
	// In other tables the tick is an axis.
	page = program(t, dir, "table", "-plot", "height")
	if n := len(drawnPictures(t, page)); n != 8 || !strings.Contains(page, "Varied: speed (m/s), angle (°), tick") { // luck is the same at each speed and angle, so it has one color
		t.Errorf("of a table with ticks there are %d pictures, want 6 with curves and 2 with colors", n)
	}
	page = program(t, dir, "table", "-plot", "-columns", "distance", "-log", "speed,distance", "-fit", "speed")
	if strings.Contains(page, "<h2>far</h2>") || !strings.Contains(page, "Fit |distance (m)| ~ speed^p: 30: p = ") || len(drawnPictures(t, page)) != 5 {
		t.Errorf("of one column with a fit there are %d pictures, want 5", len(drawnPictures(t, page)))
	}
	for flag, want := range map[string]string{
		"-columns=remark":  "-columns remark: the table has no such numbers: there are tick, distance, far",
		"-log=speed,sped":  "-log sped: the table has no such numbers: there are speed, angle, tick, distance",
		"-log=far":         "-log far: its values are true and false, which have no logarithms: there are speed, angle, tick, distance",
		"-fit=far":         "-fit far: its values are true and false, which have no logarithms: there are speed, angle",
		"-fit=distance":    "-fit distance: the table has no such numbers: there are speed, angle",
		"-fit=tick":        "-fit tick: the table has no such numbers: there are speed, angle",
		"-fit=speed,angle": "-fit speed,angle: take one parameter",
	} {
		if out, said, err := start(t, dir, "table", "-plot", flag); err == nil || out != "" || !strings.Contains(said, want) {
			t.Errorf("%s: %v, %s, want %s", flag, err, said, want)
		}
	}
	for _, name := range []string{"runs", "times"} {
		if page := program(t, dir, "table", "-plot", name); len(drawnPictures(t, page)) < 2 {
			t.Errorf("table %s has no pictures", name)
		}
	}
}

var (
	lines  = regexp.MustCompile(`<tr><td>.*</tr>`)
	inside = regexp.MustCompile(`<td>(.*?)</td>`)
	inlaid = regexp.MustCompile(`(?s)<svg.*?</svg>`)
)

// cellsOf returns the numbers of a column on the page.
func cellsOf(page, column string) (rows [][]string) {
	_, part, _ := strings.Cut(page, "<h2>"+column+"</h2>")
	part, _, _ = strings.Cut(part, "<h2>")
	for _, line := range lines.FindAllString(part, -1) {
		var row []string
		for _, m := range inside.FindAllStringSubmatch(line, -1) {
			row = append(row, m[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// drawnPictures returns the pictures of a page. It checks that each picture is complete and that the
// page loads nothing.
func drawnPictures(t *testing.T, page string) []string {
	t.Helper()
	list := inlaid.FindAllString(page, -1)
	rest := inlaid.ReplaceAllString(page, "")
	for _, bad := range []string{"http", "<script", "src=", "href=", "@import", "url("} {
		if strings.Contains(rest, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for i, text := range list {
		for _, bad := range []string{"<script", "href=\"http", "@import"} {
			if strings.Contains(text, bad) {
				t.Errorf("picture %d has %s", i, bad)
			}
		}
		words := 0
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("picture %d: %v", i, err)
			}
			s, ok := tok.(xml.StartElement)
			if !ok {
				continue
			}
			if s.Name.Local == "text" {
				words++
			}
			for _, a := range s.Attr {
				if a.Name.Local == "href" && !strings.HasPrefix(a.Value, "data:") {
					t.Errorf("picture %d needs %s", i, a.Value)
				}
			}
		}
		if words < 4 {
			t.Errorf("picture %d has %d words", i, words)
		}
	}
	return list
}

// makePage returns a page. A function computes the rows of its table from run numbers.
func makePage(t *testing.T, runs int, columns []table.Column, params []string, row func(i int) []table.Value) string {
	t.Helper()
	var out bytes.Buffer
	w, err := table.New("html", &out, append([]table.Column{{Name: "run", Kind: table.KindInt}}, columns...))
	if err != nil {
		t.Fatal(err)
	}
	w.(table.Presenter).About(table.About{Model: "m<o>del", Table: "result", Runs: runs + 1, Params: params})
	for i := range runs {
		if err := w.Row(append([]table.Value{table.IntValue(int64(i))}, row(i)...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestAxes checks texts, booleans, samples and an empty set as parameters. Values that are not finite
// are left out.
func TestAxes(t *testing.T) {
	float, text, truth := table.KindFloat, table.KindText, table.KindBool
	x, y := table.Column{Name: "x", Kind: float}, table.Column{Name: "y", Kind: float}
	kind := table.Column{Name: "kind", Kind: text}
	number := func(i int) table.Value { return table.FloatValue(float64(i * i % 17)) }
	for _, c := range []struct {
		name     string
		columns  []table.Column
		params   []string
		row      func(i int) []table.Value
		pictures int
		points   int
		says     string
	}{
		{"nothing varies", []table.Column{x, y}, []string{"x"}, func(i int) []table.Value { return []table.Value{table.FloatValue(3), number(i)} }, 1, 1, "100 of 101 runs"},
		{"a text", []table.Column{kind, y}, []string{"kind"}, func(i int) []table.Value {
			return []table.Value{table.TextValue([]string{"b", "a", "c&d"}[i%3]), number(i)}
		}, 1, 3, "c&amp;d"},
		{"a truth and a text", []table.Column{kind, {Name: "yes", Kind: truth}, y}, []string{"kind", "yes"}, func(i int) []table.Value {
			return []table.Value{table.TextValue([]string{"b", "a"}[i%2]), table.BoolValue(i%3 == 0), number(i)}
		}, 3, 4, "true"},
		{"samples", []table.Column{x, y}, []string{"x"}, func(i int) []table.Value { return []table.Value{table.FloatValue(float64(i) / 100), number(i)} }, 1, 12, "0…0.0825"},
		{"two samples", []table.Column{x, kind, y, {Name: "z", Kind: table.KindFloat32}}, []string{"x", "y"}, func(i int) []table.Value {
			return []table.Value{table.FloatValue(float64(i)), table.TextValue("k"), table.FloatValue(float64(i * 37 % 100)), number(i)}
		}, 3, -1, "in bins"},
		{"not finite", []table.Column{x, y}, []string{"x"}, func(i int) []table.Value {
			return []table.Value{table.IntValue(0), table.FloatValue([]float64{math.NaN(), math.Inf(1), 1, 2}[i%4])}
		}, 1, 1, "50 values are not finite"},
		{"no finite number", []table.Column{x, y}, []string{"x"}, func(int) []table.Value { return []table.Value{table.FloatValue(1), table.FloatValue(math.NaN())} }, 0, 0, "100 values are not finite"},
		{"the same everywhere", []table.Column{kind, x, y}, []string{"kind", "x"}, func(i int) []table.Value {
			return []table.Value{table.TextValue([]string{"b", "a"}[i%2]), table.FloatValue(float64(i % 3)), table.FloatValue(7)}
		}, 2, 6, ""},
		{"no numbers", []table.Column{kind}, nil, func(int) []table.Value { return []table.Value{table.TextValue("k")} }, 0, 0, ""},
		{"many points", []table.Column{x, {Name: "w", Kind: table.KindInt}, kind, y}, []string{"x", "w", "kind"}, func(i int) []table.Value {
			return []table.Value{table.FloatValue(float64(i % 24)), table.IntValue(int64(i / 24 % 24)), table.TextValue(strconv.Itoa(i % 5)), number(i)}
		}, 6, 500, "more points are not listed"},
	} {
		runs := 100
		if c.points == mostRows {
			runs = 5000
		}
		page := makePage(t, runs, c.columns, c.params, c.row)
		if n := len(drawnPictures(t, page)); n != c.pictures {
			t.Errorf("%s: %d pictures, want %d", c.name, n, c.pictures)
		}
		if n := len(lines.FindAllString(page, -1)); n != c.points && c.points >= 0 {
			t.Errorf("%s: %d points, want %d", c.name, n, c.points)
		}
		if !strings.Contains(page, c.says) || !strings.Contains(page, "m&lt;o&gt;del") {
			t.Errorf("%s: the page does not say %q:\n%s", c.name, c.says, inlaid.ReplaceAllString(page, ""))
		}
	}
}

// TestField checks that a heat map has each mean in the cell of its values.
func TestField(t *testing.T) {
	c := &collector{columns: []table.Column{{Name: "a", Kind: table.KindInt}, {Name: "b", Kind: table.KindText}, {Name: "v", Kind: table.KindFloat}}, runs: map[int64]bool{}, most: 100}
	c.About(table.About{Params: []string{"a", "b"}})
	for i := range 12 { // one of 3 × 2 cells stays empty
		if a, b := i%3, i%2; a != 2 || b != 1 {
			if err := c.Row([]table.Value{table.IntValue(int64(10 * (2 - a))), table.TextValue([]string{"x", "y"}[b]), table.FloatValue(float64(100*a + 10*b + i/6))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	axes := c.variedAxes()
	if !slices.Equal(axes[0].labels, []string{"0", "10", "20"}) || !slices.Equal(axes[1].labels, []string{"x", "y"}) {
		t.Fatalf("%v, %v", axes[0].labels, axes[1].labels)
	}
	v := value{name: "v"}
	pic := string(v.heat(&axes[0], &axes[1], group(c.values[0], &axes[0], &axes[1])).SVG)
	cells := regexp.MustCompile(`<rect x="([0-9.]+)" y="([0-9.]+)"[^>]* fill="(#[0-9a-f]+)"><title>([^<]*)`).FindAllStringSubmatch(pic, -1)
	want := []string{"200.5", "100.5", "110.5", "0.5", "10.5"} // of 0 y there is no number
	if len(cells) != len(want) {
		t.Fatalf("%d cells: %v", len(cells), cells)
	}
	for i, cell := range cells {
		if mean, _ := strconv.ParseFloat(want[i], 64); cell[4] != want[i] || cell[3] != shade((mean-0.5)/200) {
			t.Errorf("cell %d: %v, want %s", i, cell[1:], want[i])
		}
	}
	if x := []string{cells[0][1], cells[1][1], cells[3][1]}; !slices.IsSortedFunc(x, func(a, b string) int { return cmp.Compare(number(t, a), number(t, b)) }) || cells[1][1] != cells[2][1] || cells[1][2] != cells[3][2] || number(t, cells[2][2]) >= number(t, cells[1][2]) {
		t.Errorf("the cells are not where their values are: %v", cells)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestBins checks that each row has a bin, no matter which values an axis has.
func TestBins(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tiny := math.SmallestNonzeroFloat64
	for name, c := range map[string]struct{ at, place []float64 }{
		"spread":      {[]float64{0, 5.9, 6, 12}, []float64{0, 5, 6, 11}},
		"infinite":    {[]float64{-inf, 0, 6, 12, inf, nan}, []float64{0, 0, 6, 11, 11, 0}},
		"all of them": {[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, []float64{0, 6, 11}},
		"no width":    {[]float64{0, tiny}, []float64{0, 0}},
		"one value":   {[]float64{7, 7, inf}, []float64{0, 0, 11}},
		"nothing":     {[]float64{nan, inf, -inf}, []float64{0, 11, 0}},
	} {
		a := axis{place: make([]int, len(c.at))}
		var cells []cell
		for _, v := range c.at {
			cells = append(cells, cell{at: v})
		}
		a.bin(cells, cells)
		for row, want := range c.place {
			if a.place[row] != int(want) {
				t.Errorf("%s: %v is in bin %d, want %v", name, c.at[row], a.place[row], want)
			}
		}
		for i, at := range a.at {
			if math.IsNaN(at) || math.IsInf(at, 0) || len(a.labels) != bins {
				t.Errorf("%s: bin %d is at %v, %q", name, i, at, a.labels)
			}
		}
	}
}

// broken is a writer that always fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestMessages compares the messages about misuse with testdata. TestMessages also looks in the source
// for messages that no call reaches.
func TestMessages(t *testing.T) {
	l := &messages.List{T: t}
	l.Panics(func() { Summarize(nil) })
	l.Panics(func() { FitPower([]float64{1}, nil) })
	c := &collector{out: broken{}, columns: []table.Column{{Name: "v", Kind: table.KindFloat}}, runs: map[int64]bool{}, most: 1}
	c.About(table.About{})
	l.Err(c.Row(nil))
	if err := c.Row([]table.Value{table.FloatValue(1)}); err != nil {
		t.Error(err)
	}
	l.Err(c.Row([]table.Value{table.FloatValue(1)}))
	l.Err(c.Close())
	c.About(table.About{Fit: "h"})
	l.Err(c.Close())
	l.Compare(*updateMessages, 6)
}

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// TestSummarize compares summaries with results found by hand, with the quantiles of Student's t from
// the usual tables.
func TestSummarize(t *testing.T) {
	near := func(a, b float64) bool {
		return math.Abs(a-b) < 1e-3*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
	}
	nan := math.NaN()
	for _, c := range []struct {
		x    []float64
		want Summary
	}{
		{[]float64{5}, Summary{N: 1, Mean: 5, SD: nan, Low: nan, High: nan, Min: 5, Max: 5, Q: [5]float64{5, 5, 5, 5, 5}}},
		{[]float64{3, 1}, Summary{N: 2, Mean: 2, SD: math.Sqrt2, Low: 2 - 12.706, High: 2 + 12.706, Min: 1, Max: 3, Q: [5]float64{1.1, 1.5, 2, 2.5, 2.9}}},
		{[]float64{4, 2, 5, 1, 3}, Summary{N: 5, Mean: 3, SD: 1.5811, Low: 3 - 2.7764*0.70711, High: 3 + 2.7764*0.70711, Min: 1, Max: 5, Q: [5]float64{1.2, 2, 3, 4, 4.8}}},
		{[]float64{7, 7, 7}, Summary{N: 3, Mean: 7, Low: 7, High: 7, Min: 7, Max: 7, Q: [5]float64{7, 7, 7, 7, 7}}},
	} {
		s := Summarize(slices.Clone(c.x))
		ok := s.N == c.want.N && near(s.Mean, c.want.Mean) && near(s.SD, c.want.SD) && near(s.Low, c.want.Low) && near(s.High, c.want.High) && s.Min == c.want.Min && s.Max == c.want.Max
		for i := range Levels {
			ok = ok && near(s.Q[i], c.want.Q[i])
		}
		if !ok {
			t.Errorf("%v: %+v, want %+v", c.x, s, c.want)
		}
	}
	defer func() {
		if v := recover(); fmt.Sprint(v) != "report: Summarize: there are no numbers" {
			t.Errorf("of nothing: %v", v)
		}
	}()
	Summarize(nil)
}

// TestRefused checks a row with the wrong number of cells, too many numbers, and a file that cannot be
// written.
func TestRefused(t *testing.T) {
	w, err := Open(closed{}, []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "v", Kind: table.KindFloat}})
	if err != nil {
		t.Fatal(err)
	}
	row := []table.Value{table.IntValue(0), table.FloatValue(1)}
	if err := w.Row(row[:1]); err == nil || err.Error() != "report: a row of 1 cells, the table has 2 columns" {
		t.Error(err)
	}
	w.(*collector).most = 1
	if err := w.Row(row); err != nil {
		t.Error(err)
	}
	if err := w.Row(row); err == nil || !strings.Contains(err.Error(), "report: more than 1 numbers: write the table itself") {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }
