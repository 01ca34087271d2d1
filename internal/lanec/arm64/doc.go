// Package arm64 writes kernels for NEON.
//
// R0 holds the address of the argument block, R1 the byte offset of the row, and R2 the end of the whole vectors. R3 is scratch. Loops and streams
// share R4 to R25: loops take registers from one end, streams from the other. V29, V30 and V31 are spare. The tail handles the rows after the last
// whole vector one by one, in element 0.
//
// Go's assembler lacks some instructions. They are macros in lanec_arm64.h (encoding.go). The operands of a macro are the sources and then the
// destination: LFSUB4S(m, n, d) is d = n - m.
package arm64
