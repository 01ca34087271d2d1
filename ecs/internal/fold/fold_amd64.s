//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"

// FOLD puts the pair of words at o(SI) into a state: s ^= v, then s ^= both halves of s * (w ^ key), with the
// key in R8. It spoils AX and DX.
#define FOLD(o, s) \
	MOVQ R8, AX      \
	XORQ o+8(SI), AX \
	XORQ o+0(SI), s  \
	MULQ s           \
	XORQ AX, s       \
	XORQ DX, s

// ENTER loads the states.
#define ENTER \
	MOVQ s+0(FP), DI      \
	MOVQ b_base+8(FP), SI \
	MOVQ b_len+16(FP), CX \
	MOVQ $const_Key, R8   \
	MOVQ 0(DI), R9        \
	MOVQ 8(DI), R10       \
	MOVQ 16(DI), R11      \
	MOVQ 24(DI), R12

// LEAVE stores the states.
#define LEAVE \
	MOVQ R9, 0(DI)   \
	MOVQ R10, 8(DI)  \
	MOVQ R11, 16(DI) \
	MOVQ R12, 24(DI)

// Lanes are longer than what a CPU sees coming, for it begins anew at each page: each loop asks for bytes that are
// 2048 ahead, the length of a lane of 512 floats. They may be nobody's; nothing comes of that.

// func bytesAsm(s *[4]uint64, b []byte)
// Requires: SSE2.
//
//	DI s   SI b       advanced by the loop
//	CX                bytes left
//	R8                key
//	R9 R10 R11 R12    states
//	AX DX             work
TEXT ·bytesAsm(SB), NOSPLIT, $0-32
	ENTER
	SUBQ $64, CX
	JLT  done

loop64:
	PREFETCHT0 2048(SI)
	FOLD(0, R9)
	FOLD(16, R10)
	FOLD(32, R11)
	FOLD(48, R12)
	ADDQ       $64, SI
	SUBQ       $64, CX
	JGE        loop64

done:
	LEAVE
	RET

// func floats32Asm(s *[4]uint64, b []byte) (nan bool)
// Requires: SSE2.
//
// As bytesAsm, and
//
//	X0                all bits of a row, if one was no number
//	X1 X2 X3 X4       floats
TEXT ·floats32Asm(SB), NOSPLIT, $0-33
	ENTER
	XORPS X0, X0
	SUBQ  $64, CX
	JLT   done

loop64:
	PREFETCHT0 2048(SI)
	MOVUPS     0(SI), X1
	MOVUPS     16(SI), X2
	MOVUPS     32(SI), X3
	MOVUPS     48(SI), X4
	FOLD(0, R9)
	CMPPS      X2, X1, $3 // X1 or X2 is no number
	CMPPS      X4, X3, $3
	FOLD(16, R10)
	ORPS       X1, X0
	FOLD(32, R11)
	ORPS       X3, X0
	FOLD(48, R12)
	ADDQ       $64, SI
	SUBQ       $64, CX
	JGE        loop64

done:
	LEAVE
	MOVMSKPS X0, AX
	TESTL    AX, AX
	SETNE    nan+32(FP)
	RET

// func floats64Asm(s *[4]uint64, b []byte) (nan bool)
// Requires: SSE2.
//
// As floats32Asm.
TEXT ·floats64Asm(SB), NOSPLIT, $0-33
	ENTER
	XORPS X0, X0
	SUBQ  $64, CX
	JLT   done

loop64:
	PREFETCHT0 2048(SI)
	MOVUPS     0(SI), X1
	MOVUPS     16(SI), X2
	MOVUPS     32(SI), X3
	MOVUPS     48(SI), X4
	FOLD(0, R9)
	CMPPD      X2, X1, $3 // X1 or X2 is no number
	CMPPD      X4, X3, $3
	FOLD(16, R10)
	ORPS       X1, X0
	FOLD(32, R11)
	ORPS       X3, X0
	FOLD(48, R12)
	ADDQ       $64, SI
	SUBQ       $64, CX
	JGE        loop64

done:
	LEAVE
	MOVMSKPD X0, AX
	TESTL    AX, AX
	SETNE    nan+32(FP)
	RET
