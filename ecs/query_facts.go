package ecs

import "github.com/lanewise/lanewise/jobs/access"

// Access returns the components that jobs over q read and write, for an access.Tracker. The set grows as archetypes are made. It must not be
// changed.
func (q *Query) Access() *access.Access { return &q.access }

// OrderCount returns how often rows of the archetypes that the query matches came or went, or their chunks got another shared value. It
// counts in batches: to create or destroy any number of entities counts once; to add or remove a component counts in the archetype that the rows
// leave, and in the one that they enter. For a query with [WithShared] only rows with that value count; other filters are ignored. As long
// as the count stays the same, no row came or went. It never runs back, and each [Restore] moves it far ahead, so that a count from before
// the Restore does not equal one from after it.
func (q *Query) OrderCount() uint32 {
	q.world.refuseLent("Query.OrderCount")
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.orders()
	}
	return n
}

// MoveCount returns how many rows of the archetypes that the query matches have come from another world, or gone to one, by MoveEntities,
// MoveMatching, [Excerpt.Insert] or [Excerpt.DestroySource]. It never runs back. As long as it stays the same, no move between worlds has cut
// a reference between such entities.
func (q *Query) MoveCount() uint32 {
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.arch.crossings
	}
	return n
}

// MatchesArchetype reports whether the query matches the entities of an archetype, without a look at its filters.
func (q *Query) MatchesArchetype(a Archetype) bool { return q.matchOf(a.a) != nil }

// FiltersRows reports whether q may match some entities of an archetype and not others, because components are on for some rows and off for
// others.
func (q *Query) FiltersRows(a Archetype) bool {
	m := q.matchOf(a.a)
	return m != nil && m.rows != nil
}

// Unchanged reports whether a job over the query would find nothing to do: no chunk passes its Changed terms, and no job is under way that
// could change that. It does not wait, and returns false where only a wait could tell. It looks at archetypes, not at each chunk.
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

// Declares reports whether the query of the chunk declares that it reads, or writes, the [Worldwide] type that has an index in the accesses of
// world w. A query that writes it reads it too. Jobs may call it.
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

// ID returns a small number that no other chunk of the world has, so that a slice with an element for each number can hold facts about chunks. A
// chunk keeps its number as long as it exists, even if other chunks come or go, or if all of its rows move to another archetype in place. A later chunk may get the same number. [Chunk.OrderChangedSince]
// reports whether rows of the chunk came or went.
func (c *Chunk) ID() int {
	c.check("Chunk.ID")
	return int(c.rec.id)
}
