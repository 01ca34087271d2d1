//go:build !purego

#include "textflag.h"

// The places of the samples of four pixels, in sixteenths from the corner of the first:
// of each pixel the four with odd numbers, and the four with even ones.

DATA oddX<>+0(SB)/8, $0x000F000B00070003
DATA oddX<>+8(SB)/8, $0x001F001B00170013
DATA oddX<>+16(SB)/8, $0x002F002B00270023
DATA oddX<>+24(SB)/8, $0x003F003B00370033
GLOBL oddX<>(SB), RODATA|NOPTR, $32

DATA evenX<>+0(SB)/8, $0x000D000900050001
DATA evenX<>+8(SB)/8, $0x001D001900150011
DATA evenX<>+16(SB)/8, $0x002D002900250021
DATA evenX<>+24(SB)/8, $0x003D003900350031
GLOBL evenX<>(SB), RODATA|NOPTR, $32

DATA oddY<>+0(SB)/8, $0x000F000B000D0009
DATA oddY<>+8(SB)/8, $0x000F000B000D0009
DATA oddY<>+16(SB)/8, $0x000F000B000D0009
DATA oddY<>+24(SB)/8, $0x000F000B000D0009
GLOBL oddY<>(SB), RODATA|NOPTR, $32

DATA evenY<>+0(SB)/8, $0x0007000300050001
DATA evenY<>+8(SB)/8, $0x0007000300050001
DATA evenY<>+16(SB)/8, $0x0007000300050001
DATA evenY<>+24(SB)/8, $0x0007000300050001
GLOBL evenY<>(SB), RODATA|NOPTR, $32

// Numbers of sixteen bits: the samples of a pixel, and what rounds their mean.

DATA eight<>+0(SB)/8, $0x0008000800080008
DATA eight<>+8(SB)/8, $0x0008000800080008
DATA eight<>+16(SB)/8, $0x0008000800080008
DATA eight<>+24(SB)/8, $0x0008000800080008
GLOBL eight<>(SB), RODATA|NOPTR, $32

DATA four<>+0(SB)/8, $0x0004000400040004
DATA four<>+8(SB)/8, $0x0004000400040004
DATA four<>+16(SB)/8, $0x0004000400040004
DATA four<>+24(SB)/8, $0x0004000400040004
GLOBL four<>(SB), RODATA|NOPTR, $32

// spreads takes the lowest sixteen bits of each pixel four times.

DATA spreads<>+0(SB)/8, $0x0100010001000100
DATA spreads<>+8(SB)/8, $0x0908090809080908
DATA spreads<>+16(SB)/8, $0x0100010001000100
DATA spreads<>+24(SB)/8, $0x0908090809080908
GLOBL spreads<>(SB), RODATA|NOPTR, $32

// SIGNS sets hi to the sign of each sixteen bits, lo to the bit below.
#define SIGNS(hi, lo) \
	VPCMPEQW hi, hi, hi  \
	VPSLLW   $15, hi, hi \
	VPSRLW   $1, hi, lo

// COUNT counts the samples of four pixels in m, a wide mask, and has the number in
// each sixteen bits of them. m is spoilt; zero is 0.
#define COUNT(m, zero, n) \
	VPSRLW  $14, m, n           \ // 2*odd + even
	VPSRLW  $15, m, m           \
	VPSUBW  m, n, n             \
	VPSADBW zero, n, n          \
	VPSHUFB spreads<>(SB), n, n

// START finds an edge at all samples of four pixels: odd and even, and in step how much
// that is more in the next row. v is the edge at the corner of the first pixel, at its
// offset from SI. All is exact but the last sums, which have the right sign. It spoils
// Y12 to Y15.
#define START(v, at, odd, even, step) \
	VMOVQ        v, X14                 \
	VPACKSSDW    X14, X14, X14          \
	VPBROADCASTW X14, Y14               \
	VPBROADCASTW at+0(SI), Y15          \
	VPMULLW      oddX<>(SB), Y15, odd   \
	VPMULLW      evenX<>(SB), Y15, even \
	VPBROADCASTW at+8(SI), Y15          \
	VPSLLW       $4, Y15, step          \
	VPMULLW      oddY<>(SB), Y15, Y12   \
	VPMULLW      evenY<>(SB), Y15, Y13  \
	VPADDW       Y12, odd, odd          \ // a*x + b*y
	VPADDW       Y13, even, even        \
	VPADDSW      Y14, odd, odd          \
	VPADDSW      Y14, even, even

// func tinyAVX2(sums *uint64, stride, groups, rows int, e *[3]edge, color uint64)
// Requires: AVX2.
//
//	DI  the first row of the group   DX stride   BX groups left
//	AX  the row                      CX rows left
//	SI  edges   R8, R9, R10 each at the group's corner   R11, R12, R13 what they grow by
//	Y0 to Y5    the edges at the samples: odd and even of each
//	Y6, Y7, Y8  what they grow by to the next row
//	Y9, Y10     signs, and the bits below
//	Y11         color in each pixel
//	Y12 to Y14  work   Y15 0 in the loop of rows
TEXT ·tinyAVX2(SB), NOSPLIT, $0-48
	MOVQ         sums+0(FP), DI
	MOVQ         stride+8(FP), DX
	MOVQ         groups+16(FP), BX
	MOVQ         e+32(FP), SI
	VPBROADCASTQ color+40(FP), Y11
	SIGNS(Y9, Y10)
	MOVQ         16(SI), R8
	MOVQ         40(SI), R9
	MOVQ         64(SI), R10
	MOVQ         0(SI), R11
	MOVQ         24(SI), R12
	MOVQ         48(SI), R13
	SHLQ         $6, R11
	SHLQ         $6, R12
	SHLQ         $6, R13

group:
	START(R8, 0, Y0, Y1, Y6)
	START(R9, 24, Y2, Y3, Y7)
	START(R10, 48, Y4, Y5, Y8)
	VPXOR Y15, Y15, Y15
	MOVQ  DI, AX
	MOVQ  rows+24(FP), CX

row:
	VPOR    Y0, Y2, Y12   // below 0 if one of them is
	VPOR    Y1, Y3, Y13
	VPOR    Y4, Y12, Y12
	VPOR    Y5, Y13, Y13
	VMOVDQU (AX), Y14
	VPSRLW  $1, Y13, Y13
	VPANDN  Y9, Y12, Y12
	VPANDN  Y10, Y13, Y13
	VPOR    Y13, Y12, Y12
	VPANDN  Y12, Y14, Y12 // the samples that no cover has yet
	VPOR    Y12, Y14, Y14
	COUNT(Y12, Y15, Y13)
	VPMULLW Y11, Y13, Y13
	VPADDW  Y13, Y14, Y14
	VMOVDQU Y14, (AX)
	VPADDSW Y6, Y0, Y0
	VPADDSW Y6, Y1, Y1
	VPADDSW Y7, Y2, Y2
	VPADDSW Y7, Y3, Y3
	VPADDSW Y8, Y4, Y4
	VPADDSW Y8, Y5, Y5
	ADDQ    DX, AX
	DECQ    CX
	JNZ     row

	ADDQ R11, R8
	ADDQ R12, R9
	ADDQ R13, R10
	ADDQ $32, DI
	DECQ BX
	JNZ  group
	VZEROUPPER
	RET

// SHARE is what four pixels are in sixteen bits a channel: the mean of their sums and of
// what they were, in the samples that are left. Y10, Y11 and Y12 are wide masks, 0 and
// eight; it spoils Y13 and Y14.
#define SHARE(at, sum) \
	VPAND     Y10, sum, Y13        \
	VPANDN    sum, Y10, sum        \
	COUNT(Y13, Y11, Y14)           \
	VPSUBW    Y14, Y12, Y14        \
	VPMOVZXBW at, Y13              \
	VPMULLW   Y14, Y13, Y13        \
	VPADDW    Y13, sum, sum        \
	VPADDW    four<>(SB), sum, sum \
	VPSRLW    $3, sum, sum

// func resolveAVX2(pix []byte, sums []uint64)
// Requires: AVX2.
//
//	DI pix   SI sums   CX sums left, a multiple of eight
//	Y10, Y11, Y12  wide masks, 0 and eight
//	Y0, Y1         the pixels   Y13, Y14 work
TEXT ·resolveAVX2(SB), NOSPLIT, $0-48
	MOVQ    pix_base+0(FP), DI
	MOVQ    sums_base+24(FP), SI
	MOVQ    sums_len+32(FP), CX
	SIGNS(Y10, Y11)
	VPOR    Y11, Y10, Y10
	VPXOR   Y11, Y11, Y11
	VMOVDQU eight<>(SB), Y12

loop8:
	SUBQ      $8, CX
	JLT       done
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPOR      Y1, Y0, Y2
	VPTEST    Y2, Y2
	JEQ       next          // nothing was drawn
	VMOVDQU   Y11, (SI)
	VMOVDQU   Y11, 32(SI)
	SHARE((DI), Y0)
	SHARE(16(DI), Y1)
	VPACKUSWB Y1, Y0, Y0    // pixels 0, 1, 4, 5, 2, 3, 6, 7
	VPERMQ    $0xD8, Y0, Y0
	VMOVDQU   Y0, (DI)

next:
	ADDQ $64, SI
	ADDQ $32, DI
	JMP  loop8

done:
	VZEROUPPER
	RET
