package ecs

import "github.com/lanewise/lanewise/jobs/access"

// Access returns what jobs over q read and write, to be passed to an
// access.Tracker. It grows as archetypes are made; it must not be changed.
func (q *Query) Access() *access.Access { return &q.access }

// OrderCount returns how often rows of the archetypes that the query matches came
// or went, as World.OrderCountOf counts; of a query with [WithShared], rows that have
// the value. Other filters are not heeded. It never runs back, and each [Restore] makes it
// another one, far ahead.
func (q *Query) OrderCount() uint32 {
	q.world.refuseLent("Query.OrderCount")
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.orders()
	}
	return n
}

// MoveCount returns how many rows of the archetypes that the query matches have
// come from other worlds, or gone there, by MoveEntities and
// MoveMatching. It never runs back: while it stays as it is, no reference
// between such entities was lost in a move.
func (q *Query) MoveCount() uint32 {
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.arch.crossings
	}
	return n
}

// MatchesArchetype reports whether the query matches the entities of an archetype, if
// filters are ignored.
func (q *Query) MatchesArchetype(a Archetype) bool { return q.matchOf(a.a) != nil }

// FiltersRows reports whether q may match some entities of an archetype and others
// not: what they have on or off decides.
func (q *Query) FiltersRows(a Archetype) bool {
	m := q.matchOf(a.a)
	return m != nil && m.rows != nil
}

// Unchanged reports whether a job over the query would find nothing to do: no chunk
// passes its Changed terms, and no job that could change that is under way. It
// does not wait; where it cannot tell without, it is false. It looks at
// archetypes, not at their chunks.
func (q *Query) Unchanged() bool {
	w := q.world
	w.refuseLent("Query.Unchanged")
	if q.closed || !q.watches() || w.inJob() {
		return false
	}
	if w.jobs.pending {
		w.jobs.after = w.jobs.tracker.Before(&q.access, w.jobs.after[:0])
		if !done(w.jobs.after) {
			return false
		}
	}
	return q.still(q.since)
}

// Declares reports whether the query that shows the chunk declares that it reads, or
// writes, the [Worldwide] type that accesses of world w know by an index. To write
// it is to read it too.
func (c *Chunk) Declares(w *World, index int) (reads, writes bool) {
	c.check("Chunk.Declares")
	if c.world.home != &w.tables {
		return false, false
	}
	for i := range c.binds {
		if b := &c.binds[i]; b.comp.worldwide && b.comp.index == index {
			return true, b.write
		}
	}
	return false, false
}

// ID returns a number that no other chunk of the world has. A chunk keeps it
// while it is there, whatever becomes of others before it in a loop, and also if all of its
// rows change their archetype where they are; then it is given to another one. The
// numbers are small: a slice with an element for each is the way to keep what one
// knows of chunks. Rows that came or went are told by [Chunk.OrderChangedSince].
func (c *Chunk) ID() int {
	c.check("Chunk.ID")
	return int(c.rec.id)
}
