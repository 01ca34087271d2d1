//go:build !purego

#include "textflag.h"
#include "view_amd64.h"
#include "sincos_amd64.h"

// Turns made, blended and compared: the AVX2 and AVX-512 paths. Operands stand
// in the assembler's order, sources first: SUB a, b, c is c = b - a. As in
// vector_amd64.s the macros hold the arithmetic, in the order of the generic
// bodies, and every kernel stands four times.

// The constants of arc.go and turn.go.
SPLAT64(arc32A<>, $0x3d2cae2c3d2cae2c)
SPLAT64(arc32B<>, $0x3cc61f2a3cc61f2a)
SPLAT64(arc32C<>, $0x3d3a3ddc3d3a3ddc)
SPLAT64(arc32D<>, $0x3d9981023d998102)
SPLAT64(arc32E<>, $0x3e2aaae43e2aaae4)
SPLAT64(halfPi32<>, $0x3fc90fdb3fc90fdb)
SPLAT64(arc64A<>, $0x3fa0570df792855c)
SPLAT64(arc64B<>, $0xbf909dccda3b8c23)
SPLAT64(arc64C<>, $0x3f93ffa876d8e42b)
SPLAT64(arc64D<>, $0x3f7abc7394bbc58c)
SPLAT64(arc64E<>, $0x3f88ec3dfa22b9bc)
SPLAT64(arc64F<>, $0x3f8c6fda16a1ae65)
SPLAT64(arc64G<>, $0x3f91c6be326aec70)
SPLAT64(arc64H<>, $0x3f96e89f4293dd18)
SPLAT64(arc64I<>, $0x3f9f1c72c39cceaf)
SPLAT64(arc64J<>, $0x3fa6db6db427850f)
SPLAT64(arc64K<>, $0x3fb333333336e82d)
SPLAT64(arc64L<>, $0x3fc5555555555390)
SPLAT64(halfPi64<>, $0x3ff921fb54442d18)

// SERIES32 and SERIES64 set V6 to the polynomial of arc.go in V4.
#define SERIES32 \
	MOV arc32A<>(SB), V6                     \
	MUL V4, V6, V6; ADD arc32B<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc32C<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc32D<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc32E<>(SB), V6, V6

#define SERIES64 \
	MOV arc64A<>(SB), V6                     \
	MUL V4, V6, V6; ADD arc64B<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64C<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64D<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64E<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64F<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64G<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64H<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64I<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64J<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64K<>(SB), V6, V6 \
	MUL V4, V6, V6; ADD arc64L<>(SB), V6, V6

// The operands: q at AX, BX, CX, DX, the first one at SI, DI, R8, R9 and in V0 to
// V3, the second one at R10 to R13 and in V4 to V7.

// BLEND stores one lane of V9*a + V8*b.
#define BLEND(LOAD, STORE, q, a, b) \
	LOAD(AT(a), V4); MUL V9, V4, V4  \
	LOAD(AT(b), V5); MUL V8, V5, V5  \
	ADD V5, V4, V4; STORE(V4, AT(q))

// SLERP runs in two loops over blocks of 256 bytes of a lane. In one loop the chain
// of operations from the dot product to the sum of two quaternions is so long that
// the CPU, which looks a few hundred instructions ahead, mostly waits for its end.
// Between the loops t*θ and d wait on the stack, where AX says; the address of q.X
// waits there too. If t, compared as an integer, is from +0 to 1, then t*θ is at most
// a quarter turn.
#define SLERP(MOVT, CMPT) \
	ROWS                                               \
	TAKEV4                                             \
	TAKEX4                                             \
	TAKEY4                                             \
	MOVQ  AX, 512(SP)                                  \
	NEGQ  R14                                          \
	JZ    tail                                         \
	MOVT  t+24(FP), AX                                 \
	CMPT  AX, ONE                                      \
	JHI   beyond                                       \
	SLERP_LOOPS(QUARTER, loop, angles, mixes, mix)     \
	SLERP_LOOPS(SINCOS, beyond, angles1, mixes1, mix1) \
	tail:                                              \
	COUNTVIEW(R14)                                     \
	ANDQ  REST, R14                                    \
	JZ    done                                         \
	MASK(R14)                                          \
	XORL  R14, R14                                     \
	SLERP_ANGLE(LDM)                                   \
	SLERP_MIX(LDM, STM, SINCOS)                        \
	done:                                              \
	RETURN

// SLERP_LOOPS goes on at tail, with the sines and cosines that SINCOS makes.
#define SLERP_LOOPS(SINCOS, loop, angles, mixes, mix) \
loop:  \
	MOVQ    R14, 520(SP)      \
	angles:                   \
	SLERP_ANGLE(LD)           \
	ADDQ    WIDTH, R14        \
	JZ      mixes             \
	TESTQ   $255, R14         \
	JNZ     angles            \
	mixes:                    \
	MOVQ    520(SP), R14      \
	mix:                      \
	SLERP_MIX(LD, ST, SINCOS) \
	ADDQ    WIDTH, R14        \
	JZ      tail              \
	TESTQ   $255, R14         \
	JNZ     mix               \
	JMP     loop

// Of c² and (1-c)/2, and of c and the root of the second, the smaller one is that of
// arc.go: they meet at c = ½.
#define SLERP_ANGLE(LOAD) \
	LOADX3(LOAD); LOADY3(LOAD); DOT3                                    \
	LOAD(AT(R9), V0); LOAD(AT(R13), V1); MUL V1, V0, V0; ADD V0, V8, V8 \
	MOVQ R14, AX; ANDQ $255, AX; ST(V8, 256(SP)(AX*1)) /* d */          \
	AND  MAGNITUDE, V8, V0; MIN(V14, V0, V0) /* c */                    \
	/* θ = acos c */                                                    \
	SUB  V0, V14, V4; MUL HALF, V4, V4; SQRT V4, V5; MUL V0, V0, V6     \
	MIN(V4, V6, V4); MIN(V5, V0, V5)                                    \
	SERIES                                                              \
	MUL  V4, V5, V7; MUL V7, V6, V6; ADD V5, V6, V6 /* asin */          \
	IFGREATER(V0, HALF)                                                 \
	ADD  V6, V6, V7; MOV HALFPI, V5; SUB V6, V5, V5; CHOOSE(V7, V5, V4) \
	MUL  V3, V4, V4; ST(V4, (SP)(AX*1))

#define SLERP_MIX(LOAD, STORE, SINCOS) \
	MOVQ R14, AX; ANDQ $255, AX; LD((SP)(AX*1), V4)                        \
	SINCOS                                                                 \
	LD(256(SP)(AX*1), V13); MOVQ 512(SP), AX                               \
	AND  MAGNITUDE, V13, V0; MIN(V14, V0, V0) /* c */                      \
	SUB  V0, V14, V1; ADD V0, V14, V2; MUL V1, V2, V2; SQRT V2, V2 /* r */ \
	XOR  V10, V10, V10                                                     \
	IFGREATER(V2, V10)                                                     \
	DIV  V2, V8, V8; CHOOSE(V8, V3, V8) /* v */                            \
	MUL  V0, V8, V11; SUB V11, V9, V9 /* u */                              \
	IFLESS(V13, V10); FLIP(V8)                                             \
	BLEND(LOAD, STORE, AX, SI, R10); BLEND(LOAD, STORE, BX, DI, R11)       \
	BLEND(LOAD, STORE, CX, R8, R12); BLEND(LOAD, STORE, DX, R9, R13)

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func quatSlerpF32AVX2(q, a, b *Quats[float32], t float32)
// Requires: AVX2.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
//	V3                  t, whose angles are ordinary
//	V14                 1
TEXT ·quatSlerpF32AVX2(SB), NOSPLIT, $528-28
	MOVQ  q+0(FP), AX
	MOVQ  a+8(FP), SI
	MOVQ  b+16(FP), R10
	SPLAT t+24(FP), V3
	SPLAT ONE, V14
	SLERP(MOVL, CMPL)

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

// func quatSlerpF64AVX2(q, a, b *Quats[float64], t float64)
// Requires: AVX2.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
//	V3                  t, whose angles are ordinary
//	V14                 1
TEXT ·quatSlerpF64AVX2(SB), NOSPLIT, $528-32
	MOVQ  q+0(FP), AX
	MOVQ  a+8(FP), SI
	MOVQ  b+16(FP), R10
	SPLAT t+24(FP), V3
	SPLAT ONE, V14
	SLERP(MOVQ, CMPQ)

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

// func quatSlerpF32AVX512(q, a, b *Quats[float32], t float32)
// Requires: AVX-512.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
//	V3                  t, whose angles are ordinary
//	V14                 1
TEXT ·quatSlerpF32AVX512(SB), NOSPLIT, $528-28
	MOVQ  q+0(FP), AX
	MOVQ  a+8(FP), SI
	MOVQ  b+16(FP), R10
	SPLAT t+24(FP), V3
	SPLAT ONE, V14
	SLERP(MOVL, CMPL)

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

// func quatSlerpF64AVX512(q, a, b *Quats[float64], t float64)
// Requires: AVX-512.
//
//	AX, BX, CX, DX      q.X, q.Y, q.Z, q.W
//	SI, DI, R8, R9      a
//	R10, R11, R12, R13  b
//	V3                  t, whose angles are ordinary
//	V14                 1
TEXT ·quatSlerpF64AVX512(SB), NOSPLIT, $528-32
	MOVQ  q+0(FP), AX
	MOVQ  a+8(FP), SI
	MOVQ  b+16(FP), R10
	SPLAT t+24(FP), V3
	SPLAT ONE, V14
	SLERP(MOVQ, CMPQ)
