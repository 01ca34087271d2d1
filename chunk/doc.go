// Package chunk holds rows: it gives the lanes of an archetype their places in
// a 16 KiB block, and hands out such blocks.
//
// # A block
//
// All 16,384 bytes of a block are lanes. There is no header: how many rows are
// live, their versions and shared values are kept by whoever owns the block.
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
// # Words
//
// A Block is the memory. A Layout says where each lane of an archetype starts
// and how many rows fit; it is a pure function of the lanes and the same on
// every machine. Slabs are larger pieces of the Go heap that blocks are carved
// from; they hold no Go pointers, so the garbage collector does not scan them.
package chunk
