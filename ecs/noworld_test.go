package ecs

import (
	"errors"
	"strings"
	"testing"
)

// Calls without a world fail and say so, by an error where there is one to
// return, else by a panic with one.
func TestNoWorld(t *testing.T) {
	real := NewWorld(t.Name())
	e, q := real.Spawn(B{}), real.Query(With[B]())
	second := func(_ any, err error) error { return err }
	for op, err := range map[string]error{
		"Get":             second(Get[B](nil, e)),
		"GetBuffer":       second(GetBuffer[B](nil, e)),
		"Enabled":         second(Enabled[B](nil, e)),
		"Set":             Set((*World)(nil), e, B{}),
		"Add":             Add((*World)(nil), e, B{}),
		"Append":          Append((*World)(nil), e, B{}),
		"Ensure":          second(Ensure[B]((*World)(nil), e)),
		"Remove":          second(Remove[B]((*World)(nil), e)),
		"SetEnabled":      SetEnabled[B]((*World)(nil), e, true),
		"SetEnabledAll":   SetEnabledAll[B]((*World)(nil), Matching(q), true),
		"AddAll":          AddAll((*World)(nil), List([]Entity{e}), B{}),
		"AddTypes":        AddTypes((*World)(nil), Matching(q), With[B]()),
		"RemoveTypes":     RemoveTypes((*World)(nil), One(e), With[B]()),
		"DestroyAll":      DestroyAll((*World)(nil), Matching(q)),
		"Exchange":        Exchange[A]((*World)(nil), LinkedTo(e, q), B{}),
		"SetAll":          SetAll((*World)(nil), LinkedTo(e, nil), B{}),
		"CreateSingleton": second(CreateSingleton(nil, B{})),
		"Playback":        real.Commands().Playback(nil),
		"MoveFrom":        real.moveFrom(nil, nil),
		"CopyFrom":        second(real.copyFrom(nil, nil)),
		"Begin":           second(lending.Begin(nil)),
		"Compact":         mem.Compact(nil),
		"Defragment":      mem.Defragment(nil),
		"AddAccess":       plumb.AddAccess(nil, nil, Read[A]()),
		"Await":           plumb.Await(nil, nil),
		"CloseQueries":    plumb.CloseQueries(nil, ""),
		"CreateSharing":   second(tools.CreateSharing(nil, Archetype{}, 1)),
		"CanBegin":        panics(t, ErrArgument, func() { lending.CanBegin(nil) }),
		"Lent":            panics(t, ErrArgument, func() { lending.Lent(nil) }),
		"LookupOf":        panics(t, ErrArgument, func() { LookupOf[B](nil) }),
		"Instantiate":     second((*World)(nil).Instantiate(e, -1)),
		"InstantiateInto": (*World)(nil).InstantiateInto(e, nil),
		"InstantiateAll":  second((*World)(nil).InstantiateAll(nil)),
		"CopyAll":         second((*World)(nil).CopyAll(nil)),
		"CreateInto":      (*World)(nil).CreateInto(real.ArchetypeOf(e), nil),
		"Destroy":         (*World)(nil).Destroy(e),
		"SetArchetype":    (*World)(nil).SetArchetype(e, Archetype{}),
		"SetActive":       (*World)(nil).SetActive(e, true),
		"SetNameOf":       (*World)(nil).SetNameOf(e, "x"),
		"Sync":            (*World)(nil).Sync(),
		"Close":           (*World)(nil).Close(),
		"Spawn":           panics(t, ErrArgument, func() { (*World)(nil).Spawn(B{}) }),
		"Make":            panics(t, ErrArgument, func() { Make(nil, struct{ B B }{}) }),
		"Create":          panics(t, ErrArgument, func() { (*World)(nil).Create(Archetype{}, 0) }),
		"CreateChunks":    panics(t, ErrArgument, func() { (*World)(nil).CreateChunks(Archetype{}, 0) }),
		"NameOf":          panics(t, ErrArgument, func() { (*World)(nil).NameOf(e) }),
		"Entities":        panics(t, ErrArgument, func() { (*World)(nil).Entities() }),
		"Stats":           panics(t, ErrArgument, func() { (*World)(nil).Stats() }),
		"Commands":        panics(t, ErrArgument, func() { (*World)(nil).Commands() }),
		"ChangeVersion":   panics(t, ErrArgument, func() { ChangeVersion[B](nil, e) }),
		"HasComponent":    panics(t, ErrArgument, func() { HasComponent[B](nil, e) }),
		"SharedValues": panics(t, ErrArgument, func() {
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

// So are packages above: by what is not called for each update, job or chunk.
func TestNoWorldAbove(t *testing.T) {
	told := func(f func()) func() error { return func() error { return panics(t, ErrArgument, f) } }
	for op, f := range map[string]func() error{
		"plumbing.OnSync":          told(func() { plumb.OnSync(nil, func() {}) }),
		"plumbing.OnWait":          told(func() { plumb.OnWait(nil, nil) }),
		"plumbing.OnCommit":        told(func() { plumb.OnCommit(nil, func(string) {}) }),
		"plumbing.OnHash":          told(func() { plumb.OnHash(nil, "", nil) }),
		"plumbing.OnClose":         told(func() { plumb.OnClose(nil, nil) }),
		"plumbing.OnCapture":       told(func() { plumb.OnCapture(nil, nil) }),
		"plumbing.OnRestore":       told(func() { plumb.OnRestore(nil, nil) }),
		"plumbing.Attach":          told(func() { plumb.Attach(nil, 1, 2) }),
		"plumbing.Attached":        told(func() { plumb.Attached(nil, 1) }),
		"plumbing.RestoredVersion": told(func() { plumb.RestoredVersion(nil, 1) }),
		"plumbing.RunOn":           told(func() { plumb.RunOn(nil, nil) }),
		"plumbing.Report":          told(func() { plumb.Report(nil, nil) }),
		"plumbing.AddAccess":       func() error { return plumb.AddAccess(nil, nil) },
		"plumbing.Await":           func() error { return plumb.Await(nil, nil) },
		"plumbing.CloseQueries":    func() error { return plumb.CloseQueries(nil, "") },
		"plumbing.QueryFor":        told(func() { plumb.QueryFor(nil, "") }),
		"tool.ArchetypeAt":         told(func() { tools.ArchetypeAt(nil, 0) }),
		"tool.Archetypes":          told(func() { tools.Archetypes(nil) }),
		"tool.MetaOf":              told(func() { tools.MetaOf(nil, Entity{}) }),
		"tool.OrderCountOf":        told(func() { tools.OrderCountOf(nil, nil) }),
		"tool.SlabBytes":           told(func() { tools.SlabBytes(nil) }),
		"tool.CreateSharing":       func() error { _, err := tools.CreateSharing(nil, Archetype{}, 0); return err },
	} {
		if err := f(); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), op+": the world is nil") {
			t.Errorf("%s without a world: %v", op, err)
		}
	}
}

// A type that is nil is one that nothing has; a lane of it is asked for by mistake.
func TestNoType(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	if _, ok := tools.FindLane(w.ArchetypeOf(e), nil, 0); ok || tools.OrderCountOf(w, nil) != 0 {
		t.Error("something has no type")
	}
	for c := range w.Query(Read[A]()).Chunks() {
		if tools.HasOf(c, nil) || tools.ValueIn(c, nil) != nil || tools.SwitchesOf(c, nil) != nil {
			t.Error("a chunk has no type")
		}
		for op, f := range map[string]func(){
			"tool.LaneOf":      func() { tools.LaneOf(c, nil, 0) },
			"tool.FloatsOf":    func() { tools.FloatsOf(c, nil, 0) },
			"tool.WriteLaneOf": func() { tools.WriteLaneOf(c, nil, 0) },
		} {
			if err := panics(t, ErrArgument, f); !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "the type is nil") {
				t.Errorf("%s: %v", op, err)
			}
		}
	}
}

// A world that was not made by NewWorld has nothing and takes nothing.
func TestZeroWorld(t *testing.T) {
	empty := new(World)
	if empty.Sync() != nil || empty.Len() != 0 || empty.Exists(Entity{0, 1}) || empty.Stats() != (Stats{}) || empty.ArchetypeOf(Entity{}) != (Archetype{}) {
		t.Errorf("it has %+v", empty.Stats())
	}
	second := func(_ any, err error) error { return err }
	for op, f := range map[string]func(w *World) error{
		"Spawn":           func(w *World) error { return panics(t, ErrState, func() { w.Spawn(B{}) }) },
		"Query":           func(w *World) error { return panics(t, ErrState, func() { w.Query() }) },
		"Archetype":       func(w *World) error { return panics(t, ErrState, func() { w.Archetype() }) },
		"Make":            func(w *World) error { return panics(t, ErrState, func() { Make(w, struct{ B B }{}) }) },
		"CreateSingleton": func(w *World) error { return second(CreateSingleton(w, B{})) },
		"Restore": func(w *World) error {
			m, err := Capture(NewWorld(""), nil)
			must(t, err)
			return Restore(w, m)
		},
		"Capture": func(w *World) error { return second(Capture(w, nil)) },
		"Compact": func(w *World) error { return mem.Compact(w) },
		"Destroy": func(w *World) error { return w.Destroy(Entity{0, 1}) },
		"Close":   (*World).Close,
	} {
		if err := f(new(World)); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "zero World") {
			t.Errorf("%s of the zero World: %v", op, err)
		}
	}
}

// A query that is nil, or was not made, says so where a loop does not ask.
func TestNoQuery(t *testing.T) {
	second := func(_ any, err error) error { return err }
	for _, q := range []*Query{nil, {}} {
		for op, err := range map[string]error{
			"Query.Close":           q.Close(),
			"Query.Count":           panics(t, ErrArgument, func() { q.Count() }),
			"Query.CountUnfiltered": panics(t, ErrArgument, func() { q.CountUnfiltered() }),
			"Query.Empty":           panics(t, ErrArgument, func() { q.Empty() }),
			"Query.EmptyUnfiltered": panics(t, ErrArgument, func() { q.EmptyUnfiltered() }),
			"Query.AppendEntities":  panics(t, ErrArgument, func() { q.AppendEntities(nil) }),
			"Query.AppendOffsets":   panics(t, ErrArgument, func() { q.AppendOffsets(nil) }),
			"Query.Single":          second(q.Single()),
			"Query.FindSingle":      panics(t, ErrArgument, func() { q.FindSingle() }),
			"Singleton":             second(Singleton[B](q)),
			"FindSingleton":         panics(t, ErrArgument, func() { FindSingleton[B](q) }),
			"SetSingleton":          SetSingleton(q, B{}),
			"AppendValues":          second(AppendValues[B](q, nil)),
			"SetValues":             SetValues[B](q, nil),
			"NewLookup":             panics(t, ErrArgument, func() { NewLookup[B](q) }),
			"OrderBy":               OrderBy(NewWorld(""), q, nil),
			"DestroyAll":            DestroyAll(NewWorld(""), Matching(q)),
			"rows.Hash":             second(come.Hash(q, nil)),
		} {
			if !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), op+": ") || !strings.Contains(err.Error(), "the query is nil") {
				t.Errorf("%s without a query: %v", op, err)
			}
		}
	}
}

// nowhere is what calls without a world are told.
func (c *collector) nowhere() {
	_, err := Get[B](nil, Entity{})
	c.err(err)
	c.err(NewWorld("").Commands().Playback(nil))
	c.err(new(World).Close())
	c.err(new(Query).Close())
	c.panics(func() { NewWorld("", nil) })
	c.panics(func() { plumb.Kept(nil, 1) })
	w := newWorld(c.t, 1)
	c.err(plumb.Await(w, nil))
	w.Spawn(A{1})
	for ch := range w.Query(Read[A]()).Chunks() {
		c.panics(func() { tools.LaneOf(ch, nil, 0) })
	}
}
