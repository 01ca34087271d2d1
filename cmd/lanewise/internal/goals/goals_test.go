package goals

import (
	"math"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// small holds options for short measurements. Short measurements suffice, because no test depends
// on the accuracy of the times.
var small = Options{Each: 1, Rows: 100, Memory: 1 << 12, Keys: 200, Points: 400, Bodies: 30}

// TestGoals measures every goal, and checks that each goal has an aim and the origin of this aim.
func TestGoals(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range List() {
		r := g.Measure(&small)
		if r.Why == "" && !(r.Measured > 0 && !math.IsInf(r.Measured, 0)) || r.Why != "" && r.Met {
			t.Errorf("%s: %v (%s)", g.Name, r.Measured, r.Why)
		}
		if key := g.Name + g.What; seen[key] || !(g.Aim > 0) || g.From == "" {
			t.Errorf("%s, %s: aim %v of %q", g.Name, g.What, g.Aim, g.From)
		} else {
			seen[key] = true
		}
	}
	if len(seen) != 29 {
		t.Errorf("%d goals, want 29", len(seen))
	}
}

// TestMet checks which measured numbers meet an aim.
func TestMet(t *testing.T) {
	for _, c := range []struct {
		more   bool
		number float64
		why    string
		want   bool
	}{
		{more: false, number: 3.9, want: true},
		{more: false, number: 4, want: true},
		{more: false, number: 4.1},
		{more: true, number: 3.9},
		{more: true, number: 4, want: true},
		{more: true, number: 4.1, want: true},
		{more: false, number: 0, why: "one CPU"},
	} {
		g := Goal{Aim: 4, More: c.more, measure: func(*Options) (float64, string) { return c.number, c.why }}
		if r := g.Measure(&small); r.Met != c.want || r.Why != c.why || r.Measured != c.number {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

// TestPlain checks that both sides of the comparison do the same work: the forces in plain Go must
// have the same bits as the forces of the kernels.
func TestPlain(t *testing.T) {
	before := kernels.Path()
	defer func() {
		if err := kernels.Use(before); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		ours, plain := cluster[float64](50), cluster[float64](50)
		ours.gravity()
		plain.plainLoop()
		if !slices.Equal(ours.acc.X, plain.acc.X) || !slices.Equal(ours.acc.Z, plain.acc.Z) || ours.acc.Y[7] == 0 {
			t.Errorf("%s: other pulls than plain Go has", path)
		}
	}
}
