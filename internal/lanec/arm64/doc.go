// Package arm64 writes kernels for NEON.
//
// R0 holds the argument block, R1 the byte of the row, R2 the end of the whole vectors, R3 is for work; R4 to R25 hold streams and
// the counters of loops, from both ends. V29, V30 and V31 are spare. The rows after the last whole vector are done one by one, in element 0.
// Instructions that Go's assembler cannot spell are macros of lanec_arm64.h, sources first: LFSUB4S(m, n, d) is d = n - m.
package arm64
