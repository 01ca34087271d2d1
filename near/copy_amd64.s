//go:build !purego

#include "textflag.h"

// Six vectors are copied at once, whatever of them belongs to a run: the next run is written
// over what does not. Mostly that is a whole run of some twenty candidates, so that nothing
// depends on how many they are; the loop that takes as many turns as there are vectors is
// mispredicted at the end of every second run.

// SIX copies 192 bytes from AX to DI.
#define SIX \
	VMOVDQU (AX), Y0    \
	VMOVDQU 32(AX), Y1  \
	VMOVDQU 64(AX), Y2  \
	VMOVDQU 96(AX), Y3  \
	VMOVDQU 128(AX), Y4 \
	VMOVDQU 160(AX), Y5 \
	VMOVDQU Y0, (DI)    \
	VMOVDQU Y1, 32(DI)  \
	VMOVDQU Y2, 64(DI)  \
	VMOVDQU Y3, 96(DI)  \
	VMOVDQU Y4, 128(DI) \
	VMOVDQU Y5, 160(DI)

// RUNS copies runs: SI is the lane, DX the runs, CX how many, DI where they go; an element has
// 1<<shift bytes.
#define RUNS(shift) \
loop1:  \
	SUBQ    $1, CX         \
	JLT     done           \
	MOVLQSX (DX), AX       \ // Lo
	MOVLQSX 4(DX), BX      \ // Hi
	ADDQ    $8, DX         \
	SUBQ    AX, BX         \
	SHLQ    $shift, AX     \
	SHLQ    $shift, BX     \
	ADDQ    SI, AX         \
	LEAQ    (DI)(BX*1), R8 \ // where the next run goes
	six:                   \
	SIX                    \
	ADDQ    $192, AX       \
	ADDQ    $192, DI       \
	CMPQ    DI, R8         \
	JCS     six            \
	MOVQ    R8, DI         \
	JMP     loop1          \
	done:      \
	VZEROUPPER \
	RET

// func copyRuns32AVX2(dst, lane []float32, runs []Run)
// Requires: AVX2.
//
//	DI  where the next run goes   SI  lane
//	DX  the next run   CX  runs left
//	AX  what is copied   BX  bytes of a run   R8  where the one behind it goes
//	Y0 to Y5  work
TEXT ·copyRuns32AVX2(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ lane_base+24(FP), SI
	MOVQ runs_base+48(FP), DX
	MOVQ runs_len+56(FP), CX
	RUNS(2)

// func copyRuns64AVX2(dst, lane []float64, runs []Run)
// Requires: AVX2.
//
//	as copyRuns32AVX2
TEXT ·copyRuns64AVX2(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ lane_base+24(FP), SI
	MOVQ runs_base+48(FP), DX
	MOVQ runs_len+56(FP), CX
	RUNS(3)
