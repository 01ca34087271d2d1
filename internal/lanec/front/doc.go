// Package front turns a Go function with one loop over rows into a kernel of package ir, or says at which place it cannot, and what to
// write instead.
//
// It goes through the function once, in the order in which it runs. What depends on the row is a vector: a variable of the row is the
// [ir.Value] that it has at this place (compiler.vars). Branches go as it meets them: both sides of an if are computed one after the
// other, each variable that they leave different becomes a choice between the two, and what must not happen in all rows, a store,
// stands under a mask. The mask has two halves: path is which rows the conditions around this place let in, live is which rows no
// break, continue or return has taken. Nil is all rows.
//
// Exactness: Go may fuse a product with the sum that it meets, on some CPUs. The front therefore knows of each value whether it may
// be such a product (val.raw, the place where it is made) and refuses the sum; the remedy, a conversion, is the one that package
// lanewise-vet proposes, too. Names, minus signs, choices, stores and calls of helpers keep a product raw, because Go looks through
// them.
package front
