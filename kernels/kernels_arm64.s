//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"
#include "sincos_arm64.h"

// The NEON path. Every body does what the generic one of its family does, in
// the same order, on vectors of four float32 or two float64. Rows that remain
// go through the same instructions with one row in the vectors and zeros beside
// it.
//
// Arithmetic that several bodies share is a macro over register numbers; its
// parameters are the instructions for the element type, so that ADD is VFADD4S
// or VFADD2D. Operands stand in the assembler's order, sources first: SUB(m, n,
// d) is d = n - m. The lanes of a vector or quaternion stand in consecutive
// registers, x first.

// QUATMUL sets V16-V19 to the product of V0-V3, here a, and V4-V7, here b. It
// spoils V20-V23.
#define QUATMUL(ADD, SUB, MUL) \
	MUL(4, 3, 16);   \ // a.w*b.x
	MUL(5, 3, 17);   \ // a.w*b.y
	MUL(6, 3, 18);   \ // a.w*b.z
	MUL(7, 3, 19);   \ // a.w*b.w
	MUL(7, 0, 20);   \ // a.x*b.w
	MUL(7, 1, 21);   \ // a.y*b.w
	MUL(7, 2, 22);   \ // a.z*b.w
	MUL(4, 0, 23);   \ // a.x*b.x
	ADD(20, 16, 16); \ // a.w*b.x + a.x*b.w
	ADD(21, 17, 17); \ // a.w*b.y + a.y*b.w
	ADD(22, 18, 18); \ // a.w*b.z + a.z*b.w
	SUB(23, 19, 19); \ // a.w*b.w - a.x*b.x
	MUL(6, 1, 20);   \ // a.y*b.z
	MUL(4, 2, 21);   \ // a.z*b.x
	MUL(5, 0, 22);   \ // a.x*b.y
	MUL(5, 1, 23);   \ // a.y*b.y
	ADD(20, 16, 16); \ // … + a.y*b.z
	ADD(21, 17, 17); \ // … + a.z*b.x
	ADD(22, 18, 18); \ // … + a.x*b.y
	SUB(23, 19, 19); \ // … - a.y*b.y
	MUL(5, 2, 20);   \ // a.z*b.y
	MUL(6, 0, 21);   \ // a.x*b.z
	MUL(4, 1, 22);   \ // a.y*b.x
	MUL(6, 2, 23);   \ // a.z*b.z
	SUB(20, 16, 16); \ // … - a.z*b.y
	SUB(21, 17, 17); \ // … - a.x*b.z
	SUB(22, 18, 18); \ // … - a.y*b.x
	SUB(23, 19, 19)  \ // … - a.z*b.z

// QUATMULROWS loads, multiplies and stores the rows of one vector or the one row
// that MOV moves, size bytes of each lane.
#define QUATMULROWS(MOV, size, ADD, SUB, MUL) \
	MOV.P size(R4), F0;     \
	MOV.P size(R5), F1;     \
	MOV.P size(R6), F2;     \
	MOV.P size(R7), F3;     \
	MOV.P size(R8), F4;     \
	MOV.P size(R9), F5;     \
	MOV.P size(R10), F6;    \
	MOV.P size(R11), F7;    \
	QUATMUL(ADD, SUB, MUL); \
	MOV.P F16, size(R0);    \
	MOV.P F17, size(R1);    \
	MOV.P F18, size(R2);    \
	MOV.P F19, size(R3)

// func quatMulF32NEON(q, a, b *Quats[float32])
//
//	R0-R3      q.X, q.Y, q.Z, q.W, advanced by the loops
//	R4-R7      a.X, a.Y, a.Z, a.W
//	R8-R11     b.X, b.Y, b.Z, b.W
//	R12        rows left
//	V0-V7      a, b
//	V16-V19    q
TEXT ·quatMulF32NEON(SB), NOSPLIT, $0-24
	MOVD b+16(FP), R8
	VEC4(R8, R9, R10, R11)
	MOVD a+8(FP), R4
	VEC4(R4, R5, R6, R7)
	MOVD q+0(FP), R0
	MOVD LEN(R0), R12
	VEC4(R0, R1, R2, R3)

	EACHROWS(R12, 4, QUATMULROWS(FMOVQ, 16, VFADD4S, VFSUB4S, VFMUL4S), QUATMULROWS(FMOVS, 4, VFADD4S, VFSUB4S, VFMUL4S))
	RET

// func quatMulF64NEON(q, a, b *Quats[float64])
//
//	R0-R3      q.X, q.Y, q.Z, q.W, advanced by the loop
//	R4-R7      a.X, a.Y, a.Z, a.W
//	R8-R11     b.X, b.Y, b.Z, b.W
//	R12        rows left
//	V0-V7      a, b
//	V16-V19    q
TEXT ·quatMulF64NEON(SB), NOSPLIT, $0-24
	MOVD b+16(FP), R8
	VEC4(R8, R9, R10, R11)
	MOVD a+8(FP), R4
	VEC4(R4, R5, R6, R7)
	MOVD q+0(FP), R0
	MOVD LEN(R0), R12
	VEC4(R0, R1, R2, R3)

	EACHPAIR(R12, QUATMULROWS(FMOVQ, 16, VFADD2D, VFSUB2D, VFMUL2D), QUATMULROWS(FMOVD, 8, VFADD2D, VFSUB2D, VFMUL2D))
	RET

// NORMALIZE sets V0-V3 to V16-V19, here p, brought to length 1. It needs ones
// in V31 and spoils V20-V23.
#define NORMALIZE(ADD, MUL, DIV, SQRT) \
	MUL(16, 16, 20); \ // p.x*p.x
	MUL(17, 17, 21); \ // p.y*p.y
	MUL(18, 18, 22); \ // p.z*p.z
	MUL(19, 19, 23); \ // p.w*p.w
	ADD(21, 20, 20); \ // p.x*p.x + p.y*p.y
	ADD(22, 20, 20); \ // … + p.z*p.z
	ADD(23, 20, 20); \ // … + p.w*p.w
	SQRT(20, 20);    \ // |p|
	DIV(20, 31, 20); \ // r = 1/|p|
	MUL(20, 16, 0);  \ // p.x*r
	MUL(20, 17, 1);  \ // p.y*r
	MUL(20, 18, 2);  \ // p.z*r
	MUL(20, 19, 3)   \ // p.w*r

// SPINROWS loads and normalizes what MOV moves, multiplies it by the turn about
// the axis whose sine is V19 and cosine V7, and stores it. AXIS makes V4-V6 of
// the sine.
#define SPINROWS(MOV, size, AXIS, ADD, SUB, MUL, DIV, SQRT) \
	AXIS;                           \
	MOV.P size(R4), F16;            \
	MOV.P size(R5), F17;            \
	MOV.P size(R6), F18;            \
	MOV.P size(R7), F19;            \
	NORMALIZE(ADD, MUL, DIV, SQRT); \
	QUATMUL(ADD, SUB, MUL);         \
	MOV.P F16, size(R0);            \
	MOV.P F17, size(R1);            \
	MOV.P F18, size(R2);            \
	MOV.P F19, size(R3)

#define AXIS4S VFMULE4S(0, 10, 19, 4); VFMULE4S(1, 10, 19, 5); VFMULE4S(2, 10, 19, 6)
#define AXIS2D VFMULE2D(0, 12, 19, 4); VFMULE2D(1, 12, 19, 5); VFMULE2D(0, 13, 19, 6)

// func quatSpinF32NEON(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int
//
// It stops before the first row with an angle beyond ordinary, or NaN, and
// returns how many it did.
//
//	R0-R3      q.X, q.Y, q.Z, q.W, advanced by the loops
//	R4-R7      p.X, p.Y, p.Z, p.W
//	R8         speed
//	R9         rows left
//	R10        axis
//	R11        whether all angles are ordinary
//	R12        rows
//	V0-V3      p normalised, a
//	V4-V7      the turn, b
//	V10        axis, half
//	V16-V19    p, q
TEXT ·quatSpinF32NEON(SB), NOSPLIT, $0-64
	MOVD  speed_base+24(FP), R8
	MOVD  p+8(FP), R4
	VEC4(R4, R5, R6, R7)
	MOVD  q+0(FP), R0
	MOVD  LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	MOVD  axis+16(FP), R10
	FMOVD (R10), F10
	FMOVS 8(R10), F11
	FMOVS half+48(FP), F12
	VMOV  V11.S[0], V10.S[2]
	VMOV  V12.S[0], V10.S[3]
	SINCOS32CONSTANTS

	SUBS $4, R12, R9
	BLT  tail

loop4:
	FMOVQ (R8), F4
	VFMULE4S(3, 10, 4, 4)        // x = half*speed
	VFACGE4S(4, 28, 16)          // ordinary >= |x|
	VUZP1 V16.H8, V16.H8, V16.H8
	FMOVD F16, R11
	CMN   $1, R11
	BNE   tail
	ADD   $16, R8
	SINCOS32
	SPINROWS(FMOVQ, 16, AXIS4S, VFADD4S, VFSUB4S, VFMUL4S, VFDIV4S, VFSQRT4S)
	SUBS  $4, R9
	BGE   loop4

tail:
	ADDS $4, R9
	BEQ  done

loop1:
	FMOVS (R8), F4
	VFMULE4S(3, 10, 4, 4)        // x = half*speed
	VFACGE4S(4, 28, 16)          // ordinary >= |x|
	VUZP1 V16.H8, V16.H8, V16.H8
	FMOVD F16, R11
	CMN   $1, R11
	BNE   done
	ADD   $4, R8
	SINCOS32
	SPINROWS(FMOVS, 4, AXIS4S, VFADD4S, VFSUB4S, VFMUL4S, VFDIV4S, VFSQRT4S)
	SUBS  $1, R9
	BNE   loop1

done:
	SUB  R9, R12, R12
	MOVD R12, ret+56(FP)
	RET

// func quatSpinF64NEON(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int
//
// It stops before the first row with an angle beyond ordinary, or NaN, and
// returns how many it did.
//
//	R0-R3      q.X, q.Y, q.Z, q.W, advanced by the loop
//	R4-R7      p.X, p.Y, p.Z, p.W
//	R8         speed
//	R9         rows left
//	R10        axis
//	R11        whether all angles are ordinary
//	R12        rows
//	V0-V3      p normalised, a
//	V4-V7      the turn, b
//	V12, V13   axis, half
//	V16-V19    p, q
TEXT ·quatSpinF64NEON(SB), NOSPLIT, $0-64
	MOVD  speed_base+24(FP), R8
	MOVD  p+8(FP), R4
	VEC4(R4, R5, R6, R7)
	MOVD  q+0(FP), R0
	MOVD  LEN(R0), R12
	VEC4(R0, R1, R2, R3)
	MOVD  axis+16(FP), R10
	FMOVQ (R10), F12
	FMOVD 16(R10), F13
	FMOVD half+48(FP), F14
	VMOV  V14.D[0], V13.D[1]
	SINCOS64CONSTANTS

	SUBS $2, R12, R9
	BLT  tail

loop2:
	FMOVQ (R8), F4
	VFMULE2D(1, 13, 4, 4)        // x = half*speed
	VFACGE2D(4, 15, 16)          // ordinary >= |x|
	VUZP1 V16.S4, V16.S4, V16.S4
	FMOVD F16, R11
	CMN   $1, R11
	BNE   tail
	ADD   $16, R8
	SINCOS64
	SPINROWS(FMOVQ, 16, AXIS2D, VFADD2D, VFSUB2D, VFMUL2D, VFDIV2D, VFSQRT2D)
	SUBS  $2, R9
	BGE   loop2

tail:
	ADDS $2, R9
	BEQ  done

loop1:
	FMOVD (R8), F4
	VFMULE2D(1, 13, 4, 4)        // x = half*speed
	VFACGE2D(4, 15, 16)          // ordinary >= |x|
	VUZP1 V16.S4, V16.S4, V16.S4
	FMOVD F16, R11
	CMN   $1, R11
	BNE   done
	ADD   $8, R8
	SINCOS64
	SPINROWS(FMOVD, 8, AXIS2D, VFADD2D, VFSUB2D, VFMUL2D, VFDIV2D, VFSQRT2D)
	SUBS  $1, R9
	BNE   loop1

done:
	SUB  R9, R12, R12
	MOVD R12, ret+56(FP)
	RET

// ROTATE sets V16-V18 to V4-V6, here x, turned by V0-V3, here q. It spoils
// V19-V27.
#define ROTATE(ADD, SUB, MUL) \
	MUL(6, 1, 19);   \ // q.y*x.z
	MUL(4, 2, 20);   \ // q.z*x.x
	MUL(5, 0, 21);   \ // q.x*x.y
	MUL(5, 2, 22);   \ // q.z*x.y
	MUL(6, 0, 23);   \ // q.x*x.z
	MUL(4, 1, 24);   \ // q.y*x.x
	SUB(22, 19, 19); \ // t.x = q.y*x.z - q.z*x.y
	SUB(23, 20, 20); \ // t.y = q.z*x.x - q.x*x.z
	SUB(24, 21, 21); \ // t.z = q.x*x.y - q.y*x.x
	ADD(19, 19, 19); \ // t.x + t.x
	ADD(20, 20, 20); \ // t.y + t.y
	ADD(21, 21, 21); \ // t.z + t.z
	MUL(19, 3, 16);  \ // q.w*t.x
	MUL(20, 3, 17);  \ // q.w*t.y
	MUL(21, 3, 18);  \ // q.w*t.z
	MUL(21, 1, 22);  \ // q.y*t.z
	MUL(19, 2, 23);  \ // q.z*t.x
	MUL(20, 0, 24);  \ // q.x*t.y
	MUL(20, 2, 25);  \ // q.z*t.y
	MUL(21, 0, 26);  \ // q.x*t.z
	MUL(19, 1, 27);  \ // q.y*t.x
	ADD(16, 4, 16);  \ // x.x + q.w*t.x
	ADD(17, 5, 17);  \ // x.y + q.w*t.y
	ADD(18, 6, 18);  \ // x.z + q.w*t.z
	SUB(25, 22, 22); \ // q.y*t.z - q.z*t.y
	SUB(26, 23, 23); \ // q.z*t.x - q.x*t.z
	SUB(27, 24, 24); \ // q.x*t.y - q.y*t.x
	ADD(22, 16, 16); \ // (…) + (…)
	ADD(23, 17, 17); \ // (…) + (…)
	ADD(24, 18, 18)  \ // (…) + (…)

// ROTATEROWS does the rows that MOV moves.
#define ROTATEROWS(MOV, size, ADD, SUB, MUL) \
	MOV.P size(R6), F0;    \
	MOV.P size(R7), F1;    \
	MOV.P size(R8), F2;    \
	MOV.P size(R9), F3;    \
	MOV.P size(R3), F4;    \
	MOV.P size(R4), F5;    \
	MOV.P size(R5), F6;    \
	ROTATE(ADD, SUB, MUL); \
	MOV.P F16, size(R0);   \
	MOV.P F17, size(R1);   \
	MOV.P F18, size(R2)

// func vec3RotateF32NEON(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32])
//
//	R0-R2      v.X, v.Y, v.Z, advanced by the loops
//	R3-R5      x.X, x.Y, x.Z
//	R6-R9      q.X, q.Y, q.Z, q.W
//	R10        rows left
//	V0-V3      q
//	V4-V6      x
//	V16-V18    v
TEXT ·vec3RotateF32NEON(SB), NOSPLIT, $0-24
	MOVD q+8(FP), R6
	VEC4(R6, R7, R8, R9)
	MOVD x+16(FP), R3
	VEC3(R3, R4, R5)
	MOVD v+0(FP), R0
	MOVD LEN(R0), R10
	VEC3(R0, R1, R2)

	EACHROWS(R10, 4, ROTATEROWS(FMOVQ, 16, VFADD4S, VFSUB4S, VFMUL4S), ROTATEROWS(FMOVS, 4, VFADD4S, VFSUB4S, VFMUL4S))
	RET

// func vec3RotateF64NEON(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64])
//
//	R0-R2      v.X, v.Y, v.Z, advanced by the loop
//	R3-R5      x.X, x.Y, x.Z
//	R6-R9      q.X, q.Y, q.Z, q.W
//	R10        rows left
//	V0-V3      q
//	V4-V6      x
//	V16-V18    v
TEXT ·vec3RotateF64NEON(SB), NOSPLIT, $0-24
	MOVD q+8(FP), R6
	VEC4(R6, R7, R8, R9)
	MOVD x+16(FP), R3
	VEC3(R3, R4, R5)
	MOVD v+0(FP), R0
	MOVD LEN(R0), R10
	VEC3(R0, R1, R2)

	EACHPAIR(R10, ROTATEROWS(FMOVQ, 16, VFADD2D, VFSUB2D, VFMUL2D), ROTATEROWS(FMOVD, 8, VFADD2D, VFSUB2D, VFMUL2D))
	RET

// ROTATEBYROWS does the rows that MOV moves; q stands in V0-V3.
#define ROTATEBYROWS(MOV, size, ADD, SUB, MUL) \
	MOV.P size(R3), F4;    \
	MOV.P size(R4), F5;    \
	MOV.P size(R5), F6;    \
	ROTATE(ADD, SUB, MUL); \
	MOV.P F16, size(R0);   \
	MOV.P F17, size(R1);   \
	MOV.P F18, size(R2)

// func vec3RotateByF32NEON(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32])
//
//	R0-R2      v.X, v.Y, v.Z, advanced by the loops
//	R3-R5      x.X, x.Y, x.Z
//	R6         rows left
//	V0-V3      q.x, q.y, q.z, q.w in all lanes
//	V4-V6      x
//	V16-V18    v
TEXT ·vec3RotateByF32NEON(SB), NOSPLIT, $0-24
	MOVD    q+8(FP), R6
	VLD1R.P 4(R6), [V0.S4]
	VLD1R.P 4(R6), [V1.S4]
	VLD1R.P 4(R6), [V2.S4]
	VLD1R   (R6), [V3.S4]
	MOVD    x+16(FP), R3
	VEC3(R3, R4, R5)
	MOVD    v+0(FP), R0
	MOVD    LEN(R0), R6
	VEC3(R0, R1, R2)

	EACHROWS(R6, 4, ROTATEBYROWS(FMOVQ, 16, VFADD4S, VFSUB4S, VFMUL4S), ROTATEBYROWS(FMOVS, 4, VFADD4S, VFSUB4S, VFMUL4S))
	RET

// func vec3RotateByF64NEON(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64])
//
//	R0-R2      v.X, v.Y, v.Z, advanced by the loop
//	R3-R5      x.X, x.Y, x.Z
//	R6         rows left
//	V0-V3      q.x, q.y, q.z, q.w in both lanes
//	V4-V6      x
//	V16-V18    v
TEXT ·vec3RotateByF64NEON(SB), NOSPLIT, $0-24
	MOVD    q+8(FP), R6
	VLD1R.P 8(R6), [V0.D2]
	VLD1R.P 8(R6), [V1.D2]
	VLD1R.P 8(R6), [V2.D2]
	VLD1R   (R6), [V3.D2]
	MOVD    x+16(FP), R3
	VEC3(R3, R4, R5)
	MOVD    v+0(FP), R0
	MOVD    LEN(R0), R6
	VEC3(R0, R1, R2)

	EACHPAIR(R6, ROTATEBYROWS(FMOVQ, 16, VFADD2D, VFSUB2D, VFMUL2D), ROTATEBYROWS(FMOVD, 8, VFADD2D, VFSUB2D, VFMUL2D))
	RET

// COMPOSE sets V16-V18, V19-V21 and V22-V24 to the first three columns without
// their zeros. Rotations stand in V0-V3, scales, here s, in V4-V6, ones in V31.
// It spoils V7-V15 and V25-V27.
#define COMPOSE(ADD, SUB, MUL) \
	ADD(0, 0, 7);    \ // x+x
	ADD(1, 1, 8);    \ // y+y
	ADD(2, 2, 9);    \ // z+z
	MUL(7, 0, 10);   \ // xx
	MUL(8, 1, 11);   \ // yy
	MUL(9, 2, 12);   \ // zz
	MUL(8, 0, 13);   \ // xy
	MUL(9, 0, 14);   \ // xz
	MUL(9, 1, 15);   \ // yz
	MUL(7, 3, 25);   \ // wx
	MUL(8, 3, 26);   \ // wy
	MUL(9, 3, 27);   \ // wz
	ADD(12, 11, 16); \ // yy+zz
	ADD(12, 10, 20); \ // xx+zz
	ADD(11, 10, 24); \ // xx+yy
	ADD(27, 13, 17); \ // xy+wz
	SUB(26, 14, 18); \ // xz-wy
	SUB(27, 13, 19); \ // xy-wz
	ADD(25, 15, 21); \ // yz+wx
	ADD(26, 14, 22); \ // xz+wy
	SUB(25, 15, 23); \ // yz-wx
	SUB(16, 31, 16); \ // 1-(yy+zz)
	SUB(20, 31, 20); \ // 1-(xx+zz)
	SUB(24, 31, 24); \ // 1-(xx+yy)
	MUL(4, 16, 16);  \ // (1-(yy+zz))*s.x
	MUL(4, 17, 17);  \ // (xy+wz)*s.x
	MUL(4, 18, 18);  \ // (xz-wy)*s.x
	MUL(5, 19, 19);  \ // (xy-wz)*s.y
	MUL(5, 20, 20);  \ // (1-(xx+zz))*s.y
	MUL(5, 21, 21);  \ // (yz+wx)*s.y
	MUL(6, 22, 22);  \ // (xz+wy)*s.z
	MUL(6, 23, 23);  \ // (yz-wx)*s.z
	MUL(6, 24, 24)   \ // (1-(xx+yy))*s.z

// COMPOSEROWS loads what MOV moves, of positions to V12-V14, and composes it.
#define COMPOSEROWS(MOV, size, ADD, SUB, MUL) \
	MOV.P size(R5), F0;     \
	MOV.P size(R6), F1;     \
	MOV.P size(R7), F2;     \
	MOV.P size(R8), F3;     \
	MOV.P size(R9), F4;     \
	MOV.P size(R10), F5;    \
	MOV.P size(R11), F6;    \
	COMPOSE(ADD, SUB, MUL); \
	MOV.P size(R2), F12;    \
	MOV.P size(R3), F13;    \
	MOV.P size(R4), F14

// COLUMN4S turns four elements of four rows into four columns, one a row: a
// transposition. It spoils V8-V11.
#define COLUMN4S(a, b, c, d, row0, row1, row2, row3) \
	VZIP1 c.S4, a.S4, V8.S4;      \
	VZIP2 c.S4, a.S4, V9.S4;      \
	VZIP1 d.S4, b.S4, V10.S4;     \
	VZIP2 d.S4, b.S4, V11.S4;     \
	VZIP1 V10.S4, V8.S4, row0.S4; \
	VZIP2 V10.S4, V8.S4, row1.S4; \
	VZIP1 V11.S4, V9.S4, row2.S4; \
	VZIP2 V11.S4, V9.S4, row3.S4

// func mat4ComposeF32NEON(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32])
//
//	R0         m, advanced by the loops
//	R1         rows left
//	R2-R4      pos.X, pos.Y, pos.Z, advanced by the loops
//	R5-R8      rot.X, rot.Y, rot.Z, rot.W
//	R9-R11     scale.X, scale.Y, scale.Z
//	V0-V7      rot and scale, then the columns of four rows
//	V12-V14    pos
//	V16-V24    elements of m
//	V30, V31   zeros, ones
TEXT ·mat4ComposeF32NEON(SB), NOSPLIT, $0-32
	MOVD  scale+24(FP), R9
	VEC3(R9, R10, R11)
	MOVD  rot+16(FP), R5
	VEC4(R5, R6, R7, R8)
	MOVD  pos+8(FP), R2
	VEC3(R2, R3, R4)
	MOVD  m+0(FP), R0
	MOVD  LEN(R0), R1
	MOVD  (R0), R0
	VEOR  V30.B16, V30.B16, V30.B16
	FMOVS $1.0, F31
	VDUP  V31.S[0], V31.S4

	SUBS $4, R1
	BLT  tail

loop4:
	COMPOSEROWS(FMOVQ, 16, VFADD4S, VFSUB4S, VFMUL4S)
	COLUMN4S(V16, V17, V18, V30, V0, V1, V2, V3)
	COLUMN4S(V19, V20, V21, V30, V4, V5, V6, V7)
	FSTPQ (F0, F4), (R0)
	FSTPQ (F1, F5), 64(R0)
	FSTPQ (F2, F6), 128(R0)
	FSTPQ (F3, F7), 192(R0)
	COLUMN4S(V22, V23, V24, V30, V0, V1, V2, V3)
	COLUMN4S(V12, V13, V14, V31, V4, V5, V6, V7)
	FSTPQ (F0, F4), 32(R0)
	FSTPQ (F1, F5), 96(R0)
	FSTPQ (F2, F6), 160(R0)
	FSTPQ (F3, F7), 224(R0)
	ADD   $256, R0
	SUBS  $4, R1
	BGE   loop4

tail:
	ADDS $4, R1
	BEQ  done

loop1:
	COMPOSEROWS(FMOVS, 4, VFADD4S, VFSUB4S, VFMUL4S)
	COLUMN4S(V16, V17, V18, V30, V0, V1, V2, V3)
	COLUMN4S(V19, V20, V21, V30, V4, V5, V6, V7)
	FSTPQ.P (F0, F4), 32(R0)
	COLUMN4S(V22, V23, V24, V30, V0, V1, V2, V3)
	COLUMN4S(V12, V13, V14, V31, V4, V5, V6, V7)
	FSTPQ.P (F0, F4), 32(R0)
	SUBS    $1, R1
	BNE     loop1

done:
	RET

// COLUMN2D does the same for two rows, whose columns are two registers each.
#define COLUMN2D(a, b, c, d, row0xy, row0zw, row1xy, row1zw) \
	VZIP1 b.D2, a.D2, row0xy.D2; \
	VZIP1 d.D2, c.D2, row0zw.D2; \
	VZIP2 b.D2, a.D2, row1xy.D2; \
	VZIP2 d.D2, c.D2, row1zw.D2

// func mat4ComposeF64NEON(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64])
//
//	R0         m, advanced by the loop
//	R1         rows left
//	R2-R4      pos.X, pos.Y, pos.Z, advanced by the loop
//	R5-R8      rot.X, rot.Y, rot.Z, rot.W
//	R9-R11     scale.X, scale.Y, scale.Z
//	V0-V7      rot and scale, then the columns of two rows
//	V12-V14    pos
//	V16-V24    elements of m
//	V30, V31   zeros, ones
TEXT ·mat4ComposeF64NEON(SB), NOSPLIT, $0-32
	MOVD  scale+24(FP), R9
	VEC3(R9, R10, R11)
	MOVD  rot+16(FP), R5
	VEC4(R5, R6, R7, R8)
	MOVD  pos+8(FP), R2
	VEC3(R2, R3, R4)
	MOVD  m+0(FP), R0
	MOVD  LEN(R0), R1
	MOVD  (R0), R0
	VEOR  V30.B16, V30.B16, V30.B16
	FMOVD $1.0, F31
	VDUP  V31.D[0], V31.D2

	SUBS $2, R1
	BLT  tail

loop2:
	COMPOSEROWS(FMOVQ, 16, VFADD2D, VFSUB2D, VFMUL2D)
	COLUMN2D(V16, V17, V18, V30, V0, V1, V2, V3)
	COLUMN2D(V19, V20, V21, V30, V4, V5, V6, V7)
	FSTPQ (F0, F1), (R0)
	FSTPQ (F2, F3), 128(R0)
	FSTPQ (F4, F5), 32(R0)
	FSTPQ (F6, F7), 160(R0)
	COLUMN2D(V22, V23, V24, V30, V0, V1, V2, V3)
	COLUMN2D(V12, V13, V14, V31, V4, V5, V6, V7)
	FSTPQ (F0, F1), 64(R0)
	FSTPQ (F2, F3), 192(R0)
	FSTPQ (F4, F5), 96(R0)
	FSTPQ (F6, F7), 224(R0)
	ADD   $256, R0
	SUBS  $2, R1
	BGE   loop2

tail:
	ADDS  $2, R1
	BEQ   done
	COMPOSEROWS(FMOVD, 8, VFADD2D, VFSUB2D, VFMUL2D)
	COLUMN2D(V16, V17, V18, V30, V0, V1, V2, V3)
	COLUMN2D(V19, V20, V21, V30, V4, V5, V6, V7)
	FSTPQ (F0, F1), (R0)
	FSTPQ (F4, F5), 32(R0)
	COLUMN2D(V22, V23, V24, V30, V0, V1, V2, V3)
	COLUMN2D(V12, V13, V14, V31, V4, V5, V6, V7)
	FSTPQ (F0, F1), 64(R0)
	FSTPQ (F4, F5), 96(R0)

done:
	RET

// AFFINE4S sets the columns V16-V19 to the parent V0-V3, here p, times the
// local V4-V7, here l. It spoils V20-V23.
#define AFFINE4S \
	VFMULE4S(0, 4, 0, 16); \ // p0*l[0,0]
	VFMULE4S(0, 5, 0, 17); \ // p0*l[0,1]
	VFMULE4S(0, 6, 0, 18); \ // p0*l[0,2]
	VFMULE4S(0, 7, 0, 19); \ // p0*l[0,3]
	VFMULE4S(1, 4, 1, 20); \ // p1*l[1,0]
	VFMULE4S(1, 5, 1, 21); \ // p1*l[1,1]
	VFMULE4S(1, 6, 1, 22); \ // p1*l[1,2]
	VFMULE4S(1, 7, 1, 23); \ // p1*l[1,3]
	VFADD4S(20, 16, 16);   \ // p0*l[0,0] + p1*l[1,0]
	VFADD4S(21, 17, 17);   \ // p0*l[0,1] + p1*l[1,1]
	VFADD4S(22, 18, 18);   \ // p0*l[0,2] + p1*l[1,2]
	VFADD4S(23, 19, 19);   \ // p0*l[0,3] + p1*l[1,3]
	VFMULE4S(2, 4, 2, 20); \ // p2*l[2,0]
	VFMULE4S(2, 5, 2, 21); \ // p2*l[2,1]
	VFMULE4S(2, 6, 2, 22); \ // p2*l[2,2]
	VFMULE4S(2, 7, 2, 23); \ // p2*l[2,3]
	VFADD4S(20, 16, 16);   \ // … + p2*l[2,0]
	VFADD4S(21, 17, 17);   \ // … + p2*l[2,1]
	VFADD4S(22, 18, 18);   \ // … + p2*l[2,2]
	VFADD4S(23, 19, 19);   \ // … + p2*l[2,3]
	VFADD4S(3, 19, 19)     \ // … + p3

// func mat4MulF32NEON(m, parent, local *Mat4s[float32])
//
//	R0-R2      m, parent, local, advanced by the loop
//	R3         rows left
//	V0-V3      columns of parent
//	V4-V7      columns of local
//	V16-V19    columns of m
TEXT ·mat4MulF32NEON(SB), NOSPLIT, $0-24
	MOVD local+16(FP), R2
	MOVD (R2), R2
	MOVD parent+8(FP), R1
	MOVD (R1), R1
	MOVD m+0(FP), R0
	MOVD LEN(R0), R3
	MOVD (R0), R0
	CBZ  R3, done

loop1:
	FLDPQ   32(R1), (F2, F3)
	FLDPQ.P 64(R1), (F0, F1)
	FLDPQ   32(R2), (F6, F7)
	FLDPQ.P 64(R2), (F4, F5)
	AFFINE4S
	FSTPQ   (F18, F19), 32(R0)
	FSTPQ.P (F16, F17), 64(R0)
	SUBS    $1, R3
	BNE     loop1

done:
	RET

// AFFINE2D does the same for one column l of the local in xy and z of two
// registers; the parent stands in V0-V7 and the column of m, its halves one
// register each, goes to top and bottom. It spoils V24 and V25.
#define AFFINE2D(xy, zw, top, bottom) \
	VFMULE2D(0, xy, 0, top);     \ // p0*l[0]
	VFMULE2D(0, xy, 1, bottom);  \
	VFMULE2D(1, xy, 2, 24);      \ // p1*l[1]
	VFMULE2D(1, xy, 3, 25);      \
	VFADD2D(24, top, top);       \ // p0*l[0] + p1*l[1]
	VFADD2D(25, bottom, bottom); \
	VFMULE2D(0, zw, 4, 24);      \ // p2*l[2]
	VFMULE2D(0, zw, 5, 25);      \
	VFADD2D(24, top, top);       \ // … + p2*l[2]
	VFADD2D(25, bottom, bottom)

// func mat4MulF64NEON(m, parent, local *Mat4s[float64])
//
//	R0-R2      m, parent, local, advanced by the loop
//	R3         rows left
//	V0-V7      columns of parent
//	V16-V23    columns of local
//	V8-V15     columns of m
TEXT ·mat4MulF64NEON(SB), NOSPLIT, $0-24
	MOVD local+16(FP), R2
	MOVD (R2), R2
	MOVD parent+8(FP), R1
	MOVD (R1), R1
	MOVD m+0(FP), R0
	MOVD LEN(R0), R3
	MOVD (R0), R0
	CBZ  R3, done

loop1:
	FLDPQ   32(R1), (F2, F3)
	FLDPQ   64(R1), (F4, F5)
	FLDPQ   96(R1), (F6, F7)
	FLDPQ.P 128(R1), (F0, F1)
	FLDPQ   32(R2), (F18, F19)
	FLDPQ   64(R2), (F20, F21)
	FLDPQ   96(R2), (F22, F23)
	FLDPQ.P 128(R2), (F16, F17)
	AFFINE2D(16, 17, 8, 9)
	AFFINE2D(18, 19, 10, 11)
	AFFINE2D(20, 21, 12, 13)
	AFFINE2D(22, 23, 14, 15)
	VFADD2D(6, 14, 14)          // … + p3
	VFADD2D(7, 15, 15)
	FSTPQ   (F10, F11), 32(R0)
	FSTPQ   (F12, F13), 64(R0)
	FSTPQ   (F14, F15), 96(R0)
	FSTPQ.P (F8, F9), 128(R0)
	SUBS    $1, R3
	BNE     loop1

done:
	RET

// func mat4MulByParentF32NEON(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int
//
// It stops before the first index outside of parent and returns how many rows
// it did.
//
//	R0, R2     m, local, advanced by the loop
//	R1         parent
//	R3, R4     rows left, rows
//	R5         rows of parent
//	R6, R7     index, one of them
//	V0-V3      columns of parent
//	V4-V7      columns of local
//	V16-V19    columns of m
TEXT ·mat4MulByParentF32NEON(SB), NOSPLIT, $0-56
	MOVD local+40(FP), R2
	MOVD (R2), R2
	MOVD index_base+16(FP), R6
	MOVD parent+8(FP), R1
	MOVD LEN(R1), R5
	MOVD (R1), R1
	MOVD m+0(FP), R0
	MOVD LEN(R0), R4
	MOVD (R0), R0
	MOVD R4, R3
	CBZ  R3, done

loop1:
	MOVW.P  4(R6), R7
	CMP     R5, R7
	BHS     done
	ADD     R7<<6, R1, R7
	FLDPQ   (R7), (F0, F1)
	FLDPQ   32(R7), (F2, F3)
	FLDPQ   32(R2), (F6, F7)
	FLDPQ.P 64(R2), (F4, F5)
	AFFINE4S
	FSTPQ   (F18, F19), 32(R0)
	FSTPQ.P (F16, F17), 64(R0)
	SUBS    $1, R3
	BNE     loop1

done:
	SUB  R3, R4, R4
	MOVD R4, ret+48(FP)
	RET

// func mat4MulByParentF64NEON(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int
//
// It stops before the first index outside of parent and returns how many rows
// it did.
//
//	R0, R2     m, local, advanced by the loop
//	R1         parent
//	R3, R4     rows left, rows
//	R5         rows of parent
//	R6, R7     index, one of them
//	V0-V7      columns of parent
//	V16-V23    columns of local
//	V8-V15     columns of m
TEXT ·mat4MulByParentF64NEON(SB), NOSPLIT, $0-56
	MOVD local+40(FP), R2
	MOVD (R2), R2
	MOVD index_base+16(FP), R6
	MOVD parent+8(FP), R1
	MOVD LEN(R1), R5
	MOVD (R1), R1
	MOVD m+0(FP), R0
	MOVD LEN(R0), R4
	MOVD (R0), R0
	MOVD R4, R3
	CBZ  R3, done

loop1:
	MOVW.P  4(R6), R7
	CMP     R5, R7
	BHS     done
	ADD     R7<<7, R1, R7
	FLDPQ   (R7), (F0, F1)
	FLDPQ   32(R7), (F2, F3)
	FLDPQ   64(R7), (F4, F5)
	FLDPQ   96(R7), (F6, F7)
	FLDPQ   32(R2), (F18, F19)
	FLDPQ   64(R2), (F20, F21)
	FLDPQ   96(R2), (F22, F23)
	FLDPQ.P 128(R2), (F16, F17)
	AFFINE2D(16, 17, 8, 9)
	AFFINE2D(18, 19, 10, 11)
	AFFINE2D(20, 21, 12, 13)
	AFFINE2D(22, 23, 14, 15)
	VFADD2D(6, 14, 14)          // … + p3
	VFADD2D(7, 15, 15)
	FSTPQ   (F10, F11), 32(R0)
	FSTPQ   (F12, F13), 64(R0)
	FSTPQ   (F14, F15), 96(R0)
	FSTPQ.P (F8, F9), 128(R0)
	SUBS    $1, R3
	BNE     loop1

done:
	SUB  R3, R4, R4
	MOVD R4, ret+48(FP)
	RET
