package inspect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestFind searches for the first frame in which the X of an entity is beyond a limit, and compares this frame with the
// diary.
func TestFind(t *testing.T) {
	s, d, e := newDiaryStage(t, History(1, 64<<20), Allow(Control))
	s.awaitFrames(60)
	post[Controlled](s, "/api/control", "do", "pause")
	p := get[Frame](s, "/api/frame").Past
	mid, _ := d.at(p.Last - 17)
	if found := get[Found](s, "/api/find", "when", fmt.Sprintf("Translation.X >= %v", mid), "id", e.String()); !found.Found || found.Frame != p.Last-17 || found.Before != p.Last-18 || found.ID != e.String() {
		t.Errorf("%+v, want frame %d", found, p.Last-17)
	}
	if found := get[Found](s, "/api/find", "when", `Health.Points == 100 && Team.Label == "red"`); !found.Found || found.Frame != p.First || found.Before != 0 || found.Name != "hero" {
		t.Errorf("%+v", found)
	}
	if found := get[Found](s, "/api/find", "when", "Speed.X > 1e9"); found.Found || found.Frame != 0 || found.Checked != p.Kept {
		t.Errorf("%+v", found)
	}
	for _, c := range []struct{ when, want string }{
		{"", "condition, at its end: \"\" is no comparison"}, {"Health.Points", "is no comparison"}, {"Health.Points < ", "is no number"}, {"Health.Points = 3", "is no comparison"}, {"Nowhere.X < 1", "no component Nowhere"},
		{"Health.Points < abc", "no number"}, {`Health.Points == "red"`, "is no text"}, {`Team.Label < "red"`, "== or !="}, {"Team.Label == 3", "is a text"}, {`Team.Label == "red`, "no text in quotes"},
		{"Team == 3", "several fields"}, {"Team.Size == 3", "condition, character 1 (Team.Size == 3): inspect.Team has no field Size"},
		{`Team.Label == "ö && ü" && Health.Points<abc && Mark == 1`, `condition, character 41 (abc): "abc" is no number`}, {`Health.Points < 1 &&   Nowhere.X<1`, "condition, character 24 (Nowhere.X<1): there is no component Nowhere"},
		{"Health.Points < 1 || Wide.F == 2", "condition, character 19 (|| Wide.F == 2): there is no ||"}, {`Health.Points < 1 && Team.Label<="red"`, `condition, character 32 (<="red"): a text is compared`}, {"Health.Points < 1 &&", "condition, at its end: "}, {"Note.Text == 3", "no numbers"}, {"Translation == 3", "several numbers"},
		{"NaN", "is no comparison: write for example Health.Points < 10, or Health.Points == NaN"}, {"Wide.F != Wide.F", "condition, character 11 (Wide.F): a number is not compared with itself: to find NaN, write Wide.F == NaN"}, {"< 3", "the name of a number is missing: write Component.Field"},
		{strings.Repeat("Health.Points < 1 && ", 20) + "Health.Points < 1", "more than 16"},
	} {
		s.wantError(400, c.want, "GET", "/api/find", "when", c.when)
	}
	s.wantError(400, "is no entity", "GET", "/api/find", "when", "Health.Points < 1", "id", "x")
}

// TestConditions compares the first match in images of random worlds with a search that reads each entity.
func TestConditions(t *testing.T) {
	fields := []struct {
		name string
		of   func(w *ecs.World, e ecs.Entity) (float64, bool)
	}{
		{"Health.Points", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Health](w, e)
			return float64(c.Points), err == nil
		}},
		{"Wide.F", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Wide](w, e)
			return c.F, err == nil
		}},
		{"Wide.U", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Wide](w, e)
			return float64(c.U), err == nil
		}},
		{"Speed.Y", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Speed](w, e)
			return float64(c.Y), err == nil
		}},
		{"Team.Number", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Team](w, e)
			return float64(c.Number), err == nil
		}},
		{"Asleep", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Asleep](w, e)
			on, _ := ecs.Enabled[Asleep](w, e)
			return float64(c.Since), err == nil && on
		}},
	}
	compare := map[string]func(x, y float64) bool{
		"<": func(x, y float64) bool { return x < y }, "<=": func(x, y float64) bool { return x <= y }, ">": func(x, y float64) bool { return x > y },
		">=": func(x, y float64) bool { return x >= y }, "==": func(x, y float64) bool { return x == y || x != x && y != y }, "!=": func(x, y float64) bool { return x != y && (x == x || y == y) },
	}
	seeds, conditions := uint64(5), 12
	if *full {
		seeds, conditions = 20, 40
	}
	for seed := range seeds {
		draw := rand.New(rand.NewPCG(seed, 9))
		w := ecs.NewWorld("random")
		for range draw.IntN(150) {
			n := float64(draw.IntN(5))
			if draw.IntN(9) == 0 {
				n = math.NaN()
			}
			list := []any{Mark{}}
			for _, c := range []any{Health{int32(draw.IntN(5))}, Wide{F: n, U: uint8(draw.IntN(5))}, Speed{Y: float32(n)}, Team{Number: int32(draw.IntN(5))}, Asleep{Since: int32(draw.IntN(5))}, ecs.Prefab{}} {
				if _, hidden := c.(ecs.Prefab); draw.IntN(2) == 0 && !hidden || draw.IntN(9) == 0 && hidden {
					list = append(list, c)
				}
			}
			e := w.Spawn(list...)
			if _, err := ecs.Get[Asleep](w, e); err == nil && draw.IntN(2) == 0 {
				_ = ecs.SetEnabled[Asleep](w, e, false)
			}
		}
		m, err := ecs.Capture(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range conditions {
			var parts []string
			var tests []func(e ecs.Entity) bool
			for range 1 + draw.IntN(3) {
				f := fields[draw.IntN(len(fields))]
				op := operators[draw.IntN(len(operators))]
				y := float64(draw.IntN(6))
				if draw.IntN(8) == 0 && (op == "==" || op == "!=") {
					y = math.NaN()
				}
				parts = append(parts, fmt.Sprintf("%s%s%v", f.name, op, y))
				tests = append(tests, func(e ecs.Entity) bool { x, has := f.of(w, e); return has && compare[op](x, y) })
			}
			text := strings.Join(parts, []string{"&&", " && "}[draw.IntN(2)])
			c, err := parseCondition(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			wanted, k := 0, 0
			for e := range w.Entities() {
				match := !slices.Contains(w.ArchetypeOf(e).Types(), reflect.TypeFor[ecs.Prefab]())
				for _, test := range tests {
					match = match && test(e)
				}
				if match {
					wanted++
				}
				if k++; k%8 != 0 { // each search reads all chunks
					continue
				}
				if _, got := c.first(m, nil, ecs.ComponentTypes(), e); got != match {
					t.Fatalf("seed %d: %s for entity %v: %v, want %v", seed, text, e, got, match)
				}
			}
			if list := filteredRows(t, w, "", text); len(list) != wanted {
				t.Fatalf("seed %d: %s: the running world has %d entities that meet it, want %d", seed, text, len(list), wanted)
			}
			if _, got := c.first(m, nil, ecs.ComponentTypes(), ecs.Entity{}); got != (wanted > 0) {
				t.Fatalf("seed %d: %s: %v, and %d entities meet it", seed, text, got, wanted)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFindHidden finds a NaN of an inactive entity, of a prefab and of a disabled component in the kept frames.
func TestFindHidden(t *testing.T) {
	s := newStage(t, 10, History(1, 64<<20))
	s.stop()
	e := s.w.Spawn(Speed{Z: float32(math.NaN())}, ecs.Inactive{})
	s.w.Spawn(Health{Points: 77777}, ecs.Prefab{})
	off := s.w.Spawn(dozing{Since: math.Inf(1)})
	if err := ecs.SetEnabled[dozing](s.w, off, false); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.awaitFrames(3)
	for _, when := range []string{"Speed.Z == NaN", "Health.Points == 77777", "dozing.Since == Inf"} {
		if f := get[Found](s, "/api/find", "when", when); f.Found {
			t.Errorf("%s: %+v without :all", when, f)
		}
		f := get[Found](s, "/api/find", "when", when, "q", ":all")
		if !f.Found || when == "Speed.Z == NaN" && f.ID != e.String() {
			t.Errorf("%s: %+v", when, f)
		}
	}
	s.wantError(400, "no query except :all", "GET", "/api/find", "when", "Speed.Z == NaN", "q", "Mark")
}
