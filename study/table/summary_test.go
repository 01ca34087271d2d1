package table_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/study/table"
)

var summaryColumns = []table.Column{
	{Name: "run", Kind: table.KindInt}, {Name: "seed", Kind: table.KindText},
	{Name: "wind", Kind: table.KindFloat, Unit: "m/s"}, {Name: "wall", Kind: table.KindInt}, {Name: "kind", Kind: table.KindText},
	{Name: "tick", Kind: table.KindInt}, {Name: "share", Kind: table.KindFloat}, {Name: "done", Kind: table.KindBool},
}

// summaryRow has the cells of a row with one constant parameter, wall.
func summaryRow(run int, wind float64, kind string, tick int, share float64, done bool) []table.Value {
	return []table.Value{
		table.IntValue(int64(run)), table.TextValue("7"), table.FloatValue(wind), table.IntValue(10), table.TextValue(kind),
		table.IntValue(int64(tick)), table.FloatValue(share), table.BoolValue(done),
	}
}

func summarize(t *testing.T, name string, rows ...[]table.Value) []string {
	t.Helper()
	var b strings.Builder
	w, err := table.New("summary", &b, summaryColumns)
	if err != nil {
		t.Fatal(err)
	}
	w.(table.Presenter).About(table.About{Table: name, Params: []string{"wind", "wall", "kind"}})
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() > 0 {
		t.Errorf("%q before Close", b.String())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// TestSummary checks the lines of the table of results. Points must be in the order of the rows, and
// only varied parameters may be shown. The mean and its standard error must end at the same decimal
// place.
func TestSummary(t *testing.T) {
	got := summarize(t, "result",
		summaryRow(0, 0.2, "a", 60, 0.1, true),
		summaryRow(1, 0.2, "a", 60, 0.2, false),
		summaryRow(2, 0.1, "a", 60, 1e-9, true),
		summaryRow(3, 0.2, "a", 60, 0.3, false),
		summaryRow(4, 0.1, "b\x1b[2J", 61, math.NaN(), true),
		summaryRow(5, 0.1, "a", 62, math.Inf(1), true),
	)
	want := []string{
		`wind [m/s]  kind          n  tick          share           done`,
		`0.2         a             3  60 ± 0        0.200 ± 0.058   0.33 ± 0.33`,
		`0.1         a             2  61.0 ± 1.0    1e-09 (of 1)    1 ± 0`,
		`0.1         "b\x1b[2J"    1  61            -               1`,
	}
	for i, line := range got {
		if i < len(want) && strings.Join(strings.Fields(line), " ") != strings.Join(strings.Fields(want[i]), " ") {
			t.Errorf("line %d is %q, want %q", i, line, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
}

// TestSummaryOfSeries checks that the tick of a table with several rows for each run is a part of the
// point.
func TestSummaryOfSeries(t *testing.T) {
	got := summarize(t, "spread", summaryRow(0, 0.1, "a", 9, 1, true), summaryRow(0, 0.1, "a", 19, 2, true), summaryRow(1, 0.1, "a", 9, 3, true))
	want := []string{"tick n share done", "9 2 2.0 ± 1.0 1 ± 0", "19 1 2 1"}
	for i, line := range got {
		got[i] = strings.Join(strings.Fields(line), " ")
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSummaryIn checks a summary in CSV: names of columns that are already taken, values that are not finite, and
// points of a single row.
func TestSummaryIn(t *testing.T) {
	columns := append(slices.Clone(summaryColumns[:6]), table.Column{Name: "share", Kind: table.KindFloat}, table.Column{Name: "n", Kind: table.KindBool})
	columns[3].Name = "share_mean" // a parameter
	var b strings.Builder
	w, err := table.SummaryIn(table.NewCSV)(&b, columns)
	if err != nil {
		t.Fatal(err)
	}
	w.(table.Presenter).About(table.About{Table: "result", Params: []string{"wind", "share_mean", "kind"}})
	for _, row := range [][]table.Value{
		summaryRow(0, 0.2, "a,b", 60, 0.1, true), summaryRow(1, 0.2, "a,b", 60, 0.3, false), summaryRow(2, 0.2, "a,b", 60, math.Inf(1), true), summaryRow(3, 0.1, "c", 61, math.NaN(), true),
	} {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() > 0 {
		t.Errorf("%q before Close", b.String())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"wind,share_mean,kind,n,tick_mean,tick_error,tick_n,out_share_mean,share_error,share_n,n_mean,n_error,n_n",
		`0.2,10,"a,b",3,60,0,3,0.2,0.09999999999999998,2,0.6666666666666666,0.33333333333333337,3`,
		"0.1,10,c,1,61,NaN,1,NaN,NaN,0,1,NaN,1", "",
	}
	for i, line := range strings.Split(b.String(), "\n") {
		if i >= len(want) || line != want[i] {
			t.Errorf("line %d is %q, want %q", i, line, want[min(i, len(want)-1)])
		}
	}
}

// pickyTable is a CSV table that refuses points without finite values.
type pickyTable struct{ table.Writer }

func (pickyTable) Check(cells []table.Value) error {
	if math.IsNaN(cells[len(cells)-3].Float()) {
		return errBroken
	}
	return nil
}

// TestSummaryInChecks checks that a summary with a refused point leaves no partial output, and that a failing output
// returns an error.
func TestSummaryInChecks(t *testing.T) {
	picky := func(w io.Writer, columns []table.Column) (table.Writer, error) {
		csv, err := table.NewCSV(w, columns)
		return pickyTable{csv}, err
	}
	for _, share := range []float64{1, math.NaN()} {
		var b strings.Builder
		w, err := table.SummaryIn(picky)(&b, summaryColumns[:7])
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range []float64{1, share} {
			if err := w.Row(summaryRow(i, 0.2, "a", i, x, true)[:7]); err != nil {
				t.Fatal(err)
			}
		}
		err = w.Close()
		if refused := math.IsNaN(share); refused != errors.Is(err, errBroken) || refused != (b.Len() == 0) {
			t.Errorf("share %v: Close returns %v after %q", share, err, b.String())
		}
	}
	w, err := table.SummaryIn(table.NewCSV)(brokenOutput{}, summaryColumns)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close returns %v, want %v", err, errBroken)
	}
}

// TestSummaryValues compares the printed numbers with the results of a plain formula, for random
// numbers of many sizes. The printed mean must be right to the last printed place, and the error to
// two digits.
func TestSummaryValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n := 2 + r.IntN(40)
		scale, offset := math.Pow(10, float64(r.IntN(24)-12)), math.Pow(10, float64(r.IntN(20)-10))
		var sum float64
		var x []float64
		var rows [][]table.Value
		for i := range n {
			x = append(x, offset+scale*r.NormFloat64())
			sum += x[i]
			rows = append(rows, summaryRow(i, 0.1, "a", 60, x[i], true))
		}
		mean, squares := sum/float64(n), 0.0
		for _, v := range x {
			squares += (v - mean) * (v - mean)
		}
		e := math.Sqrt(squares / float64(n-1) / float64(n))
		fields := strings.Fields(summarize(t, "result", rows...)[1])
		var gotMean, gotError float64
		if fields[4] == "±" { // n, tick ± 0, share
			t.Fatalf("trial %d: fields %q", trial, fields)
		}
		gotMean, gotError = parse(t, fields[4]), parse(t, fields[6])
		if math.Abs(gotError-e) > 0.051*e+1e-9*math.Abs(mean) {
			t.Errorf("trial %d: error %v, want %v", trial, gotError, e)
		}
		if math.Abs(gotMean-mean) > 0.1*e+1e-5*math.Abs(mean) {
			t.Errorf("trial %d: mean %v, want %v ± %v", trial, gotMean, mean, e)
		}
	}
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	v, err := table.KindFloat.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Float()
}

// TestSummaryErrors checks that a row with the wrong number of cells returns an error, and that a
// failing output does too.
func TestSummaryErrors(t *testing.T) {
	w, err := table.NewSummary(brokenOutput{}, summaryColumns)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Row(summaryRow(0, 0, "a", 0, 0, true)[1:]); err == nil {
		t.Error("a short row is accepted")
	}
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close returns %v, want %v", err, errBroken)
	}
}

var errBroken = errors.New("broken")

type brokenOutput struct{}

func (brokenOutput) Write([]byte) (int, error) { return 0, errBroken }

// TestSummaryColumns checks that a summary omits the columns that the study adds, and omits no
// numeric column of a model.
func TestSummaryColumns(t *testing.T) {
	columns := []table.Column{
		{Name: "run", Kind: table.KindInt}, {Name: "seed", Kind: table.KindText}, {Name: "state", Kind: table.KindText}, {Name: "hash", Kind: table.KindText},
		{Name: "why", Kind: table.KindInt}, {Name: "ticks", Kind: table.KindInt},
	}
	for _, kind := range []table.Kind{table.KindInt, table.KindText} {
		columns[4].Kind = kind
		for _, name := range []string{"result", "runs", "spread", ""} {
			var b strings.Builder
			w, err := table.NewSummary(&b, columns)
			if err != nil {
				t.Fatal(err)
			}
			w.(table.Presenter).About(table.About{Table: name})
			if err := w.Row([]table.Value{table.IntValue(0), table.TextValue("7"), table.TextValue("ok"), table.TextValue(""), table.IntValue(3), table.IntValue(9)}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			want := "n why ticks 1 3 9"
			if kind == table.KindText { // as in the table runs
				want = "n ticks 1 9"
			}
			if got := strings.Join(strings.Fields(b.String()), " "); got != want {
				t.Errorf("table %q: %q, want %q", name, got, want)
			}
		}
	}
}

// TestSummaryDigits checks the digits that NewSummary documents, at the sizes where their number changes.
func TestSummaryDigits(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want string
	}{
		{1, 3, "2.0 ± 1.0"}, {0, 199, "100 ± 100"}, {0, 24, "12 ± 12"}, {423284, 790660, "606972 ± 183688"}, {0, 246.8, "123 ± 123"},
	} {
		got := summarize(t, "result", summaryRow(0, 0.1, "a", 60, c.a, true), summaryRow(1, 0.1, "a", 60, c.b, true))[1]
		if !strings.Contains(got, " "+c.want+" ") {
			t.Errorf("%v and %v: %q, want %s", c.a, c.b, got, c.want)
		}
	}
}
