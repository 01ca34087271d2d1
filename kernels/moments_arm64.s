//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Sums of the differences of rows from their mean, of their squares and of their products, NEON.
//
// As on amd64, a kernel sweeps over the rows four times: sweep R6 = 0, 128, 64 and 192 takes 64
// bytes of each 256, those from R6 on, so that four registers a sum are enough. The end adds
// the sweeps as the halves of the accumulators are added: (0 + 128) + (64 + 192). The rows
// after the last block of 256 bytes come in a block of their own, filled up with the means,
// whose differences are +0.
//
//	R0  the accumulators between two pieces, or nil
//	R1  x     R2  y     R3, R4  the last block of each, or nil
//	R5  bytes in blocks of 256     R6  the sweep
//	R7, R8  x and y in the loop    R9  bytes left    R10, R11  spoiled
//	V0-V19  accumulators     V20-V27  differences     V28, V29  products     V30, V31  means

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// LOAD4 and STORE4 move the registers of one sum from and to an address.
#define LOAD4(at, from, a, b, c, d) \
	ADD  $(at), from, R10;                   \
	VLD1 (R10), [a.B16, b.B16, c.B16, d.B16]

#define STORE4(at, to, a, b, c, d) \
	ADD  $(at), to, R10;                     \
	VST1 [a.B16, b.B16, c.B16, d.B16], (R10)

// MERGE4 adds the registers of one sum to those at an address: earlier + later.
#define MERGE4(ADDV, at, a, b, c, d) \
	ADD  $(at), RSP, R10;                             \
	VLD1 (R10), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	ADDV(a, 20, a);                                   \
	ADDV(b, 21, b);                                   \
	ADDV(c, 22, c);                                   \
	ADDV(d, 23, d)

// FOLD4 folds four registers to the first.
#define FOLD4(ADDV, a, b, c, d) \
	ADDV(c, a, a); \
	ADDV(d, b, b); \
	ADDV(b, a, a)

// TERMS2, TERMS3 and TERMS5 add the differences d and e of one vector: d and d*d; d, e and d*e;
// these and d*d and e*e.
#define TERMS2(MUL, ADDV, d, e, x, y, xy, xx, yy) \
	ADDV(d, x, x);   \
	MUL(d, d, 28);   \
	ADDV(28, xx, xx)

#define TERMS3(MUL, ADDV, d, e, x, y, xy, xx, yy) \
	ADDV(d, x, x);   \
	ADDV(e, y, y);   \
	MUL(e, d, 28);   \
	ADDV(28, xy, xy)

#define TERMS5(MUL, ADDV, d, e, x, y, xy, xx, yy) \
	TERMS3(MUL, ADDV, d, e, x, y, xy, xx, yy); \
	MUL(d, d, 28);                             \
	MUL(e, e, 29);                             \
	ADDV(28, xx, xx);                          \
	ADDV(29, yy, yy)

// SUMS2, SUMS3 and SUMS5 add four vectors.
#define SUMS2(MUL, ADDV) \
	TERMS2(MUL, ADDV, 20, _, 0, _, _, 4, _); \
	TERMS2(MUL, ADDV, 21, _, 1, _, _, 5, _); \
	TERMS2(MUL, ADDV, 22, _, 2, _, _, 6, _); \
	TERMS2(MUL, ADDV, 23, _, 3, _, _, 7, _)

#define SUMS3(MUL, ADDV) \
	TERMS3(MUL, ADDV, 20, 24, 0, 4, 8, _, _);  \
	TERMS3(MUL, ADDV, 21, 25, 1, 5, 9, _, _);  \
	TERMS3(MUL, ADDV, 22, 26, 2, 6, 10, _, _); \
	TERMS3(MUL, ADDV, 23, 27, 3, 7, 11, _, _)

#define SUMS5(MUL, ADDV) \
	TERMS5(MUL, ADDV, 20, 24, 0, 4, 8, 12, 16);  \
	TERMS5(MUL, ADDV, 21, 25, 1, 5, 9, 13, 17);  \
	TERMS5(MUL, ADDV, 22, 26, 2, 6, 10, 14, 18); \
	TERMS5(MUL, ADDV, 23, 27, 3, 7, 11, 15, 19)

// ROWS1 loads 64 bytes of x at R7 and subtracts the mean, ROWS2 also those of y at R8. Both move
// on by 256 bytes.
#define ROWS1(SUBV) \
	VLD1 (R7), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	ADD  $256, R7;                                   \
	SUBV(30, 20, 20);                                \
	SUBV(30, 21, 21);                                \
	SUBV(30, 22, 22);                                \
	SUBV(30, 23, 23)

#define ROWS2(SUBV) \
	ROWS1(SUBV);                                     \
	VLD1 (R8), [V24.B16, V25.B16, V26.B16, V27.B16]; \
	ADD  $256, R8;                                   \
	SUBV(31, 24, 24);                                \
	SUBV(31, 25, 25);                                \
	SUBV(31, 26, 26);                                \
	SUBV(31, 27, 27)

// func deviationsF32NEON(t *momentSums[float32], x []float32, mean float32, m *moments[float32], last *partials[float32])
TEXT ·deviationsF32NEON(SB), NOSPLIT, $640-56
	MOVD  t+0(FP), R0
	MOVD  x_base+8(FP), R1
	MOVD  x_len+16(FP), R5
	LSL   $2, R5
	FMOVS mean+32(FP), F30
	VDUP  V30.S[0], V30.S4
	MOVD  last+48(FP), R3
	MOVD  ZR, R6

sweep:
	CBNZ R0, resume
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)

begin:
	ADD  R6, R1, R7
	MOVD R5, R9
	CBZ  R9, rest

loop:
	ROWS1(VFSUB4S)
	SUMS2(VFMUL4S, VFADD4S)
	SUBS $256, R9
	BNE  loop

rest:
	CBZ R3, swept
	ADD R6, R3, R7
	ROWS1(VFSUB4S)
	SUMS2(VFMUL4S, VFADD4S)

swept:
	CBNZ R0, save

saved:
	CMP   $64, R6
	BEQ   sweep64
	BLT   sweep0
	CMP   $128, R6
	BEQ   sweep128
	MERGE4(VFADD4S, 328, 0, 1, 2, 3)
	MERGE4(VFADD4S, 392, 4, 5, 6, 7)
	MERGE4(VFADD4S, 8, 0, 1, 2, 3)
	MERGE4(VFADD4S, 72, 4, 5, 6, 7)
	MOVD  m+40(FP), R11
	FOLD4(VFADD4S, 0, 1, 2, 3)
	VEXT  $8, V0.B16, V0.B16, V20.B16
	VFADD4S(20, 0, 0)
	VEXT  $4, V0.B16, V0.B16, V20.B16
	VFADD4S(20, 0, 0)
	FMOVS F0, 0(R11)
	FOLD4(VFADD4S, 4, 5, 6, 7)
	VEXT  $8, V4.B16, V4.B16, V20.B16
	VFADD4S(20, 4, 4)
	VEXT  $4, V4.B16, V4.B16, V20.B16
	VFADD4S(20, 4, 4)
	FMOVS F4, 8(R11)
	RET

sweep0:
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	MOVD $128, R6
	B    sweep

sweep128:
	MERGE4(VFADD4S, 8, 0, 1, 2, 3)
	MERGE4(VFADD4S, 72, 4, 5, 6, 7)
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	MOVD $64, R6
	B    sweep

sweep64:
	STORE4(328, RSP, V0, V1, V2, V3)
	STORE4(392, RSP, V4, V5, V6, V7)
	MOVD $192, R6
	B    sweep

resume:
	ADD R6, R0, R11
	LOAD4(0, R11, V0, V1, V2, V3)
	LOAD4(512, R11, V4, V5, V6, V7)
	B   begin

save:
	ADD R6, R0, R11
	STORE4(0, R11, V0, V1, V2, V3)
	STORE4(512, R11, V4, V5, V6, V7)
	B   saved

// func deviationsF64NEON(t *momentSums[float64], x []float64, mean float64, m *moments[float64], last *partials[float64])
TEXT ·deviationsF64NEON(SB), NOSPLIT, $640-56
	MOVD  t+0(FP), R0
	MOVD  x_base+8(FP), R1
	MOVD  x_len+16(FP), R5
	LSL   $3, R5
	FMOVD mean+32(FP), F30
	VDUP  V30.D[0], V30.D2
	MOVD  last+48(FP), R3
	MOVD  ZR, R6

sweep:
	CBNZ R0, resume
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)

begin:
	ADD  R6, R1, R7
	MOVD R5, R9
	CBZ  R9, rest

loop:
	ROWS1(VFSUB2D)
	SUMS2(VFMUL2D, VFADD2D)
	SUBS $256, R9
	BNE  loop

rest:
	CBZ R3, swept
	ADD R6, R3, R7
	ROWS1(VFSUB2D)
	SUMS2(VFMUL2D, VFADD2D)

swept:
	CBNZ R0, save

saved:
	CMP   $64, R6
	BEQ   sweep64
	BLT   sweep0
	CMP   $128, R6
	BEQ   sweep128
	MERGE4(VFADD2D, 328, 0, 1, 2, 3)
	MERGE4(VFADD2D, 392, 4, 5, 6, 7)
	MERGE4(VFADD2D, 8, 0, 1, 2, 3)
	MERGE4(VFADD2D, 72, 4, 5, 6, 7)
	MOVD  m+40(FP), R11
	FOLD4(VFADD2D, 0, 1, 2, 3)
	VEXT  $8, V0.B16, V0.B16, V20.B16
	VFADD2D(20, 0, 0)
	FMOVD F0, 0(R11)
	FOLD4(VFADD2D, 4, 5, 6, 7)
	VEXT  $8, V4.B16, V4.B16, V20.B16
	VFADD2D(20, 4, 4)
	FMOVD F4, 16(R11)
	RET

sweep0:
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	MOVD $128, R6
	B    sweep

sweep128:
	MERGE4(VFADD2D, 8, 0, 1, 2, 3)
	MERGE4(VFADD2D, 72, 4, 5, 6, 7)
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	MOVD $64, R6
	B    sweep

sweep64:
	STORE4(328, RSP, V0, V1, V2, V3)
	STORE4(392, RSP, V4, V5, V6, V7)
	MOVD $192, R6
	B    sweep

resume:
	ADD R6, R0, R11
	LOAD4(0, R11, V0, V1, V2, V3)
	LOAD4(1024, R11, V4, V5, V6, V7)
	B   begin

save:
	ADD R6, R0, R11
	STORE4(0, R11, V0, V1, V2, V3)
	STORE4(1024, R11, V4, V5, V6, V7)
	B   saved

// func codeviationsF32NEON(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32], lastX, lastY *partials[float32])
TEXT ·codeviationsF32NEON(SB), NOSPLIT, $640-88
	MOVD  t+0(FP), R0
	MOVD  x_base+8(FP), R1
	MOVD  x_len+16(FP), R5
	LSL   $2, R5
	MOVD  y_base+32(FP), R2
	FMOVS xMean+56(FP), F30
	FMOVS yMean+60(FP), F31
	VDUP  V30.S[0], V30.S4
	VDUP  V31.S[0], V31.S4
	MOVD  lastX+72(FP), R3
	MOVD  lastY+80(FP), R4
	MOVD  ZR, R6

sweep:
	CBNZ R0, resume
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)

begin:
	ADD  R6, R1, R7
	ADD  R6, R2, R8
	MOVD R5, R9
	CBZ  R9, rest

loop:
	ROWS2(VFSUB4S)
	SUMS3(VFMUL4S, VFADD4S)
	SUBS $256, R9
	BNE  loop

rest:
	CBZ R3, swept
	ADD R6, R3, R7
	ADD R6, R4, R8
	ROWS2(VFSUB4S)
	SUMS3(VFMUL4S, VFADD4S)

swept:
	CBNZ R0, save

saved:
	CMP   $64, R6
	BEQ   sweep64
	BLT   sweep0
	CMP   $128, R6
	BEQ   sweep128
	MERGE4(VFADD4S, 328, 0, 1, 2, 3)
	MERGE4(VFADD4S, 392, 4, 5, 6, 7)
	MERGE4(VFADD4S, 456, 8, 9, 10, 11)
	MERGE4(VFADD4S, 8, 0, 1, 2, 3)
	MERGE4(VFADD4S, 72, 4, 5, 6, 7)
	MERGE4(VFADD4S, 136, 8, 9, 10, 11)
	MOVD  m+64(FP), R11
	FOLD4(VFADD4S, 0, 1, 2, 3)
	VEXT  $8, V0.B16, V0.B16, V20.B16
	VFADD4S(20, 0, 0)
	VEXT  $4, V0.B16, V0.B16, V20.B16
	VFADD4S(20, 0, 0)
	FMOVS F0, 0(R11)
	FOLD4(VFADD4S, 4, 5, 6, 7)
	VEXT  $8, V4.B16, V4.B16, V20.B16
	VFADD4S(20, 4, 4)
	VEXT  $4, V4.B16, V4.B16, V20.B16
	VFADD4S(20, 4, 4)
	FMOVS F4, 4(R11)
	FOLD4(VFADD4S, 8, 9, 10, 11)
	VEXT  $8, V8.B16, V8.B16, V20.B16
	VFADD4S(20, 8, 8)
	VEXT  $4, V8.B16, V8.B16, V20.B16
	VFADD4S(20, 8, 8)
	FMOVS F8, 16(R11)
	RET

sweep0:
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	MOVD $128, R6
	B    sweep

sweep128:
	MERGE4(VFADD4S, 8, 0, 1, 2, 3)
	MERGE4(VFADD4S, 72, 4, 5, 6, 7)
	MERGE4(VFADD4S, 136, 8, 9, 10, 11)
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	MOVD $64, R6
	B    sweep

sweep64:
	STORE4(328, RSP, V0, V1, V2, V3)
	STORE4(392, RSP, V4, V5, V6, V7)
	STORE4(456, RSP, V8, V9, V10, V11)
	MOVD $192, R6
	B    sweep

resume:
	ADD R6, R0, R11
	LOAD4(0, R11, V0, V1, V2, V3)
	LOAD4(256, R11, V4, V5, V6, V7)
	LOAD4(1024, R11, V8, V9, V10, V11)
	B   begin

save:
	ADD R6, R0, R11
	STORE4(0, R11, V0, V1, V2, V3)
	STORE4(256, R11, V4, V5, V6, V7)
	STORE4(1024, R11, V8, V9, V10, V11)
	B   saved

// func codeviationsF64NEON(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64], lastX, lastY *partials[float64])
TEXT ·codeviationsF64NEON(SB), NOSPLIT, $640-96
	MOVD  t+0(FP), R0
	MOVD  x_base+8(FP), R1
	MOVD  x_len+16(FP), R5
	LSL   $3, R5
	MOVD  y_base+32(FP), R2
	FMOVD xMean+56(FP), F30
	FMOVD yMean+64(FP), F31
	VDUP  V30.D[0], V30.D2
	VDUP  V31.D[0], V31.D2
	MOVD  lastX+80(FP), R3
	MOVD  lastY+88(FP), R4
	MOVD  ZR, R6

sweep:
	CBNZ R0, resume
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)

begin:
	ADD  R6, R1, R7
	ADD  R6, R2, R8
	MOVD R5, R9
	CBZ  R9, rest

loop:
	ROWS2(VFSUB2D)
	SUMS3(VFMUL2D, VFADD2D)
	SUBS $256, R9
	BNE  loop

rest:
	CBZ R3, swept
	ADD R6, R3, R7
	ADD R6, R4, R8
	ROWS2(VFSUB2D)
	SUMS3(VFMUL2D, VFADD2D)

swept:
	CBNZ R0, save

saved:
	CMP   $64, R6
	BEQ   sweep64
	BLT   sweep0
	CMP   $128, R6
	BEQ   sweep128
	MERGE4(VFADD2D, 328, 0, 1, 2, 3)
	MERGE4(VFADD2D, 392, 4, 5, 6, 7)
	MERGE4(VFADD2D, 456, 8, 9, 10, 11)
	MERGE4(VFADD2D, 8, 0, 1, 2, 3)
	MERGE4(VFADD2D, 72, 4, 5, 6, 7)
	MERGE4(VFADD2D, 136, 8, 9, 10, 11)
	MOVD  m+72(FP), R11
	FOLD4(VFADD2D, 0, 1, 2, 3)
	VEXT  $8, V0.B16, V0.B16, V20.B16
	VFADD2D(20, 0, 0)
	FMOVD F0, 0(R11)
	FOLD4(VFADD2D, 4, 5, 6, 7)
	VEXT  $8, V4.B16, V4.B16, V20.B16
	VFADD2D(20, 4, 4)
	FMOVD F4, 8(R11)
	FOLD4(VFADD2D, 8, 9, 10, 11)
	VEXT  $8, V8.B16, V8.B16, V20.B16
	VFADD2D(20, 8, 8)
	FMOVD F8, 32(R11)
	RET

sweep0:
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	MOVD $128, R6
	B    sweep

sweep128:
	MERGE4(VFADD2D, 8, 0, 1, 2, 3)
	MERGE4(VFADD2D, 72, 4, 5, 6, 7)
	MERGE4(VFADD2D, 136, 8, 9, 10, 11)
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	MOVD $64, R6
	B    sweep

sweep64:
	STORE4(328, RSP, V0, V1, V2, V3)
	STORE4(392, RSP, V4, V5, V6, V7)
	STORE4(456, RSP, V8, V9, V10, V11)
	MOVD $192, R6
	B    sweep

resume:
	ADD R6, R0, R11
	LOAD4(0, R11, V0, V1, V2, V3)
	LOAD4(512, R11, V4, V5, V6, V7)
	LOAD4(2048, R11, V8, V9, V10, V11)
	B   begin

save:
	ADD R6, R0, R11
	STORE4(0, R11, V0, V1, V2, V3)
	STORE4(512, R11, V4, V5, V6, V7)
	STORE4(2048, R11, V8, V9, V10, V11)
	B   saved

// func allDeviationsF32NEON(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32], lastX, lastY *partials[float32])
TEXT ·allDeviationsF32NEON(SB), NOSPLIT, $640-88
	MOVD  t+0(FP), R0
	MOVD  x_base+8(FP), R1
	MOVD  x_len+16(FP), R5
	LSL   $2, R5
	MOVD  y_base+32(FP), R2
	FMOVS xMean+56(FP), F30
	FMOVS yMean+60(FP), F31
	VDUP  V30.S[0], V30.S4
	VDUP  V31.S[0], V31.S4
	MOVD  lastX+72(FP), R3
	MOVD  lastY+80(FP), R4
	MOVD  ZR, R6

sweep:
	CBNZ R0, resume
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	ZERO4(V16, V17, V18, V19)

begin:
	ADD  R6, R1, R7
	ADD  R6, R2, R8
	MOVD R5, R9
	CBZ  R9, rest

loop:
	ROWS2(VFSUB4S)
	SUMS5(VFMUL4S, VFADD4S)
	SUBS $256, R9
	BNE  loop

rest:
	CBZ R3, swept
	ADD R6, R3, R7
	ADD R6, R4, R8
	ROWS2(VFSUB4S)
	SUMS5(VFMUL4S, VFADD4S)

swept:
	CBNZ R0, save

saved:
	CMP   $64, R6
	BEQ   sweep64
	BLT   sweep0
	CMP   $128, R6
	BEQ   sweep128
	MERGE4(VFADD4S, 328, 0, 1, 2, 3)
	MERGE4(VFADD4S, 392, 4, 5, 6, 7)
	MERGE4(VFADD4S, 456, 8, 9, 10, 11)
	MERGE4(VFADD4S, 520, 12, 13, 14, 15)
	MERGE4(VFADD4S, 584, 16, 17, 18, 19)
	MERGE4(VFADD4S, 8, 0, 1, 2, 3)
	MERGE4(VFADD4S, 72, 4, 5, 6, 7)
	MERGE4(VFADD4S, 136, 8, 9, 10, 11)
	MERGE4(VFADD4S, 200, 12, 13, 14, 15)
	MERGE4(VFADD4S, 264, 16, 17, 18, 19)
	MOVD  m+64(FP), R11
	FOLD4(VFADD4S, 0, 1, 2, 3)
	VEXT  $8, V0.B16, V0.B16, V20.B16
	VFADD4S(20, 0, 0)
	VEXT  $4, V0.B16, V0.B16, V20.B16
	VFADD4S(20, 0, 0)
	FMOVS F0, 0(R11)
	FOLD4(VFADD4S, 4, 5, 6, 7)
	VEXT  $8, V4.B16, V4.B16, V20.B16
	VFADD4S(20, 4, 4)
	VEXT  $4, V4.B16, V4.B16, V20.B16
	VFADD4S(20, 4, 4)
	FMOVS F4, 4(R11)
	FOLD4(VFADD4S, 8, 9, 10, 11)
	VEXT  $8, V8.B16, V8.B16, V20.B16
	VFADD4S(20, 8, 8)
	VEXT  $4, V8.B16, V8.B16, V20.B16
	VFADD4S(20, 8, 8)
	FMOVS F8, 16(R11)
	FOLD4(VFADD4S, 12, 13, 14, 15)
	VEXT  $8, V12.B16, V12.B16, V20.B16
	VFADD4S(20, 12, 12)
	VEXT  $4, V12.B16, V12.B16, V20.B16
	VFADD4S(20, 12, 12)
	FMOVS F12, 8(R11)
	FOLD4(VFADD4S, 16, 17, 18, 19)
	VEXT  $8, V16.B16, V16.B16, V20.B16
	VFADD4S(20, 16, 16)
	VEXT  $4, V16.B16, V16.B16, V20.B16
	VFADD4S(20, 16, 16)
	FMOVS F16, 12(R11)
	RET

sweep0:
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	STORE4(200, RSP, V12, V13, V14, V15)
	STORE4(264, RSP, V16, V17, V18, V19)
	MOVD $128, R6
	B    sweep

sweep128:
	MERGE4(VFADD4S, 8, 0, 1, 2, 3)
	MERGE4(VFADD4S, 72, 4, 5, 6, 7)
	MERGE4(VFADD4S, 136, 8, 9, 10, 11)
	MERGE4(VFADD4S, 200, 12, 13, 14, 15)
	MERGE4(VFADD4S, 264, 16, 17, 18, 19)
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	STORE4(200, RSP, V12, V13, V14, V15)
	STORE4(264, RSP, V16, V17, V18, V19)
	MOVD $64, R6
	B    sweep

sweep64:
	STORE4(328, RSP, V0, V1, V2, V3)
	STORE4(392, RSP, V4, V5, V6, V7)
	STORE4(456, RSP, V8, V9, V10, V11)
	STORE4(520, RSP, V12, V13, V14, V15)
	STORE4(584, RSP, V16, V17, V18, V19)
	MOVD $192, R6
	B    sweep

resume:
	ADD R6, R0, R11
	LOAD4(0, R11, V0, V1, V2, V3)
	LOAD4(256, R11, V4, V5, V6, V7)
	LOAD4(1024, R11, V8, V9, V10, V11)
	LOAD4(512, R11, V12, V13, V14, V15)
	LOAD4(768, R11, V16, V17, V18, V19)
	B   begin

save:
	ADD R6, R0, R11
	STORE4(0, R11, V0, V1, V2, V3)
	STORE4(256, R11, V4, V5, V6, V7)
	STORE4(1024, R11, V8, V9, V10, V11)
	STORE4(512, R11, V12, V13, V14, V15)
	STORE4(768, R11, V16, V17, V18, V19)
	B   saved

// func allDeviationsF64NEON(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64], lastX, lastY *partials[float64])
TEXT ·allDeviationsF64NEON(SB), NOSPLIT, $640-96
	MOVD  t+0(FP), R0
	MOVD  x_base+8(FP), R1
	MOVD  x_len+16(FP), R5
	LSL   $3, R5
	MOVD  y_base+32(FP), R2
	FMOVD xMean+56(FP), F30
	FMOVD yMean+64(FP), F31
	VDUP  V30.D[0], V30.D2
	VDUP  V31.D[0], V31.D2
	MOVD  lastX+80(FP), R3
	MOVD  lastY+88(FP), R4
	MOVD  ZR, R6

sweep:
	CBNZ R0, resume
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	ZERO4(V16, V17, V18, V19)

begin:
	ADD  R6, R1, R7
	ADD  R6, R2, R8
	MOVD R5, R9
	CBZ  R9, rest

loop:
	ROWS2(VFSUB2D)
	SUMS5(VFMUL2D, VFADD2D)
	SUBS $256, R9
	BNE  loop

rest:
	CBZ R3, swept
	ADD R6, R3, R7
	ADD R6, R4, R8
	ROWS2(VFSUB2D)
	SUMS5(VFMUL2D, VFADD2D)

swept:
	CBNZ R0, save

saved:
	CMP   $64, R6
	BEQ   sweep64
	BLT   sweep0
	CMP   $128, R6
	BEQ   sweep128
	MERGE4(VFADD2D, 328, 0, 1, 2, 3)
	MERGE4(VFADD2D, 392, 4, 5, 6, 7)
	MERGE4(VFADD2D, 456, 8, 9, 10, 11)
	MERGE4(VFADD2D, 520, 12, 13, 14, 15)
	MERGE4(VFADD2D, 584, 16, 17, 18, 19)
	MERGE4(VFADD2D, 8, 0, 1, 2, 3)
	MERGE4(VFADD2D, 72, 4, 5, 6, 7)
	MERGE4(VFADD2D, 136, 8, 9, 10, 11)
	MERGE4(VFADD2D, 200, 12, 13, 14, 15)
	MERGE4(VFADD2D, 264, 16, 17, 18, 19)
	MOVD  m+72(FP), R11
	FOLD4(VFADD2D, 0, 1, 2, 3)
	VEXT  $8, V0.B16, V0.B16, V20.B16
	VFADD2D(20, 0, 0)
	FMOVD F0, 0(R11)
	FOLD4(VFADD2D, 4, 5, 6, 7)
	VEXT  $8, V4.B16, V4.B16, V20.B16
	VFADD2D(20, 4, 4)
	FMOVD F4, 8(R11)
	FOLD4(VFADD2D, 8, 9, 10, 11)
	VEXT  $8, V8.B16, V8.B16, V20.B16
	VFADD2D(20, 8, 8)
	FMOVD F8, 32(R11)
	FOLD4(VFADD2D, 12, 13, 14, 15)
	VEXT  $8, V12.B16, V12.B16, V20.B16
	VFADD2D(20, 12, 12)
	FMOVD F12, 16(R11)
	FOLD4(VFADD2D, 16, 17, 18, 19)
	VEXT  $8, V16.B16, V16.B16, V20.B16
	VFADD2D(20, 16, 16)
	FMOVD F16, 24(R11)
	RET

sweep0:
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	STORE4(200, RSP, V12, V13, V14, V15)
	STORE4(264, RSP, V16, V17, V18, V19)
	MOVD $128, R6
	B    sweep

sweep128:
	MERGE4(VFADD2D, 8, 0, 1, 2, 3)
	MERGE4(VFADD2D, 72, 4, 5, 6, 7)
	MERGE4(VFADD2D, 136, 8, 9, 10, 11)
	MERGE4(VFADD2D, 200, 12, 13, 14, 15)
	MERGE4(VFADD2D, 264, 16, 17, 18, 19)
	STORE4(8, RSP, V0, V1, V2, V3)
	STORE4(72, RSP, V4, V5, V6, V7)
	STORE4(136, RSP, V8, V9, V10, V11)
	STORE4(200, RSP, V12, V13, V14, V15)
	STORE4(264, RSP, V16, V17, V18, V19)
	MOVD $64, R6
	B    sweep

sweep64:
	STORE4(328, RSP, V0, V1, V2, V3)
	STORE4(392, RSP, V4, V5, V6, V7)
	STORE4(456, RSP, V8, V9, V10, V11)
	STORE4(520, RSP, V12, V13, V14, V15)
	STORE4(584, RSP, V16, V17, V18, V19)
	MOVD $192, R6
	B    sweep

resume:
	ADD R6, R0, R11
	LOAD4(0, R11, V0, V1, V2, V3)
	LOAD4(512, R11, V4, V5, V6, V7)
	LOAD4(2048, R11, V8, V9, V10, V11)
	LOAD4(1024, R11, V12, V13, V14, V15)
	LOAD4(1536, R11, V16, V17, V18, V19)
	B   begin

save:
	ADD R6, R0, R11
	STORE4(0, R11, V0, V1, V2, V3)
	STORE4(512, R11, V4, V5, V6, V7)
	STORE4(2048, R11, V8, V9, V10, V11)
	STORE4(1024, R11, V12, V13, V14, V15)
	STORE4(1536, R11, V16, V17, V18, V19)
	B   saved
