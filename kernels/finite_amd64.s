//go:build !purego

#include "textflag.h"
#include "lanes_amd64.h"

// AllFinite, AVX2 and AVX-512: what x - x leaves, +0 or NaN, is joined by or. CX counts
// bytes, so that both types have the same blocks. Rows that are not there are 0, whose
// difference is too.

// ODD8 joins one vector of 256 bits, at this place, ODD4 one of 512.
#define ODD8(at, SUB, t, acc) \
	VMOVUPS at(SI), t   \
	SUB     t, t, t     \
	VORPS   t, acc, acc

#define ODD4(at, SUB, t, acc) \
	VMOVUPS at(SI), t   \
	SUB     t, t, t     \
	VPORD   t, acc, acc

// LAST4 and LAST2 fold the elements of X0.
#define LAST4 \
	VMOVHLPS  X0, X0, X1 \
	VORPS     X1, X0, X0 \
	VMOVSHDUP X0, X1     \
	VORPS     X1, X0, X0

#define LAST2 \
	VMOVHLPS X0, X0, X1 \
	VORPS    X1, X0, X0

// FINITE8 is all but the way in, in vectors of 256 bits, FINITE4 in vectors of 512.
#define FINITE8(SUB, LAST, MOV1) \
	VXORPS       X0, X0, X0         \
	VXORPS       X1, X1, X1         \
	VXORPS       X2, X2, X2         \
	VXORPS       X3, X3, X3         \
	SUBQ         $128, CX           \
	JLT          tail               \
	loop:                           \
	ODD8(0, SUB, Y4, Y0)            \
	ODD8(32, SUB, Y5, Y1)           \
	ODD8(64, SUB, Y6, Y2)           \
	ODD8(96, SUB, Y7, Y3)           \
	ADDQ         $128, SI           \
	SUBQ         $128, CX           \
	JGE          loop               \
	tail:                           \
	ADDQ         $96, CX            \
	JLT          rest               \
	one:                            \
	ODD8(0, SUB, Y4, Y0)            \
	ADDQ         $32, SI            \
	SUBQ         $32, CX            \
	JGE          one                \
	rest:                           \
	ADDQ         $32, CX            \
	JZ           fold               \
	LEAQ         lanes<>+32(SB), AX \
	SUBQ         CX, AX             \
	VMOVUPS      (AX), Y9           \
	VMASKMOVPS   (SI), Y9, Y4       \
	SUB          Y4, Y4, Y4         \
	VORPS        Y4, Y0, Y0         \
	fold:                           \
	VORPS        Y1, Y0, Y0         \
	VORPS        Y3, Y2, Y2         \
	VORPS        Y2, Y0, Y0         \
	VEXTRACTF128 $1, Y0, X1         \
	VORPS        X1, X0, X0         \
	LAST                            \
	MOV1         X0, ret+24(FP)     \
	VZEROUPPER                      \
	RET

#define FINITE4(shift, SUB, MOVZ, LAST, MOV1) \
	VXORPS        X0, X0, X0     \
	VXORPS        X1, X1, X1     \
	VXORPS        X2, X2, X2     \
	VXORPS        X3, X3, X3     \
	SUBQ          $256, CX       \
	JLT           tail           \
	loop:                        \
	ODD4(0, SUB, Z4, Z0)         \
	ODD4(64, SUB, Z5, Z1)        \
	ODD4(128, SUB, Z6, Z2)       \
	ODD4(192, SUB, Z7, Z3)       \
	ADDQ          $256, SI       \
	SUBQ          $256, CX       \
	JGE           loop           \
	tail:                        \
	ADDQ          $192, CX       \
	JLT           rest           \
	one:                         \
	ODD4(0, SUB, Z4, Z0)         \
	ADDQ          $64, SI        \
	SUBQ          $64, CX        \
	JGE           one            \
	rest:                        \
	ADDQ          $64, CX        \
	JZ            fold           \
	SHRQ          shift, CX      \
	MOVL          $-1, AX        \
	BZHIL         CX, AX, AX     \
	KMOVW         AX, K1         \
	MOVZ          (SI), K1, Z4   \
	SUB           Z4, Z4, Z4     \
	VPORD         Z4, Z0, Z0     \
	fold:                        \
	VPORD         Z1, Z0, Z0     \
	VPORD         Z3, Z2, Z2     \
	VPORD         Z2, Z0, Z0     \
	VEXTRACTF64X4 $1, Z0, Y1     \
	VORPS         Y1, Y0, Y0     \
	VEXTRACTF128  $1, Y0, X1     \
	VORPS         X1, X0, X0     \
	LAST                         \
	MOV1          X0, ret+24(FP) \
	VZEROUPPER                   \
	RET

// func finiteF32AVX2(x []float32) float32
// Requires: AVX2.
//
//	SI     x, advanced by the loops
//	CX     bytes left
//	Y0-Y3  accumulators
//	Y4-Y7  x - x
TEXT ·finiteF32AVX2(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	FINITE8(VSUBPS, LAST4, VMOVSS)

// func finiteF32AVX512(x []float32) float32
// Requires: AVX-512 F, BMI2.
//
//	SI     x, advanced by the loops
//	CX     bytes left
//	Z0-Z3  accumulators
//	Z4-Z7  x - x
//	K1     rows left
TEXT ·finiteF32AVX512(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	FINITE4($2, VSUBPS, VMOVUPS.Z, LAST4, VMOVSS)

// func finiteF64AVX2(x []float64) float64
// Requires: AVX2.
//
//	SI     x, advanced by the loops
//	CX     bytes left
//	Y0-Y3  accumulators
//	Y4-Y7  x - x
TEXT ·finiteF64AVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	FINITE8(VSUBPD, LAST2, VMOVSD)

// func finiteF64AVX512(x []float64) float64
// Requires: AVX-512 F, BMI2.
//
//	SI     x, advanced by the loops
//	CX     bytes left
//	Z0-Z3  accumulators
//	Z4-Z7  x - x
//	K1     rows left
TEXT ·finiteF64AVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	FINITE4($3, VSUBPD, VMOVUPD.Z, LAST2, VMOVSD)
