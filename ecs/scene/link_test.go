package scene

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// studio is a world with a scene on disk that is watched.
type studio struct {
	t     testing.TB
	w     *ecs.World
	scene ecs.Entity
	file  string
	said  []Notice
}

func newStudio(t testing.TB, text string) *studio {
	s := &studio{t: t, file: filepath.Join(t.TempDir(), "room.scene")}
	must(t, os.WriteFile(s.file, []byte(text), 0o644))
	s.w = stage(t, Config{Files: os.DirFS(filepath.Dir(s.file)), Live: true, Poll: time.Millisecond, Notice: func(n Notice) { s.said = append(s.said, n) }})
	s.scene = Load(s.w, "room.scene", 0)
	updateUntilWatched(t, s.w, s.scene)
	return s
}

// save writes the text and waits until the condition holds.
func (s *studio) save(text string, seen func() bool) {
	s.t.Helper()
	must(s.t, os.WriteFile(s.file, []byte(text), 0o644))
	s.until(seen)
}

func (s *studio) until(seen func() bool) {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !seen(); time.Sleep(time.Millisecond / 2) {
		must(s.t, system.Update(s.w))
		if time.Now().After(end) {
			s.t.Fatalf("the text is not seen: %v", Failure(s.w, s.scene))
		}
	}
}

func (s *studio) find(name string) ecs.Entity { return Find(s.w, s.scene, name) }

// changedIn returns the number of entities of a scene that are in chunks in which component T was
// written after version since.
func changedIn[T any](s *studio, since uint32) (n int) {
	q := s.w.Query(ecs.Read[T](), ecs.With[SceneTag](), ecs.Changed[T]())
	q.SetSince(since)
	return q.Count()
}

const room = `{"entities": {
	"lamp": {"Mass": {"Kg": 1}, "Position": {"X": 1}},
	"desk": {"Mass": {"Kg": 40}, "Velocity": {}},
	"cat":  {"Health": 7, "Parent": {"Entity": "@desk"}},
	"mice": {"Buffer[Waypoint]": [{"At": {"X": 1}}], "Team": {"Name": "grey"}, "Lit": {"Lumen": 1}},
	"note": {"Label": {"Text": "hi"}, "PerChunk[Bounds]": {"Max": {"X": 3}}},
}}`

// Conformance: 370
func TestLiveLink(t *testing.T) {
	s := newStudio(t, room)
	ids := map[string]ecs.Entity{}
	for _, name := range []string{"lamp", "desk", "cat", "mice", "note"} {
		ids[name] = s.find(name)
	}
	mass := func(name string) float64 {
		m, _ := ecs.Get[Mass](s.w, s.find(name))
		return m.Kg
	}
	text := room
	edit := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %q", old)
		}
		text = strings.Replace(text, old, new, 1)
		return text
	}
	// If a value in the text changes, only its column in its chunk is written.
	since := s.w.Version()
	must(t, system.Update(s.w))
	s.save(edit(`"Kg": 1}`, `"Kg": 2}`), func() bool { return mass("lamp") == 2 })
	if n, p := changedIn[Mass](s, since), changedIn[Position](s, since); n != 1 || p != 0 {
		t.Errorf("%d masses and %d positions have changed, want 1 and 0", n, p)
	}
	if n := changedIn[Health](s, since) + changedIn[Velocity](s, since) + changedIn[Parent](s, since); n != 0 {
		t.Errorf("%d others have changed", n)
	}
	// Now the test adds a component to an entity and removes it again.
	s.save(edit(`"Health": 7,`, `"Health": 7, "Mass": {"Kg": 3},`), func() bool { return mass("cat") == 3 })
	since = s.w.Version()
	s.save(edit(`"Health": 7, "Mass": {"Kg": 3},`, `"Health": 7,`), func() bool { return !ecs.Has[Mass](s.w, ids["cat"]) })
	if n := changedIn[Health](s, since); n != 0 {
		t.Errorf("%d healths have changed", n)
	}
	// Now the test changes one component of every kind.
	s.save(edit(`[{"At": {"X": 1}}], "Team": {"Name": "grey"}, "Lit": {"Lumen": 1}`,
		`[{"At": {"X": 1}}, {"Goal": "@cat"}], "Team": {"Name": "red"}, "Lit": {"Lumen": 5}, "disabled": ["Lit"]`), func() bool {
		team, _ := ecs.Get[Team](s.w, ids["mice"])
		return team.Name == "red"
	})
	list, err := ecs.GetBuffer[Waypoint](s.w, ids["mice"])
	must(t, err)
	lit, err := ecs.Get[Lit](s.w, ids["mice"])
	must(t, err)
	if on, _ := ecs.Enabled[Lit](s.w, ids["mice"]); list.Len() != 2 || list.Slice()[1].Goal != ids["cat"] || lit.Lumen != 5 || on {
		t.Errorf("%v %v %v", list.Slice(), lit, on)
	}
	s.save(edit(`"hi"}, "PerChunk[Bounds]": {"Max": {"X": 3}}`, `"ho"}, "PerChunk[Bounds]": {"Max": {"X": 4}}`), func() bool {
		l, _ := ecs.Get[Label](s.w, ids["note"])
		return l.Text == "ho"
	})
	if b, err := ecs.Get[ecs.PerChunk[Bounds]](s.w, ids["note"]); err != nil || b.Value.Max.X != 4 {
		t.Error(b, err)
	}
	// Now the test adds an entity, refers to it, renames it and removes it.
	length := s.w.Len()
	since = s.w.Version()
	s.save(edit(`"Parent": {"Entity": "@desk"}},`, `"Parent": {"Entity": "@kitten"}}, "kitten": {"Health": 1},`), func() bool { return s.w.Len() == length+1 })
	kitten := s.find("kitten")
	if p, err := ecs.Get[Parent](s.w, ids["cat"]); err != nil || p.Entity != kitten || kitten.IsZero() || s.w.EntityName(kitten) != "kitten" {
		t.Error(p, err, kitten)
	}
	if n := changedIn[Mass](s, since); n != 0 {
		t.Errorf("%d masses have changed", n)
	}
	s.save(edit(`"@kitten"}}, "kitten"`, `"@tom"}}, "tom"`), func() bool { return !s.w.Exists(kitten) })
	if p, err := ecs.Get[Parent](s.w, ids["cat"]); err != nil || p.Entity != s.find("tom") || p.Entity.IsZero() || s.w.Len() != length+1 {
		t.Error(p, err)
	}
	s.save(edit(`"@tom"}}, "tom": {"Health": 1},`, `"@desk"}},`), func() bool { return s.w.Len() == length })
	for name, id := range ids {
		if s.find(name) != id {
			t.Errorf("%q is %v, it was %v", name, s.find(name), id)
		}
	}
	must(t, s.w.Destroy(s.scene))
	must(t, Wait(s.w))
	if s.w.Len() != 1 { // the entity of the sub-scene is destroyed; the remaining entity was not loaded
		for e := range s.w.Entities() {
			t.Logf("%v is left: %v", e, s.w.ArchetypeOf(e))
		}
	}
}

// Conformance: 376
func TestReloadKeepsIDs(t *testing.T) {
	s := newStudio(t, textOf(300, 1))
	var before []ecs.Entity
	for i := range 300 {
		before = append(before, s.find(fmt.Sprint("lamp/", i)))
	}
	since := s.w.Version()
	must(t, system.Update(s.w))
	s.save(textOf(301, 1), func() bool { return !s.find("lamp/300").IsZero() })
	for i, e := range before {
		if s.find(fmt.Sprint("lamp/", i)) != e {
			t.Fatalf("lamp/%d is %v, it was %v", i, s.find(fmt.Sprint("lamp/", i)), e)
		}
	}
	if slices.Contains(before, s.find("lamp/300")) {
		t.Error("the new lamp has the id of another one")
	}
	if n := changedIn[Mass](s, since); n > 301 {
		t.Errorf("%d masses", n)
	}
}

// If the program has changed a value and the file changes too, the value of the file wins, and a Notice
// reports it. A file that is only half written is not used yet.
func TestFileWins(t *testing.T) {
	s := newStudio(t, room)
	lamp := s.find("lamp")
	must(t, ecs.Set(s.w, lamp, Mass{Kg: 9}))
	must(t, ecs.Set(s.w, lamp, Position{X: 9}))
	s.said = nil
	s.save(strings.Replace(room, `"Kg": 1}`, `"Kg": 2}`, 1), func() bool {
		m, _ := ecs.Get[Mass](s.w, lamp)
		return m.Kg == 2
	})
	if p, _ := ecs.Get[Position](s.w, lamp); p.X != 9 {
		t.Error("the file has taken what it does not change")
	}
	if len(s.said) != 1 || s.said[0].Entity != lamp || !strings.HasSuffix(s.said[0].Component, "Mass") {
		t.Errorf("said was %v", s.said)
	}
	// The test writes half of the text now, and the rest a little later.
	s.said = nil
	next := strings.Replace(room, `"Kg": 1}`, `"Kg": 3}`, 1)
	must(t, os.WriteFile(s.file, []byte(next[:len(next)/2]), 0o644))
	for range 20 {
		must(t, system.Update(s.w))
		time.Sleep(time.Millisecond)
	}
	if len(s.said) > 0 || !s.w.Exists(lamp) || instanceOf(s.w, s.scene).phase != Live {
		t.Errorf("said was %v", s.said)
	}
	s.save(next, func() bool { m, _ := ecs.Get[Mass](s.w, lamp); return m.Kg == 3 })
	// If a fault of the text lasts, it is reported once, with its position, and the entities stay in
	// the world.
	s.save(strings.Replace(room, `"Kg"`, `"Kilo"`, 1), func() bool { return len(s.said) > 0 })
	if err := Failure(s.w, s.scene); err == nil || !strings.Contains(err.Error(), "Kilo") || !s.w.Exists(lamp) {
		t.Error(err)
	}
	s.save(room, func() bool { m, _ := ecs.Get[Mass](s.w, lamp); return m.Kg == 1 })
	if n := len(s.said); n != 1 || Failure(s.w, s.scene) != nil {
		t.Errorf("%d things were said, %v", n, Failure(s.w, s.scene))
	}
}

// Refresh is for programs that watch files themselves.
func TestRefresh(t *testing.T) {
	files := shelfOf("room.scene", room)
	w := stage(t, Config{Files: files})
	e := Load(w, "room.scene", 0)
	must(t, Wait(w))
	must(t, Refresh(w))
	files.write("room.scene", strings.Replace(room, `"Kg": 1}`, `"Kg": 5}`, 1), time.Unix(1, 0))
	must(t, Refresh(w))
	if m, err := ecs.Get[Mass](w, Find(w, e, "lamp")); err != nil || m.Kg != 5 {
		t.Error(m, err)
	}
}

// Refresh sees an edit that was made after a check of live link had read the text.
func TestRefreshWhileChecked(t *testing.T) {
	files := shelfOf("room.scene", room)
	w := stage(t, Config{Files: files, Live: true})
	e := Load(w, "room.scene", 0)
	updateUntilWatched(t, w, e)
	in := instanceOf(w, e)
	in.watch.nextCheck = time.Time{}
	in.watch.currentCheck = attachedTo(w).beginCheck(in, false)
	<-in.watch.currentCheck.finished
	files.write("room.scene", strings.Replace(room, `"Kg": 1}`, `"Kg": 5}`, 1), time.Unix(2, 0))
	must(t, Refresh(w))
	if m, err := ecs.Get[Mass](w, Find(w, e, "lamp")); err != nil || m.Kg != 5 {
		t.Error(m, err)
	}
}

// Refresh reports the panic of a check that was running, because no other check reports it.
func TestRefreshWhilePanicking(t *testing.T) {
	w := stage(t, Config{Files: touchyFiles{shelfOf("touchy.scene", room)}, Live: true})
	e := Load(w, "touchy.scene", 0)
	updateUntilWatched(t, w, e)
	in := instanceOf(w, e)
	if running := in.watch.currentCheck; running != nil {
		<-running.finished
	}
	touchy.calls, touchy.at = 0, 1
	defer func() { touchy.at = 0 }()
	in.watch.currentCheck = attachedTo(w).beginCheck(in, false)
	<-in.watch.currentCheck.finished
	if err := Refresh(w); !errors.Is(err, errTouched) {
		t.Errorf("Refresh returns %v", err)
	}
	must(t, Refresh(w))
}
