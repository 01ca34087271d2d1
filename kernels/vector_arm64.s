//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"

// Kernels on columns of vectors: the NEON path. The macros hold the arithmetic,
// in the order of the generic bodies; after them every kernel stands twice, for
// two types: a TEXT reads the arguments, the rest is a macro. A kernel gets the
// headers of its operands' lanes: those that treat all components alike do one
// lane after the other, the others have a loop for two, three and four.

// LANES is the start of a kernel that does one lane after the other: R3 lanes,
// with the headers of v, x and y at R0, R1 and R2.
#define LANES \
	MOVD v_base+0(FP), R0;  \
	MOVD v_len+8(FP), R3;   \
	MOVD x_base+24(FP), R1; \
	MOVD y_base+48(FP), R2

// EACHLANE runs a body on all rows of all lanes: v at R4, x at R5, y at R6.
#define EACHLANE(BODY) \
next:  \
	MOVD   LEN(R0), R12;                                            \
	MOVD.P 24(R0), R4;                                              \
	MOVD.P 24(R1), R5;                                              \
	MOVD.P 24(R2), R6;                                              \
	EACH(BODY, LD2, ST2, LD21, ST21, PAIR, loop, tail, loop1, done) \
	SUBS   $1, R3;                                                  \
	BNE    next;                                                    \
	RET

// One lane, two vectors of it: v at R4, x at R5, y at R6, s in V31.
#define ADD_BODY(LOAD, STORE) \
	LOAD(R5, F0, F1); LOAD(R6, F2, F3); \
	ADD(2, 0, 0); ADD(3, 1, 1);         \
	STORE(F0, F1, R4)

#define SUB_BODY(LOAD, STORE) \
	LOAD(R5, F0, F1); LOAD(R6, F2, F3); \
	SUB(2, 0, 0); SUB(3, 1, 1);         \
	STORE(F0, F1, R4)

#define SCALE_BODY(LOAD, STORE) \
	LOAD(R5, F0, F1);             \
	MUL(31, 0, 0); MUL(31, 1, 1); \
	STORE(F0, F1, R4)

// EACHSCALE is EACHLANE with four vectors a turn: with two the counting would cost
// more than the arithmetic.
#define EACHSCALE \
next:  \
	MOVD   LEN(R0), R12;                                                  \
	MOVD.P 24(R0), R4;                                                    \
	MOVD.P 24(R1), R5;                                                    \
	SUBS   $(2*PAIR), R12;                                                \
	BLT    rest;                                                          \
	twice:                                                                \
	FLDPQ  32(R5), (F2, F3); FLDPQ.P 64(R5), (F0, F1);                    \
	MUL(31, 0, 0); MUL(31, 1, 1); MUL(31, 2, 2); MUL(31, 3, 3);           \
	FSTPQ  (F2, F3), 32(R4); FSTPQ.P (F0, F1), 64(R4);                    \
	SUBS   $(2*PAIR), R12;                                                \
	BGE    twice;                                                         \
	rest:                                                                 \
	ADDS   $(2*PAIR), R12;                                                \
	EACH(SCALE_BODY, LD2, ST2, LD21, ST21, PAIR, loop, tail, loop1, done) \
	SUBS   $1, R3;                                                        \
	BNE    next;                                                          \
	RET

#define ADD_SCALED_BODY(LOAD, STORE) \
	LOAD(R5, F0, F1); LOAD(R6, F2, F3); \
	MUL(31, 2, 2); MUL(31, 3, 3);       \
	ADD(2, 0, 0); ADD(3, 1, 1);         \
	STORE(F0, F1, R4)

#define LERP_BODY(LOAD, STORE) \
	LOAD(R5, F0, F1); LOAD(R6, F2, F3); \
	SUB(0, 2, 2); SUB(1, 3, 3);         \
	MUL(31, 2, 2); MUL(31, 3, 3);       \
	ADD(2, 0, 0); ADD(3, 1, 1);         \
	STORE(F0, F1, R4)

// LESS sets x to x - y, MIRROR to x - V16*y.
#define LESS2 SUB(4, 0, 0); SUB(5, 1, 1)
#define LESS3 LESS2; SUB(6, 2, 2)
#define LESS4 LESS3; SUB(7, 3, 3)
#define MIRROR2 MUL(16, 4, 4); SUB(4, 0, 0); MUL(16, 5, 5); SUB(5, 1, 1)
#define MIRROR3 MIRROR2; MUL(16, 6, 6); SUB(6, 2, 2)
#define MIRROR4 MIRROR3; MUL(16, 7, 7); SUB(7, 3, 3)

// INVERSE sets V16, a square, to one divided by its root, or to zero if it is
// zero. It needs zeros in V30 and ones in V31 and spoils V17.
#define INVERSE \
	CMEQ(30, 16, 17);              \
	SQRT(16, 16);                  \
	DIV(16, 31, 16);               \
	VBIT V17.B16, V30.B16, V16.B16

// BYSIZE is RUN with the lanes and the body for as many components as x has, two,
// three or four.
#define BYSIZE(LANES2, BODY2, LANES3, BODY3, LANES4, BODY4) \
	MOVD   LEN(R0), R12;                   \
	MOVD   x_len+32(FP), R13;              \
	CMP    $3, R13;                        \
	BLT    two;                            \
	BEQ    three;                          \
	LANES4;                                \
	ALL(BODY4, loop4, tail4, one4, done4); \
	RET;                                   \
	three:                                 \
	LANES3;                                \
	ALL(BODY3, loop3, tail3, one3, done3); \
	RET;                                   \
	two:                                   \
	LANES2;                                \
	ALL(BODY2, loop2, tail2, one2, done2); \
	RET

#define DOT2_BODY(LOAD, STORE) LOADX2(LOAD); LOADY2(LOAD); DOT2; STORE(F16, R0)
#define DOT3_BODY(LOAD, STORE) LOADX3(LOAD); LOADY3(LOAD); DOT3; STORE(F16, R0)
#define DOT4_BODY(LOAD, STORE) LOADX4(LOAD); LOADY4(LOAD); DOT4; STORE(F16, R0)
#define DOT BYSIZE(TAKEV1; TAKEX2; TAKEY2, DOT2_BODY, TAKEV1; TAKEX3; TAKEY3, DOT3_BODY, TAKEV1; TAKEX4; TAKEY4, DOT4_BODY)

#define LENGTH2_BODY(LOAD, STORE) LOADX2(LOAD); SQUARE2; SQRT(16, 16); STORE(F16, R0)
#define LENGTH3_BODY(LOAD, STORE) LOADX3(LOAD); SQUARE3; SQRT(16, 16); STORE(F16, R0)
#define LENGTH4_BODY(LOAD, STORE) LOADX4(LOAD); SQUARE4; SQRT(16, 16); STORE(F16, R0)
#define LENGTH BYSIZE(TAKEV1; TAKEX2, LENGTH2_BODY, TAKEV1; TAKEX3, LENGTH3_BODY, TAKEV1; TAKEX4, LENGTH4_BODY)

#define DISTANCE2_BODY(LOAD, STORE) LOADX2(LOAD); LOADY2(LOAD); LESS2; SQUARE2; SQRT(16, 16); STORE(F16, R0)
#define DISTANCE3_BODY(LOAD, STORE) LOADX3(LOAD); LOADY3(LOAD); LESS3; SQUARE3; SQRT(16, 16); STORE(F16, R0)
#define DISTANCE4_BODY(LOAD, STORE) LOADX4(LOAD); LOADY4(LOAD); LESS4; SQUARE4; SQRT(16, 16); STORE(F16, R0)
#define DISTANCE BYSIZE(TAKEV1; TAKEX2; TAKEY2, DISTANCE2_BODY, TAKEV1; TAKEX3; TAKEY3, DISTANCE3_BODY, TAKEV1; TAKEX4; TAKEY4, DISTANCE4_BODY)

#define NORMALIZE2_BODY(LOAD, STORE) LOADX2(LOAD); SQUARE2; INVERSE; TIMES2; STORE2(STORE)
#define NORMALIZE3_BODY(LOAD, STORE) LOADX3(LOAD); SQUARE3; INVERSE; TIMES3; STORE3(STORE)
#define NORMALIZE4_BODY(LOAD, STORE) LOADX4(LOAD); SQUARE4; INVERSE; TIMES4; STORE4(STORE)
#define NORMALIZE BYSIZE(TAKEV2; TAKEX2, NORMALIZE2_BODY, TAKEV3; TAKEX3, NORMALIZE3_BODY, TAKEV4; TAKEX4, NORMALIZE4_BODY)

#define REFLECT2_BODY(LOAD, STORE) LOADX2(LOAD); LOADY2(LOAD); DOT2; ADD(16, 16, 16); MIRROR2; STORE2(STORE)
#define REFLECT3_BODY(LOAD, STORE) LOADX3(LOAD); LOADY3(LOAD); DOT3; ADD(16, 16, 16); MIRROR3; STORE3(STORE)
#define REFLECT4_BODY(LOAD, STORE) LOADX4(LOAD); LOADY4(LOAD); DOT4; ADD(16, 16, 16); MIRROR4; STORE4(STORE)
#define REFLECT BYSIZE(TAKEV2; TAKEX2; TAKEY2, REFLECT2_BODY, TAKEV3; TAKEX3; TAKEY3, REFLECT3_BODY, TAKEV4; TAKEX4; TAKEY4, REFLECT4_BODY)

#define CROSS_BODY(LOAD, STORE) \
	LOADX3(LOAD); LOADY3(LOAD);                    \
	MUL(6, 1, 16); MUL(5, 2, 17); SUB(17, 16, 16); \ // x.y*y.z - x.z*y.y
	MUL(4, 2, 18); MUL(6, 0, 19); SUB(19, 18, 18); \ // x.z*y.x - x.x*y.z
	MUL(5, 0, 20); MUL(4, 1, 21); SUB(21, 20, 20); \ // x.x*y.y - x.y*y.x
	STORE(F16, R0); STORE(F18, R1); STORE(F20, R2)

// ROW_BY sets out to one component of a vector, in the row of the matrix that a, b
// and c are columns of. It spoils V7.
#define ROW_BY(a, b, c, out) \
	MUL(a, 0, out);                 \
	MUL(b, 1, 7); ADD(7, out, out); \
	MUL(c, 2, 7); ADD(7, out, out)

#define VECTORS_BY_BODY(LOAD, STORE) \
	LOADX3(LOAD);                         \
	ROW_BY(16, 19, 22, 3); STORE(F3, R0); \
	ROW_BY(17, 20, 23, 4); STORE(F4, R1); \
	ROW_BY(18, 21, 24, 5); STORE(F5, R2)

#define POINTS_BY_BODY(LOAD, STORE) \
	LOADX3(LOAD);                                        \
	ROW_BY(16, 19, 22, 3); ADD(25, 3, 3); STORE(F3, R0); \
	ROW_BY(17, 20, 23, 4); ADD(26, 4, 4); STORE(F4, R1); \
	ROW_BY(18, 21, 24, 5); ADD(27, 5, 5); STORE(F5, R2)

// TRANSFORM_BY is all of vec3TransformBy but the reading of its arguments. FMOV moves
// over the fourth row of the matrix.
#define TRANSFORM_BY(size, FMOV, T) \
	MOVD     LEN(R0), R12;                                                                                  \
	TAKEV3;                                                                                                 \
	TAKEX3;                                                                                                 \
	VLD1R.P  size(R8), [V16.T]; VLD1R.P size(R8), [V17.T]; VLD1R.P size(R8), [V18.T]; FMOV.P size(R8), F31; \
	VLD1R.P  size(R8), [V19.T]; VLD1R.P size(R8), [V20.T]; VLD1R.P size(R8), [V21.T]; FMOV.P size(R8), F31; \
	VLD1R.P  size(R8), [V22.T]; VLD1R.P size(R8), [V23.T]; VLD1R.P size(R8), [V24.T]; FMOV.P size(R8), F31; \
	VLD1R.P  size(R8), [V25.T]; VLD1R.P size(R8), [V26.T]; VLD1R.P size(R8), [V27.T];                       \
	MOVBU    points+24(FP), R13;                                                                            \
	CBZ      R13, vectors;                                                                                  \
	ALL(POINTS_BY_BODY, loop, tail, loop1, done);                                                           \
	RET;                                                                                                    \
	vectors:                                                                                                \
	ALL(VECTORS_BY_BODY, vloop, vtail, vloop1, vdone);                                                      \
	RET

// TURNED32 sets out to the columns of the next matrix at R8 times element i of
// x, y and z in V0 to V2; MOVED32 adds the last column. They spoil V16 to V21.
#define TURNED32(i, out) \
	FLDPQ.P 32(R8), (F16, F17);            \
	FLDPQ.P 32(R8), (F18, F19);            \
	MULE(i, 0, 16, out);                   \
	MULE(i, 1, 17, 21); ADD(21, out, out); \
	MULE(i, 2, 18, 21); ADD(21, out, out)

#define MOVED32(i, out) TURNED32(i, out); ADD(19, out, out)

// TURNED64 and MOVED64 do the same in two halves, low and high. They spoil V16
// to V25.
#define TURNED64(i, low, high) \
	FLDPQ.P 32(R8), (F16, F17);              \
	FLDPQ.P 32(R8), (F18, F19);              \
	FLDPQ.P 32(R8), (F20, F21);              \
	FLDPQ.P 32(R8), (F22, F23);              \
	MULE(i, 0, 16, low);                     \
	MULE(i, 0, 17, high);                    \
	MULE(i, 1, 18, 24); ADD(24, low, low);   \
	MULE(i, 1, 19, 25); ADD(25, high, high); \
	MULE(i, 2, 20, 24); ADD(24, low, low);   \
	MULE(i, 2, 21, 25); ADD(25, high, high)

#define MOVED64(i, low, high) TURNED64(i, low, high); ADD(22, low, low); ADD(23, high, high)

// TRANSFORM32 does all rows, four matrices at a time, and turns four results of
// a row into three of a lane.
#define TRANSFORM32(ROW, loop4, tail, loop1, done) \
	SUBS   $4, R12;                                                  \
	BLT    tail;                                                     \
	loop4:                                                           \
	LOADX3(LD);                                                      \
	ROW(0, 4); ROW(1, 5); ROW(2, 6); ROW(3, 7);                      \
	VTRN1  V5.S4, V4.S4, V16.S4; VTRN1 V7.S4, V6.S4, V17.S4;         \
	VTRN2  V5.S4, V4.S4, V18.S4; VTRN2 V7.S4, V6.S4, V19.S4;         \
	VZIP1  V17.D2, V16.D2, V0.D2; VZIP1 V19.D2, V18.D2, V1.D2;       \
	VZIP2  V17.D2, V16.D2, V2.D2;                                    \
	STORE3(ST);                                                      \
	SUBS   $4, R12;                                                  \
	BGE    loop4;                                                    \
	tail:                                                            \
	ADDS   $4, R12;                                                  \
	BEQ    done;                                                     \
	loop1:                                                           \
	LOADX3(LD1);                                                     \
	ROW(0, 4);                                                       \
	VDUP   V4.S[0], V0.S4; VDUP V4.S[1], V1.S4; VDUP V4.S[2], V2.S4; \
	STORE3(ST1);                                                     \
	SUBS   $1, R12;                                                  \
	BNE    loop1;                                                    \
	done:                                                            \
	RET

// TRANSFORM64 does the same, two matrices at a time.
#define TRANSFORM64(ROW, loop2, tail, done) \
	SUBS   $2, R12;                                                  \
	BLT    tail;                                                     \
	loop2:                                                           \
	LOADX3(LD);                                                      \
	ROW(0, 4, 5); ROW(1, 6, 7);                                      \
	VZIP1  V6.D2, V4.D2, V0.D2; VZIP2 V6.D2, V4.D2, V1.D2;           \
	VZIP1  V7.D2, V5.D2, V2.D2;                                      \
	STORE3(ST);                                                      \
	SUBS   $2, R12;                                                  \
	BGE    loop2;                                                    \
	tail:                                                            \
	ADDS   $2, R12;                                                  \
	BEQ    done;                                                     \
	LOADX3(LD1);                                                     \
	ROW(0, 4, 5);                                                    \
	VDUP   V4.D[0], V0.D2; VDUP V4.D[1], V1.D2; VDUP V5.D[0], V2.D2; \
	STORE3(ST1);                                                     \
	done:                                                            \
	RET

// SQUAREDISTANCE sets the slice v to the squares of the distances of x, a view of three
// lanes, and the point p, whose numbers are in V20 to V22.

#include "neon_f32_arm64.h"

// func lanesAddF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
TEXT ·lanesAddF32NEON(SB), NOSPLIT, $0-76
	LANES
	EACHLANE(ADD_BODY)

// func lanesSubF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
TEXT ·lanesSubF32NEON(SB), NOSPLIT, $0-76
	LANES
	EACHLANE(SUB_BODY)

// func lanesScaleF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
//	V31     s
TEXT ·lanesScaleF32NEON(SB), NOSPLIT, $0-76
	LANES
	FMOVS s+72(FP), F31
	VDUP  V31.S[0], V31.S4
	EACHSCALE

// func lanesAddScaledF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
//	V31     s
TEXT ·lanesAddScaledF32NEON(SB), NOSPLIT, $0-76
	LANES
	FMOVS s+72(FP), F31
	VDUP  V31.S[0], V31.S4
	EACHLANE(ADD_SCALED_BODY)

// func lanesLerpF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
//	V31     s
TEXT ·lanesLerpF32NEON(SB), NOSPLIT, $0-76
	LANES
	FMOVS s+72(FP), F31
	VDUP  V31.S[0], V31.S4
	EACHLANE(LERP_BODY)

// func vecDotF32NEON(v, x, y [][]float32, s float32)
//
//	R0      v
//	R4-R7   x
//	R8-R11  y
TEXT ·vecDotF32NEON(SB), NOSPLIT, $0-76
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	DOT

// func vecLengthF32NEON(v, x, y [][]float32, s float32)
//
//	R0      v
//	R4-R7   x
TEXT ·vecLengthF32NEON(SB), NOSPLIT, $0-76
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	LENGTH

// func vecDistanceF32NEON(v, x, y [][]float32, s float32)
//
//	R0      v
//	R4-R7   x
//	R8-R11  y
TEXT ·vecDistanceF32NEON(SB), NOSPLIT, $0-76
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	DISTANCE

// func vecNormalizeF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R3   v.X, v.Y, v.Z, v.W
//	R4-R7   x
//	V30-31  0, 1
TEXT ·vecNormalizeF32NEON(SB), NOSPLIT, $0-76
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	VEOR V30.B16, V30.B16, V30.B16
	MOVD $one32<>(SB), R13
	SPLAT(R13, V31)
	NORMALIZE

// func vecReflectF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R3   v.X, v.Y, v.Z, v.W
//	R4-R7   x
//	R8-R11  y
TEXT ·vecReflectF32NEON(SB), NOSPLIT, $0-76
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	REFLECT

// func vecCrossF32NEON(v, x, y [][]float32, s float32)
//
//	R0-R2   v.X, v.Y, v.Z
//	R4-R6   x
//	R8-R10  y
TEXT ·vecCrossF32NEON(SB), NOSPLIT, $0-76
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	RUN(TAKEV3; TAKEX3; TAKEY3, CROSS_BODY)

// func vec3TransformByF32NEON(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool)
//
//	R0-R2    v.X, v.Y, v.Z
//	R4-R6    x
//	R8       m
//	V16-V27  its columns, three of each
TEXT ·vec3TransformByF32NEON(SB), NOSPLIT, $0-25
	MOVD v+0(FP), R0
	MOVD m+8(FP), R8
	MOVD x+16(FP), R4
	TRANSFORM_BY(4, FMOVS, S4)

// func vec3TransformF32NEON(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool)
//
//	R0-R2  v.X, v.Y, v.Z
//	R4-R6  x
//	R8     m
TEXT ·vec3TransformF32NEON(SB), NOSPLIT, $0-25
	MOVD  v+0(FP), R0
	MOVD  m+8(FP), R8
	MOVD  x+16(FP), R4
	MOVD  LEN(R0), R12
	MOVD  (R8), R8
	VEC3(R0, R1, R2)
	VEC3(R4, R5, R6)
	MOVBU points+24(FP), R13
	CBZ   R13, vectors
	TRANSFORM32(MOVED32, loop4, tail, loop1, done)

vectors:
	TRANSFORM32(TURNED32, vloop4, vtail, vloop1, vdone)

#include "neon_f64_arm64.h"

// func lanesAddF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
TEXT ·lanesAddF64NEON(SB), NOSPLIT, $0-80
	LANES
	EACHLANE(ADD_BODY)

// func lanesSubF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
TEXT ·lanesSubF64NEON(SB), NOSPLIT, $0-80
	LANES
	EACHLANE(SUB_BODY)

// func lanesScaleF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
//	V31     s
TEXT ·lanesScaleF64NEON(SB), NOSPLIT, $0-80
	LANES
	FMOVD s+72(FP), F31
	VDUP  V31.D[0], V31.D2
	EACHSCALE

// func lanesAddScaledF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
//	V31     s
TEXT ·lanesAddScaledF64NEON(SB), NOSPLIT, $0-80
	LANES
	FMOVD s+72(FP), F31
	VDUP  V31.D[0], V31.D2
	EACHLANE(ADD_SCALED_BODY)

// func lanesLerpF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R2   headers of v, x, y
//	R4-R6   their lanes
//	V31     s
TEXT ·lanesLerpF64NEON(SB), NOSPLIT, $0-80
	LANES
	FMOVD s+72(FP), F31
	VDUP  V31.D[0], V31.D2
	EACHLANE(LERP_BODY)

// func vecDotF64NEON(v, x, y [][]float64, s float64)
//
//	R0      v
//	R4-R7   x
//	R8-R11  y
TEXT ·vecDotF64NEON(SB), NOSPLIT, $0-80
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	DOT

// func vecLengthF64NEON(v, x, y [][]float64, s float64)
//
//	R0      v
//	R4-R7   x
TEXT ·vecLengthF64NEON(SB), NOSPLIT, $0-80
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	LENGTH

// func vecDistanceF64NEON(v, x, y [][]float64, s float64)
//
//	R0      v
//	R4-R7   x
//	R8-R11  y
TEXT ·vecDistanceF64NEON(SB), NOSPLIT, $0-80
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	DISTANCE

// func vecNormalizeF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R3   v.X, v.Y, v.Z, v.W
//	R4-R7   x
//	V30-31  0, 1
TEXT ·vecNormalizeF64NEON(SB), NOSPLIT, $0-80
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	VEOR V30.B16, V30.B16, V30.B16
	MOVD $one64<>(SB), R13
	SPLAT(R13, V31)
	NORMALIZE

// func vecReflectF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R3   v.X, v.Y, v.Z, v.W
//	R4-R7   x
//	R8-R11  y
TEXT ·vecReflectF64NEON(SB), NOSPLIT, $0-80
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	REFLECT

// func vecCrossF64NEON(v, x, y [][]float64, s float64)
//
//	R0-R2   v.X, v.Y, v.Z
//	R4-R6   x
//	R8-R10  y
TEXT ·vecCrossF64NEON(SB), NOSPLIT, $0-80
	MOVD v_base+0(FP), R0
	MOVD x_base+24(FP), R4
	MOVD y_base+48(FP), R8
	RUN(TAKEV3; TAKEX3; TAKEY3, CROSS_BODY)

// func vec3TransformByF64NEON(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool)
//
//	R0-R2    v.X, v.Y, v.Z
//	R4-R6    x
//	R8       m
//	V16-V27  its columns, three of each
TEXT ·vec3TransformByF64NEON(SB), NOSPLIT, $0-25
	MOVD v+0(FP), R0
	MOVD m+8(FP), R8
	MOVD x+16(FP), R4
	TRANSFORM_BY(8, FMOVD, D2)

// func vec3TransformF64NEON(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool)
//
//	R0-R2  v.X, v.Y, v.Z
//	R4-R6  x
//	R8     m
TEXT ·vec3TransformF64NEON(SB), NOSPLIT, $0-25
	MOVD  v+0(FP), R0
	MOVD  m+8(FP), R8
	MOVD  x+16(FP), R4
	MOVD  LEN(R0), R12
	MOVD  (R8), R8
	VEC3(R0, R1, R2)
	VEC3(R4, R5, R6)
	MOVBU points+24(FP), R13
	CBZ   R13, vectors
	TRANSFORM64(MOVED64, loop2, tail, done)

vectors:
	TRANSFORM64(TURNED64, vloop2, vtail, vdone)
