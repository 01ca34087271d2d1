//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "reduction_arm64.h"

// Sums of absolute values, of absolute differences and of squared differences, NEON. The
// accumulators, the order and the end are those of Sum: see reduction_arm64.s.

// ABS16 adds the absolute values of a block of x.
#define ABS16(ADD, FABS) \
	FLDPQ   32(R1), (F18, F19);  \
	FLDPQ   64(R1), (F20, F21);  \
	FLDPQ   96(R1), (F22, F23);  \
	FLDPQ   128(R1), (F24, F25); \
	FLDPQ   160(R1), (F26, F27); \
	FLDPQ   192(R1), (F28, F29); \
	FLDPQ   224(R1), (F30, F31); \
	FLDPQ.P 256(R1), (F16, F17); \
	FABS(16, 16);                \
	FABS(17, 17);                \
	FABS(18, 18);                \
	FABS(19, 19);                \
	FABS(20, 20);                \
	FABS(21, 21);                \
	FABS(22, 22);                \
	FABS(23, 23);                \
	FABS(24, 24);                \
	FABS(25, 25);                \
	FABS(26, 26);                \
	FABS(27, 27);                \
	FABS(28, 28);                \
	FABS(29, 29);                \
	FABS(30, 30);                \
	FABS(31, 31);                \
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

// ABSOLUTE and SQUARE make the terms of V16 to V23.
#define ABSOLUTE(MUL, FABS) \
	FABS(16, 16); \
	FABS(17, 17); \
	FABS(18, 18); \
	FABS(19, 19); \
	FABS(20, 20); \
	FABS(21, 21); \
	FABS(22, 22); \
	FABS(23, 23)

#define SQUARE(MUL, FABS) \
	MUL(16, 16, 16); \
	MUL(17, 17, 17); \
	MUL(18, 18, 18); \
	MUL(19, 19, 19); \
	MUL(20, 20, 20); \
	MUL(21, 21, 21); \
	MUL(22, 22, 22); \
	MUL(23, 23, 23)

// DIFF16 adds the terms of a block of x and one of y, DIFF8 half of it to these
// accumulators.
#define DIFF16(TERM, SUB, MUL, FABS, ADD) \
	DIFF8(TERM, SUB, MUL, FABS, ADD, 0, 1, 2, 3, 4, 5, 6, 7);      \
	DIFF8(TERM, SUB, MUL, FABS, ADD, 8, 9, 10, 11, 12, 13, 14, 15)

#define DIFF8(TERM, SUB, MUL, FABS, ADD, t0, t1, t2, t3, t4, t5, t6, t7) \
	FLDPQ   32(R1), (F18, F19);  \
	FLDPQ   32(R2), (F26, F27);  \
	FLDPQ   64(R1), (F20, F21);  \
	FLDPQ   64(R2), (F28, F29);  \
	FLDPQ   96(R1), (F22, F23);  \
	FLDPQ   96(R2), (F30, F31);  \
	FLDPQ.P 128(R1), (F16, F17); \
	FLDPQ.P 128(R2), (F24, F25); \
	SUB(24, 16, 16);             \
	SUB(25, 17, 17);             \
	SUB(26, 18, 18);             \
	SUB(27, 19, 19);             \
	SUB(28, 20, 20);             \
	SUB(29, 21, 21);             \
	SUB(30, 22, 22);             \
	SUB(31, 23, 23);             \
	TERM(MUL, FABS);             \
	ADD(16, t0, t0);             \
	ADD(17, t1, t1);             \
	ADD(18, t2, t2);             \
	ADD(19, t3, t3);             \
	ADD(20, t4, t4);             \
	ADD(21, t5, t5);             \
	ADD(22, t6, t6);             \
	ADD(23, t7, t7)

// func sumAbsF32NEON(t *partials[float32], x []float32, last *partials[float32]) float32
//
//	R0       t
//	R1 x   advanced by the loop
//	R3       last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x
TEXT ·sumAbsF32NEON(SB), NOSPLIT, $0-44
	MOVD t+0(FP), R0
	MOVD x_base+8(FP), R1
	MOVD x_len+16(FP), R5
	MOVD last+32(FP), R3
	CBNZ R0, resume
	ZERO16
	CBZ  R5, tail

loop64:
	ABS16(VFADD4S, VFABS4S)
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

// func sumAbsF64NEON(t *partials[float64], x []float64, last *partials[float64]) float64
//
//	R0       t
//	R1 x   advanced by the loop
//	R3       last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x
TEXT ·sumAbsF64NEON(SB), NOSPLIT, $0-48
	MOVD t+0(FP), R0
	MOVD x_base+8(FP), R1
	MOVD x_len+16(FP), R5
	MOVD last+32(FP), R3
	CBNZ R0, resume
	ZERO16
	CBZ  R5, tail

loop32:
	ABS16(VFADD2D, VFABS2D)
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

// func sumAbsDiffF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32
//
//	R0       t
//	R1 x   R2 y   advanced by the loop
//	R3, R4   last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x, y
TEXT ·sumAbsDiffF32NEON(SB), NOSPLIT, $0-76
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
	DIFF16(ABSOLUTE, VFSUB4S, VFMUL4S, VFABS4S, VFADD4S)
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

// func sumAbsDiffF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64
//
//	R0       t
//	R1 x   R2 y   advanced by the loop
//	R3, R4   last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x, y
TEXT ·sumAbsDiffF64NEON(SB), NOSPLIT, $0-80
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
	DIFF16(ABSOLUTE, VFSUB2D, VFMUL2D, VFABS2D, VFADD2D)
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

// func sumSquareDiffF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32
//
//	R0       t
//	R1 x   R2 y   advanced by the loop
//	R3, R4   last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x, y
TEXT ·sumSquareDiffF32NEON(SB), NOSPLIT, $0-76
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
	DIFF16(SQUARE, VFSUB4S, VFMUL4S, VFABS4S, VFADD4S)
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

// func sumSquareDiffF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64
//
//	R0       t
//	R1 x   R2 y   advanced by the loop
//	R3, R4   last
//	R5       rows left
//	V0-V15   accumulators
//	V16-V31  x, y
TEXT ·sumSquareDiffF64NEON(SB), NOSPLIT, $0-80
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
	DIFF16(SQUARE, VFSUB2D, VFMUL2D, VFABS2D, VFADD2D)
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
