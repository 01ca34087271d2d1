package inspect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// filteredRows returns the entities of a world that match a query and meet a condition. It looks at one chunk in each slice.
func filteredRows(t *testing.T, w *ecs.World, query, when string) []ecs.Entity {
	t.Helper()
	q, err := parse(query)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newRowFilter(when, 0)
	if err != nil {
		t.Fatal(err)
	}
	if q, err = f.queryWith(q); err != nil {
		t.Fatal(err)
	}
	r := &rowsPageData{out: &Entities{}, limit: 1 << 20, walk: walk{query: q, countAll: f.countAll}, filter: f}
	for l := (&ownerSlice{world: w, probes: probes{}}); !r.counted && r.step(l); {
	}
	var list []ecs.Entity
	for _, row := range r.rows {
		list = append(list, row.e)
	}
	if len(list) != r.out.Count {
		t.Errorf("%q %q: %d rows, count %d", query, when, len(list), r.out.Count)
	}
	return list
}

// TestFilterEntities asks for the entities of a query that meet a condition, and compares them with the values in the rows.
func TestFilterEntities(t *testing.T) {
	for _, opt := range []Option{Budget(time.Second), Budget(1)} { // a whole answer in one slice, and one chunk in each slice
		s := newStage(t, 1000, opt, Allow(Control), History(1, 64<<20))
		s.awaitFrames(2)
		post[Controlled](s, "/api/control", "do", "pause")
		for _, c := range []struct {
			q, when string
			count   int
		}{
			{"Speed", "Speed.Y == 3", 143}, {"", "Speed.Y == 3", 143}, {"Speed", "Speed.Y == 3 && Team.Number == 1", 48}, {"Speed", `Team.Label == "red"`, 0}, {"", `Team.Label == "red"`, 1}, {"Speed", "Speed.Y < NaN", 0},
			{"Speed", "Speed.Y >= 0 && Speed.Y<=6", 1000}, {"Speed ~Asleep", "Speed.Y == 3", 35}, {"Speed", "Asleep == 0", 750}, {"Speed +Asleep", "Asleep == 0", 1000}, {"Health", `Health.Points >= 100 && Team.Label == "red" && Wide.B == true`, 1}, {"Speed", "", 1000},
		} {
			e := get[Entities](s, "/api/entities", "q", c.q, "when", c.when, "limit", "200")
			if e.Count != c.count || len(e.Rows) != min(c.count, 200) || e.When != c.when || e.Query != c.q || e.Uncompared != 0 {
				t.Errorf("%q when %q: %d entities, %d rows, when %q: want %d", c.q, c.when, e.Count, len(e.Rows), e.When, c.count)
			}
			for _, r := range e.Rows {
				if y := r.Values["inspect.Speed"]; c.when == "Speed.Y == 3" && fieldOf(t, y, "Y") != 3.0 {
					t.Errorf("%q when %q: entity %s has %v", c.q, c.when, r.ID, y)
				}
			}
		}
		last := get[Frame](s, "/api/frame").Past.Last
		if e := get[Entities](s, "/api/entities", "when", "Speed.Y == 3", "from", "140", "frame", fmt.Sprint(last)); e.Count != 143 || len(e.Rows) != 3 || e.Frame != last || e.From != 140 {
			t.Errorf("in frame %d: %d entities, %d rows from %d of frame %d", last, e.Count, len(e.Rows), e.From, e.Frame)
		}
		s.wantError(400, "condition, character 17 (Nowhere < 1): there is no component Nowhere", "GET", "/api/entities", "q", "Speed", "when", "Speed.Y == 3 && Nowhere < 1")
		s.wantError(400, "the query has !inspect.Speed, and the condition compares Speed.Y", "GET", "/api/entities", "q", "!Speed", "when", "Speed.Y == 3")
		s.server.Close()
		_ = s.in.Close()
		s.end()
	}
}

// TestFilterContinues checks that requests that may compare only some rows find every entity once if each of them continues where
// the one before has stopped.
func TestFilterContinues(t *testing.T) {
	s := newStage(t, 0)
	s.stop()
	crowd(s.w, 40, 130)
	want := filteredRows(t, s.w, "few", "Translation.Y < 3")
	s.run()
	v := s.in.find(s.w)
	if v == nil {
		s.awaitFrames(1)
		v = s.in.find(s.w)
	}
	for _, limit := range []int{1, 95, 100, 1299, 1300, 5000} {
		var got []ecs.Entity
		requests := 0
		for skip := 0; ; requests++ {
			q, _ := parse("few")
			f, err := newRowFilter("Translation.Y < 3", skip)
			if err != nil {
				t.Fatal(err)
			}
			f.limit = limit
			e, err := entitiesPage(t.Context(), v, q, f, 0, 200)
			if err != nil {
				t.Fatal(err)
			}
			if e.Skipped != skip || e.Compared < min(limit, 10) || e.Compared >= limit+10 || e.Skipped+e.Compared+e.Uncompared != 1300 {
				t.Fatalf("limit %d, skip %d: %d skipped, %d compared, %d not", limit, skip, e.Skipped, e.Compared, e.Uncompared)
			}
			for from := 0; from < e.Count; from += len(e.Rows) {
				f, _ := newRowFilter("Translation.Y < 3", skip)
				if f.limit = limit; from > 0 {
					if e, err = entitiesPage(t.Context(), v, q, f, from, 200); err != nil {
						t.Fatal(err)
					}
				}
				for _, r := range e.Rows {
					id, _ := parseEntity(r.ID)
					got = append(got, id)
				}
			}
			if skip += e.Compared; e.Uncompared == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d entities in %d requests, want %d", limit, len(got), requests, len(want))
		}
	}
	if len(want) != 390 {
		t.Errorf("%d entities, want 390", len(want))
	}
}

// TestChildren lists the children of an entity, page by page, in the running world and in a kept frame.
func TestChildren(t *testing.T) {
	s := newStage(t, 10, Allow(Control|Edit), History(1, 1<<20))
	s.awaitFrames(3) // so that children are listed
	post[Controlled](s, "/api/control", "do", "pause")
	hero := s.hero.String()
	roots := get[Entities](s, "/api/entities", "q", "!Parent Health Wide")
	if roots.Count != 1 || roots.Rows[0].ID != hero || roots.Rows[0].Children != 3 {
		t.Errorf("%+v", roots)
	}
	all := get[Entities](s, "/api/children", "id", hero)
	if all.Count != 3 || len(all.Rows) != 3 || all.Rows[0].Children != 0 || !slices.Contains(all.Columns, "transform.Parent") {
		t.Errorf("%+v", all)
	}
	for from := range 5 {
		e := get[Entities](s, "/api/children", "id", hero, "from", fmt.Sprint(from), "limit", "2")
		if e.Count != 3 || len(e.Rows) != min(2, max(3-from, 0)) || len(e.Rows) > 0 && e.Rows[0].ID != all.Rows[from].ID {
			t.Errorf("from %d: %+v", from, e)
		}
	}
	if e := get[Entities](s, "/api/children", "id", all.Rows[1].ID); e.Count != 0 {
		t.Errorf("a child has children: %+v", e)
	}
	s.wantError(404, "entity 9999:1 does not exist", "GET", "/api/children", "id", "9999:1")
	post[Edited](s, "/api/parent", "id", all.Rows[0].ID, "parent", all.Rows[2].ID)
	last := get[Frame](s, "/api/frame").Frame
	post[Controlled](s, "/api/control", "do", "step", "value", "2")
	for begin := time.Now(); get[Frame](s, "/api/frame").Frame < last+2; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the world does not go on")
		}
	}
	if e := get[Entities](s, "/api/children", "id", hero); e.Count != 2 {
		t.Errorf("%+v", e)
	}
	if e := get[Entities](s, "/api/children", "id", all.Rows[2].ID); e.Count != 1 || e.Rows[0].ID != all.Rows[0].ID {
		t.Errorf("%+v", e)
	}
	if e := get[Entities](s, "/api/children", "id", hero, "frame", fmt.Sprint(last)); e.Count != 3 || e.Frame != last {
		t.Errorf("in the past: %+v", e)
	}
}

// TestWideIntegers compares 64-bit integers that no float64 can hold, in the running world, in a shared component, and in an image.
func TestWideIntegers(t *testing.T) {
	s := newStage(t, 2, History(1, 64<<20), Allow(Control))
	s.awaitFrames(3)
	for when, want := range map[string]int{
		"Wide.N == 1152921504606846976": 1, "Wide.N == 1152921504606846977": 0, "Wide.N != 1152921504606846977": 1, "Wide.N < 1152921504606846977": 1, "Wide.N >= 1152921504606846977": 0,
		"Wide.N > 1152921504606846975": 1, "Wide.N <= 1152921504606846975": 0, "Wide.N == 1.152921504606846976e18": 1, "Wide.N > -0.5": 1, "Wide.U == 7": 1, "Wide.U < 7": 0,
	} {
		if e := get[Entities](s, "/api/entities", "when", when); e.Count != want {
			t.Errorf("%s: %d entities, want %d", when, e.Count, want)
		}
		if f := get[Found](s, "/api/find", "when", when); f.Found != (want == 1) {
			t.Errorf("%s: found is %v", when, f.Found)
		}
	}
	type key struct {
		ecs.Shared
		I int64
		U uint64
	}
	value := key{I: 1<<53 + 1, U: 1<<64 - 1}
	for text, want := range map[string]bool{"I 9007199254740993": true, "I 9007199254740992": false, "U 18446744073709551615": true, "U 18446744073709551614": false} {
		name, number, _ := strings.Cut(text, " ")
		c := comparison{number: numberField{typ: reflect.TypeFor[key]()}, op: "=="}
		if err := c.setSharedField([]string{name}); err != nil {
			t.Fatal(err)
		}
		if err := c.setValue(number); err != nil || c.holdsShared(value) != want {
			t.Errorf("%s: %v, %v", text, !want, err)
		}
	}
}

// TestHugeFrom requests rows from an index that is larger than any number of rows.
func TestHugeFrom(t *testing.T) {
	s := newStage(t, 2)
	for _, from := range []string{"2", "3", "4", "9223372036854775800", "9223372036854775808"} {
		c := get[Entities](s, "/api/children", "id", s.hero.String(), "from", from, "limit", "100")
		if want := max(3-len(c.Rows), 0); c.Count != 3 || from == "2" && want != 2 || from != "2" && want != 3 {
			t.Errorf("from %s: %d rows of %d", from, len(c.Rows), c.Count)
		}
		get[Entities](s, "/api/entities", "from", from)
		get[Archetypes](s, "/api/archetypes", "from", from)
	}
}

// TestFullNames checks that the names of types that code adds to a query are the full ones, because several types may have the same
// short name.
func TestFullNames(t *testing.T) {
	n, err := parseNumbers("Health.Points")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parse("Mark")
	if err != nil {
		t.Fatal(err)
	}
	if text := c.withNumber(n).text; text != "Mark github.com/lanewise/lanewise/inspect.Health" {
		t.Errorf("the query is %q", text)
	}
	data, err := embedded.ReadFile("page/entities.js")
	if err != nil || !strings.Contains(string(data), `"`+fullNameOf(reflect.TypeFor[transform.Parent]())+`"`) {
		t.Errorf("the tree does not use the full name %s: %v", fullNameOf(reflect.TypeFor[transform.Parent]()), err)
	}
}
