// Package alloc decides which value of a kernel stands in which register, and which are kept in memory.
//
// Every value and both ends of every loop get a position (ranges.go). A value lives from its own to its last use; one from outside of
// a loop that is used in it lives until the loop's end. A phi lives from the loop's begin to its last use in the turn and again from
// the end of the turn on, where it takes its next value: so both can share a register. In the order of these positions each value
// takes a register that is free all the while (alloc.go), best the one of the value that it is moved to or from, or of an operand
// that ends there. Where none is free, the cheapest goes to memory: uses, counted tenfold for each loop around them, by length.
package alloc
