// Package arm64 writes kernels for NEON.
//
// R0 holds the argument block, R1 the byte offset of the row, R2 the end of the whole vectors, and R3 is scratch. Loops take R4 to R25 from one end, streams
// from the other. V29, V30 and V31 are spare. The tail handles the rows after the last whole vector one by one, in element 0.
//
// Go's assembler lacks some instructions. They are macros of lanec_arm64.h with the sources first (encoding.go): LFSUB4S(m, n, d) is d = n - m.
package arm64
