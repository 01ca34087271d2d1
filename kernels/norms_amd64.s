//go:build !purego

#include "textflag.h"
#include "lanes_amd64.h"
#include "reduction_amd64.h"

// Sums of absolute values, of absolute differences and of squared differences, AVX2 and
// AVX-512. The accumulators, the order and the end are those of Sum, in reduction_amd64.h.
// A row that the mask leaves out adds |0|, |0 - 0| or (0 - 0)², which is +0 and changes no
// accumulator.

// ABSMASK8 and ABSMASK4 set all bits but the sign bits of Y15 or Z15.
#define ABSMASK8(SHIFT) \
	VPCMPEQD Y15, Y15, Y15 \
	SHIFT    $1, Y15, Y15

#define ABSMASK4(SHIFT) \
	VPTERNLOGD $0xff, Z15, Z15, Z15 \
	SHIFT      $1, Z15, Z15

// A term loads one vector of rows, at this place, computes what a row adds in t, and adds
// it to acc.
#define ABS(at, MOV, SUB, MUL, AND, ADD, m, t, acc) \
	AND at(SI), m, t \
	ADD t, acc, acc

#define ABSDIFF(at, MOV, SUB, MUL, AND, ADD, m, t, acc) \
	MOV at(SI), t    \
	SUB at(DX), t, t \
	AND m, t, t      \
	ADD t, acc, acc

#define SQUAREDIFF(at, MOV, SUB, MUL, AND, ADD, m, t, acc) \
	MOV at(SI), t    \
	SUB at(DX), t, t \
	MUL t, t, t      \
	ADD t, acc, acc

// A rest does the same for the rows after the last whole vector, 8 with the mask of MASK8,
// 4 with that of MASK4.
#define ABSREST8(at, MASKMOV, SUB, MUL, AND, ADD, acc) \
	MASK8                  \
	MASKMOV at(SI), Y9, Y8 \
	AND     Y15, Y8, Y8    \
	ADD     Y8, acc, acc

#define ABSDIFFREST8(at, MASKMOV, SUB, MUL, AND, ADD, acc) \
	MASK8                   \
	MASKMOV at(SI), Y9, Y8  \
	MASKMOV at(DX), Y9, Y10 \
	SUB     Y10, Y8, Y8     \
	AND     Y15, Y8, Y8     \
	ADD     Y8, acc, acc

#define SQUAREDIFFREST8(at, MASKMOV, SUB, MUL, AND, ADD, acc) \
	MASK8                   \
	MASKMOV at(SI), Y9, Y8  \
	MASKMOV at(DX), Y9, Y10 \
	SUB     Y10, Y8, Y8     \
	MUL     Y8, Y8, Y8      \
	ADD     Y8, acc, acc

#define ABSREST4(at, shift, MOVZ, SUB, MUL, AND, ADD, acc) \
	MASK4(shift)          \
	MOVZ at(SI), K1, Z4   \
	AND  Z15, Z4, Z4      \
	ADD  Z4, acc, K1, acc

#define ABSDIFFREST4(at, shift, MOVZ, SUB, MUL, AND, ADD, acc) \
	MASK4(shift)          \
	MOVZ at(SI), K1, Z4   \
	MOVZ at(DX), K1, Z5   \
	SUB  Z5, Z4, Z4       \
	AND  Z15, Z4, Z4      \
	ADD  Z4, acc, K1, acc

#define SQUAREDIFFREST4(at, shift, MOVZ, SUB, MUL, AND, ADD, acc) \
	MASK4(shift)          \
	MOVZ at(SI), K1, Z4   \
	MOVZ at(DX), K1, Z5   \
	SUB  Z5, Z4, Z4       \
	MUL  Z4, Z4, Z4       \
	ADD  Z4, acc, K1, acc

// REDUCE8 is a whole reduction but for the way in, in vectors of 256 bits, REDUCE4 one in
// vectors of 512. DX moves along with SI; ABS does not read it. LAST makes one number of X0.
#define REDUCE8(shift, TERM, REST8, MASKMOV, MOV, SUB, MUL, AND, ADD, MOV1, LAST, ret) \
	BEGIN(shift, ZERO8)                                       \
	loop:                                                     \
	TERM(0, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y0)             \
	TERM(32, MOV, SUB, MUL, AND, ADD, Y15, Y9, Y1)            \
	TERM(64, MOV, SUB, MUL, AND, ADD, Y15, Y10, Y2)           \
	TERM(96, MOV, SUB, MUL, AND, ADD, Y15, Y11, Y3)           \
	TERM(128, MOV, SUB, MUL, AND, ADD, Y15, Y12, Y4)          \
	TERM(160, MOV, SUB, MUL, AND, ADD, Y15, Y13, Y5)          \
	TERM(192, MOV, SUB, MUL, AND, ADD, Y15, Y14, Y6)          \
	TERM(224, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y7)           \
	ADDQ  $256, SI                                            \
	ADDQ  $256, DX                                            \
	SUBQ  $256, CX                                            \
	JGE   loop                                                \
	tail:                                                     \
	ADDQ  $256, CX                                            \
	JZ    fold                                                \
	REST(32)                                                  \
	TAKE(32, rest0)                                           \
	TERM(0, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y0)             \
	TAKE(64, rest1)                                           \
	TERM(32, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y1)            \
	TAKE(96, rest2)                                           \
	TERM(64, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y2)            \
	TAKE(128, rest3)                                          \
	TERM(96, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y3)            \
	TAKE(160, rest4)                                          \
	TERM(128, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y4)           \
	TAKE(192, rest5)                                          \
	TERM(160, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y5)           \
	TAKE(224, rest6)                                          \
	TERM(192, MOV, SUB, MUL, AND, ADD, Y15, Y8, Y6)           \
	TESTQ R8, R8                                              \
	JZ    fold                                                \
	REST8(224, MASKMOV, SUB, MUL, AND, ADD, Y7)               \
	FINISH(FOLD8(ADD), LAST, MOV1, ret)                       \
	AFTER(rest0, REST8(0, MASKMOV, SUB, MUL, AND, ADD, Y0))   \
	AFTER(rest1, REST8(32, MASKMOV, SUB, MUL, AND, ADD, Y1))  \
	AFTER(rest2, REST8(64, MASKMOV, SUB, MUL, AND, ADD, Y2))  \
	AFTER(rest3, REST8(96, MASKMOV, SUB, MUL, AND, ADD, Y3))  \
	AFTER(rest4, REST8(128, MASKMOV, SUB, MUL, AND, ADD, Y4)) \
	AFTER(rest5, REST8(160, MASKMOV, SUB, MUL, AND, ADD, Y5)) \
	AFTER(rest6, REST8(192, MASKMOV, SUB, MUL, AND, ADD, Y6)) \
	RESUME(LOAD8, STORE8)

#define REDUCE4(shift, TERM, REST4, MOVZ, MOV, SUB, MUL, AND, ADD, MOV1, LAST, ret) \
	BEGIN(shift, ZERO4)                                            \
	loop:                                                          \
	TERM(0, MOV, SUB, MUL, AND, ADD, Z15, Z4, Z0)                  \
	TERM(64, MOV, SUB, MUL, AND, ADD, Z15, Z5, Z1)                 \
	TERM(128, MOV, SUB, MUL, AND, ADD, Z15, Z6, Z2)                \
	TERM(192, MOV, SUB, MUL, AND, ADD, Z15, Z7, Z3)                \
	ADDQ  $256, SI                                                 \
	ADDQ  $256, DX                                                 \
	SUBQ  $256, CX                                                 \
	JGE   loop                                                     \
	tail:                                                          \
	ADDQ  $256, CX                                                 \
	JZ    fold                                                     \
	REST(64)                                                       \
	TAKE(64, rest0)                                                \
	TERM(0, MOV, SUB, MUL, AND, ADD, Z15, Z4, Z0)                  \
	TAKE(128, rest1)                                               \
	TERM(64, MOV, SUB, MUL, AND, ADD, Z15, Z4, Z1)                 \
	TAKE(192, rest2)                                               \
	TERM(128, MOV, SUB, MUL, AND, ADD, Z15, Z4, Z2)                \
	TESTQ R8, R8                                                   \
	JZ    fold                                                     \
	REST4(192, $shift, MOVZ, SUB, MUL, AND, ADD, Z3)               \
	FINISH(FOLD4(ADD), LAST, MOV1, ret)                            \
	AFTER(rest0, REST4(0, $shift, MOVZ, SUB, MUL, AND, ADD, Z0))   \
	AFTER(rest1, REST4(64, $shift, MOVZ, SUB, MUL, AND, ADD, Z1))  \
	AFTER(rest2, REST4(128, $shift, MOVZ, SUB, MUL, AND, ADD, Z2)) \
	RESUME(LOAD4, STORE4)

#define SINGLE8(TERM, REST8, ret) REDUCE8(2, TERM, REST8, VMASKMOVPS, VMOVUPS, VSUBPS, VMULPS, VANDPS, VADDPS, VMOVSS, LAST4(VADDPS, VADDSS), ret)
#define DOUBLE8(TERM, REST8, ret) REDUCE8(3, TERM, REST8, VMASKMOVPD, VMOVUPD, VSUBPD, VMULPD, VANDPD, VADDPD, VMOVSD, LAST2(VADDSD), ret)
#define SINGLE4(TERM, REST4, ret) REDUCE4(2, TERM, REST4, VMOVUPS.Z, VMOVUPS, VSUBPS, VMULPS, VANDPS, VADDPS, VMOVSS, LAST4(VADDPS, VADDSS), ret)
#define DOUBLE4(TERM, REST4, ret) REDUCE4(3, TERM, REST4, VMOVUPD.Z, VMOVUPD, VSUBPD, VMULPD, VANDPD, VADDPD, VMOVSD, LAST2(VADDSD), ret)

// func sumAbsF32AVX2(t *partials[float32], x []float32) float32
// Requires: AVX2.
//
//	BX      t
//	SI x    advanced by the loop
//	CX      bytes left
//	Y0-Y7   accumulators
//	Y8-Y14  terms
//	Y15     mask of the bits but the sign
TEXT ·sumAbsF32AVX2(SB), NOSPLIT, $0-36
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	ABSMASK8(VPSRLD)
	SINGLE8(ABS, ABSREST8, ret+32(FP))

// func sumAbsF32AVX512(t *partials[float32], x []float32) float32
// Requires: AVX-512 and BMI2.
//
//	BX      t
//	SI x    advanced by the loop
//	CX      bytes left
//	Z0-Z3   accumulators
//	Z4-Z7   terms
//	K1      mask of the rows after the last vector
//	Z15     mask of the bits but the sign
TEXT ·sumAbsF32AVX512(SB), NOSPLIT, $0-36
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	ABSMASK4(VPSRLD)
	SINGLE4(ABS, ABSREST4, ret+32(FP))

// func sumAbsF64AVX2(t *partials[float64], x []float64) float64
// Requires: AVX2.
//
//	BX      t
//	SI x    advanced by the loop
//	CX      bytes left
//	Y0-Y7   accumulators
//	Y8-Y14  terms
//	Y15     mask of the bits but the sign
TEXT ·sumAbsF64AVX2(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	ABSMASK8(VPSRLQ)
	DOUBLE8(ABS, ABSREST8, ret+32(FP))

// func sumAbsF64AVX512(t *partials[float64], x []float64) float64
// Requires: AVX-512 and BMI2.
//
//	BX      t
//	SI x    advanced by the loop
//	CX      bytes left
//	Z0-Z3   accumulators
//	Z4-Z7   terms
//	K1      mask of the rows after the last vector
//	Z15     mask of the bits but the sign
TEXT ·sumAbsF64AVX512(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	ABSMASK4(VPSRLQ)
	DOUBLE4(ABS, ABSREST4, ret+32(FP))

// func sumAbsDiffF32AVX2(t *partials[float32], x, y []float32) float32
// Requires: AVX2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Y0-Y7   accumulators
//	Y8-Y14  terms
//	Y15     mask of the bits but the sign
TEXT ·sumAbsDiffF32AVX2(SB), NOSPLIT, $0-60
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	ABSMASK8(VPSRLD)
	SINGLE8(ABSDIFF, ABSDIFFREST8, ret+56(FP))

// func sumAbsDiffF32AVX512(t *partials[float32], x, y []float32) float32
// Requires: AVX-512 and BMI2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Z0-Z3   accumulators
//	Z4-Z7   terms
//	K1      mask of the rows after the last vector
//	Z15     mask of the bits but the sign
TEXT ·sumAbsDiffF32AVX512(SB), NOSPLIT, $0-60
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	ABSMASK4(VPSRLD)
	SINGLE4(ABSDIFF, ABSDIFFREST4, ret+56(FP))

// func sumAbsDiffF64AVX2(t *partials[float64], x, y []float64) float64
// Requires: AVX2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Y0-Y7   accumulators
//	Y8-Y14  terms
//	Y15     mask of the bits but the sign
TEXT ·sumAbsDiffF64AVX2(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	ABSMASK8(VPSRLQ)
	DOUBLE8(ABSDIFF, ABSDIFFREST8, ret+56(FP))

// func sumAbsDiffF64AVX512(t *partials[float64], x, y []float64) float64
// Requires: AVX-512 and BMI2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Z0-Z3   accumulators
//	Z4-Z7   terms
//	K1      mask of the rows after the last vector
//	Z15     mask of the bits but the sign
TEXT ·sumAbsDiffF64AVX512(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	ABSMASK4(VPSRLQ)
	DOUBLE4(ABSDIFF, ABSDIFFREST4, ret+56(FP))

// func sumSquareDiffF32AVX2(t *partials[float32], x, y []float32) float32
// Requires: AVX2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Y0-Y7   accumulators
//	Y8-Y14  terms
TEXT ·sumSquareDiffF32AVX2(SB), NOSPLIT, $0-60
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	SINGLE8(SQUAREDIFF, SQUAREDIFFREST8, ret+56(FP))

// func sumSquareDiffF32AVX512(t *partials[float32], x, y []float32) float32
// Requires: AVX-512 and BMI2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Z0-Z3   accumulators
//	Z4-Z7   terms
//	K1      mask of the rows after the last vector
TEXT ·sumSquareDiffF32AVX512(SB), NOSPLIT, $0-60
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	SINGLE4(SQUAREDIFF, SQUAREDIFFREST4, ret+56(FP))

// func sumSquareDiffF64AVX2(t *partials[float64], x, y []float64) float64
// Requires: AVX2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Y0-Y7   accumulators
//	Y8-Y14  terms
TEXT ·sumSquareDiffF64AVX2(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	DOUBLE8(SQUAREDIFF, SQUAREDIFFREST8, ret+56(FP))

// func sumSquareDiffF64AVX512(t *partials[float64], x, y []float64) float64
// Requires: AVX-512 and BMI2.
//
//	BX      t
//	SI x    DX y    advanced by the loop
//	CX      bytes left
//	Z0-Z3   accumulators
//	Z4-Z7   terms
//	K1      mask of the rows after the last vector
TEXT ·sumSquareDiffF64AVX512(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	DOUBLE4(SQUAREDIFF, SQUAREDIFFREST4, ret+56(FP))
