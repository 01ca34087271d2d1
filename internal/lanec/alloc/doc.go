// Package alloc assigns the values of a kernel to registers, and to memory if
// there are too few (a linear scan).
//
// # Design
//
// Every value and both ends of every loop get a position (ranges.go). A value
// lives from its definition to its last use. A value from outside of a loop
// that is used inside lives until the loop's end, because the next iteration
// needs it too. A phi lives from the loop's beginning to its last use in the
// iteration. It lives again from the end of the iteration, where it gets its next
// value. So a phi and its next value can share a register.
//
// In the order of positions each value takes a register that is free during its
// whole life (alloc.go). It prefers the register of a value that it is moved to
// or from, or of an operand that is not used later, because this saves a move.
// If no register is free, the cheapest value goes to memory. The cost of a value is the
// number of its uses divided by the length of its life. Each loop around a use
// multiplies the use by ten.
package alloc
