//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Elements are as in words_amd64.s; a vector has eight counters.

// The number of the block that each element makes: even ones make the first four, so
// that blocks come out in order.
DATA blocks<>+0(SB)/8, $0
DATA blocks<>+8(SB)/8, $4
DATA blocks<>+16(SB)/8, $1
DATA blocks<>+24(SB)/8, $5
DATA blocks<>+32(SB)/8, $2
DATA blocks<>+40(SB)/8, $6
DATA blocks<>+48(SB)/8, $3
DATA blocks<>+56(SB)/8, $7
GLOBL blocks<>(SB), RODATA|NOPTR, $64

DATA numbers<>+0(SB)/4, $0xD2511F53 // A
DATA numbers<>+4(SB)/4, $0xCD9E8D57 // B
DATA numbers<>+8(SB)/4, $0x33800000 // 2^-24
DATA numbers<>+12(SB)/4, $8
GLOBL numbers<>(SB), RODATA|NOPTR, $16

// CONSTANTS loads what all rounds have in common; it spoils nothing else.
#define CONSTANTS \
	VPBROADCASTD numbers<>+0(SB), Z6 \
	VPBROADCASTD numbers<>+4(SB), Z7

// ROUND is one round of eight counters, word by word in Z0, c1, Z2 and c3, under the keys of a
// round, numbered from 0, of the key schedule in AX. Z6 and Z7 are the constants. The next round
// finds its c1 in pb, its c3 in pa.
#define ROUND(c1, c3, pa, pb, round) \
	VPMULUDQ        Z6, Z0, pa                                    \ // A*c0
	VPMULUDQ        Z7, Z2, pb                                    \ // B*c2
	VPSRLQ          $32, pb, Z0                                   \
	VPSRLQ          $32, pa, Z2                                   \
	VPTERNLOGD.BCST $0x96, keySchedule_keys+8*round(AX), c1, Z0   \ // upper half of B*c2 ^ c1 ^ k0
	VPTERNLOGD.BCST $0x96, keySchedule_keys+8*round+4(AX), c3, Z2 // upper half of A*c0 ^ c3 ^ k1

#define EVEN(round) ROUND(Z1, Z3, Z10, Z11, round)
#define ODD(round) ROUND(Z11, Z10, Z3, Z1, round)

// IDS makes the first eight rounds of the ids at SI: the tick and c3 are those of all, so B times
// the tick is known.
#define IDS \
	VMOVDQU64       (SI), Z0                                \
	VPSRLQ          $32, Z0, Z1                             \
	VPMULUDQ        Z6, Z0, Z10                             \ // A*c0
	VPXORD.BCST     keySchedule_tickHighRound0(AX), Z1, Z0  \
	VPSRLQ          $32, Z10, Z2                            \
	VPXORD.BCST     keySchedule_c3Round0(AX), Z2, Z2        \
	VPMULUDQ        Z6, Z0, Z3                              \ // A*c0
	VPMULUDQ        Z7, Z2, Z1                              \ // B*c2
	VPSRLQ          $32, Z1, Z0                             \
	VPXORD.BCST     keySchedule_tickLowRound1(AX), Z0, Z0   \
	VPSRLQ          $32, Z3, Z2                             \
	VPTERNLOGD.BCST $0x96, keySchedule_keys+12(AX), Z10, Z2 \
	EVEN(2)                                                 \
	ODD(3)                                                  \
	EVEN(4)                                                 \
	ODD(5)                                                  \
	EVEN(6)                                                 \
	ODD(7)

// INDEX makes the words of eight blocks, one block after another in Z12 and Z13, of the
// ids whose lower halves are in Z15; the upper one is that of all, so half of the second round is
// known. K1 chooses the upper halves of elements.
#define INDEX \
	VPMULUDQ        Z6, Z15, Z10                           \ // A*c0
	VPSRLQ          $32, Z10, Z2                           \
	VPXORD.BCST     keySchedule_c3Round0(AX), Z2, Z2       \
	VPMULUDQ        Z7, Z2, Z1                             \ // B*c2
	VPXORD.BCST     keySchedule_idHighRound1(AX), Z10, Z2  \
	VPSRLQ          $32, Z1, Z0                            \
	VPXORD.BCST     keySchedule_tickLowRound1(AX), Z0, Z0  \
	VPMULUDQ        Z6, Z0, Z10                            \ // A*c0
	VPMULUDQ        Z7, Z2, Z11                            \ // B*c2
	VPSRLQ          $32, Z11, Z0                           \
	VPSRLQ          $32, Z10, Z2                           \
	VPTERNLOGD.BCST $0x96, keySchedule_keys+16(AX), Z1, Z0 \
	VPXORD.BCST     keySchedule_idLowRound2(AX), Z2, Z2    \
	ODD(3)                                                 \
	EVEN(4)                                                \
	ODD(5)                                                 \
	EVEN(6)                                                \
	ODD(7)                                                 \
	EVEN(8)                                                \
	ODD(9)                                                 \
	VMOVSLDUP       Z1, K1, Z0                             \ // words 0 and 1
	VMOVSLDUP       Z3, K1, Z2                             \ // words 2 and 3
	VPUNPCKLQDQ     Z2, Z0, Z12                            \ // blocks 0 to 3
	VPUNPCKHQDQ     Z2, Z0, Z13                            \ // blocks 4 to 7
	VPADDQ          Z20, Z15, Z15

#define BEGIN \
	CONSTANTS                                \
	VPBROADCASTD keySchedule_nextID(AX), Z15 \
	VPADDD       blocks<>(SB), Z15, Z15      \
	VPBROADCASTD numbers<>+12(SB), Z20       \
	MOVL         $0xAAAA, BX                 \
	KMOVW        BX, K1

// func fillIndexAVX512(w []uint32, s *keySchedule)
// Requires: AVX-512 F.
//
//	DI  w   CX  words left, a multiple of 32
//	AX  s   Z0 to Z20, K1 as in INDEX   BX  work
TEXT ·fillIndexAVX512(SB), NOSPLIT, $0-32
	MOVQ w_base+0(FP), DI
	MOVQ w_len+8(FP), CX
	MOVQ s+24(FP), AX
	BEGIN

loop32:
	SUBQ      $32, CX
	JLT       done
	INDEX
	VMOVDQU32 Z12, (DI)
	VMOVDQU32 Z13, 64(DI)
	ADDQ      $128, DI
	JMP       loop32

done:
	VZEROUPPER
	RET

// func unitsIndexAVX512(dst []float32, s *keySchedule)
// Requires: AVX-512 F.
//
//	DI  dst   CX  rows left, a multiple of 32
//	AX  s   Z21  2^-24; the rest as in INDEX   BX  work
TEXT ·unitsIndexAVX512(SB), NOSPLIT, $0-32
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         s+24(FP), AX
	BEGIN
	VBROADCASTSS numbers<>+8(SB), Z21

loop32:
	SUBQ      $32, CX
	JLT       done
	INDEX
	VPSRLD    $8, Z12, Z12
	VPSRLD    $8, Z13, Z13
	VCVTDQ2PS Z12, Z12      // exact
	VCVTDQ2PS Z13, Z13
	VMULPS    Z21, Z12, Z12
	VMULPS    Z21, Z13, Z13
	VMOVUPS   Z12, (DI)
	VMOVUPS   Z13, 64(DI)
	ADDQ      $128, DI
	JMP       loop32

done:
	VZEROUPPER
	RET

// func fillIDsAVX512(w *words, ids []uint64, s *keySchedule)
// Requires: AVX-512 F.
//
//	DI  the next place in the first of the four lanes, which are 256 bytes apart
//	SI  ids   CX  ids left, a multiple of eight
//	AX  s   Z0 to Z11 as in ROUND
TEXT ·fillIDsAVX512(SB), NOSPLIT, $0-40
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
	VPMOVQD Z0, (DI)
	VPMOVQD Z1, 256(DI)
	VPMOVQD Z2, 512(DI)
	VPMOVQD Z3, 768(DI)
	ADDQ    $64, SI
	ADDQ    $32, DI
	JMP     loop8

done:
	VZEROUPPER
	RET

// func unitsIDsAVX512(dst []float32, ids []uint64, s *keySchedule)
// Requires: AVX-512 F.
//
//	DI  dst   SI  ids   CX  ids left, a multiple of eight
//	AX  s   Y21  2^-24   Z0 to Z11 as in ROUND
TEXT ·unitsIDsAVX512(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         ids_base+24(FP), SI
	MOVQ         ids_len+32(FP), CX
	MOVQ         s+48(FP), AX
	CONSTANTS
	VBROADCASTSS numbers<>+8(SB), Z21

loop8:
	SUBQ            $8, CX
	JLT             done
	IDS
	VPMULUDQ        Z6, Z0, Z10                             // A*c0
	VPMULUDQ        Z7, Z2, Z11                             // B*c2, whose lower half is c1
	VPSRLQ          $32, Z10, Z2
	VPTERNLOGD.BCST $0x96, keySchedule_keys+68(AX), Z3, Z2
	VPMULUDQ        Z7, Z2, Z1                              // B*c2
	VPSRLQ          $32, Z1, Z0
	VPTERNLOGD.BCST $0x96, keySchedule_keys+72(AX), Z11, Z0
	VPSRLD          $8, Z0, Z0
	VCVTDQ2PS       Z0, Z0                                  // exact
	VMULPS          Z21, Z0, Z0
	VPMOVQD         Z0, (DI)
	ADDQ            $64, SI
	ADDQ            $32, DI
	JMP             loop8

done:
	VZEROUPPER
	RET
