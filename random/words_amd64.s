//go:build !purego

#include "textflag.h"

DATA eight<>+0(SB)/4, $0
DATA eight<>+4(SB)/4, $1
DATA eight<>+8(SB)/4, $2
DATA eight<>+12(SB)/4, $3
DATA eight<>+16(SB)/4, $4
DATA eight<>+20(SB)/4, $5
DATA eight<>+24(SB)/4, $6
DATA eight<>+28(SB)/4, $7
GLOBL eight<>(SB), RODATA|NOPTR, $32

DATA mulA<>+0(SB)/4, $0xD2511F53
GLOBL mulA<>(SB), RODATA|NOPTR, $4

DATA mulB<>+0(SB)/4, $0xCD9E8D57
GLOBL mulB<>(SB), RODATA|NOPTR, $4

DATA weylA<>+0(SB)/4, $0x9E3779B9
GLOBL weylA<>(SB), RODATA|NOPTR, $4

DATA weylB<>+0(SB)/4, $0xBB67AE85
GLOBL weylB<>(SB), RODATA|NOPTR, $4

DATA unit<>+0(SB)/4, $0x33800000 // 2^-24
GLOBL unit<>(SB), RODATA|NOPTR, $4

// CONSTANTS loads what all blocks have in common; it spoils nothing else.
#define CONSTANTS \
	VPBROADCASTD mulA<>(SB), Y6  \
	VPBROADCASTD mulB<>(SB), Y7  \
	VPBROADCASTD weylA<>(SB), Y8 \
	VPBROADCASTD weylB<>(SB), Y9

// ROUND is one round of eight counters, word by word in Y0 to Y3, under the keys in
// Y4 and Y5, which become those of the next round. Y6 to Y9 are the constants; it
// spoils Y10 to Y14. A product of 32 bits by 32 takes an even element: the odd ones
// are moved there for another.
#define ROUND \
	VMOVSHDUP Y0, Y10              \
	VPMULUDQ  Y6, Y0, Y11          \ // A*c0, even
	VPMULUDQ  Y6, Y10, Y10         \ // odd
	VMOVSHDUP Y2, Y12              \
	VPMULUDQ  Y7, Y2, Y13          \ // B*c2, even
	VPMULUDQ  Y7, Y12, Y12         \ // odd
	VPXOR     Y4, Y1, Y1           \
	VMOVSHDUP Y13, Y14             \
	VPBLENDD  $0xAA, Y12, Y14, Y14 \
	VPXOR     Y1, Y14, Y0          \ // upper half of B*c2 ^ c1 ^ k0
	VMOVSLDUP Y12, Y12             \
	VPBLENDD  $0xAA, Y12, Y13, Y1  \ // lower half
	VPXOR     Y5, Y3, Y3           \
	VMOVSHDUP Y11, Y14             \
	VPBLENDD  $0xAA, Y10, Y14, Y14 \
	VPXOR     Y3, Y14, Y2          \ // upper half of A*c0 ^ c3 ^ k1
	VMOVSLDUP Y10, Y10             \
	VPBLENDD  $0xAA, Y10, Y11, Y3  \ // lower half
	VPADDD    Y8, Y4, Y4           \
	VPADDD    Y9, Y5, Y5

#define ROUNDS \
	ROUND \
	ROUND \
	ROUND \
	ROUND \
	ROUND \
	ROUND \
	ROUND \
	ROUND \
	ROUND \
	ROUND

// INDEX makes the words of eight blocks of the ids whose lower halves are in Y15, one
// block after another in Y10 to Y13. It spoils what ROUND does, and AX.
#define INDEX \
	VMOVDQA      Y15, Y0            \
	VBROADCASTSS hi+28(FP), Y1      \
	VBROADCASTSS tick+32(FP), Y2    \
	VBROADCASTSS c3+36(FP), Y3      \
	VBROADCASTSS k0+40(FP), Y4      \
	VBROADCASTSS k1+44(FP), Y5      \
	ROUNDS                          \
	VPUNPCKLDQ   Y1, Y0, Y10        \ // words 0 and 1 of blocks 0, 1 | 4, 5
	VPUNPCKHDQ   Y1, Y0, Y11        \ // of 2, 3 | 6, 7
	VPUNPCKLDQ   Y3, Y2, Y12        \ // words 2 and 3
	VPUNPCKHDQ   Y3, Y2, Y13        \
	VPUNPCKLQDQ  Y12, Y10, Y0       \ // block 0 | 4
	VPUNPCKHQDQ  Y12, Y10, Y1       \ // 1 | 5
	VPUNPCKLQDQ  Y13, Y11, Y2       \ // 2 | 6
	VPUNPCKHQDQ  Y13, Y11, Y3       \ // 3 | 7
	VPERM2I128   $0x20, Y1, Y0, Y10 \ // 0, 1
	VPERM2I128   $0x20, Y3, Y2, Y11 \ // 2, 3
	VPERM2I128   $0x31, Y1, Y0, Y12 \ // 4, 5
	VPERM2I128   $0x31, Y3, Y2, Y13 \ // 6, 7
	MOVL         $8, AX             \
	VMOVD        AX, X14            \
	VPBROADCASTD X14, Y14           \
	VPADDD       Y14, Y15, Y15

// func fillIDsAVX2(w *words, ids []uint64, tick, c3, k0, k1 uint32)
// Requires: AVX2.
//
//	DI  the next place in the first of the four lanes, which are 256 bytes apart
//	SI  ids   CX  ids left, a multiple of eight
//	Y0 to Y14 as in ROUND
TEXT ·fillIDsAVX2(SB), NOSPLIT, $0-48
	MOVQ w+0(FP), DI
	MOVQ ids_base+8(FP), SI
	MOVQ ids_len+16(FP), CX
	CONSTANTS

loop8:
	SUBQ         $8, CX
	JLT          done
	VMOVUPS      (SI), Y10
	VMOVUPS      32(SI), Y11
	VSHUFPS      $0x88, Y11, Y10, Y0 // lower halves of ids 0, 1, 4, 5, 2, 3, 6, 7
	VSHUFPS      $0xDD, Y11, Y10, Y1 // upper halves
	VPERMQ       $0xD8, Y0, Y0
	VPERMQ       $0xD8, Y1, Y1
	VBROADCASTSS tick+32(FP), Y2
	VBROADCASTSS c3+36(FP), Y3
	VBROADCASTSS k0+40(FP), Y4
	VBROADCASTSS k1+44(FP), Y5
	ROUNDS
	VMOVDQU      Y0, (DI)
	VMOVDQU      Y1, 256(DI)
	VMOVDQU      Y2, 512(DI)
	VMOVDQU      Y3, 768(DI)
	ADDQ         $64, SI
	ADDQ         $32, DI
	JMP          loop8

done:
	VZEROUPPER
	RET

// func fillIndexAVX2(w []uint32, lo, hi, tick, c3, k0, k1 uint32)
// Requires: AVX2.
//
//	DI  w   CX  words left, a multiple of 32
//	Y15 lower halves of eight ids; the upper half does not change
//	Y0 to Y14 as in ROUND, then the blocks one after another
TEXT ·fillIndexAVX2(SB), NOSPLIT, $0-48
	MOVQ         w_base+0(FP), DI
	MOVQ         w_len+8(FP), CX
	CONSTANTS
	VBROADCASTSS lo+24(FP), Y15
	VPADDD       eight<>(SB), Y15, Y15

loop32:
	SUBQ    $32, CX
	JLT     done
	INDEX
	VMOVDQU Y10, (DI)
	VMOVDQU Y11, 32(DI)
	VMOVDQU Y12, 64(DI)
	VMOVDQU Y13, 96(DI)
	ADDQ    $128, DI
	JMP     loop32

done:
	VZEROUPPER
	RET

// UNITS makes numbers from 0 to below 1 of words. It needs 2^-24 in Y14.
#define UNITS(r) \
	VPSRLD    $8, r, r  \
	VCVTDQ2PS r, r      \ // exact
	VMULPS    Y14, r, r

// func unitsIndexAVX2(dst []float32, lo, hi, tick, c3, k0, k1 uint32)
// Requires: AVX2.
//
//	DI  dst   CX  rows left, a multiple of 32
//	Y0 to Y15 as in fillIndexAVX2
TEXT ·unitsIndexAVX2(SB), NOSPLIT, $0-48
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	CONSTANTS
	VBROADCASTSS lo+24(FP), Y15
	VPADDD       eight<>(SB), Y15, Y15

loop32:
	SUBQ         $32, CX
	JLT          done
	INDEX
	VBROADCASTSS unit<>(SB), Y14
	UNITS(Y10)
	UNITS(Y11)
	UNITS(Y12)
	UNITS(Y13)
	VMOVUPS      Y10, (DI)
	VMOVUPS      Y11, 32(DI)
	VMOVUPS      Y12, 64(DI)
	VMOVUPS      Y13, 96(DI)
	ADDQ         $128, DI
	JMP          loop32

done:
	VZEROUPPER
	RET

// func unitsAVX2(dst []float32, w []uint32)
// Requires: AVX2.
//
//	DI dst   SI w   CX  rows left, a multiple of eight
TEXT ·unitsAVX2(SB), NOSPLIT, $0-48
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         w_base+24(FP), SI
	VBROADCASTSS unit<>(SB), Y7

loop8:
	SUBQ      $8, CX
	JLT       done
	VMOVDQU   (SI), Y0
	VPSRLD    $8, Y0, Y0
	VCVTDQ2PS Y0, Y0     // exact
	VMULPS    Y7, Y0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $32, SI
	ADDQ      $32, DI
	JMP       loop8

done:
	VZEROUPPER
	RET
