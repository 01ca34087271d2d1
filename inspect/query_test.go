package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// These two types have the same name in different packages.
type Translation struct{ Text int32 }

// Conformance: 466. The error about an unknown or ambiguous name contains the name.
func TestQueryNames(t *testing.T) {
	s := newStage(t, 10)
	s.stop()
	s.w.Spawn(Translation{})
	s.run()
	for _, c := range []struct {
		q    string
		code int
		want string
	}{
		{"Healht", 400, "there is no component Healht; did you mean Health?"},
		{"xyzzyplugh", 400, "there is no component xyzzyplugh\n"},
		{"!", 400, "a name is missing"},
		{"Translation", 400, "Translation may be "},
		{"translation", 400, "transform.Translation"},
		{"Health Health", 400, "Health comes twice"},
		{"Health !Health", 400, "Health comes twice"},
		{"~Health", 400, "Health is never off"},
		{"#x", 400, "names no archetype"}, {"#-1", 400, "names no archetype"},
		{":none", 400, "there are :prefabs"},
		{"transform.Translation, !Speed", 200, `"count":4`},
		{"inspect.Translation", 200, `"count":1`},
		{"github.com/lanewise/lanewise/ecs/transform.TranslationOf[float32] Speed :all", 200, `"count":10`},
		{"health", 200, `"count":2`},
		{"Asleep", 200, `"count":8`}, {"~Asleep", 200, `"count":3`}, {"+Asleep", 200, `"count":11`}, {"!Asleep Speed", 200, `"count":3`},
		{"#999", 200, `"count":0`},
		{"  ", 200, `"count":`},
		{"Team", 200, `"count":11`}, {"Note Items", 400, "there is no component Items"}, {"Note", 200, `"count":1`}, {"Mark Health", 200, `"count":2`},
	} {
		s.wantError(c.code, c.want, "GET", "/api/entities", "q", c.q)
	}
	for _, place := range get[Archetypes](s, "/api/archetypes").List {
		if n := get[Entities](s, "/api/entities", "q", place.Query).Count; n != place.Rows {
			t.Errorf("%s: %d, want %d", place.Query, n, place.Rows)
		}
	}
}

// TestPaging checks that the pages of a query together contain each entity once and in order, even if
// the components of some rows are disabled.
func TestPaging(t *testing.T) {
	s := newStage(t, 1500) // fills several chunks
	s.stop()
	var want []string
	for c := range s.w.Query(ecs.With[Asleep](), ecs.With[Speed]()).Chunks() {
		for row := range c.Rows() {
			want = append(want, c.Entities()[row].String())
		}
	}
	s.run()
	var got []string
	for from := 0; ; from += 137 {
		e := get[Entities](s, "/api/entities", "q", "Asleep Speed", "from", fmt.Sprint(from), "limit", "137")
		if e.Count != len(want) || e.From != from {
			t.Fatalf("%d from %d, want %d", e.Count, e.From, len(want))
		}
		if len(e.Rows) == 0 {
			break
		}
		for _, r := range e.Rows {
			got = append(got, r.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d entities, want %d", len(got), len(want))
	}
	if n := len(get[Entities](s, "/api/entities", "limit", "100000").Rows); n != maxRows {
		t.Errorf("a page of %d", n)
	}
	if n := len(get[Entities](s, "/api/entities", "limit", "-3", "from", "x").Rows); n != 60 {
		t.Errorf("a page of %d", n)
	}
}

// fieldOf returns the value of a field as the inspector shows it.
func fieldOf(t *testing.T, value any, name string) any {
	t.Helper()
	list, _ := value.([]any)
	for _, f := range list {
		if f := f.(map[string]any); f["name"] == name {
			return f["value"]
		}
	}
	t.Errorf("no field %s in %v", name, value)
	return nil
}

// TestEntityPage checks the page of an entity: its values, kinds, parent, children and name, and why
// each system matches it or not.
func TestEntityPage(t *testing.T) {
	s := newStage(t, 10)
	s.awaitFrames(3) // so that children are listed
	hero := get[Entity](s, "/api/entity", "id", s.hero.String())
	if hero.Name != "hero" || hero.ChildCount != 3 || len(hero.Children) != 3 || len(hero.Parents) != 0 {
		t.Fatalf("%q, %d children, %d parents", hero.Name, hero.ChildCount, len(hero.Parents))
	}
	value := func(e *Entity, name string) Component {
		i := slices.IndexFunc(e.Components, func(c Component) bool { return c.Name == name })
		if i < 0 {
			t.Fatalf("no %s", name)
		}
		return e.Components[i]
	}
	if v := fieldOf(t, value(hero, "transform.Translation").Value, "Y"); v != 2.0 {
		t.Errorf("Y is %v", v)
	}
	if v := fieldOf(t, value(hero, "inspect.Wide").Value, "N"); v != "1152921504606846976" {
		t.Errorf("N is %v", v)
	}
	for name, kind := range map[string]string{"inspect.Team": "shared", "inspect.Grave": "cleanup", "inspect.Note": "managed", "ecs.Buffer[inspect.Item]": "buffer", "inspect.Mark": "tag"} {
		if c := value(hero, name); !slices.Contains(c.Kinds, kind) || (c.Locked == "") != (kind == "shared" || kind == "buffer") {
			t.Errorf("%+v", c)
		}
	}
	if c := value(hero, "inspect.Note"); c.Value != `{Text: "hi", List: [1 2]}` {
		t.Errorf("%+v", c)
	}
	if c := value(hero, "ecs.Buffer[inspect.Item]"); len(c.Value.([]any)) != 2 {
		t.Errorf("%+v", c)
	}
	child := get[Entity](s, "/api/entity", "id", hero.Children[1].Entity)
	if len(child.Parents) != 1 || child.Parents[0] != (reference{Entity: s.hero.String(), Name: "hero"}) {
		t.Errorf("%+v", child.Parents)
	}
	ref := value(child, "transform.Parent")
	if to := fieldOf(t, ref.Value, "Entity").(map[string]any); to["entity"] != s.hero.String() || to["name"] != "hero" {
		t.Errorf("%+v", ref)
	}
	system := func(e *Entity, name string) Matching {
		i := slices.IndexFunc(e.Systems, func(m Matching) bool { return m.System == name })
		if i < 0 {
			t.Fatalf("no %s", name)
		}
		return e.Systems[i]
	}
	if m := system(hero, "inspect.mover"); m.Matches || !slices.Equal(m.Why, []string{"it lacks inspect.Speed"}) || len(m.Queries) != 1 {
		t.Errorf("%+v", m)
	}
	if m := system(hero, "inspect.waiter"); !m.Matches || len(m.Why) != 0 {
		t.Errorf("%+v", m)
	}
	off := get[Entities](s, "/api/entities", "q", "~Asleep", "limit", "1").Rows[0].ID
	e := get[Entity](s, "/api/entity", "id", off)
	if m := system(e, "inspect.mover"); !m.Matches {
		t.Errorf("%+v", m)
	}
	if value(e, "inspect.Asleep").On || !value(hero, "inspect.Asleep").On {
		t.Error("what is on is off")
	}
	for _, id := range []string{"", "x", "1:", "-1:1", "1:0", "99999999999:1", "1:1:1"} {
		s.wantError(400, "is no entity", "GET", "/api/entity", "id", id)
	}
	s.wantError(404, "does not exist any more", "GET", "/api/entity", "id", "7:99")
}

// TestEntityOfOneFrame checks that all values of an entity come from the frame that the answer names,
// even on a minimal budget. The answers about systems may come from later frames.
func TestEntityOfOneFrame(t *testing.T) {
	s := newStage(t, 10, Budget(1))
	s.stop()
	n := int32(0)
	s.breed.then = func(f *system.Frame) {
		n++
		for _, err := range []error{
			ecs.Set(f.World(), s.hero, Health{n}), ecs.Set(f.World(), s.hero, Wide{F: float64(n), U: 7}), ecs.Set(f.World(), s.hero, transform.Translation{X: float32(n)}),
		} {
			if err != nil {
				t.Error(err)
			}
		}
	}
	s.hz = 5000
	s.run()
	s.awaitFrames(3)
	at := 0.0 // the number of the first frame with n, minus n
	for k := range 5 {
		e := get[Entity](s, "/api/entity", "id", s.hero.String())
		values := map[string]any{}
		for _, c := range e.Components {
			values[c.Name] = c.Value
		}
		health := fieldOf(t, values["inspect.Health"], "Points").(float64)
		wide, x := fieldOf(t, values["inspect.Wide"], "F"), fieldOf(t, values["transform.Translation"], "X")
		matrix := fieldOf(t, values["transform.LocalToWorld"], "M").([]any)[12]
		if wide != health || x != health || matrix != health { // matrices come after the breeder, because transform.Group updates last
			t.Errorf("Health %v, Wide %v, X %v, its matrix %v, over %d frames", health, wide, x, matrix, e.Frames)
		}
		if k == 0 {
			at = float64(e.Frame) - health
		}
		if float64(e.Frame) != health+at {
			t.Errorf("frame %d has the values of %v", e.Frame, health+at)
		}
		if e.Frames < 5 || len(e.Systems) < 2 {
			t.Errorf("%d systems over %d frames", len(e.Systems), e.Frames)
		}
	}
}

// TestMismatch checks every reason why a query does not match an entity.
func TestMismatch(t *testing.T) {
	w := ecs.NewWorld("mismatch")
	defer w.Close()
	e := w.Spawn(Health{}, Mark{}, Asleep{}, Team{Number: 2})
	for _, c := range []struct {
		terms []ecs.Term
		want  string
	}{
		{[]ecs.Term{ecs.With[Health]()}, ""},
		{[]ecs.Term{ecs.Read[Speed]()}, "it lacks inspect.Speed"},
		{[]ecs.Term{ecs.With[Health](), ecs.Without[Mark]()}, "it has inspect.Mark"},
		{[]ecs.Term{ecs.Absent[Mark]()}, "it has inspect.Mark"},
		{[]ecs.Term{ecs.Present[Speed]()}, "it lacks inspect.Speed"},
		{[]ecs.Term{ecs.AnyOf(ecs.With[Speed](), ecs.With[Wide]())}, "it has none of {inspect.Speed, inspect.Wide}"},
		{[]ecs.Term{ecs.Disabled[Asleep]()}, "its inspect.Asleep is on"},
		{[]ecs.Term{ecs.WithShared(Team{Number: 3})}, "it has another shared value"},
		{[]ecs.Term{ecs.WithShared(Team{Number: 2})}, ""},
		{[]ecs.Term{ecs.Optional(ecs.Read[Speed]())}, ""},
	} {
		if got := w.Query(c.terms...).Mismatch(e); got != c.want {
			t.Errorf("%v: %q, want %q", c.terms, got, c.want)
		}
	}
	if err := ecs.SetEnabled[Asleep](w, e, false); err != nil {
		t.Fatal(err)
	}
	if got := w.Query(ecs.With[Asleep]()).Mismatch(e); got != "its inspect.Asleep is off" {
		t.Error(got)
	}
	q := w.Query(ecs.Read[Health](), ecs.Changed[Health]())
	q.SetSince(w.Version())
	if got := q.Mismatch(e); got != "nothing has changed in its chunk since" {
		t.Error(got)
	}
	if err := ecs.Add(w, e, ecs.Prefab{}); err != nil {
		t.Fatal(err)
	}
	if got := w.Query(ecs.With[Health]()).Mismatch(e); !strings.HasPrefix(got, "it has ecs.Prefab") {
		t.Error(got)
	}
	if got := w.Query(ecs.With[Health]()).Mismatch(ecs.Entity{Index: 99, Version: 1}); got != "it does not exist" {
		t.Error(got)
	}
	_ = q.Close()
	if got := q.Mismatch(e); !strings.Contains(got, "closed") {
		t.Error(got)
	}
}

// TestPictures checks that heat maps, plots and histograms use only finite numbers.
func TestPictures(t *testing.T) {
	s := newStage(t, 4000, Allow(Control))
	post[Controlled](s, "/api/control", "do", "pause")
	for _, q := range []string{"Speed", "Speed Asleep", "Speed ~Asleep", "Speed #999", "!Speed"} {
		n := get[Entities](s, "/api/entities", "q", q+" transform.Translation").Count
		h := get[Picture](s, "/api/picture", "q", q, "kind", "histogram", "x", "transform.Translation.X")
		sum := 0
		for _, c := range h.Cells {
			sum += c
		}
		if h.Count != n || h.Seen != n || sum > n || sum < n-2*(n/400)-1 || h.W != len(h.Cells) || h.Y != nil {
			t.Errorf("%q: histogram of %d, %d seen, %d in cells, want %d", q, h.Count, h.Seen, sum, n)
		}
		p := get[Picture](s, "/api/picture", "q", q, "kind", "scatter", "x", "transform.Translation.X", "z", "transform.Translation.Y", "y", "transform.Translation.Y")
		if p.C != nil || p.Z == nil || *p.Z != *p.Y {
			t.Errorf("%q: the axes are c %+v, z %+v, y %+v", q, p.C, p.Z, p.Y)
		}
		if k := slices.IndexFunc(p.Points, func(p [4]float64) bool { return p[3] != p[1] || p[2] != 0 }); k >= 0 {
			t.Errorf("%q: point %d is %v, want y as z, and no c", q, k, p.Points[k])
		}
		if p.Count != n || len(p.Points) != n || len(p.IDs) != n {
			t.Errorf("%q: plot of %d, %d points, want %d", q, p.Count, len(p.Points), n)
		}
		for k, id := range p.IDs[:min(len(p.IDs), 5)] {
			e := get[Entity](s, "/api/entity", "id", id)
			i := slices.IndexFunc(e.Components, func(c Component) bool { return c.Name == "transform.Translation" })
			if x := fieldOf(t, e.Components[i].Value, "X"); float32(x.(float64)) != float32(p.Points[k][0]) {
				t.Errorf("entity %s is drawn at %v and is at %v", id, p.Points[k][0], x)
			}
		}
	}
	heat := get[Picture](s, "/api/picture", "q", "Speed", "kind", "heat", "x", "transform.Translation.X", "y", "transform.Translation.Y", "c", "Speed.Y")
	if len(heat.Cells) != heat.W*heat.H || len(heat.Means) != len(heat.Cells) || heat.C == nil || heat.C.High != 6 {
		t.Errorf("%d×%d, %d cells, %d means", heat.W, heat.H, len(heat.Cells), len(heat.Means))
	}
	for k, n := range heat.Cells {
		if m := heat.Means[k]; n == 0 && m != 0 || m < 0 || m > 6 {
			t.Fatalf("cell %d of %d: mean %v", k, n, m)
		}
	}
	for _, c := range []struct{ want, kind, x, y, c string }{
		{"there are heat, scatter", "pie", "Health", "", ""}, {"has x alone", "histogram", "Health", "Health", ""}, {"has x and y", "heat", "Health", "", ""},
		{"there is no component Nowhere", "histogram", "Nowhere.X", "", ""}, {"has no field Q", "histogram", "Speed.Q", "", ""}, {"is several numbers", "histogram", "Speed", "", ""},
		{"has no numbers in rows", "histogram", "Team", "", ""}, {"has no numbers in rows", "histogram", "Mark", "", ""}, {"has no numbers in rows", "histogram", "Note", "", ""},
		{"has no element 16", "histogram", "LocalToWorld.M.16", "", ""}, {"has no field Z", "histogram", "Health.Points.Z", "", ""}, {"names no number", "histogram", strings.Repeat("a.", 20), "", ""},
	} {
		s.wantError(400, c.want, "GET", "/api/picture", "kind", c.kind, "x", c.x, "y", c.y, "c", c.c)
	}
	s.wantError(400, "a heat has x and y, and perhaps c", "GET", "/api/picture", "kind", "heat", "x", "Health", "y", "Health", "z", "Health")
	if h := get[Picture](s, "/api/picture", "kind", "histogram", "x", "LocalToWorld.M.12"); h.Count != 4 {
		t.Errorf("%d matrices", h.Count)
	}
}

// TestStride checks that a sample of many entities takes every step-th entity, whatever the sizes of
// the chunks are.
func TestStride(t *testing.T) {
	s := newStage(t, 3*maxSampled, Allow(Control))
	post[Controlled](s, "/api/control", "do", "pause")
	for q, n := range map[string]int{"Speed +Asleep": 3 * maxSampled, "Speed Asleep": 9 * maxSampled / 4} {
		h := get[Picture](s, "/api/picture", "q", q, "kind", "histogram", "x", "transform.Translation.X")
		step := (n + maxSampled - 1) / maxSampled
		if h.Count != n || h.Seen < n/step-1 || h.Seen > n/step+1 {
			t.Errorf("%q: %d seen of %d, want %d", q, h.Seen, h.Count, n/step)
		}
	}
}

// TestNumbers checks that every kind of number is read, at any depth of a struct.
func TestNumbers(t *testing.T) {
	w, err := system.NewWorld("numbers", system.Only(system.Of[mover]()))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e := w.Spawn(manyNumbers{-1, 2, -3, 4, -5, 6, -7, 8, 1.5, -2.5, true, [2]struct{ V int16 }{{11}, {12}}}, transform.Translation{})
	a := w.ArchetypeOf(e)
	for path, want := range map[string]float64{
		"A": -1, "B": 2, "C": -3, "D": 4, "E": -5, "F": 6, "G": -7, "H": 8, "K": 1.5, "L": -2.5, "M": 1, "N.0": 11, "N.1": 12, "N.1.V": 12,
	} {
		n, err := parseNumbers("manyNumbers." + path)
		if err != nil {
			t.Error(err)
			continue
		}
		lane, ok := n.find(a)
		row, err := w.Untyped().AppendRow(nil, e, lane)
		if !ok || err != nil || n.read(row) != want {
			t.Errorf("%s: %v %v", path, ok, err)
		}
	}
}

type manyNumbers struct {
	A int8
	B uint8
	C int16
	D uint16
	E int32
	F uint32
	G int64
	H uint64
	K float32
	L float64
	M bool
	N [2]struct{ V int16 }
}

// TestAxes checks that the range of an axis leaves out a few values at both ends, and is never empty.
func TestAxes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][]float64{nil, {1}, {1, 1, 1}, {nan, inf, -inf}, {-math.MaxFloat64, math.MaxFloat64}, {math.MaxFloat64}, {1, 2, nan, 3}, {0, math.SmallestNonzeroFloat64}} {
		a := axisOf("x", c)
		if !(a.Min < a.Max) || math.IsInf(a.Max-a.Min, 0) || math.IsNaN(a.Mean) || math.IsInf(a.Mean, 0) {
			t.Errorf("%v: %+v", c, a)
		}
		for _, x := range c {
			if k, ok := a.cell(x, 10); ok && (k < 0 || k > 9) {
				t.Errorf("%v: %v in cell %d", c, x, k)
			}
		}
	}
	many := make([]float64, 4000)
	for i := range many {
		many[i] = float64(i)
	}
	many[0], many[3999] = -1e9, 1e9
	if a := axisOf("x", many); a.Min < 5 || a.Max > 3995 || a.Low != -1e9 || a.High != 1e9 {
		t.Errorf("%+v", a)
	}
}

// TestShow checks that values that JSON cannot represent are shown as text.
func TestShow(t *testing.T) {
	if n := number(math.NaN(), 32); n != "NaN" {
		t.Error(n)
	}
	if n := number(math.Inf(-1), 64); n != "-Inf" {
		t.Error(n)
	}
	if s := clip("ééééé", 5); s != "éé…" {
		t.Error(s)
	}
	if _, err := strconv.Atoi(strconv.Itoa(5)); err != nil {
		t.Error(err)
	}
}

// TestTypesFloats checks which numbers of a component may be NaN.
func TestTypesFloats(t *testing.T) {
	for _, one := range typesPage() {
		if one.Name == "inspect.Wide" {
			if got, want := strings.Join(one.Floats, " "), "inspect.Wide.F"; got != want || len(one.Lanes) != 4 {
				t.Errorf("the floats of %q are %q, want %q", one.Lanes, got, want)
			}
			return
		}
	}
	t.Error("there is no component inspect.Wide")
}
