//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Select, Compress and Convert, NEON.

// What the bits of a mask are in the elements that they choose.
DATA bits32<>+0(SB)/8, $0x0000000200000001
DATA bits32<>+8(SB)/8, $0x0000000800000004
DATA bits32<>+16(SB)/8, $0x0000002000000010
DATA bits32<>+24(SB)/8, $0x0000008000000040
DATA bits32<>+32(SB)/8, $0x0000020000000100
DATA bits32<>+40(SB)/8, $0x0000080000000400
DATA bits32<>+48(SB)/8, $0x0000200000001000
DATA bits32<>+56(SB)/8, $0x0000800000004000
GLOBL bits32<>(SB), RODATA|NOPTR, $64
DATA bits64<>+0(SB)/8, $1
DATA bits64<>+8(SB)/8, $2
DATA bits64<>+16(SB)/8, $4
DATA bits64<>+24(SB)/8, $8
DATA bits64<>+32(SB)/8, $16
DATA bits64<>+40(SB)/8, $32
DATA bits64<>+48(SB)/8, $64
DATA bits64<>+56(SB)/8, $128
GLOBL bits64<>(SB), RODATA|NOPTR, $64

// func selectF32NEON(dst []float32, mask []uint64, x, y []float32)
//
//	R0 dst   R1 mask   R2 x   R3 y   advanced by the loops
//	R4       rows left
//	V24      bits of the mask
//	V28-V31  bits32
TEXT ·selectF32NEON(SB), NOSPLIT, $0-96
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R4
	MOVD mask_base+24(FP), R1
	MOVD x_base+48(FP), R2
	MOVD y_base+72(FP), R3
	MOVD $bits32<>(SB), R5
	VLD1 (R5), [V28.B16, V29.B16, V30.B16, V31.B16]

	SUBS $16, R4
	BLT  tail

loop16:
	MOVHU.P 2(R1), R5
	VDUP    R5, V24.S4
	VLD1.P  64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P  64(R3), [V4.B16, V5.B16, V6.B16, V7.B16]
	VCMTST  V28.S4, V24.S4, V16.S4
	VCMTST  V29.S4, V24.S4, V17.S4
	VCMTST  V30.S4, V24.S4, V18.S4
	VCMTST  V31.S4, V24.S4, V19.S4
	VBSL    V4.B16, V0.B16, V16.B16
	VBSL    V5.B16, V1.B16, V17.B16
	VBSL    V6.B16, V2.B16, V18.B16
	VBSL    V7.B16, V3.B16, V19.B16
	VST1.P  [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)
	SUBS    $16, R4
	BGE     loop16

tail:
	ADDS  $16, R4
	BEQ   done
	MOVHU (R1), R5

loop1:
	FMOVS.P 4(R2), F0
	FMOVS.P 4(R3), F4
	TST     $1, R5
	FCSELS  NE, F0, F4, F0
	FMOVS.P F0, 4(R0)
	LSR     $1, R5
	SUBS    $1, R4
	BNE     loop1

done:
	RET

// func selectF64NEON(dst []float64, mask []uint64, x, y []float64)
//
//	R0 dst   R1 mask   R2 x   R3 y   advanced by the loops
//	R4       rows left
//	V24      bits of the mask
//	V28-V31  bits64
TEXT ·selectF64NEON(SB), NOSPLIT, $0-96
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R4
	MOVD mask_base+24(FP), R1
	MOVD x_base+48(FP), R2
	MOVD y_base+72(FP), R3
	MOVD $bits64<>(SB), R5
	VLD1 (R5), [V28.B16, V29.B16, V30.B16, V31.B16]

	SUBS $8, R4
	BLT  tail

loop8:
	MOVBU.P 1(R1), R5
	VDUP    R5, V24.D2
	VLD1.P  64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P  64(R3), [V4.B16, V5.B16, V6.B16, V7.B16]
	VCMTST  V28.D2, V24.D2, V16.D2
	VCMTST  V29.D2, V24.D2, V17.D2
	VCMTST  V30.D2, V24.D2, V18.D2
	VCMTST  V31.D2, V24.D2, V19.D2
	VBSL    V4.B16, V0.B16, V16.B16
	VBSL    V5.B16, V1.B16, V17.B16
	VBSL    V6.B16, V2.B16, V18.B16
	VBSL    V7.B16, V3.B16, V19.B16
	VST1.P  [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)
	SUBS    $8, R4
	BGE     loop8

tail:
	ADDS  $8, R4
	BEQ   done
	MOVBU (R1), R5

loop1:
	FMOVD.P 8(R2), F0
	FMOVD.P 8(R3), F4
	TST     $1, R5
	FCSELD  NE, F0, F4, F0
	FMOVD.P F0, 8(R0)
	LSR     $1, R5
	SUBS    $1, R4
	BNE     loop1

done:
	RET

// Compress stops when dst is full. As long as dst has room for a whole vector
// there are as many rows of x left, so vectors are loaded and stored whole; the
// last rows go one by one, each to where the next one kept belongs. dst never
// overtakes x, which it may be.

// func compressF32NEON(dst, x []float32, mask []uint64, keep *packing)
//
//	R0 dst   R1 x   R2 mask   advanced by the loops
//	R3       rows left in dst
//	R4, R5   bits and rows left of a word
//	R6, R7   order and count of keep
TEXT ·compressF32NEON(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD x_base+24(FP), R1
	MOVD mask_base+48(FP), R2
	MOVD keep+72(FP), R6
	ADD  $256, R6, R7

word:
	CBZ    R3, done
	MOVD.P 8(R2), R4
	MOVD   $64, R5
	CBNZ   R4, loop4
	ADD    $256, R1
	B      word

loop4:
	CMP     $4, R3
	BLT     loop1
	AND     $15, R4, R8
	ADD     R8<<4, R6, R9
	FMOVQ   (R9), F1
	FMOVQ.P 16(R1), F0
	VTBL    V1.B16, [V0.B16], V0.B16
	FMOVQ   F0, (R0)
	MOVBU   (R7)(R8), R8
	ADD     R8<<2, R0
	SUB     R8, R3
	LSR     $4, R4
	SUBS    $4, R5
	BNE     loop4
	B       word

loop1:
	CBZ     R3, done
	FMOVS.P 4(R1), F0
	FMOVS   F0, (R0)
	AND     $1, R4, R8
	ADD     R8<<2, R0
	SUB     R8, R3
	LSR     $1, R4
	SUBS    $1, R5
	BNE     loop1
	B       word

done:
	RET

// func compressF64NEON(dst, x []float64, mask []uint64)
//
//	R0 dst   R1 x   R2 mask   advanced by the loops
//	R3       rows left in dst
//	R4, R5   bits and rows left of a word
TEXT ·compressF64NEON(SB), NOSPLIT, $0-72
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD x_base+24(FP), R1
	MOVD mask_base+48(FP), R2

word:
	CBZ    R3, done
	MOVD.P 8(R2), R4
	MOVD   $64, R5
	CBNZ   R4, loop1
	ADD    $512, R1
	B      word

loop1:
	CBZ     R3, done
	FMOVD.P 8(R1), F0
	FMOVD   F0, (R0)
	AND     $1, R4, R8
	ADD     R8<<3, R0
	SUB     R8, R3
	LSR     $1, R4
	SUBS    $1, R5
	BNE     loop1
	B       word

done:
	RET

// func widenNEON(dst []float64, x []float32)
//
//	R0 dst   R1 x   advanced by the loops
//	R4 rows left
TEXT ·widenNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R4
	MOVD x_base+24(FP), R1

	SUBS $8, R4
	BLT  tail

loop8:
	FLDPQ.P 32(R1), (F0, F1)
	VFCVTL2D(0, 4)
	VFCVTL22D(0, 5)
	VFCVTL2D(1, 6)
	VFCVTL22D(1, 7)
	FSTPQ   (F6, F7), 32(R0)
	FSTPQ.P (F4, F5), 64(R0)
	SUBS    $8, R4
	BGE     loop8

tail:
	ADDS $8, R4
	BEQ  done

loop1:
	FMOVS.P 4(R1), F0
	FCVTSD  F0, F0
	FMOVD.P F0, 8(R0)
	SUBS    $1, R4
	BNE     loop1

done:
	RET

// func narrowNEON(dst []float32, x []float64)
//
//	R0 dst   R1 x   advanced by the loops
//	R4 rows left
TEXT ·narrowNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R4
	MOVD x_base+24(FP), R1

	SUBS $8, R4
	BLT  tail

loop8:
	FLDPQ   32(R1), (F6, F7)
	FLDPQ.P 64(R1), (F4, F5)
	VFCVTN2S(4, 0)
	VFCVTN24S(5, 0)
	VFCVTN2S(6, 1)
	VFCVTN24S(7, 1)
	FSTPQ.P (F0, F1), 32(R0)
	SUBS    $8, R4
	BGE     loop8

tail:
	ADDS $8, R4
	BEQ  done

loop1:
	FMOVD.P 8(R1), F0
	FCVTDS  F0, F0
	FMOVS.P F0, 4(R0)
	SUBS    $1, R4
	BNE     loop1

done:
	RET
