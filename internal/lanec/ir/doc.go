// Package ir is the intermediate form of a kernel between lanec's front and its
// emitters.
//
// # Words
//
// A kernel is a tree. A [Region] is a list of values and loops in the order of
// execution. A [Loop] has a region for its body. A loop with a condition also
// has a region for its head. A [Value] is one vector: each element belongs to
// one row.
//
// A stream is a slice that the kernel reads or writes, by row or by the counter
// of a loop. A scalar is a parameter with the same value for all rows. A phi is
// a variable that a loop changes. Args[0] is its value before the loop, and
// Args[1] is its value at the end of an iteration. After the loop, a phi has the value
// that it had at the end of the last iteration; in a loop with a condition, this is the
// value for which the condition was tested last.
//
// # Design
//
// There are no branches except loops, because a vector contains rows that take
// either branch. The front has replaced every if by a choice between two
// values, a [Sel]; effects that happen in only some rows have a mask. A
// condition with the same value in all rows is a loop with at most one
// iteration.
//
// Invariants: the arguments of a value come before the value, in the same region or in
// a surrounding one. The second argument of a phi is the only exception. Pure values
// are numbered. If a value is visible at the position of another value, the two are not
// equal. Each value is in the outermost region that has all of its arguments, so loops
// compute nothing twice.
package ir
