// Package amd64 writes kernels for x86: AVX2 and AVX-512.
//
// An emitter writes the parts that both paths share: the frame and the registers (emit.go), the loops over whole vectors and the masked tail (loop.go),
// operands (operand.go), loads that are memory operands (fold.go), gathers and scatters (gather.go), and the calls that let Go stop the
// world (yield.go). Each path writes its vector instructions: avx2.go and avx512.go. The paths differ mainly in the masks. On AVX2, a mask is a
// vector whose elements are all ones or all zeros; on AVX-512, it is a register with one bit per row.
//
// The tail runs the body once more under a mask, so it neither reads nor writes a byte after the last row.
//
// DI holds the address of the argument block, CX the row, and DX the end of the whole vectors. Loops and
// streams share the other general registers. If a stream has no register, its base address is loaded from the
// block into AX. Y14 and Y15, Z30 and Z31, K0, K1 and K2 are spare: values in memory are loaded into them. K7
// is the mask of the rows.
package amd64
