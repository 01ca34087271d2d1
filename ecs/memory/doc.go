// Package memory gives memory of worlds back: that of worlds which have become small, have holes, or were changed at random for long.
//
//	memory.Compact(w)                               // chunks lie side by side; rows stay
//	memory.Defragment(w)                            // fewer chunks; rows move
//	ecs.NewWorld("name", memory.CompactAbove(0.5, 8<<20)) // Sync calls Compact when it is worth it
//
// # The words
//
// A slab is a piece of the Go heap that chunks are carved from. Memory is live as long as it is of a chunk; what of a slab is not is kept for
// the next chunks. Rows are closer together the fewer chunks they need.
//
// # What holds
//
// [Compact] changes where chunks are and nothing that a program can ask of entities: rows stay in their chunks, in their order. [Defragment] changes in which
// chunk rows are, and so their order in loops and the hash. What either does depends on numbers of rows, chunks and bytes, never on addresses, times or
// what the collector has done, which is why a world may do so by itself and still be the same everywhere.
//
// What a world takes is in [ecs.Stats]. All of it is for the owner of a world, is a structural change, and gives the same chunks and rows on
// every machine and with any number of workers. Package ecs has what is behind it (ecs/compact.go, ecs/packing.go), and its errors, which
// begin with "ecs: memory.".
package memory

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// dynamic is where the bodies are. It has no fields: a call of a method is a call of that function.
var dynamic = ecs.Dynamic(sister.Key{}).Memory()

// Compact moves all chunks to new memory, where they lie side by side in the order of loops,
// those with few rows that are alone in their archetype, or the only ones of their shared
// values, in small pieces, and gives all other memory back to the Go heap. Call it when
// a world has become much smaller, or has been changed at random for long: it takes about as
// long as a copy of all rows, and twice the memory while it works.
//
// It is a structural change, as views end, but rows stay in their chunks, in their order: the
// hash is the same. [ecs.Stats] tells the difference, and every chunk counts as one whose rows
// came or went ([ecs.OrderChanged], plumbing.OrderCount), for whoever keeps columns until then.
func Compact(w *ecs.World) error { return dynamic.Compact(w) }

// Defragment joins chunks that are not full, so that each archetype, and of one with shared
// components each of their values, has as few chunks as its rows need, and does what
// [Compact] does then. Call it after many entities have been destroyed here and there:
// loops over half-empty chunks take the time of twice as many rows.
//
// It is a structural change, and unlike Compact one that is seen: rows move, so loops meet
// them in another order, and the hash is another one. The fullest chunks stay, in their order,
// the first of those with equally many rows, and the rows of the others go behind theirs: the
// fewest move, and on all machines, with any number of workers, the same ones. Entities keep their ids and all they have. No value counts as written: what rows
// came to is as new as the newest of both chunks for [ecs.Changed], so that nothing is
// missed, and rows have come and gone for [ecs.OrderChanged]. Rows find the chunk components
// ([ecs.PerChunk]) of the chunk that they come to.
func Defragment(w *ecs.World) error { return dynamic.Defragment(w) }

// CompactAbove has [ecs.World.Sync], which ends each frame of a world with systems, call
// [Compact] when more of the world's slabs is of no chunk than the given share of their
// bytes, and no less than so many bytes: Stats.Bytes less Stats.Live. It looks at numbers
// that are the same on every machine and with any number of workers, and only at them. Such
// a Sync is a structural change, which ends views; where there cannot be one, as in a loop over
// chunks, it does not call Compact. Without this option, or with a share of 1, no Sync does.
//
// As an Option is a function, CompactAbove(0.5, 8<<20)(w) does so to a world that is there. It
// panics with an *ecs.Error if the share is not 0 to 1, or bytes is below 0.
func CompactAbove(share float64, bytes int) ecs.Option { return dynamic.CompactAbove(share, bytes) }
