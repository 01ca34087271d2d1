package regatta

import (
	"context"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of 12 frames of a regatta with 300 boats. It is the same on every machine and
// path, with any number of workers, drawn or not.
const golden = 0xc364ccf8e2bc36d2

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		race, err := New(Options{Boats: 300}, system.OnPool(pool))
		if err != nil {
			return 0, err
		}
		defer race.World.Close()
		err = app.Run(context.Background(), race.World, app.Frames(12), app.Step(Step))
		return race.World.Hash(), err
	})
}

// TestRace checks that every boat stays on the course and that no sail is trimmed against the wind.
// Each camera must see boats. The chart must show all boats, and the other cameras must show some
// near and some far boats.
func TestRace(t *testing.T) {
	race, err := New(Options{Boats: 400})
	if err != nil {
		t.Fatal(err)
	}
	w := race.World
	defer w.Close()
	boats := w.Query(ecs.Read[Helm](), ecs.Read[Air](), ecs.Read[transform.Translation](), ecs.Read[transform.LocalToWorld]())
	count := map[float32]int{}
	for range 4 { // a minute per iteration, in steps of half a second
		for range 30 {
			system.ClockOf(w).Advance(0.5)
			if err := system.Update(w); err != nil {
				t.Fatal(err)
			}
		}
		for c := range boats.Chunks() {
			h, air, at := ecs.Column[Helm](c), ecs.Column[Air](c), ecs.Column[transform.Translation](c)
			for i := range h.Leg {
				count[h.Leg[i]]++
				if x, z := math.Abs(float64(at.X[i])), math.Abs(float64(at.Z[i])); !(x < outerX+300) || !(z < outerZ+300) || x < innerX-250 && z < innerZ-250 {
					t.Fatalf("a boat is at %v, %v, off the course", at.X[i], at.Z[i])
				}
				if !(h.Speed[i] >= 0 && h.Speed[i] < 12) || !(air.Force[i] > 3 && air.Force[i] < 13) {
					t.Fatalf("a boat makes %v in a wind of %v", h.Speed[i], air.Force[i])
				}
			}
		}
	}
	for leg := beat; leg < legs; leg++ {
		if count[leg] < 100 {
			t.Errorf("leg %v has %d boats of 1,600", leg, count[leg])
		}
	}
	views := render.ViewsOf(w)
	if len(views) != 3 || views[2].Seen != 400 {
		t.Fatalf("%d cameras, of which the last sees %d", len(views), views[len(views)-1].Seen)
	}
	for i, v := range views[:2] {
		seen := map[render.ShapeID]int{}
		for _, b := range v.Batches {
			seen[b.Look.Shape] += b.Count
		}
		if seen[render.ShapeNamed("far")] == 0 || seen[render.ShapeNamed("hull")] == 0 || seen[render.ShapeNamed("hull")] != seen[render.ShapeNamed("main")] {
			t.Errorf("camera %d sees %v", i, seen)
		}
	}
}

// TestLee checks that a sail is on the side to which the wind blows.
func TestLee(t *testing.T) {
	for a := -3.1; a <= 3.1; a += 0.05 {
		side, cos := lee(float32(a))
		if math.Abs(float64(cos)-math.Cos(a)) > 0.1 || side > 1 || side < -1 || float64(side)*math.Sin(a) < -1e-3 {
			t.Errorf("the wind at %.2f: side %v, cosine %v", a, side, cos)
		}
	}
}

// TestRate checks that boats sail as far in fixed steps as without a rate. The boats, their parts
// and the camera that follows a boat must be drawn between steps.
func TestRate(t *testing.T) {
	sailed := func(rate float64, frames int, each func(r *Race)) transform.LocalToWorld {
		t.Helper()
		r, err := New(Options{Boats: 60, Rate: rate})
		if err != nil {
			t.Fatal(err)
		}
		defer r.World.Close()
		for range frames {
			system.ClockOf(r.World).Advance(Step)
			if err := system.Update(r.World); err != nil {
				t.Fatal(err)
			}
			each(r)
		}
		at, err := ecs.Get[transform.LocalToWorld](r.World, r.Boat)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	still, drawn, checked := 0, map[[2]float32]bool{}, false
	var last [16]float32
	fixed := sailed(10, 61, func(r *Race) {
		is, err := ecs.Get[transform.LocalToWorld](r.World, r.Boat)
		if err != nil {
			t.Fatal(err)
		}
		if is.M == last {
			still++
		}
		last = is.M
		d, err := ecs.Get[render.Drawn](r.World, r.Boat)
		if err != nil {
			t.Fatal(err)
		}
		drawn[[2]float32{d.M[12], d.M[14]}] = true
		if !checked {
			checked = true
			for _, what := range []struct {
				name string
				n    int
				of   *ecs.Query
			}{
				{"boats", 60, r.World.Query(ecs.With[Helm](), ecs.With[render.Drawn]())},
				{"parts", 60 * 7, r.World.Query(ecs.With[Aboard](), ecs.With[render.Drawn]())},
				{"cameras", 1, r.World.Query(ecs.Present[render.Camera](), ecs.With[render.Drawn]())},
			} {
				if n := what.of.CountUnfiltered(); n != what.n {
					t.Errorf("%d %s are drawn between steps, want %d", n, what.name, what.n)
				}
			}
		}
	})
	if still != 50 || len(drawn) < 50 {
		t.Errorf("in 61 frames the boat stays where it is in %d, and is drawn at %d places; want 50, and nearly as many as frames", still, len(drawn))
	}
	free := sailed(0, 61, func(*Race) {})
	if dx, dz := fixed.M[12]-free.M[12], fixed.M[14]-free.M[14]; math.Hypot(float64(dx), float64(dz)) > 1 {
		t.Errorf("in a second the boat is %v, %v away from where it is without fixed steps", dx, dz)
	}
}
