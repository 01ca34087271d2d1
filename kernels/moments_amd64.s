//go:build !purego

#include "textflag.h"
#include "lanes_amd64.h"
#include "reduction_amd64.h"

// Sums of the differences of rows from their mean, of their squares and of their products, AVX2.
// AVX-512 runs these bodies too.
//
// Each sum has the 256 bytes of accumulators and the order of Sum. Five sums do not fit into the
// registers, so a kernel sweeps over the rows four times: sweep DX = 0, 128, 64 and 192 takes 64
// bytes of each 256, those from DX on. Then two registers a sum are enough. The end adds the
// sweeps as the halves of the accumulators are added: (0 + 128) + (64 + 192).
//
//	BX  the accumulators between two pieces, or nil
//	SI  x     DI  y
//	CX  bytes in blocks of 256     R8  bytes after them
//	DX  the sweep                  R9  the offset of a row     R10  bytes left
//	R11 zero if there are at most 128 bytes: then sweeps 128 and 192 have no rows
//	Y0-Y9 accumulators     Y10-Y12 differences, products     Y13 mask     Y14, Y15 means
//
// A difference that the mask leaves out is +0, and +0 changes no accumulator.

// EACH2, EACH3 and EACH5 do DO for each sum: its number, its registers, and their lower halves.
#define EACH2(DO, ADD, size) \
	DO(ADD, 0, size, Y0, Y1, X0, X1) \
	DO(ADD, 2, size, Y2, Y3, X2, X3)

#define EACH3(DO, ADD, size) \
	DO(ADD, 0, size, Y0, Y1, X0, X1) \
	DO(ADD, 1, size, Y2, Y3, X2, X3) \
	DO(ADD, 4, size, Y4, Y5, X4, X5)

#define EACH5(DO, ADD, size) \
	DO(ADD, 0, size, Y0, Y1, X0, X1) \
	DO(ADD, 1, size, Y2, Y3, X2, X3) \
	DO(ADD, 4, size, Y4, Y5, X4, X5) \
	DO(ADD, 2, size, Y6, Y7, X6, X7) \
	DO(ADD, 3, size, Y8, Y9, X8, X9)

#define BEGINZERO(ADD, n, size, a, b, xa, xb) \
	VXORPS xa, xa, xa \
	VXORPS xb, xb, xb

// The accumulators of sum n are 64 numbers after those of sum n-1.
#define BEGINLOAD(ADD, n, size, a, b, xa, xb) \
	VMOVUPS (n*64*size)(BX)(DX*1), a    \
	VMOVUPS (n*64*size+32)(BX)(DX*1), b

#define SAVE(ADD, n, size, a, b, xa, xb) \
	VMOVUPS a, (n*64*size)(BX)(DX*1)    \
	VMOVUPS b, (n*64*size+32)(BX)(DX*1)

// The frame has sweep 0, or 0 + 128, and sweep 64.
#define SPILL0(ADD, n, size, a, b, xa, xb) \
	VMOVUPS a, (n*64)(SP)    \
	VMOVUPS b, (n*64+32)(SP)

#define SPILL64(ADD, n, size, a, b, xa, xb) \
	VMOVUPS a, (320+n*64)(SP)    \
	VMOVUPS b, (320+n*64+32)(SP)

#define MERGE0(ADD, n, size, a, b, xa, xb) \
	VMOVUPS (n*64)(SP), Y10    \
	VMOVUPS (n*64+32)(SP), Y11 \
	ADD     a, Y10, a          \
	ADD     b, Y11, b

#define MERGE64(ADD, n, size, a, b, xa, xb) \
	VMOVUPS (320+n*64)(SP), Y10    \
	VMOVUPS (320+n*64+32)(SP), Y11 \
	ADD     a, Y10, a              \
	ADD     b, Y11, b

#define FOLDS(ADD, n, size, a, b, xa, xb) \
	ADD          b, a, a    \
	VEXTRACTF128 $1, a, xb  \
	ADD          xb, xa, xa

#define LASTS32(ADD, n, size, a, b, xa, xb) \
	VMOVHLPS  xa, xa, xb       \
	VADDPS    xb, xa, xa       \
	VMOVSHDUP xa, xb           \
	VADDSS    xb, xa, xa       \
	VMOVSS    xa, (n*size)(AX)

#define LASTS64(ADD, n, size, a, b, xa, xb) \
	VUNPCKHPD xa, xa, xb       \
	VADDSD    xb, xa, xa       \
	VMOVSD    xa, (n*size)(AX)

// ROWS1 and ROWS2 load the rows of a vector, of x or of x and y, and subtract the means. PART1
// and PART2 do so for the rows that the mask has.
#define ROWS1(at, MOV, SUB) \
	MOV at(SI)(R9*1), Y10 \
	SUB Y14, Y10, Y10

#define ROWS2(at, MOV, SUB) \
	MOV at(SI)(R9*1), Y10 \
	MOV at(DI)(R9*1), Y11 \
	SUB Y14, Y10, Y10     \
	SUB Y15, Y11, Y11

#define PART1(at, MASKMOV, SUB) \
	MASKMOV at(SI)(R9*1), Y13, Y10 \
	SUB     Y14, Y10, Y10          \
	VPAND   Y13, Y10, Y10

#define PART2(at, MASKMOV, SUB) \
	MASKMOV at(SI)(R9*1), Y13, Y10 \
	MASKMOV at(DI)(R9*1), Y13, Y11 \
	SUB     Y14, Y10, Y10          \
	SUB     Y15, Y11, Y11          \
	VPAND   Y13, Y10, Y10          \
	VPAND   Y13, Y11, Y11

// TERMS2, TERMS3 and TERMS5 add the differences d in Y10 and e in Y11: d and d*d; d, e and d*e;
// these and d*d and e*e.
#define TERMS2(MUL, ADD, x, y, xy, xx, yy) \
	ADD Y10, x, x     \
	MUL Y10, Y10, Y12 \
	ADD Y12, xx, xx

#define TERMS3(MUL, ADD, x, y, xy, xx, yy) \
	ADD Y10, x, x     \
	ADD Y11, y, y     \
	MUL Y11, Y10, Y12 \
	ADD Y12, xy, xy

#define TERMS5(MUL, ADD, x, y, xy, xx, yy) \
	TERMS3(MUL, ADD, x, y, xy, xx, yy) \
	MUL Y10, Y10, Y10                  \
	MUL Y11, Y11, Y11                  \
	ADD Y10, xx, xx                    \
	ADD Y11, yy, yy

// FIRST and SECOND are the terms of the two vectors of a sweep, in the registers of EACH2 or of
// EACH3 and EACH5.
#define FIRST2(MUL, ADD) TERMS2(MUL, ADD, Y0, _, _, Y2, _)
#define SECOND2(MUL, ADD) TERMS2(MUL, ADD, Y1, _, _, Y3, _)
#define FIRST3(MUL, ADD) TERMS3(MUL, ADD, Y0, Y2, Y4, _, _)
#define SECOND3(MUL, ADD) TERMS3(MUL, ADD, Y1, Y3, Y5, _, _)
#define FIRST5(MUL, ADD) TERMS5(MUL, ADD, Y0, Y2, Y4, Y6, Y8)
#define SECOND5(MUL, ADD) TERMS5(MUL, ADD, Y1, Y3, Y5, Y7, Y9)

// PARTMASK makes Y13 the mask of the first R10 bytes of a vector, which are 0 to 32.
#define PARTMASK \
	LEAQ    lanes<>+32(SB), AX \
	SUBQ    R10, AX            \
	VMOVUPS (AX), Y13

// SWEEPS is a whole kernel but for the way in. AX is the address of the results at the end.
#define SWEEPS(size, EACH, ROWS, PART, FIRST, SECOND, MASKMOV, MOV, SUB, MUL, ADD, LASTS, out) \
	MOVQ   CX, R8              \
	ANDQ   $255, R8            \
	ANDQ   $~255, CX           \
	XORQ   DX, DX              \
	MOVQ   CX, R11             \
	ORQ    BX, R11             \
	JNZ    sweep               \
	CMPQ   R8, $128            \
	SETGT  R11                 \
	sweep:                     \
	TESTQ  BX, BX              \
	JNZ    resume              \
	EACH(BEGINZERO, ADD, size) \
	begin:                     \
	MOVQ   DX, R9              \
	MOVQ   CX, R10             \
	TESTQ  R10, R10            \
	JZ     rest                \
	loop:                      \
	ROWS(0, MOV, SUB)          \
	FIRST(MUL, ADD)            \
	ROWS(32, MOV, SUB)         \
	SECOND(MUL, ADD)           \
	ADDQ   $256, R9            \
	SUBQ   $256, R10           \
	JNZ    loop                \
	rest:                      \
	MOVQ   R8, R10             \
	SUBQ   DX, R10             \
	JLE    swept               \
	CMPQ   R10, $32            \
	JLT    part                \
	ROWS(0, MOV, SUB)          \
	FIRST(MUL, ADD)            \
	SUBQ   $32, R10            \
	JZ     swept               \
	CMPQ   R10, $32            \
	JLT    part2               \
	ROWS(32, MOV, SUB)         \
	SECOND(MUL, ADD)           \
	swept:                     \
	TESTQ  BX, BX              \
	JNZ    save                \
	saved:                     \
	CMPQ   DX, $64             \
	JEQ    sweep64             \
	JLT    sweep0              \
	CMPQ   DX, $128            \
	JEQ    sweep128            \
	EACH(MERGE64, ADD, size)   \
	merge:                     \
	EACH(MERGE0, ADD, size)    \
	EACH(FOLDS, ADD, size)     \
	MOVQ   out, AX             \
	EACH(LASTS, ADD, size)     \
	VZEROUPPER                 \
	RET                        \
	sweep0:                 \
	EACH(SPILL0, ADD, size) \
	MOVQ    $128, DX        \
	TESTQ   R11, R11        \
	JNZ     sweep           \
	MOVQ    $64, DX         \
	JMP     sweep           \
	sweep128:               \
	EACH(MERGE0, ADD, size) \
	EACH(SPILL0, ADD, size) \
	MOVQ      $64, DX       \
	JMP       sweep         \
	sweep64:                 \
	TESTQ    R11, R11        \
	JZ       merge           \
	EACH(SPILL64, ADD, size) \
	MOVQ     $192, DX        \
	JMP      sweep           \
	part:                 \
	PARTMASK              \
	PART(0, MASKMOV, SUB) \
	FIRST(MUL, ADD)       \
	JMP   swept           \
	part2:                 \
	PARTMASK               \
	PART(32, MASKMOV, SUB) \
	SECOND(MUL, ADD)       \
	JMP    swept           \
	resume:                    \
	EACH(BEGINLOAD, ADD, size) \
	JMP     begin              \
	save:                 \
	EACH(SAVE, ADD, size) \
	JMP   saved

#define SINGLES(EACH, ROWS, PART, FIRST, SECOND, out) SWEEPS(4, EACH, ROWS, PART, FIRST, SECOND, VMASKMOVPS, VMOVUPS, VSUBPS, VMULPS, VADDPS, LASTS32, out)
#define DOUBLES(EACH, ROWS, PART, FIRST, SECOND, out) SWEEPS(8, EACH, ROWS, PART, FIRST, SECOND, VMASKMOVPD, VMOVUPD, VSUBPD, VMULPD, VADDPD, LASTS64, out)

// func deviationsF32AVX2(t *momentSums[float32], x []float32, mean float32, m *moments[float32])
// Requires: AVX2.
TEXT ·deviationsF32AVX2(SB), NOSPLIT, $640-48
	MOVQ         t+0(FP), BX
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	SHLQ         $2, CX
	VBROADCASTSS mean+32(FP), Y14
	SINGLES(EACH2, ROWS1, PART1, FIRST2, SECOND2, m+40(FP))

// func deviationsF64AVX2(t *momentSums[float64], x []float64, mean float64, m *moments[float64])
// Requires: AVX2.
TEXT ·deviationsF64AVX2(SB), NOSPLIT, $640-48
	MOVQ         t+0(FP), BX
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	SHLQ         $3, CX
	VBROADCASTSD mean+32(FP), Y14
	DOUBLES(EACH2, ROWS1, PART1, FIRST2, SECOND2, m+40(FP))

// func codeviationsF32AVX2(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32])
// Requires: AVX2.
TEXT ·codeviationsF32AVX2(SB), NOSPLIT, $640-72
	MOVQ         t+0(FP), BX
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	SHLQ         $2, CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSS xMean+56(FP), Y14
	VBROADCASTSS yMean+60(FP), Y15
	SINGLES(EACH3, ROWS2, PART2, FIRST3, SECOND3, m+64(FP))

// func codeviationsF64AVX2(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64])
// Requires: AVX2.
TEXT ·codeviationsF64AVX2(SB), NOSPLIT, $640-80
	MOVQ         t+0(FP), BX
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	SHLQ         $3, CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSD xMean+56(FP), Y14
	VBROADCASTSD yMean+64(FP), Y15
	DOUBLES(EACH3, ROWS2, PART2, FIRST3, SECOND3, m+72(FP))

// func allDeviationsF32AVX2(t *momentSums[float32], x, y []float32, xMean, yMean float32, m *moments[float32])
// Requires: AVX2.
TEXT ·allDeviationsF32AVX2(SB), NOSPLIT, $640-72
	MOVQ         t+0(FP), BX
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	SHLQ         $2, CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSS xMean+56(FP), Y14
	VBROADCASTSS yMean+60(FP), Y15
	SINGLES(EACH5, ROWS2, PART2, FIRST5, SECOND5, m+64(FP))

// func allDeviationsF64AVX2(t *momentSums[float64], x, y []float64, xMean, yMean float64, m *moments[float64])
// Requires: AVX2.
TEXT ·allDeviationsF64AVX2(SB), NOSPLIT, $640-80
	MOVQ         t+0(FP), BX
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	SHLQ         $3, CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSD xMean+56(FP), Y14
	VBROADCASTSD yMean+64(FP), Y15
	DOUBLES(EACH5, ROWS2, PART2, FIRST5, SECOND5, m+72(FP))
