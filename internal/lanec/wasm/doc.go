// Package wasm writes a kernel of package kernels as Go source with the vectors
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
// Only whole vectors are computed with vectors. The generic body computes the remaining
// rows, so that a vector never has rows that must be masked.
//
// The instructions are those of the 128-bit proposal. Relaxed instructions are never
// used, because their results differ between machines. A multiplication and an addition
// are two instructions, so nothing is fused.
package wasm
