//go:build !purego

#include "textflag.h"
#include "view_amd64.h"
#include "sincos_amd64.h"

// Kepler's equation, as kepler.go has it: one vector of rows at a time, every
// choice a blend. Whole groups with an anomaly beyond the ordinary or an
// eccentricity outside [0, 1) are left to the generic body.

// The constants of consts.go; a test compares them. third is 2^33/3 rounded up:
// a 32-bit number times it, shifted down by 33, is divided by three. thirdOf32 is
// 2^32/3 rounded down.
SPLAT64(invTwoPi32<>, $0x3e22f9833e22f983)
SPLAT64(twoPi32A<>, $0x40c9000040c90000)
SPLAT64(twoPi32B<>, $0x3afda0003afda000)
SPLAT64(twoPi32C<>, $0x34a2200034a22000)
SPLAT64(twoPi32D<>, $0x2d34611a2d34611a)
SPLAT64(kepler32Pi<>, $0x40490fdb40490fdb)
SPLAT64(kepler32AlphaA<>, $0x41ecded941ecded9)
SPLAT64(kepler32AlphaB<>, $0x40a0d97c40a0d97c)
SPLAT64(kepler32AlphaC<>, $0x4077a7994077a799)
SPLAT64(kepler32Near<>, $0x3fcccccd3fcccccd)
SPLAT64(kepler32Sixth<>, $0x3e2aaaab3e2aaaab)
SPLAT64(kepler32Series0<>, $0x3c14f2093c14f209)
SPLAT64(kepler32Series1<>, $0x3c638e393c638e39)
SPLAT64(kepler32Series2<>, $0x3cc30c313cc30c31)
SPLAT64(kepler32Series3<>, $0x3d4ccccd3d4ccccd)
SPLAT64(kepler32Three<>, $0x4040000040400000)
SPLAT64(kepler32BelowOne<>, $0x3f7fffff3f7fffff)
SPLAT64(kepler32Normal<>, $0x0080000000800000)
SPLAT64(kepler32Up<>, $0x5f8000005f800000)
SPLAT64(kepler32Down<>, $0x1f8000001f800000)
SPLAT64(cubeRoot32<>, $0x2a5137a02a5137a0)
SPLAT64(invTwoPi64<>, $0x3fc45f306dc9c883)
SPLAT64(twoPi64A<>, $0x401921fb54440000)
SPLAT64(twoPi64B<>, $0x3da68c234c4c0000)
SPLAT64(twoPi64C<>, $0x3b498a2e03707345)
SPLAT64(kepler64Pi<>, $0x400921fb54442d18)
SPLAT64(kepler64AlphaA<>, $0x403d9bdb2e9d68ce)
SPLAT64(kepler64AlphaB<>, $0x40141b2f769cf0e0)
SPLAT64(kepler64AlphaC<>, $0x400ef4f326f91779)
SPLAT64(kepler64Near<>, $0x3ff999999999999a)
SPLAT64(kepler64Sixth<>, $0x3fc5555555555555)
SPLAT64(kepler64Series0<>, $0x3f67f405fd017f40)
SPLAT64(kepler64Series1<>, $0x3f6e1e1e1e1e1e1e)
SPLAT64(kepler64Series2<>, $0x3f73813813813814)
SPLAT64(kepler64Series3<>, $0x3f7a41a41a41a41a)
SPLAT64(kepler64Series4<>, $0x3f829e4129e4129e)
SPLAT64(kepler64Series5<>, $0x3f8c71c71c71c71c)
SPLAT64(kepler64Series6<>, $0x3f98618618618618)
SPLAT64(kepler64Series7<>, $0x3fa999999999999a)
SPLAT64(kepler64Three<>, $0x4008000000000000)
SPLAT64(kepler64BelowOne<>, $0x3fefffffffffffff)
SPLAT64(kepler64Normal<>, $0x0010000000000000)
SPLAT64(kepler64Up<>, $0x4c70000000000000)
SPLAT64(kepler64Down<>, $0x3370000000000000)
SPLAT64(cubeRoot64<>, $0x2a9f7893782da1ce)
SPLAT64(third<>, $0x00000000aaaaaaab)
SPLAT64(thirdOf32<>, $0x0000000055555555)
SPLAT64(low32<>, $0x00000000ffffffff)

// REDUCE32 takes the whole turns from V4. It spoils V5 and V6.
#define REDUCE32 \
	MUL invTwoPi32<>(SB), V4, V5; ADD roundInt32<>(SB), V5, V5; SUB roundInt32<>(SB), V5, V5 \
	MUL twoPi32A<>(SB), V5, V6; SUB V6, V4, V4                                               \
	MUL twoPi32B<>(SB), V5, V6; SUB V6, V4, V4                                               \
	MUL twoPi32C<>(SB), V5, V6; SUB V6, V4, V4                                               \
	MUL twoPi32D<>(SB), V5, V6; SUB V6, V4, V4

// REDUCE64 does the same; it spoils V5 to V8.
#define REDUCE64 \
	MUL invTwoPi64<>(SB), V4, V5; ADD roundInt64<>(SB), V5, V5; SUB roundInt64<>(SB), V5, V5 \
	MUL twoPi64A<>(SB), V5, V6; SUB V6, V4, V6                                               \
	MUL twoPi64B<>(SB), V5, V7; SUB V7, V6, V8                                               \
	SUB V8, V6, V6; SUB V7, V6, V6                                                           \
	MUL twoPi64C<>(SB), V5, V5; SUB V6, V5, V5                                               \
	SUB V5, V8, V4

// GUESS32 sets V10 to the bits of V8 divided by three, plus cubeRoot32. It
// divides the even and the odd rows one after the other and spoils V9.
#define GUESS32 \
	VPMULUDQ third<>(SB), V8, V10; VPSRLQ $33, V10, V10       \
	VPSRLQ   $32, V8, V9; VPMULUDQ third<>(SB), V9, V9        \
	VPSRLQ   $33, V9, V9; VPSLLQ $32, V9, V9; OR V9, V10, V10 \
	IADD     cubeRoot32<>(SB), V10, V10

// GUESS64 does the same for float64: of the upper half of the bits, divided by
// three, 2^32 times the remainder goes to the lower half. It spoils V9, V11 and V12.
#define GUESS64 \
	VPSRLQ   $32, V8, V9; VPMULUDQ third<>(SB), V9, V10; VPSRLQ $33, V10, V10 \
	ISUB     V10, V9, V9; ISUB V10, V9, V9; ISUB V10, V9, V9                  \
	VPMULUDQ third<>(SB), V8, V11; VPSRLQ $33, V11, V11                       \
	AND      low32<>(SB), V8, V12                                             \
	ISUB     V11, V12, V12; ISUB V11, V12, V12; ISUB V11, V12, V12            \
	IADD     V9, V12, V12; IADD int64One<>(SB), V12, V12; VPSRLQ $2, V12, V12 \
	VPMULUDQ thirdOf32<>(SB), V9, V9                                          \
	VPSLLQ   $32, V10, V10; IADD V11, V10, V10; IADD V12, V10, V10            \
	IADD     V9, V10, V10; IADD cubeRoot64<>(SB), V10, V10

// HALLEY betters V10, the cube root of V8. It spoils V9 and V11 to V13.
#define HALLEY \
	MUL V10, V10, V9; MUL V10, V9, V9    \
	ADD V8, V8, V11; ADD V11, V9, V12    \
	ADD V9, V9, V13; ADD V8, V13, V13    \
	DIV V13, V12, V12; MUL V12, V10, V10

// TERM adds a term to the series in V5; z is V4. It spoils V6.
#define TERM(c) MUL c, V4, V6; MUL V5, V6, V6; SUB V6, V14, V5

// STEP betters V0, the eccentric anomaly. It spoils V4 to V13.
#define STEP \
	MOV V0, V4; SINCOS                                                               \
	/* p = E - sin E */                                                              \
	MUL V0, V0, V4; MUL SERIES0, V4, V5; SUB V5, V14, V5; TERMS                      \
	MUL V0, V4, V4; MUL SIXTH, V4, V4; MUL V5, V4, V4                                \
	SUB V8, V0, V5; IFLESS(V0, NEAR); CHOOSE(V4, V5, V4)                             \
	/* v = 1 - cos E */                                                              \
	MUL V8, V8, V5; ADD V14, V9, V6; DIV V6, V5, V5; SUB V9, V14, V6                 \
	XOR V13, V13, V13; IFGREATER(V9, V13); CHOOSE(V5, V6, V5)                        \
	/* f = (g*E - m) + e*p, f1 = g + e*v */                                          \
	MUL V0, V3, V6; SUB V1, V6, V6; MUL V2, V4, V4; ADD V4, V6, V6                   \
	MUL V2, V5, V5; ADD V5, V3, V5                                                   \
	/* E -= f / (f1 - (step/2)*(e*s)), step = f / f1 */                              \
	DIV V5, V6, V7; MUL HALF, V7, V7; MUL V2, V8, V8; MUL V8, V7, V7; SUB V7, V5, V5 \
	DIV V5, V6, V6; SUB V6, V0, V0

// KEPLER_ROWS keeps m, e and g = 1-e in V1, V2 and V3; what E is multiplied by at
// the end, with the sign of m, waits in E.
#define KEPLER_ROWS(LOAD, STORE) \
	LOAD(AT(SI), V4); LOAD(AT(DI), V2)                                                    \
	AND    MAGNITUDE, V4, V5; IFATMOST(V5, ORDINARY)                                      \
	XOR    V13, V13, V13; ANDATMOST(V13, V2); ANDATMOST(V2, BELOWONE); UNLESSALL          \
	REDUCE                                                                                \
	AND    MAGNITUDE, V4, V1; SUB V2, V14, V3                                             \
	AND    SIGNBIT, V4, V6                                                                \
	/* V4 = alpha, then r; V5 = d, V7 = q, V6 = q*q */                                    \
	MOV    PI, V4; SUB V1, V4, V4; MUL ALPHAB, V4, V4                                     \
	/* to alpha it is all the same whether what is so small is lifted first */            \
	IFLESS(V1, NORMAL); CHOOSE(DOWN, V14, V5); CHOOSE(UP, V14, V7); MUL V7, V1, V1        \
	OR     V6, V5, V5; STORE(V5, AT(AX))                                                  \
	ADD    V14, V2, V5; DIV V5, V4, V4; ADD ALPHAA, V4, V4; DIV ALPHAC, V4, V4            \
	MUL    THREE, V3, V5; MUL V2, V4, V6; ADD V6, V5, V5                                  \
	MUL    V5, V4, V4; MUL V1, V1, V6                                                     \
	ADD    V4, V4, V7; MUL V3, V7, V7; SUB V6, V7, V7                                     \
	MUL    THREE, V4, V4; SUB V3, V5, V8; MUL V8, V4, V4; MUL V1, V4, V4                  \
	MUL    V1, V6, V6; ADD V6, V4, V4                                                     \
	MUL    V7, V7, V6; MUL V7, V6, V8; MUL V4, V4, V9; ADD V9, V8, V8                     \
	SQRT   V8, V8; ADD V4, V8, V8                                                         \
	GUESS; HALLEY; HALLEY                                                                 \
	/* E = (2*r*w / (w*w + w*q + q*q) + m) / d */                                         \
	MUL    V10, V10, V8; MUL V8, V8, V9; MUL V7, V8, V10; ADD V10, V9, V9; ADD V6, V9, V9 \
	ADD    V4, V4, V4; MUL V8, V4, V4; DIV V9, V4, V4; ADD V1, V4, V4; DIV V5, V4, V0     \
	STEP;  STEP                                                                           \
	LOAD(AT(AX), V4); MUL V4, V0, V0; STORE(V0, AT(AX))

// The words of KEPLER_ROWS for float32.
#define REDUCE REDUCE32
#define GUESS GUESS32
#define BELOWONE kepler32BelowOne<>(SB)
#define NORMAL kepler32Normal<>(SB)
#define UP kepler32Up<>(SB)
#define DOWN kepler32Down<>(SB)
#define THREE kepler32Three<>(SB)
#define PI kepler32Pi<>(SB)
#define ALPHAA kepler32AlphaA<>(SB)
#define ALPHAB kepler32AlphaB<>(SB)
#define ALPHAC kepler32AlphaC<>(SB)
#define NEAR kepler32Near<>(SB)
#define SIXTH kepler32Sixth<>(SB)
#define SERIES0 kepler32Series0<>(SB)
#define TERMS TERM(kepler32Series1<>(SB)); TERM(kepler32Series2<>(SB)); TERM(kepler32Series3<>(SB))

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func keplerF32AVX2(E, M, e []float32) int
// Requires: AVX2. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  E, M, e
//	V14         1
TEXT ·keplerF32AVX2(SB), NOSPLIT, $0-80
	MOVQ E_base+0(FP), AX
	MOVQ M_base+24(FP), SI
	MOVQ e_base+48(FP), DI
	RUNSLICES(KEPLER_ROWS)

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

// func keplerF32AVX512(E, M, e []float32) int
// Requires: AVX-512. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  E, M, e
//	V14         1
TEXT ·keplerF32AVX512(SB), NOSPLIT, $0-80
	MOVQ E_base+0(FP), AX
	MOVQ M_base+24(FP), SI
	MOVQ e_base+48(FP), DI
	RUNSLICES(KEPLER_ROWS)

#undef REDUCE
#undef GUESS
#undef BELOWONE
#undef NORMAL
#undef UP
#undef DOWN
#undef THREE
#undef PI
#undef ALPHAA
#undef ALPHAB
#undef ALPHAC
#undef NEAR
#undef SIXTH
#undef SERIES0
#undef TERMS

// The words of KEPLER_ROWS for float64.
#define REDUCE REDUCE64
#define GUESS GUESS64
#define BELOWONE kepler64BelowOne<>(SB)
#define NORMAL kepler64Normal<>(SB)
#define UP kepler64Up<>(SB)
#define DOWN kepler64Down<>(SB)
#define THREE kepler64Three<>(SB)
#define PI kepler64Pi<>(SB)
#define ALPHAA kepler64AlphaA<>(SB)
#define ALPHAB kepler64AlphaB<>(SB)
#define ALPHAC kepler64AlphaC<>(SB)
#define NEAR kepler64Near<>(SB)
#define SIXTH kepler64Sixth<>(SB)
#define SERIES0 kepler64Series0<>(SB)
#define TERMS TERM(kepler64Series1<>(SB)); TERM(kepler64Series2<>(SB)); TERM(kepler64Series3<>(SB)); TERM(kepler64Series4<>(SB)); TERM(kepler64Series5<>(SB)); TERM(kepler64Series6<>(SB)); TERM(kepler64Series7<>(SB))

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

// func keplerF64AVX2(E, M, e []float64) int
// Requires: AVX2. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  E, M, e
//	V14         1
TEXT ·keplerF64AVX2(SB), NOSPLIT, $0-80
	MOVQ E_base+0(FP), AX
	MOVQ M_base+24(FP), SI
	MOVQ e_base+48(FP), DI
	RUNSLICES(KEPLER_ROWS)

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

// func keplerF64AVX512(E, M, e []float64) int
// Requires: AVX-512. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  E, M, e
//	V14         1
TEXT ·keplerF64AVX512(SB), NOSPLIT, $0-80
	MOVQ E_base+0(FP), AX
	MOVQ M_base+24(FP), SI
	MOVQ e_base+48(FP), DI
	RUNSLICES(KEPLER_ROWS)
