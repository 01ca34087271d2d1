// Package wasm writes a kernel as Go source with the vectors
// of package simd/archsimd, which Go 1.27 compiles to 128-bit instructions of
// WebAssembly.
//
// # Design
//
// WebAssembly has no assembler in Go, so the body is Go. Each value of the
// intermediate form is one statement, and the Go compiler allocates registers. Floats are
// vectors of floats. Integers and masks are vectors of unsigned integers, because most
// operations on them are operations on bits.
//
// Only whole vectors are computed with vectors. The source of the kernel computes the remaining
// rows, so that a vector never has rows that must be masked. The source also computes a vector in which an index is
// out of range, so that it panics as the source does.
//
// WebAssembly reads and writes elements at computed indices one by one, and shifts each element by its own number of bits one by one. So a
// kernel that does little else runs its Go source.
//
// The instructions are those of the 128-bit proposal. Relaxed instructions are never
// used, because their results differ between machines. A multiplication and an addition
// are two instructions, so nothing is fused.
package wasm
