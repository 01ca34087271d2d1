// Package simulate runs the AVX-512 assembly that lanec writes, on any CPU: it reads the text and does what Intel's manual (volume 2) says of each
// instruction, element by element. It is for tests.
//
// A program is the functions of a text and its constants. A segment is memory that a function may touch, such as a lane: an access outside of all
// segments is a panic, whose text begins with the function and the line. An instruction that is not in the table is an error: those that fuse a
// product with a sum or give an estimate are not, on purpose, nor is what the emitter never writes.
//
// Registers and the frame hold anything at the beginning, and all registers do so again after a call of Go, which moves the frame and the argument
// block, too.
package simulate
