//go:build !purego

#include "textflag.h"
#include "view_amd64.h"

// Whole matrices times vectors of four: the AVX2 and AVX-512 paths. Operands stand
// in the assembler's order, sources first: SUB a, b, c is c = b - a.

// COMPONENT stores component k of the products: a and b hold the elements of
// row k in the first two columns, the others come from the matrix at R10. It
// spoils V4 and V5.
#define COMPONENT(STORE, k, a, b, out) \
	MUL   V0, a, V4                                              \
	MUL   V1, b, V5; ADD V5, V4, V4                              \
	SPLAT ((8+k)*SIZE)(R10), V5; MUL V2, V5, V5; ADD V5, V4, V4  \
	SPLAT ((12+k)*SIZE)(R10), V5; MUL V3, V5, V5; ADD V5, V4, V4 \
	STORE(V4, AT(out))

#define BY_BODY(LOAD, STORE) \
	LOADX4(LOAD)                                                       \
	COMPONENT(STORE, 0, V6, V10, AX); COMPONENT(STORE, 1, V7, V11, BX) \
	COMPONENT(STORE, 2, V8, V12, CX); COMPONENT(STORE, 3, V9, V13, DX)

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func vec4TransformByF32AVX2(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32])
// Requires: AVX2.
//
//	AX, BX, CX, DX  v
//	SI, DI, R8, R9  x
//	R10             m
//	V6-V13          its first two columns
TEXT ·vec4TransformByF32AVX2(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  m+8(FP), R10
	MOVQ  x+16(FP), SI
	MOVQ  AX, R14
	ROWS
	VEC4(AX, BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	SPLAT (0*SIZE)(R10), V6
	SPLAT (1*SIZE)(R10), V7
	SPLAT (2*SIZE)(R10), V8
	SPLAT (3*SIZE)(R10), V9
	SPLAT (4*SIZE)(R10), V10
	SPLAT (5*SIZE)(R10), V11
	SPLAT (6*SIZE)(R10), V12
	SPLAT (7*SIZE)(R10), V13
	EACH(BY_BODY, loop, tail, done)
	RETURN

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

// func vec4TransformByF64AVX2(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64])
// Requires: AVX2.
//
//	AX, BX, CX, DX  v
//	SI, DI, R8, R9  x
//	R10             m
//	V6-V13          its first two columns
TEXT ·vec4TransformByF64AVX2(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  m+8(FP), R10
	MOVQ  x+16(FP), SI
	MOVQ  AX, R14
	ROWS
	VEC4(AX, BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	SPLAT (0*SIZE)(R10), V6
	SPLAT (1*SIZE)(R10), V7
	SPLAT (2*SIZE)(R10), V8
	SPLAT (3*SIZE)(R10), V9
	SPLAT (4*SIZE)(R10), V10
	SPLAT (5*SIZE)(R10), V11
	SPLAT (6*SIZE)(R10), V12
	SPLAT (7*SIZE)(R10), V13
	EACH(BY_BODY, loop, tail, done)
	RETURN

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

// func vec4TransformByF32AVX512(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32])
// Requires: AVX-512.
//
//	AX, BX, CX, DX  v
//	SI, DI, R8, R9  x
//	R10             m
//	V6-V13          its first two columns
TEXT ·vec4TransformByF32AVX512(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  m+8(FP), R10
	MOVQ  x+16(FP), SI
	MOVQ  AX, R14
	ROWS
	VEC4(AX, BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	SPLAT (0*SIZE)(R10), V6
	SPLAT (1*SIZE)(R10), V7
	SPLAT (2*SIZE)(R10), V8
	SPLAT (3*SIZE)(R10), V9
	SPLAT (4*SIZE)(R10), V10
	SPLAT (5*SIZE)(R10), V11
	SPLAT (6*SIZE)(R10), V12
	SPLAT (7*SIZE)(R10), V13
	EACH(BY_BODY, loop, tail, done)
	RETURN

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

// func vec4TransformByF64AVX512(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64])
// Requires: AVX-512.
//
//	AX, BX, CX, DX  v
//	SI, DI, R8, R9  x
//	R10             m
//	V6-V13          its first two columns
TEXT ·vec4TransformByF64AVX512(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  m+8(FP), R10
	MOVQ  x+16(FP), SI
	MOVQ  AX, R14
	ROWS
	VEC4(AX, BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	SPLAT (0*SIZE)(R10), V6
	SPLAT (1*SIZE)(R10), V7
	SPLAT (2*SIZE)(R10), V8
	SPLAT (3*SIZE)(R10), V9
	SPLAT (4*SIZE)(R10), V10
	SPLAT (5*SIZE)(R10), V11
	SPLAT (6*SIZE)(R10), V12
	SPLAT (7*SIZE)(R10), V13
	EACH(BY_BODY, loop, tail, done)
	RETURN
