// Package table manages the memory of the chunks of a world: it decides where each lane of each
// chunk is. It does not depend on entities, queries or systems. For this package, a chunk is a
// number of rows, and a component is a list of lanes.
//
// # Concepts
//
// A *shape* is the list of lanes of a chunk, and the number of rows of a full chunk. Archetypes
// whose chunks have the same lanes share a shape, so that a chunk can move to another archetype
// without moving in memory.
//
// A *block* is memory for 1, 2, 4, 8 or 16 neighbouring chunks of a shape. Each chunk uses one of
// the block's *slots*. In a block, each lane forms one array for all slots: first the ids of slot
// 0, slot 1 and so on, then the first lane of slot 0, slot 1 and so on. Therefore a loop over the
// chunks in order reads one memory stream for each lane, for any number of chunks. The number of
// slots of a new block is at most the number of chunks that the shape already has. So little
// memory is unused.
//
// If a chunk with few rows is the only chunk of its archetype, it gets a small block with one slot
// for 16, 64 or 256 rows. When such a chunk outgrows its block, it moves to another block. When
// the last chunk of a small block is freed, the block is kept until another chunk is freed,
// because programs often create and free a chunk of one row repeatedly.
//
// A *place* says where the rows of one chunk are. It consists of the address of the ids, and a
// table with the offset from this address to each lane. Slots that have the same number in
// blocks of the same size share a table. Therefore two loads always suffice to find the
// address of a lane.
//
// # Design
//
//   - The used slots of all blocks are exactly the places that Take and its relatives have returned.
//   - The list of partial blocks of a shape has exactly the blocks with both free and used slots, so that a free slot is found without a search.
//   - The slot of a chunk depends only on numbers and never on addresses, so that two runs have the same layout.
//   - Every lane begins on a multiple of 64 bytes. There is memory for the rows up to the next multiple of 16, or for
//     the capacity of a full chunk, because kernels may read and write 16 rows at a time.
//
// # The size of a chunk
//
// A full chunk has as many rows as fit in chunk.Size bytes, because chunk.NewLayout supports no other size.
// The size of a block is a multiple of chunk.Size. To give some shapes larger chunks, the layout would
// have to contain their size. The following also depend on this single size: small chunks are at most
// half of it; a span of slabs is at most 16 of it (chunk.MaxSpan); masks of rows have chunk.Size/8 bits
// (maxRows, maskWords in package ecs); package transform knows the number of matrices in a chunk; and
// hashes and files contain capacities, which decide which rows share a chunk (docs/decisions/frozen.md).
package table
