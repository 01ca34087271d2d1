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

// PRODUCT sets out, four elements, to the matrix of row i times x: SI, DI, R8 and R9
// are at row 0, R10 at its matrix. It spoils t.
#define PRODUCT(SPLATx, MULx, ADDx, size, i, t, out) \
	SPLATx (i*size)(SI), out; MULx (16*i*size)(R10), out, out                  \
	SPLATx (i*size)(DI), t; MULx ((16*i+4)*size)(R10), t, t; ADDx t, out, out  \
	SPLATx (i*size)(R8), t; MULx ((16*i+8)*size)(R10), t, t; ADDx t, out, out  \
	SPLATx (i*size)(R9), t; MULx ((16*i+12)*size)(R10), t, t; ADDx t, out, out

#define PRODUCT32(i, out) PRODUCT(VBROADCASTSS, VMULPS, VADDPS, 4, i, X4, out)
#define PRODUCT64(i, out) PRODUCT(VBROADCASTSD, VMULPD, VADDPD, 8, i, Y4, out)

// APART4 stores four rows, APART1 one.
#define APART4X32 \
	VUNPCKLPS X1, X0, X4; VUNPCKLPS X3, X2, X5                                    \
	VMOVLHPS  X5, X4, X6; VMOVUPS X6, (AX); VMOVHLPS X4, X5, X6; VMOVUPS X6, (BX) \
	VUNPCKHPS X1, X0, X4; VUNPCKHPS X3, X2, X5                                    \
	VMOVLHPS  X5, X4, X6; VMOVUPS X6, (CX); VMOVHLPS X4, X5, X6; VMOVUPS X6, (DX)

#define APART1X32 \
	VMOVSS     X0, (AX); VEXTRACTPS $1, X0, (BX)     \
	VEXTRACTPS $2, X0, (CX); VEXTRACTPS $3, X0, (DX)

#define APART4X64 \
	VUNPCKLPD  Y1, Y0, Y4; VUNPCKLPD Y3, Y2, Y5    \
	VPERM2F128 $0x20, Y5, Y4, Y6; VMOVUPD Y6, (AX) \
	VPERM2F128 $0x31, Y5, Y4, Y6; VMOVUPD Y6, (CX) \
	VUNPCKHPD  Y1, Y0, Y4; VUNPCKHPD Y3, Y2, Y5    \
	VPERM2F128 $0x20, Y5, Y4, Y6; VMOVUPD Y6, (BX) \
	VPERM2F128 $0x31, Y5, Y4, Y6; VMOVUPD Y6, (DX)

#define APART1X64 \
	VMOVSD       X0, (AX); VMOVHPD X0, (BX) \
	VEXTRACTF128 $1, Y0, X0                 \
	VMOVSD       X0, (CX); VMOVHPD X0, (DX)

// FORWARD moves all pointers by n rows.
#define FORWARD(n, size) \
	ADDQ $(n*size), SI; ADDQ $(n*size), DI; ADDQ $(n*size), R8; ADDQ $(n*size), R9 \
	ADDQ $(n*size), AX; ADDQ $(n*size), BX; ADDQ $(n*size), CX; ADDQ $(n*size), DX \
	ADDQ $(16*n*size), R10

// PRODUCTS does all rows, four at a time.
#define PRODUCTS(ROW, r0, r1, r2, r3, APART4, APART1, size) \
	MOVQ   v+0(FP), AX                             \
	MOVQ   m+8(FP), R10                            \
	MOVQ   x+16(FP), SI                            \
	MOVQ   LEN(AX), R11                            \
	MOVQ   (R10), R10                              \
	XORL   R14, R14                                \
	VEC4(AX, BX, CX, DX)                           \
	VEC4(SI, DI, R8, R9)                           \
	SUBQ   $4, R11                                 \
	JLT    tail                                    \
	loop4:                                         \
	ROW(0, r0); ROW(1, r1); ROW(2, r2); ROW(3, r3) \
	APART4                                         \
	FORWARD(4, size)                               \
	SUBQ   $4, R11                                 \
	JGE    loop4                                   \
	tail:                                          \
	ADDQ   $4, R11                                 \
	JZ     done                                    \
	loop1:                                         \
	ROW(0, r0)                                     \
	APART1                                         \
	FORWARD(1, size)                               \
	DECQ   R11                                     \
	JNZ    loop1                                   \
	done:                                          \
	RETURN

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func vec4TransformF32AVX2(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32])
// Requires: AVX2.
//
//	AX, BX, CX, DX  v, advanced by the loops
//	SI, DI, R8, R9  x
//	R10             m
//	R11             rows left
TEXT ·vec4TransformF32AVX2(SB), NOSPLIT, $0-24
	PRODUCTS(PRODUCT32, X0, X1, X2, X3, APART4X32, APART1X32, 4)

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

// func vec4TransformF64AVX2(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64])
// Requires: AVX2.
//
//	AX, BX, CX, DX  v, advanced by the loops
//	SI, DI, R8, R9  x
//	R10             m
//	R11             rows left
TEXT ·vec4TransformF64AVX2(SB), NOSPLIT, $0-24
	PRODUCTS(PRODUCT64, Y0, Y1, Y2, Y3, APART4X64, APART1X64, 8)

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
