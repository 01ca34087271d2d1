package ecs

import (
	"reflect"
	"strings"
	"testing"
)

// TestCommitPanics checks functions of OnCommit and OnSync that panic at any of their calls. The
// whole operation must be refused. If the operation is a playback, the earlier commands of the
// buffer remain done.
func TestCommitPanics(t *testing.T) {
	give := func(n int, _ Entity) Sh { return Sh{Value: int32(n)} }
	asked := 0
	for name := range sharedOps(give) {
		prepare := func() (*scene, func(s *scene) error) {
			s := sceneOf(t, give)
			for _, w := range []*World{s.w, s.src} {
				w.Hooks().OnCommit(func(string) { spring() })
				w.Hooks().OnSync(spring)
			}
			return s, sharedOps(give)[name]
		}
		s, op := prepare()
		before := s.hash(t)
		_, err := callFailing(0, func() error { return op(s) })
		must(t, err)
		calls := trap.calls
		after := s.hash(t)
		if calls > 0 {
			asked++
		}
		for k := 1; k <= min(12, calls); k++ {
			s, op := prepare()
			panicked, err := callFailing(k, func() error { return op(s) })
			if err != nil || !panicked {
				t.Errorf("%s, call %d of %d: error %v, a panic: %v", name, k, calls, err, panicked)
			}
			got := s.hash(t)
			if strings.HasPrefix(name, "Commands") || name == "Transaction" { // several operations
				must(t, s.w.Destroy(s.spare))
				continue
			}
			if got != before {
				t.Errorf("%s, call %d of %d: the worlds are %s, want %s", name, k, calls, got, before)
			}
			must(t, op(s))
			if got := s.hash(t); got != after {
				t.Errorf("%s, call %d of %d, again: the worlds are %s, want %s", name, k, calls, got, after)
			}
		}
	}
	if asked < 40 {
		t.Errorf("%d operations have called a function", asked)
	}
}

// firstUse holds all operations that can be the first use of a shared component type in a world.
func firstUse(s *scene) map[string]func() error {
	errOf := func(_ any, err error) error { return err }
	v := touchy{N: 4}
	return map[string]func() error{
		"Spawn":          func() error { s.w.Spawn(A{}, v); return nil },
		"SpawnBundle":    func() error { SpawnBundle(s.w, struct{ V touchy }{v}); return nil },
		"Archetype":      func() error { s.w.Archetype(With[touchy](), With[A]()); return nil },
		"Add":            func() error { return Add(s.w, s.bare[0], v) },
		"Ensure":         func() error { return errOf(Ensure[touchy](s.w, s.bare[0])) },
		"AddTypes":       func() error { return AddTypes(s.w, Entities(s.bare), With[touchy]()) },
		"AddTypes(One)":  func() error { return AddTypes(s.w, One(s.bare[1]), With[touchy](), With[D]()) },
		"AddAll":         func() error { return AddAll(s.w, Entities([]Entity{s.bare[0], s.ids[1]}), v) },
		"AddAll, a run":  func() error { return AddAll(s.w, Entities(s.bare), v) },
		"AddAll(q)":      func() error { return AddAll(s.w, Matching(s.q), v) },
		"AddAll(Linked)": func() error { return AddAll(s.w, LinkedTo(s.root, nil), v) },
		"Untyped.Add":    func() error { return s.w.Untyped().Add(s.bare[0], reflect.TypeFor[touchy](), v) },
		"Query":          func() error { return s.w.Query(WithShared(v)).Close() },
		"SharedValues": func() error {
			for range SharedValues[touchy](s.w) {
			}
			return nil
		},
		"MoveEntities": func() error { return MoveEntities(s.w, s.src, nil) },
		"MoveMatching": func() error { return MoveMatching(s.w, s.from, nil) },
		"CopyFrom":     func() error { return errOf(CopyEntities(s.w, s.src, s.away)) },
		"Restore":      func() error { return Restore(s.w, s.its) },
		"Fork": func() error {
			w, err := Fork(s.its, "fork")
			if err != nil {
				return err
			}
			return w.Close()
		},
		"ImageStream.Begin": func() error {
			a, err := NewImageStream(s.its)
			if err != nil {
				return err
			}
			return a.Begin(s.w)
		},
		"ImageStream.Begin, with a value": func() error {
			a, err := NewImageStream(s.own, v)
			if err != nil {
				return err
			}
			return a.Begin(s.w)
		},
		"Excerpt.Insert":   func() error { return errOf(s.x.Insert(s.w, nil)) },
		"Commands: Add":    func() error { return s.playLater(func(c *Commands) error { return Add(c, s.bare[0], v) }) },
		"Commands: Spawn":  func() error { return s.playLater(func(c *Commands) error { return errOf(c.Spawn(v)) }) },
		"Commands: AddAll": func() error { return s.playLater(func(c *Commands) error { return AddAll(c, Matching(s.q), v) }) },
		"Commands: AddTypes": func() error {
			return s.playLater(func(c *Commands) error { return AddTypes(c, Matching(s.q), With[touchy]()) })
		},
		"CreateShared": func() error { return errOf(s.w.CreateShared(s.w.Archetype(With[touchy]()), 2, v)) },
		"CreateChunks, Archetype": func() error {
			s.w.CreateChunks(s.w.Archetype(With[touchy](), With[D]()), 2)
			return nil
		},
	}
}

// firstScene returns a scene. Its world w has not used the type touchy yet, but its world src has.
func firstScene(t *testing.T) *scene {
	s := &scene{w: newWorld(t, 1), src: newWorld(t, 1)}
	for i := range 3 {
		s.bare = append(s.bare, s.w.Spawn(A{int32(i)}))
		s.ids = append(s.ids, s.w.Spawn(A{int32(i)}, B{}))
		s.away = append(s.away, s.src.Spawn(A{int32(i)}, touchy{N: i}))
	}
	s.root = s.w.Spawn(BufferOf[Linked]())
	must(t, Set(s.w, s.root, BufferOf(Linked{s.root}, Linked{s.ids[0]}, Linked{s.bare[2]})))
	s.spare = s.w.Spawn(C{})
	s.q, s.from = s.w.Query(With[A]()), s.src.Query(With[A]())
	s.cmd = s.w.NewCommands()
	s.own, s.its = mustCapture(t, s.w, nil), mustCapture(t, s.src, nil)
	s.x = &Excerpt{}
	must(t, s.x.Extract(s.src, s.away, nil))
	return s
}

// TestFirstUsePanics checks that the first use of a shared type calls Hash of its zero value. If that
// call panics, nothing must have changed, no change must still be in progress, and the next use must
// succeed.
func TestFirstUsePanics(t *testing.T) {
	for name := range firstUse(firstScene(t)) {
		s := firstScene(t)
		before := s.hash(t)
		_, err := callFailing(0, firstUse(s)[name])
		must(t, err)
		calls := trap.calls
		after := s.hash(t)
		if calls == 0 {
			t.Errorf("%s has not asked for a hash", name)
		}
		for k := 1; k <= min(calls, 8); k++ {
			s := firstScene(t)
			panicked, err := callFailing(k, firstUse(s)[name])
			if err != nil || !panicked {
				t.Errorf("%s, call %d of %d: error %v, a panic: %v", name, k, calls, err, panicked)
			}
			got := s.hash(t)
			if strings.HasPrefix(name, "Commands") {
				must(t, s.w.Destroy(s.spare))
				continue
			}
			if got != before {
				t.Errorf("%s, call %d of %d: the worlds are %s, want %s", name, k, calls, got, before)
			}
			must(t, firstUse(s)[name]())
			if got := s.hash(t); got != after {
				t.Errorf("%s, call %d of %d, again: the worlds are %s, want %s", name, k, calls, got, after)
			}
		}
	}
}

// TestRestoreTellsAll checks that if a function of OnRestore panics, the later ones are still
// called.
func TestRestoreTellsAll(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	m := mustCapture(t, w, nil)
	told := 0
	w.Hooks().OnRestore(func(*Image) { told++ })
	w.Hooks().OnRestore(func(*Image) { spring() })
	w.Hooks().OnRestore(func(*Image) { told++ })
	must(t, w.Destroy(e))
	if panicked, err := callFailing(1, func() error { return Restore(w, m) }); !panicked || err != nil || told != 2 || !w.Exists(e) {
		t.Errorf("a panic: %v, error %v; %d of 2 were told, %v exists: %v", panicked, err, told, e, w.Exists(e))
	}
	checkWorlds(t, w)
	must(t, w.Destroy(e))
}
