package report

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/study/table"
)

var (
	pages = flag.Int("pages", 12, "how many pages TestAnyNumbers makes")
	seed  = flag.Uint64("seed", 1, "of TestAnyNumbers")
)

// oddNumber returns a number of a kind that easily makes the arithmetic of axes fail.
func oddNumber(rng *rand.Rand, kind int) float64 {
	switch kind {
	case 0:
		return float64(rng.IntN(5))
	case 1:
		return 1.989e30
	case 2: // neighbours
		v := 1.7e18
		for range rng.IntN(3) {
			v = math.Nextafter(v, math.Inf(1))
		}
		return v
	case 3:
		return []float64{-1e308, 1e308, math.MaxFloat64, -math.MaxFloat64}[rng.IntN(4)]
	case 4:
		return float64(rng.IntN(4)) * math.SmallestNonzeroFloat64
	case 5:
		return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1}[rng.IntN(5)]
	case 6:
		return math.Ldexp(rng.Float64()-0.5, rng.IntN(2000)-1000)
	case 7:
		return 1e9 + rng.Float64()*1e-6
	}
	return math.Float64frombits(rng.Uint64())
}

// TestAnyNumbers checks tables with any parameters and results. The page must be made quickly, and the coordinates of its
// pictures must be finite. Each number on the page must be between the least and the greatest value.
func TestAnyNumbers(t *testing.T) {
	columns := []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "p", Kind: table.KindFloat}, {Name: "q", Kind: table.KindFloat}, {Name: "tick", Kind: table.KindInt}, {Name: "mass", Kind: table.KindFloat}}
	for k := range *pages {
		rng := rand.New(rand.NewPCG(*seed, uint64(k)))
		p, q, y, n := rng.IntN(9), rng.IntN(9), k%9, 1+rng.IntN(60)
		at := fmt.Sprintf("-seed %d, page %d: kinds %d, %d, %d, %d rows", *seed, k, p, q, y, n)
		a := table.About{Table: []string{"result", "own"}[rng.IntN(2)], Model: "m", Runs: n, Params: [][]string{nil, {"p"}, {"p", "q"}}[rng.IntN(3)]}
		done := make(chan string, 1)
		go func() {
			defer func() {
				if v := recover(); v != nil {
					done <- fmt.Sprint("panic: ", v)
				}
			}()
			var b bytes.Buffer
			w, err := Open(&b, columns)
			if err != nil {
				panic(err)
			}
			w.(table.Presenter).About(a)
			for i := range n {
				if err := w.Row([]table.Value{table.IntValue(int64(i)), table.FloatValue(oddNumber(rng, p)), table.FloatValue(oddNumber(rng, q)), table.IntValue(int64(rng.Uint64())), table.FloatValue(oddNumber(rng, y))}); err != nil {
					panic(err)
				}
			}
			if err := w.Close(); err != nil {
				panic(err)
			}
			for _, svg := range strings.Split(b.String(), "<svg")[1:] {
				svg, _, _ = strings.Cut(svg, "</svg>")
				if svg = strings.ReplaceAll(svg, ">NaN<", ""); strings.Contains(svg, "NaN") || strings.Contains(strings.ReplaceAll(svg, "Inf<", ""), "Inf") { // except as the name of a value
					done <- "a picture has no finite coordinates"
					return
				}
			}
			done <- ""
		}()
		select {
		case s := <-done:
			if s != "" {
				t.Errorf("%s: %s", at, s)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: not done in 2 minutes", at)
		}
	}
}

// TestSummaryOfAnyNumbers checks that quantiles are in ascending order, and that quantiles and means are between the
// extremes. Shifting or scaling the numbers by powers of two must shift or scale the summary.
func TestSummaryOfAnyNumbers(t *testing.T) {
	for k := range 3000 {
		rng := rand.New(rand.NewPCG(*seed, uint64(k)))
		var x []float64
		for kind, n := k%9, 1+rng.IntN(9); n > 0; {
			if v := oddNumber(rng, kind); finite(v) {
				x, n = append(x, v), n-1
			}
		}
		s := Summarize(x)
		before := s.Min
		for i, q := range s.Q {
			if !(before <= q && q <= s.Max) {
				t.Fatalf("-seed %d, list %d, %v: quantile %v is %v, after %v; the greatest is %v", *seed, k, x, Levels[i], q, before, s.Max)
			}
			before = q
		}
		if slack := 1e-15 * math.Max(math.Abs(s.Min), math.Abs(s.Max)); !(s.Mean >= s.Min-slack && s.Mean <= s.Max+slack) {
			t.Fatalf("-seed %d, list %d, %v: the mean is %v", *seed, k, x, s.Mean)
		}
		if len(x) > 1 && !(s.SD >= 0 && s.Low <= s.Mean && s.Mean <= s.High) {
			t.Fatalf("-seed %d, list %d, %v: sd %v, from %v to %v", *seed, k, x, s.SD, s.Low, s.High)
		}
	}
}

// TestEndTicks checks replicates that end at different ticks. Such runs are still replicates: the tick of a result is an
// outcome and has statistics. In other tables the tick is an axis.
func TestEndTicks(t *testing.T) {
	for name, points := range map[string]int{"result": 2, "own": 10} {
		c := &collector{columns: []table.Column{{Name: "p", Kind: table.KindInt}, {Name: "tick", Kind: table.KindInt}, {Name: "v", Kind: table.KindFloat}}, runs: map[int64]bool{}, most: 100}
		c.out = new(bytes.Buffer)
		c.About(table.About{Table: name, Params: []string{"p"}})
		for i := range 10 {
			if err := c.Row([]table.Value{table.IntValue(int64(i % 2)), table.IntValue(int64(100 + i)), table.FloatValue(1)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		page := c.out.(*bytes.Buffer).String()
		if n := len(cellsOf(page, "v")); n != points || strings.Contains(page, "<h2>tick</h2>") != (name == "result") {
			t.Errorf("table %s: %d points, want %d; of the tick there are statistics: %v", name, n, points, strings.Contains(page, "<h2>tick</h2>"))
		}
	}
}

// TestColumnWhy checks a model with a numeric column named why, which must have statistics. The column why of the table of
// runs is a text, and must have no statistics.
func TestColumnWhy(t *testing.T) {
	for kind, why := range map[table.Kind]table.Value{table.KindInt: table.IntValue(3), table.KindText: table.TextValue("late")} {
		var out bytes.Buffer
		w, err := Open(&out, []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "why", Kind: kind}, {Name: "v", Kind: table.KindFloat}})
		if err != nil {
			t.Fatal(err)
		}
		for run := range int64(3) {
			if err := w.Row([]table.Value{table.IntValue(run), why, table.FloatValue(1)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(out.String(), "<h2>why</h2>"); has != (kind == table.KindInt) {
			t.Errorf("why is %v: it has statistics: %v", kind, has)
		}
	}
}
