package inspect

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// contents returns the components of every entity of the world as text, which its owner reads.
func (s *stage) contents() map[ecs.Entity]string {
	s.Helper()
	list := map[ecs.Entity]string{}
	if _, err := s.in.find(s.w).runBetween(context.Background(), "contents", func(*ownerSlice) (bool, error) {
		for e := range s.w.Entities() {
			var parts []string
			for _, t := range s.w.ArchetypeOf(e).Types() {
				value, err := s.w.Untyped().Get(e, t)
				on, _ := s.w.Untyped().Enabled(e, t)
				parts = append(parts, fmt.Sprintf("%v %v %v %v", t, value, on, err))
			}
			slices.Sort(parts)
			list[e] = s.w.EntityName(e) + ": " + strings.Join(parts, "; ")
		}
		return false, nil
	}); err != nil {
		s.Fatal(err)
	}
	return list
}

// checkContents compares the contents of the world with those before.
func (s *stage) checkContents(what string, want map[ecs.Entity]string) {
	s.Helper()
	got := s.contents()
	for e, text := range want {
		if got[e] != text {
			s.Errorf("%s: entity %v is\n%s\nwant\n%s", what, e, got[e], text)
		}
	}
	if len(got) != len(want) {
		s.Errorf("%s: %d entities, want %d", what, len(got), len(want))
	}
}

// TestUndoStructure makes every kind of edit of the components of an entity, undoes all of them and makes them again. After each
// step, all entities have the components, values and states that they had after the same number of edits.
func TestUndoStructure(t *testing.T) {
	s := pausedStage(t)
	hero := s.hero.String()
	all := get[Entities](s, "/api/entities", "q", "Speed", "limit", "3").Rows
	other, third := all[0].ID, all[1].ID
	_, next := s.newEntries(0)
	steps := []map[ecs.Entity]string{s.contents()}
	edits := [][]string{
		{"add", "component", "Speed"}, {"set", "component", "Speed", "field", "X", "value", "5"}, {"set", "component", "Asleep", "field", "Since", "value", "8"}, {"enable", "component", "Asleep", "on", "false"},
		{"remove", "component", "Asleep"}, {"set", "component", "Team", "field", "Number", "value", "3"}, {"set", "component", "Team", "field", "Label", "value", ` a "b" `}, {"remove", "component", "Team"}, {"add", "component", "Team"},
		{"set", "component", "ecs.Buffer[inspect.Item]", "field", "1.N", "value", "9"}, {"set", "component", "ecs.Buffer[inspect.Item]", "field", "1.From", "value", other}, {"set", "component", "ecs.Buffer[inspect.Item]", "field", "1.From", "value", ""},
		{"remove", "component", "ecs.Buffer[inspect.Item]"}, {"add", "component", "ecs.Buffer[inspect.Item]"}, {"remove", "component", "Note"}, {"remove", "component", "Mark"}, {"add", "component", "Prefab"}, {"remove", "component", "Prefab"},
		{"enable", "on", "false"}, {"enable", "on", "true"}, {"parent", "parent", other}, {"parent", "parent", third}, {"parent", "parent", ""}, {"parent", "parent", third}, {"add", "component", "Asleep"}, {"name", "name", "x"},
	}
	for _, c := range edits {
		out := post[Edited](s, "/api/"+c[0], append([]string{"id", hero}, c[1:]...)...)
		if steps = append(steps, s.contents()); maps.Equal(steps[len(steps)-1], steps[len(steps)-2]) || out.ID != hero || out.Frame == 0 {
			t.Errorf("%q changes nothing, or answers %+v", c, out)
		}
	}
	list, _ := s.newEntries(next)
	for k, want := range map[int]string{
		0: "Add inspect.Speed to hero (0:1) +0 -0", 3: "Enable inspect.Asleep of hero (0:1): on → off +0 -0", 4: "Remove inspect.Asleep from hero (0:1) +0 -0", 6: `Set inspect.Team.Label of hero (0:1): "red" → " a \"b\" " +0 -0`,
		10: "Set ecs.Buffer[inspect.Item].1.From of hero (0:1): →0:0 → →" + other + " +0 -0", 18: "Activate hero (0:1): active → false +0 -0", 20: "SetParent parent of hero (0:1): none → " + other + " +0 -0", 22: "SetParent parent of hero (0:1): " + third + " → none +0 -0",
	} {
		if len(list) != len(edits) || list[k] != want {
			t.Errorf("entry %d of %d is %q, want %q", k, len(list), list[min(k, len(list)-1)], want)
		}
	}
	for range 2 {
		for k := len(edits) - 1; k >= 0; k-- {
			u := post[Undone](s, "/api/undo")
			s.checkContents(fmt.Sprintf("undo of %q: %+v", edits[k], u), steps[k])
		}
		for k := range edits {
			u := post[Undone](s, "/api/redo")
			s.checkContents(fmt.Sprintf("redo of %q: %+v", edits[k], u), steps[k+1])
		}
	}
	before := s.contents()
	for _, c := range []struct {
		code       int
		want, path string
		form       []string
	}{
		{409, "has inspect.Speed already", "add", []string{"component", "Speed"}}, {409, "has no inspect.Note", "remove", []string{"component", "Note"}}, {409, "Grave cannot be added or removed: it is a cleanup component", "remove", []string{"component", "Grave"}},
		{400, "no component Nowhere", "add", []string{"component", "Nowhere"}}, {409, "is never off", "enable", []string{"component", "Health", "on", "true"}}, {400, "write true or false", "enable", []string{"component", "Asleep", "on", "x"}},
		{404, "entity 9999:1 does not exist", "parent", []string{"parent", "9999:1"}}, {400, "an entity cannot be below itself", "parent", []string{"parent", hero}}, {400, "is no entity", "parent", []string{"parent", "x"}},
	} {
		s.wantError(c.code, c.want, "POST", "/api/"+c.path, append([]string{"id", hero}, c.form...)...)
	}
	for _, path := range []string{"add", "remove", "parent", "destroy", "enable", "spawn"} {
		s.wantError(404, "does not exist", "POST", "/api/"+path, "id", "9999:1", "component", "Asleep", "on", "true")
	}
	s.checkContents("after what was refused", before)
	child := get[Entity](s, "/api/entity", "id", hero).Children[0].Entity
	s.wantError(400, "an entity cannot be below itself", "POST", "/api/parent", "id", hero, "parent", child)
}

// TestUndoDestroy destroys a group, undoes that, and makes it again. The copies have the names, values and states of the entities, and refer to
// one another. Edits before apply to the copies.
func TestUndoDestroy(t *testing.T) {
	s := newStage(t, 0, Allow(Control|Edit))
	s.stop()
	root := s.w.Spawn(Health{1}, Grave{At: 3}, Note{Text: "of the root"})
	part := s.w.Spawn(Health{2}, transform.Parent{Entity: root}, Asleep{Since: 4}, Team{Number: 5, Label: "part"}, ecs.BufferOf(Item{From: s.hero}, Item{From: root}))
	inner := s.w.Spawn(Health{3}, Mark{})
	for _, err := range []error{
		ecs.Add(s.w, root, ecs.BufferOf(ecs.Linked{Entity: root}, ecs.Linked{Entity: part})), ecs.Add(s.w, part, ecs.BufferOf(ecs.Linked{Entity: part}, ecs.Linked{Entity: inner})),
		ecs.SetEnabled[Asleep](s.w, part, false), s.w.SetEntityName(part, "the part"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.run()
	s.awaitFrames(1)
	post[Controlled](s, "/api/control", "do", "pause")
	count := func() int { return get[Entities](s, "/api/entities", "q", "Health :all", "limit", "1").Count }
	n := count()
	post[Edited](s, "/api/set", "id", part.String(), "component", "Health", "field", "Points", "value", "22")
	_, next := s.newEntries(0)
	for round := range 3 {
		if round == 0 {
			post[Edited](s, "/api/destroy", "id", root.String())
		} else {
			post[Undone](s, "/api/redo")
		}
		if count() != n-3 {
			t.Fatalf("round %d: %d entities, want %d", round, count(), n-3)
		}
		if u := post[Undone](s, "/api/undo"); !strings.HasSuffix(u.What, " and 2 entities of its group") || count() != n {
			t.Fatalf("round %d: %+v, %d entities, want %d", round, u, count(), n)
		}
		found := get[Entities](s, "/api/entities", "when", `Team.Label == "part"`)
		if found.Count != 1 || found.Rows[0].Name != "the part" || found.Rows[0].ID == part.String() {
			t.Fatalf("round %d: %+v", round, found)
		}
		copied, _ := parseEntity(found.Rows[0].ID)
		if _, err := s.in.find(s.w).runBetween(t.Context(), "check", func(*ownerSlice) (bool, error) {
			parent, _ := ecs.Get[transform.Parent](s.w, copied)
			links, _ := s.w.Untyped().Get(copied, reflect.TypeFor[ecs.LinkedGroup]())
			items, _ := s.w.Untyped().Get(copied, reflect.TypeFor[Items]())
			list, _ := items.([]Item)
			if len(list) != 2 || list[0].From != s.hero || list[1].From != parent.Entity || !s.w.Exists(parent.Entity) || parent.Entity == root {
				t.Errorf("round %d: items %v, parent %v", round, items, parent)
			}
			if l, _ := links.([]ecs.Linked); len(l) != 2 || l[0].Entity != copied || !ecs.Has[Mark](s.w, l[1].Entity) {
				t.Errorf("round %d: links %v of %v", round, links, copied)
			}
			if on, err := ecs.Enabled[Asleep](s.w, copied); on || err != nil {
				t.Errorf("round %d: it is on, %v", round, err)
			}
			if note, err := ecs.Get[Note](s.w, parent.Entity); note.Text != "of the root" || ecs.Has[Grave](s.w, parent.Entity) {
				t.Errorf("round %d: note %v %v, a cleanup component: %v", round, note, err, ecs.Has[Grave](s.w, parent.Entity))
			}
			return false, nil
		}); err != nil {
			t.Fatal(err)
		}
		health := func(want string) {
			t.Helper()
			if e := get[Entities](s, "/api/entities", "when", `Team.Label == "part"`); fmt.Sprint(e.Rows[0].Values["inspect.Health"]) != "[map[name:Points value:"+want+"]]" {
				t.Errorf("round %d: %v, want %s", round, e.Rows[0].Values, want)
			}
		}
		health("22")
		post[Undone](s, "/api/undo")
		health("2")
		post[Undone](s, "/api/redo")
		health("22")
	}
	if list, _ := s.newEntries(next); list[0] != "Destroy "+root.String()+" and 2 entities of its group +0 -2" { // the root waits for its cleanup
		t.Errorf("the journal has %q", list)
	}
}

// editsDone returns the number of edits of the world that are made and not undone.
func (s *stage) editsDone() (n int) {
	s.Helper()
	v := s.in.find(s.w)
	if _, err := v.runBetween(context.Background(), "edits", func(*ownerSlice) (bool, error) {
		n = v.edits.done
		return false, nil
	}); err != nil {
		s.Fatal(err)
	}
	return n
}

// TestRandomEdits makes random edits, undoes some of them and makes them again. The contents of the world are always those after the
// same number of edits.
func TestRandomEdits(t *testing.T) {
	s := newStage(t, 6, Budget(time.Second), Allow(Control|Edit))
	s.awaitFrames(2)
	post[Controlled](s, "/api/control", "do", "pause")
	var ids []string
	for e := range s.contents() {
		ids = append(ids, e.String())
	}
	slices.Sort(ids)
	types := []string{"Health", "Speed", "Wide", "Team", "Asleep", "Note", "Mark", "Item", "ecs.Buffer[inspect.Item]", "Translation", "LocalToWorld", "Parent", "Prefab", "Inactive", "LinkedGroup", "Grave"}
	fields := []string{"", "Points", "X", "F", "B", "Number", "Label", "Since", "0.N", "0.From", "Entity", "M.3", "0.Entity"}
	for seed := range uint64(4) {
		draw := rand.New(rand.NewPCG(seed, 5))
		pick := func(list []string) string { return list[draw.IntN(len(list))] }
		for get[Frame](s, "/api/frame").Undo != "" { // begin anew
			post[Undone](s, "/api/undo")
		}
		steps, done := []map[ecs.Entity]string{s.contents()}, 1
		post[Edited](s, "/api/name", "id", ids[0], "name", fmt.Sprint("seed ", seed)) // so that nothing is left to make again
		steps = append(steps, s.contents())
		codes := map[int]int{}
		for n := range 200 {
			id, path, form := pick(ids), "", []string(nil)
			switch draw.IntN(9) {
			case 0, 1:
				path, form = "add", []string{"component", pick(types)}
			case 2:
				path, form = "remove", []string{"component", pick(types)}
			case 3:
				path, form = "enable", []string{"on", pick([]string{"true", "false"})}
				if draw.IntN(2) == 0 {
					form = append(form, "component", "Asleep")
				}
			case 4, 5:
				path, form = "set", []string{"component", pick(types), "field", pick(fields), "value", pick([]string{"1", "2.5", "true", "x", "", pick(ids)})}
			case 6:
				path, form = pick([]string{"parent", "name"}), []string{"parent", pick(append([]string{""}, ids...)), "name", pick([]string{"", "a", "b"})}
			case 7:
				path = "undo"
			case 8:
				path = "redo"
			}
			code, body, _ := s.do("POST", "/api/"+path, values(append([]string{"id", id}, form...)))
			codes[code]++
			if code >= 500 {
				t.Fatalf("seed %d, edit %d: %s of %s %q: %d %s", seed, n, path, id, form, code, body)
			}
			switch {
			case code != 200:
			case path == "undo":
				done--
			case path == "redo":
				done++
			case s.editsDone() == done: // it was no edit, because it changed nothing
			default:
				done++
				steps = append(steps[:done], s.contents())
				continue
			}
			s.checkContents(fmt.Sprintf("seed %d, edit %d: %s of %s %q: %d %s", seed, n, path, id, form, code, body), steps[done])
			if t.Failed() {
				return
			}
		}
		if codes[200] < 60 {
			t.Errorf("seed %d: the answers have the codes %v", seed, codes)
		}
	}
}

// TestSpawnedGroup undoes and repeats a spawn of a group. The edits of its members apply to the new members, also after one of them was
// destroyed and has come back.
func TestSpawnedGroup(t *testing.T) {
	s := pausedStage(t)
	var root ecs.Entity
	s.atOwner(func() {
		root = s.w.Spawn(ecs.Prefab{}, Health{1})
		part := s.w.Spawn(ecs.Prefab{}, Health{2}, Team{Label: "part"})
		if err := ecs.Add(s.w, root, ecs.BufferOf(ecs.Linked{Entity: root}, ecs.Linked{Entity: part})); err != nil {
			t.Error(err)
			return
		}
	})
	parts := func() *Entities { return get[Entities](s, "/api/entities", "when", `Team.Label == "part"`) }
	n := len(s.contents())
	post[Spawned](s, "/api/spawn", "id", root.String())
	id := parts().Rows[0].ID
	post[Edited](s, "/api/destroy", "id", id)
	post[Undone](s, "/api/undo")
	id = parts().Rows[0].ID
	post[Edited](s, "/api/set", "id", id, "component", "Health", "field", "Points", "value", "9")
	for range 3 {
		post[Undone](s, "/api/undo")
		post[Undone](s, "/api/undo")
		if left := len(s.contents()); left != n {
			t.Fatalf("%d entities, want %d", left, n)
		}
		post[Undone](s, "/api/redo")
		post[Undone](s, "/api/redo")
		if p := parts(); p.Count != 1 || fmt.Sprint(p.Rows[0].Values["inspect.Health"]) != "[map[name:Points value:9]]" {
			t.Fatalf("%+v", p)
		}
	}
}

// TestRemovedReference brings back a component with a reference to an entity that has come back with another id.
func TestRemovedReference(t *testing.T) {
	s := pausedStage(t)
	var x, c ecs.Entity
	s.atOwner(func() {
		x = s.w.Spawn(Health{77})
		c = s.w.Spawn(Health{2}, ecs.BufferOf(Item{From: x}, Item{From: s.hero}, Item{}))
	})
	post[Edited](s, "/api/remove", "id", c.String(), "component", "ecs.Buffer[inspect.Item]")
	post[Edited](s, "/api/destroy", "id", x.String())
	post[Undone](s, "/api/undo")
	post[Undone](s, "/api/undo")
	s.atOwner(func() {
		items, err := s.w.Untyped().Get(c, reflect.TypeFor[Items]())
		list, _ := items.([]Item)
		if err != nil || len(list) != 3 || list[0].From == x || list[1].From != s.hero || !list[2].From.IsZero() {
			t.Errorf("%v %v", items, err)
			return
		}
		if h, err := ecs.Get[Health](s.w, list[0].From); err != nil || h.Points != 77 {
			t.Errorf("%v %v", h, err)
		}
	})
}

// TestLargeGroup deactivates and destroys a group of 300,000 entities, and undoes that. The time of each step must be proportional to
// the size of the group, because the owner of the world makes it between two frames.
func TestLargeGroup(t *testing.T) {
	n := 300_000
	if testing.Short() || guarded { // a guarded world checks itself after each change
		n = 3_000
	}
	s := pausedStage(t)
	var root ecs.Entity
	s.atOwner(func() {
		root = s.w.Spawn(Health{1})
		list := []ecs.Linked{{Entity: root}}
		for range n {
			list = append(list, ecs.Linked{Entity: s.w.Spawn(Health{2}, Grave{}, Mark{})})
		}
		if err := ecs.Add(s.w, root, ecs.BufferOf(list...)); err != nil {
			t.Error(err)
			return
		}
	})
	for _, c := range [][]string{{"/api/enable", "id", root.String(), "on", "false"}, {"/api/undo"}, {"/api/redo"}, {"/api/destroy", "id", root.String()}, {"/api/undo"}} {
		begin := time.Now()
		if code, body, _ := s.do("POST", c[0], values(c[1:])); code != 200 {
			t.Errorf("%q: %d %s", c, code, body)
		}
		t.Logf("%q: %v", c, time.Since(begin))
	}
}

// TestAwaitsCleanup checks that an entity that waits for its cleanup cannot be edited.
func TestAwaitsCleanup(t *testing.T) {
	s := pausedStage(t)
	hero := s.hero.String()
	other := get[Entities](s, "/api/entities", "q", "Speed", "limit", "1").Rows[0].ID
	post[Edited](s, "/api/destroy", "id", hero)
	for _, c := range [][]string{{"destroy"}, {"name", "name", "x"}, {"spawn"}, {"add", "component", "Health"}, {"set", "component", "Grave", "field", "At", "value", "1"}, {"enable", "on", "false"}, {"parent", "parent", other}} {
		s.wantError(409, "", "POST", "/api/"+c[0], append([]string{"id", hero}, c[1:]...)...)
	}
	s.wantError(409, "is destroyed", "POST", "/api/parent", "id", other, "parent", hero)
	post[Undone](s, "/api/undo")
	s.wantError(409, "is destroyed", "POST", "/api/name", "id", hero, "name", "x")
	if e := get[Entities](s, "/api/entities", "q", "Wide"); e.Count != 1 || e.Rows[0].Name != "hero" {
		t.Errorf("%+v", e)
	}
}

// TestSetParentField checks that the field of Parent is set as carefully as the parent.
func TestSetParentField(t *testing.T) {
	s := pausedStage(t)
	child := get[Entity](s, "/api/entity", "id", s.hero.String()).Children[0].Entity
	s.wantError(400, "an entity cannot be below itself", "POST", "/api/set", "id", child, "component", "transform.Parent", "field", "Entity", "value", child)
	post[Edited](s, "/api/add", "id", s.hero.String(), "component", "transform.Parent")
	s.wantError(400, "an entity cannot be below itself", "POST", "/api/set", "id", s.hero.String(), "component", "transform.Parent", "field", "Entity", "value", child)
	post[Edited](s, "/api/set", "id", child, "component", "transform.Parent", "field", "Entity", "value", "")
}

var entityID = regexp.MustCompile(`\d+:\d+`)

// shapes returns the contents of all entities as sorted texts, without ids and cleanup components, and without the entities that wait for
// their cleanup. So an entity that has come back has the text of the first one.
func (s *stage) shapes() (list []string) {
	s.Helper()
	for _, text := range s.contents() {
		name, rest, _ := strings.Cut(text, ": ")
		parts := slices.DeleteFunc(strings.Split(rest, "; "), func(part string) bool {
			return strings.Contains(part, "inspect.Grave ") || strings.Contains(part, "transform.Child] ") || strings.Contains(part, "transform.PreviousParent ")
		})
		if text = name + ": " + entityID.ReplaceAllString(strings.Join(parts, "; "), "E"); !strings.Contains(text, "ecs.cleanupEntity") {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// TestRandomLives makes random edits that create and destroy entities or restore the world, undoes some of them and makes them again.
// No undo or redo fails, and the contents of the world are always those after the same number of edits.
func TestRandomLives(t *testing.T) {
	s := newStage(t, 6, Budget(time.Second), History(1, 256<<20), Allow(Control|Edit))
	s.awaitFrames(10)
	post[Controlled](s, "/api/control", "do", "pause")
	last := get[Frame](s, "/api/frame").Past.Last
	for seed := range uint64(6) {
		draw := rand.New(rand.NewPCG(seed, 6))
		for get[Frame](s, "/api/frame").Undo != "" { // begin anew
			post[Undone](s, "/api/undo")
		}
		steps, done := [][]string{s.shapes()}, 1
		post[Edited](s, "/api/name", "id", get[Entities](s, "/api/entities", "q", "Speed").Rows[0].ID, "name", fmt.Sprint("seed ", seed)) // so that nothing is left to make again
		steps = append(steps, s.shapes())
		for n := range 150 {
			var ids []string
			for e := range s.contents() {
				ids = append(ids, e.String())
			}
			slices.Sort(ids)
			pick := func(list ...string) string { return list[draw.IntN(len(list))] }
			id, path, form := pick(ids...), "", []string(nil)
			switch k := draw.IntN(14); k {
			case 0:
				path = "destroy"
			case 1:
				path = "spawn"
			case 2:
				path, form = "restore", []string{"frame", fmt.Sprint(last - draw.Uint64N(5))}
			case 3:
				path, form = pick("add", "remove"), []string{"component", pick("Health", "Team", "Note", "ecs.Buffer[inspect.Item]", "Speed")}
			case 4:
				path, form = "parent", []string{"parent", pick(append(ids, "")...)}
			case 5, 6:
				path, form = "set", []string{"component", pick("Health", "Speed", "Parent", "ecs.Buffer[inspect.Item]"), "field", pick("Points", "X", "Entity", "0.From"), "value", pick("1", "2", pick(ids...))}
			case 7:
				path, form = "name", []string{"name", fmt.Sprint("n", n)}
			default:
				path = pick("undo", "redo")
			}
			code, body, _ := s.do("POST", "/api/"+path, values(append([]string{"id", id}, form...)))
			what := fmt.Sprintf("seed %d, edit %d: %s of %s %q: %d %s", seed, n, path, id, form, code, body)
			if code >= 500 || code != 200 && code != 404 && (path == "undo" || path == "redo") {
				t.Fatal(what)
			}
			if before := done; path != "undo" && path != "redo" && code == 200 && s.editsDone() > before {
				done++
				steps = append(steps[:done], s.shapes())
				continue
			}
			done = s.editsDone()
			if got := s.shapes(); !slices.Equal(got, steps[done]) {
				t.Fatalf("%s: after %d edits, the world is\n%s\nwant\n%s", what, done, strings.Join(got, "\n"), strings.Join(steps[done], "\n"))
			}
		}
	}
}
