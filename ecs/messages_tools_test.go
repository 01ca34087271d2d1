package ecs

import "reflect"

// tools misuses what is for tools, and the hooks.
func (c *collector) tools() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{}, Tag{})
	c.panics(func() { AnyOf(With[A]()).Of(reflect.TypeFor[B]()) })
	c.panics(func() { w.ArchetypeOf(e).AppendLane(nil, LaneInfo{}, 0, -1, 0) })
	_, err := ValueOf(w, e, nil)
	c.err(err)
	_, err = ValueOf(w, e, reflect.TypeFor[B]())
	c.err(err)
	_, err = AppendRow(nil, w, e, LaneInfo{Component: reflect.TypeFor[A](), At: 1})
	c.err(err)
	c.err(SetValueOf(w, e, nil))
	c.err(SetValueOf(w, e, Tag{}))
	_, _, err = HeadOf(w, e, reflect.TypeFor[B](), 1)
	c.err(err)
	c.panics(func() { NewProbe(nil) })
	c.panics(func() { NewProbe(w, With[A](), Without[A]()) })
	c.panics(func() { NewProbe(w, Only(Sh{})) })
	c.panics(func() { NewProbe(w, With[A]()).Takes(newWorld(c.t, 1).Archetype()) })
	c.panics(func() { NewProbe(w, With[A]()).Takes(Archetype{}) })
	must(c.t, w.SetNameOf(e, "wheel"))
	_, err = Get[B](w, e)
	c.err(err)
	c.panics(func() { w.OnSync(nil) })
	c.panics(func() { w.OnCommit(nil) })
}
