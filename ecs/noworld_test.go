package ecs

import (
	"errors"
	"strings"
	"testing"
)

// Functions that return errors must return a clear error if the world is nil. Functions that do not
// return errors must panic with such an error.
func TestNoWorld(t *testing.T) {
	real := NewWorld(t.Name())
	e, q := real.Spawn(B{}), real.Query(With[B]())
	second := func(_ any, err error) error { return err }
	for op, err := range map[string]error{
		"Get":              second(Get[B](nil, e)),
		"GetBuffer":        second(GetBuffer[B](nil, e)),
		"Enabled":          second(Enabled[B](nil, e)),
		"Set":              Set((*World)(nil), e, B{}),
		"Add":              Add((*World)(nil), e, B{}),
		"AppendBuffer":     AppendBuffer((*World)(nil), e, B{}),
		"Ensure":           second(Ensure[B]((*World)(nil), e)),
		"Remove":           second(Remove[B]((*World)(nil), e)),
		"SetEnabled":       SetEnabled[B]((*World)(nil), e, true),
		"SetEnabledAll":    SetEnabledAll[B]((*World)(nil), Matching(q), true),
		"AddAll":           AddAll((*World)(nil), Entities([]Entity{e}), B{}),
		"AddTypes":         AddTypes((*World)(nil), Matching(q), With[B]()),
		"RemoveTypes":      RemoveTypes((*World)(nil), One(e), With[B]()),
		"DestroyAll":       DestroyAll((*World)(nil), Matching(q)),
		"Exchange":         Exchange[A]((*World)(nil), LinkedTo(e, q), B{}),
		"SetAll":           SetAll((*World)(nil), LinkedTo(e, nil), B{}),
		"CreateSingleton":  second(CreateSingleton(nil, B{})),
		"Playback":         real.NewCommands().Playback(nil),
		"MoveEntities":     MoveEntities(real, nil, nil),
		"CopyEntities":     second(CopyEntities(real, nil, nil)),
		"BeginTransaction": second(BeginTransaction(nil)),
		"Compact":          Compact(nil),
		"Defragment":       Defragment(nil),
		"AddAccess":        (*World)(nil).Scheduler().AddAccess(nil, Read[A]()),
		"Await":            (*World)(nil).Scheduler().Await(nil),
		"CloseQueries":     (*World)(nil).Scheduler().CloseQueries(""),
		"CreateShared":     second((*World)(nil).CreateShared(Archetype{}, 1)),
		"InTransaction":    wantPanic(t, ErrArgument, func() { (*World)(nil).InTransaction() }),
		"NewWorldLookup":   wantPanic(t, ErrArgument, func() { NewWorldLookup[B](nil) }),
		"Instantiate":      second((*World)(nil).Instantiate(e, -1)),
		"InstantiateInto":  (*World)(nil).InstantiateInto(e, nil),
		"InstantiateAll":   second((*World)(nil).InstantiateAll(nil)),
		"CloneAll":         second((*World)(nil).CloneAll(nil)),
		"CreateInto":       (*World)(nil).CreateInto(real.ArchetypeOf(e), nil),
		"Destroy":          (*World)(nil).Destroy(e),
		"SetArchetype":     (*World)(nil).SetArchetype(e, Archetype{}),
		"SetActive":        (*World)(nil).SetActive(e, true),
		"SetEntityName":    (*World)(nil).SetEntityName(e, "x"),
		"Sync":             (*World)(nil).Sync(),
		"Close":            (*World)(nil).Close(),
		"Spawn":            wantPanic(t, ErrArgument, func() { (*World)(nil).Spawn(B{}) }),
		"SpawnBundle":      wantPanic(t, ErrArgument, func() { SpawnBundle(nil, struct{ B B }{}) }),
		"Create":           wantPanic(t, ErrArgument, func() { (*World)(nil).Create(Archetype{}, 0) }),
		"CreateChunks":     wantPanic(t, ErrArgument, func() { (*World)(nil).CreateChunks(Archetype{}, 0) }),
		"EntityName":       wantPanic(t, ErrArgument, func() { (*World)(nil).EntityName(e) }),
		"Entities":         wantPanic(t, ErrArgument, func() { (*World)(nil).Entities() }),
		"Stats":            wantPanic(t, ErrArgument, func() { (*World)(nil).Stats() }),
		"NewCommands":      wantPanic(t, ErrArgument, func() { (*World)(nil).NewCommands() }),
		"ChangeVersion":    wantPanic(t, ErrArgument, func() { ChangeVersion[B](nil, e) }),
		"Has":              wantPanic(t, ErrArgument, func() { Has[B](nil, e) }),
		"SharedValues": wantPanic(t, ErrArgument, func() {
			for range SharedValues[int](nil) {
				t.Error("a value of no world")
			}
		}),
	} {
		if !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "world is nil") {
			t.Errorf("%s without a world: %v", op, err)
		}
	}
}

// Packages that use ecs must also report a nil world clearly, except in functions that run for each
// update, job or chunk.
func TestNoWorldAbove(t *testing.T) {
	told := func(f func()) func() error { return func() error { return wantPanic(t, ErrArgument, f) } }
	for op, f := range map[string]func() error{
		"Hooks.OnSync":              told(func() { (*World)(nil).Hooks().OnSync(func() {}) }),
		"Hooks.OnWait":              told(func() { (*World)(nil).Hooks().OnWait(nil) }),
		"Hooks.OnCommit":            told(func() { (*World)(nil).Hooks().OnCommit(func(string) {}) }),
		"Hooks.OnHash":              told(func() { (*World)(nil).Hooks().OnHash("", nil) }),
		"Hooks.OnClose":             told(func() { (*World)(nil).Hooks().OnClose(nil) }),
		"Hooks.OnCapture":           told(func() { (*World)(nil).Hooks().OnCapture(nil) }),
		"Hooks.OnRestore":           told(func() { (*World)(nil).Hooks().OnRestore(nil) }),
		"Hooks.Attach":              told(func() { (*World)(nil).Hooks().Attach(1, 2) }),
		"Hooks.Attached":            told(func() { (*World)(nil).Hooks().Attached(1) }),
		"Scheduler.RestoredVersion": told(func() { (*World)(nil).Scheduler().RestoredVersion(1) }),
		"Scheduler.RunOn":           told(func() { (*World)(nil).Scheduler().RunOn(nil) }),
		"Scheduler.Report":          told(func() { (*World)(nil).Scheduler().Report(nil) }),
		"Scheduler.AddAccess":       func() error { return (*World)(nil).Scheduler().AddAccess(nil) },
		"Scheduler.Await":           func() error { return (*World)(nil).Scheduler().Await(nil) },
		"Scheduler.CloseQueries":    func() error { return (*World)(nil).Scheduler().CloseQueries("") },
		"Scheduler.Query":           told(func() { (*World)(nil).Scheduler().Query("") }),
		"World.ArchetypeAt":         told(func() { (*World)(nil).ArchetypeAt(0) }),
		"World.Archetypes":          told(func() { (*World)(nil).Archetypes() }),
		"World.MetaOf":              told(func() { (*World)(nil).MetaOf(Entity{}) }),
		"World.SlabBytes":           told(func() { (*World)(nil).SlabBytes() }),
		"World.ImageBytes":          told(func() { (*World)(nil).ImageBytes() }),
		"World.CreateShared":        func() error { _, err := (*World)(nil).CreateShared(Archetype{}, 0); return err },
	} {
		if err := f(); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), op+": the world is nil") {
			t.Errorf("%s without a world: %v", op, err)
		}
	}
}

// A nil type is a component of no entity, and asking for a lane of a nil type is an error.
func TestNoType(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	if _, ok := w.ArchetypeOf(e).FindLane(nil, 0); ok {
		t.Error("something has no type")
	}
	for c := range w.Query(Read[A]()).Chunks() {
		if c.HasType(nil) || c.SharedValue(nil) != nil || c.EnabledBits(nil) != nil {
			t.Error("a chunk has no type")
		}
		for op, f := range map[string]func(){
			"Chunk.LaneBytes":      func() { c.LaneBytes(nil, 0) },
			"Chunk.Floats":         func() { c.Floats(nil, 0) },
			"Chunk.WriteLaneBytes": func() { c.WriteLaneBytes(nil, 0) },
		} {
			if err := wantPanic(t, ErrArgument, f); !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "the type is nil") {
				t.Errorf("%s: %v", op, err)
			}
		}
	}
}

// A world that was not made by NewWorld is empty and refuses everything.
func TestZeroWorld(t *testing.T) {
	empty := new(World)
	if empty.Sync() != nil || empty.Len() != 0 || empty.Exists(Entity{0, 1}) || empty.Stats() != (Stats{}) || empty.ArchetypeOf(Entity{}) != (Archetype{}) {
		t.Errorf("it has %+v", empty.Stats())
	}
	second := func(_ any, err error) error { return err }
	for op, f := range map[string]func(w *World) error{
		"Spawn":           func(w *World) error { return wantPanic(t, ErrState, func() { w.Spawn(B{}) }) },
		"Query":           func(w *World) error { return wantPanic(t, ErrState, func() { w.Query() }) },
		"Archetype":       func(w *World) error { return wantPanic(t, ErrState, func() { w.Archetype() }) },
		"SpawnBundle":     func(w *World) error { return wantPanic(t, ErrState, func() { SpawnBundle(w, struct{ B B }{}) }) },
		"CreateSingleton": func(w *World) error { return second(CreateSingleton(w, B{})) },
		"Restore": func(w *World) error {
			m, err := Capture(NewWorld(""), nil)
			must(t, err)
			return Restore(w, m)
		},
		"Capture": func(w *World) error { return second(Capture(w, nil)) },
		"Compact": func(w *World) error { return Compact(w) },
		"Destroy": func(w *World) error { return w.Destroy(Entity{0, 1}) },
		"Close":   (*World).Close,
	} {
		if err := f(new(World)); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "zero World") {
			t.Errorf("%s of the zero World: %v", op, err)
		}
	}
}

// A nil or zero query returns an error, except in loops, which do not check.
func TestNoQuery(t *testing.T) {
	second := func(_ any, err error) error { return err }
	for _, q := range []*Query{nil, {}} {
		for op, err := range map[string]error{
			"Query.Close":           q.Close(),
			"Query.Count":           wantPanic(t, ErrArgument, func() { q.Count() }),
			"Query.CountUnfiltered": wantPanic(t, ErrArgument, func() { q.CountUnfiltered() }),
			"Query.Empty":           wantPanic(t, ErrArgument, func() { q.Empty() }),
			"Query.EmptyUnfiltered": wantPanic(t, ErrArgument, func() { q.EmptyUnfiltered() }),
			"Query.AppendEntities":  wantPanic(t, ErrArgument, func() { q.AppendEntities(nil) }),
			"Query.AppendOffsets":   wantPanic(t, ErrArgument, func() { q.AppendOffsets(nil) }),
			"Query.Single":          second(q.Single()),
			"Query.FindSingle":      wantPanic(t, ErrArgument, func() { q.FindSingle() }),
			"Singleton":             second(Singleton[B](q)),
			"FindSingleton":         wantPanic(t, ErrArgument, func() { FindSingleton[B](q) }),
			"SetSingleton":          SetSingleton(q, B{}),
			"AppendValues":          second(AppendValues[B](q, nil)),
			"SetValues":             SetValues[B](q, nil),
			"NewLookup":             wantPanic(t, ErrArgument, func() { NewLookup[B](q) }),
			"OrderBy":               OrderBy(NewWorld(""), q, nil),
			"DestroyAll":            DestroyAll(NewWorld(""), Matching(q)),
			"Query.HashRows":        second(q.HashRows(nil)),
		} {
			if !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), op+": ") || !strings.Contains(err.Error(), "the query is nil") {
				t.Errorf("%s without a query: %v", op, err)
			}
		}
	}
}

// useNoWorld collects the messages of calls without a world.
func (c *collector) useNoWorld() {
	_, err := Get[B](nil, Entity{})
	c.err(err)
	c.err(NewWorld("").NewCommands().Playback(nil))
	c.err(new(World).Close())
	c.err(new(Query).Close())
	c.collectPanic(func() { NewWorld("", nil) })
	c.collectPanic(func() { (*Image)(nil).Attached(1) })
	w := newWorld(c.t, 1)
	c.err(w.Scheduler().Await(nil))
	w.Spawn(A{1})
	for ch := range w.Query(Read[A]()).Chunks() {
		c.collectPanic(func() { ch.LaneBytes(nil, 0) })
	}
}
