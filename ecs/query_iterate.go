package ecs

import (
	"iter"
	"slices"

	"github.com/lanewise/lanewise/soa"
)

// ChunkJob processes one chunk per call. ParallelFor keeps the given value and makes no copy, so its
// fields must not change until the job is done. Several workers call Chunk at the same time, each with
// another chunk.
type ChunkJob interface{ Chunk(*Chunk) }

// Chunks yields the matching chunks on this goroutine: archetypes in the order in which they were made,
// and the chunks of each in order. It first completes jobs that conflict with the query. It does not
// allocate.
//
// Until the loop ends, structural changes of the world are an error of category [ErrState]; record them
// with [Commands]. The yielded Chunk is valid until the next step of the loop, which uses the same object.
func (q *Query) Chunks() iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) { q.visit("Query.Chunks", yield) }
}

// Run calls the job for each matching chunk on this goroutine, in the order of Chunks. If jobs had to be
// completed first and one of them has failed, Run returns the error and visits nothing.
func (q *Query) Run(job ChunkJob) error {
	const op = "Query.Run"
	switch {
	case q == nil || q.world == nil:
		return noQuery(op)
	case job == nil:
		return q.world.gate.fault(ErrArgument, op, "the job is nil")
	}
	if err := q.world.gate.looks(op); err != nil {
		return err
	}
	if err := q.ready(op); err != nil {
		return err
	}
	q.loop(func(c *Chunk) bool { job.Chunk(c); return true })
	return nil
}

// visit yields the matching chunks.
func (q *Query) visit(op string, yield func(*Chunk) bool) {
	if err := q.ready(op); err != nil {
		panic(err)
	}
	q.loop(yield)
}

// ready completes the jobs that conflict with the query.
func (q *Query) ready(op string) error {
	w := q.world
	if !w.gate.alive || q.closed {
		if err := w.own(op, q); err != nil {
			return err
		}
	}
	if err := w.gate.notInJob(op); err != nil {
		return err
	}
	if w.gate.owner.changing != 0 {
		if err := w.gate.calm(op); err != nil {
			return err
		}
	}
	q.refreshLookups()
	if w.gate.jobs.pending {
		return w.awaitAccess(op, &q.access)
	}
	return nil
}

// loop yields the matching chunks after ready.
func (q *Query) loop(yield func(*Chunk) bool) {
	w := q.world
	c := q.take(w, q.headers)
	w.gate.visiting++
	defer func() {
		w.gate.visiting--
		q.give(c)
	}()
	base, end := 0, 0 // range of the chunks of an archetype among all
	for _, m := range q.matches {
		base, end = end, end+len(m.arch.chunks)
		if base == end || m.still(q.since) {
			continue
		}
		m.bindOnce(&q.matching)
		c.mask, c.binds = nil, m.binds
		for i, r := range m.chosen(w.tables.listing) {
			if m.watches && !m.passesVersions(r, q.since) {
				continue
			}
			if m.filtered { // only some of them are in the list
				i = r.index
			}
			c.point(span{r, 0, r.n}, base+i)
			if m.rows != nil && !c.filterRows(m) {
				continue
			}
			if !c.offer(yield) {
				return
			}
		}
	}
}

// offer yields c, between the checks of the guard build.
func (c *Chunk) offer(yield func(*Chunk) bool) bool {
	if guard {
		c.watch()
	}
	more := yield(c)
	if guard {
		c.inspect()
	}
	return more
}

// take returns a Chunk for a loop of the owner.
func (l *loops) take(w *World, headers int) *Chunk {
	var c *Chunk
	if last := len(l.free) - 1; last >= 0 {
		c = l.free[last]
		l.free = l.free[:last]
	} else {
		c = newChunk(headers)
	}
	g := &w.gate
	c.world, c.structural, c.version, c.worker, c.order = w, g.structural, g.version, -1, g.jobs.order
	return c
}

// give takes a Chunk back.
func (l *loops) give(c *Chunk) {
	c.rise()
	c.end()
	l.free = append(l.free, c)
}

// newChunk returns a free Chunk with memory for views of the given number of slices.
func newChunk(headers int) *Chunk {
	return &Chunk{cursor: cursor{views: make([]soa.Header, headers), n: -1}}
}

// Created is the rows that [World.Create] has made, for the caller to fill. It is valid until the next
// structural change. The zero Created has no rows.
type Created struct { // those in tables.created
	world *World
	stamp uint32
}

// Chunks yields the new rows chunk by chunk. Their values are zero. The views have only the new rows,
// which may be at the end of a chunk with older rows. It panics with an *Error if a structural change came
// after making the rows.
func (m Created) Chunks() iter.Seq[*Chunk] { // small, so that it is inlined into the loop, which then allocates nothing
	return func(yield func(*Chunk) bool) { m.visit(yield) }
}

func (m Created) visit(yield func(*Chunk) bool) {
	w := m.world
	if w == nil {
		return
	}
	if m.stamp != w.gate.structural {
		panic(w.gate.fault(ErrDisposed, "Create", "a structural change came between making the rows and visiting them: visit them at once"))
	}
	var c *Chunk
	if last := len(w.queries.free) - 1; last >= 0 {
		c = w.queries.free[last]
		w.queries.free = w.queries.free[:last]
	} else {
		c = newChunk(0)
	}
	c.world, c.structural, c.version, c.worker, c.order = w, w.gate.structural, w.gate.version, -1, w.gate.jobs.order
	w.gate.visiting++
	defer func() {
		w.gate.visiting--
		c.rise()
		c.end()
		w.queries.free = append(w.queries.free, c)
	}()
	for i, s := range w.tables.created {
		a := s.rec.arch
		m := w.queries.wholeMatch(a)
		if len(c.views) < a.headers {
			c.views = make([]soa.Header, a.headers)
		}
		c.show(m, s, i)
		if !yield(c) {
			return
		}
	}
}

// Count returns the number of entities that match and pass the filters. It counts chunks, and rows only if
// components can be off. It first completes the jobs whose writes decide about the filters. It panics with
// an *Error if the query is closed, and in a job that would have to wait.
func (q *Query) Count() int {
	const op = "Query.Count"
	if q == nil || q.world == nil {
		panic(noQuery(op))
	}
	if err := q.world.own(op, q); err != nil {
		panic(err)
	}
	q.world.completeFilters(op, &q.matching)
	n := 0
	for _, m := range q.matches {
		switch {
		case !m.filtered:
			n += m.arch.rows
		case !m.still(q.since):
			for _, r := range m.look(&q.world.tables) {
				if m.passes(r, q.since) {
					n += m.rows.count(r)
				}
			}
		}
	}
	return n
}

// ChunkCount returns the number of chunks with rows that match and pass the filters. It waits and panics
// as Count does.
func (q *Query) ChunkCount() int {
	n := 0
	q.passing("Query.ChunkCount", func(*record, []uint64, int) bool { n++; return true })
	return n
}

// Empty reports whether no entity matches and passes the filters. It stops at the first match, and waits
// and panics as Count does.
func (q *Query) Empty() bool {
	empty := true
	q.passing("Query.Empty", func(*record, []uint64, int) bool { empty = false; return false })
	return empty
}

// CountUnfiltered returns the number of matching entities. It ignores the filters and whether components
// are on or off, so that it waits for no job.
func (q *Query) CountUnfiltered() int {
	if q == nil || q.world == nil {
		panic(noQuery("Query.CountUnfiltered"))
	}
	if err := q.world.gate.open("Query.CountUnfiltered"); err != nil {
		panic(err)
	}
	q.world.gate.mustLook("Query.CountUnfiltered")
	n := 0
	for _, m := range q.matches {
		n += m.arch.rows
	}
	return n
}

// EmptyUnfiltered reports whether no entity matches. It ignores the filters and whether components are on
// or off.
func (q *Query) EmptyUnfiltered() bool {
	if q == nil || q.world == nil {
		panic(noQuery("Query.EmptyUnfiltered"))
	}
	if err := q.world.gate.open("Query.EmptyUnfiltered"); err != nil {
		panic(err)
	}
	q.world.gate.mustLook("Query.EmptyUnfiltered")
	for _, m := range q.matches {
		if len(m.arch.chunks) > 0 {
			return false
		}
	}
	return true
}

// Matches reports whether e exists, matches, and passes the filters. If the query has filters, Matches
// first completes the jobs whose writes decide about them. It panics with an *Error while the world is
// lent to a transaction.
func (q *Query) Matches(e Entity) bool {
	s := q.world.tables.entities.find(e)
	if s == nil {
		return q.world.gate.refuseLent("Query.Matches")
	}
	r := q.world.tables.records[s.record]
	m := q.matchOf(r.arch)
	if m == nil || !m.filtered {
		return m != nil
	}
	q.world.completeFilters("Query.Matches", &q.matching)
	return m.passes(r, q.since) && (m.rows == nil || m.rows.passes(r, int(s.row)))
}

// MatchesUnfiltered reports whether e exists and matches. It ignores the filters and whether components
// are on or off, because it checks only the archetype: it waits for no job and takes a few nanoseconds.
func (q *Query) MatchesUnfiltered(e Entity) bool {
	s := q.world.tables.entities.find(e)
	if s == nil {
		return q.world.gate.refuseLent("Query.MatchesUnfiltered")
	}
	return q.matchOf(q.world.tables.records[s.record].arch) != nil
}

// AppendEntities appends the entities that match and pass the filters to list, in the order of a loop.
func (q *Query) AppendEntities(list []Entity) []Entity {
	q.passing("Query.AppendEntities", func(r *record, mask []uint64, _ int) bool {
		own := r.ids()[:r.n]
		if mask == nil {
			list = append(list, own...)
			return true
		}
		for lo, hi := nextRun(mask, 0, r.n); lo < r.n; lo, hi = nextRun(mask, hi, r.n) {
			list = append(list, own[lo:hi]...)
		}
		return true
	})
	return list
}

// AppendOffsets appends the number of matching entities in earlier chunks, for each chunk of a loop
// without filters, and at the end the number of all matching entities. The numbers count entities that
// pass the filters. For example, a job that writes the i-th matching entity to element i of a slice starts
// its chunk at offset list[c.Index()]; see [Chunk.Index].
func (q *Query) AppendOffsets(list []int) []int {
	const op = "Query.AppendOffsets"
	if err := asked(q, op); err != nil {
		panic(err)
	}
	q.world.completeFilters(op, &q.matching)
	n := 0
	for _, m := range q.matches {
		for _, r := range m.arch.chunks {
			list = append(list, n)
			if !m.filtered {
				n += r.n
			} else if m.admits(r, q.since) {
				n += m.rows.count(r)
			}
		}
	}
	return append(list, n)
}

// passing calls f with each chunk that has passing rows, with their bits (nil for all rows) and their
// number, until f returns false.
func (q *Query) passing(op string, f func(r *record, mask []uint64, n int) bool) {
	if err := asked(q, op); err != nil {
		panic(err)
	}
	q.world.completeFilters(op, &q.matching)
	for _, m := range q.matches {
		if m.still(q.since) {
			continue
		}
		for _, r := range m.look(&q.world.tables) {
			if !m.passes(r, q.since) {
				continue
			}
			if mask, n := q.rowsOf(m, r); n > 0 && !f(r, mask, n) {
				return
			}
		}
	}
}

// completeFilters waits for jobs that write components of Changed terms, or the enabled bits that decide
// about rows.
func (w *World) completeFilters(op string, q *matching) {
	w.gate.mustLook(op)
	members := q.switched()
	if !w.gate.jobs.pending || len(q.changed)+len(q.watched)+len(q.bits)+len(members) == 0 {
		return
	}
	if err := w.gate.notInJob(op); err != nil {
		panic(err)
	}
	for _, list := range [...][]*component{q.changed, q.watched, q.bits, members} {
		for _, c := range list {
			if err := w.await(op, c, false); err != nil {
				w.gate.report(err)
			}
		}
	}
}

// appendRuns appends the ranges of matching rows of r, the last one first. A caller that removes them
// fills the gap with rows after the range, and the later ranges are done by then.
func (l *loops) appendRuns(runs []span, m *match, r *record) []span {
	mask, n := l.rowsOf(m, r)
	if mask == nil {
		return append(runs, span{r, 0, n})
	}
	first := len(runs)
	for lo, hi := nextRun(mask, 0, r.n); lo < r.n; lo, hi = nextRun(mask, hi, r.n) {
		runs = append(runs, span{r, lo, hi - lo})
	}
	slices.Reverse(runs[first:])
	return runs
}

// rowsOf returns the bits of the matching rows of r and their number; the bits are nil if all match. They
// are valid until the next call.
func (l *loops) rowsOf(m *match, r *record) ([]uint64, int) {
	if m.rows == nil {
		return nil, r.n
	}
	if l.mask == nil {
		l.mask = make([]uint64, maskWords)
	}
	return m.rows.rows(r, l.mask)
}
