package scene

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// textOf returns a scene of n lamps, each of which refers to the one before it.
func textOf(n, mass int) string {
	var b strings.Builder
	b.WriteString("{\"entities\": {\n")
	for i := range n {
		fmt.Fprintf(&b, "\"lamp/%d\": {\"Position\": {\"X\": %d}, \"Mass\": {\"Kg\": %d}, \"Parent\": {\"Entity\": \"@lamp/%d\"}},\n", i, i, mass, max(i-1, 0))
	}
	b.WriteString("}}")
	return b.String()
}

func filesOf(texts ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(texts); i += 2 {
		m[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1]), ModTime: time.Unix(1, 0)}
	}
	return m
}

// stage creates a world with sub-scenes in files.
func stage(t testing.TB, c Config) *ecs.World {
	t.Helper()
	w, err := system.NewWorld("stage")
	must(t, err)
	must(t, Configure(w, c))
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

func phaseOf(t testing.TB, w *ecs.World, e ecs.Entity) Phase {
	t.Helper()
	s, err := ecs.Get[Status](w, e)
	must(t, err)
	return s.Phase
}

// updateUntil updates the world until a scene is in a phase.
func updateUntil(t testing.TB, w *ecs.World, e ecs.Entity, p Phase) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); phaseOf(t, w, e) != p; time.Sleep(time.Millisecond / 4) {
		must(t, system.Update(w))
		if time.Now().After(end) {
			t.Fatalf("the scene is %v, want %v: %v", phaseOf(t, w, e), p, Failure(w, e))
		}
	}
}

// updateUntilWatched updates the world until the text of a scene is watched.
func updateUntilWatched(t testing.TB, w *ecs.World, e ecs.Entity) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); instanceOf(w, e) == nil || instanceOf(w, e).phase != Live; time.Sleep(time.Millisecond / 4) {
		must(t, system.Update(w))
		if time.Now().After(end) {
			t.Fatalf("the text is not watched: %v", Failure(w, e))
		}
	}
}

// Conformance: 372
func TestTwoInstances(t *testing.T) {
	w := stage(t, Config{Files: filesOf("tile.scene", textOf(30, 1)), Budget: 7})
	one, two := Load(w, "tile.scene", 0), Load(w, "tile.scene", 5)
	seen := 0
	for phaseOf(t, w, one) != Loaded || phaseOf(t, w, two) != Loaded {
		before := w.Len()
		must(t, system.Update(w))
		if came := w.Len() - before; came > 7 {
			t.Fatalf("%d rows have come in one update", came)
		} else if came > 0 {
			seen++
		}
		time.Sleep(time.Millisecond / 4)
	}
	if seen < 9 {
		t.Errorf("60 rows came in %d updates", seen)
	}
	for _, e := range []ecs.Entity{one, two} {
		for i := range 30 {
			id, before := Find(w, e, fmt.Sprint("lamp/", i)), Find(w, e, fmt.Sprint("lamp/", max(i-1, 0)))
			p, err := ecs.Get[Parent](w, id)
			if must(t, err); p.Entity != before || w.EntityName(id) != fmt.Sprint("lamp/", i) {
				t.Errorf("%v of %v refers to %v, want %v", id, e, p.Entity, before)
			}
		}
	}
	if Find(w, one, "lamp/3") == Find(w, two, "lamp/3") || !Find(w, one, "lamp").IsZero() {
		t.Error("both scenes have one lamp")
	}
	if n := w.Query(ecs.With[Mass](), ecs.WithShared(SceneTag{Scene: one})).Count(); n != 30 {
		t.Errorf("%d entities have the tag of the first scene", n)
	}
}

// Conformance: 366
func TestBrokenFile(t *testing.T) {
	files := shelfOf("good.scene", textOf(3, 1), "bad.scene", `{"entities": {"a": {"Mass": {"Kilo": 1}}}}`)
	var said []Notice
	w := stage(t, Config{Files: files, Notice: func(n Notice) { said = append(said, n) }})
	bad, none, good := Load(w, "bad.scene", 0), Load(w, "none.scene", 0), Load(w, "good.scene", 0)
	must(t, w.Destroy(good))
	must(t, system.Update(w))
	length := w.Len()
	updateUntil(t, w, bad, Failed)
	updateUntil(t, w, none, Failed)
	for range 3 {
		must(t, system.Update(w))
	}
	if w.Len() != length {
		t.Errorf("%d entities, there were %d", w.Len(), length)
	}
	var where *Error
	if err := Failure(w, bad); !errors.As(err, &where) || where.Line != 1 || !strings.Contains(err.Error(), "Kilo") {
		t.Errorf("the reason is %v", err)
	}
	if err := Failure(w, none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the reason is %v", err)
	}
	if len(said) < 2 || said[len(said)-1].Phase != Failed || said[len(said)-1].Err == nil {
		t.Errorf("said was %v", said)
	}
	// A broken file does not change the world's hash, except for the Status. The test compares a world
	// with and without a request for the broken file.
	other := stage(t, Config{Files: files})
	e := Load(other, "bad.scene", 0)
	before := other.Hash()
	updateUntil(t, other, e, Failed)
	must(t, ecs.Set(other, e, Status{}))
	if other.Hash() != before {
		t.Error("a broken file has changed the hash")
	}
	// After the file is corrected and requested again, the scene is loaded.
	files.write("bad.scene", textOf(2, 1), time.Unix(1, 0))
	must(t, ecs.SetEnabled[Request](w, bad, false))
	must(t, system.Update(w))
	must(t, ecs.SetEnabled[Request](w, bad, true))
	updateUntil(t, w, bad, Loaded)
	if Failure(w, bad) != nil || Find(w, bad, "lamp/1").IsZero() {
		t.Error(Failure(w, bad))
	}
}

// Conformance: 369
func TestUnloadExactly(t *testing.T) {
	text := `{"entities": {"a": {"Mass": {"Kg": 1}}, "b": {"Mass": {}}, "grip": {"Grip": {"Holder": "@a"}, "Mass": {}},
		"car": {"Mass": {}, "children": {"wheel": {"Mass": {}}}}}}`
	w := stage(t, Config{Files: filesOf("tile.scene", text), Budget: 2})
	e := Load(w, "tile.scene", 0)
	must(t, Wait(w))
	a, b, grip := Find(w, e, "a"), Find(w, e, "b"), Find(w, e, "grip")
	must(t, ecs.Add(w, a, Velocity{X: 1})) // the program adds a component, destroys entities and creates others
	must(t, w.Destroy(b))
	mine := w.Spawn(Mass{Kg: 5})
	copies, err := w.Instantiate(a, 3)
	must(t, err)
	must(t, ecs.SetEnabled[Request](w, e, false))
	updateUntil(t, w, e, Unloaded)
	if w.Exists(a) || !w.Exists(mine) || !w.Exists(copies[0]) || !w.Exists(copies[2]) || !w.Exists(e) {
		t.Error("the wrong ones have gone")
	}
	if !w.Exists(grip) || ecs.Has[Mass](w, grip) || !ecs.Has[Grip](w, grip) {
		t.Error("the cleanup component has not stayed")
	}
	if n := w.Len(); n != 1+1+3+1 {
		t.Errorf("%d entities are left", n)
	}
	must(t, ecs.SetEnabled[Request](w, e, true))
	updateUntil(t, w, e, Loaded)
	must(t, w.Destroy(e)) // its end unloads the scene
	for range 6 {
		must(t, system.Update(w))
	}
	if n := w.Len(); n != 1+3+2 {
		t.Errorf("%d entities are left", n)
	}
}

// A scene that is no longer wanted while it is being loaded is unloaded completely.
func TestCancel(t *testing.T) {
	w := stage(t, Config{Files: filesOf("tile.scene", textOf(100, 1)), Budget: 10})
	e := Load(w, "tile.scene", 0)
	updateUntil(t, w, e, Coming)
	must(t, system.Update(w))
	if s, err := ecs.Get[Status](w, e); err != nil || s.Rows != 100 || s.Came == 0 || s.Came == 100 || !Find(w, e, "lamp/0").IsZero() {
		t.Errorf("%+v", s)
	}
	must(t, ecs.SetEnabled[Request](w, e, false))
	updateUntil(t, w, e, Unloaded)
	if w.Len() != 1 {
		t.Errorf("%d entities are left", w.Len())
	}
	must(t, ecs.SetEnabled[Request](w, e, true))
	must(t, system.Update(w))
	must(t, w.Destroy(e))
	must(t, Wait(w))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
}

// References to another scene are null before that scene is loaded and after it is unloaded.
func TestReferencesAcross(t *testing.T) {
	w := stage(t, Config{Files: filesOf(
		"a.scene", `{"entities": {"x": {"Parent": {"Entity": "@b:y"}}, "z": {"Buffer[Waypoint]": [{"Goal": "@:lighthouse"}, {"Goal": "@b:y"}]}}}`,
		"b.scene", `{"entities": {"y": {"Mass": {}}}}`)})
	house := w.Spawn(Mass{})
	must(t, w.SetEntityName(house, "lighthouse"))
	a := Load(w, "a.scene", 0)
	must(t, Wait(w))
	goals := func() (x, y ecs.Entity) {
		p, err := ecs.Get[Parent](w, Find(w, a, "x"))
		must(t, err)
		list, err := ecs.GetBuffer[Waypoint](w, Find(w, a, "z"))
		must(t, err)
		if list.Slice()[0].Goal != house {
			t.Errorf("the lighthouse is %v", list.Slice()[0].Goal)
		}
		return p.Entity, list.Slice()[1].Goal
	}
	if x, y := goals(); !x.IsZero() || !y.IsZero() {
		t.Errorf("%v %v before the other scene was loaded", x, y)
	}
	b := Load(w, "b.scene", 0)
	must(t, Wait(w))
	if x, y := goals(); x != Find(w, b, "y") || y != x || x.IsZero() {
		t.Errorf("%v %v, want %v", x, y, Find(w, b, "y"))
	}
	must(t, w.Destroy(b))
	must(t, Wait(w))
	if x, y := goals(); !x.IsZero() || !y.IsZero() {
		t.Errorf("%v %v after the other scene was unloaded", x, y)
	}
}

// slowly is a slow file system.
type slowly struct {
	fs.FS
	wait time.Duration
}

func (s slowly) Open(name string) (fs.File, error) {
	time.Sleep(s.wait)
	return s.FS.Open(name)
}

// With a Delay, the hash after each update depends neither on the workers nor on the disk.
func TestDelay(t *testing.T) {
	files := filesOf("a.scene", textOf(50, 1), "b.scene", textOf(70, 2), "c.scene", textOf(20, 3))
	var want []uint64
	for _, workers := range []int{1, 2, 8} {
		for _, wait := range []time.Duration{0, 20 * time.Millisecond} {
			pool := jobs.New(jobs.Workers(workers))
			w, err := system.NewWorld("delayed", system.OnPool(pool))
			must(t, err)
			must(t, Configure(w, Config{Files: slowly{files, wait}, Delay: 3, Budget: 16}))
			a, b := Load(w, "a.scene", 0), Load(w, "b.scene", 1)
			var got []uint64
			for i := range 30 {
				must(t, system.Update(w))
				got = append(got, w.Hash())
				switch i {
				case 2:
					Load(w, "c.scene", 9)
				case 6:
					must(t, w.Destroy(a))
				case 12:
					must(t, ecs.SetEnabled[Request](w, b, false))
				case 14:
					must(t, ecs.SetEnabled[Request](w, b, true))
				}
			}
			if want == nil {
				want = got
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%d workers, disk %v: update %d: the hash is %#x, want %#x", workers, wait, i, got[i], want[i])
				}
			}
			if phaseOf(t, w, b) != Loaded {
				t.Errorf("b is %v", phaseOf(t, w, b))
			}
			must(t, w.Close())
			must(t, pool.Close())
		}
	}
}

// After a Restore, exactly the requested scenes are loaded, and each of them only once.
func TestRestored(t *testing.T) {
	w := stage(t, Config{Files: filesOf("a.scene", textOf(50, 1)), Budget: 20})
	e := Load(w, "a.scene", 0)
	empty, err := ecs.Capture(w, nil)
	must(t, err)
	updateUntil(t, w, e, Coming)
	part, err := ecs.Capture(w, nil)
	must(t, err)
	updateUntil(t, w, e, Loaded)
	all, err := ecs.Capture(w, nil)
	must(t, err)
	for i, m := range []*ecs.Image{empty, part, all, part, empty, all} {
		must(t, ecs.Restore(w, m))
		must(t, Wait(w))
		if w.Len() != 51 || phaseOf(t, w, e) != Loaded || Find(w, e, "lamp/49").IsZero() {
			t.Errorf("restore %d: %d entities, the scene is %v", i, w.Len(), phaseOf(t, w, e))
		}
	}
	other, err := ecs.Fork(all, "other")
	must(t, err)
	must(t, Configure(other, Config{Files: filesOf("a.scene", textOf(7, 1))}))
	must(t, Wait(other))
	if other.Len() != 8 {
		t.Errorf("a fork has %d entities", other.Len())
	}
	must(t, other.Close())
}

// The rows of a scene are the rows of its file at the update that begins to load them, no matter when
// the file was read. So if an edit is undone before that update, it has no effect.
func TestEditWhileRead(t *testing.T) {
	text, old := textOf(30, 1), time.Unix(1, 0)
	run := func(delay int, edit func(files *shelf, in *instance)) (w *ecs.World, e ecs.Entity, hashes []uint64) {
		files := shelfOf("a.scene", text)
		w = stage(t, Config{Files: files, Delay: delay, Budget: 16})
		e = Load(w, "a.scene", 0)
		if edit != nil {
			edit(files, nil)
		}
		files.held = make(chan struct{})
		must(t, system.Update(w))
		close(files.held) // without a delay, the first update must not find that the file was read already
		if in := instanceOf(w, e); edit != nil {
			<-in.load.finished
			edit(files, in)
		}
		for range 8 {
			must(t, system.Update(w))
			hashes = append(hashes, w.Hash())
		}
		return w, e, hashes
	}
	for name, edited := range map[string]string{"more rows": textOf(31, 1), "other values": textOf(30, 2), "a fault": "{"} {
		for stamp, times := range map[string][2]time.Time{"other times": {time.Unix(2, 0), time.Unix(3, 0)}, "one time": {old, old}, "now": {}} {
			if stamp == "one time" && name == "other values" {
				continue // no stamp of a file tells its two texts apart
			}
			t.Run(name+"/"+stamp, func(t *testing.T) {
				edit := func(files *shelf, in *instance) {
					if in == nil {
						if stamp == "now" {
							times[0] = time.Now()
							times[1] = times[0]
						}
						files.write("a.scene", edited, times[0])
					} else {
						files.write("a.scene", text, times[1])
					}
				}
				_, _, want := run(2, nil)
				if _, _, got := run(2, edit); !slices.Equal(got, want) {
					t.Errorf("with a delay the hashes are %x, and %x without the edit", got, want)
				}
				w, e, _ := run(0, edit)
				updateUntil(t, w, e, Loaded)
				if m, err := ecs.Get[Mass](w, Find(w, e, "lamp/29")); err != nil || m.Kg != 1 || w.Len() != 31 {
					t.Errorf("without a delay the last lamp has the mass %v in a world of %d entities (%v)", m.Kg, w.Len(), err)
				}
			})
		}
	}
}

// If an entity of a scene is packed and unpacked, it has a new id afterwards. When the scene is
// unloaded, this entity stays in the world, like all entities that the program has created. The program
// can find it by its SceneTag.
func TestUnpackedStays(t *testing.T) {
	w := stage(t, Config{Files: filesOf("a.scene", textOf(3, 1))})
	e := Load(w, "a.scene", 0)
	must(t, Wait(w))
	// Package ecs/pack uses the same calls, and stores the excerpt as bytes in between.
	key := func(e ecs.Entity) (uint64, error) { return uint64(e.Index)<<32 | uint64(e.Version), nil }
	entity := func(key uint64) (ecs.Entity, error) {
		return ecs.Entity{Index: int32(key >> 32), Version: int32(key)}, nil
	}
	var x ecs.Excerpt
	must(t, x.Extract(w, []ecs.Entity{Find(w, e, "lamp/1")}, key))
	must(t, x.DestroySource())
	back, err := x.Insert(w, entity)
	must(t, err)
	back = slices.Clone(back)
	if found := Find(w, e, "lamp/1"); !found.IsZero() {
		t.Errorf("the scene finds the unpacked entity as %v", found)
	}
	must(t, ecs.SetEnabled[Request](w, e, false))
	must(t, Wait(w))
	if w.Len() != 2 || !w.Exists(back[0]) {
		t.Fatalf("%d entities are left, and the unpacked one exists (%v)", w.Len(), w.Exists(back[0]))
	}
	q := w.Query(ecs.WithShared(SceneTag{Scene: e}), ecs.IncludePrefabs(), ecs.IncludeInactive())
	must(t, ecs.DestroyAll(w, ecs.Matching(q)))
	if w.Len() != 1 {
		t.Errorf("%d entities are left without those that have the tag", w.Len())
	}
}
