// Package ints computes with lanes of integers: sums, products, bits, comparisons that
// make masks, sums and extremes of all rows, counts.
//
//	ints.Add(hp, hp, healing)             // hp[i] += healing[i]
//	ints.Clamp(hp, hp, 0, 100)
//	ints.AtMost(dead, hp, 0)              // bit i is set where hp[i] <= 0
//	n := kernels.Count(dead)
//	total := ints.Sum(hp)                 // an int64, whatever hp has
//
// Lanes are of int32, uint32, int64 or uint64. Arithmetic is Go's: it wraps around, and
// a result does not depend on the CPU or on [kernels.Path]. Masks are those of package
// kernels: bit i%64 of word i/64 belongs to row i.
//
// # Words
//
// An operand is a lane; a scalar is one number for all rows. A place is the lane that a
// result goes to: the first operand, which may also be one that is read.
//
// # How it works
//
// Each kernel is a loop in Go, compiled by lanec for the vectors of each CPU: that loop
// is what runs where there are none, and what it means. The bits of sums, products and the
// like do not depend on the sign, so int32 and uint32 share a loop, as do int64 and
// uint64. What has one result for all rows is done in two steps: a kernel adds (or
// compares) eight parts of a block row by row, and a loop what it has made. A
// comparison writes -1 or 0 as floats for a block of rows, and kernels.Below makes bits of
// their signs.
package ints
