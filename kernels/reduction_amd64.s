//go:build !purego

#include "textflag.h"
#include "lanes_amd64.h"
#include "reduction_amd64.h"

// Reductions and PrefixSum, AVX2 and AVX-512.
//
// The accumulators of a sum, 64 float32 or 32 float64, fill Y0 to Y7 or Z0 to Z3.
// CX counts bytes, so that both types have the same blocks of 256. Where t is not
// nil the accumulators come from there and go back; the result is what they fold
// to in any case. Rows that are not there would add +0 to an accumulator, which
// changes none: they begin with +0 and so are never -0.

// SUMREST8 and its sisters add the rows after the last whole vector to an accumulator. They
// spoil Y8 and Y10 or Z4.
#define SUMREST8(at, MASKMOV, ADD, acc) \
	MASK8                  \
	MASKMOV at(SI), Y9, Y8 \
	ADD     Y8, acc, acc

#define DOTREST8(at, MASKMOV, MUL, ADD, acc) \
	MASK8                   \
	MASKMOV at(SI), Y9, Y8  \
	MASKMOV at(DX), Y9, Y10 \
	MUL     Y10, Y8, Y8     \
	ADD     Y8, acc, acc

#define SUMREST4(at, shift, ADD, acc) \
	MASK4(shift)             \
	ADD at(SI), acc, K1, acc

#define DOTREST4(at, shift, MOVZ, MUL, ADD, acc) \
	MASK4(shift)          \
	MOVZ at(SI), K1, Z4   \
	MOVZ at(DX), K1, Z5   \
	MUL  Z5, Z4, Z4       \
	ADD  Z4, acc, K1, acc

// EXTREME is all of Min and Max but the way in: v and t are Y0 and Y8 or Z0 and Z8.
// LAST makes one number of X0.
#define EXTREME(bytes, vectors, rows, size, v, t, SPREAD, BEST, FOLD, OP, OP1, MOV, MOV1, LAST) \
	CMPQ    CX, $rows               \
	JLT     few                     \
	LEAQ    -bytes(SI)(CX*size), DX \
	SPREAD                          \
	SUBQ    $(vectors*rows), CX     \
	JLT     tail                    \
	blocks:                         \
	BEST(OP)                        \
	ADDQ    $256, SI                \
	SUBQ    $(vectors*rows), CX     \
	JGE     blocks                  \
	tail:                           \
	ADDQ    $((vectors-1)*rows), CX \
	JLT     last                    \
	one:                            \
	MOV     (SI), t                 \
	OP      v, t, v                 \
	ADDQ    $bytes, SI              \
	SUBQ    $rows, CX               \
	JGE     one                     \
	last:                           \
	MOV     (DX), t                 \
	OP      v, t, v                 \
	FOLD(OP)                        \
	LAST                            \
	MOV1    X0, ret+24(FP)          \
	VZEROUPPER                      \
	RET                             \
	few:                  \
	TESTQ  CX, CX         \
	JZ     done           \
	loop1:                \
	MOV1   (SI), X8       \
	OP1    X0, X8, X0     \
	ADDQ   $size, SI      \
	DECQ   CX             \
	JNZ    loop1          \
	done:                 \
	MOV1   X0, ret+24(FP) \
	VZEROUPPER            \
	RET

#define EXTREME8(rows, size, OP, OP1, MOV, MOV1, LAST) EXTREME(32, 8, rows, size, Y0, Y8, SPREAD8, BEST8, FOLD8, OP, OP1, MOV, MOV1, LAST)
#define EXTREME4(rows, size, OP, OP1, MOV, MOV1, LAST) EXTREME(64, 4, rows, size, Z0, Z8, SPREAD4, BEST4, FOLD4, OP, OP1, MOV, MOV1, LAST)

// DOT adds the products of one vector, at this place, to an accumulator. It spoils t.
#define DOT(at, MOV, MUL, ADD, t, acc) \
	MOV at(SI), t    \
	MUL at(DX), t, t \
	ADD t, acc, acc

// SUM8 and DOT8 are all of a sum and of a dot product but the way in, in vectors of
// 256 bits, SUM4 and DOT4 in vectors of 512. LAST makes one number of X0.
#define SUM8(shift, MASKMOV, ADD, MOV1, LAST) \
	BEGIN(shift, ZERO8)                           \
	loop:                                         \
	ADD   (SI), Y0, Y0 /* t + x */                \
	ADD   32(SI), Y1, Y1                          \
	ADD   64(SI), Y2, Y2                          \
	ADD   96(SI), Y3, Y3                          \
	ADD   128(SI), Y4, Y4                         \
	ADD   160(SI), Y5, Y5                         \
	ADD   192(SI), Y6, Y6                         \
	ADD   224(SI), Y7, Y7                         \
	ADDQ  $256, SI                                \
	SUBQ  $256, CX                                \
	JGE   loop                                    \
	tail:                                         \
	ADDQ  $256, CX                                \
	JZ    fold                                    \
	REST(32)                                      \
	TAKE(32, rest0)                               \
	ADD   (SI), Y0, Y0                            \
	TAKE(64, rest1)                               \
	ADD   32(SI), Y1, Y1                          \
	TAKE(96, rest2)                               \
	ADD   64(SI), Y2, Y2                          \
	TAKE(128, rest3)                              \
	ADD   96(SI), Y3, Y3                          \
	TAKE(160, rest4)                              \
	ADD   128(SI), Y4, Y4                         \
	TAKE(192, rest5)                              \
	ADD   160(SI), Y5, Y5                         \
	TAKE(224, rest6)                              \
	ADD   192(SI), Y6, Y6                         \
	TESTQ R8, R8                                  \
	JZ    fold                                    \
	SUMREST8(224, MASKMOV, ADD, Y7)               \
	FINISH(FOLD8(ADD), LAST, MOV1, ret+32(FP))    \
	AFTER(rest0, SUMREST8(0, MASKMOV, ADD, Y0))   \
	AFTER(rest1, SUMREST8(32, MASKMOV, ADD, Y1))  \
	AFTER(rest2, SUMREST8(64, MASKMOV, ADD, Y2))  \
	AFTER(rest3, SUMREST8(96, MASKMOV, ADD, Y3))  \
	AFTER(rest4, SUMREST8(128, MASKMOV, ADD, Y4)) \
	AFTER(rest5, SUMREST8(160, MASKMOV, ADD, Y5)) \
	AFTER(rest6, SUMREST8(192, MASKMOV, ADD, Y6)) \
	RESUME(LOAD8, STORE8)

#define SUM4(shift, ADD, MOV1, LAST) \
	BEGIN(shift, ZERO4)                          \
	loop:                                        \
	ADD   (SI), Z0, Z0 /* t + x */               \
	ADD   64(SI), Z1, Z1                         \
	ADD   128(SI), Z2, Z2                        \
	ADD   192(SI), Z3, Z3                        \
	ADDQ  $256, SI                               \
	SUBQ  $256, CX                               \
	JGE   loop                                   \
	tail:                                        \
	ADDQ  $256, CX                               \
	JZ    fold                                   \
	REST(64)                                     \
	TAKE(64, rest0)                              \
	ADD   (SI), Z0, Z0                           \
	TAKE(128, rest1)                             \
	ADD   64(SI), Z1, Z1                         \
	TAKE(192, rest2)                             \
	ADD   128(SI), Z2, Z2                        \
	TESTQ R8, R8                                 \
	JZ    fold                                   \
	SUMREST4(192, $shift, ADD, Z3)               \
	FINISH(FOLD4(ADD), LAST, MOV1, ret+32(FP))   \
	AFTER(rest0, SUMREST4(0, $shift, ADD, Z0))   \
	AFTER(rest1, SUMREST4(64, $shift, ADD, Z1))  \
	AFTER(rest2, SUMREST4(128, $shift, ADD, Z2)) \
	RESUME(LOAD4, STORE4)

#define DOT8(shift, MASKMOV, MOV, MUL, ADD, MOV1, LAST) \
	BEGIN(shift, ZERO8)                                \
	loop:                                              \
	DOT(0, MOV, MUL, ADD, Y8, Y0)                      \
	DOT(32, MOV, MUL, ADD, Y9, Y1)                     \
	DOT(64, MOV, MUL, ADD, Y10, Y2)                    \
	DOT(96, MOV, MUL, ADD, Y11, Y3)                    \
	DOT(128, MOV, MUL, ADD, Y12, Y4)                   \
	DOT(160, MOV, MUL, ADD, Y13, Y5)                   \
	DOT(192, MOV, MUL, ADD, Y14, Y6)                   \
	DOT(224, MOV, MUL, ADD, Y15, Y7)                   \
	ADDQ  $256, SI                                     \
	ADDQ  $256, DX                                     \
	SUBQ  $256, CX                                     \
	JGE   loop                                         \
	tail:                                              \
	ADDQ  $256, CX                                     \
	JZ    fold                                         \
	REST(32)                                           \
	TAKE(32, rest0)                                    \
	DOT(0, MOV, MUL, ADD, Y8, Y0)                      \
	TAKE(64, rest1)                                    \
	DOT(32, MOV, MUL, ADD, Y8, Y1)                     \
	TAKE(96, rest2)                                    \
	DOT(64, MOV, MUL, ADD, Y8, Y2)                     \
	TAKE(128, rest3)                                   \
	DOT(96, MOV, MUL, ADD, Y8, Y3)                     \
	TAKE(160, rest4)                                   \
	DOT(128, MOV, MUL, ADD, Y8, Y4)                    \
	TAKE(192, rest5)                                   \
	DOT(160, MOV, MUL, ADD, Y8, Y5)                    \
	TAKE(224, rest6)                                   \
	DOT(192, MOV, MUL, ADD, Y8, Y6)                    \
	TESTQ R8, R8                                       \
	JZ    fold                                         \
	DOTREST8(224, MASKMOV, MUL, ADD, Y7)               \
	FINISH(FOLD8(ADD), LAST, MOV1, ret+56(FP))         \
	AFTER(rest0, DOTREST8(0, MASKMOV, MUL, ADD, Y0))   \
	AFTER(rest1, DOTREST8(32, MASKMOV, MUL, ADD, Y1))  \
	AFTER(rest2, DOTREST8(64, MASKMOV, MUL, ADD, Y2))  \
	AFTER(rest3, DOTREST8(96, MASKMOV, MUL, ADD, Y3))  \
	AFTER(rest4, DOTREST8(128, MASKMOV, MUL, ADD, Y4)) \
	AFTER(rest5, DOTREST8(160, MASKMOV, MUL, ADD, Y5)) \
	AFTER(rest6, DOTREST8(192, MASKMOV, MUL, ADD, Y6)) \
	RESUME(LOAD8, STORE8)

#define DOT4(shift, MOVZ, MOV, MUL, ADD, MOV1, LAST) \
	BEGIN(shift, ZERO4)                                     \
	loop:                                                   \
	MOV   (SI), Z4                                          \
	MOV   64(SI), Z5                                        \
	MOV   128(SI), Z6                                       \
	MOV   192(SI), Z7                                       \
	MUL   (DX), Z4, Z4 /* x*y */                            \
	MUL   64(DX), Z5, Z5                                    \
	MUL   128(DX), Z6, Z6                                   \
	MUL   192(DX), Z7, Z7                                   \
	ADD   Z4, Z0, Z0 /* t + x*y */                          \
	ADD   Z5, Z1, Z1                                        \
	ADD   Z6, Z2, Z2                                        \
	ADD   Z7, Z3, Z3                                        \
	ADDQ  $256, SI                                          \
	ADDQ  $256, DX                                          \
	SUBQ  $256, CX                                          \
	JGE   loop                                              \
	tail:                                                   \
	ADDQ  $256, CX                                          \
	JZ    fold                                              \
	REST(64)                                                \
	TAKE(64, rest0)                                         \
	DOT(0, MOV, MUL, ADD, Z4, Z0)                           \
	TAKE(128, rest1)                                        \
	DOT(64, MOV, MUL, ADD, Z4, Z1)                          \
	TAKE(192, rest2)                                        \
	DOT(128, MOV, MUL, ADD, Z4, Z2)                         \
	TESTQ R8, R8                                            \
	JZ    fold                                              \
	DOTREST4(192, $shift, MOVZ, MUL, ADD, Z3)               \
	FINISH(FOLD4(ADD), LAST, MOV1, ret+56(FP))              \
	AFTER(rest0, DOTREST4(0, $shift, MOVZ, MUL, ADD, Z0))   \
	AFTER(rest1, DOTREST4(64, $shift, MOVZ, MUL, ADD, Z1))  \
	AFTER(rest2, DOTREST4(128, $shift, MOVZ, MUL, ADD, Z2)) \
	RESUME(LOAD4, STORE4)

// INDEXOF is all of indexOf but the way in, for rows of size bytes, so many of them in
// a block. It looks for bits, so that NaN and the two zeros are what they are.
#define INDEXOF(rows, size, shift, EQUAL, MOVMSK, CMP) \
	SUBQ    $rows, CX       \
	JLT     tail            \
	blocks:                 \
	EQUAL   (SI), Y0, Y1    \
	EQUAL   32(SI), Y0, Y2  \
	EQUAL   64(SI), Y0, Y3  \
	EQUAL   96(SI), Y0, Y4  \
	VPOR    Y1, Y2, Y1      \
	VPOR    Y3, Y4, Y3      \
	VPOR    Y1, Y3, Y1      \
	VPTEST  Y1, Y1          \
	JNZ     near            \
	ADDQ    $128, SI        \
	SUBQ    $rows, CX       \
	JGE     blocks          \
	tail:                   \
	ADDQ    $rows, CX       \
	JZ      none            \
	loop1:                  \
	CMP     AX, (SI)        \
	JEQ     found           \
	ADDQ    $size, SI       \
	DECQ    CX              \
	JNZ     loop1           \
	none:                   \
	MOVQ    $-1, ret+32(FP) \
	VZEROUPPER              \
	RET                     \
	near:                       \
	EQUAL  (SI), Y0, Y1         \
	MOVMSK Y1, BX               \
	ADDQ   $32, SI              \
	TESTL  BX, BX               \
	JZ     near                 \
	BSFL   BX, BX               \
	LEAQ   -32(SI)(BX*size), SI \
	found:                      \
	SUBQ   x_base+0(FP), SI     \
	SHRQ   $shift, SI           \
	MOVQ   SI, ret+32(FP)       \
	VZEROUPPER                  \
	RET

// PrefixSum takes blocks of sixteen rows. What a run of d rows adds to the next
// one is made by moving elements and leaving zeros in the others: to add +0 is to
// add nothing, but for -0, which the carry makes +0 in any case.

// A block of float32 is Y0 and Y1. It spoils Y2 and Y3 and wants zeros in Y15, the
// index 3 in all elements of Y14, 7 in those of Y13.
#define PREFIX32 \
	VPSLLQ   $32, Y0, Y2        \ // d = 1
	VPSLLQ   $32, Y1, Y3        \
	VADDPS   Y2, Y0, Y0         \
	VADDPS   Y3, Y1, Y1         \
	VSHUFPS  $0x50, Y0, Y15, Y2 \ // d = 2
	VSHUFPS  $0x50, Y1, Y15, Y3 \
	VADDPS   Y2, Y0, Y0         \
	VADDPS   Y3, Y1, Y1         \
	VPERMPS  Y0, Y14, Y2        \ // d = 4
	VPERMPS  Y1, Y14, Y3        \
	VBLENDPS $0xf0, Y2, Y15, Y2 \
	VBLENDPS $0xf0, Y3, Y15, Y3 \
	VADDPS   Y2, Y0, Y0         \
	VADDPS   Y3, Y1, Y1         \
	VPERMPS  Y0, Y13, Y2        \ // d = 8
	VADDPS   Y2, Y1, Y1

// A block of float64 is Y0 to Y3. It spoils Y4 to Y7 and wants zeros in Y15.
#define PREFIX64 \
	VUNPCKLPD Y0, Y15, Y4       \ // d = 1
	VUNPCKLPD Y1, Y15, Y5       \
	VUNPCKLPD Y2, Y15, Y6       \
	VUNPCKLPD Y3, Y15, Y7       \
	VADDPD    Y4, Y0, Y0        \
	VADDPD    Y5, Y1, Y1        \
	VADDPD    Y6, Y2, Y2        \
	VADDPD    Y7, Y3, Y3        \
	VPERMPD   $0x50, Y0, Y4     \ // d = 2
	VPERMPD   $0x50, Y1, Y5     \
	VPERMPD   $0x50, Y2, Y6     \
	VPERMPD   $0x50, Y3, Y7     \
	VBLENDPD  $0xc, Y4, Y15, Y4 \
	VBLENDPD  $0xc, Y5, Y15, Y5 \
	VBLENDPD  $0xc, Y6, Y15, Y6 \
	VBLENDPD  $0xc, Y7, Y15, Y7 \
	VADDPD    Y4, Y0, Y0        \
	VADDPD    Y5, Y1, Y1        \
	VADDPD    Y6, Y2, Y2        \
	VADDPD    Y7, Y3, Y3        \
	VPERMPD   $0xff, Y0, Y4     \ // d = 4
	VPERMPD   $0xff, Y2, Y6     \
	VADDPD    Y4, Y1, Y1        \
	VADDPD    Y6, Y3, Y3        \
	VPERMPD   $0xff, Y1, Y4     \ // d = 8
	VADDPD    Y4, Y2, Y2        \
	VADDPD    Y4, Y3, Y3

// func sumF32AVX2(t *partials[float32], x []float32) float32
// Requires: AVX2.
//
//	BX     t
//	SI x   advanced by the loop
//	CX     bytes left
//	Y0-Y7  accumulators
//	Y8, Y9 rows after the last vector and their mask
TEXT ·sumF32AVX2(SB), NOSPLIT, $0-36
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	SUM8(2, VMASKMOVPS, VADDPS, VMOVSS, LAST4(VADDPS, VADDSS))

// func sumF32AVX512(t *partials[float32], x []float32) float32
// Requires: AVX-512 and BMI2.
//
//	BX     t
//	SI x   advanced by the loop
//	CX     bytes left
//	Z0-Z3  accumulators
//	K1     mask of the rows after the last vector
TEXT ·sumF32AVX512(SB), NOSPLIT, $0-36
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	SUM4(2, VADDPS, VMOVSS, LAST4(VADDPS, VADDSS))

// func sumF64AVX2(t *partials[float64], x []float64) float64
// Requires: AVX2.
//
//	BX     t
//	SI x   advanced by the loop
//	CX     bytes left
//	Y0-Y7  accumulators
//	Y8, Y9 rows after the last vector and their mask
TEXT ·sumF64AVX2(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	SUM8(3, VMASKMOVPD, VADDPD, VMOVSD, LAST2(VADDSD))

// func sumF64AVX512(t *partials[float64], x []float64) float64
// Requires: AVX-512 and BMI2.
//
//	BX     t
//	SI x   advanced by the loop
//	CX     bytes left
//	Z0-Z3  accumulators
//	K1     mask of the rows after the last vector
TEXT ·sumF64AVX512(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	SUM4(3, VADDPD, VMOVSD, LAST2(VADDSD))

// func dotLanesF32AVX2(t *partials[float32], x, y []float32) float32
// Requires: AVX2.
//
//	BX     t
//	SI x   DX y   advanced by the loop
//	CX     bytes left
//	Y0-Y7  accumulators
//	Y8-Y15 products
TEXT ·dotLanesF32AVX2(SB), NOSPLIT, $0-60
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	DOT8(2, VMASKMOVPS, VMOVUPS, VMULPS, VADDPS, VMOVSS, LAST4(VADDPS, VADDSS))

// func dotLanesF32AVX512(t *partials[float32], x, y []float32) float32
// Requires: AVX-512 and BMI2.
//
//	BX     t
//	SI x   DX y   advanced by the loop
//	CX     bytes left
//	Z0-Z3  accumulators
//	Z4-Z7  products
//	K1     mask of the rows after the last vector
TEXT ·dotLanesF32AVX512(SB), NOSPLIT, $0-60
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	DOT4(2, VMOVUPS.Z, VMOVUPS, VMULPS, VADDPS, VMOVSS, LAST4(VADDPS, VADDSS))

// func dotLanesF64AVX2(t *partials[float64], x, y []float64) float64
// Requires: AVX2.
//
//	BX     t
//	SI x   DX y   advanced by the loop
//	CX     bytes left
//	Y0-Y7  accumulators
//	Y8-Y15 products
TEXT ·dotLanesF64AVX2(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	DOT8(3, VMASKMOVPD, VMOVUPD, VMULPD, VADDPD, VMOVSD, LAST2(VADDSD))

// func dotLanesF64AVX512(t *partials[float64], x, y []float64) float64
// Requires: AVX-512 and BMI2.
//
//	BX     t
//	SI x   DX y   advanced by the loop
//	CX     bytes left
//	Z0-Z3  accumulators
//	Z4-Z7  products
//	K1     mask of the rows after the last vector
TEXT ·dotLanesF64AVX512(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), BX
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DX
	DOT4(3, VMOVUPD.Z, VMOVUPD, VMULPD, VADDPD, VMOVSD, LAST2(VADDSD))

// Min and Max as the vector instructions know them: the operand that is not NaN,
// and either of two zeros. They begin with an infinity. The rows after the last
// vector of 8 or 16 (4 or 8) are those of the last such vector of all of x, since
// nothing happens to a minimum when a row counts twice.
DATA infinity32<>+0(SB)/4, $0x7f800000
GLOBL infinity32<>(SB), RODATA|NOPTR, $4
DATA infinity64<>+0(SB)/8, $0x7ff0000000000000
GLOBL infinity64<>(SB), RODATA|NOPTR, $8
DATA minusInfinity32<>+0(SB)/4, $0xff800000
GLOBL minusInfinity32<>(SB), RODATA|NOPTR, $4
DATA minusInfinity64<>+0(SB)/8, $0xfff0000000000000
GLOBL minusInfinity64<>(SB), RODATA|NOPTR, $8

// SPREAD8 and SPREAD4 give all accumulators the value of the first.
#define SPREAD8 \
	VMOVAPS Y0, Y1 \
	VMOVAPS Y0, Y2 \
	VMOVAPS Y0, Y3 \
	VMOVAPS Y0, Y4 \
	VMOVAPS Y0, Y5 \
	VMOVAPS Y0, Y6 \
	VMOVAPS Y0, Y7

#define SPREAD4 \
	VMOVAPS Z0, Z1 \
	VMOVAPS Z0, Z2 \
	VMOVAPS Z0, Z3

// BEST8 and BEST4 compare a block: where x is NaN, the accumulator stays.
#define BEST8(OP) \
	VMOVUPS (SI), Y8     \
	VMOVUPS 32(SI), Y9   \
	VMOVUPS 64(SI), Y10  \
	VMOVUPS 96(SI), Y11  \
	VMOVUPS 128(SI), Y12 \
	VMOVUPS 160(SI), Y13 \
	VMOVUPS 192(SI), Y14 \
	VMOVUPS 224(SI), Y15 \
	OP      Y0, Y8, Y0   \
	OP      Y1, Y9, Y1   \
	OP      Y2, Y10, Y2  \
	OP      Y3, Y11, Y3  \
	OP      Y4, Y12, Y4  \
	OP      Y5, Y13, Y5  \
	OP      Y6, Y14, Y6  \
	OP      Y7, Y15, Y7

#define BEST4(OP) \
	VMOVUPS (SI), Z8     \
	VMOVUPS 64(SI), Z9   \
	VMOVUPS 128(SI), Z10 \
	VMOVUPS 192(SI), Z11 \
	OP      Z0, Z8, Z0   \
	OP      Z1, Z9, Z1   \
	OP      Z2, Z10, Z2  \
	OP      Z3, Z11, Z3

// func minF32AVX2(x []float32) float32
// Requires: AVX2.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Y0-Y7  accumulators
TEXT ·minF32AVX2(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS infinity32<>(SB), Y0
	EXTREME8(8, 4, VMINPS, VMINSS, VMOVUPS, VMOVSS, LAST4(VMINPS, VMINSS))

// func minF32AVX512(x []float32) float32
// Requires: AVX-512.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Z0-Z3  accumulators
TEXT ·minF32AVX512(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS infinity32<>(SB), Z0
	EXTREME4(16, 4, VMINPS, VMINSS, VMOVUPS, VMOVSS, LAST4(VMINPS, VMINSS))

// func minF64AVX2(x []float64) float64
// Requires: AVX2.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Y0-Y7  accumulators
TEXT ·minF64AVX2(SB), NOSPLIT, $0-32
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSD infinity64<>(SB), Y0
	EXTREME8(4, 8, VMINPD, VMINSD, VMOVUPD, VMOVSD, LAST2(VMINSD))

// func minF64AVX512(x []float64) float64
// Requires: AVX-512.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Z0-Z3  accumulators
TEXT ·minF64AVX512(SB), NOSPLIT, $0-32
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSD infinity64<>(SB), Z0
	EXTREME4(8, 8, VMINPD, VMINSD, VMOVUPD, VMOVSD, LAST2(VMINSD))

// func maxF32AVX2(x []float32) float32
// Requires: AVX2.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Y0-Y7  accumulators
TEXT ·maxF32AVX2(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS minusInfinity32<>(SB), Y0
	EXTREME8(8, 4, VMAXPS, VMAXSS, VMOVUPS, VMOVSS, LAST4(VMAXPS, VMAXSS))

// func maxF32AVX512(x []float32) float32
// Requires: AVX-512.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Z0-Z3  accumulators
TEXT ·maxF32AVX512(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS minusInfinity32<>(SB), Z0
	EXTREME4(16, 4, VMAXPS, VMAXSS, VMOVUPS, VMOVSS, LAST4(VMAXPS, VMAXSS))

// func maxF64AVX2(x []float64) float64
// Requires: AVX2.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Y0-Y7  accumulators
TEXT ·maxF64AVX2(SB), NOSPLIT, $0-32
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSD minusInfinity64<>(SB), Y0
	EXTREME8(4, 8, VMAXPD, VMAXSD, VMOVUPD, VMOVSD, LAST2(VMAXSD))

// func maxF64AVX512(x []float64) float64
// Requires: AVX-512.
//
//	SI     x, advanced by the loops
//	DX     the last vector of x
//	CX     rows left
//	Z0-Z3  accumulators
TEXT ·maxF64AVX512(SB), NOSPLIT, $0-32
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSD minusInfinity64<>(SB), Z0
	EXTREME4(8, 8, VMAXPD, VMAXSD, VMOVUPD, VMOVSD, LAST2(VMAXSD))

// func indexOfF32AVX2(x []float32, bits uint32) int
// Requires: AVX2.
//
//	SI  x, advanced by the loops
//	CX  rows left
//	AX  bits
//	Y0  bits in all elements
TEXT ·indexOfF32AVX2(SB), NOSPLIT, $0-40
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	MOVL         bits+24(FP), AX
	VMOVD        AX, X0
	VPBROADCASTD X0, Y0
	INDEXOF(32, 4, 2, VPCMPEQD, VMOVMSKPS, CMPL)

// func indexOfF64AVX2(x []float64, bits uint64) int
// Requires: AVX2.
//
//	SI  x, advanced by the loops
//	CX  rows left
//	AX  bits
//	Y0  bits in all elements
TEXT ·indexOfF64AVX2(SB), NOSPLIT, $0-40
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	MOVQ         bits+24(FP), AX
	VMOVQ        AX, X0
	VPBROADCASTQ X0, Y0
	INDEXOF(16, 8, 3, VPCMPEQQ, VMOVMSKPD, CMPQ)

// func prefixSumF32AVX2(dst, x []float32, carry float32) float32
// Requires: AVX2.
//
//	DI dst   SI x   advanced by the loop
//	CX       rows left, a multiple of 16
//	Y8       carry in all elements
TEXT ·prefixSumF32AVX2(SB), NOSPLIT, $0-60
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSS carry+48(FP), Y8
	VXORPS       X15, X15, X15
	MOVL         $3, AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14
	MOVL         $7, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13

	TESTQ CX, CX
	JZ    done

loop16:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	PREFIX32
	VPERMPS Y1, Y13, Y2
	VADDPS  Y0, Y8, Y0  // carry + t
	VADDPS  Y1, Y8, Y1
	VADDPS  Y2, Y8, Y8  // carry + t[15]
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     loop16

done:
	VMOVSS X8, ret+56(FP)
	VZEROUPPER
	RET

// func prefixSumF64AVX2(dst, x []float64, carry float64) float64
// Requires: AVX2.
//
//	DI dst   SI x   advanced by the loop
//	CX       rows left, a multiple of 16
//	Y8       carry in all elements
TEXT ·prefixSumF64AVX2(SB), NOSPLIT, $0-64
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD carry+48(FP), Y8
	VXORPS       X15, X15, X15

	TESTQ CX, CX
	JZ    done

loop16:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3
	PREFIX64
	VPERMPD $0xff, Y3, Y4
	VADDPD  Y0, Y8, Y0    // carry + t
	VADDPD  Y1, Y8, Y1
	VADDPD  Y2, Y8, Y2
	VADDPD  Y3, Y8, Y3
	VADDPD  Y4, Y8, Y8    // carry + t[15]
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $16, CX
	JNZ     loop16

done:
	VMOVSD X8, ret+56(FP)
	VZEROUPPER
	RET

// func prefixSumF32AVX512(dst, x []float32, carry float32) float32
// Requires: AVX-512.
//
//	DI dst   SI x   advanced by the loop
//	CX       rows left, a multiple of 16
//	Z8       carry in all elements
//	Z11-Z13  3 and 11 in their halves, 7, 15: elements to repeat
//	K1, K2   elements with d = 4 and 8
TEXT ·prefixSumF32AVX512(SB), NOSPLIT, $0-60
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSS carry+48(FP), Z8
	VPXORQ       Z15, Z15, Z15
	MOVL         $0xf0f0, AX
	KMOVW        AX, K1
	MOVL         $0xff00, AX
	KMOVW        AX, K2
	MOVL         $3, AX
	VPBROADCASTD AX, Z11
	MOVL         $11, AX
	VPBROADCASTD AX, K2, Z11
	MOVL         $7, AX
	VPBROADCASTD AX, Z12
	MOVL         $15, AX
	VPBROADCASTD AX, Z13

	TESTQ CX, CX
	JZ    done

loop16:
	VMOVUPS   (SI), Z0
	VPSLLQ    $32, Z0, Z1        // d = 1
	VADDPS    Z1, Z0, Z0
	VSHUFPS   $0x50, Z0, Z15, Z1 // d = 2
	VADDPS    Z1, Z0, Z0
	VPERMPS.Z Z0, Z11, K1, Z1    // d = 4
	VADDPS    Z1, Z0, Z0
	VPERMPS.Z Z0, Z12, K2, Z1    // d = 8
	VADDPS    Z1, Z0, Z0
	VPERMPS   Z0, Z13, Z1
	VADDPS    Z0, Z8, Z0         // carry + t
	VADDPS    Z1, Z8, Z8         // carry + t[15]
	VMOVUPS   Z0, (DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	SUBQ      $16, CX
	JNZ       loop16

done:
	VMOVSS X8, ret+56(FP)
	VZEROUPPER
	RET

// func prefixSumF64AVX512(dst, x []float64, carry float64) float64
// Requires: AVX-512.
//
//	DI dst   SI x   advanced by the loop
//	CX       rows left, a multiple of 16
//	Z8       carry in all elements
//	Z12, Z13 3 and 7: elements to repeat
//	K1, K2   elements with d = 2 and 4
TEXT ·prefixSumF64AVX512(SB), NOSPLIT, $0-64
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD carry+48(FP), Z8
	VPXORQ       Z15, Z15, Z15
	MOVL         $0xcc, AX
	KMOVW        AX, K1
	MOVL         $0xf0, AX
	KMOVW        AX, K2
	MOVQ         $3, AX
	VPBROADCASTQ AX, Z12
	MOVQ         $7, AX
	VPBROADCASTQ AX, Z13

	TESTQ CX, CX
	JZ    done

loop16:
	VMOVUPD   (SI), Z0
	VMOVUPD   64(SI), Z1
	VUNPCKLPD Z0, Z15, Z2       // d = 1
	VUNPCKLPD Z1, Z15, Z3
	VADDPD    Z2, Z0, Z0
	VADDPD    Z3, Z1, Z1
	VPERMPD.Z $0x50, Z0, K1, Z2 // d = 2
	VPERMPD.Z $0x50, Z1, K1, Z3
	VADDPD    Z2, Z0, Z0
	VADDPD    Z3, Z1, Z1
	VPERMPD.Z Z0, Z12, K2, Z2   // d = 4
	VPERMPD.Z Z1, Z12, K2, Z3
	VADDPD    Z2, Z0, Z0
	VADDPD    Z3, Z1, Z1
	VPERMPD   Z0, Z13, Z2       // d = 8
	VADDPD    Z2, Z1, Z1
	VPERMPD   Z1, Z13, Z2
	VADDPD    Z0, Z8, Z0        // carry + t
	VADDPD    Z1, Z8, Z1
	VADDPD    Z2, Z8, Z8        // carry + t[15]
	VMOVUPD   Z0, (DI)
	VMOVUPD   Z1, 64(DI)
	ADDQ      $128, SI
	ADDQ      $128, DI
	SUBQ      $16, CX
	JNZ       loop16

done:
	VMOVSD X8, ret+56(FP)
	VZEROUPPER
	RET
