// Package table keeps the memory of the chunks of a world: where each lane of each
// chunk lies. It knows nothing of entities, queries or systems; a chunk is a number of
// rows here, and a component some lanes.
//
// # Words
//
// A *shape* is the lanes that a chunk has, and how many rows are full. Archetypes whose
// chunks have the same lanes share one, so that a chunk that becomes one of another
// archetype stays where it is.
//
// A *bay* is memory for 1, 2, 4, 8 or 16 neighbouring chunks of a shape, its *slots*.
// In it each lane of all of them is one array: first the ids of slot 0, slot 1 and so on,
// then their first lane, and so on. A loop over the chunks in their order goes along as
// many streams as there are lanes, whatever the number of chunks. A shape has bays as
// large as half of the chunks that it has already, so that little is kept for nothing.
//
// A chunk with few rows that is the only one of its kind has a bay of one slot for 16, 64
// or 256 rows instead, and moves when it grows. The bay of the last one that has ended is
// kept until anything else ends: many chunks of one row begin and end in turns.
//
// A *place* is where the rows of one chunk are: the address of its ids, and a table of
// offsets from there to each lane, which all slots of one number in bays of one size
// share. So the way to a lane is the same, two loads, in all of them.
//
// # What must stay true
//
//   - The slots in use of all bays are the places handed out.
//   - A bay is in the list of its shape just if some of its slots are free, and not all.
//   - Which slot a chunk has depends on numbers only, never on addresses.
//   - Every lane begins on a multiple of 64 bytes, and there is memory for the rows
//     up to the next multiple of 16, or the capacity of a full chunk.
//
// # How large a chunk is
//
// A full chunk is what package chunk says: as many rows as fit in a block of chunk.Size bytes, and chunk.NewLayout takes
// no other size. Bays count in blocks, so larger chunks for some shapes would begin there, as a property of the
// layout. What else rests on the one size: small bays end at half of it (shape.go), a span of slabs is 16 of it at
// most (chunk.MaxSpan), masks of rows have bits for chunk.Size/8 of them (maxRows, maskWords in package ecs), package
// transform knows how many matrices fill a block, and capacities, by which rows are in one chunk or the next, are in hashes and
// files (docs/decisions/frozen.md).
package table
