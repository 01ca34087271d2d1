package inspect

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// pausedStage creates a paused stage on which everything is permitted.
func pausedStage(t *testing.T, opts ...Option) *stage {
	s := newStage(t, 40, append([]Option{Budget(time.Second), Allow(Control | Edit)}, opts...)...)
	s.awaitFrames(2)
	post[Controlled](s, "/api/control", "do", "pause")
	return s
}

// newEntries returns the entries of the journal that clients have made, as texts, beginning with a number, and the next number.
func (s *stage) newEntries(since uint64) (list []string, next uint64) {
	s.Helper()
	j := get[Journal](s, "/api/journal", "since", fmt.Sprint(since))
	for _, c := range j.Changes {
		if c.System == "inspector" {
			list = append(list, fmt.Sprintf("%s %s +%d -%d", c.Op, c.What, c.More, c.Fewer))
		}
	}
	return list, j.Next
}

// TestUndo makes edits of every kind, undoes all of them, and makes them again. The hash of the paused world, which includes the ids of the
// entities, is the one after the same number of edits.
func TestUndo(t *testing.T) {
	s := pausedStage(t)
	hero := s.hero.String()
	_, next := s.newEntries(0)
	s.wantError(404, "there is no edit to undo", "POST", "/api/undo")
	s.wantError(404, "there is no edit to redo", "POST", "/api/redo")
	hashes := []uint64{s.worldHash()}
	var whats []string
	for _, c := range [][]string{
		{"/api/set", "id", hero, "component", "Health", "field", "Points", "value", "7"},
		{"/api/set", "id", hero, "component", "Wide", "field", "F", "value", "NaN"},
		{"/api/set", "id", hero, "component", "Health", "field", "", "value", "x"}, // an error, which is no edit
		{"/api/set", "id", hero, "component", "Health", "field", "Points", "value", "-3"},
		{"/api/set", "id", hero, "component", "LocalToWorld", "field", "M.12", "value", "2.5"},
	} {
		if code, body, _ := s.do("POST", c[0], values(c[1:])); code != 200 && c[8] != "x" {
			t.Fatalf("%q: %s", c, body)
		} else if code == 200 {
			hashes, whats = append(hashes, s.worldHash()), append(whats, get[Frame](s, "/api/frame").Undo)
		}
	}
	want := []string{"Health.Points of hero (" + hero + "): 100 → 7", "Wide.F of hero (" + hero + "): 1.5 → NaN", "Health.Points of hero (" + hero + "): 7 → -3", "transform.LocalToWorld.M.12 of hero (" + hero + "): "}
	for k, what := range whats {
		if !strings.Contains(what, want[k]) {
			t.Errorf("edit %d is %q, want %q", k, what, want[k])
		}
	}
	list, next := s.newEntries(next)
	for k, entry := range list {
		if len(list) != len(whats) || entry != "Set "+whats[k]+" +0 -0" {
			t.Errorf("the journal has %q, want %q", list, whats)
			break
		}
	}
	for round := range 2 {
		for k := len(whats) - 1; k >= 0; k-- {
			u := post[Undone](s, "/api/undo")
			if s.worldHash() != hashes[k] || u.What != whats[k] || u.Redo != whats[k] || k > 0 && u.Undo != whats[k-1] || k == 0 && u.Undo != "" || u.Frame == 0 {
				t.Errorf("round %d, undo %d: %+v; hash %016x, want %016x", round, k, u, s.worldHash(), hashes[k])
			}
		}
		s.wantError(404, "there is no edit to undo", "POST", "/api/undo")
		for k := range whats {
			if u := post[Undone](s, "/api/redo"); s.worldHash() != hashes[k+1] || u.What != whats[k] || u.Undo != whats[k] {
				t.Errorf("round %d, redo %d: %+v; hash %016x, want %016x", round, k, u, s.worldHash(), hashes[k+1])
			}
		}
		s.wantError(404, "there is no edit to redo", "POST", "/api/redo")
	}
	if list, _ := s.newEntries(next); len(list) != 4*len(whats) || list[0] != "Set undo: "+whats[len(whats)-1]+" +0 -0" || list[len(whats)] != "Set again: "+whats[0]+" +0 -0" {
		t.Errorf("the journal has %q", list)
	}
	if j := get[Journal](s, "/api/journal", "since", fmt.Sprint(uint64(1)<<40)); len(j.Changes) != 0 || len(j.Edits) != 5*len(whats) || j.Edits[0].What != whats[0] || j.Edits[0].System != "inspector" || j.Edits[0].Op != "Set" {
		t.Errorf("%d changes, edits %+v", len(j.Changes), j.Edits)
	}
	// A new edit ends the list of those that can be made again.
	post[Undone](s, "/api/undo")
	post[Undone](s, "/api/undo")
	post[Edited](s, "/api/name", "id", hero, "name", "villain")
	s.wantError(404, "there is no edit to redo", "POST", "/api/redo")
	if u := post[Undone](s, "/api/undo"); u.What != fmt.Sprintf(`name of %s: "hero" → "villain"`, hero) || u.Undo != whats[1] {
		t.Errorf("%+v", u)
	}
	if e := get[Entity](s, "/api/entity", "id", hero); e.Name != "hero" {
		t.Errorf("the name is %q", e.Name)
	}
	post[Undone](s, "/api/redo")
	if e := get[Entity](s, "/api/entity", "id", hero); e.Name != "villain" {
		t.Errorf("the name is %q", e.Name)
	}
	// A system.
	if code, body, _ := s.do("POST", "/api/system", values([]string{"name", "inspect.breeder", "on", "false"})); code != 200 {
		t.Fatal(body)
	}
	isOn := func() bool {
		f := get[Frame](s, "/api/frame")
		return f.Systems[slices.IndexFunc(f.Systems, func(x System) bool { return x.Name == "inspect.breeder" })].Enabled
	}
	if u := post[Undone](s, "/api/undo"); u.What != "system inspect.breeder: on → off" || !isOn() {
		t.Errorf("%+v, on is %v", u, isOn())
	}
	if post[Undone](s, "/api/redo"); isOn() {
		t.Error("the system is on")
	}
}

// TestUndoLater undoes an edit after the view of the world has ended, because there were no requests for a while.
func TestUndoLater(t *testing.T) {
	s := newStage(t, 10, Allow(Edit))
	post[Edited](s, "/api/set", "id", s.hero.String(), "component", "Health", "field", "Points", "value", "7")
	s.in.lastRequest.Store(int64(now() - 2*lease))
	for begin := time.Now(); s.in.find(s.w) != nil; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the view does not end")
		}
	}
	post[Undone](s, "/api/undo")
	if e := get[Entity](s, "/api/entity", "id", s.hero.String()); !slices.ContainsFunc(e.Components, func(c Component) bool { return c.Name == "inspect.Health" && fieldOf(t, c.Value, "Points") == 100.0 }) {
		t.Errorf("%+v", e.Components)
	}
	s.end()
	other := newStage(t, 10)
	if g := s.in.editLogOf(other.w); len(s.in.editLogs) != 1 || len(g.list) != 0 {
		t.Errorf("%d logs, although one world is closed; %d edits", len(s.in.editLogs), len(g.list))
	}
}

// TestSpawnPrefab spawns instances of a prefab, edits one, undoes that, and makes it again. The edit of an instance then applies to the new
// instance, which has another id.
func TestSpawnPrefab(t *testing.T) {
	s := pausedStage(t)
	post[Controlled](s, "/api/control", "do", "resume")
	s.stop()
	prefab := s.w.Spawn(ecs.Prefab{}, Health{50}, transform.Translation{Y: 4}, Team{Number: 2, Label: "blue"})
	if err := s.w.SetEntityName(prefab, "orc"); err != nil {
		t.Fatal(err)
	}
	s.run()
	post[Controlled](s, "/api/control", "do", "pause")
	_, next := s.newEntries(0)
	n := func() int { return get[Entities](s, "/api/entities", "when", `Team.Label == "blue"`).Count }
	if n() != 0 || get[Entities](s, "/api/entities", "q", "Team :prefabs", "when", `Team.Label == "blue"`).Count != 1 {
		t.Error("the prefab is not hidden, or not found")
	}
	one := post[Spawned](s, "/api/spawn", "id", prefab.String())
	two := post[Spawned](s, "/api/spawn", "id", one.ID)
	if n() != 2 || one.From != prefab.String() || two.From != one.ID || one.ID == two.ID || one.Frame == 0 {
		t.Errorf("%d instances, %+v, %+v", n(), one, two)
	}
	post[Edited](s, "/api/set", "id", one.ID, "component", "Health", "field", "Points", "value", "9")
	list, _ := s.newEntries(next)
	if want := []string{"Spawn " + one.ID + " from orc (" + prefab.String() + ") +1 -0", "Spawn " + two.ID + " from " + one.ID + " +1 -0", "Set inspect.Health.Points of " + one.ID + ": 50 → 9 +0 -0"}; !slices.Equal(list, want) {
		t.Errorf("the journal has %q, want %q", list, want)
	}
	for range 3 {
		post[Undone](s, "/api/undo")
	}
	if n() != 0 {
		t.Errorf("%d instances are left", n())
	}
	for range 3 {
		post[Undone](s, "/api/redo")
	}
	e := get[Entities](s, "/api/entities", "when", `Team.Label == "blue"`)
	if e.Count != 2 || e.Rows[0].ID == one.ID || fmt.Sprint(e.Rows[0].Values["inspect.Health"]) != "[map[name:Points value:9]]" || fmt.Sprint(e.Rows[1].Values["inspect.Health"]) != "[map[name:Points value:50]]" {
		t.Errorf("%+v", e)
	}
	// The undo of an edit of an entity that a system has destroyed cannot work, but does not block the edits before it.
	post[Edited](s, "/api/set", "id", e.Rows[1].ID, "component", "Health", "field", "Points", "value", "1")
	post[Edited](s, "/api/set", "id", e.Rows[0].ID, "component", "Health", "field", "Points", "value", "2")
	post[Controlled](s, "/api/control", "do", "resume")
	s.stop()
	id, _ := parseEntity(e.Rows[0].ID)
	if err := s.w.Destroy(id); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.wantError(409, "cannot undo inspect.Health.Points of "+e.Rows[0].ID, "POST", "/api/undo")
	if u := post[Undone](s, "/api/undo"); !strings.HasPrefix(u.What, "inspect.Health.Points of "+e.Rows[1].ID) {
		t.Errorf("%+v", u)
	}
	s.wantError(404, "does not exist", "POST", "/api/spawn", "id", "77777:1")
	s.wantError(400, "is no entity", "POST", "/api/spawn", "id", "x")
}

// TestUndoRestore undoes edits and restores in their order, also if several of them were made after the same frame.
func TestUndoRestore(t *testing.T) {
	s, _, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last := get[Frame](s, "/api/frame").Past.Last
	set := func(x string) {
		post[Edited](s, "/api/set", "id", e.String(), "component", "transform.Translation", "field", "X", "value", x)
	}
	hashes := []uint64{s.worldHash()}
	for _, step := range []func(){func() { set("77") }, func() { post[Restored](s, "/api/restore", "frame", fmt.Sprint(last-10)) }, func() { set("78") }} {
		step()
		hashes = append(hashes, s.worldHash())
	}
	for range 2 {
		for k := 2; k >= 0; k-- {
			if u := post[Undone](s, "/api/undo"); s.worldHash() != hashes[k] {
				t.Errorf("undo %d: %+v; hash %016x, want %016x", k, u, s.worldHash(), hashes[k])
			}
		}
		for k := range 3 {
			if u := post[Undone](s, "/api/redo"); s.worldHash() != hashes[k+1] {
				t.Errorf("redo %d: %+v; hash %016x, want %016x", k, u, s.worldHash(), hashes[k+1])
			}
		}
	}
	// Another restore after the same frame can be undone too, and then everything before it.
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(last-5))
	for k := 3; k >= 0; k-- {
		if u := post[Undone](s, "/api/undo"); s.worldHash() != hashes[k] {
			t.Errorf("undo to %d: %+v", k, u)
		}
	}
}

// TestManyEdits checks that the log keeps the last edits only, and the journal the last entries about edits.
func TestManyEdits(t *testing.T) {
	s := pausedStage(t)
	for k := range maxEntries + 7 {
		post[Edited](s, "/api/set", "id", s.hero.String(), "component", "Health", "field", "Points", "value", fmt.Sprint(k))
	}
	if j := get[Journal](s, "/api/journal"); len(j.Edits) != maxEntries || !strings.HasSuffix(j.Edits[0].What, ": 6 → 7") || !strings.HasSuffix(j.Edits[maxEntries-1].What, ": 105 → 106") {
		t.Errorf("%d entries: %+v", len(j.Edits), j.Edits)
	}
	g := &editLog{}
	for k := range maxEdits + 7 {
		g.add(&edit{text: fmt.Sprint(k)})
	}
	if undo, redo := g.texts(); len(g.list) != maxEdits || undo != fmt.Sprint(maxEdits+6) || redo != "" || g.list[0].text != "7" {
		t.Errorf("%d edits, %q and %q", len(g.list), undo, redo)
	}
}

// atOwner calls f on the owner of the world, between two frames. f must not call Fatal, because it would end the owner.
func (s *stage) atOwner(f func()) {
	s.Helper()
	if _, err := s.in.find(s.w).runBetween(s.Context(), "test", func(*ownerSlice) (bool, error) {
		f()
		return false, nil
	}); err != nil {
		s.Fatal(err)
	}
}

// TestRestoredIDs edits entities after a restore, which hands out the same ids again. Each edit changes the entity that the request names.
func TestRestoredIDs(t *testing.T) {
	s, _, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last, id := get[Frame](s, "/api/frame").Past.Last, e.String()
	post[Edited](s, "/api/destroy", "id", id)
	post[Undone](s, "/api/undo") // a copy takes its place
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(last))
	post[Edited](s, "/api/set", "id", id, "component", "transform.Translation", "field", "X", "value", "777")
	if x := xOf(t, get[Entity](s, "/api/entity", "id", id)); x != 777 {
		t.Errorf("X is %v, want 777: the edit has changed another entity", x)
	}
	post[Undone](s, "/api/undo")
	post[Undone](s, "/api/undo")
	hashes := []uint64{s.worldHash()}
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(last-5))
	a := post[Spawned](s, "/api/spawn", "id", id)
	for _, do := range []string{"undo", "redo", "undo", "undo"} {
		post[Undone](s, "/api/"+do)
	}
	if s.worldHash() != hashes[0] {
		t.Error("the restore is not undone")
	}
	post[Undone](s, "/api/redo")
	post[Undone](s, "/api/redo")
	post[Edited](s, "/api/name", "id", a.ID, "name", "x") // the same id as at the first time
	if one := get[Entity](s, "/api/entity", "id", a.ID); one.Name != "x" {
		t.Errorf("%+v", one)
	}
}

// TestRedoAfterRestore makes a restore again, after later edits have given an entity another id. The restored world has the first id
// again, and an entity that the program has created meanwhile does not get the edits of another one with the same id.
func TestRedoAfterRestore(t *testing.T) {
	s, _, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last, id := get[Frame](s, "/api/frame").Past.Last, e.String()
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(last-5))
	var x, y ecs.Entity
	s.atOwner(func() { x = s.w.Spawn(Health{50}) })
	post[Edited](s, "/api/set", "id", x.String(), "component", "Health", "field", "Points", "value", "7")
	post[Edited](s, "/api/destroy", "id", id)
	for range 3 {
		post[Undone](s, "/api/undo")
	}
	post[Undone](s, "/api/redo")
	s.atOwner(func() { y = s.w.Spawn(Health{1000}) })
	if x != y {
		t.Fatalf("the ids are %v and %v", x, y)
	}
	s.wantError(409, "does not exist", "POST", "/api/redo")
	s.atOwner(func() {
		if h, err := ecs.Get[Health](s.w, y); err != nil || h.Points != 1000 {
			t.Errorf("%v %v", h, err)
		}
	})
	post[Undone](s, "/api/redo")
	s.wantError(404, "does not exist", "GET", "/api/entity", "id", id)
	post[Undone](s, "/api/undo")
	post[Undone](s, "/api/undo")
	post[Undone](s, "/api/redo")
	post[Undone](s, "/api/redo")
	s.wantError(404, "does not exist", "GET", "/api/entity", "id", id)
}

// TestProgramRestores checks that the edits are forgotten if the program restores the world, also after the view has ended.
func TestProgramRestores(t *testing.T) {
	s := pausedStage(t)
	s.atOwner(func() {
		m, err := ecs.Capture(s.w, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = m.Release() }()
		e := s.w.Spawn(Health{1})
		v := s.in.find(s.w)
		x := v.newEditing(&edit{op: "test", apply: func(*editing, bool) error { return nil }})
		v.edits.forgetOnRestore(s.w)
		v.edits.refTo(e)
		v.edits.add(x.edit)
		if err := system.Restore(s.w, m); err != nil {
			t.Error(err)
			return
		}
	})
	s.wantError(404, "there is no edit to undo", "POST", "/api/undo")
	post[Edited](s, "/api/name", "id", s.hero.String(), "name", "y")
	post[Undone](s, "/api/undo")
	g := s.in.find(s.w).edits
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); s.in.find(s.w) != nil; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the view does not end")
		}
	}
	if g.unhook != nil || g.list != nil {
		t.Error("the hook is left")
	}
}

// TestForgottenRestore undoes a restore whose image is not kept any more, and then the edit before it. Its entity does not exist
// any more, but the program has created another one with the same id.
func TestForgottenRestore(t *testing.T) {
	s, _, _ := newDiaryStage(t, History(1, 1<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last := get[Frame](s, "/api/frame").Past.Last
	var a, b ecs.Entity
	s.atOwner(func() { a = s.w.Spawn(Health{50}) })
	post[Edited](s, "/api/set", "id", a.String(), "component", "Health", "field", "Points", "value", "7")
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(last))
	s.atOwner(func() { b = s.w.Spawn(Health{1000}) })
	if a != b {
		t.Fatalf("the ids are %v and %v", a, b)
	}
	post[Controlled](s, "/api/control", "do", "resume")
	for begin := time.Now(); get[Frame](s, "/api/frame").Past.First < last+20; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the frames are kept")
		}
	}
	s.wantError(409, "the frame is not kept any more", "POST", "/api/undo")
	s.wantError(404, "there is no edit to undo", "POST", "/api/undo")
	s.atOwner(func() {
		if h, err := ecs.Get[Health](s.w, b); err != nil || h.Points != 1000 {
			t.Errorf("%v %v", h, err)
		}
	})
}

// TestRedoRestore makes a restore of the present frame again, which takes back an edit.
func TestRedoRestore(t *testing.T) {
	s, _, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last := get[Frame](s, "/api/frame").Past.Last
	hashes := []uint64{s.worldHash()}
	post[Edited](s, "/api/set", "id", e.String(), "component", "transform.Translation", "field", "X", "value", "77")
	hashes = append(hashes, s.worldHash())
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(last))
	for k, do := range []string{"undo", "redo", "undo", "redo"} {
		post[Undone](s, "/api/"+do)
		if s.worldHash() != hashes[(k+1)%2] {
			t.Errorf("step %d: the hash is wrong", k)
		}
	}
	post[Undone](s, "/api/undo")
	if x := xOf(t, get[Entity](s, "/api/entity", "id", e.String(), "frame", fmt.Sprint(last))); x != 77 {
		t.Errorf("X of the kept present is %v", x)
	}
}

// TestUnchanged checks that requests that change nothing are no edits: they keep the list of undone edits.
func TestUnchanged(t *testing.T) {
	s := pausedStage(t)
	hero := s.hero.String()
	other := get[Entities](s, "/api/entities", "q", "Speed", "limit", "1").Rows[0].ID
	post[Edited](s, "/api/parent", "id", hero, "parent", other)
	post[Edited](s, "/api/name", "id", hero, "name", "x")
	post[Undone](s, "/api/undo")
	_, next := s.newEntries(0)
	before := s.contents()
	for _, c := range [][]string{
		{"set", "component", "Health", "field", "Points", "value", "100"}, {"set", "component", "Wide", "field", "F", "value", "1.5"}, {"name", "name", "hero"}, {"parent", "parent", other},
		{"enable", "component", "Asleep", "on", "true"}, {"enable", "on", "true"}, {"system", "name", "inspect.breeder", "on", "true"},
	} {
		if code, body, _ := s.do("POST", "/api/"+c[0], values(append([]string{"id", hero}, c[1:]...))); code != 200 || !strings.Contains(body, `"frame"`) {
			t.Errorf("%q: %d %s", c, code, body)
		}
	}
	s.checkContents("nothing was changed", before)
	if list, _ := s.newEntries(next); len(list) != 0 {
		t.Errorf("the journal has %q", list)
	}
	if u := post[Undone](s, "/api/redo"); !strings.HasPrefix(u.What, "name of ") {
		t.Errorf("%+v", u)
	}
	post[Undone](s, "/api/undo")
	post[Edited](s, "/api/set", "id", hero, "component", "Wide", "field", "F", "value", "0")
	if post[Edited](s, "/api/set", "id", hero, "component", "Wide", "field", "F", "value", "-0"); s.editsDone() != 3 {
		t.Errorf("%d edits, although -0 has other bits than 0", s.editsDone())
	}
}

// TestEditBytes checks that the log does not hold whole components for one number, and forgets edits that hold many bytes.
func TestEditBytes(t *testing.T) {
	s := pausedStage(t)
	var e ecs.Entity
	s.atOwner(func() { e = s.w.Spawn(Health{2}, ecs.BufferOf(make([]Item, 1<<20)...)) })
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc >> 20)
	}
	before := heap()
	for k := range 20 {
		post[Edited](s, "/api/set", "id", e.String(), "component", "ecs.Buffer[inspect.Item]", "field", "7.N", "value", fmt.Sprint(k+1))
	}
	if after := heap(); after > before+100 {
		t.Errorf("heap: %d MiB before, %d MiB after 20 edits of a number", before, after)
	}
	total := func() (n int) {
		for _, e := range s.in.find(s.w).edits.list {
			n += e.bytes
		}
		return n
	}
	for range 10 {
		one := post[Spawned](s, "/api/spawn", "id", e.String())
		post[Edited](s, "/api/destroy", "id", one.ID)
	}
	if n := total(); n > maxEditBytes || n < maxEditBytes/2 {
		t.Errorf("the edits hold %d bytes", n)
	}
	for n := s.editsDone(); n > 0; n-- {
		post[Undone](s, "/api/undo")
	}
	s.wantError(404, "there is no edit to undo", "POST", "/api/undo")
	g := &editLog{}
	for range 5 {
		g.add(&edit{bytes: maxEditBytes})
	}
	if len(g.list) != 1 || g.done != 1 {
		t.Errorf("%d edits, %d of them made", len(g.list), g.done)
	}
	g = &editLog{list: []*edit{{}, {bytes: 9}, {bytes: maxEditBytes}, {}}, done: 1}
	if g.trim(); len(g.list) != 2 || g.done != 1 {
		t.Errorf("%d edits, %d of them made", len(g.list), g.done)
	}
}
