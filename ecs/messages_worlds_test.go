package ecs

// groups misuses linked groups.
func (c *collector) groups() {
	w := newWorld(c.t, 1)
	part := w.Spawn(B{})
	root := w.Spawn(A{1}, BufferOf(Linked{part}))
	errs[[]Entity](c)(w.Instantiate(root, 1))
	errs[[]Entity](c)(w.CopyAll([]Entity{root, root}))
	must(c.t, Set(w, root, BufferOf(Linked{root}, Linked{part})))
	c.err(DestroyAll(w, Matching(w.Query(With[A]()))))
}

// between misuses moves from one world to another.
func (c *collector) between() {
	w, src := newWorld(c.t, 1), newWorld(c.t, 1)
	c.err(w.moveFrom(nil, nil))
	c.err(w.moveFrom(w, nil))
	c.err(w.moveMatchingFrom(nil, nil))
	c.err(w.moveMatchingFrom(src.Query(With[En]()), nil))
	src.Query(Only(Sh{Value: 1}))
	c.err(Add(w, w.Spawn(), ShAny{Value: []int{1}}))
	c.panics(func() { mem.CompactAbove(2, 0) })
	c.err(w.moveFrom(src, nil))
}

// transactions misuses transactions.
func (c *collector) transactions() {
	c.err(lending.None().End())
	w := newWorld(c.t, 1)
	q := w.Query(Read[A]())
	x, err := lending.Begin(w)
	must(c.t, err)
	errs[*transaction](c)(lending.Begin(w))
	var inner *World
	replay := w.Commands()
	replay.SetReplay(true)
	c.err(replay.Playback(newWorld(c.t, 1)))
	do(x, func(in *World) {
		inner = in
		errs[*transaction](c)(lending.Begin(in))
		c.panics(func() { in.Query(Read[A]()).ParallelFor(jobFunc(func(*Chunk) {})) })
		c.err(in.Close())
		c.err(x.End())
		c.err(w.Close())
	})
	c.panics(func() { q.ParallelFor(jobFunc(func(*Chunk) {})) })
	c.panics(func() { plumb.BeginUpdate(w, "steer") })
	must(c.t, x.Schedule(transactionFunc(func(*World) error { return nil })).Wait())
	c.panics(func() { inner.Spawn() })
	must(c.t, x.End())
	c.err(x.End())
}
