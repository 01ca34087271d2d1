package ecs

import "reflect"

// tools misuses what is for tools, and the hooks.
func (c *collector) tools() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{}, Tag{})
	c.panics(func() { tools.TermOf(AnyOf(With[A]()), reflect.TypeFor[B]()) })
	c.panics(func() { tools.AppendLane(nil, w.ArchetypeOf(e), nil, 0, 0, 0, -1, 0) })
	_, err := tools.ValueOf(w, e, nil)
	c.err(err)
	_, err = tools.ValueOf(w, e, reflect.TypeFor[B]())
	c.err(err)
	_, err = tools.AppendRow(nil, w, e, reflect.TypeFor[A](), 1, 0)
	c.err(err)
	c.err(tools.SetValueOf(w, e, nil))
	c.err(tools.SetValueOf(w, e, Tag{}))
	_, _, err = tools.HeadOf(w, e, reflect.TypeFor[B](), 1)
	c.err(err)
	c.panics(func() { tools.NewProbe(nil) })
	c.panics(func() { tools.NewProbe(w, With[A](), Without[A]()) })
	c.panics(func() { tools.NewProbe(w, Only(Sh{})) })
	c.panics(func() { tools.NewProbe(w, With[A]()).Takes(newWorld(c.t, 1).Archetype()) })
	c.panics(func() { tools.NewProbe(w, With[A]()).Takes(Archetype{}) })
	must(c.t, w.SetNameOf(e, "wheel"))
	_, err = Get[B](w, e)
	c.err(err)
	_, err = tools.CreateSharing(w, w.ArchetypeOf(e), 1, B{})
	c.err(err)
	_, err = tools.CreateSharing(w, w.Archetype(With[Sh]()), 1, Sh{Value: 1}, Sh{Value: 2})
	c.err(err)
	c.err(tools.SetEnabledOf(nil, e, reflect.TypeFor[En](), true))
	c.err(tools.SetEnabledOf(w, e, reflect.TypeFor[A](), true))
	c.panics(func() { tools.TermTypes(Read[string]()) })
	for ch := range w.Query(Read[A](), With[Tag]()).Chunks() {
		c.panics(func() { tools.LaneOf(ch, reflect.TypeFor[B](), 0) })
		c.panics(func() { tools.LaneOf(ch, reflect.TypeFor[A](), 7) })
		c.panics(func() { tools.WriteLaneOf(ch, reflect.TypeFor[A](), 0) })
	}
	c.panics(func() { plumb.OnSync(w, nil) })
	c.panics(func() { plumb.OnHash(w, "", nil) })
	c.panics(func() { plumb.OnCommit(w, nil) })
	plumb.OnHash(w, "again", func() (uint64, bool) { return w.Hash(), true })
	c.panics(func() { w.Hash() })
}

// images misuses pictures of worlds.
func (c *collector) images() {
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
	_, err = room.Fork(m, "fork")
	c.err(err)
	c.panics(func() { m.Hash() })
	c.panics(func() { room.Parts(m) })
	tx, err := lending.Begin(w)
	must(c.t, err)
	_, err = Capture(w, nil)
	c.err(err)
	tx.Schedule(transactionFunc(func(inner *World) error {
		_, err := Capture(inner, nil)
		c.err(err)
		return nil
	}))
	must(c.t, tx.End())
}
