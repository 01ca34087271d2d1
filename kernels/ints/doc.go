// Package ints computes with lanes of integers: arithmetic, bits, comparisons
// that make masks, and sums, extremes and counts over all rows. It has SIMD
// code for AVX2, AVX-512 and NEON.
//
//	ints.Add(hp, hp, healing)             // hp[i] += healing[i]
//	ints.Clamp(hp, hp, 0, 100)
//	ints.AtMost(dead, hp, 0)              // bit i is set where hp[i] <= 0
//	n := kernels.Count(dead)
//	total := ints.Sum(hp)                 // an int64, for each type of hp
//
// # Words
//
// A lane is a slice of int32, uint32, int64 or uint64. An operand is a lane; a
// scalar is one number for all rows. The destination is the first operand. It may be
// the same lane as an operand that is read. Masks are the masks of package kernels: bit
// i%64 of word i/64 belongs to row i.
//
// # Promises
//
// Arithmetic is Go's: it wraps around. A result does not depend on the CPU or
// on [kernels.Path]. Lengths are checked before the first row is written.
//
// # Design
//
// Each kernel is a loop in Go, compiled by lanec for the vectors of each CPU.
// That loop is the specification, and the code that runs on CPUs without
// vectors.
//
// Sums, differences, products and bit operations do not depend on the sign, so
// int32 and uint32 share a loop, as do int64 and uint64.
//
// A reduction has two steps, because lanec compiles only loops whose rows are
// independent. A kernel first adds or compares several parts of a block row by row,
// which leaves one short block of results. Then a Go loop reduces this block.
//
// A comparison writes floats for a block of rows; the sign of each float is the
// answer. kernels.Below converts these signs to bits, because it has an
// instruction for that.
package ints
