//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"
#include "sincos_arm64.h"

// Kepler's equation: the NEON path, in the order of kepler.go, every choice a
// blend. It stops before a vector with an anomaly beyond the ordinary or an
// eccentricity outside [0, 1).

// The constants of consts.go, a vector each; a test compares them. third32 is
// 2^32/3 rounded up: the upper half of a number below 2^31 times it is a third of
// that number.
#define KEPLER32(at, x) \
DATA keplerF32<>+at+0(SB)/4, x; \
DATA keplerF32<>+at+4(SB)/4, x; \
DATA keplerF32<>+at+8(SB)/4, x; \
DATA keplerF32<>+at+12(SB)/4, x

#define KEPLER64(at, x) \
DATA keplerF64<>+at+0(SB)/8, x; \
DATA keplerF64<>+at+8(SB)/8, x

	KEPLER32(0, $0x1.921fb6p+1)    // kepler32Pi
	KEPLER32(16, $0x1.41b2f8p+2)   // kepler32AlphaB
	KEPLER32(32, $0x1.d9bdb2p+4)   // kepler32AlphaA
	KEPLER32(48, $0x1.ef4f32p+1)   // kepler32AlphaC
	KEPLER32(64, $3.0)             // kepler32Three
	KEPLER32(80, $0x1.fffffep-1)   // kepler32BelowOne
	KEPLER32(96, $0x1.99999ap+0)   // kepler32Near
	KEPLER32(112, $0x1.555556p-3)  // kepler32Sixth
	KEPLER32(128, $0x1.45f306p-3)  // invTwoPi32
	KEPLER32(144, $0x1.92p+2)      // twoPi32A
	KEPLER32(160, $0x1.fb4p-10)    // twoPi32B
	KEPLER32(176, $0x1.444p-22)    // twoPi32C
	KEPLER32(192, $0x2a5137a0)     // cubeRoot32
	KEPLER32(208, $0x1p-126)       // kepler32Normal
	KEPLER32(224, $0x1p+64)        // kepler32Up
	KEPLER32(240, $0x1p-64)        // kepler32Down
	KEPLER32(256, $0x1.68c234p-37) // twoPi32D
	KEPLER32(272, $0x55555556)     // third32
	KEPLER32(288, $0x1.29e412p-7)  // kepler32Series0
	KEPLER32(304, $0x1.c71c72p-7)  // kepler32Series1
	KEPLER32(320, $0x1.861862p-6)  // kepler32Series2
	KEPLER32(336, $0x1.99999ap-5)  // kepler32Series3

GLOBL keplerF32<>(SB), RODATA|NOPTR, $352

	KEPLER64(0, $0x1.921fb54442d18p+1)    // kepler64Pi
	KEPLER64(16, $0x1.41b2f769cf0e0p+2)   // kepler64AlphaB
	KEPLER64(32, $0x1.d9bdb2e9d68cep+4)   // kepler64AlphaA
	KEPLER64(48, $0x1.ef4f326f91779p+1)   // kepler64AlphaC
	KEPLER64(64, $3.0)                    // kepler64Three
	KEPLER64(80, $0x1.fffffffffffffp-1)   // kepler64BelowOne
	KEPLER64(96, $0x1.999999999999ap+0)   // kepler64Near
	KEPLER64(112, $0x1.5555555555555p-3)  // kepler64Sixth
	KEPLER64(128, $0x1.45f306dc9c883p-3)  // invTwoPi64
	KEPLER64(144, $0x1.921fb54440000p+2)  // twoPi64A
	KEPLER64(160, $0x1.68c234c4c0000p-37) // twoPi64B
	KEPLER64(176, $0x1.98a2e03707345p-75) // twoPi64C
	KEPLER64(192, $0x2a9f7893782da1ce)    // cubeRoot64
	KEPLER64(208, $0x1p-1022)             // kepler64Normal
	KEPLER64(224, $0x1p+200)              // kepler64Up
	KEPLER64(240, $0x1p-200)              // kepler64Down
	KEPLER64(256, $0x1.7f405fd017f40p-9)  // kepler64Series0
	KEPLER64(272, $0x1.e1e1e1e1e1e1ep-9)  // kepler64Series1
	KEPLER64(288, $0x1.3813813813814p-8)  // kepler64Series2
	KEPLER64(304, $0x1.a41a41a41a41ap-8)  // kepler64Series3
	KEPLER64(320, $0x1.29e4129e4129ep-7)  // kepler64Series4
	KEPLER64(336, $0x1.c71c71c71c71cp-7)  // kepler64Series5
	KEPLER64(352, $0x1.8618618618618p-6)  // kepler64Series6
	KEPLER64(368, $0x1.999999999999ap-5)  // kepler64Series7

GLOBL keplerF64<>(SB), RODATA|NOPTR, $384

// What both tables have at the same place.
#define PI_ALPHAB 0(R13)
#define ALPHAA_ALPHAC 32(R13)
#define THREE 64(R13)
#define BELOWONE 80(R13)
#define NEAR_SIXTH 96(R13)
#define TURNS 128(R13)
#define TURNA 144(R13)
#define TURNB 160(R13)
#define TURNC 176(R13)
#define CUBEROOT 192(R13)
#define NORMAL 208(R13)
#define UP_DOWN 224(R13)

// REDUCE32 takes the whole turns from V4. It spoils V16 and V17.
#define REDUCE32 \
	FMOVQ TURNS, F16; MUL(16, 4, 16); ADD(11, 16, 16); SUB(11, 16, 16); \
	FMOVQ TURNA, F17; MUL(17, 16, 17); SUB(17, 4, 4);                   \
	FMOVQ TURNB, F17; MUL(17, 16, 17); SUB(17, 4, 4);                   \
	FMOVQ TURNC, F17; MUL(17, 16, 17); SUB(17, 4, 4);                   \
	FMOVQ 256(R13), F17; MUL(17, 16, 17); SUB(17, 4, 4)

// REDUCE64 does the same; it spoils V16 to V19.
#define REDUCE64 \
	FMOVQ TURNS, F16; MUL(16, 4, 16); ADD(14, 16, 16); SUB(14, 16, 16); \
	FMOVQ TURNA, F17; MUL(17, 16, 17); SUB(17, 4, 4);                   \ // a = M - k*turnA
	FMOVQ TURNB, F18; MUL(18, 16, 18); SUB(18, 4, 19);                  \ // r = a - b
	SUB(19, 4, 4); SUB(18, 4, 4);                                       \
	FMOVQ TURNC, F17; MUL(17, 16, 16); SUB(4, 16, 16);                  \
	SUB(16, 19, 4)                                                      // r - (k*turnC - ((a - r) - b))

// GUESS32 sets V18 to the bits of V16 divided by three, plus cubeRoot32. It spoils
// V17 and V19.
#define GUESS32 \
	FMOVQ 272(R13), F17;                                                       \
	VUMULL2D(17, 16, 18); VUMULL22D(17, 16, 19); VUZP2 V19.S4, V18.S4, V18.S4; \
	FMOVQ CUBEROOT, F17; VADD V17.S4, V18.S4, V18.S4

// GUESS64 does the same in the general registers, which multiply to 128 bits: R11
// is 2^64/3 rounded up. It spoils R9 and R10.
#define GUESS64 \
	FMOVD F16, R9; VMOV V16.D[1], R10;               \
	UMULH R11, R9, R9; UMULH R11, R10, R10;          \
	FMOVD R9, F18; VMOV R10, V18.D[1];               \
	FMOVQ CUBEROOT, F17; VADD V17.D2, V18.D2, V18.D2

// HALLEY betters V18, the cube root of V16; V19 is V16 twice. It spoils V17, V20
// and V21.
#define HALLEY \
	MUL(18, 18, 17); MUL(18, 17, 17); ADD(19, 17, 20);                 \ // y³ + 2x
	ADD(17, 17, 21); ADD(16, 21, 21); DIV(21, 20, 20); MUL(20, 18, 18)

// SERIES32 and SERIES64 set V5 to the series of E - sin E in V4, E². They spoil V16
// and V17.
#define SERIES32 \
	FLDPQ 288(R13), (F16, F17); FIRST(16); TERM(17); \
	FLDPQ 320(R13), (F16, F17); TERM(16); TERM(17)

#define SERIES64 \
	FLDPQ 256(R13), (F16, F17); FIRST(16); TERM(17); \
	FLDPQ 288(R13), (F16, F17); TERM(16); TERM(17);  \
	FLDPQ 320(R13), (F16, F17); TERM(16); TERM(17);  \
	FLDPQ 352(R13), (F16, F17); TERM(16); TERM(17)

#define FIRST(c) MUL(c, 4, c); SUB(c, 31, 5)
#define TERM(c) MUL(c, 4, c); MUL(5, c, c); SUB(c, 31, 5)

// STEP betters V0, the eccentric anomaly. It spoils V4 to V7 and V16 to V22.
#define STEP(SERIES) \
	VMOV  V0.B16, V4.B16; SINCOS;                     \
	MUL(0, 0, 4); SERIES;                             \
	FLDPQ NEAR_SIXTH, (F16, F17);                     \
	MUL(0, 4, 4); MUL(17, 4, 4); MUL(5, 4, 4);        \
	SUB(19, 0, 5); CMGT(0, 16, 16);                   \ // E < near
	VBIT  V16.B16, V4.B16, V5.B16;                    \ // p = E - sin E
	MUL(19, 19, 6); ADD(7, 31, 16); DIV(16, 6, 6);    \
	SUB(7, 31, 16); CMGT(23, 7, 17);                  \ // c > 0
	VBIT  V17.B16, V6.B16, V16.B16;                   \ // v = 1 - cos E
	MUL(0, 3, 17); SUB(1, 17, 17);                    \
	MUL(2, 5, 5); ADD(5, 17, 17);                     \ // f = (g*E - m) + e*p
	MUL(2, 16, 16); ADD(16, 3, 16);                   \ // f1 = g + e*v
	DIV(16, 17, 18); HALVE(18, 18);                   \ // step/2, step = f / f1
	MUL(2, 19, 20); MUL(20, 18, 18); SUB(18, 16, 16); \
	DIV(16, 17, 17); SUB(17, 0, 0)  // E -= f / (f1 - step/2*(e*s))

// KEPLER_BODY has m, e and g = 1-e in V1, V2 and V3, and in V10 what E is multiplied
// by at the end, with the sign of m. It needs zeros in V23.
#define KEPLER_BODY(LOAD, STORE, REDUCE, GUESS, SERIES, stop) \
	LOAD(R4, F4); LOAD(R5, F2);                                          \
	ORDINARY; FMOVQ BELOWONE, F17; CMGE(2, 17, 17); CMGE(23, 2, 18);     \
	VAND      V17.B16, V16.B16, V16.B16; VAND V18.B16, V16.B16, V16.B16; \
	UNLESS(stop);                                                        \
	REDUCE;                                                              \
	VAND      V30.B16, V4.B16, V10.B16; ABS(4, 1); SUB(2, 31, 3);        \
	FLDPQ     PI_ALPHAB, (F16, F17);                                     \
	SUB(1, 16, 4); MUL(17, 4, 4); ADD(2, 31, 5); DIV(5, 4, 4);           \
	FMOVQ     NORMAL, F16; CMGT(1, 16, 16);                              \ // m < normal: alpha has no need of it lifted
	FLDPQ     UP_DOWN, (F17, F18);                                       \
	VBIF      V16.B16, V31.B16, V17.B16; MUL(17, 1, 1);                  \
	VBIF      V16.B16, V31.B16, V18.B16; VORR V18.B16, V10.B16, V10.B16; \
	FLDPQ     ALPHAA_ALPHAC, (F16, F17); ADD(16, 4, 4); DIV(17, 4, 4);   \ // alpha
	FMOVQ     THREE, F16;                                                \
	MUL(16, 3, 5); MUL(2, 4, 6); ADD(6, 5, 5);                           \ // d = 3*g + alpha*e
	MUL(5, 4, 4); MUL(1, 1, 6);                                          \ // alpha*d, m*m
	ADD(4, 4, 7); MUL(3, 7, 7); SUB(6, 7, 7);                            \ // q
	MUL(16, 4, 4); SUB(3, 5, 17); MUL(17, 4, 4); MUL(1, 4, 4);           \
	MUL(1, 6, 6); ADD(6, 4, 4);                                          \ // r
	MUL(7, 7, 6); MUL(7, 6, 16); MUL(4, 4, 17); ADD(17, 16, 16);         \
	SQRT(16, 16); ADD(4, 16, 16);                                        \
	GUESS;    ADD(16, 16, 19); HALLEY; HALLEY;                           \
	MUL(18, 18, 18); MUL(18, 18, 17); MUL(7, 18, 16);                    \ // w, w*w, w*q
	ADD(16, 17, 17); ADD(6, 17, 17);                                     \
	ADD(4, 4, 4); MUL(18, 4, 4); DIV(17, 4, 4); ADD(1, 4, 4);            \
	DIV(5, 4, 0);                                                        \ // E = (2*r*w/(w*w + w*q + q*q) + m) / d
	STEP(SERIES); STEP(SERIES);                                          \
	MUL(10, 0, 0); STORE(F0, R0)

#define KEPLER_BODY32(LOAD, STORE, stop) KEPLER_BODY(LOAD, STORE, REDUCE32, GUESS32, SERIES32, stop)
#define KEPLER_BODY64(LOAD, STORE, stop) KEPLER_BODY(LOAD, STORE, REDUCE64, GUESS64, SERIES64, stop)

#include "neon_f32_arm64.h"

// func keplerF32NEON(E, M, e []float32) int
// It returns the number of rows done: all, or those before a vector that it leaves
// to the generic body.
//
//	R0      E
//	R4, R5  M, e
//	R12     rows left
//	R13     constants
//	V23     zeros
TEXT ·keplerF32NEON(SB), NOSPLIT, $0-80
	MOVD E_base+0(FP), R0
	MOVD M_base+24(FP), R4
	MOVD e_base+48(FP), R5
	MOVD E_len+8(FP), R12
	MOVD $keplerF32<>(SB), R13
	VEOR V23.B16, V23.B16, V23.B16
	SINCOS32CONSTANTS
	EACHANGLE(KEPLER_BODY32)

done:
	MOVD E_len+8(FP), R13
	SUBS R12, R13
	MOVD R13, ret+72(FP)
	RET

#include "neon_f64_arm64.h"

// func keplerF64NEON(E, M, e []float64) int
// It returns the number of rows done: all, or those before a vector that it leaves
// to the generic body.
//
//	R0      E
//	R4, R5  M, e
//	R12     rows left
//	R13     constants
//	R11     2^64/3
//	V23     zeros
TEXT ·keplerF64NEON(SB), NOSPLIT, $0-80
	MOVD E_base+0(FP), R0
	MOVD M_base+24(FP), R4
	MOVD e_base+48(FP), R5
	MOVD E_len+8(FP), R12
	MOVD $keplerF64<>(SB), R13
	MOVD $0x5555555555555556, R11
	VEOR V23.B16, V23.B16, V23.B16
	SINCOS64CONSTANTS
	EACHANGLE(KEPLER_BODY64)

done:
	MOVD E_len+8(FP), R13
	SUBS R12, R13
	MOVD R13, ret+72(FP)
	RET
