package ecs

import "reflect"

// misuseTools misuses functions for tools, and the hooks.
func (c *collector) misuseTools() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{}, Tag{})
	c.collectPanic(func() { AnyOf(With[A]()).OfType(reflect.TypeFor[B]()) })
	c.collectPanic(func() { w.ArchetypeOf(e).AppendLane(nil, LaneInfo{}, 0, -1, 0) })
	_, err := w.Untyped().Get(e, nil)
	c.err(err)
	_, err = w.Untyped().Get(e, reflect.TypeFor[B]())
	c.err(err)
	_, err = w.Untyped().AppendRow(nil, e, LaneInfo{Component: reflect.TypeFor[A](), At: 1})
	c.err(err)
	c.err(w.Untyped().Set(e, nil))
	c.err(w.Untyped().Set(e, Tag{}))
	_, _, err = w.Untyped().Head(e, reflect.TypeFor[B](), 1)
	c.err(err)
	c.collectPanic(func() { NewProbe(nil) })
	c.collectPanic(func() { NewProbe(w, With[A](), Without[A]()) })
	c.collectPanic(func() { NewProbe(w, WithShared(Sh{})) })
	c.collectPanic(func() { NewProbe(w, With[A]()).MatchesArchetype(newWorld(c.t, 1).Archetype()) })
	c.collectPanic(func() { NewProbe(w, With[A]()).MatchesArchetype(Archetype{}) })
	must(c.t, w.SetEntityName(e, "wheel"))
	_, err = Get[B](w, e)
	c.err(err)
	_, err = w.CreateShared(w.ArchetypeOf(e), 1, B{})
	c.err(err)
	_, err = w.CreateShared(w.Archetype(With[Sh]()), 1, Sh{Value: 1}, Sh{Value: 2})
	c.err(err)
	c.err((*World)(nil).Untyped().SetEnabled(e, reflect.TypeFor[En](), true))
	c.err(w.Untyped().SetEnabled(e, reflect.TypeFor[A](), true))
	c.collectPanic(func() { TermTypes(Read[string]()) })
	for ch := range w.Query(Read[A](), With[Tag]()).Chunks() {
		c.collectPanic(func() { ch.LaneBytes(reflect.TypeFor[B](), 0) })
		c.collectPanic(func() { ch.LaneBytes(reflect.TypeFor[A](), 7) })
		c.collectPanic(func() { ch.WriteLaneBytes(reflect.TypeFor[A](), 0) })
	}
	c.collectPanic(func() { w.Hooks().OnSync(nil) })
	c.collectPanic(func() { w.Hooks().OnHash("", nil) })
	c.collectPanic(func() { w.Hooks().OnCommit(nil) })
	w.Hooks().OnHash("again", func() (uint64, bool) { return w.Hash(), true })
	c.collectPanic(func() { w.Hash() })
}

// misuseImages misuses images of worlds.
func (c *collector) misuseImages() {
	w := newWorld(c.t, 1)
	w.Spawn(A{})
	m, err := Capture(w, nil)
	must(c.t, err)
	must(c.t, m.Release())
	c.err(m.Release())
	_, err = Capture(w, m)
	c.err(err)
	_, err = Capture(nil, nil)
	c.err(err)
	_, err = Fork(m, "fork")
	c.err(err)
	c.collectPanic(func() { m.Hash() })
	c.collectPanic(func() { m.Columns() })
	tx, err := BeginTransaction(w)
	must(c.t, err)
	_, err = Capture(w, nil)
	c.err(err)
	tx.Schedule(TransactionFunc(func(inner *World) error {
		_, err := Capture(inner, nil)
		c.err(err)
		return nil
	}))
	must(c.t, tx.End())
}
