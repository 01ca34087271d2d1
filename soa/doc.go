// Package soa describes Go types as lanes: it splits a struct into one array
// per field, matches views to such arrays, and makes stand-alone columns.
//
// # Words
//
// A lane is one top-level field of a type, stored contiguously for many rows.
// A view is a struct of slices (or one plain slice) that shows lanes; its
// fields name them. A column is all lanes of one type.
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
// Lanes have the same sizes on every GOARCH, so that whatever is laid out by
// them is laid out alike on every machine: sizes follow the rules of 64-bit Go,
// and types whose size depends on the CPU (int, uint, uintptr) are refused.
// Types that hold Go pointers are refused too: lane memory is not scanned by
// the garbage collector. A refusal is an error that names the path of the
// field, its type and what to use instead.
package soa
