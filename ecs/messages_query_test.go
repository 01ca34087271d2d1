package ecs

// misuseSingletons calls functions that need exactly one entity, with none or with several.
func (c *collector) misuseSingletons() {
	w := newWorld(c.t, 1)
	q := w.Query(Read[A]())
	collectError[A](c)(Singleton[A](q))
	w.Spawn(A{1}, Tag{}, En{})
	w.Spawn(A{2}, B{})
	collectError[A](c)(Singleton[A](q))
	collectError[Entity](c)(q.Single())
	collectError[B](c)(Singleton[B](q))
	collectError[Tag](c)(Singleton[Tag](w.Query(With[Tag]())))
	collectError[En](c)(Singleton[En](w.Query(Read[En]())))
	c.err(SetSingleton(w.Query(Read[B]()), B{}))
	collectError[Entity](c)(CreateSingleton(w, B{}))
	one := w.Spawn(Sh{Value: 1})
	c.err(w.Swap(one, w.Spawn(A{})))
	c.err(OrderBy(w, w.Query(Read[A]()), nil))
	c.err(q.Run(nil))
	c.collectPanic(func() { q.ParallelFor(nil) })
	c.err(w.Swap(one, w.Spawn(Sh{Value: 2})))
}

// misuseAllOf misuses AllOf.
func (c *collector) misuseAllOf() {
	w := newWorld(c.t, 1)
	for _, terms := range [][]Term{
		{AllOf(With[A]())}, {AnyOf(AllOf())}, {AnyOf(AllOf(Changed[A]()))}, {AnyOf(AllOf(With[A](), Without[A]()))},
		{AnyOf(AllOf(Read[A]()), AllOf(Write[A]()))}, {AnyOf(AllOf(Read[Sh]()))}, {AnyOf(AllOf(Disabled[A]()))},
		{With[A](), AnyOf(AllOf(With[A]()), AllOf(With[B]()))}, {AnyOf(AllOf(Read[A]())), Optional(Read[A]())},
		{AnyOf(WithShared(Sh{Value: 1}), With[A]())}, {Without[Sh](), WithShared(Sh{Value: 1})},
		{Optional(Read[Sh]())}, {AnyOf(Read[Sh](), With[A]())},
	} {
		c.collectPanic(func() { w.Query(terms...) })
	}
}

// commandsOfMany makes mistakes with playback, and with commands for many entities.
func (c *collector) commandsOfMany() {
	w, other := newWorld(c.t, 1), newWorld(c.t, 1)
	e, dead := w.Spawn(A{1}), w.Spawn()
	must(c.t, w.Destroy(dead))
	cmd := w.NewCommands()
	c.err(DestroyAll(cmd, Entities([]Entity{e, {}})))
	cmd.SetMultiPlayback(true)
	must(c.t, Add(cmd, dead, A{}))
	c.err(cmd.Playback(w))
	c.err(cmd.Playback(w))
	outer := w.Scheduler().BeginUpdate("demo.Record")
	cmd = w.NewCommands()
	w.Scheduler().EndUpdate(outer)
	must(c.t, AddAll(cmd, Entities([]Entity{dead}), A{}))
	c.err(cmd.Playback(w))
	p := cmd.Parallel()
	cmd.Reset()
	for chunk := range w.Query(With[A]()).Chunks() {
		c.collectPanic(func() { p.For(chunk) })
	}
	cmd.SetMultiPlayback(true)
	must(c.t, w.Close())
	c.err(cmd.Playback(other))
}
