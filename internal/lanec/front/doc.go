// Package front turns a Go function with one loop over rows into a kernel of package ir, or says at which place it cannot, and what to
// write instead.
//
// It goes through the function once, in the order in which it runs. What depends on the row is a vector: a variable of the row is the
// [ir.Value] that it has at this place (flow.vars). Branches go as it meets them: both sides of an if are computed one after the
// other, each variable that they leave different becomes a choice between the two, and what must not happen in all rows, a store,
// stands under a mask; except for conditions that all rows share, which are branches. The mask has two halves: path is which rows the conditions around
// this place let in, live is which rows no break, continue or return has taken. Nil is all rows.
//
// Exactness: Go may fuse a product with the sum that it meets, on some CPUs. The front therefore knows of each value whether it may
// be such a product (val.raw, the place where it is made) and refuses the sum; the remedy, a conversion, is the one that package
// lanewise-vet proposes, too. Names, minus signs, choices, stores and calls of helpers keep a product raw, because Go looks through
// them.
//
// # Where things are
//
// Layers, each of which has those above it and knows nothing of those below:
//
//	source    what is read: objects, types, constants, helpers that are pure (source.go, pure.go)
//	ops       what is computed: sums, quotients, wide integers, conversions of values (ops.go, arith.go, widen.go, divide.go)
//	scope     what names and indices stand for: parameters, lanes, arrays, literals (scope.go, signature.go, lane.go, matrix.go, literal.go, generic.go)
//	flow      what holds at a place: which rows are here, what their variables and elements are (flow.go, vars.go; clean.go has what may be a NaN)
//	compiler  statements, expressions, loops and calls: which operation stands for what is read
//
// Source and ops know nothing of each other.
//
// A new operation goes into ops, with values as its arguments; a new form of Go into the file of its statement or expression.
//
// # The words and what holds
//
// A lane is a slice that is read or written row by row, a stream what the kernel has of it; a turn is a loop inside of the row
// whose body is being read, an inline a call whose body is; a shape is what is said of a loop before its body. Raw is said of a
// product that Go may still fuse.
//
//   - Within a loop and behind it a variable that its body changes is a phi with two arguments: what it was before, and what it is at
//     the end of a turn.
//   - A condition that all rows share is a branch of the kernel (fork in branch.go), whose variables are phis in the same way; within it nothing is said
//     of rows that was not before.
//   - What is said of rows (path, live, cache) is behind a branch, a loop or a call what it was before, except for the rows that
//     have left for good.
//   - A value of 64 bits met in a kernel of 32 begins it anew with 64: nothing of the first attempt is kept.
//   - Nothing is guessed: what is not understood panics with a [Problem] of its place, which Compile returns.
package front
