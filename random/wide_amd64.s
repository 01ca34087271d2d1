//go:build !purego

#include "textflag.h"

// Here an element of 64 bits has one number of 32 in its lower half; what is in the upper
// one does not matter: a product takes the lower halves alone.

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
DATA numbers<>+8(SB)/4, $0x9E3779B9 // added to k0
DATA numbers<>+12(SB)/4, $0xBB67AE85 // to k1
DATA numbers<>+16(SB)/4, $0x33800000 // 2^-24
DATA numbers<>+20(SB)/4, $8
GLOBL numbers<>(SB), RODATA|NOPTR, $24

// CONSTANTS loads what all blocks have in common; it spoils nothing else.
#define CONSTANTS \
	VPBROADCASTD numbers<>+0(SB), Z6 \
	VPBROADCASTD numbers<>+4(SB), Z7

// ROUND is one round of eight counters, word by word in Z0, c1, Z2 and c3, under the two
// keys at k. Z6 and Z7 are the constants. The next round finds its c1 in pb, its c3 in pa.
#define ROUND(c1, c3, pa, pb, k) \
	VPMULUDQ        Z6, Z0, pa             \ // A*c0
	VPMULUDQ        Z7, Z2, pb             \ // B*c2
	VPSRLQ          $32, pb, Z0            \
	VPSRLQ          $32, pa, Z2            \
	VPTERNLOGQ.BCST $0x96, k(SP), c1, Z0   \ // upper half of B*c2 ^ c1 ^ k0
	VPTERNLOGQ.BCST $0x96, 8+k(SP), c3, Z2 // upper half of A*c0 ^ c3 ^ k1

#define TWO(k) \
	ROUND(Z1, Z3, Z10, Z11, k)    \
	ROUND(Z11, Z10, Z3, Z1, 16+k)

// ROUNDS makes words of the counters in Z0 to Z3. It spoils Z10 and Z11.
#define ROUNDS \
	TWO(0)   \
	TWO(32)  \
	TWO(64)  \
	TWO(96)  \
	TWO(128)

// KEYS writes the keys of ten rounds to the frame, of which R8 and R9 hold the first; it
// spoils AX.
#define KEYS \
	XORL AX, AX               \
	MOVQ R8, (SP)(AX*1)       \
	MOVQ R9, 8(SP)(AX*1)      \
	ADDL numbers<>+8(SB), R8  \
	ADDL numbers<>+12(SB), R9 \
	ADDL $16, AX              \
	CMPL AX, $160             \
	JLT  -6(PC)

// INDEX makes the words of eight blocks, one block after another in Z12 and Z13, of the
// ids whose lower halves are in Z15 and whose upper ones in Z14; tick and c3 are in
// Z16 and Z17. K1 chooses the upper halves of elements.
#define INDEX \
	VMOVDQA64   Z15, Z0       \
	VMOVDQA64   Z14, Z1       \
	VMOVDQA64   Z16, Z2       \
	VMOVDQA64   Z17, Z3       \
	ROUNDS                    \
	VMOVSLDUP   Z1, K1, Z0    \ // words 0 and 1
	VMOVSLDUP   Z3, K1, Z2    \ // words 2 and 3
	VPUNPCKLQDQ Z2, Z0, Z12   \ // blocks 0 to 3
	VPUNPCKHQDQ Z2, Z0, Z13   \ // blocks 4 to 7
	VPADDQ      Z20, Z15, Z15

#define BEGIN \
	CONSTANTS                           \
	VBROADCASTSS lo+24(FP), Z15         \
	VPADDD       blocks<>(SB), Z15, Z15 \
	VBROADCASTSS hi+28(FP), Z14         \
	VBROADCASTSS tick+32(FP), Z16       \
	VBROADCASTSS c3+36(FP), Z17         \
	MOVL         k0+40(FP), R8          \
	MOVL         k1+44(FP), R9          \
	KEYS                                \
	VPBROADCASTD numbers<>+20(SB), Z20  \
	MOVL         $0xAAAA, AX            \
	KMOVW        AX, K1

// func fillIndexAVX512(w []uint32, lo, hi, tick, c3, k0, k1 uint32)
// Requires: AVX-512 F.
//
//	DI  w   CX  words left, a multiple of 32
//	Z0 to Z20, K1 as in INDEX   the frame: keys
TEXT ·fillIndexAVX512(SB), NOSPLIT, $160-48
	MOVQ w_base+0(FP), DI
	MOVQ w_len+8(FP), CX
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

// func unitsIndexAVX512(dst []float32, lo, hi, tick, c3, k0, k1 uint32)
// Requires: AVX-512 F.
//
//	DI  dst   CX  rows left, a multiple of 32
//	Z21  2^-24; the rest as in INDEX
TEXT ·unitsIndexAVX512(SB), NOSPLIT, $160-48
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	BEGIN
	VBROADCASTSS numbers<>+16(SB), Z21

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

// func fillIDsAVX512(w *words, ids []uint64, tick, c3, k0, k1 uint32)
// Requires: AVX-512 F.
//
//	DI  the next place in the first of the four lanes, which are 256 bytes apart
//	SI  ids   CX  ids left, a multiple of eight
//	Z0 to Z11 as in ROUND   Z16, Z17 tick and c3
TEXT ·fillIDsAVX512(SB), NOSPLIT, $160-48
	MOVQ         w+0(FP), DI
	MOVQ         ids_base+8(FP), SI
	MOVQ         ids_len+16(FP), CX
	CONSTANTS
	VBROADCASTSS tick+32(FP), Z16
	VBROADCASTSS c3+36(FP), Z17
	MOVL         k0+40(FP), R8
	MOVL         k1+44(FP), R9
	KEYS

loop8:
	SUBQ      $8, CX
	JLT       done
	VMOVDQU64 (SI), Z0
	VPSRLQ    $32, Z0, Z1
	VMOVDQA64 Z16, Z2
	VMOVDQA64 Z17, Z3
	ROUNDS
	VPMOVQD   Z0, (DI)
	VPMOVQD   Z1, 256(DI)
	VPMOVQD   Z2, 512(DI)
	VPMOVQD   Z3, 768(DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	JMP       loop8

done:
	VZEROUPPER
	RET
