//go:build !purego

#include "textflag.h"
#include "view_amd64.h"

// Kernels on columns of vectors: the AVX2 and AVX-512 paths. Operands stand in
// the assembler's order, sources first: SUB a, b, c is c = b - a.
//
// The macros hold the arithmetic, in the order of the generic bodies; after them
// every kernel stands four times, for two widths and two types: a TEXT reads the
// arguments, the rest is a macro. A kernel gets the headers of its operands'
// lanes: those that treat all components alike do one lane after the other, the
// others have a loop for two, three and four.

// LANES is the start of a kernel that does one lane after the other: DX lanes,
// with the headers of v, x and y at AX, BX and CX.
#define LANES \
	MOVQ v_base+0(FP), AX  \
	MOVQ v_len+8(FP), DX   \
	MOVQ x_base+24(FP), BX \
	MOVQ y_base+48(FP), CX

// EACHLANE runs a body on all rows of all lanes.
#define EACHLANE(BODY) \
next:  \
	MOVQ  (AX), DI     \
	MOVQ  (BX), SI     \
	MOVQ  (CX), R8     \
	ROWS               \
	END(DI)            \
	END(SI)            \
	END(R8)            \
	NEGQ  R14          \
	JZ    tail         \
	loop:              \
	BODY(LD, ST)       \
	ADDQ  WIDTH, R14   \
	JNZ   loop         \
	tail:              \
	MOVQ  LEN(AX), R14 \
	ANDQ  REST, R14    \
	JZ    last         \
	MASK(R14)          \
	XORL  R14, R14     \
	BODY(LDM, STM)     \
	last:              \
	ADDQ  $24, AX      \
	ADDQ  $24, BX      \
	ADDQ  $24, CX      \
	DECQ  DX           \
	JNZ   next         \
	RETURN

// One lane: v at DI, x at SI, y at R8, s in V0.
#define ADD_BODY(LOAD, STORE) \
	LOAD(AT(SI), V1); LOAD(AT(R8), V2) \
	ADD V2, V1, V1                     \
	STORE(V1, AT(DI))

#define SUB_BODY(LOAD, STORE) \
	LOAD(AT(SI), V1); LOAD(AT(R8), V2) \
	SUB V2, V1, V1                     \
	STORE(V1, AT(DI))

#define SCALE_BODY(LOAD, STORE) \
	LOAD(AT(SI), V1)  \
	MUL V0, V1, V1    \
	STORE(V1, AT(DI))

#define ADD_SCALED_BODY(LOAD, STORE) \
	LOAD(AT(SI), V1); LOAD(AT(R8), V2) \
	MUL V0, V2, V2 /* s*y */           \
	ADD V2, V1, V1                     \
	STORE(V1, AT(DI))

#define LERP_BODY(LOAD, STORE) \
	LOAD(AT(SI), V1); LOAD(AT(R8), V2) \
	SUB V1, V2, V2 /* y - x */         \
	MUL V0, V2, V2                     \
	ADD V2, V1, V1                     \
	STORE(V1, AT(DI))

// LESS sets x to x - y, MIRROR to x - V8*y.
#define LESS2 SUB V4, V0, V0; SUB V5, V1, V1
#define LESS3 LESS2; SUB V6, V2, V2
#define LESS4 LESS3; SUB V7, V3, V3
#define MIRROR2 MUL V8, V4, V4; SUB V4, V0, V0; MUL V8, V5, V5; SUB V5, V1, V1
#define MIRROR3 MIRROR2; MUL V8, V6, V6; SUB V6, V2, V2
#define MIRROR4 MIRROR3; MUL V8, V7, V7; SUB V7, V3, V3

// INVERSE sets V8, a square, to one divided by its root, or to zero if it is
// zero. It needs zeros in V13 and ones in V14 and spoils V9 and V12.
#define INVERSE \
	IFEQUAL(V8, V13)    \
	SQRT V8, V9         \
	DIV  V9, V14, V9    \
	CHOOSE(V13, V9, V8)

// BYSIZE is RUN with the lanes and the body for as many components as x has, two,
// three or four.
#define BYSIZE(LANES2, BODY2, LANES3, BODY3, LANES4, BODY4) \
	ROWS                             \
	CMPQ   x_len+32(FP), $3          \
	JLT    two                       \
	JEQ    three                     \
	LANES4                           \
	EACH(BODY4, loop4, tail4, done4) \
	RETURN                           \
	three:                           \
	LANES3                           \
	EACH(BODY3, loop3, tail3, done3) \
	RETURN                           \
	two:                             \
	LANES2                           \
	EACH(BODY2, loop2, tail2, done2) \
	RETURN

#define DOT2_BODY(LOAD, STORE) LOADX2(LOAD); LOADY2(LOAD); DOT2; STORE(V8, AT(AX))
#define DOT3_BODY(LOAD, STORE) LOADX3(LOAD); LOADY3(LOAD); DOT3; STORE(V8, AT(AX))
#define DOT4_BODY(LOAD, STORE) LOADX4(LOAD); LOADY4(LOAD); DOT4; STORE(V8, AT(AX))
#define DOT BYSIZE(TAKEV1; TAKEX2; TAKEY2, DOT2_BODY, TAKEV1; TAKEX3; TAKEY3, DOT3_BODY, TAKEV1; TAKEX4; TAKEY4, DOT4_BODY)

#define LENGTH2_BODY(LOAD, STORE) LOADX2(LOAD); SQUARE2; SQRT V8, V8; STORE(V8, AT(AX))
#define LENGTH3_BODY(LOAD, STORE) LOADX3(LOAD); SQUARE3; SQRT V8, V8; STORE(V8, AT(AX))
#define LENGTH4_BODY(LOAD, STORE) LOADX4(LOAD); SQUARE4; SQRT V8, V8; STORE(V8, AT(AX))
#define LENGTH BYSIZE(TAKEV1; TAKEX2, LENGTH2_BODY, TAKEV1; TAKEX3, LENGTH3_BODY, TAKEV1; TAKEX4, LENGTH4_BODY)

#define DISTANCE2_BODY(LOAD, STORE) LOADX2(LOAD); LOADY2(LOAD); LESS2; SQUARE2; SQRT V8, V8; STORE(V8, AT(AX))
#define DISTANCE3_BODY(LOAD, STORE) LOADX3(LOAD); LOADY3(LOAD); LESS3; SQUARE3; SQRT V8, V8; STORE(V8, AT(AX))
#define DISTANCE4_BODY(LOAD, STORE) LOADX4(LOAD); LOADY4(LOAD); LESS4; SQUARE4; SQRT V8, V8; STORE(V8, AT(AX))
#define DISTANCE BYSIZE(TAKEV1; TAKEX2; TAKEY2, DISTANCE2_BODY, TAKEV1; TAKEX3; TAKEY3, DISTANCE3_BODY, TAKEV1; TAKEX4; TAKEY4, DISTANCE4_BODY)

#define NORMALIZE2_BODY(LOAD, STORE) LOADX2(LOAD); SQUARE2; INVERSE; TIMES2; V2TO(STORE)
#define NORMALIZE3_BODY(LOAD, STORE) LOADX3(LOAD); SQUARE3; INVERSE; TIMES3; V3TO(STORE)
#define NORMALIZE4_BODY(LOAD, STORE) LOADX4(LOAD); SQUARE4; INVERSE; TIMES4; V4TO(STORE)
#define NORMALIZE BYSIZE(TAKEV2; TAKEX2, NORMALIZE2_BODY, TAKEV3; TAKEX3, NORMALIZE3_BODY, TAKEV4; TAKEX4, NORMALIZE4_BODY)

#define REFLECT2_BODY(LOAD, STORE) LOADX2(LOAD); LOADY2(LOAD); DOT2; ADD V8, V8, V8; MIRROR2; V2TO(STORE)
#define REFLECT3_BODY(LOAD, STORE) LOADX3(LOAD); LOADY3(LOAD); DOT3; ADD V8, V8, V8; MIRROR3; V3TO(STORE)
#define REFLECT4_BODY(LOAD, STORE) LOADX4(LOAD); LOADY4(LOAD); DOT4; ADD V8, V8, V8; MIRROR4; V4TO(STORE)
#define REFLECT BYSIZE(TAKEV2; TAKEX2; TAKEY2, REFLECT2_BODY, TAKEV3; TAKEX3; TAKEY3, REFLECT3_BODY, TAKEV4; TAKEX4; TAKEY4, REFLECT4_BODY)

#define CROSS_BODY(LOAD, STORE) \
	LOADX3(LOAD); LOADY3(LOAD)                                             \
	MUL V6, V1, V7; MUL V5, V2, V8; SUB V8, V7, V7     /* xy*yz - xz*yy */ \
	MUL V4, V2, V8; MUL V6, V0, V9; SUB V9, V8, V8     /* xz*yx - xx*yz */ \
	MUL V5, V0, V9; MUL V4, V1, V10; SUB V10, V9, V9   /* xx*yy - xy*yx */ \
	STORE(V7, AT(AX)); STORE(V8, AT(BX)); STORE(V9, AT(CX))

// ROW_BY sets out to one component of a vector, in the row of the matrix that a, b
// and c are columns of. It spoils V4.
#define ROW_BY(a, b, c, out) \
	MUL a, V0, out                  \
	MUL b, V1, V4; ADD V4, out, out \
	MUL c, V2, V4; ADD V4, out, out

#define VECTORS_BY_BODY(LOAD, STORE) \
	LOADX3(LOAD)                                \
	ROW_BY(V5, V8, V11, V3); STORE(V3, AT(AX))  \
	ROW_BY(V6, V9, V12, V3); STORE(V3, AT(BX))  \
	ROW_BY(V7, V10, V13, V3); STORE(V3, AT(CX))

#define POINTS_BY_BODY(LOAD, STORE) \
	LOADX3(LOAD)                                                       \
	ROW_BY(V5, V8, V11, V3); SPLAT (12*SIZE)(R10), V4; ADD V4, V3, V3  \
	STORE(V3, AT(AX))                                                  \
	ROW_BY(V6, V9, V12, V3); SPLAT (13*SIZE)(R10), V4; ADD V4, V3, V3  \
	STORE(V3, AT(BX))                                                  \
	ROW_BY(V7, V10, V13, V3); SPLAT (14*SIZE)(R10), V4; ADD V4, V3, V3 \
	STORE(V3, AT(CX))

// TRANSFORM_BY is all of vec3TransformBy but the reading of its arguments.
#define TRANSFORM_BY \
	ROWS                                                                             \
	TAKEV3                                                                           \
	TAKEX3                                                                           \
	SPLAT    (0*SIZE)(R10), V5; SPLAT (1*SIZE)(R10), V6; SPLAT (2*SIZE)(R10), V7     \
	SPLAT    (4*SIZE)(R10), V8; SPLAT (5*SIZE)(R10), V9; SPLAT (6*SIZE)(R10), V10    \
	SPLAT    (8*SIZE)(R10), V11; SPLAT (9*SIZE)(R10), V12; SPLAT (10*SIZE)(R10), V13 \
	CMPB     points+24(FP), $0                                                       \
	JEQ      vectors                                                                 \
	EACH(POINTS_BY_BODY, loop, tail, done)                                           \
	RETURN                                                                           \
	vectors:                                                                         \
	EACH(VECTORS_BY_BODY, vloop, vtail, vdone)                                       \
	RETURN

// TURNED sets out, four elements, to the columns of the matrix of row i times
// the components of x: SI, DI and R8 are at row 0, R10 at its matrix. MOVED adds
// the last column. They spoil t.
#define TURNED(SPLATx, MULx, ADDx, size, i, t, out) \
	SPLATx (i*size)(SI), out; MULx (16*i*size)(R10), out, out                 \
	SPLATx (i*size)(DI), t; MULx ((16*i+4)*size)(R10), t, t; ADDx t, out, out \
	SPLATx (i*size)(R8), t; MULx ((16*i+8)*size)(R10), t, t; ADDx t, out, out

#define TURNED32(i, out) TURNED(VBROADCASTSS, VMULPS, VADDPS, 4, i, X4, out)
#define TURNED64(i, out) TURNED(VBROADCASTSD, VMULPD, VADDPD, 8, i, Y4, out)
#define MOVED32(i, out) TURNED32(i, out); VADDPS ((16*i+12)*4)(R10), out, out
#define MOVED64(i, out) TURNED64(i, out); VADDPD ((16*i+12)*8)(R10), out, out

// APART4 stores four rows, APART1 one.
#define APART4X32 \
	VUNPCKLPS X1, X0, X4; VUNPCKLPS X3, X2, X5; VMOVLHPS X5, X4, X6; VMOVUPS X6, (AX) \
	VMOVHLPS  X4, X5, X6; VMOVUPS X6, (BX)                                            \
	VUNPCKHPS X1, X0, X4; VUNPCKHPS X3, X2, X5; VMOVLHPS X5, X4, X6; VMOVUPS X6, (CX)

#define APART1X32 VMOVSS X0, (AX); VEXTRACTPS $1, X0, (BX); VEXTRACTPS $2, X0, (CX)
#define APART4X64 \
	VUNPCKLPD  Y1, Y0, Y4; VUNPCKLPD Y3, Y2, Y5    \
	VPERM2F128 $0x20, Y5, Y4, Y6; VMOVUPD Y6, (AX) \
	VPERM2F128 $0x31, Y5, Y4, Y6; VMOVUPD Y6, (CX) \
	VUNPCKHPD  Y1, Y0, Y4; VUNPCKHPD Y3, Y2, Y5    \
	VPERM2F128 $0x20, Y5, Y4, Y6; VMOVUPD Y6, (BX)

#define APART1X64 VMOVSD X0, (AX); VMOVHPD X0, (BX); VEXTRACTF128 $1, Y0, X0; VMOVSD X0, (CX)

// FORWARD moves all pointers of a transform by n rows.
#define FORWARD(n, size) \
	ADDQ $(n*size), SI; ADDQ $(n*size), DI; ADDQ $(n*size), R8 \
	ADDQ $(n*size), AX; ADDQ $(n*size), BX; ADDQ $(n*size), CX \
	ADDQ $(16*n*size), R10

// TRANSFORM does all rows, four at a time.
#define TRANSFORM(ROW, r0, r1, r2, r3, APART4, APART1, size, loop4, tail, loop1, done) \
	SUBQ   $4, R14                                 \
	JLT    tail                                    \
	loop4:                                         \
	ROW(0, r0); ROW(1, r1); ROW(2, r2); ROW(3, r3) \
	APART4                                         \
	FORWARD(4, size)                               \
	SUBQ   $4, R14                                 \
	JGE    loop4                                   \
	tail:                                          \
	ADDQ   $4, R14                                 \
	JZ     done                                    \
	loop1:                                         \
	ROW(0, r0)                                     \
	APART1                                         \
	FORWARD(1, size)                               \
	DECQ   R14                                     \
	JNZ    loop1                                   \
	done:                                          \
	RETURN

// SQUAREDISTANCE sets the slice v to the squares of the distances of x, a view of three
// lanes, and the point p.

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func lanesAddF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesAddF32AVX2(SB), NOSPLIT, $0-76
	LANES
	EACHLANE(ADD_BODY)

// func lanesSubF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesSubF32AVX2(SB), NOSPLIT, $0-76
	LANES
	EACHLANE(SUB_BODY)

// func lanesScaleF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesScaleF32AVX2(SB), NOSPLIT, $0-76
	LANES
	MOVQ  BX, CX       // there is no y
	SPLAT s+72(FP), V0
	EACHLANE(SCALE_BODY)

// func lanesAddScaledF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesAddScaledF32AVX2(SB), NOSPLIT, $0-76
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(ADD_SCALED_BODY)

// func lanesLerpF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesLerpF32AVX2(SB), NOSPLIT, $0-76
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(LERP_BODY)

// func vecDotF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDotF32AVX2(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DOT

// func vecLengthF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX                  v
//	SI, DI, R8, R9      x
TEXT ·vecLengthF32AVX2(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	LENGTH

// func vecDistanceF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDistanceF32AVX2(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DISTANCE

// func vecNormalizeF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX, DX      v.X, v.Y, v.Z, v.W
//	SI, DI, R8, R9      x
//	V13, V14            0, 1
TEXT ·vecNormalizeF32AVX2(SB), NOSPLIT, $0-76
	MOVQ  v_base+0(FP), AX
	MOVQ  x_base+24(FP), SI
	XOR   V13, V13, V13
	SPLAT ONE, V14
	NORMALIZE

// func vecReflectF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX, DX      v.X, v.Y, v.Z, v.W
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecReflectF32AVX2(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	REFLECT

// func vecCrossF32AVX2(v, x, y [][]float32, s float32)
// Requires: AVX2.
//
//	AX, BX, CX     v.X, v.Y, v.Z
//	SI, DI, R8     x
//	R10, R11, R12  y
TEXT ·vecCrossF32AVX2(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	RUN(TAKEV3; TAKEX3; TAKEY3, CROSS_BODY)

// func vec3TransformByF32AVX2(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool)
// Requires: AVX2.
//
//	AX, BX, CX  v.X, v.Y, v.Z
//	SI, DI, R8  x
//	R10         m
//	V5-V13      its first three columns, of three
TEXT ·vec3TransformByF32AVX2(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), R10
	MOVQ x+16(FP), SI
	TRANSFORM_BY

// func vec3TransformF32AVX2(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool)
// Requires: AVX2.
//
//	AX, BX, CX  v.X, v.Y, v.Z, advanced by the loops
//	SI, DI, R8  x
//	R10         m
//	R14         rows left
TEXT ·vec3TransformF32AVX2(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), R10
	MOVQ x+16(FP), SI
	MOVQ LEN(AX), R9
	MOVQ (R10), R10
	XORL R14, R14
	VEC3(AX, BX, CX)
	VEC3(SI, DI, R8)
	MOVQ R9, R14
	CMPB points+24(FP), $0
	JEQ  vectors
	TRANSFORM(MOVED32, X0, X1, X2, X3, APART4X32, APART1X32, 4, loop4, tail, loop1, done)

vectors:
	TRANSFORM(TURNED32, X0, X1, X2, X3, APART4X32, APART1X32, 4, vloop4, vtail, vloop1, vdone)

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

// func lanesAddF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesAddF64AVX2(SB), NOSPLIT, $0-80
	LANES
	EACHLANE(ADD_BODY)

// func lanesSubF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesSubF64AVX2(SB), NOSPLIT, $0-80
	LANES
	EACHLANE(SUB_BODY)

// func lanesScaleF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesScaleF64AVX2(SB), NOSPLIT, $0-80
	LANES
	MOVQ  BX, CX       // there is no y
	SPLAT s+72(FP), V0
	EACHLANE(SCALE_BODY)

// func lanesAddScaledF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesAddScaledF64AVX2(SB), NOSPLIT, $0-80
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(ADD_SCALED_BODY)

// func lanesLerpF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesLerpF64AVX2(SB), NOSPLIT, $0-80
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(LERP_BODY)

// func vecDotF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDotF64AVX2(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DOT

// func vecLengthF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX                  v
//	SI, DI, R8, R9      x
TEXT ·vecLengthF64AVX2(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	LENGTH

// func vecDistanceF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDistanceF64AVX2(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DISTANCE

// func vecNormalizeF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX, DX      v.X, v.Y, v.Z, v.W
//	SI, DI, R8, R9      x
//	V13, V14            0, 1
TEXT ·vecNormalizeF64AVX2(SB), NOSPLIT, $0-80
	MOVQ  v_base+0(FP), AX
	MOVQ  x_base+24(FP), SI
	XOR   V13, V13, V13
	SPLAT ONE, V14
	NORMALIZE

// func vecReflectF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX, DX      v.X, v.Y, v.Z, v.W
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecReflectF64AVX2(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	REFLECT

// func vecCrossF64AVX2(v, x, y [][]float64, s float64)
// Requires: AVX2.
//
//	AX, BX, CX     v.X, v.Y, v.Z
//	SI, DI, R8     x
//	R10, R11, R12  y
TEXT ·vecCrossF64AVX2(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	RUN(TAKEV3; TAKEX3; TAKEY3, CROSS_BODY)

// func vec3TransformByF64AVX2(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool)
// Requires: AVX2.
//
//	AX, BX, CX  v.X, v.Y, v.Z
//	SI, DI, R8  x
//	R10         m
//	V5-V13      its first three columns, of three
TEXT ·vec3TransformByF64AVX2(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), R10
	MOVQ x+16(FP), SI
	TRANSFORM_BY

// func vec3TransformF64AVX2(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool)
// Requires: AVX2.
//
//	AX, BX, CX  v.X, v.Y, v.Z, advanced by the loops
//	SI, DI, R8  x
//	R10         m
//	R14         rows left
TEXT ·vec3TransformF64AVX2(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), R10
	MOVQ x+16(FP), SI
	MOVQ LEN(AX), R9
	MOVQ (R10), R10
	XORL R14, R14
	VEC3(AX, BX, CX)
	VEC3(SI, DI, R8)
	MOVQ R9, R14
	CMPB points+24(FP), $0
	JEQ  vectors
	TRANSFORM(MOVED64, Y0, Y1, Y2, Y3, APART4X64, APART1X64, 8, loop4, tail, loop1, done)

vectors:
	TRANSFORM(TURNED64, Y0, Y1, Y2, Y3, APART4X64, APART1X64, 8, vloop4, vtail, vloop1, vdone)

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

// func lanesAddF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesAddF32AVX512(SB), NOSPLIT, $0-76
	LANES
	EACHLANE(ADD_BODY)

// func lanesSubF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesSubF32AVX512(SB), NOSPLIT, $0-76
	LANES
	EACHLANE(SUB_BODY)

// func lanesScaleF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesScaleF32AVX512(SB), NOSPLIT, $0-76
	LANES
	MOVQ  BX, CX       // there is no y
	SPLAT s+72(FP), V0
	EACHLANE(SCALE_BODY)

// func lanesAddScaledF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesAddScaledF32AVX512(SB), NOSPLIT, $0-76
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(ADD_SCALED_BODY)

// func lanesLerpF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesLerpF32AVX512(SB), NOSPLIT, $0-76
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(LERP_BODY)

// func vecDotF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDotF32AVX512(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DOT

// func vecDistanceF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDistanceF32AVX512(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DISTANCE

// func vecReflectF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX, DX      v.X, v.Y, v.Z, v.W
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecReflectF32AVX512(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	REFLECT

// func vecCrossF32AVX512(v, x, y [][]float32, s float32)
// Requires: AVX-512.
//
//	AX, BX, CX     v.X, v.Y, v.Z
//	SI, DI, R8     x
//	R10, R11, R12  y
TEXT ·vecCrossF32AVX512(SB), NOSPLIT, $0-76
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	RUN(TAKEV3; TAKEX3; TAKEY3, CROSS_BODY)

// func vec3TransformByF32AVX512(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool)
// Requires: AVX-512.
//
//	AX, BX, CX  v.X, v.Y, v.Z
//	SI, DI, R8  x
//	R10         m
//	V5-V13      its first three columns, of three
TEXT ·vec3TransformByF32AVX512(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), R10
	MOVQ x+16(FP), SI
	TRANSFORM_BY

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

// func lanesAddF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesAddF64AVX512(SB), NOSPLIT, $0-80
	LANES
	EACHLANE(ADD_BODY)

// func lanesSubF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
TEXT ·lanesSubF64AVX512(SB), NOSPLIT, $0-80
	LANES
	EACHLANE(SUB_BODY)

// func lanesScaleF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesScaleF64AVX512(SB), NOSPLIT, $0-80
	LANES
	MOVQ  BX, CX       // there is no y
	SPLAT s+72(FP), V0
	EACHLANE(SCALE_BODY)

// func lanesAddScaledF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesAddScaledF64AVX512(SB), NOSPLIT, $0-80
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(ADD_SCALED_BODY)

// func lanesLerpF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX  headers of v, x, y
//	DI, SI, R8  their lanes
//	V0          s
TEXT ·lanesLerpF64AVX512(SB), NOSPLIT, $0-80
	LANES
	SPLAT s+72(FP), V0
	EACHLANE(LERP_BODY)

// func vecDotF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX                  v
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecDotF64AVX512(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	DOT

// func vecReflectF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX, DX      v.X, v.Y, v.Z, v.W
//	SI, DI, R8, R9      x
//	R10, R11, R12, R13  y
TEXT ·vecReflectF64AVX512(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	REFLECT

// func vecCrossF64AVX512(v, x, y [][]float64, s float64)
// Requires: AVX-512.
//
//	AX, BX, CX     v.X, v.Y, v.Z
//	SI, DI, R8     x
//	R10, R11, R12  y
TEXT ·vecCrossF64AVX512(SB), NOSPLIT, $0-80
	MOVQ v_base+0(FP), AX
	MOVQ x_base+24(FP), SI
	MOVQ y_base+48(FP), R10
	RUN(TAKEV3; TAKEX3; TAKEY3, CROSS_BODY)

// func vec3TransformByF64AVX512(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool)
// Requires: AVX-512.
//
//	AX, BX, CX  v.X, v.Y, v.Z
//	SI, DI, R8  x
//	R10         m
//	V5-V13      its first three columns, of three
TEXT ·vec3TransformByF64AVX512(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), AX
	MOVQ m+8(FP), R10
	MOVQ x+16(FP), SI
	TRANSFORM_BY
