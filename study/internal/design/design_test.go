package design

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// model has a parameter of each kind.
type model struct {
	Beta  float64 `default:"0.2" range:"0..1" unit:"1/day"`
	Half  float32 `default:"1" range:"0..3"`
	Side  int32   `default:"8" range:"1..100"`
	Count uint8   `default:"3"`
	On    bool    `default:"false"`
	Kind  string  `default:"a" choices:"a,b,c"`
	Free  string  `default:""`
	Own   float64 // no parameter: it has no default
}

func params(t *testing.T) []Param {
	t.Helper()
	ps, err := Params(reflect.TypeFor[model]())
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

// newDesign makes a design of axes.
func newDesign(t *testing.T, d Design, axes ...string) *Design {
	t.Helper()
	ps := params(t)
	for _, text := range axes {
		a, err := ParseAxis(ps, text)
		if err != nil {
			t.Fatal(err)
		}
		d.Axes = append(d.Axes, a)
	}
	d.Replicates = max(d.Replicates, 1)
	if err := d.Bind(ps); err != nil {
		t.Fatal(err)
	}
	return &d
}

// column lists the values of one parameter over all points.
func column(d *Design, param int) (values []string) {
	for i := 0; i < d.Runs(); i += d.Replicates {
		all, _ := d.At(nil, i)
		values = append(values, all[param])
	}
	return values
}

// TestSteps checks that steps are decimal text: they reach their end and have no more digits than were
// given.
//
// Conformance: 518
func TestSteps(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"beta=0.1:0.4:0.1", "0.1 0.2 0.3 0.4"},
		{"beta=0:1:0.25", "0.00 0.25 0.50 0.75 1.00"},
		{"beta=0.3:0.1:-0.1", "0.3 0.2 0.1"},
		{"beta=1e-3:3e-3:1e-3", "0.001 0.002 0.003"},
		{"beta=0.10:0.12:0.01", "0.10 0.11 0.12"},
		{"beta=0.1:0.35:0.1", "0.1 0.2 0.3"},
		{"side=1:10:3", "1 4 7 10"},
		{"side=5:5:1", "5"},
		{"side=1e1:3e1:1e1", "10 20 30"},
	} {
		name, _, _ := strings.Cut(c.spec, "=")
		at, err := Find(params(t), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(column(newDesign(t, Design{Kind: Grid}, c.spec), at), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.spec, got, c.want)
		}
	}
}

// TestShort checks that an axis names its last value if its steps do not reach its end.
func TestShort(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"beta=0:0.4:0.15", "0.30 0.4"}, {"beta=0.1:0.35:0.1", "0.3 0.35"}, {"beta=0.9:0.1:-0.3", "0.3 0.1"}, {"side=1:9:3", "7 9"},
		{"beta=0:0.4:0.10", ""}, {"beta=0: 4e-1 :0.1", ""}, {"beta=0.40:0.4:1", ""}, {"beta=0.1,0.2", ""}, {"beta", ""}, {"on", ""},
	} {
		a, err := ParseAxis(params(t), c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if last, end := a.Short(); strings.TrimSpace(last+" "+end) != c.want {
			t.Errorf("%s: %q and %q, want %q", c.spec, last, end, c.want)
		}
	}
}

// TestLatin checks that a Latin hypercube has exactly one point in each of the equal parts of every
// axis.
//
// Conformance: 519
func TestLatin(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 1000, 1025} {
		d := newDesign(t, Design{Kind: Latin, Points: n, Seed: 3}, "beta", "half=0..2", "side=1..100")
		for axis := range 2 {
			hit := make([]bool, n)
			for _, text := range column(d, axis) {
				v, err := d.params[axis].Kind.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				part := int(v.Float() / []float64{1, 2}[axis] * float64(n))
				if part = min(part, n-1); hit[part] {
					t.Fatalf("%d points, axis %d: two in part %d", n, axis, part)
				}
				hit[part] = true
			}
		}
	}
}

// TestOrder checks that the order of work is a permutation that depends on the seed.
func TestOrder(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 63, 64, 65, 1000} {
		var orders [2][]int
		for seed := range orders {
			d := newDesign(t, Design{Kind: Random, Points: n, Seed: uint64(seed)}, "beta")
			for k := range n {
				orders[seed] = append(orders[seed], d.Order(k))
			}
			sorted := slices.Sorted(slices.Values(orders[seed]))
			for i := range n {
				if sorted[i] != i {
					t.Fatalf("%d runs: the order is %v", n, orders[seed])
				}
			}
		}
		if n > 63 && slices.Equal(orders[0], orders[1]) {
			t.Errorf("%d runs: two seeds have one order", n)
		}
	}
}

// TestMostRuns checks that a study with too many runs is refused, even if their number overflows a
// word.
func TestMostRuns(t *testing.T) {
	for _, d := range []Design{
		{Kind: Random, Points: math.MaxInt/2 + 1, Replicates: 4}, {Kind: Random, Points: 4, Replicates: math.MaxInt/2 + 1},
		{Kind: Latin, Points: 1 << 16, Replicates: 1 << 15}, {Kind: Latin, Points: math.MaxInt, Replicates: 1},
	} {
		d.Axes = []Axis{{Param: "beta", Low: "0", High: "1"}}
		if d.Points == math.MaxInt && math.MaxInt == MaxRuns { // the largest possible number
			continue
		}
		wantError(t, d.Bind(params(t)), "are more than 2147483647 runs")
	}
}
