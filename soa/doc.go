// Package soa describes Go types as lanes (structure of arrays). Package soa splits a struct
// into one array per field, matches views to such arrays, and creates stand-alone columns.
//
//	type Positions struct{ X, Y, Z []float32 }
//
//	p := soa.Make[Positions](1000) // three lanes of zeros, 64-byte aligned
//	x := p.X
//	for i := range x {
//		x[i] = float32(i)
//	}
//	fmt.Println(len(p.X), cap(p.X)) // 1000 1008
//
// # Words
//
// A lane is one top-level field of a type, stored contiguously for many rows. A
// view is a struct of slices (or one plain slice) that shows lanes. The fields of a view have
// the names of the lanes. A column consists of all lanes of one type.
//
//	type Position struct{ X, Y, Z float32 }   // a row
//	type Positions struct{ X, Y, Z []float32 } // a view of its three lanes
//
//	rows    (x0 y0 z0) (x1 y1 z1) (x2 y2 z2) …
//
//	lane X  x0 x1 x2 x3 …    64-byte aligned
//	lane Y  y0 y1 y2 y3 …    64-byte aligned
//	lane Z  z0 z1 z2 z3 …    64-byte aligned
//
// # Promises
//
// A lane has the same size on every GOARCH, so chunks, files and hashes are the same on every
// machine. Package soa refuses a type that cannot keep this promise, or that the garbage collector
// would have to scan. The error names the path of the field, its type and a replacement.
//
// # Design
//
// Sizes follow the rules of 64-bit Go everywhere, because a layout that is
// computed on a 32-bit CPU must fit a file from a 64-bit CPU. Types whose size
// depends on the CPU (int, uint, uintptr) are refused for the same reason.
//
// Types with Go pointers are refused because lane memory is allocated as bytes. The garbage
// collector does not scan such memory, and would free the object to which a pointer refers.
//
// Lanes begin at multiples of 64 bytes, which is the size of a cache line and of the widest vector
// register. So no aligned vector load crosses the end of a cache line. Capacities are multiples
// of 16 rows, so a kernel may run over whole vectors without a tail.
package soa
