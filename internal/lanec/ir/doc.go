// Package ir is the form in which lanec holds a kernel between its front and its emitters.
//
// A kernel is a tree: a [Region] is a list of values and loops in the order in which they happen, a [Loop] has a region for its
// body and, if it has a condition, one for its head. A [Value] is one vector: each element belongs to one row. There are no
// branches but those of loops: the front has turned every if into a choice between two values, a [Sel], and what happens only in
// some rows stands under a mask; where all rows share a condition, it is a loop that turns once or not at all.
//
// Words: a stream is a slice that the kernel reads or writes, by row or by the counter of a loop; a scalar is a parameter that is
// the same for all rows; a phi is a variable that a loop changes: Args[0] is its value before the loop, Args[1] the one at the end
// of a turn, and after the loop it is what the last turn began with, or left.
//
// Invariants: the arguments of a value stand before it, in its own region or in one around it, except for the second argument of
// a phi. Pure values are numbered: no two of them that are visible from each other are equal, and each stands in the outermost
// region that has all of its arguments.
package ir
