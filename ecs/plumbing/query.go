package plumbing

import "github.com/lanewise/lanewise/ecs"

// ChunkID returns a number that no other chunk of the world has. A chunk keeps it
// while it is there, whatever becomes of others before it in a loop, and also if all of its
// rows change their archetype where they are; then it is given to another one. The
// numbers are small: a slice with an element for each is the way to keep what one
// knows of chunks. Rows that came or went are told by [ecs.Chunk.OrderDidChange].
func ChunkID(c *ecs.Chunk) int { return plumbing.ChunkID(c) }

// OrderCount returns how often rows of the archetypes that the query matches came
// or went, as tool.OrderCountOf counts; of a query with [ecs.Only], rows that have
// the value. Other filters are not heeded. It never runs back, and each [ecs.Restore] makes it
// another one, far ahead.
func OrderCount(q *ecs.Query) uint32 { return plumbing.OrderCount(q) }

// CrossingCount returns how many rows of the archetypes that the query matches have
// come from other worlds, or gone there, by rows.MoveFrom and
// rows.MoveMatchingFrom. It never runs back: while it stays as it is, no reference
// between such entities was lost in a move.
func CrossingCount(q *ecs.Query) uint32 { return plumbing.CrossingCount(q) }

// Takes reports whether the query matches the entities of an archetype, if
// filters are ignored.
func Takes(q *ecs.Query, a ecs.Archetype) bool { return plumbing.Takes(q, a) }

// TakesRows reports whether q may match some entities of an archetype and others
// not: what they have on or off decides.
func TakesRows(q *ecs.Query, a ecs.Archetype) bool { return plumbing.TakesRows(q, a) }

// Quiet reports whether a job over the query would find nothing to do: no chunk
// passes its Changed terms, and no job that could change that is under way. It
// does not wait; where it cannot tell without, it is false. It looks at
// archetypes, not at their chunks.
func Quiet(q *ecs.Query) bool { return plumbing.Quiet(q) }
