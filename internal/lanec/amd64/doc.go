// Package amd64 writes kernels for x86: AVX2 and AVX-512.
//
// Both have the same skeleton (emit.go): the loop over whole vectors, then the rest of the rows once more, under a mask, so that no byte
// beyond the last row is read or written. DI holds the argument block, CX the row, DX the end of the whole vectors; loops and
// streams have the other general registers, and a stream that has none is fetched from the block into AX. The two differ in
// what a mask is: on AVX2 a vector of ones and zeros (avx2.go), on AVX-512 a register of one bit a row (avx512.go).
//
// Y14 and Y15, Z30 and Z31, K0, K1 and K2 are spare: operands that stand in memory come through them. K7 is which elements are rows.
package amd64
