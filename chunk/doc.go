// Package chunk computes the layout of chunks, which hold the rows of an
// archetype lane by lane, and allocates memory for them. A chunk has as many
// rows as fit in a block of 16 KiB.
//
//	position, err := soa.Lanes(reflect.TypeFor[Position]()) // three float32
//	l, err := chunk.NewLayout([][]soa.Lane{position}, 0)
//	fmt.Println(l.Capacity, "rows,", l.Columns[0].Offsets)
//
//	var s chunk.Slabs // ready, without memory
//	span := s.Get(chunk.Size)
//	copy(span.Memory(), data)
//	s.Put(span)
//
// # A block
//
// All 16,384 bytes of a block belong to lanes. A block has no header, because the owner of the
// memory stores the number of live rows, their versions and shared values elsewhere. The
// following block holds entities with a position and a velocity, 512 rows of 8 + 12 + 12 bytes:
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
// This is the layout of a single chunk. Package ecs stores up to sixteen neighbouring chunks
// lane by lane in one region, which has one block for each chunk. A chunk of few rows is stored
// in less than a block. The capacity of a chunk is the same in all these cases.
//
// # Words
//
// A Layout holds the offset of each lane of an archetype and the number of rows that fit. A
// Span is a piece of memory for chunks. A Span consists of adjacent blocks, or is a piece of
// one block. Slabs are larger pieces of the Go heap, from which spans are carved.
//
// # Promises
//
// A Layout is a pure function of the lanes: it is the same on every machine.
// [Slabs] chooses memory by numbers and never by addresses. Slabs allocates only if no slab has
// a free run that is long enough.
//
// # Design
//
// Every lane starts at a multiple of 64 bytes, because a vector register is at
// most that wide. If the rows do not fill the last 64 bytes of a lane, these
// bytes stay unused.
//
// The rows after the live rows, up to the next multiple of 16, are scratch rows. Kernels may read
// and write scratch rows, so that they need no tail. Therefore no result may depend on the
// contents of scratch rows.
//
// Slabs hold no Go pointers, so that the garbage collector does not scan them.
//
// [Size] is one constant, and [NewLayout] accepts no other size. The size is a constant because
// other code also depends on it: package ecs has masks with a bit for each row of a block.
package chunk
