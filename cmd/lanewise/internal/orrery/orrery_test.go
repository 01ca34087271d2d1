package orrery

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/belt"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

func pool(t testing.TB) *jobs.Pool {
	p := jobs.New(jobs.Workers(2))
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func made(t testing.TB, set *catalogue.Set, p *jobs.Pool) *Orrery {
	t.Helper()
	o, err := New(set, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

func builtin(minors int) *catalogue.Set {
	return &catalogue.Set{Bodies: append(catalogue.Planets(), catalogue.Moons()...), Minors: belt.New(minors, 1)}
}

func TestCheck(t *testing.T) {
	p, set := pool(t), builtin(2000)
	o := made(t, set, p)
	for _, date := range []float64{2451545, 2461465.5, 2415020.5} {
		if err := o.Step(date); err != nil {
			t.Fatal(err)
		}
		places, err := o.Places()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := Check(places, set, date, p); err != nil {
			t.Errorf("JD %v: %v", date, err)
		} else if d.Name == "" || !(d.AU > 0) {
			t.Errorf("JD %v: the largest deviation is %+v", date, d)
		}
		// The check must detect an error of a kilometre, NaN coordinates, and a wrong date.
		moon := len(set.Bodies) - 1
		for _, c := range []struct {
			name  string
			spoil *float64
			by    float64
		}{
			{set.Minors[1234].Name, &places.Minors.Y[1234], 1 / 149597870.7},
			{set.Bodies[moon].Name, &places.Bodies.Z[moon], 1 / 149597870.7},
			{set.Minors[7].Name, &places.Minors.X[7], math.NaN()},
		} {
			was := *c.spoil
			*c.spoil += c.by
			if _, err := Check(places, set, date, p); err == nil || !strings.Contains(err.Error(), c.name) {
				t.Errorf("JD %v: %s moved by %v AU: %v", date, c.name, c.by, err)
			}
			*c.spoil = was
		}
		if _, err := Check(places, set, date+1e-3, p); err == nil {
			t.Errorf("JD %v: the places pass for those of a minute later", date)
		}
	}
}

// TestSpinDoesNotDragMoons checks that a planet's spin does not move its moons. The test stops the
// orbital motion of the moons, so the moons must keep their positions relative to the planet.
func TestSpinDoesNotDragMoons(t *testing.T) {
	set := builtin(0)
	for i := range set.Bodies {
		if b := &set.Bodies[i]; b.Kind == catalogue.Moon {
			b.Motion, b.PeriRate, b.NodeRate = 1e-12, 0, 0
		}
	}
	o := made(t, set, pool(t))
	var offsets [2][][3]float64
	for k, date := range []float64{2451545, 2451545.3} {
		if err := o.Step(date); err != nil {
			t.Fatal(err)
		}
		p, err := o.Places()
		if err != nil {
			t.Fatal(err)
		}
		for i := range set.Bodies {
			if b := &set.Bodies[i]; b.Kind == catalogue.Moon {
				v := at(&p.Bodies, i).Sub(at(&p.Bodies, catalogue.ParentOf(b, set.Bodies)))
				offsets[k] = append(offsets[k], [3]float64{v.X, v.Y, v.Z})
			}
		}
	}
	for i := range offsets[0] {
		for axis := range 3 {
			if math.Abs(offsets[0][i][axis]-offsets[1][i][axis]) > 1e-12 {
				t.Fatalf("moon %d moved from %v to %v", i, offsets[0][i], offsets[1][i])
			}
		}
	}
	// The planets must have spun: the Earth by a little more than 0.3 sidereal days.
	spun := 0
	for c := range o.world.Query(ecs.Read[transform.Rotation64](), ecs.With[Day]()).Chunks() {
		for _, z := range ecs.Column[transform.Rotation64](c).Z {
			if math.Abs(z) > 0.01 {
				spun++
			}
		}
	}
	if spun < 6 {
		t.Errorf("%d bodies spun, want 6 or more", spun)
	}
}

func TestOrphan(t *testing.T) {
	set := &catalogue.Set{Bodies: catalogue.Moons()[:1]}
	if _, err := New(set, pool(t)); err == nil || !strings.Contains(err.Error(), `moon "Moon": its planet, NAIF ID 3, is not among the bodies`) {
		t.Errorf("a moon without a planet: %v", err)
	}
}

// TestStepAllocatesNothing checks that a step does not allocate after the first few steps.
func TestStepAllocatesNothing(t *testing.T) {
	if checked {
		t.Skip("race and guard builds allocate for their checks")
	}
	o := made(t, builtin(5000), pool(t))
	date := 2451545.0
	step := func() {
		date++
		if err := o.Step(date); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		step()
	}
	n := testing.AllocsPerRun(50, step)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(50, step) // a worker that has slept until now allocates once
	}
	if n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

// TestWriteTableFails checks that WriteTable returns an error if writing fails, at whichever row of
// the table it fails.
func TestWriteTableFails(t *testing.T) {
	set := builtin(500)
	o := made(t, set, pool(t))
	if err := o.Step(2451545); err != nil {
		t.Fatal(err)
	}
	p, err := o.Places()
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 1000, 20000} {
		w := full{room}
		if err := WriteTable(&w, p, set); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v, want errFull", room, err)
		}
	}
}

var errFull = errors.New("disk is full")

type full struct{ room int }

func (w *full) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func BenchmarkStep(b *testing.B) {
	set := builtin(100000)
	o := made(b, set, jobs.Default())
	date := 2451545.0
	step := func() {
		date++
		if err := o.Step(date); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(set.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
