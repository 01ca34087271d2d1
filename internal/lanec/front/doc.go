// Package front translates a Go function with one loop over rows to a kernel of
// package ir. If it cannot, it reports the position, the problem and a remedy.
//
// # Words
//
// A lane is a slice that is read or written row by row; a stream is the representation
// of a lane in the kernel. A turn is an inner loop whose body is being translated. An
// inline is a call whose body is being translated. A span is the range of a loop over a
// part of a list; the rows of a group share such a part. A shape describes a loop
// without its body. A product is raw if Go may still fuse it.
//
// # Design
//
// The front visits the function once, in the order of execution. A value that
// depends on the row is a vector, and a variable is the [ir.Value] that it has
// at this point (flow.vars). Branches are removed: the kernel computes both sides of an
// if one after the other, and if a variable has different values on the two sides, it
// becomes a choice between them. A store that must not happen in all rows gets a mask.
// A condition remains a branch only if it has the same value in all rows.
//
// The mask of the active rows is the AND of two masks. The mask path has the rows in
// which the surrounding conditions are true. The mask live has the rows that have not
// left by break, continue or return. Nil means all rows.
//
// Exactness: on some CPUs Go may fuse a product with the sum that uses it. So for each
// value, the front tracks whether it may be such a product (val.raw is the position of
// the product), and refuses a sum that uses it. The remedy is a conversion of the
// product, as in lanewise-vet. A product remains raw if it gets a name or a minus sign,
// if it is stored or selected, or if it passes through a call of a helper, because Go's
// compiler sees through all of these.
//
// The package has these layers. Each layer may use the layers above it in the
// list, but not the layers below it. source and ops do not use each other:
//
//	source    the program: objects, types, constants, pure helpers (source.go, pure.go)
//	ops       operations: sums, quotients, wide integers, conversions of values (ops.go, arith.go, widen.go, divide.go)
//	scope     meanings of names and indices: parameters, lanes, arrays, literals (scope.go, signature.go, lane.go, matrix.go, literal.go, generic.go)
//	flow      the state at a point: active rows, values of variables and elements (flow.go, vars.go; clean.go tracks computed NaN)
//	compiler  statements, expressions, loops and calls: the operations for each form of Go
//
// A new operation goes into ops, with values as its arguments; a new form of Go
// goes into the file of its statement or expression.
//
// These invariants hold:
//
//   - Within a loop and after it, a variable that its body changes is a phi with
//     two arguments: the value before the loop, and the value at the end of an
//     iteration.
//   - A condition with the same value in all rows is a branch of the kernel
//     (fork in branch.go), whose variables are phis in the same way. It does not
//     change the set of active rows.
//   - The state of rows (path, live, cache) after a branch, a loop or a call is
//     that from before, except for the rows that have left.
//   - A 64-bit value in a kernel of width 32 restarts the translation with width
//     64. Nothing of the first attempt is kept, because widths are part of every
//     value.
//   - The front never guesses: unsupported code panics with a [Problem] at its
//     position, which Compile returns.
package front
