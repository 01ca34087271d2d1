//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"

// Kernels that apply matrices in lanes to vectors: the NEON path, in the order of
// affine_amd64.s. The matrix is in R4 to R15, x in R19 to R21, v in R22 to R24;
// R16 is the current row in bytes, R17 the rows left.

// ROWSOF runs a body on all rows, the whole vectors first.
#define ROWSOF(BODY, loop, tail, loop1, done) \
	MOVD   ZR, R16;    \
	SUBS   $ROWS, R17; \
	BLT    tail;       \
	loop:              \
	BODY(LDX, STX);    \
	ADDS   $16, R16;   \
	SUBS   $ROWS, R17; \
	BGE    loop;       \
	tail:              \
	ADDS   $ROWS, R17; \
	BEQ    done;       \
	loop1:             \
	BODY(LDX1, STX1);  \
	ADDS   $SIZE, R16; \
	SUBS   $1, R17;    \
	BNE    loop1;      \
	done:              \
	RET

// COMPONENT sets out to component k of the vector in V0 to V2, turned by the
// matrix. It spoils V6 and V7.
#define COMPONENT(LOAD, k, out) \
	LOAD(16, (4+k), out); MUL(0, out, out);             \
	LOAD(16, (7+k), 6); MUL(1, 6, 6); ADD(6, out, out); \
	LOAD(16, (10+k), 7); MUL(2, 7, 7); ADD(7, out, out)

#define TURN_BODY(LOAD) \
	LOAD(16, 19, 0); LOAD(16, 20, 1); LOAD(16, 21, 2);                  \
	COMPONENT(LOAD, 0, 3); COMPONENT(LOAD, 1, 4); COMPONENT(LOAD, 2, 5)

#define VECTORS_BODY(LOAD, STORE) \
	TURN_BODY(LOAD);                                     \
	STORE(16, 22, 3); STORE(16, 23, 4); STORE(16, 24, 5)

#define POINTS_BODY(LOAD, STORE) \
	TURN_BODY(LOAD);                                 \
	LOAD(16, 13, 6); ADD(6, 3, 3); STORE(16, 22, 3); \
	LOAD(16, 14, 6); ADD(6, 4, 4); STORE(16, 23, 4); \
	LOAD(16, 15, 6); ADD(6, 5, 5); STORE(16, 24, 5)

#define AFFINE \
	MOVD m+8(FP), R3;                                                           \
	MOVD 0(R3), R4; MOVD 24(R3), R5; MOVD 48(R3), R6; MOVD 72(R3), R7;          \
	MOVD 96(R3), R8; MOVD 120(R3), R9; MOVD 144(R3), R10; MOVD 168(R3), R11;    \
	MOVD 192(R3), R12; MOVD 216(R3), R13; MOVD 240(R3), R14; MOVD 264(R3), R15; \
	MOVD x+16(FP), R19; VEC3(R19, R20, R21);                                    \
	MOVD v+0(FP), R22; MOVD LEN(R22), R17; VEC3(R22, R23, R24)

#include "neon_f32_arm64.h"

// func vec3TransformAffineF32NEON(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool)
TEXT ·vec3TransformAffineF32NEON(SB), NOSPLIT, $0-25
	AFFINE
	MOVBU points+24(FP), R3
	CBZ   R3, vectors
	ROWSOF(POINTS_BODY, loop, tail, loop1, done)

vectors:
	ROWSOF(VECTORS_BODY, vloop, vtail, vloop1, vdone)

#include "neon_f64_arm64.h"

// func vec3TransformAffineF64NEON(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool)
TEXT ·vec3TransformAffineF64NEON(SB), NOSPLIT, $0-25
	AFFINE
	MOVBU points+24(FP), R3
	CBZ   R3, vectors
	ROWSOF(POINTS_BODY, loop, tail, loop1, done)

vectors:
	ROWSOF(VECTORS_BODY, vloop, vtail, vloop1, vdone)
