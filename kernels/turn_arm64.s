//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"
#include "sincos_arm64.h"

// Turns made, blended and compared: the NEON path. As in vector_arm64.s the
// macros hold the arithmetic, in the order of the generic bodies, and every
// kernel stands twice.

// The polynomials of arc.go, each coefficient in a vector.
DATA arcF32<>+0(SB)/4, $0x1.595c58p-5 // arc32A
DATA arcF32<>+4(SB)/4, $0x1.595c58p-5 // arc32A
DATA arcF32<>+8(SB)/4, $0x1.595c58p-5 // arc32A
DATA arcF32<>+12(SB)/4, $0x1.595c58p-5 // arc32A
DATA arcF32<>+16(SB)/4, $0x1.8c3e54p-6 // arc32B
DATA arcF32<>+20(SB)/4, $0x1.8c3e54p-6 // arc32B
DATA arcF32<>+24(SB)/4, $0x1.8c3e54p-6 // arc32B
DATA arcF32<>+28(SB)/4, $0x1.8c3e54p-6 // arc32B
DATA arcF32<>+32(SB)/4, $0x1.747bb8p-5 // arc32C
DATA arcF32<>+36(SB)/4, $0x1.747bb8p-5 // arc32C
DATA arcF32<>+40(SB)/4, $0x1.747bb8p-5 // arc32C
DATA arcF32<>+44(SB)/4, $0x1.747bb8p-5 // arc32C
DATA arcF32<>+48(SB)/4, $0x1.330204p-4 // arc32D
DATA arcF32<>+52(SB)/4, $0x1.330204p-4 // arc32D
DATA arcF32<>+56(SB)/4, $0x1.330204p-4 // arc32D
DATA arcF32<>+60(SB)/4, $0x1.330204p-4 // arc32D
DATA arcF32<>+64(SB)/4, $0x1.5555c8p-3 // arc32E
DATA arcF32<>+68(SB)/4, $0x1.5555c8p-3 // arc32E
DATA arcF32<>+72(SB)/4, $0x1.5555c8p-3 // arc32E
DATA arcF32<>+76(SB)/4, $0x1.5555c8p-3 // arc32E
GLOBL arcF32<>(SB), RODATA|NOPTR, $80
DATA arcF64<>+0(SB)/8, $0x1.0570df792855cp-5 // arc64A
DATA arcF64<>+8(SB)/8, $0x1.0570df792855cp-5 // arc64A
DATA arcF64<>+16(SB)/8, $(-0x1.09dccda3b8c23p-6) // arc64B
DATA arcF64<>+24(SB)/8, $(-0x1.09dccda3b8c23p-6) // arc64B
DATA arcF64<>+32(SB)/8, $0x1.3ffa876d8e42bp-6 // arc64C
DATA arcF64<>+40(SB)/8, $0x1.3ffa876d8e42bp-6 // arc64C
DATA arcF64<>+48(SB)/8, $0x1.abc7394bbc58cp-8 // arc64D
DATA arcF64<>+56(SB)/8, $0x1.abc7394bbc58cp-8 // arc64D
DATA arcF64<>+64(SB)/8, $0x1.8ec3dfa22b9bcp-7 // arc64E
DATA arcF64<>+72(SB)/8, $0x1.8ec3dfa22b9bcp-7 // arc64E
DATA arcF64<>+80(SB)/8, $0x1.c6fda16a1ae65p-7 // arc64F
DATA arcF64<>+88(SB)/8, $0x1.c6fda16a1ae65p-7 // arc64F
DATA arcF64<>+96(SB)/8, $0x1.1c6be326aec70p-6 // arc64G
DATA arcF64<>+104(SB)/8, $0x1.1c6be326aec70p-6 // arc64G
DATA arcF64<>+112(SB)/8, $0x1.6e89f4293dd18p-6 // arc64H
DATA arcF64<>+120(SB)/8, $0x1.6e89f4293dd18p-6 // arc64H
DATA arcF64<>+128(SB)/8, $0x1.f1c72c39cceafp-6 // arc64I
DATA arcF64<>+136(SB)/8, $0x1.f1c72c39cceafp-6 // arc64I
DATA arcF64<>+144(SB)/8, $0x1.6db6db427850fp-5 // arc64J
DATA arcF64<>+152(SB)/8, $0x1.6db6db427850fp-5 // arc64J
DATA arcF64<>+160(SB)/8, $0x1.333333336e82dp-4 // arc64K
DATA arcF64<>+168(SB)/8, $0x1.333333336e82dp-4 // arc64K
DATA arcF64<>+176(SB)/8, $0x1.5555555555390p-3 // arc64L
DATA arcF64<>+184(SB)/8, $0x1.5555555555390p-3 // arc64L
GLOBL arcF64<>(SB), RODATA|NOPTR, $192
DATA halfPi32<>+0(SB)/4, $0x1.921fb6p+0
GLOBL halfPi32<>(SB), RODATA|NOPTR, $4
DATA halfPi64<>+0(SB)/8, $0x1.921fb54442d18p+0
GLOBL halfPi64<>(SB), RODATA|NOPTR, $8
DATA half32<>+0(SB)/4, $0.5
GLOBL half32<>(SB), RODATA|NOPTR, $4
DATA half64<>+0(SB)/8, $0.5
GLOBL half64<>(SB), RODATA|NOPTR, $8

// SERIES32 and SERIES64 set V16 to the polynomial of arc.go in V6. They spoil V17.
#define SERIES32 \
	FMOVQ (R13), F16;                                    \
	FMOVQ 16(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 32(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 48(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 64(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16)

#define SERIES64 \
	FMOVQ (R13), F16;                                     \
	FMOVQ 16(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16);  \
	FMOVQ 32(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16);  \
	FMOVQ 48(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16);  \
	FMOVQ 64(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16);  \
	FMOVQ 80(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16);  \
	FMOVQ 96(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16);  \
	FMOVQ 112(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 128(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 144(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 160(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16); \
	FMOVQ 176(R13), F17; MUL(6, 16, 16); ADD(17, 16, 16)

// BLEND stores one lane of V7*a + V17*b.
#define BLEND(LOAD, STORE, a, b, q) \
LOAD(a, F4); LOAD(b, F5); MUL(7, 4, 4); MUL(17, 5, 5); ADD(5, 4, 4); STORE(F4, q)

// SLERP_BODY looks at a and b before it loads them for good. It needs t in V10,
// 0, ½ and π/2 in V23, V24 and V26, the polynomial of arc.go at R13.
#define SLERP_BODY(LOOK, LOAD, STORE, SERIES) \
	LOADX4(LOOK); LOADY4(LOOK);                                      \
	DOT3; MUL(7, 3, 17); ADD(17, 16, 3);                             \ // d
	ABS(3, 0); CMGT(31, 0, 17); VBIT V17.B16, V31.B16, V0.B16;       \ // c
	SUB(0, 31, 1); ADD(31, 0, 2); MUL(1, 2, 2); SQRT(2, 2);          \ // r
	HALVE(1, 4); SQRT(4, 5); MUL(0, 0, 6);                           \ // θ = acos c
	CMGT(24, 0, 25);                                                 \ // c > ½
	VBIT  V25.B16, V4.B16, V6.B16;                                   \
	VBIF  V25.B16, V0.B16, V5.B16;                                   \
	SERIES;                                                          \
	MUL(6, 5, 17); MUL(16, 17, 17); ADD(5, 17, 17);                  \ // asin
	ADD(17, 17, 18); SUB(17, 26, 4); VBIT V25.B16, V18.B16, V4.B16;  \
	MUL(10, 4, 4);                                                   \
	SINCOS;                                                          \
	DIV(2, 19, 19); CMGT(23, 2, 16);                                 \ // r > 0
	VBSL  V10.B16, V19.B16, V16.B16;                                 \ // v
	MUL(0, 16, 18); SUB(18, 7, 7);                                   \ // u
	CMGT(3, 23, 17); NEG(16, 18); VBSL V16.B16, V18.B16, V17.B16;    \ // d < 0
	BLEND(LOAD, STORE, R4, R8, R0); BLEND(LOAD, STORE, R5, R9, R1);  \
	BLEND(LOAD, STORE, R6, R10, R2); BLEND(LOAD, STORE, R7, R11, R3)

// EACHSLERP runs it on all rows.
#define EACHSLERP(SERIES) \
	SUBS   $ROWS, R12;                   \
	BLT    tail;                         \
	loop:                                \
	SLERP_BODY(PEEK, LD, ST, SERIES);    \
	SUBS   $ROWS, R12;                   \
	BGE    loop;                         \
	tail:                                \
	ADDS   $ROWS, R12;                   \
	BEQ    done;                         \
	loop1:                               \
	SLERP_BODY(PEEK1, LD1, ST1, SERIES); \
	SUBS   $1, R12;                      \
	BNE    loop1;                        \
	done:                                \
	RET

#include "neon_f32_arm64.h"

// func quatSlerpF32NEON(q, a, b *Quats[float32], t float32)
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R7   a
//	R8-R11  b
//	R13     polynomial of arc.go
//	V10     t, whose angles are ordinary
//	V23-24  0, ½
//	V26     π/2
TEXT ·quatSlerpF32NEON(SB), NOSPLIT, $0-28
	MOVD  q+0(FP), R0
	MOVD  a+8(FP), R4
	MOVD  b+16(FP), R8
	MOVD  LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC4(R4, R5, R6, R7)
	VEC4(R8, R9, R10, R11)
	FMOVS t+24(FP), F10
	VDUP  V10.S[0], V10.S4
	VEOR  V23.B16, V23.B16, V23.B16
	MOVD  $half32<>(SB), R13
	SPLAT(R13, V24)
	MOVD  $halfPi32<>(SB), R13
	SPLAT(R13, V26)
	SINCOS32CONSTANTS
	MOVD  $arcF32<>(SB), R13
	EACHSLERP(SERIES32)

#include "neon_f64_arm64.h"

// func quatSlerpF64NEON(q, a, b *Quats[float64], t float64)
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R7   a
//	R8-R11  b
//	R13     polynomial of arc.go
//	V10     t, whose angles are ordinary
//	V23-24  0, ½
//	V26     π/2
TEXT ·quatSlerpF64NEON(SB), NOSPLIT, $0-32
	MOVD  q+0(FP), R0
	MOVD  a+8(FP), R4
	MOVD  b+16(FP), R8
	MOVD  LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC4(R4, R5, R6, R7)
	VEC4(R8, R9, R10, R11)
	FMOVD t+24(FP), F10
	VDUP  V10.D[0], V10.D2
	VEOR  V23.B16, V23.B16, V23.B16
	MOVD  $half64<>(SB), R13
	SPLAT(R13, V24)
	MOVD  $halfPi64<>(SB), R13
	SPLAT(R13, V26)
	SINCOS64CONSTANTS
	MOVD  $arcF64<>(SB), R13
	EACHSLERP(SERIES64)
