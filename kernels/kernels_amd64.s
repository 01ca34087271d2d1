//go:build !purego

#include "textflag.h"
#include "view_amd64.h"
#include "sincos_amd64.h"

// The AVX2 and AVX-512 paths. Every body does what the generic one of its family
// does, in the same order, on one vector of rows at a time; rows that remain go
// through the same instructions under a mask.
//
// The four versions of a kernel differ only in the width of a vector and the
// type of an element. So the arithmetic stands in macros over the words of
// avx2_f32_amd64.h and its sisters: MUL is VMULPS or VMULPD, V0 is Y0 or Z0.
// Operands stand in the assembler's order, sources first: SUB a, b, c is
// c = b - a.
//
// A TEXT reads the arguments; what its sisters have in common with it is a macro.

// PRODUCT stores the quaternion product (V0, V1, V2, V3)·(V4, V5, V6, V7) to the
// lanes at AX, BX, CX, DX. It spoils V8 and V9.
#define PRODUCT(STORE) \
	/* x = ((aw*bx + ax*bw) + ay*bz) - az*by */ \
	MUL V4, V3, V8                              \
	MUL V7, V0, V9; ADD V9, V8, V8              \
	MUL V6, V1, V9; ADD V9, V8, V8              \
	MUL V5, V2, V9; SUB V9, V8, V8              \
	STORE(V8, AT(AX))                           \
	/* y = ((aw*by + ay*bw) + az*bx) - ax*bz */ \
	MUL V5, V3, V8                              \
	MUL V7, V1, V9; ADD V9, V8, V8              \
	MUL V4, V2, V9; ADD V9, V8, V8              \
	MUL V6, V0, V9; SUB V9, V8, V8              \
	STORE(V8, AT(BX))                           \
	/* z = ((aw*bz + az*bw) + ax*by) - ay*bx */ \
	MUL V6, V3, V8                              \
	MUL V7, V2, V9; ADD V9, V8, V8              \
	MUL V5, V0, V9; ADD V9, V8, V8              \
	MUL V4, V1, V9; SUB V9, V8, V8              \
	STORE(V8, AT(CX))                           \
	/* w = ((aw*bw - ax*bx) - ay*by) - az*bz */ \
	MUL V7, V3, V8                              \
	MUL V4, V0, V9; SUB V9, V8, V8              \
	MUL V5, V1, V9; SUB V9, V8, V8              \
	MUL V6, V2, V9; SUB V9, V8, V8              \
	STORE(V8, AT(DX))

#define MUL_ROWS(LOAD, STORE) \
	LOADX4(LOAD); LOADY4(LOAD) \
	PRODUCT(STORE)

// SPIN_ROWS leaves for stop where an angle is beyond the ordinary. The axis has
// its y and z at AXISY and AXISZ.
#define SPIN_ROWS(LOAD, STORE, MAGNITUDE, ORDINARY, SINCOS, AXISY, AXISZ) \
	LOAD(AT(R10), V4); MUL V13, V4, V4                           \
	AND   MAGNITUDE, V4, V5; BEYOND(ORDINARY)                    \
	SINCOS                                                       \
	SPLAT (R11), V4; SPLAT AXISY(R11), V5; SPLAT AXISZ(R11), V6  \
	MUL   V8, V4, V4; MUL V8, V5, V5; MUL V8, V6, V6; MOV V9, V7 \
	LOADX4(LOAD)                                                 \
	UNIT4                                                        \
	PRODUCT(STORE)

#define SPIN_ROWS32(LOAD, STORE) \
SPIN_ROWS(LOAD, STORE, magnitude32<>(SB), ordinary32<>(SB), SINCOS32, 4, 8)

#define SPIN_ROWS64(LOAD, STORE) \
SPIN_ROWS(LOAD, STORE, magnitude64<>(SB), ordinary64<>(SB), SINCOS64, 8, 16)

// ROTATE turns (V4, V5, V6) by the quaternion (V0, V1, V2, V3), which it leaves
// alone. It spoils V7 to V11.
#define ROTATE \
	/* t = q.xyz × x; t += t */                                          \
	MUL V6, V1, V7; MUL V5, V2, V10; SUB V10, V7, V7; ADD V7, V7, V7     \
	MUL V4, V2, V8; MUL V6, V0, V10; SUB V10, V8, V8; ADD V8, V8, V8     \
	MUL V5, V0, V9; MUL V4, V1, V10; SUB V10, V9, V9; ADD V9, V9, V9     \
	/* (x + w*t) + q.xyz × t */                                          \
	MUL V7, V3, V10; ADD V10, V4, V4                                     \
	MUL V9, V1, V10; MUL V8, V2, V11; SUB V11, V10, V10; ADD V10, V4, V4 \
	MUL V8, V3, V10; ADD V10, V5, V5                                     \
	MUL V7, V2, V10; MUL V9, V0, V11; SUB V11, V10, V10; ADD V10, V5, V5 \
	MUL V9, V3, V10; ADD V10, V6, V6                                     \
	MUL V8, V0, V10; MUL V7, V1, V11; SUB V11, V10, V10; ADD V10, V6, V6

#define ROTATE_BY_ROWS(LOAD, STORE) \
	LOAD(AT(R10), V4); LOAD(AT(R11), V5); LOAD(AT(R12), V6) \
	ROTATE                                                  \
	STORE(V4, AT(AX)); STORE(V5, AT(BX)); STORE(V6, AT(CX))

#define ROTATE_ROWS(LOAD, STORE) \
	LOADX4(LOAD)                \
	ROTATE_BY_ROWS(LOAD, STORE)

// ROTATION loads rot, BASIS turns it into the three columns of the rotation
// times the scale: (V1, V2, V3), (V4, V5, V6), (V8, V9, V10). It needs the place
// of a 1 and spoils V0, V7 and V11 to V14.
#define ROTATION(LOAD) \
	LOAD(AT(SI), V0); LOAD(AT(DI), V1); LOAD(AT(R8), V2); LOAD(AT(R9), V3)

#define BASIS(LOAD, ONE) \
	ADD   V0, V0, V4; ADD V1, V1, V5; ADD V2, V2, V6                    \
	MUL   V4, V3, V7; MUL V5, V3, V8; MUL V6, V3, V9 /* wx wy wz */     \
	MUL   V4, V0, V10; MUL V5, V0, V11; MUL V6, V0, V12 /* xx xy xz */  \
	MUL   V5, V1, V13; MUL V6, V1, V14; MUL V6, V2, V0 /* yy yz zz */   \
	SPLAT ONE, V3                                                       \
	ADD   V0, V13, V1; SUB V1, V3, V1 /* 1 - (yy+zz) */                 \
	ADD   V0, V10, V5; SUB V5, V3, V5 /* 1 - (xx+zz) */                 \
	ADD   V13, V10, V10; SUB V10, V3, V10 /* 1 - (xx+yy) */             \
	ADD   V9, V11, V2; SUB V9, V11, V4 /* xy+wz, xy-wz */               \
	SUB   V8, V12, V3; ADD V8, V12, V8 /* xz-wy, xz+wy */               \
	ADD   V7, V14, V6; SUB V7, V14, V9 /* yz+wx, yz-wx */               \
	LOAD(AT(R10), V0); MUL V0, V1, V1; MUL V0, V2, V2; MUL V0, V3, V3   \
	LOAD(AT(R11), V0); MUL V0, V4, V4; MUL V0, V5, V5; MUL V0, V6, V6   \
	LOAD(AT(R12), V0); MUL V0, V8, V8; MUL V0, V9, V9; MUL V0, V10, V10

// AGAIN points AX and R14 at the last rows that fill a vector, which overlap
// rows done before: those are done again, and as m may be nothing else, that
// does no harm. It needs the number of rows left over in R13 and spoils it.
#define AGAIN(rows, shift) \
	LEAQ -rows(R13), R14                          \
	MOVQ R14, R13; SHLQ $shift, R13; ADDQ R13, AX \
	SHLQ SHIFT, R14

// AHEAD fetches 512 bytes at m, where matrices will be stored, into the first cache:
// their stores, of several lines in turn, would wait for each. Nothing is read there,
// and there may be nothing.
#define AHEAD(m) \
	PREFETCHT0 0+m; PREFETCHT0 64+m; PREFETCHT0 128+m; PREFETCHT0 192+m    \
	PREFETCHT0 256+m; PREFETCHT0 320+m; PREFETCHT0 384+m; PREFETCHT0 448+m

#include "avx2_f32_amd64.h"

// func quatMulF32AVX2(q, a, b *Quats[float32])
// Requires: AVX2.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
TEXT ·quatMulF32AVX2(SB), NOSPLIT, $0-24
	MOVQ q+0(FP), AX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), R10
	RUN(TAKEV4; TAKEX4; TAKEY4, MUL_ROWS)

#include "avx512_f32_amd64.h"

// func quatMulF32AVX512(q, a, b *Quats[float32])
// Requires: AVX-512.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
TEXT ·quatMulF32AVX512(SB), NOSPLIT, $0-24
	MOVQ q+0(FP), AX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), R10
	RUN(TAKEV4; TAKEX4; TAKEY4, MUL_ROWS)

#include "avx2_f64_amd64.h"

// func quatMulF64AVX2(q, a, b *Quats[float64])
// Requires: AVX2.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
TEXT ·quatMulF64AVX2(SB), NOSPLIT, $0-24
	MOVQ q+0(FP), AX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), R10
	RUN(TAKEV4; TAKEX4; TAKEY4, MUL_ROWS)

#include "avx512_f64_amd64.h"

// func quatMulF64AVX512(q, a, b *Quats[float64])
// Requires: AVX-512.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
TEXT ·quatMulF64AVX512(SB), NOSPLIT, $0-24
	MOVQ q+0(FP), AX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), R10
	RUN(TAKEV4; TAKEX4; TAKEY4, MUL_ROWS)

#include "avx2_f32_amd64.h"

// func quatSpinF32AVX2(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int
// Requires: AVX2. It returns the number of rows done: all, or those before a
// vector with an angle beyond the ordinary.
//
//	AX, BX, CX, DX  q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9  p
//	R10, R11        speed, axis
//	V13, V14        half, 1
TEXT ·quatSpinF32AVX2(SB), NOSPLIT, $0-64
	MOVQ  q+0(FP), AX
	MOVQ  p+8(FP), SI
	MOVQ  axis+16(FP), R11
	MOVQ  speed_base+24(FP), R10
	SPLAT half+48(FP), V13
	SPLAT one32<>(SB), V14
	RUNUPTO(TAKEV4; TAKEX4; END(R10), SPIN_ROWS32, ret+56(FP))

#include "avx512_f32_amd64.h"

// func quatSpinF32AVX512(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int
// Requires: AVX-512. It returns the number of rows done: all, or those before a
// vector with an angle beyond the ordinary.
//
//	AX, BX, CX, DX  q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9  p
//	R10, R11        speed, axis
//	V13, V14        half, 1
TEXT ·quatSpinF32AVX512(SB), NOSPLIT, $0-64
	MOVQ  q+0(FP), AX
	MOVQ  p+8(FP), SI
	MOVQ  axis+16(FP), R11
	MOVQ  speed_base+24(FP), R10
	SPLAT half+48(FP), V13
	SPLAT one32<>(SB), V14
	RUNUPTO(TAKEV4; TAKEX4; END(R10), SPIN_ROWS32, ret+56(FP))

#include "avx2_f64_amd64.h"

// func quatSpinF64AVX2(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int
// Requires: AVX2. It returns the number of rows done: all, or those before a
// vector with an angle beyond the ordinary.
//
//	AX, BX, CX, DX  q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9  p
//	R10, R11        speed, axis
//	V13, V14        half, 1
TEXT ·quatSpinF64AVX2(SB), NOSPLIT, $0-64
	MOVQ  q+0(FP), AX
	MOVQ  p+8(FP), SI
	MOVQ  axis+16(FP), R11
	MOVQ  speed_base+24(FP), R10
	SPLAT half+48(FP), V13
	SPLAT one64<>(SB), V14
	RUNUPTO(TAKEV4; TAKEX4; END(R10), SPIN_ROWS64, ret+56(FP))

#include "avx512_f64_amd64.h"

// func quatSpinF64AVX512(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int
// Requires: AVX-512. It returns the number of rows done: all, or those before a
// vector with an angle beyond the ordinary.
//
//	AX, BX, CX, DX  q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9  p
//	R10, R11        speed, axis
//	V13, V14        half, 1
TEXT ·quatSpinF64AVX512(SB), NOSPLIT, $0-64
	MOVQ  q+0(FP), AX
	MOVQ  p+8(FP), SI
	MOVQ  axis+16(FP), R11
	MOVQ  speed_base+24(FP), R10
	SPLAT half+48(FP), V13
	SPLAT one64<>(SB), V14
	RUNUPTO(TAKEV4; TAKEX4; END(R10), SPIN_ROWS64, ret+56(FP))

#include "avx2_f32_amd64.h"

// func vec3RotateF32AVX2(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32])
// Requires: AVX2.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	SI, DI, R8, R9  q
//	R10, R11, R12   x
TEXT ·vec3RotateF32AVX2(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), AX
	MOVQ q+8(FP), SI
	MOVQ x+16(FP), R10
	RUN(TAKEV3; TAKEX4; TAKEY3, ROTATE_ROWS)

#include "avx512_f32_amd64.h"

// func vec3RotateF32AVX512(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32])
// Requires: AVX-512.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	SI, DI, R8, R9  q
//	R10, R11, R12   x
TEXT ·vec3RotateF32AVX512(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), AX
	MOVQ q+8(FP), SI
	MOVQ x+16(FP), R10
	RUN(TAKEV3; TAKEX4; TAKEY3, ROTATE_ROWS)

#include "avx2_f64_amd64.h"

// func vec3RotateF64AVX2(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64])
// Requires: AVX2.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	SI, DI, R8, R9  q
//	R10, R11, R12   x
TEXT ·vec3RotateF64AVX2(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), AX
	MOVQ q+8(FP), SI
	MOVQ x+16(FP), R10
	RUN(TAKEV3; TAKEX4; TAKEY3, ROTATE_ROWS)

#include "avx512_f64_amd64.h"

// func vec3RotateF64AVX512(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64])
// Requires: AVX-512.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	SI, DI, R8, R9  q
//	R10, R11, R12   x
TEXT ·vec3RotateF64AVX512(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), AX
	MOVQ q+8(FP), SI
	MOVQ x+16(FP), R10
	RUN(TAKEV3; TAKEX4; TAKEY3, ROTATE_ROWS)

#include "avx2_f32_amd64.h"

// func vec3RotateByF32AVX2(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32])
// Requires: AVX2.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	R10, R11, R12   x
//	V0, V1, V2, V3  q
TEXT ·vec3RotateByF32AVX2(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  q+8(FP), SI
	MOVQ  x+16(FP), R10
	SPLAT 0(SI), V0
	SPLAT 4(SI), V1
	SPLAT 8(SI), V2
	SPLAT 12(SI), V3
	RUN(TAKEV3; TAKEY3, ROTATE_BY_ROWS)

#include "avx512_f32_amd64.h"

// func vec3RotateByF32AVX512(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32])
// Requires: AVX-512.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	R10, R11, R12   x
//	V0, V1, V2, V3  q
TEXT ·vec3RotateByF32AVX512(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  q+8(FP), SI
	MOVQ  x+16(FP), R10
	SPLAT 0(SI), V0
	SPLAT 4(SI), V1
	SPLAT 8(SI), V2
	SPLAT 12(SI), V3
	RUN(TAKEV3; TAKEY3, ROTATE_BY_ROWS)

#include "avx2_f64_amd64.h"

// func vec3RotateByF64AVX2(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64])
// Requires: AVX2.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	R10, R11, R12   x
//	V0, V1, V2, V3  q
TEXT ·vec3RotateByF64AVX2(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  q+8(FP), SI
	MOVQ  x+16(FP), R10
	SPLAT 0(SI), V0
	SPLAT 8(SI), V1
	SPLAT 16(SI), V2
	SPLAT 24(SI), V3
	RUN(TAKEV3; TAKEY3, ROTATE_BY_ROWS)

#include "avx512_f64_amd64.h"

// func vec3RotateByF64AVX512(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64])
// Requires: AVX-512.
//
//	AX, BX, CX      v.X, v.Y, v.Z
//	R10, R11, R12   x
//	V0, V1, V2, V3  q
TEXT ·vec3RotateByF64AVX512(SB), NOSPLIT, $0-24
	MOVQ  v+0(FP), AX
	MOVQ  q+8(FP), SI
	MOVQ  x+16(FP), R10
	SPLAT 0(SI), V0
	SPLAT 8(SI), V1
	SPLAT 16(SI), V2
	SPLAT 24(SI), V3
	RUN(TAKEV3; TAKEY3, ROTATE_BY_ROWS)

#include "avx2_f32_amd64.h"

// PAIR stores two columns side by side in four matrices at m. The lower halves
// of (a, b, c, Y14) are the left one. It spoils its operands, Y12 and Y13.
#define PAIR(MOVE, a, b, c, m) \
	VUNPCKLPS b, a, Y12; VUNPCKLPS Y14, c, Y13 /* a0 b0 a1 b1, c0 d0 c1 d1 */ \
	VUNPCKHPS b, a, a; VUNPCKHPS Y14, c, c /* a2 b2 a3 b3, c2 d2 c3 d3 */     \
	VSHUFPS   $0x44, Y13, Y12, b; MOVE b, 0+m /* a0 b0 c0 d0 */               \
	VSHUFPS   $0xee, Y13, Y12, b; MOVE b, 64+m                                \
	VSHUFPS   $0x44, c, a, b; MOVE b, 128+m                                   \
	VSHUFPS   $0xee, c, a, b; MOVE b, 192+m

// COLUMN stores the first row of (a, b, c, Y14). It spoils Y12 and Y13.
#define COLUMN(a, b, c, m) \
	VUNPCKLPS b, a, Y12; VUNPCKLPS Y14, c, Y13 \
	VMOVLHPS  X13, X12, X12; VMOVUPS X12, m

// FIRST4 stores the first four matrices of the columns and of pos at m, LAST4 the
// others: columns 0 and 1, then 2 and 3 with the row (0, 1) below them. They spoil Y0,
// Y7 and Y11 to Y14, LAST4 the columns too.
#define FIRST4(MOVE, m) \
	VXORPS       Y14, Y14, Y14                                      \
	VINSERTF128  $1, X4, Y1, Y0; VINSERTF128 $1, X5, Y2, Y7         \
	VINSERTF128  $1, X6, Y3, Y11                                    \
	PAIR(MOVE, Y0, Y7, Y11, 0+m)                                    \
	VBROADCASTSS one32<>(SB), Y0; VBLENDPS $0xf0, Y0, Y14, Y14      \
	VINSERTF128  $1, AT(BX), Y8, Y0; VINSERTF128 $1, AT(CX), Y9, Y7 \
	VINSERTF128  $1, AT(DX), Y10, Y11                               \
	PAIR(MOVE, Y0, Y7, Y11, 32+m)

#define LAST4(MOVE, m) \
	VPERM2F128 $0x31, AT(BX), Y8, Y8; VPERM2F128 $0x31, AT(CX), Y9, Y9 \
	VPERM2F128 $0x31, AT(DX), Y10, Y10                                 \
	PAIR(MOVE, Y8, Y9, Y10, 32+m)                                      \
	VXORPS     Y14, Y14, Y14                                           \
	VPERM2F128 $0x31, Y4, Y1, Y1; VPERM2F128 $0x31, Y5, Y2, Y2         \
	VPERM2F128 $0x31, Y6, Y3, Y3                                       \
	PAIR(MOVE, Y1, Y2, Y3, 0+m)

// func mat4ComposeF32AVX2(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool)
// Requires: AVX2.
//
//	AX              m, advanced by the loops
//	BX, CX, DX      pos.X, pos.Y, pos.Z
//	SI, DI, R8, R9  rot
//	R10, R11, R12   scale
//	R13             rows left over
TEXT ·mat4ComposeF32AVX2(SB), NOSPLIT, $0-33
	MOVQ m+0(FP), AX
	MOVQ pos+8(FP), BX
	MOVQ rot+16(FP), SI
	MOVQ scale+24(FP), R10
	MOVQ LEN(AX), R14
	MOVQ (AX), AX
	MOVQ R14, R13
	ANDQ REST, R13
	BYTES
	VEC3(BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	VEC3(R10, R11, R12)
	NEGQ R14
	JZ   tail
	CMPB past+32(FP), $0
	JNE  past8

loop8:
	AHEAD(512(AX))
	ROTATION(LD)
	BASIS(LD, one32<>(SB))
	FIRST4(VMOVUPS, 0(AX))
	LAST4(VMOVUPS, 256(AX))
	ADDQ $512, AX
	ADDQ WIDTH, R14
	JLT  loop8
	JGT  done

tail:
	TESTQ R13, R13
	JZ    done
	MOVQ  m+0(FP), R14
	CMPQ  LEN(R14), $8
	JLT   few
	AGAIN(8, 6)
	JMP   loop8

few:
	MOVL $1, R14
	MASK(R14)
	XORL R14, R14

loop1:
	ROTATION(LDM)
	BASIS(LDM, one32<>(SB))
	VXORPS       Y14, Y14, Y14
	COLUMN(Y1, Y2, Y3, 0(AX))
	COLUMN(Y4, Y5, Y6, 16(AX))
	COLUMN(Y8, Y9, Y10, 32(AX))
	VBROADCASTSS one32<>(SB), Y14
	LDM(AT(BX), Y1)
	LDM(AT(CX), Y2)
	LDM(AT(DX), Y3)
	COLUMN(Y1, Y2, Y3, 48(AX))
	ADDQ         $64, AX
	ADDQ         $4, R14
	DECQ         R13
	JNZ          loop1

done:
	VZEROUPPER
	RET

past8:
	ROTATION(LD)
	BASIS(LD, one32<>(SB))
	FIRST4(VMOVNTPS, 0(AX))
	LAST4(VMOVNTPS, 256(AX))
	ADDQ  $512, AX
	ADDQ  WIDTH, R14
	JLT   past8
	JGT   fence
	TESTQ R13, R13
	JZ    fence
	AGAIN(8, 6)
	JMP   past8

fence:
	SFENCE
	JMP done

#include "avx512_f32_amd64.h"

// rowOf0 to rowOf3 pick the elements of one row of a matrix from a0 b0 a1 b1 …
// (or a2 b2 a3 b3 …) and c0 c1 c2 c3 …, with what stands below the columns in
// the places that are not picked.
DATA rowOf0<>+0(SB)/8, $0x0000000100000000
DATA rowOf0<>+8(SB)/8, $0x0000000000000010
DATA rowOf0<>+16(SB)/8, $0x0000000500000004
DATA rowOf0<>+24(SB)/8, $0x0000000000000014
DATA rowOf0<>+32(SB)/8, $0x0000000900000008
DATA rowOf0<>+40(SB)/8, $0x0000000000000018
DATA rowOf0<>+48(SB)/8, $0x0000000d0000000c
DATA rowOf0<>+56(SB)/8, $0x3f8000000000001c
GLOBL rowOf0<>(SB), RODATA|NOPTR, $64
DATA rowOf1<>+0(SB)/8, $0x0000000300000002
DATA rowOf1<>+8(SB)/8, $0x0000000000000011
DATA rowOf1<>+16(SB)/8, $0x0000000700000006
DATA rowOf1<>+24(SB)/8, $0x0000000000000015
DATA rowOf1<>+32(SB)/8, $0x0000000b0000000a
DATA rowOf1<>+40(SB)/8, $0x0000000000000019
DATA rowOf1<>+48(SB)/8, $0x0000000f0000000e
DATA rowOf1<>+56(SB)/8, $0x3f8000000000001d
GLOBL rowOf1<>(SB), RODATA|NOPTR, $64
DATA rowOf2<>+0(SB)/8, $0x0000000100000000
DATA rowOf2<>+8(SB)/8, $0x0000000000000012
DATA rowOf2<>+16(SB)/8, $0x0000000500000004
DATA rowOf2<>+24(SB)/8, $0x0000000000000016
DATA rowOf2<>+32(SB)/8, $0x0000000900000008
DATA rowOf2<>+40(SB)/8, $0x000000000000001a
DATA rowOf2<>+48(SB)/8, $0x0000000d0000000c
DATA rowOf2<>+56(SB)/8, $0x3f8000000000001e
GLOBL rowOf2<>(SB), RODATA|NOPTR, $64
DATA rowOf3<>+0(SB)/8, $0x0000000300000002
DATA rowOf3<>+8(SB)/8, $0x0000000000000013
DATA rowOf3<>+16(SB)/8, $0x0000000700000006
DATA rowOf3<>+24(SB)/8, $0x0000000000000017
DATA rowOf3<>+32(SB)/8, $0x0000000b0000000a
DATA rowOf3<>+40(SB)/8, $0x000000000000001b
DATA rowOf3<>+48(SB)/8, $0x0000000f0000000e
DATA rowOf3<>+56(SB)/8, $0x3f8000000000001f
GLOBL rowOf3<>(SB), RODATA|NOPTR, $64

// BLOCKS gathers four columns: o0 is the first four rows of a, b, c and of the
// lane p, o1 the next four, and so on. It spoils Z0, Z7, Z11 and Z12.
#define BLOCKS(a, b, c, p, o0, o1, o2, o3) \
	VSHUFF32X4   $0x44, b, a, Z0; VSHUFF32X4 $0xee, b, a, Z7        \
	VINSERTF64X4 $1, AT(p), c, Z11; VSHUFF64X2 $0xee, AT(p), c, Z12 \
	VSHUFF32X4   $0x88, Z11, Z0, o0; VSHUFF32X4 $0xdd, Z11, Z0, o1  \
	VSHUFF32X4   $0x88, Z12, Z7, o2; VSHUFF32X4 $0xdd, Z12, Z7, o3

// MATRICES stores four matrices at m from four rows of the columns' elements
// (a, b, c). It spoils Z0, Z7 and Z11.
#define MATRICES(MOVE, a, b, c, m) \
	VUNPCKLPS b, a, Z0; VUNPCKHPS b, a, Z7 /* a0 b0 a1 b1, a2 b2 a3 b3 */ \
	VMOVAPS   Z16, Z11; VPERMI2PS c, Z0, K2, Z11; MOVE Z11, 0+m           \
	VMOVAPS   Z17, Z11; VPERMI2PS c, Z0, K2, Z11; MOVE Z11, 64+m          \
	VMOVAPS   Z18, Z11; VPERMI2PS c, Z7, K2, Z11; MOVE Z11, 128+m         \
	VMOVAPS   Z19, Z11; VPERMI2PS c, Z7, K2, Z11; MOVE Z11, 192+m

// ROWS16 composes sixteen rows and stores them at AX.
#define ROWS16(MOVE) \
	ROTATION(LD)                                \
	BASIS(LD, one32<>(SB))                      \
	BLOCKS(Z1, Z4, Z8, BX, Z20, Z21, Z22, Z23)  \
	BLOCKS(Z2, Z5, Z9, CX, Z24, Z25, Z26, Z27)  \
	BLOCKS(Z3, Z6, Z10, DX, Z28, Z29, Z30, Z31) \
	MATRICES(MOVE, Z20, Z24, Z28, 0(AX))        \
	MATRICES(MOVE, Z21, Z25, Z29, 256(AX))      \
	MATRICES(MOVE, Z22, Z26, Z30, 512(AX))      \
	MATRICES(MOVE, Z23, Z27, Z31, 768(AX))      \
	ADDQ $1024, AX; ADDQ WIDTH, R14

// func mat4ComposeF32AVX512(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool)
// Requires: AVX-512, 16 rows.
//
//	AX              m, advanced by the loop
//	BX, CX, DX      pos.X, pos.Y, pos.Z
//	SI, DI, R8, R9  rot
//	R10, R11, R12   scale
//	R13             rows left over
//	Z16 to Z19      rowOf0 to rowOf3
//	K2              the places they pick for
TEXT ·mat4ComposeF32AVX512(SB), NOSPLIT, $0-33
	MOVQ    m+0(FP), AX
	MOVQ    pos+8(FP), BX
	MOVQ    rot+16(FP), SI
	MOVQ    scale+24(FP), R10
	MOVQ    LEN(AX), R14
	MOVQ    (AX), AX
	MOVL    $0x7777, R13
	KMOVW   R13, K2
	VMOVUPS rowOf0<>(SB), Z16
	VMOVUPS rowOf1<>(SB), Z17
	VMOVUPS rowOf2<>(SB), Z18
	VMOVUPS rowOf3<>(SB), Z19
	MOVQ    R14, R13
	ANDQ    REST, R13
	BYTES
	VEC3(BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	VEC3(R10, R11, R12)
	NEGQ    R14
	CMPB    past+32(FP), $0
	JNE     past16

loop16:
	ROWS16(VMOVUPS)
	JLT   loop16
	JGT   done
	TESTQ R13, R13
	JZ    done
	AGAIN(16, 6)
	JMP   loop16

done:
	VZEROUPPER
	RET

past16:
	ROWS16(VMOVNTPS)
	JLT   past16
	JGT   fence
	TESTQ R13, R13
	JZ    fence
	AGAIN(16, 6)
	JMP   past16

fence:
	SFENCE
	JMP done

#include "avx2_f64_amd64.h"

// COLUMN4 stores the column (a, b, c, Y14) of four matrices at m. It spoils Y0,
// Y7, Y11 and Y12.
#define COLUMN4(MOVE, a, b, c, m) \
	VPERM2F128 $0x20, c, a, Y0; VBLENDPD $0xc, Y14, b, Y7 /* a0 a1 c0 c1, b0 b1 d d */      \
	VPERM2F128 $0x31, c, a, Y11; VPERM2F128 $0x31, Y14, b, Y12 /* a2 a3 c2 c3, b2 b3 d d */ \
	VUNPCKLPD  Y7, Y0, Y13; MOVE Y13, 0+m /* a0 b0 c0 d */                                  \
	VUNPCKHPD  Y7, Y0, Y0; MOVE Y0, 128+m                                                   \
	VUNPCKLPD  Y12, Y11, Y13; MOVE Y13, 256+m                                               \
	VUNPCKHPD  Y12, Y11, Y11; MOVE Y11, 384+m

// ROWS4 composes four rows and stores them at AX.
#define ROWS4(MOVE) \
	ROTATION(LD)                                   \
	BASIS(LD, one64<>(SB))                         \
	VXORPD       Y14, Y14, Y14                     \
	COLUMN4(MOVE, Y1, Y2, Y3, 0(AX))               \
	COLUMN4(MOVE, Y4, Y5, Y6, 32(AX))              \
	COLUMN4(MOVE, Y8, Y9, Y10, 64(AX))             \
	VBROADCASTSD one64<>(SB), Y14                  \
	LD(AT(BX), Y1); LD(AT(CX), Y2); LD(AT(DX), Y3) \
	COLUMN4(MOVE, Y1, Y2, Y3, 96(AX))              \
	ADDQ         $512, AX; ADDQ WIDTH, R14

// COLUMN1 stores the first row of (a, b, c, Y14). It spoils Y0 and Y7.
#define COLUMN1(a, b, c, m) \
	VPERM2F128 $0x20, c, a, Y0; VBLENDPD $0xc, Y14, b, Y7 \
	VUNPCKLPD  Y7, Y0, Y0; VMOVUPD Y0, m

// func mat4ComposeF64AVX2(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], past bool)
// Requires: AVX2.
//
//	AX              m, advanced by the loops
//	BX, CX, DX      pos.X, pos.Y, pos.Z
//	SI, DI, R8, R9  rot
//	R10, R11, R12   scale
//	R13             rows left over
TEXT ·mat4ComposeF64AVX2(SB), NOSPLIT, $0-33
	MOVQ m+0(FP), AX
	MOVQ pos+8(FP), BX
	MOVQ rot+16(FP), SI
	MOVQ scale+24(FP), R10
	MOVQ LEN(AX), R14
	MOVQ (AX), AX
	MOVQ R14, R13
	ANDQ REST, R13
	BYTES
	VEC3(BX, CX, DX)
	VEC4(SI, DI, R8, R9)
	VEC3(R10, R11, R12)
	NEGQ R14
	JZ   tail
	CMPB past+32(FP), $0
	JNE  past4

loop4:
	AHEAD(512(AX))
	ROWS4(VMOVUPD)
	JLT loop4
	JGT done

tail:
	TESTQ R13, R13
	JZ    done
	MOVQ  m+0(FP), R14
	CMPQ  LEN(R14), $4
	JLT   few
	AGAIN(4, 7)
	JMP   loop4

few:
	MOVL $1, R14
	MASK(R14)
	XORL R14, R14

loop1:
	ROTATION(LDM)
	BASIS(LDM, one64<>(SB))
	VXORPD       Y14, Y14, Y14
	COLUMN1(Y1, Y2, Y3, 0(AX))
	COLUMN1(Y4, Y5, Y6, 32(AX))
	COLUMN1(Y8, Y9, Y10, 64(AX))
	VBROADCASTSD one64<>(SB), Y14
	LDM(AT(BX), Y1)
	LDM(AT(CX), Y2)
	LDM(AT(DX), Y3)
	COLUMN1(Y1, Y2, Y3, 96(AX))
	ADDQ         $128, AX
	ADDQ         $8, R14
	DECQ         R13
	JNZ          loop1

done:
	VZEROUPPER
	RET

past4:
	ROWS4(VMOVNTPD)
	JLT   past4
	JGT   fence
	TESTQ R13, R13
	JZ    fence
	AGAIN(4, 7)
	JMP   past4

fence:
	SFENCE
	JMP done

#include "avx2_f32_amd64.h"

// COLUMNS32 sets out to the parent times the two columns in l, without column 3
// of the parent. It spoils Y9.
#define COLUMNS32(l, out) \
	VPERMILPS $0x00, l, out; VMULPS out, Y0, out /* p0*l[0,j] */                     \
	VPERMILPS $0x55, l, Y9; VMULPS Y9, Y1, Y9; VADDPS Y9, out, out /* + p1*l[1,j] */ \
	VPERMILPS $0xaa, l, Y9; VMULPS Y9, Y2, Y9; VADDPS Y9, out, out                   // + p2*l[2,j]

// MATRIX32 sets the matrix at m to the parent times that at l.
#define MATRIX32(p, l, m) \
	VBROADCASTF128 (p), Y0; VBROADCASTF128 16(p), Y1                             \
	VBROADCASTF128 32(p), Y2; VBROADCASTF128 48(p), Y3                           \
	VMOVUPS        (l), Y4; VMOVUPS 32(l), Y5                                    \
	COLUMNS32(Y4, Y6)                                                            \
	COLUMNS32(Y5, Y7)                                                            \
	VADDPS         Y3, Y7, Y8; VBLENDPS $0xf0, Y8, Y7, Y7 /* + p3 in column 3 */ \
	VMOVUPS        Y6, (m); VMOVUPS Y7, 32(m)

// func mat4MulF32AVX2(m, parent, local *Mat4s[float32])
// Requires: AVX2.
//
//	AX, BX, CX  m, parent, local, advanced by the loop
//	DX          rows left
TEXT ·mat4MulF32AVX2(SB), NOSPLIT, $0-24
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ local+16(FP), CX
	EACHROW(MATRIX32, 64)

// func mat4MulByParentF32AVX2(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int
// Requires: AVX2. It returns the number of rows done: all, or those before the
// first index outside of parent.
//
//	AX, CX  m, local, advanced by the loop
//	BX, SI  parent and its length
//	DI, DX  end of index, minus the rows left
//	R9      the row's parent
TEXT ·mat4MulByParentF32AVX2(SB), NOSPLIT, $0-56
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ index_base+16(FP), DI
	MOVQ index_len+24(FP), DX
	MOVQ local+40(FP), CX
	EACHCHILD(MATRIX32, 64, 6)

#include "avx512_f32_amd64.h"

// MATRIX512 sets the matrix at m to the parent times that at l. K2 chooses
// column 3.
#define MATRIX512(p, l, m) \
	VBROADCASTF32X4 (p), Z0; VBROADCASTF32X4 16(p), Z1                                    \
	VBROADCASTF32X4 32(p), Z2; VBROADCASTF32X4 48(p), Z3                                  \
	VMOVUPS         (l), Z4                                                               \
	VPERMILPS       $0x00, Z4, Z5; VMULPS Z5, Z0, Z5 /* p0*l[0,j] */                      \
	VPERMILPS       $0x55, Z4, Z6; VMULPS Z6, Z1, Z6; VADDPS Z6, Z5, Z5 /* + p1*l[1,j] */ \
	VPERMILPS       $0xaa, Z4, Z6; VMULPS Z6, Z2, Z6; VADDPS Z6, Z5, Z5 /* + p2*l[2,j] */ \
	VADDPS          Z3, Z5, K2, Z5 /* + p3 in column 3 */                                 \
	VMOVUPS         Z5, (m)

// func mat4MulF32AVX512(m, parent, local *Mat4s[float32])
// Requires: AVX-512.
//
//	AX, BX, CX  m, parent, local, advanced by the loop
//	DX          rows left
TEXT ·mat4MulF32AVX512(SB), NOSPLIT, $0-24
	MOVL  $0xf000, DX
	KMOVW DX, K2
	MOVQ  m+0(FP), AX
	MOVQ  parent+8(FP), BX
	MOVQ  local+16(FP), CX
	EACHROW(MATRIX512, 64)

// func mat4MulByParentF32AVX512(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int
// Requires: AVX-512. It returns the number of rows done: all, or those before
// the first index outside of parent.
//
//	AX, CX  m, local, advanced by the loop
//	BX, SI  parent and its length
//	DI, DX  end of index, minus the rows left
//	R9      the row's parent
TEXT ·mat4MulByParentF32AVX512(SB), NOSPLIT, $0-56
	MOVL  $0xf000, DX
	KMOVW DX, K2
	MOVQ  m+0(FP), AX
	MOVQ  parent+8(FP), BX
	MOVQ  index_base+16(FP), DI
	MOVQ  index_len+24(FP), DX
	MOVQ  local+40(FP), CX
	EACHCHILD(MATRIX512, 64, 6)

#include "avx2_f64_amd64.h"

// COLUMN64 sets out to the parent times the column at l, without column 3 of the
// parent. It spoils Y8.
#define COLUMN64(l, out) \
	VBROADCASTSD 0+l, out; VMULPD out, Y0, out /* p0*l[0,j] */                     \
	VBROADCASTSD 8+l, Y8; VMULPD Y8, Y1, Y8; VADDPD Y8, out, out /* + p1*l[1,j] */ \
	VBROADCASTSD 16+l, Y8; VMULPD Y8, Y2, Y8; VADDPD Y8, out, out                  // + p2*l[2,j]

// MATRIX64 sets the matrix at m to the parent times that at l.
#define MATRIX64(p, l, m) \
	VMOVUPD (p), Y0; VMOVUPD 32(p), Y1; VMOVUPD 64(p), Y2; VMOVUPD 96(p), Y3 \
	COLUMN64(0(l), Y4)                                                       \
	COLUMN64(32(l), Y5)                                                      \
	COLUMN64(64(l), Y6)                                                      \
	COLUMN64(96(l), Y7)                                                      \
	VADDPD  Y3, Y7, Y7 /* + p3 in column 3 */                                \
	VMOVUPD Y4, (m); VMOVUPD Y5, 32(m); VMOVUPD Y6, 64(m); VMOVUPD Y7, 96(m)

// func mat4MulF64AVX2(m, parent, local *Mat4s[float64])
// Requires: AVX2.
//
//	AX, BX, CX  m, parent, local, advanced by the loop
//	DX          rows left
TEXT ·mat4MulF64AVX2(SB), NOSPLIT, $0-24
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ local+16(FP), CX
	EACHROW(MATRIX64, 128)

// func mat4MulByParentF64AVX2(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int
// Requires: AVX2. It returns the number of rows done: all, or those before the
// first index outside of parent.
//
//	AX, CX  m, local, advanced by the loop
//	BX, SI  parent and its length
//	DI, DX  end of index, minus the rows left
//	R9      the row's parent
TEXT ·mat4MulByParentF64AVX2(SB), NOSPLIT, $0-56
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ index_base+16(FP), DI
	MOVQ index_len+24(FP), DX
	MOVQ local+40(FP), CX
	EACHCHILD(MATRIX64, 128, 7)
