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
DATA against32<>+0(SB)/4, $0x1p-40
GLOBL against32<>(SB), RODATA|NOPTR, $4
DATA against64<>+0(SB)/8, $0x1p-98
GLOBL against64<>(SB), RODATA|NOPTR, $8
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

#define CONJUGATE_BODY(LOAD, STORE) LOADX4(LOAD); NEG(0, 0); NEG(1, 1); NEG(2, 2); STORE4(STORE)

// ANGLE sets V19 and V7 to the sine and cosine of half the angle at p; it leaves
// for stop where one is beyond the ordinary.
#define ANGLE(LOAD, p, stop) LOAD(p, F4); HALVE(4, 4); BEYOND(stop); SINCOS

// AXIS_ANGLE_BODY has the axis at R4 to R6 and the angle at R8.
#define AXIS_ANGLE_BODY(LOAD, STORE, stop) \
	ANGLE(LOAD, R8, stop);                       \
	LOADX3(LOAD);                                \
	MUL(19, 0, 0); MUL(19, 1, 1); MUL(19, 2, 2); \
	STORE3(STORE); STORE(F7, R3)

// EULER stores one lane, a*b + sign*(c*d). It spoils V16 and V17.
#define EULER(STORE, a, b, sign, c, d, p) \
MUL(a, b, 16); MUL(c, d, 17); MUL(sign, 17, 17); ADD(17, 16, 16); STORE(F16, p)

// EULER_BODY has the angles at R4 to R6 and the signs in V24 to V27.
#define EULER_BODY(LOAD, STORE, stop) \
	ANGLE(LOAD, R4, stop); VMOV V19.B16, V0.B16; VMOV V7.B16, V1.B16; \
	ANGLE(LOAD, R5, stop); VMOV V19.B16, V2.B16; VMOV V7.B16, V3.B16; \
	ANGLE(LOAD, R6, stop);                                            \
	MUL(1, 3, 4); MUL(0, 2, 5);                                       \ // c.x*c.y, s.x*s.y
	MUL(0, 3, 6); MUL(1, 2, 18);                                      \ // s.x*c.y, c.x*s.y
	EULER(STORE, 6, 7, 24, 18, 19, R0);                               \
	EULER(STORE, 18, 7, 25, 6, 19, R1);                               \
	EULER(STORE, 4, 19, 26, 5, 7, R2);                                \
	EULER(STORE, 4, 7, 27, 5, 19, R3)

// UNIT4 brings V0 to V3 to length 1. It needs ones in V31.
#define UNIT4 SQUARE4; SQRT(16, 16); DIV(16, 31, 16); TIMES4

// BETWEEN_BODY has x in V1, V2 and V0, so that the axis square to it takes the
// registers in their order. It needs tiny in V28, ½ and 0 in V29 and V30, 1 in V31.
#define BETWEEN_BODY(LOAD, STORE) \
	LOAD(R4, F1); LOAD(R5, F2); LOAD(R6, F0); LOADY3(LOAD); \
	ADD(1, 4, 4); ADD(2, 5, 5); ADD(0, 6, 6);               \ // h = x + y
	MUL(4, 4, 7); MUL(5, 5, 16); ADD(16, 7, 7);             \
	MUL(6, 6, 16); ADD(16, 7, 7);                           \ // l
	MUL(6, 2, 16); MUL(5, 0, 17); SUB(17, 16, 16);          \ // x × h
	MUL(4, 0, 17); MUL(6, 1, 18); SUB(18, 17, 17);          \
	MUL(5, 1, 18); MUL(4, 2, 19); SUB(19, 18, 18);          \
	MUL(29, 7, 3);                                          \
	ABS(1, 20); ABS(0, 21); CMGT(21, 20, 20);               \ // |x.x| > |x.z|
	NEG(0, 22); NEG(2, 0); VAND V20.B16, V0.B16, V0.B16;    \ // the axis square to x
	VBIF V20.B16, V22.B16, V1.B16;                          \
	VBIT V20.B16, V30.B16, V2.B16;                          \
	CMGT(7, 28, 20);                                        \ // l < tiny
	VBIF V20.B16, V16.B16, V0.B16;                          \
	VBIF V20.B16, V17.B16, V1.B16;                          \
	VBIF V20.B16, V18.B16, V2.B16;                          \
	VBIT V20.B16, V30.B16, V3.B16;                          \
	UNIT4;                                                  \
	STORE4(STORE)

// NLERP_BODY needs -t, t and 1 - t in V27 to V29, 0 and 1 in V30 and V31.
#define NLERP_BODY(LOAD, STORE) \
	LOADX4(LOAD); LOADY4(LOAD);                 \
	DOT4;                                       \
	CMGT(16, 30, 17);                           \ // d < 0
	VBSL V28.B16, V27.B16, V17.B16;             \ // u
	MUL(29, 0, 0); MUL(17, 4, 4); ADD(4, 0, 0); \
	MUL(29, 1, 1); MUL(17, 5, 5); ADD(5, 1, 1); \
	MUL(29, 2, 2); MUL(17, 6, 6); ADD(6, 2, 2); \
	MUL(29, 3, 3); MUL(17, 7, 7); ADD(7, 3, 3); \
	UNIT4;                                      \
	STORE4(STORE)

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

// func quatConjugateF32NEON(q, p *Quats[float32])
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R7   p
TEXT ·quatConjugateF32NEON(SB), NOSPLIT, $0-16
	MOVD q+0(FP), R0
	MOVD p+8(FP), R4
	RUN(TAKEV4; TAKEX4, CONJUGATE_BODY)

// func quatFromAxisAngleF32NEON(q *Quats[float32], axis *Vec3s[float32], angle []float32) int
// It returns the number of rows done: all, or those before angles beyond the
// ordinary.
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R6   axis
//	R8      angle
TEXT ·quatFromAxisAngleF32NEON(SB), NOSPLIT, $0-48
	MOVD q+0(FP), R0
	MOVD axis+8(FP), R4
	MOVD angle_base+16(FP), R8
	MOVD LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC3(R4, R5, R6)
	SINCOS32CONSTANTS
	EACHANGLE(AXIS_ANGLE_BODY)

done:
	MOVD angle_len+24(FP), R13
	SUBS R12, R13
	MOVD R13, ret+40(FP)
	RET

// func quatFromEulerF32NEON(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int
// It returns the number of rows done: all, or those before angles beyond the
// ordinary.
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R6   angles
//	V24-27  signs
TEXT ·quatFromEulerF32NEON(SB), NOSPLIT, $0-32
	MOVD    q+0(FP), R0
	MOVD    angles+8(FP), R4
	MOVD    signs+16(FP), R8
	MOVD    LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC3(R4, R5, R6)
	VLD1R.P 4(R8), [V24.S4]
	VLD1R.P 4(R8), [V25.S4]
	VLD1R.P 4(R8), [V26.S4]
	VLD1R   (R8), [V27.S4]
	SINCOS32CONSTANTS
	EACHANGLE(EULER_BODY)

done:
	MOVD q+0(FP), R13
	MOVD LEN(R13), R13
	SUBS R12, R13
	MOVD R13, ret+24(FP)
	RET

// func quatBetweenF32NEON(q *Quats[float32], x, y *Vec3s[float32])
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R6   x
//	R8-R10  y
//	V28-31  tiny, ½, 0, 1
TEXT ·quatBetweenF32NEON(SB), NOSPLIT, $0-24
	MOVD q+0(FP), R0
	MOVD x+8(FP), R4
	MOVD y+16(FP), R8
	MOVD $against32<>(SB), R13
	SPLAT(R13, V28)
	MOVD $half32<>(SB), R13
	SPLAT(R13, V29)
	VEOR V30.B16, V30.B16, V30.B16
	MOVD $one32<>(SB), R13
	SPLAT(R13, V31)
	RUN(TAKEV4; TAKEX3; TAKEY3, BETWEEN_BODY)

// func quatNlerpF32NEON(q, a, b *Quats[float32], t float32)
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R7   a
//	R8-R11  b
//	V27-31  -t, t, 1 - t, 0, 1
TEXT ·quatNlerpF32NEON(SB), NOSPLIT, $0-28
	MOVD  q+0(FP), R0
	MOVD  a+8(FP), R4
	MOVD  b+16(FP), R8
	FMOVS t+24(FP), F28
	VDUP  V28.S[0], V28.S4
	VEOR  V30.B16, V30.B16, V30.B16
	MOVD  $one32<>(SB), R13
	SPLAT(R13, V31)
	NEG(28, 27)
	SUB(28, 31, 29)
	RUN(TAKEV4; TAKEX4; TAKEY4, NLERP_BODY)

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

// func quatConjugateF64NEON(q, p *Quats[float64])
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R7   p
TEXT ·quatConjugateF64NEON(SB), NOSPLIT, $0-16
	MOVD q+0(FP), R0
	MOVD p+8(FP), R4
	RUN(TAKEV4; TAKEX4, CONJUGATE_BODY)

// func quatFromAxisAngleF64NEON(q *Quats[float64], axis *Vec3s[float64], angle []float64) int
// It returns the number of rows done: all, or those before angles beyond the
// ordinary.
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R6   axis
//	R8      angle
TEXT ·quatFromAxisAngleF64NEON(SB), NOSPLIT, $0-48
	MOVD q+0(FP), R0
	MOVD axis+8(FP), R4
	MOVD angle_base+16(FP), R8
	MOVD LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC3(R4, R5, R6)
	SINCOS64CONSTANTS
	EACHANGLE(AXIS_ANGLE_BODY)

done:
	MOVD angle_len+24(FP), R13
	SUBS R12, R13
	MOVD R13, ret+40(FP)
	RET

// func quatFromEulerF64NEON(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int
// It returns the number of rows done: all, or those before angles beyond the
// ordinary.
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R6   angles
//	V24-27  signs
TEXT ·quatFromEulerF64NEON(SB), NOSPLIT, $0-32
	MOVD    q+0(FP), R0
	MOVD    angles+8(FP), R4
	MOVD    signs+16(FP), R8
	MOVD    LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC3(R4, R5, R6)
	VLD1R.P 8(R8), [V24.D2]
	VLD1R.P 8(R8), [V25.D2]
	VLD1R.P 8(R8), [V26.D2]
	VLD1R   (R8), [V27.D2]
	SINCOS64CONSTANTS
	EACHANGLE(EULER_BODY)

done:
	MOVD q+0(FP), R13
	MOVD LEN(R13), R13
	SUBS R12, R13
	MOVD R13, ret+24(FP)
	RET

// func quatBetweenF64NEON(q *Quats[float64], x, y *Vec3s[float64])
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R6   x
//	R8-R10  y
//	V28-31  tiny, ½, 0, 1
TEXT ·quatBetweenF64NEON(SB), NOSPLIT, $0-24
	MOVD q+0(FP), R0
	MOVD x+8(FP), R4
	MOVD y+16(FP), R8
	MOVD $against64<>(SB), R13
	SPLAT(R13, V28)
	MOVD $half64<>(SB), R13
	SPLAT(R13, V29)
	VEOR V30.B16, V30.B16, V30.B16
	MOVD $one64<>(SB), R13
	SPLAT(R13, V31)
	RUN(TAKEV4; TAKEX3; TAKEY3, BETWEEN_BODY)

// func quatNlerpF64NEON(q, a, b *Quats[float64], t float64)
//
//	R0-R3   q.X, q.Y, q.Z, q.W
//	R4-R7   a
//	R8-R11  b
//	V27-31  -t, t, 1 - t, 0, 1
TEXT ·quatNlerpF64NEON(SB), NOSPLIT, $0-32
	MOVD  q+0(FP), R0
	MOVD  a+8(FP), R4
	MOVD  b+16(FP), R8
	FMOVD t+24(FP), F28
	VDUP  V28.D[0], V28.D2
	VEOR  V30.B16, V30.B16, V30.B16
	MOVD  $one64<>(SB), R13
	SPLAT(R13, V31)
	NEG(28, 27)
	SUB(28, 31, 29)
	RUN(TAKEV4; TAKEX4; TAKEY4, NLERP_BODY)

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

