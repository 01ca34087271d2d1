// Package chunk holds rows: it says how many rows of an archetype a chunk has, which
// is as many as fit in a block of 16 KiB, and hands out memory for them.
//
// # A block
//
// All 16,384 bytes of a block are lanes. There is no header: how many rows are
// live, their versions and shared values are kept by the owner of the memory.
// This is the block of entities with a position and a velocity, 512 rows of
// 8 + 12 + 12 bytes:
//
//	    0 ┌──────────────────────────────────┐
//	      │ entity ids    512 × 8 bytes      │
//	 4096 ├──────────────────────────────────┤ ┐
//	      │ Position.X    512 × 4 bytes      │ │
//	 6144 ├──────────────────────────────────┤ │ stride 2048
//	      │ Position.Y                       │ │
//	 8192 ├──────────────────────────────────┤ │
//	      │ Position.Z                       │ │
//	10240 ├──────────────────────────────────┤ ┘
//	      │ Velocity.X  Velocity.Y  …        │
//	16384 └──────────────────────────────────┘
//
// Every lane starts on a multiple of 64 bytes; where the rows do not fill the
// last 64 bytes of a lane they stay unused. Rows past the live ones, up to the
// next multiple of 16, are scratch: kernels may read and write them, so that
// they need no tail, and nothing may depend on them.
//
// So lie the lanes of a chunk that is alone. Package ecs lets up to sixteen
// neighbouring chunks lie lane by lane, in a region of as many blocks, and gives a
// chunk of few rows less than a block; capacities are the same.
//
// # Words
//
// A Layout says where each lane of an archetype starts and how many rows fit; it is
// a pure function of the lanes and the same on every machine. A Span is memory for
// chunks: some blocks, or a piece of one. Slabs are larger pieces of the Go heap that
// spans are carved from; they hold no Go pointers, so the garbage collector does not
// scan them.
//
// # The size of a block
//
// [Size] is one constant, and [NewLayout] takes no other. Layouts and slabs are made of it here; package table, below ecs, says
// in its doc.go what else rests on it.
package chunk
