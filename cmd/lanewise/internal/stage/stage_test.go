package stage

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/belt"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/picture"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/jobs"
)

func places(t *testing.T, set *catalogue.Set, date float64) *orrery.Places {
	t.Helper()
	o, err := orrery.New(set, jobs.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := o.Step(date); err != nil {
		t.Fatal(err)
	}
	p, err := o.Places()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFocus checks that float32 is accurate near the focus. With the focus at Neptune, Triton's
// position is right to a metre. With the focus at the Sun, the error of Triton's position would be
// hundreds of kilometres.
func TestFocus(t *testing.T) {
	set := &catalogue.Set{Bodies: append(catalogue.Planets(), catalogue.Moons()...), Minors: belt.New(300, 1)}
	p := places(t, set, 2461465.5)
	find := func(name string) int {
		for i := range set.Bodies {
			if set.Bodies[i].Name == name {
				return i
			}
		}
		t.Fatalf("no %s", name)
		return 0
	}
	neptune, triton := find("Neptune"), find("Triton")
	focus := reference.Vector{X: p.Bodies.X[neptune], Y: p.Bodies.Y[neptune], Z: p.Bodies.Z[neptune]}
	s, err := Set(p, focus, jobs.Default())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Bodies) != len(set.Bodies) || len(s.Minors) != 300 {
		t.Fatalf("%d bodies and %d minor planets are on the stage", len(s.Bodies), len(s.Minors))
	}
	x, y, z := s.Bodies[triton].Position()
	off := reference.Vector{
		X: float64(x) - (p.Bodies.X[triton] - focus.X), Y: float64(y) - (p.Bodies.Y[triton] - focus.Y), Z: float64(z) - (p.Bodies.Z[triton] - focus.Z),
	}.Length()
	if metre := 1 / 149597870700.0; !(off < 50*metre) {
		t.Errorf("Triton is %g m off", off/metre)
	}
	if x, y, z := s.Bodies[neptune].Position(); x != 0 || y != 0 || z != 0 {
		t.Errorf("the focus is at (%v, %v, %v)", x, y, z)
	}
	for i := range s.Minors {
		x, y, _ := s.Minors[i].Position()
		if math.Abs(float64(x)-(p.Minors.X[i]-focus.X)) > 1e-5 || math.Abs(float64(y)-(p.Minors.Y[i]-focus.Y)) > 1e-5 {
			t.Fatalf("minor planet %d is at (%v, %v), its place is (%v, %v)", i, x, y, p.Minors.X[i], p.Minors.Y[i])
		}
	}
}

// TestScenes checks that both pictures of the built-in system contain 99 of 100 minor planets and the
// names of all planets in their range.
func TestScenes(t *testing.T) {
	const date = 2461465.5
	set := &catalogue.Set{Bodies: append(catalogue.Planets(), catalogue.Moons()...), Minors: belt.New(100000, 1)}
	s, err := Set(places(t, set, date), reference.Vector{}, jobs.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scene   *picture.Scene
		planets int
	}{{s.Inner(set, date), 5}, {s.Outer(set, date), 8}} {
		if n := picture.Inside(c.scene); n < 99000 {
			t.Errorf("%s: %d of 100,000 are inside", c.scene.Title, n)
		}
		inside := 0
		for _, d := range c.scene.Discs {
			if max(math.Abs(d.X), math.Abs(d.Y)) < c.scene.Reach && d.Name != "Sun" {
				inside++
				if len(d.Trail) == 0 || math.Hypot(d.Trail[0].X-d.X, d.Trail[0].Y-d.Y) > 1e-5 {
					t.Errorf("%s: the trail of %s does not begin at it", c.scene.Title, d.Name)
				}
			}
		}
		if inside != c.planets {
			t.Errorf("%s: %d planets are inside, want %d", c.scene.Title, inside, c.planets)
		}
	}
}

func TestReach(t *testing.T) {
	d := &picture.Dots{X: []float32{3, -1, 0, 0}, Y: []float32{4, 0, 2, -10}}
	for share, want := range map[float64]float64{0.25: 1, 0.5: 2, 0.75: 5, 0.99: 10, 1: 10} {
		if got := reach(d, share); got != want {
			t.Errorf("reach of %v is %v, want %v", share, got, want)
		}
	}
	if got := reach(&picture.Dots{}, 0.5); got != 0 {
		t.Errorf("reach of nothing is %v", got)
	}
}
