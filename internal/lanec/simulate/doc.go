// Package simulate runs the AVX-512 assembly of lanec on any CPU, for tests. It
// parses the text, and executes each instruction element by element, as Intel's
// manual (volume 2) defines it.
//
// # Design
//
// A program consists of the functions of a text and its constants. A segment is
// memory that a function may access, such as a lane. An access outside of all segments
// panics. The text of the panic begins with the function and the line.
//
// An instruction that is not in the table is an error. The table has no
// instructions that fuse a product with a sum or return an estimate, because
// their results would not be exact. The table also has no instructions that the emitter
// never writes.
//
// Registers and the frame have arbitrary contents at the beginning. So do all
// registers after a call of Go. Such a call also moves the frame and the
// argument block, because it may grow the stack.
package simulate
