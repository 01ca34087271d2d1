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

#include "neon_f32_arm64.h"

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
