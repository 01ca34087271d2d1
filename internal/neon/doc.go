// Package neon tests the NEON instructions that Go's assembler lacks. Each
// macro of kernels/neon_arm64.h must decode to the instruction in its comment,
// and the assembly must not contain forbidden instructions.
package neon
