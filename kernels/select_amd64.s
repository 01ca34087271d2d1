//go:build !purego

#include "textflag.h"

// Select, Compress and Convert, AVX2 and AVX-512.

// The bits of a mask are spread over the elements of a register by shifting bit
// k to the sign of element k, which is all that a blend looks at: 32 rows of
// float32 take their bits from four bytes, 16 rows of float64 from two.
DATA signs32<>+0(SB)/8, $0x0000001e0000001f
DATA signs32<>+8(SB)/8, $0x0000001c0000001d
DATA signs32<>+16(SB)/8, $0x0000001a0000001b
DATA signs32<>+24(SB)/8, $0x0000001800000019
DATA signs32<>+32(SB)/8, $0x0000001600000017
DATA signs32<>+40(SB)/8, $0x0000001400000015
DATA signs32<>+48(SB)/8, $0x0000001200000013
DATA signs32<>+56(SB)/8, $0x0000001000000011
DATA signs32<>+64(SB)/8, $0x0000000e0000000f
DATA signs32<>+72(SB)/8, $0x0000000c0000000d
DATA signs32<>+80(SB)/8, $0x0000000a0000000b
DATA signs32<>+88(SB)/8, $0x0000000800000009
DATA signs32<>+96(SB)/8, $0x0000000600000007
DATA signs32<>+104(SB)/8, $0x0000000400000005
DATA signs32<>+112(SB)/8, $0x0000000200000003
DATA signs32<>+120(SB)/8, $0x0000000000000001
GLOBL signs32<>(SB), RODATA|NOPTR, $128
DATA signs64<>+0(SB)/8, $63
DATA signs64<>+8(SB)/8, $62
DATA signs64<>+16(SB)/8, $61
DATA signs64<>+24(SB)/8, $60
DATA signs64<>+32(SB)/8, $59
DATA signs64<>+40(SB)/8, $58
DATA signs64<>+48(SB)/8, $57
DATA signs64<>+56(SB)/8, $56
DATA signs64<>+64(SB)/8, $55
DATA signs64<>+72(SB)/8, $54
DATA signs64<>+80(SB)/8, $53
DATA signs64<>+88(SB)/8, $52
DATA signs64<>+96(SB)/8, $51
DATA signs64<>+104(SB)/8, $50
DATA signs64<>+112(SB)/8, $49
DATA signs64<>+120(SB)/8, $48
GLOBL signs64<>(SB), RODATA|NOPTR, $128

// SELECT32 and SELECT64 store one vector of rows: y, or x where the mask in Y0,
// shifted by signs, has its sign. They spoil Y1 and Y2.
#define SELECT32(at, signs) \
	VPSLLVD   signs, Y0, Y1      \
	VMOVUPS   at(DX), Y2         \
	VBLENDVPS Y1, at(SI), Y2, Y2 \
	VMOVUPS   Y2, at(DI)

#define SELECT64(at, signs) \
	VPSLLVQ   signs, Y0, Y1      \
	VMOVUPD   at(DX), Y2         \
	VBLENDVPD Y1, at(SI), Y2, Y2 \
	VMOVUPD   Y2, at(DI)

// SELECT1 stores one row of the given size in bytes: AX are the bits from this
// row on. It spoils R9 and R10.
#define SELECT1(MOV, size) \
	MOVQ    DX, R9    \
	SHRQ    $1, AX    \
	CMOVQCS SI, R9    \
	MOV     (R9), R10 \
	MOV     R10, (DI) \
	ADDQ    size, SI  \
	ADDQ    size, DX  \
	ADDQ    size, DI

// func selectF32AVX2(dst []float32, mask []uint64, x, y []float32)
// Requires: AVX2.
//
//	DI dst   BX mask   SI x   DX y   advanced by the loops
//	CX       rows left
//	Y0       bits of the mask
//	Y12-Y15  what shifts them to signs
TEXT ·selectF32AVX2(SB), NOSPLIT, $0-96
	MOVQ    dst_base+0(FP), DI
	MOVQ    dst_len+8(FP), CX
	MOVQ    mask_base+24(FP), BX
	MOVQ    x_base+48(FP), SI
	MOVQ    y_base+72(FP), DX
	VMOVDQU signs32<>+0(SB), Y12
	VMOVDQU signs32<>+32(SB), Y13
	VMOVDQU signs32<>+64(SB), Y14
	VMOVDQU signs32<>+96(SB), Y15

	SUBQ $32, CX
	JLT  tail

loop32:
	VPBROADCASTD (BX), Y0
	SELECT32(0, Y12)
	SELECT32(32, Y13)
	SELECT32(64, Y14)
	SELECT32(96, Y15)
	ADDQ         $4, BX
	ADDQ         $128, SI
	ADDQ         $128, DX
	ADDQ         $128, DI
	SUBQ         $32, CX
	JGE          loop32

tail:
	ADDQ $24, CX
	JLT  last

loop8:
	VPBROADCASTB (BX), Y0
	SELECT32(0, Y12)
	ADDQ         $1, BX
	ADDQ         $32, SI
	ADDQ         $32, DX
	ADDQ         $32, DI
	SUBQ         $8, CX
	JGE          loop8

last:
	ADDQ    $8, CX
	JZ      done
	MOVBLZX (BX), AX

loop1:
	SELECT1(MOVL, $4)
	SUBQ $1, CX
	JNZ  loop1

done:
	VZEROUPPER
	RET

// func selectF64AVX2(dst []float64, mask []uint64, x, y []float64)
// Requires: AVX2.
//
//	DI dst   BX mask   SI x   DX y   advanced by the loops
//	CX       rows left
//	Y0       bits of the mask
//	Y12-Y15  what shifts them to signs
TEXT ·selectF64AVX2(SB), NOSPLIT, $0-96
	MOVQ    dst_base+0(FP), DI
	MOVQ    dst_len+8(FP), CX
	MOVQ    mask_base+24(FP), BX
	MOVQ    x_base+48(FP), SI
	MOVQ    y_base+72(FP), DX
	VMOVDQU signs64<>+0(SB), Y12
	VMOVDQU signs64<>+32(SB), Y13
	VMOVDQU signs64<>+64(SB), Y14
	VMOVDQU signs64<>+96(SB), Y15

	SUBQ $16, CX
	JLT  tail

loop16:
	VPBROADCASTW (BX), Y0
	SELECT64(0, Y12)
	SELECT64(32, Y13)
	SELECT64(64, Y14)
	SELECT64(96, Y15)
	ADDQ         $2, BX
	ADDQ         $128, SI
	ADDQ         $128, DX
	ADDQ         $128, DI
	SUBQ         $16, CX
	JGE          loop16

tail:
	ADDQ    $16, CX
	JZ      done
	MOVWLZX (BX), AX

loop1:
	SELECT1(MOVQ, $8)
	SUBQ $1, CX
	JNZ  loop1

done:
	VZEROUPPER
	RET

// func selectF32AVX512(dst []float32, mask []uint64, x, y []float32)
// Requires: AVX-512 and BMI2.
//
//	DI dst   BX mask   SI x   DX y   advanced by the loops
//	CX rows left
TEXT ·selectF32AVX512(SB), NOSPLIT, $0-96
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ mask_base+24(FP), BX
	MOVQ x_base+48(FP), SI
	MOVQ y_base+72(FP), DX

	SUBQ $64, CX
	JLT  tail

loop64:
	KMOVW   (BX), K1
	KMOVW   2(BX), K2
	KMOVW   4(BX), K3
	KMOVW   6(BX), K4
	VMOVUPS (DX), Z0
	VMOVUPS 64(DX), Z1
	VMOVUPS 128(DX), Z2
	VMOVUPS 192(DX), Z3
	VMOVUPS (SI), K1, Z0
	VMOVUPS 64(SI), K2, Z1
	VMOVUPS 128(SI), K3, Z2
	VMOVUPS 192(SI), K4, Z3
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	ADDQ    $8, BX
	ADDQ    $256, SI
	ADDQ    $256, DX
	ADDQ    $256, DI
	SUBQ    $64, CX
	JGE     loop64

tail:
	ADDQ $48, CX
	JLT  last

loop16:
	KMOVW   (BX), K1
	VMOVUPS (DX), Z0
	VMOVUPS (SI), K1, Z0
	VMOVUPS Z0, (DI)
	ADDQ    $2, BX
	ADDQ    $64, SI
	ADDQ    $64, DX
	ADDQ    $64, DI
	SUBQ    $16, CX
	JGE     loop16

last:
	ADDQ      $16, CX
	JZ        done
	MOVL      $-1, AX
	BZHIL     CX, AX, AX
	KMOVW     AX, K2
	KMOVW     (BX), K1
	KANDW     K2, K1, K1
	VMOVUPS.Z (DX), K2, Z0
	VMOVUPS   (SI), K1, Z0
	VMOVUPS   Z0, K2, (DI)

done:
	VZEROUPPER
	RET

// func selectF64AVX512(dst []float64, mask []uint64, x, y []float64)
// Requires: AVX-512 and BMI2.
//
//	DI dst   BX mask   SI x   DX y   advanced by the loops
//	CX rows left
TEXT ·selectF64AVX512(SB), NOSPLIT, $0-96
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ mask_base+24(FP), BX
	MOVQ x_base+48(FP), SI
	MOVQ y_base+72(FP), DX

	SUBQ $32, CX
	JLT  tail

loop32:
	KMOVB   (BX), K1
	KMOVB   1(BX), K2
	KMOVB   2(BX), K3
	KMOVB   3(BX), K4
	VMOVUPD (DX), Z0
	VMOVUPD 64(DX), Z1
	VMOVUPD 128(DX), Z2
	VMOVUPD 192(DX), Z3
	VMOVUPD (SI), K1, Z0
	VMOVUPD 64(SI), K2, Z1
	VMOVUPD 128(SI), K3, Z2
	VMOVUPD 192(SI), K4, Z3
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VMOVUPD Z2, 128(DI)
	VMOVUPD Z3, 192(DI)
	ADDQ    $4, BX
	ADDQ    $256, SI
	ADDQ    $256, DX
	ADDQ    $256, DI
	SUBQ    $32, CX
	JGE     loop32

tail:
	ADDQ $24, CX
	JLT  last

loop8:
	KMOVB   (BX), K1
	VMOVUPD (DX), Z0
	VMOVUPD (SI), K1, Z0
	VMOVUPD Z0, (DI)
	ADDQ    $1, BX
	ADDQ    $64, SI
	ADDQ    $64, DX
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     loop8

last:
	ADDQ      $8, CX
	JZ        done
	MOVL      $-1, AX
	BZHIL     CX, AX, AX
	KMOVB     AX, K2
	KMOVB     (BX), K1
	KANDB     K2, K1, K1
	VMOVUPD.Z (DX), K2, Z0
	VMOVUPD   (SI), K1, Z0
	VMOVUPD   Z0, K2, (DI)

done:
	VZEROUPPER
	RET

// Compress stops when dst is full. As long as dst has room for a whole vector
// there are as many rows of x left, so vectors are loaded and stored without a
// mask; the last rows go one by one. dst never overtakes x, which it may be.

// ONE copies the row of the lowest bit of AX and clears the bit. SI is the row of
// bit 0. It spoils R9 and R10.
#define ONE(MOV, size) \
	BSFQ AX, R9             \
	MOV  (SI)(R9*size), R10 \
	MOV  R10, (DI)          \
	ADDQ $size, DI          \
	LEAQ -1(AX), R9         \
	ANDQ R9, AX             \
	DECQ R8

// NEXT moves SI over the CX rows left of a word and loads the next one.
#define NEXT(shift) \
	SHLQ shift, CX \
	ADDQ CX, SI    \
	MOVQ (BX), AX  \
	ADDQ $8, BX    \
	MOVQ $64, CX

// func compressF32AVX2(dst, x []float32, mask []uint64, keep *[256][8]byte)
// Requires: AVX2.
//
//	DI dst   SI x   BX mask   advanced by the loops
//	R8       rows left in dst
//	AX, CX   bits and rows left of a word
//	R11      keep
TEXT ·compressF32AVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ x_base+24(FP), SI
	MOVQ mask_base+48(FP), BX
	MOVQ keep+72(FP), R11

word:
	XORL  AX, AX
	XORL  CX, CX
	CMPQ  R8, $8
	JLT   few
	MOVQ  (BX), AX
	ADDQ  $8, BX
	MOVQ  $64, CX
	TESTQ AX, AX
	JNZ   loop8
	ADDQ  $256, SI
	JMP   word

loop8:
	MOVBLZX   AX, R9
	VPMOVZXBD (R11)(R9*8), Y0
	VPERMPS   (SI), Y0, Y0
	VMOVUPS   Y0, (DI)
	POPCNTL   R9, R9
	LEAQ      (DI)(R9*4), DI
	ADDQ      $32, SI
	SHRQ      $8, AX
	SUBQ      $8, CX
	SUBQ      R9, R8
	CMPQ      R8, $8
	JLT       few
	TESTQ     CX, CX
	JNZ       loop8
	JMP       word

few:
	TESTQ R8, R8
	JZ    done
	TESTQ AX, AX
	JZ    next
	ONE(MOVL, 4)
	JMP   few

next:
	NEXT($2)
	JMP few

done:
	VZEROUPPER
	RET

// func compressF64AVX2(dst, x []float64, mask []uint64, keep *[16][8]byte)
// Requires: AVX2.
//
//	DI dst   SI x   BX mask   advanced by the loops
//	R8       rows left in dst
//	AX, CX   bits and rows left of a word
//	R11      keep
TEXT ·compressF64AVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ x_base+24(FP), SI
	MOVQ mask_base+48(FP), BX
	MOVQ keep+72(FP), R11

word:
	XORL  AX, AX
	XORL  CX, CX
	CMPQ  R8, $4
	JLT   few
	MOVQ  (BX), AX
	ADDQ  $8, BX
	MOVQ  $64, CX
	TESTQ AX, AX
	JNZ   loop4
	ADDQ  $512, SI
	JMP   word

loop4:
	MOVL      AX, R9
	ANDL      $15, R9
	VPMOVZXBD (R11)(R9*8), Y0
	VPERMPS   (SI), Y0, Y0
	VMOVUPD   Y0, (DI)
	POPCNTL   R9, R9
	LEAQ      (DI)(R9*8), DI
	ADDQ      $32, SI
	SHRQ      $4, AX
	SUBQ      $4, CX
	SUBQ      R9, R8
	CMPQ      R8, $4
	JLT       few
	TESTQ     CX, CX
	JNZ       loop4
	JMP       word

few:
	TESTQ R8, R8
	JZ    done
	TESTQ AX, AX
	JZ    next
	ONE(MOVQ, 8)
	JMP   few

next:
	NEXT($3)
	JMP few

done:
	VZEROUPPER
	RET

// func compressF32AVX512(dst, x []float32, mask []uint64)
// Requires: AVX-512 and BMI2.
//
//	DI dst   SI x   BX mask   advanced by the loops
//	R8       rows left in dst
//	AX, CX   bits and rows left of a word
TEXT ·compressF32AVX512(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ x_base+24(FP), SI
	MOVQ mask_base+48(FP), BX

word:
	TESTQ R8, R8
	JZ    done
	MOVQ  (BX), AX
	ADDQ  $8, BX
	MOVQ  $64, CX
	CMPQ  R8, $16
	JLT   few
	TESTQ AX, AX
	JNZ   loop16
	ADDQ  $256, SI
	JMP   word

loop16:
	KMOVW       AX, K1
	MOVWLZX     AX, R9
	VMOVUPS     (SI), Z0
	VCOMPRESSPS Z0, K1, Z1
	VMOVUPS     Z1, (DI)
	POPCNTL     R9, R9
	LEAQ        (DI)(R9*4), DI
	ADDQ        $64, SI
	SHRQ        $16, AX
	SUBQ        R9, R8
	SUBQ        $16, CX
	JZ          word
	CMPQ        R8, $16
	JGE         loop16

few:  // rows under masks: the R8 lowest bits of the word, if there are more
	MOVQ  $-1, R9
	BZHIQ R8, R9, R9
	PDEPQ AX, R9, AX

few16:
	KMOVW       AX, K1
	MOVWLZX     AX, R9
	VMOVUPS.Z   (SI), K1, Z0
	VCOMPRESSPS Z0, K1, Z0
	POPCNTL     R9, R9
	MOVL        $-1, R10
	BZHIL       R9, R10, R10
	KMOVW       R10, K2
	VMOVUPS     Z0, K2, (DI)
	LEAQ        (DI)(R9*4), DI
	SUBQ        R9, R8
	JZ          done
	ADDQ        $64, SI
	SHRQ        $16, AX
	SUBQ        $16, CX
	JGT         few16
	MOVQ        (BX), AX
	ADDQ        $8, BX
	MOVQ        $64, CX
	JMP         few

done:
	VZEROUPPER
	RET

// func compressF64AVX512(dst, x []float64, mask []uint64)
// Requires: AVX-512 and BMI2.
//
//	DI dst   SI x   BX mask   advanced by the loops
//	R8       rows left in dst
//	AX, CX   bits and rows left of a word
TEXT ·compressF64AVX512(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ x_base+24(FP), SI
	MOVQ mask_base+48(FP), BX

word:
	TESTQ R8, R8
	JZ    done
	MOVQ  (BX), AX
	ADDQ  $8, BX
	MOVQ  $64, CX
	CMPQ  R8, $8
	JLT   few
	TESTQ AX, AX
	JNZ   loop8
	ADDQ  $512, SI
	JMP   word

loop8:
	KMOVB       AX, K1
	MOVBLZX     AX, R9
	VMOVUPD     (SI), Z0
	VCOMPRESSPD Z0, K1, Z1
	VMOVUPD     Z1, (DI)
	POPCNTL     R9, R9
	LEAQ        (DI)(R9*8), DI
	ADDQ        $64, SI
	SHRQ        $8, AX
	SUBQ        R9, R8
	SUBQ        $8, CX
	JZ          word
	CMPQ        R8, $8
	JGE         loop8

few:  // rows under masks: the R8 lowest bits of the word, if there are more
	MOVQ  $-1, R9
	BZHIQ R8, R9, R9
	PDEPQ AX, R9, AX

few8:
	KMOVB       AX, K1
	MOVBLZX     AX, R9
	VMOVUPD.Z   (SI), K1, Z0
	VCOMPRESSPD Z0, K1, Z0
	POPCNTL     R9, R9
	MOVL        $-1, R10
	BZHIL       R9, R10, R10
	KMOVW       R10, K2
	VMOVUPD     Z0, K2, (DI)
	LEAQ        (DI)(R9*8), DI
	SUBQ        R9, R8
	JZ          done
	ADDQ        $64, SI
	SHRQ        $8, AX
	SUBQ        $8, CX
	JGT         few8
	MOVQ        (BX), AX
	ADDQ        $8, BX
	MOVQ        $64, CX
	JMP         few

done:
	VZEROUPPER
	RET

// func widenAVX2(dst []float64, x []float32)
// Requires: AVX2.
//
//	DI dst   SI x   advanced by the loops
//	CX rows left
TEXT ·widenAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI

	SUBQ $16, CX
	JLT  tail

loop16:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VCVTPS2PD 32(SI), Y2
	VCVTPS2PD 48(SI), Y3
	VMOVUPD   Y0, (DI)
	VMOVUPD   Y1, 32(DI)
	VMOVUPD   Y2, 64(DI)
	VMOVUPD   Y3, 96(DI)
	ADDQ      $64, SI
	ADDQ      $128, DI
	SUBQ      $16, CX
	JGE       loop16

tail:
	ADDQ $12, CX
	JLT  last

loop4:
	VCVTPS2PD (SI), Y0
	VMOVUPD   Y0, (DI)
	ADDQ      $16, SI
	ADDQ      $32, DI
	SUBQ      $4, CX
	JGE       loop4

last:
	ADDQ $4, CX
	JZ   done

loop1:
	VCVTSS2SD (SI), X0, X0
	VMOVSD    X0, (DI)
	ADDQ      $4, SI
	ADDQ      $8, DI
	SUBQ      $1, CX
	JNZ       loop1

done:
	VZEROUPPER
	RET

// func widenAVX512(dst []float64, x []float32)
// Requires: AVX-512 and BMI2.
//
//	DI dst   SI x   advanced by the loops
//	CX rows left
TEXT ·widenAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI

	SUBQ $32, CX
	JLT  tail

loop32:
	VCVTPS2PD (SI), Z0
	VCVTPS2PD 32(SI), Z1
	VCVTPS2PD 64(SI), Z2
	VCVTPS2PD 96(SI), Z3
	VMOVUPD   Z0, (DI)
	VMOVUPD   Z1, 64(DI)
	VMOVUPD   Z2, 128(DI)
	VMOVUPD   Z3, 192(DI)
	ADDQ      $128, SI
	ADDQ      $256, DI
	SUBQ      $32, CX
	JGE       loop32

tail:
	ADDQ $24, CX
	JLT  last

loop8:
	VCVTPS2PD (SI), Z0
	VMOVUPD   Z0, (DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	SUBQ      $8, CX
	JGE       loop8

last:
	ADDQ        $8, CX
	JZ          done
	MOVL        $-1, AX
	BZHIL       CX, AX, AX
	KMOVB       AX, K1
	VCVTPS2PD.Z (SI), K1, Z0
	VMOVUPD     Z0, K1, (DI)

done:
	VZEROUPPER
	RET

// func narrowAVX2(dst []float32, x []float64)
// Requires: AVX2.
//
//	DI dst   SI x   advanced by the loops
//	CX rows left
TEXT ·narrowAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI

	SUBQ $16, CX
	JLT  tail

loop16:
	VCVTPD2PSY (SI), X0
	VCVTPD2PSY 32(SI), X1
	VCVTPD2PSY 64(SI), X2
	VCVTPD2PSY 96(SI), X3
	VMOVUPS    X0, (DI)
	VMOVUPS    X1, 16(DI)
	VMOVUPS    X2, 32(DI)
	VMOVUPS    X3, 48(DI)
	ADDQ       $128, SI
	ADDQ       $64, DI
	SUBQ       $16, CX
	JGE        loop16

tail:
	ADDQ $12, CX
	JLT  last

loop4:
	VCVTPD2PSY (SI), X0
	VMOVUPS    X0, (DI)
	ADDQ       $32, SI
	ADDQ       $16, DI
	SUBQ       $4, CX
	JGE        loop4

last:
	ADDQ $4, CX
	JZ   done

loop1:
	VCVTSD2SS (SI), X0, X0
	VMOVSS    X0, (DI)
	ADDQ      $8, SI
	ADDQ      $4, DI
	SUBQ      $1, CX
	JNZ       loop1

done:
	VZEROUPPER
	RET

// func narrowAVX512(dst []float32, x []float64)
// Requires: AVX-512 and BMI2.
//
//	DI dst   SI x   advanced by the loops
//	CX rows left
TEXT ·narrowAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI

	SUBQ $32, CX
	JLT  tail

loop32:
	VCVTPD2PS (SI), Y0
	VCVTPD2PS 64(SI), Y1
	VCVTPD2PS 128(SI), Y2
	VCVTPD2PS 192(SI), Y3
	VMOVUPS   Y0, (DI)
	VMOVUPS   Y1, 32(DI)
	VMOVUPS   Y2, 64(DI)
	VMOVUPS   Y3, 96(DI)
	ADDQ      $256, SI
	ADDQ      $128, DI
	SUBQ      $32, CX
	JGE       loop32

tail:
	ADDQ $24, CX
	JLT  last

loop8:
	VCVTPD2PS (SI), Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $8, CX
	JGE       loop8

last:
	ADDQ        $8, CX
	JZ          done
	MOVL        $-1, AX
	BZHIL       CX, AX, AX
	KMOVB       AX, K1
	VCVTPD2PS.Z (SI), K1, Y0
	VMOVUPS     Y0, K1, (DI)

done:
	VZEROUPPER
	RET
