//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// AllFinite, NEON: what x - x leaves, +0 or NaN, is joined by or.

// FINITE is all but the way in, for vectors of so many rows.
#define FINITE(rows, size, VFSUB, FMOV, FSUB, LAST) \
	VEOR   V0.B16, V0.B16, V0.B16;                       \
	VEOR   V1.B16, V1.B16, V1.B16;                       \
	VEOR   V2.B16, V2.B16, V2.B16;                       \
	VEOR   V3.B16, V3.B16, V3.B16;                       \
	SUBS   $(4*rows), R3;                                \
	BLT    tail;                                         \
	loop:                                                \
	VLD1.P 64(R1), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VFSUB(16, 16, 16);                                   \
	VFSUB(17, 17, 17);                                   \
	VFSUB(18, 18, 18);                                   \
	VFSUB(19, 19, 19);                                   \
	VORR   V16.B16, V0.B16, V0.B16;                      \
	VORR   V17.B16, V1.B16, V1.B16;                      \
	VORR   V18.B16, V2.B16, V2.B16;                      \
	VORR   V19.B16, V3.B16, V3.B16;                      \
	SUBS   $(4*rows), R3;                                \
	BGE    loop;                                         \
	tail:                                                \
	ADDS   $(4*rows), R3;                                \
	BEQ    fold;                                         \
	loop1:                                               \
	FMOV   size(R1), F16;                                \
	FSUB   F16, F16, F16; /* the rest of V16 is 0 */     \
	VORR   V16.B16, V0.B16, V0.B16;                      \
	SUBS   $1, R3;                                       \
	BNE    loop1;                                        \
	fold:                                                \
	VORR   V1.B16, V0.B16, V0.B16;                       \
	VORR   V3.B16, V2.B16, V2.B16;                       \
	VORR   V2.B16, V0.B16, V0.B16;                       \
	VEXT   $8, V0.B16, V0.B16, V1.B16;                   \
	VORR   V1.B16, V0.B16, V0.B16;                       \
	LAST

#define LAST4 \
	VEXT  $4, V0.B16, V0.B16, V1.B16; \
	VORR  V1.B16, V0.B16, V0.B16;     \
	FMOVS F0, ret+24(FP);             \
	RET

#define LAST2 \
	FMOVD F0, ret+24(FP); \
	RET

// func finiteF32NEON(x []float32) float32
//
//	R1       x, advanced by the loops
//	R3       rows left
//	V0-V3    accumulators
//	V16-V19  x - x
TEXT ·finiteF32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	FINITE(4, 4, VFSUB4S, FMOVS.P, FSUBS, LAST4)

// func finiteF64NEON(x []float64) float64
//
//	R1       x, advanced by the loops
//	R3       rows left
//	V0-V3    accumulators
//	V16-V19  x - x
TEXT ·finiteF64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	FINITE(2, 8, VFSUB2D, FMOVD.P, FSUBD, LAST2)
