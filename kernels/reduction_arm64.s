//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "reduction_arm64.h"

// Reductions and PrefixSum, NEON.
//
// The accumulators of a sum, 64 float32 or 32 float64, fill V0 to V15. Where t is
// not nil they come from there and go back; the result is what they fold to in any
// case. x has whole blocks; where last is not nil it is one more, with zeros
// behind the rows left over: to add +0 changes no accumulator, because they begin
// with +0 and so are never -0.

// SUM16 adds a block of x, DOT16 the products of one of x and one of y.
#define SUM16(ADD) \
	FLDPQ   32(R1), (F18, F19);  \
	FLDPQ   64(R1), (F20, F21);  \
	FLDPQ   96(R1), (F22, F23);  \
	FLDPQ   128(R1), (F24, F25); \
	FLDPQ   160(R1), (F26, F27); \
	FLDPQ   192(R1), (F28, F29); \
	FLDPQ   224(R1), (F30, F31); \
	FLDPQ.P 256(R1), (F16, F17); \
	ADD(16, 0, 0);               \
	ADD(17, 1, 1);               \
	ADD(18, 2, 2);               \
	ADD(19, 3, 3);               \
	ADD(20, 4, 4);               \
	ADD(21, 5, 5);               \
	ADD(22, 6, 6);               \
	ADD(23, 7, 7);               \
	ADD(24, 8, 8);               \
	ADD(25, 9, 9);               \
	ADD(26, 10, 10);             \
	ADD(27, 11, 11);             \
	ADD(28, 12, 12);             \
	ADD(29, 13, 13);             \
	ADD(30, 14, 14);             \
	ADD(31, 15, 15)

#define DOT16(MUL, ADD) \
	DOT8(MUL, ADD, 0, 1, 2, 3, 4, 5, 6, 7);      \
	DOT8(MUL, ADD, 8, 9, 10, 11, 12, 13, 14, 15)

// DOT8 adds half of a block to these accumulators.
#define DOT8(MUL, ADD, t0, t1, t2, t3, t4, t5, t6, t7) \
	FLDPQ   32(R1), (F18, F19);  \
	FLDPQ   32(R2), (F26, F27);  \
	FLDPQ   64(R1), (F20, F21);  \
	FLDPQ   64(R2), (F28, F29);  \
	FLDPQ   96(R1), (F22, F23);  \
	FLDPQ   96(R2), (F30, F31);  \
	FLDPQ.P 128(R1), (F16, F17); \
	FLDPQ.P 128(R2), (F24, F25); \
	MUL(24, 16, 16);             \
	MUL(25, 17, 17);             \
	MUL(26, 18, 18);             \
	MUL(27, 19, 19);             \
	MUL(28, 20, 20);             \
	MUL(29, 21, 21);             \
	MUL(30, 22, 22);             \
	MUL(31, 23, 23);             \
	ADD(16, t0, t0);             \
	ADD(17, t1, t1);             \
	ADD(18, t2, t2);             \
	ADD(19, t3, t3);             \
	ADD(20, t4, t4);             \
	ADD(21, t5, t5);             \
	ADD(22, t6, t6);             \
	ADD(23, t7, t7)

// EXTREME is all of Min and Max but the way in. V0 is full of the infinity that they
// begin with, LAST makes one number of V0.
#define EXTREME(rows, shift, size, BETTER, FMOV, FMOV1, LAST) \
	CMP      $rows, R3;          \
	BLT      few;                \
	ADD      R3<<shift, R1, R2;  \
	SUB      $16, R2;            \
	VMOV     V0.B16, V1.B16;     \
	VMOV     V0.B16, V2.B16;     \
	VMOV     V0.B16, V3.B16;     \
	VMOV     V0.B16, V4.B16;     \
	VMOV     V0.B16, V5.B16;     \
	VMOV     V0.B16, V6.B16;     \
	VMOV     V0.B16, V7.B16;     \
	SUBS     $(8*rows), R3;      \
	BLT      tail;               \
	blocks:                      \
	FLDPQ.P  32(R1), (F16, F17); \
	FLDPQ.P  32(R1), (F18, F19); \
	FLDPQ.P  32(R1), (F20, F21); \
	FLDPQ.P  32(R1), (F22, F23); \
	BEST8(BETTER);               \
	SUBS     $(8*rows), R3;      \
	BGE      blocks;             \
	tail:                        \
	ADDS     $(7*rows), R3;      \
	BLT      last;               \
	vectors:                     \
	FMOVQ.P  16(R1), F16;        \
	BEST1(BETTER);               \
	SUBS     $rows, R3;          \
	BGE      vectors;            \
	last:                        \
	FMOVQ    (R2), F16;          \
	BEST1(BETTER);               \
	FOLD8TO1(BETTER);            \
	LAST(BETTER);                \
	FMOV     F0, ret+24(FP);     \
	RET;                         \
	few:                         \
	CBZ      R3, done;           \
	loop1:                       \
	FMOV1    size(R1), F16;      \
	BEST1(BETTER);               \
	SUBS     $1, R3;             \
	BNE      loop1;              \
	done:                        \
	FMOV     F0, ret+24(FP);     \
	RET

// func sumF32NEON(t *partials[float32], x []float32, last *partials[float32]) float32
//
//	R0       t
//	R1 x   advanced by the loop
//	R3       last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x
TEXT ·sumF32NEON(SB), NOSPLIT, $0-44
	MOVD t+0(FP), R0
	MOVD x_base+8(FP), R1
	MOVD x_len+16(FP), R5
	MOVD last+32(FP), R3
	CBNZ R0, resume
	ZERO16
	CBZ  R5, tail

loop64:
	SUM16(VFADD4S)
	SUBS $64, R5
	BNE  loop64

tail:
	CBZ  R3, fold
	MOVD R3, R1
	MOVD ZR, R3
	MOVD $64, R5
	B    loop64

fold:
	CBNZ R0, save

result:
	FOLD16(VFADD4S)
	VEXT  $8, V0.B16, V0.B16, V1.B16
	VFADD4S(1, 0, 0)
	VEXT  $4, V0.B16, V0.B16, V1.B16
	VFADD4S(1, 0, 0)
	FMOVS F0, ret+40(FP)
	RET

resume:
	LOAD16
	CBNZ R5, loop64
	B    tail

save:
	STORE16
	B result

// func sumF64NEON(t *partials[float64], x []float64, last *partials[float64]) float64
//
//	R0       t
//	R1 x   advanced by the loop
//	R3       last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x
TEXT ·sumF64NEON(SB), NOSPLIT, $0-48
	MOVD t+0(FP), R0
	MOVD x_base+8(FP), R1
	MOVD x_len+16(FP), R5
	MOVD last+32(FP), R3
	CBNZ R0, resume
	ZERO16
	CBZ  R5, tail

loop32:
	SUM16(VFADD2D)
	SUBS $32, R5
	BNE  loop32

tail:
	CBZ  R3, fold
	MOVD R3, R1
	MOVD ZR, R3
	MOVD $32, R5
	B    loop32

fold:
	CBNZ R0, save

result:
	FOLD16(VFADD2D)
	VEXT  $8, V0.B16, V0.B16, V1.B16
	VFADD2D(1, 0, 0)
	FMOVD F0, ret+40(FP)
	RET

resume:
	LOAD16
	CBNZ R5, loop32
	B    tail

save:
	STORE16
	B result

// func dotLanesF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32
//
//	R0       t
//	R1 x   R2 y   advanced by the loop
//	R3, R4   last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x, y
TEXT ·dotLanesF32NEON(SB), NOSPLIT, $0-76
	MOVD t+0(FP), R0
	MOVD x_base+8(FP), R1
	MOVD x_len+16(FP), R5
	MOVD y_base+32(FP), R2
	MOVD lastX+56(FP), R3
	MOVD lastY+64(FP), R4
	CBNZ R0, resume
	ZERO16
	CBZ  R5, tail

loop64:
	DOT16(VFMUL4S, VFADD4S)
	SUBS $64, R5
	BNE  loop64

tail:
	CBZ  R3, fold
	MOVD R3, R1
	MOVD R4, R2
	MOVD ZR, R3
	MOVD $64, R5
	B    loop64

fold:
	CBNZ R0, save

result:
	FOLD16(VFADD4S)
	VEXT  $8, V0.B16, V0.B16, V1.B16
	VFADD4S(1, 0, 0)
	VEXT  $4, V0.B16, V0.B16, V1.B16
	VFADD4S(1, 0, 0)
	FMOVS F0, ret+72(FP)
	RET

resume:
	LOAD16
	CBNZ R5, loop64
	B    tail

save:
	STORE16
	B result

// func dotLanesF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64
//
//	R0       t
//	R1 x   R2 y   advanced by the loop
//	R3, R4   last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x, y
TEXT ·dotLanesF64NEON(SB), NOSPLIT, $0-80
	MOVD t+0(FP), R0
	MOVD x_base+8(FP), R1
	MOVD x_len+16(FP), R5
	MOVD y_base+32(FP), R2
	MOVD lastX+56(FP), R3
	MOVD lastY+64(FP), R4
	CBNZ R0, resume
	ZERO16
	CBZ  R5, tail

loop32:
	DOT16(VFMUL2D, VFADD2D)
	SUBS $32, R5
	BNE  loop32

tail:
	CBZ  R3, fold
	MOVD R3, R1
	MOVD R4, R2
	MOVD ZR, R3
	MOVD $32, R5
	B    loop32

fold:
	CBNZ R0, save

result:
	FOLD16(VFADD2D)
	VEXT  $8, V0.B16, V0.B16, V1.B16
	VFADD2D(1, 0, 0)
	FMOVD F0, ret+72(FP)
	RET

resume:
	LOAD16
	CBNZ R5, loop32
	B    tail

save:
	STORE16
	B result

	// Min and Max as a < b ? a : b knows them: the operand that is not NaN, and either
	// of two zeros. They begin with an infinity. The rows after the last vector are
	// those of the last vector of all of x, since nothing happens to a minimum when a
	// row counts twice.

	// LESS and MORE set m where x is better than the best so far.
#define LESS4S(x, best, m) VFCMGT4S(x, best, m)
#define MORE4S(x, best, m) VFCMGT4S(best, x, m)
#define LESS2D(x, best, m) VFCMGT2D(x, best, m)
#define MORE2D(x, best, m) VFCMGT2D(best, x, m)

// BEST8 compares V16 to V23 with the accumulators V0 to V7, BEST1 V16 with V0: where x
// is NaN, the accumulator stays. FOLD8TO1 folds V0 to V7 to V0, LAST4 and LAST2 the
// elements of V0. They spoil V24 to V31, LAST4 and LAST2 V16.
#define BEST8(BETTER) \
	BETTER(16, 0, 24);             \
	BETTER(17, 1, 25);             \
	BETTER(18, 2, 26);             \
	BETTER(19, 3, 27);             \
	BETTER(20, 4, 28);             \
	BETTER(21, 5, 29);             \
	BETTER(22, 6, 30);             \
	BETTER(23, 7, 31);             \
	VBIT V24.B16, V16.B16, V0.B16; \
	VBIT V25.B16, V17.B16, V1.B16; \
	VBIT V26.B16, V18.B16, V2.B16; \
	VBIT V27.B16, V19.B16, V3.B16; \
	VBIT V28.B16, V20.B16, V4.B16; \
	VBIT V29.B16, V21.B16, V5.B16; \
	VBIT V30.B16, V22.B16, V6.B16; \
	VBIT V31.B16, V23.B16, V7.B16

#define BEST1(BETTER) \
	BETTER(16, 0, 24);            \
	VBIT V24.B16, V16.B16, V0.B16

#define FOLD8TO1(BETTER) \
	BETTER(4, 0, 24);             \
	BETTER(5, 1, 25);             \
	BETTER(6, 2, 26);             \
	BETTER(7, 3, 27);             \
	VBIT V24.B16, V4.B16, V0.B16; \
	VBIT V25.B16, V5.B16, V1.B16; \
	VBIT V26.B16, V6.B16, V2.B16; \
	VBIT V27.B16, V7.B16, V3.B16; \
	BETTER(2, 0, 24);             \
	BETTER(3, 1, 25);             \
	VBIT V24.B16, V2.B16, V0.B16; \
	VBIT V25.B16, V3.B16, V1.B16; \
	BETTER(1, 0, 24);             \
	VBIT V24.B16, V1.B16, V0.B16

#define LAST2(BETTER) \
	VEXT $8, V0.B16, V0.B16, V16.B16; \
	BEST1(BETTER)

#define LAST4(BETTER) \
	LAST2(BETTER);                    \
	VEXT $4, V0.B16, V0.B16, V16.B16; \
	BEST1(BETTER)

// func minF32NEON(x []float32) float32
//
//	R1       x, advanced by the loops
//	R2       the last vector of x
//	R3       rows left
//	V0-V7    accumulators
TEXT ·minF32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	MOVD $0x7f800000, R4  // infinity
	VDUP R4, V0.S4
	EXTREME(4, 2, 4, LESS4S, FMOVS, FMOVS.P, LAST4)

// func minF64NEON(x []float64) float64
//
//	R1       x, advanced by the loops
//	R2       the last vector of x
//	R3       rows left
//	V0-V7    accumulators
TEXT ·minF64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	MOVD $0x7ff0000000000000, R4 // infinity
	VDUP R4, V0.D2
	EXTREME(2, 3, 8, LESS2D, FMOVD, FMOVD.P, LAST2)

// func maxF32NEON(x []float32) float32
//
//	R1       x, advanced by the loops
//	R2       the last vector of x
//	R3       rows left
//	V0-V7    accumulators
TEXT ·maxF32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	MOVD $0xff800000, R4  // minus infinity
	VDUP R4, V0.S4
	EXTREME(4, 2, 4, MORE4S, FMOVS, FMOVS.P, LAST4)

// func maxF64NEON(x []float64) float64
//
//	R1       x, advanced by the loops
//	R2       the last vector of x
//	R3       rows left
//	V0-V7    accumulators
TEXT ·maxF64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	MOVD $0xfff0000000000000, R4 // minus infinity
	VDUP R4, V0.D2
	EXTREME(2, 3, 8, MORE2D, FMOVD, FMOVD.P, LAST2)

	// indexOf looks for bits, so that NaN and the two zeros are what they are.

// func indexOfF32NEON(x []float32, bits uint32) int
//
//	R1       x, advanced by the loops
//	R3       rows left
//	R4, V31  bits
TEXT ·indexOfF32NEON(SB), NOSPLIT, $0-40
	MOVD  x_base+0(FP), R1
	MOVD  x_len+8(FP), R3
	MOVWU bits+24(FP), R4
	VDUP  R4, V31.S4

	SUBS $16, R3
	BLT  tail

loop16:
	FLDPQ   32(R1), (F2, F3)
	FLDPQ.P 64(R1), (F0, F1)
	VCMEQ   V31.S4, V0.S4, V0.S4
	VCMEQ   V31.S4, V1.S4, V1.S4
	VCMEQ   V31.S4, V2.S4, V2.S4
	VCMEQ   V31.S4, V3.S4, V3.S4
	VORR    V0.B16, V1.B16, V0.B16
	VORR    V2.B16, V3.B16, V2.B16
	VORR    V0.B16, V2.B16, V0.B16
	VADDP   V0.D2, V0.D2, V0.D2    // zero if both halves are
	FMOVD   F0, R5
	CBNZ    R5, near
	SUBS    $16, R3
	BGE     loop16

tail:
	ADDS $16, R3
	BEQ  none

loop1:
	MOVWU.P 4(R1), R5
	CMPW    R4, R5
	BEQ     found
	SUBS    $1, R3
	BNE     loop1

none:
	MOVD $-1, R1
	MOVD R1, ret+32(FP)
	RET

near:  // in the last 16 rows
	SUB $64, R1

near1:
	MOVWU.P 4(R1), R5
	CMPW    R4, R5
	BNE     near1

found:
	MOVD x_base+0(FP), R2
	SUB  R2, R1
	SUB  $4, R1
	LSR  $2, R1
	MOVD R1, ret+32(FP)
	RET

// func indexOfF64NEON(x []float64, bits uint64) int
//
//	R1       x, advanced by the loops
//	R3       rows left
//	R4, V31  bits
TEXT ·indexOfF64NEON(SB), NOSPLIT, $0-40
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	MOVD bits+24(FP), R4
	VDUP R4, V31.D2

	SUBS $8, R3
	BLT  tail

loop8:
	FLDPQ   32(R1), (F2, F3)
	FLDPQ.P 64(R1), (F0, F1)
	VCMEQ   V31.D2, V0.D2, V0.D2
	VCMEQ   V31.D2, V1.D2, V1.D2
	VCMEQ   V31.D2, V2.D2, V2.D2
	VCMEQ   V31.D2, V3.D2, V3.D2
	VORR    V0.B16, V1.B16, V0.B16
	VORR    V2.B16, V3.B16, V2.B16
	VORR    V0.B16, V2.B16, V0.B16
	VADDP   V0.D2, V0.D2, V0.D2    // zero if both halves are
	FMOVD   F0, R5
	CBNZ    R5, near
	SUBS    $8, R3
	BGE     loop8

tail:
	ADDS $8, R3
	BEQ  none

loop1:
	MOVD.P 8(R1), R5
	CMP    R4, R5
	BEQ    found
	SUBS   $1, R3
	BNE    loop1

none:
	MOVD $-1, R1
	MOVD R1, ret+32(FP)
	RET

near:  // in the last 8 rows
	SUB $64, R1

near1:
	MOVD.P 8(R1), R5
	CMP    R4, R5
	BNE    near1

found:
	MOVD x_base+0(FP), R2
	SUB  R2, R1
	SUB  $8, R1
	LSR  $3, R1
	MOVD R1, ret+32(FP)
	RET

// PrefixSum takes blocks of sixteen rows. What a run of d rows adds to the next
// one is made by moving elements and leaving zeros in the others: to add +0 is to
// add nothing, but for -0, which the carry makes +0 in any case.

// func prefixSumF32NEON(dst, x []float32, carry float32) float32
//
//	R0 dst   R1 x   advanced by the loop
//	R2       rows left, a multiple of 16
//	V0-V3    t
//	V30      zeros
//	V31      carry in all elements
TEXT ·prefixSumF32NEON(SB), NOSPLIT, $0-60
	MOVD  dst_base+0(FP), R0
	MOVD  x_base+24(FP), R1
	MOVD  x_len+32(FP), R2
	FMOVS carry+48(FP), F31
	VDUP  V31.S[0], V31.S4
	VEOR  V30.B16, V30.B16, V30.B16
	CBZ   R2, done

loop16:
	FLDPQ   32(R1), (F2, F3)
	FLDPQ.P 64(R1), (F0, F1)
	VTRN1   V0.S4, V30.S4, V4.S4 // d = 1
	VTRN1   V1.S4, V30.S4, V5.S4
	VTRN1   V2.S4, V30.S4, V6.S4
	VTRN1   V3.S4, V30.S4, V7.S4
	VFADD4S(4, 0, 0)
	VFADD4S(5, 1, 1)
	VFADD4S(6, 2, 2)
	VFADD4S(7, 3, 3)
	VDUP    V0.S[1], V4.S4       // d = 2
	VDUP    V1.S[1], V5.S4
	VDUP    V2.S[1], V6.S4
	VDUP    V3.S[1], V7.S4
	VZIP1   V4.D2, V30.D2, V4.D2
	VZIP1   V5.D2, V30.D2, V5.D2
	VZIP1   V6.D2, V30.D2, V6.D2
	VZIP1   V7.D2, V30.D2, V7.D2
	VFADD4S(4, 0, 0)
	VFADD4S(5, 1, 1)
	VFADD4S(6, 2, 2)
	VFADD4S(7, 3, 3)
	VDUP    V0.S[3], V4.S4       // d = 4
	VDUP    V2.S[3], V6.S4
	VFADD4S(4, 1, 1)
	VFADD4S(6, 3, 3)
	VDUP    V1.S[3], V4.S4       // d = 8
	VFADD4S(4, 2, 2)
	VFADD4S(4, 3, 3)
	VDUP    V3.S[3], V4.S4
	VFADD4S(0, 31, 0)            // carry + t
	VFADD4S(1, 31, 1)
	VFADD4S(2, 31, 2)
	VFADD4S(3, 31, 3)
	VFADD4S(4, 31, 31)           // carry + t[15]
	FSTPQ   (F2, F3), 32(R0)
	FSTPQ.P (F0, F1), 64(R0)
	SUBS    $16, R2
	BNE     loop16

done:
	FMOVS F31, ret+56(FP)
	RET

// func prefixSumF64NEON(dst, x []float64, carry float64) float64
//
//	R0 dst   R1 x   advanced by the loop
//	R2       rows left, a multiple of 16
//	V0-V7    t
//	V30      zeros
//	V31      carry in all elements
TEXT ·prefixSumF64NEON(SB), NOSPLIT, $0-64
	MOVD  dst_base+0(FP), R0
	MOVD  x_base+24(FP), R1
	MOVD  x_len+32(FP), R2
	FMOVD carry+48(FP), F31
	VDUP  V31.D[0], V31.D2
	VEOR  V30.B16, V30.B16, V30.B16
	CBZ   R2, done

loop16:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R1), (F2, F3)
	FLDPQ.P 32(R1), (F4, F5)
	FLDPQ.P 32(R1), (F6, F7)
	VZIP1   V0.D2, V30.D2, V16.D2 // d = 1
	VZIP1   V1.D2, V30.D2, V17.D2
	VZIP1   V2.D2, V30.D2, V18.D2
	VZIP1   V3.D2, V30.D2, V19.D2
	VZIP1   V4.D2, V30.D2, V20.D2
	VZIP1   V5.D2, V30.D2, V21.D2
	VZIP1   V6.D2, V30.D2, V22.D2
	VZIP1   V7.D2, V30.D2, V23.D2
	VFADD2D(16, 0, 0)
	VFADD2D(17, 1, 1)
	VFADD2D(18, 2, 2)
	VFADD2D(19, 3, 3)
	VFADD2D(20, 4, 4)
	VFADD2D(21, 5, 5)
	VFADD2D(22, 6, 6)
	VFADD2D(23, 7, 7)
	VDUP    V0.D[1], V16.D2       // d = 2
	VDUP    V2.D[1], V18.D2
	VDUP    V4.D[1], V20.D2
	VDUP    V6.D[1], V22.D2
	VFADD2D(16, 1, 1)
	VFADD2D(18, 3, 3)
	VFADD2D(20, 5, 5)
	VFADD2D(22, 7, 7)
	VDUP    V1.D[1], V16.D2       // d = 4
	VDUP    V5.D[1], V17.D2
	VFADD2D(16, 2, 2)
	VFADD2D(16, 3, 3)
	VFADD2D(17, 6, 6)
	VFADD2D(17, 7, 7)
	VDUP    V3.D[1], V16.D2       // d = 8
	VFADD2D(16, 4, 4)
	VFADD2D(16, 5, 5)
	VFADD2D(16, 6, 6)
	VFADD2D(16, 7, 7)
	VDUP    V7.D[1], V16.D2
	VFADD2D(0, 31, 0)             // carry + t
	VFADD2D(1, 31, 1)
	VFADD2D(2, 31, 2)
	VFADD2D(3, 31, 3)
	VFADD2D(4, 31, 4)
	VFADD2D(5, 31, 5)
	VFADD2D(6, 31, 6)
	VFADD2D(7, 31, 7)
	VFADD2D(16, 31, 31)           // carry + t[15]
	FSTPQ.P (F0, F1), 32(R0)
	FSTPQ.P (F2, F3), 32(R0)
	FSTPQ.P (F4, F5), 32(R0)
	FSTPQ.P (F6, F7), 32(R0)
	SUBS    $16, R2
	BNE     loop16

done:
	FMOVD F31, ret+56(FP)
	RET
