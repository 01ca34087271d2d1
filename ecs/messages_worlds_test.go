package ecs

// misuseGroups misuses linked groups.
func (c *collector) misuseGroups() {
	w := newWorld(c.t, 1)
	part := w.Spawn(B{})
	root := w.Spawn(A{1}, BufferOf(Linked{part}))
	collectError[[]Entity](c)(w.Instantiate(root, 1))
	collectError[[]Entity](c)(w.CloneAll([]Entity{root, root}))
	must(c.t, Set(w, root, BufferOf(Linked{root}, Linked{part})))
	c.err(DestroyAll(w, Matching(w.Query(With[A]()))))
}

// misuseMoves misuses moves from one world to another.
func (c *collector) misuseMoves() {
	w, src := newWorld(c.t, 1), newWorld(c.t, 1)
	c.err(MoveEntities(w, nil, nil))
	c.err(MoveEntities(w, w, nil))
	c.err(MoveMatching(w, nil, nil))
	c.err(MoveMatching(w, src.Query(With[En]()), nil))
	src.Query(WithShared(Sh{Value: 1}))
	c.err(Add(w, w.Spawn(), ShAny{Value: []int{1}}))
	c.collectPanic(func() { CompactAbove(2, 0) })
	c.err(MoveEntities(w, src, nil))
}

// misuseTransactions misuses transactions.
func (c *collector) misuseTransactions() {
	c.err((&Transaction{}).End())
	w := newWorld(c.t, 1)
	q := w.Query(Read[A]())
	x, err := BeginTransaction(w)
	must(c.t, err)
	collectError[*Transaction](c)(BeginTransaction(w))
	var inner *World
	replay := w.NewCommands()
	replay.SetMultiPlayback(true)
	c.err(replay.Playback(newWorld(c.t, 1)))
	do(x, func(in *World) {
		inner = in
		collectError[*Transaction](c)(BeginTransaction(in))
		c.collectPanic(func() { in.Query(Read[A]()).ParallelFor(jobFunc(func(*Chunk) {})) })
		c.err(in.Close())
		c.err(x.End())
		c.err(w.Close())
	})
	c.collectPanic(func() { q.ParallelFor(jobFunc(func(*Chunk) {})) })
	c.collectPanic(func() { w.Scheduler().BeginUpdate("steer") })
	must(c.t, x.Schedule(TransactionFunc(func(*World) error { return nil })).Wait())
	c.collectPanic(func() { inner.Spawn() })
	must(c.t, x.End())
	c.err(x.End())
}
