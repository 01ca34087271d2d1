package ecs

import "testing"

// targetsOfTest returns a world and one target of each kind. The world has the same entities each
// time. All targets consist of the first two entities, which are in a linked group.
func targetsOfTest(t *testing.T) (w *World, ids []Entity, targets map[string]Target) {
	w = newWorld(t, 1)
	ids = []Entity{w.Spawn(A{1}, D{2}, En{}), w.Spawn(A{4}, D{5}, En{}), w.Spawn(D{7}, En{})}
	must(t, Add(w, ids[0], BufferOf(Linked{ids[0]}, Linked{ids[1]})))
	return w, ids, map[string]Target{
		"list": Entities(ids[:2]), "query": Matching(w.Query(With[A]())),
		"group": LinkedTo(ids[0], nil), "masked": LinkedTo(ids[0], w.Query(With[A]())),
	}
}

// TestTargets applies each operation to each kind of target, directly and with commands. It
// compares the result with the result of applying the operation to the entities one by one.
func TestTargets(t *testing.T) {
	verbs := map[string]struct {
		now    func(w *World, at Target) error
		record func(c *Commands, at Target) error
		has    func(w *World, e Entity) bool
	}{
		"AddAll": {
			func(w *World, at Target) error { return AddAll(w, at, B{}) },
			func(c *Commands, at Target) error { return AddAll(c, at, B{}) },
			Has[B],
		},
		"SetAll": {
			func(w *World, at Target) error { return SetAll(w, at, A{9}) },
			func(c *Commands, at Target) error { return SetAll(c, at, A{9}) },
			func(w *World, e Entity) bool { v, err := Get[A](w, e); return err == nil && v.Value == 9 },
		},
		"SetEnabledAll": {
			func(w *World, at Target) error { return SetEnabledAll[En](w, at, false) },
			func(c *Commands, at Target) error { return SetEnabledAll[En](c, at, false) },
			func(w *World, e Entity) bool { on, err := Enabled[En](w, e); return err == nil && !on },
		},
		"AddTypes": {
			func(w *World, at Target) error { return AddTypes(w, at, With[Tag](), With[B]()) },
			func(c *Commands, at Target) error { return AddTypes(c, at, With[Tag](), With[B]()) },
			func(w *World, e Entity) bool { return Has[B](w, e) && Has[Tag](w, e) },
		},
		"RemoveTypes": {
			func(w *World, at Target) error { return RemoveTypes(w, at, With[D](), With[C]()) },
			func(c *Commands, at Target) error { return RemoveTypes(c, at, With[D](), With[C]()) },
			func(w *World, e Entity) bool { return w.Exists(e) && !Has[D](w, e) },
		},
		"DestroyAll": {
			func(w *World, at Target) error { return DestroyAll(w, at) },
			func(c *Commands, at Target) error { return DestroyAll(c, at) },
			func(w *World, e Entity) bool { return !w.Exists(e) },
		},
		"Exchange": {
			func(w *World, at Target) error { return Exchange[D](w, at, C{1, 2, 3}) },
			func(c *Commands, at Target) error { return Exchange[D](c, at, C{1, 2, 3}) },
			func(w *World, e Entity) bool {
				v, err := Get[C](w, e)
				return err == nil && v == C{1, 2, 3} && !Has[D](w, e)
			},
		},
	}
	for verb, v := range verbs {
		for _, kind := range []string{"list", "query", "group", "masked"} {
			for _, when := range []string{"now", "recorded"} {
				w, ids, targets := targetsOfTest(t)
				if when == "now" {
					must(t, v.now(w, targets[kind]))
				} else {
					c := w.NewCommands()
					must(t, v.record(c, targets[kind]))
					must(t, c.Playback(w))
				}
				if !v.has(w, ids[0]) || !v.has(w, ids[1]) || v.has(w, ids[2]) {
					t.Errorf("%s of a %s, %s: %v %v %v", verb, kind, when, v.has(w, ids[0]), v.has(w, ids[1]), v.has(w, ids[2]))
				}
				must(t, integrity(w))
			}
		}
		for _, when := range []string{"now", "recorded"} {
			w, ids, _ := targetsOfTest(t)
			if when == "now" {
				must(t, v.now(w, One(ids[1])))
			} else {
				c := w.NewCommands()
				must(t, v.record(c, One(ids[1])))
				must(t, c.Playback(w))
			}
			if v.has(w, ids[0]) || !v.has(w, ids[1]) || v.has(w, ids[2]) {
				t.Errorf("%s of one, %s: %v %v %v", verb, when, v.has(w, ids[0]), v.has(w, ids[1]), v.has(w, ids[2]))
			}
		}
	}
}

// TestExchangeOfTheLast exchanges the last cleanup component of a destroyed entity for another
// component. Without its last cleanup component, the entity would cease to exist. So the exchange must
// be refused and change nothing, unless the new component is a cleanup component too.
func TestExchangeOfTheLast(t *testing.T) {
	w := newWorld(t, 1)
	var ids []Entity
	for range 3 {
		ids = append(ids, w.Spawn(Cl{Value: 3}, A{1}))
	}
	must(t, DestroyAll(w, Entities(ids)))
	hash := w.Hash()
	for name, at := range map[string]Target{"one": One(ids[0]), "list": Entities(ids), "matching": Matching(w.Query(With[Cl]()))} {
		for _, recorded := range []bool{false, true} {
			var err error
			if recorded {
				c := w.NewCommands()
				must(t, Exchange[Cl](c, at, B{1, 2}))
				err = c.Playback(w)
			} else {
				err = Exchange[Cl](w, at, B{1, 2})
			}
			if wantCategory(t, ErrArgument, err); w.Hash() != hash {
				t.Fatalf("%s, recorded %v: the world has changed: %v", name, recorded, err)
			}
		}
	}
	must(t, Exchange[Cl](w, Entities(ids[:1]), ElemCl{Value: 4}))
	if v, err := Get[ElemCl](w, ids[0]); err != nil || v.Value != 4 {
		t.Errorf("for another one: %v, %v", v, err)
	}
	must(t, RemoveTypes(w, Entities(ids), With[Cl](), With[ElemCl]()))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
}

// TestExchange checks that Exchange moves a row only once, and that certain exchanges are refused.
func TestExchange(t *testing.T) {
	w, ids, targets := targetsOfTest(t)
	before := w.gate.structuralVersion
	must(t, Exchange[D](w, One(ids[1]), C{1, 2, 3}))
	once := w.gate.structuralVersion - before
	before = w.gate.structuralVersion
	must(t, Add(w, ids[1], B{}))
	if one := w.gate.structuralVersion - before; once != one {
		t.Errorf("an exchange is %d changes, and adding a component %d", once, one)
	}
	must(t, Exchange[D](w, One(ids[1]), C{4, 5, 6})) // it has no D, but a C
	if get[C](t, w, ids[1]) != (C{4, 5, 6}) {
		t.Error(get[C](t, w, ids[1]))
	}
	c := w.NewCommands()
	gone := w.Spawn()
	must(t, w.Destroy(gone))
	hash := w.Hash()
	for _, err := range []error{
		Exchange[A](w, targets["list"], A{1}), Exchange[A](w, targets["list"], Sh{Value: 1}),
		Exchange[A](c, targets["list"], A{1}), Exchange[A](c, targets["list"], Sh{Value: 1}),
		Exchange[A](w, Entities([]Entity{ids[0], gone}), B{}), Exchange[A](w, One(gone), B{}),
		SetAll(w, Entities(ids), A{1}), SetAll(w, Matching(w.Query()), A{1}), SetAll(w, Entities([]Entity{gone}), A{1}),
		SetEnabledAll[En](w, Entities([]Entity{ids[0], gone}), false), SetEnabledAll[A](w, targets["list"], false),
		AddAll(w, LinkedTo(gone, nil), B{}),
	} {
		wantCategory(t, ErrArgument, err)
	}
	for _, record := range []func() error{
		func() error { return SetAll(c, Entities(ids), A{1}) },
		func() error { return SetAll(c, Matching(w.Query()), A{1}) },
		func() error { return Exchange[A](c, Entities([]Entity{ids[0], gone}), B{}) },
		func() error { return Exchange[A](c, One(gone), B{}) },
	} {
		c.Reset()
		must(t, record())
		wantCategory(t, ErrArgument, c.Playback(w))
	}
	wantCategory(t, ErrState, DestroyAll(c, One(Entity{})))
	if w.Hash() != hash {
		t.Error("what was refused has changed something")
	}
}
