//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"

// Whole matrices times vectors of four: the NEON path, in the order of
// transform_amd64.s.

// COMPONENT sets out to the component that a, b, c and d are the row of. It spoils
// V8.
#define COMPONENT(a, b, c, d, out) \
	MUL(0, a, out);                 \
	MUL(1, b, 8); ADD(8, out, out); \
	MUL(2, c, 8); ADD(8, out, out); \
	MUL(3, d, 8); ADD(8, out, out)

#define BY_BODY(LOAD, STORE) \
	LOADX4(LOAD);                                \
	COMPONENT(16, 20, 24, 28, 4); STORE(F4, R0); \
	COMPONENT(17, 21, 25, 29, 5); STORE(F5, R1); \
	COMPONENT(18, 22, 26, 30, 6); STORE(F6, R2); \
	COMPONENT(19, 23, 27, 31, 7); STORE(F7, R3)

// COLUMN fills a to d with the elements of the next column at R8.
#define COLUMN(S, a, b, c, d) \
	VLD1R.P SIZE(R8), [a.S]; VLD1R.P SIZE(R8), [b.S]; \
	VLD1R.P SIZE(R8), [c.S]; VLD1R.P SIZE(R8), [d.S]

// PRODUCT32 sets out to the next matrix at R8 times element i of x in V0 to V3. It
// spoils V16 to V19 and V21.
#define PRODUCT32(i, out) \
	FLDPQ.P 32(R8), (F16, F17);            \
	FLDPQ.P 32(R8), (F18, F19);            \
	MULE(i, 0, 16, out);                   \
	MULE(i, 1, 17, 21); ADD(21, out, out); \
	MULE(i, 2, 18, 21); ADD(21, out, out); \
	MULE(i, 3, 19, 21); ADD(21, out, out)

// PRODUCT64 does the same in two halves, low and high. It spoils V16 to V25.
#define PRODUCT64(i, low, high) \
	FLDPQ.P 32(R8), (F16, F17);              \
	FLDPQ.P 32(R8), (F18, F19);              \
	FLDPQ.P 32(R8), (F20, F21);              \
	FLDPQ.P 32(R8), (F22, F23);              \
	MULE(i, 0, 16, low);                     \
	MULE(i, 0, 17, high);                    \
	MULE(i, 1, 18, 24); ADD(24, low, low);   \
	MULE(i, 1, 19, 25); ADD(25, high, high); \
	MULE(i, 2, 20, 24); ADD(24, low, low);   \
	MULE(i, 2, 21, 25); ADD(25, high, high); \
	MULE(i, 3, 22, 24); ADD(24, low, low);   \
	MULE(i, 3, 23, 25); ADD(25, high, high)

// PRODUCTS32 does all rows, four matrices at a time, and turns four results of
// a row into four of a lane.
#define PRODUCTS32 \
	SUBS   $4, R12;                                            \
	BLT    tail;                                               \
	loop4:                                                     \
	LOADX4(LD);                                                \
	PRODUCT32(0, 4); PRODUCT32(1, 5);                          \
	PRODUCT32(2, 6); PRODUCT32(3, 7);                          \
	VTRN1  V5.S4, V4.S4, V16.S4; VTRN1 V7.S4, V6.S4, V17.S4;   \
	VTRN2  V5.S4, V4.S4, V18.S4; VTRN2 V7.S4, V6.S4, V19.S4;   \
	VZIP1  V17.D2, V16.D2, V0.D2; VZIP1 V19.D2, V18.D2, V1.D2; \
	VZIP2  V17.D2, V16.D2, V2.D2; VZIP2 V19.D2, V18.D2, V3.D2; \
	STORE4(ST);                                                \
	SUBS   $4, R12;                                            \
	BGE    loop4;                                              \
	tail:                                                      \
	ADDS   $4, R12;                                            \
	BEQ    done;                                               \
	loop1:                                                     \
	LOADX4(LD1);                                               \
	PRODUCT32(0, 4);                                           \
	VDUP   V4.S[0], V0.S4; VDUP V4.S[1], V1.S4;                \
	VDUP   V4.S[2], V2.S4; VDUP V4.S[3], V3.S4;                \
	STORE4(ST1);                                               \
	SUBS   $1, R12;                                            \
	BNE    loop1;                                              \
	done:                                                      \
	RET

// PRODUCTS64 does the same, two matrices at a time.
#define PRODUCTS64 \
	SUBS   $2, R12;                                        \
	BLT    tail;                                           \
	loop2:                                                 \
	LOADX4(LD);                                            \
	PRODUCT64(0, 4, 5); PRODUCT64(1, 6, 7);                \
	VZIP1  V6.D2, V4.D2, V0.D2; VZIP2 V6.D2, V4.D2, V1.D2; \
	VZIP1  V7.D2, V5.D2, V2.D2; VZIP2 V7.D2, V5.D2, V3.D2; \
	STORE4(ST);                                            \
	SUBS   $2, R12;                                        \
	BGE    loop2;                                          \
	tail:                                                  \
	ADDS   $2, R12;                                        \
	BEQ    done;                                           \
	LOADX4(LD1);                                           \
	PRODUCT64(0, 4, 5);                                    \
	VDUP   V4.D[0], V0.D2; VDUP V4.D[1], V1.D2;            \
	VDUP   V5.D[0], V2.D2; VDUP V5.D[1], V3.D2;            \
	STORE4(ST1);                                           \
	done:                                                  \
	RET

#include "neon_f32_arm64.h"

// func vec4TransformF32NEON(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32])
//
//	R0-R3  v
//	R4-R7  x
//	R8     m
TEXT ·vec4TransformF32NEON(SB), NOSPLIT, $0-24
	MOVD v+0(FP), R0
	MOVD m+8(FP), R8
	MOVD x+16(FP), R4
	MOVD LEN(R0), R12
	MOVD (R8), R8
	VEC4(R0, R1, R2, R3)
	VEC4(R4, R5, R6, R7)
	PRODUCTS32

// func vec4TransformByF32NEON(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32])
//
//	R0-R3    v
//	R4-R7    x
//	R8       m
//	V16-V31  its columns
TEXT ·vec4TransformByF32NEON(SB), NOSPLIT, $0-24
	MOVD v+0(FP), R0
	MOVD m+8(FP), R8
	MOVD x+16(FP), R4
	MOVD LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC4(R4, R5, R6, R7)
	COLUMN(S4, V16, V17, V18, V19)
	COLUMN(S4, V20, V21, V22, V23)
	COLUMN(S4, V24, V25, V26, V27)
	COLUMN(S4, V28, V29, V30, V31)
	ALL(BY_BODY, loop, tail, loop1, done)
	RET

#include "neon_f64_arm64.h"

// func vec4TransformF64NEON(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64])
//
//	R0-R3  v
//	R4-R7  x
//	R8     m
TEXT ·vec4TransformF64NEON(SB), NOSPLIT, $0-24
	MOVD v+0(FP), R0
	MOVD m+8(FP), R8
	MOVD x+16(FP), R4
	MOVD LEN(R0), R12
	MOVD (R8), R8
	VEC4(R0, R1, R2, R3)
	VEC4(R4, R5, R6, R7)
	PRODUCTS64

// func vec4TransformByF64NEON(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64])
//
//	R0-R3    v
//	R4-R7    x
//	R8       m
//	V16-V31  its columns
TEXT ·vec4TransformByF64NEON(SB), NOSPLIT, $0-24
	MOVD v+0(FP), R0
	MOVD m+8(FP), R8
	MOVD x+16(FP), R4
	MOVD LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	VEC4(R4, R5, R6, R7)
	COLUMN(D2, V16, V17, V18, V19)
	COLUMN(D2, V20, V21, V22, V23)
	COLUMN(D2, V24, V25, V26, V27)
	COLUMN(D2, V28, V29, V30, V31)
	ALL(BY_BODY, loop, tail, loop1, done)
	RET
