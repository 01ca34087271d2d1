//go:build !purego

#include "textflag.h"
#include "view_amd64.h"

// Kernels that apply matrices in lanes to vectors: the AVX2 and AVX-512 paths.
// Operands stand in the assembler's order, sources first: SUB a, b, c is c = b - a.
//
// Vectors and matrices have more lanes than there are registers: SI stays at the
// headers of the matrix, and what has none takes its address from there each time.
// R14 is the current row in bytes.

// IN loads lane k of the matrix. It spoils R13.
#define IN(LOAD, k, v) MOVQ (24*k)(SI), R13; LOAD(AT(R13), v)

// COMPONENT sets out to component k of the vector in V0 to V2, turned by the
// matrix, whose lane k is at first. It spoils V6.
#define COMPONENT(LOAD, first, k, out) \
	LOAD(AT(first), out); MUL V0, out, out                \
	IN(LOAD, (k+3), V6); MUL V1, V6, V6; ADD V6, out, out \
	IN(LOAD, (k+6), V6); MUL V2, V6, V6; ADD V6, out, out

#define TURN_BODY(LOAD) \
	LOAD(AT(DX), V0); LOAD(AT(DI), V1); LOAD(AT(R8), V2)                                 \
	COMPONENT(LOAD, R9, 0, V3); COMPONENT(LOAD, R10, 1, V4); COMPONENT(LOAD, R11, 2, V5)

#define VECTORS_BODY(LOAD, STORE) \
	TURN_BODY(LOAD)                                         \
	STORE(V3, AT(AX)); STORE(V4, AT(BX)); STORE(V5, AT(CX))

#define POINTS_BODY(LOAD, STORE) \
	TURN_BODY(LOAD)                                     \
	IN(LOAD, 9, V6); ADD V6, V3, V3; STORE(V3, AT(AX))  \
	IN(LOAD, 10, V6); ADD V6, V4, V4; STORE(V4, AT(BX)) \
	IN(LOAD, 11, V6); ADD V6, V5, V5; STORE(V5, AT(CX))

// ROWSOF runs a body on all rows, the whole vectors first. The destination's
// header is the first argument. It spoils R12 and R13.
#define ROWSOF(BODY, loop, tail, done) \
	XORL  R14, R14      \
	MOVQ  v+0(FP), R12  \
	MOVQ  LEN(R12), R12 \
	ANDQ  FULL, R12     \
	JZ    tail          \
	SHLQ  SHIFT, R12    \
	loop:               \
	BODY(LD, ST)        \
	ADDQ  WIDTH, R14    \
	CMPQ  R14, R12      \
	JLT   loop          \
	tail:               \
	MOVQ  v+0(FP), R13  \
	MOVQ  LEN(R13), R13 \
	ANDQ  REST, R13     \
	JZ    done          \
	MASK(R13)           \
	BODY(LDM, STM)      \
	done:               \
	RETURN

#include "avx2_f32_amd64.h"

// func vec3TransformAffineF32AVX2(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool)
// Requires: AVX2.
//
//	AX, BX, CX    v.X, v.Y, v.Z
//	DX, DI, R8    x
//	SI            headers of m
//	R9, R10, R11  its first three lanes
TEXT ·vec3TransformAffineF32AVX2(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), SI
	MOVQ x+16(FP), DX
	XORL R14, R14
	VEC3(AX, BX, CX)
	VEC3(DX, DI, R8)
	MOVQ 0(SI), R9
	MOVQ 24(SI), R10
	MOVQ 48(SI), R11
	CMPB points+24(FP), $0
	JEQ  vectors
	ROWSOF(POINTS_BODY, loop, tail, done)

vectors:
	ROWSOF(VECTORS_BODY, vloop, vtail, vdone)

#include "avx2_f64_amd64.h"

// func vec3TransformAffineF64AVX2(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool)
// Requires: AVX2.
//
//	AX, BX, CX    v.X, v.Y, v.Z
//	DX, DI, R8    x
//	SI            headers of m
//	R9, R10, R11  its first three lanes
TEXT ·vec3TransformAffineF64AVX2(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), SI
	MOVQ x+16(FP), DX
	XORL R14, R14
	VEC3(AX, BX, CX)
	VEC3(DX, DI, R8)
	MOVQ 0(SI), R9
	MOVQ 24(SI), R10
	MOVQ 48(SI), R11
	CMPB points+24(FP), $0
	JEQ  vectors
	ROWSOF(POINTS_BODY, loop, tail, done)

vectors:
	ROWSOF(VECTORS_BODY, vloop, vtail, vdone)

#include "avx512_f32_amd64.h"

// func vec3TransformAffineF32AVX512(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool)
// Requires: AVX-512.
//
//	AX, BX, CX    v.X, v.Y, v.Z
//	DX, DI, R8    x
//	SI            headers of m
//	R9, R10, R11  its first three lanes
TEXT ·vec3TransformAffineF32AVX512(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), SI
	MOVQ x+16(FP), DX
	XORL R14, R14
	VEC3(AX, BX, CX)
	VEC3(DX, DI, R8)
	MOVQ 0(SI), R9
	MOVQ 24(SI), R10
	MOVQ 48(SI), R11
	CMPB points+24(FP), $0
	JEQ  vectors
	ROWSOF(POINTS_BODY, loop, tail, done)

vectors:
	ROWSOF(VECTORS_BODY, vloop, vtail, vdone)

#include "avx512_f64_amd64.h"

// func vec3TransformAffineF64AVX512(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool)
// Requires: AVX-512.
//
//	AX, BX, CX    v.X, v.Y, v.Z
//	DX, DI, R8    x
//	SI            headers of m
//	R9, R10, R11  its first three lanes
TEXT ·vec3TransformAffineF64AVX512(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), SI
	MOVQ x+16(FP), DX
	XORL R14, R14
	VEC3(AX, BX, CX)
	VEC3(DX, DI, R8)
	MOVQ 0(SI), R9
	MOVQ 24(SI), R10
	MOVQ 48(SI), R11
	CMPB points+24(FP), $0
	JEQ  vectors
	ROWSOF(POINTS_BODY, loop, tail, done)

vectors:
	ROWSOF(VECTORS_BODY, vloop, vtail, vdone)
