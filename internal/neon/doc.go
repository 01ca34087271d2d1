// Package neon holds the tests of the NEON instructions that the assembler cannot
// spell: each macro of kernels/neon_arm64.h decodes to what its comment says, and
// the assembly has nothing in it that must not be there.
package neon
