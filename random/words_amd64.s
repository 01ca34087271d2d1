//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Here an element of 64 bits has one number of 32 in its lower half; what is in the upper
// one does not matter: a product takes the lower halves alone. So a vector has four
// counters, and two of them go through the rounds beside each other.

// The number of the block that each element makes: even ones make the first two, so
// that blocks come out in order.
DATA four<>+0(SB)/8, $0
DATA four<>+8(SB)/8, $2
DATA four<>+16(SB)/8, $1
DATA four<>+24(SB)/8, $3
DATA four<>+32(SB)/8, $4
DATA four<>+40(SB)/8, $6
DATA four<>+48(SB)/8, $5
DATA four<>+56(SB)/8, $7
GLOBL four<>(SB), RODATA|NOPTR, $64

DATA mulA<>+0(SB)/4, $0xD2511F53
GLOBL mulA<>(SB), RODATA|NOPTR, $4

DATA mulB<>+0(SB)/4, $0xCD9E8D57
GLOBL mulB<>(SB), RODATA|NOPTR, $4

DATA unit<>+0(SB)/4, $0x33800000 // 2^-24
GLOBL unit<>(SB), RODATA|NOPTR, $4

// CONSTANTS loads what all rounds have in common; it spoils nothing else.
#define CONSTANTS \
	VPBROADCASTD mulA<>(SB), Y12 \
	VPBROADCASTD mulB<>(SB), Y13

// KEYS loads the keys of a round, numbered from 0, of the key schedule in AX.
#define KEYS(round) \
	VPBROADCASTD keySchedule_keys+8*round(AX), Y14   \
	VPBROADCASTD keySchedule_keys+8*round+4(AX), Y15

// ROUND is one round of four counters, word by word in c0 to c3, under the keys in Y14 and
// Y15. Y12 and Y13 are the constants. The next round finds its c1 in pb, its c3 in pa.
#define ROUND(c0, c1, c2, c3, pa, pb) \
	VPMULUDQ Y12, c0, pa \ // A*c0
	VPMULUDQ Y13, c2, pb \ // B*c2
	VPXOR    Y14, c1, c1 \
	VPXOR    Y15, c3, c3 \
	VPSRLQ   $32, pb, c0 \
	VPSRLQ   $32, pa, c2 \
	VPXOR    c1, c0, c0  \ // upper half of B*c2 ^ c1 ^ k0
	VPXOR    c3, c2, c2  // upper half of A*c0 ^ c3 ^ k1

// EVEN and ODD are rounds of all eight counters.
#define EVEN(round) \
	KEYS(round)                     \
	ROUND(Y0, Y1, Y2, Y3, Y8, Y9)   \
	ROUND(Y4, Y5, Y6, Y7, Y10, Y11)

#define ODD(round) \
	KEYS(round)                     \
	ROUND(Y0, Y9, Y2, Y8, Y3, Y1)   \
	ROUND(Y4, Y11, Y6, Y10, Y7, Y5)

// FIRSTIDS are the rounds 0 and 1 of four ids in c0: the tick and c3 are those of all, so B
// times the tick is known.
#define FIRSTIDS(c0, c1, c2, c3, pa) \
	VPSRLQ       $32, c0, c1                         \
	VPMULUDQ     Y12, c0, pa                         \ // A*c0
	VPBROADCASTD keySchedule_tickHighRound0(AX), Y14 \
	VPXOR        Y14, c1, c0                         \
	VPSRLQ       $32, pa, c2                         \
	VPBROADCASTD keySchedule_c3Round0(AX), Y15       \
	VPXOR        Y15, c2, c2                         \
	VPMULUDQ     Y12, c0, c3                         \ // A*c0
	VPMULUDQ     Y13, c2, c1                         \ // B*c2
	VPBROADCASTD keySchedule_keys+12(AX), Y15        \
	VPXOR        Y15, pa, pa                         \
	VPBROADCASTD keySchedule_tickLowRound1(AX), Y14  \
	VPSRLQ       $32, c1, c0                         \
	VPXOR        Y14, c0, c0                         \
	VPSRLQ       $32, c3, c2                         \
	VPXOR        pa, c2, c2

// FIRSTINDEX are they where all ids have the upper half that is in the key schedule, too: then
// half of the second round is known.
#define FIRSTINDEX(c0, c1, c2, pa) \
	VPMULUDQ     Y12, c0, pa                        \ // A*c0
	VPSRLQ       $32, pa, c2                        \
	VPBROADCASTD keySchedule_c3Round0(AX), Y15      \
	VPXOR        Y15, c2, c2                        \
	VPMULUDQ     Y13, c2, c1                        \ // B*c2
	VPBROADCASTD keySchedule_idHighRound1(AX), Y15  \
	VPXOR        Y15, pa, c2                        \
	VPBROADCASTD keySchedule_tickLowRound1(AX), Y14 \
	VPSRLQ       $32, c1, c0                        \
	VPXOR        Y14, c0, c0

// THIRDINDEX is the round 2 behind FIRSTINDEX.
#define THIRDINDEX(c0, c1, c2, pa, pb) \
	VPMULUDQ Y12, c0, pa \ // A*c0
	VPMULUDQ Y13, c2, pb \ // B*c2
	VPXOR    Y14, c1, c1 \
	VPSRLQ   $32, pb, c0 \
	VPSRLQ   $32, pa, c2 \
	VPXOR    c1, c0, c0  \
	VPXOR    Y15, c2, c2

// IDS begins with eight ids at SI: rounds 0 to 7.
#define IDS \
	VMOVDQU (SI), Y0              \
	VMOVDQU 32(SI), Y4            \
	FIRSTIDS(Y0, Y1, Y2, Y3, Y8)  \
	FIRSTIDS(Y4, Y5, Y6, Y7, Y10) \
	EVEN(2)                       \
	ODD(3)                        \
	EVEN(4)                       \
	ODD(5)                        \
	EVEN(6)                       \
	ODD(7)

// LASTUNIT leaves word 0 alone of the rounds 8 and 9 in c0: what it does not need is left out.
#define LASTUNIT(c0, c1, c2, c3, pa, pb, k18, k09) \
	VPMULUDQ Y12, c0, pa \ // A*c0
	VPMULUDQ Y13, c2, pb \ // B*c2, whose lower half is c1
	VPXOR    k18, c3, c3 \
	VPSRLQ   $32, pa, c2 \
	VPXOR    c3, c2, c2  \
	VPMULUDQ Y13, c2, c1 \ // B*c2
	VPXOR    k09, pb, pb \
	VPSRLQ   $32, c1, c0 \
	VPXOR    pb, c0, c0

// LOWER puts the lower halves of eight elements into to, in their order.
#define LOWER(one, two, to) \
	VSHUFPS $0x88, two, one, to \ // 0, 1, 4, 5, 2, 3, 6, 7
	VPERMQ  $0xD8, to, to

// BLOCKS puts four words of four blocks behind each other, the first two blocks in lo and the
// others in hi.
#define BLOCKS(c0, c1, c2, c3, lo, hi) \
	VPSLLQ      $32, c1, c1       \
	VPSLLQ      $32, c3, c3       \
	VPBLENDD    $0xAA, c1, c0, c0 \ // words 0 and 1
	VPBLENDD    $0xAA, c3, c2, c2 \ // words 2 and 3
	VPUNPCKLQDQ c2, c0, lo        \
	VPUNPCKHQDQ c2, c0, hi

// INDEX makes the words of eight blocks, one block after another in Y8 to Y11, of the ids from
// keySchedule.nextID on.
#define INDEX \
	VPBROADCASTD keySchedule_nextID(AX), Y4       \
	ADDL         $8, keySchedule_nextID(AX)       \
	VPADDD       four<>+0(SB), Y4, Y0             \
	VPADDD       four<>+32(SB), Y4, Y4            \
	FIRSTINDEX(Y0, Y1, Y2, Y8)                    \
	FIRSTINDEX(Y4, Y5, Y6, Y10)                   \
	VPBROADCASTD keySchedule_keys+16(AX), Y14     \
	VPBROADCASTD keySchedule_idLowRound2(AX), Y15 \
	THIRDINDEX(Y0, Y1, Y2, Y8, Y9)                \
	THIRDINDEX(Y4, Y5, Y6, Y10, Y11)              \
	ODD(3)                                        \
	EVEN(4)                                       \
	ODD(5)                                        \
	EVEN(6)                                       \
	ODD(7)                                        \
	EVEN(8)                                       \
	ODD(9)                                        \
	BLOCKS(Y0, Y1, Y2, Y3, Y8, Y9)                \
	BLOCKS(Y4, Y5, Y6, Y7, Y10, Y11)

// func fillIDsAVX2(w *words, ids []uint64, s *keySchedule)
// Requires: AVX2.
//
//	DI  the next place in the first of the four lanes, which are 256 bytes apart
//	SI  ids   CX  ids left, a multiple of eight
//	AX  s   Y0 to Y15 as in IDS
TEXT ·fillIDsAVX2(SB), NOSPLIT, $0-40
	MOVQ w+0(FP), DI
	MOVQ ids_base+8(FP), SI
	MOVQ ids_len+16(FP), CX
	MOVQ s+32(FP), AX
	CONSTANTS

loop8:
	SUBQ    $8, CX
	JLT     done
	IDS
	EVEN(8)
	ODD(9)
	LOWER(Y0, Y4, Y0)
	LOWER(Y1, Y5, Y1)
	LOWER(Y2, Y6, Y2)
	LOWER(Y3, Y7, Y3)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 256(DI)
	VMOVDQU Y2, 512(DI)
	VMOVDQU Y3, 768(DI)
	ADDQ    $64, SI
	ADDQ    $32, DI
	JMP     loop8

done:
	VZEROUPPER
	RET

// func unitsIDsAVX2(dst []float32, ids []uint64, s *keySchedule)
// Requires: AVX2.
//
//	DI  dst   SI  ids   CX  ids left, a multiple of eight
//	AX  s   Y0 to Y15 as in IDS
TEXT ·unitsIDsAVX2(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DI
	MOVQ ids_base+24(FP), SI
	MOVQ ids_len+32(FP), CX
	MOVQ s+48(FP), AX
	CONSTANTS

loop8:
	SUBQ         $8, CX
	JLT          done
	IDS
	VPBROADCASTD keySchedule_keys+68(AX), Y14
	VPBROADCASTD keySchedule_keys+72(AX), Y15
	LASTUNIT(Y0, Y1, Y2, Y3, Y8, Y9, Y14, Y15)
	LASTUNIT(Y4, Y5, Y6, Y7, Y10, Y11, Y14, Y15)
	LOWER(Y0, Y4, Y0)
	VPBROADCASTD unit<>(SB), Y14
	VPSRLD       $8, Y0, Y0
	VCVTDQ2PS    Y0, Y0                       // exact
	VMULPS       Y14, Y0, Y0
	VMOVUPS      Y0, (DI)
	ADDQ         $64, SI
	ADDQ         $32, DI
	JMP          loop8

done:
	VZEROUPPER
	RET

// func fillIndexAVX2(w []uint32, s *keySchedule)
// Requires: AVX2.
//
//	DI  w   CX  words left, a multiple of 32
//	AX  s   Y0 to Y15 as in INDEX
TEXT ·fillIndexAVX2(SB), NOSPLIT, $0-32
	MOVQ w_base+0(FP), DI
	MOVQ w_len+8(FP), CX
	MOVQ s+24(FP), AX
	CONSTANTS

loop32:
	SUBQ    $32, CX
	JLT     done
	INDEX
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, 32(DI)
	VMOVDQU Y10, 64(DI)
	VMOVDQU Y11, 96(DI)
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

// func unitsIndexAVX2(dst []float32, s *keySchedule)
// Requires: AVX2.
//
//	DI  dst   CX  rows left, a multiple of 32
//	AX  s   Y0 to Y15 as in INDEX
TEXT ·unitsIndexAVX2(SB), NOSPLIT, $0-32
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ s+24(FP), AX
	CONSTANTS

loop32:
	SUBQ         $32, CX
	JLT          done
	INDEX
	VPBROADCASTD unit<>(SB), Y14
	UNITS(Y8)
	UNITS(Y9)
	UNITS(Y10)
	UNITS(Y11)
	VMOVUPS      Y8, (DI)
	VMOVUPS      Y9, 32(DI)
	VMOVUPS      Y10, 64(DI)
	VMOVUPS      Y11, 96(DI)
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
