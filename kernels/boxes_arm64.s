//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"

// Boxes and spheres against planes, boxes of moved boxes and around boxes: the NEON path, in the
// order of boxes_amd64.s. Operands stand in the assembler's order, sources first:
// SUB(m, n, d) is d = n - m.

// Against planes: a vector of rows at a time, then the rows left one by one. Their bits
// come into R12 from above, and are turned back where the rows end within a word.
//
//	R0-R5  lanes, advanced       R6   mask, advanced
//	R7     rows left             R12  bits of the word   R13  rows done
//	R8, R9 the walls left        R10, R11  work
//	V0-V5  the rows              V6   which are inside   V31  zero
//	V29, V30  the bits of the first row, of all rows of a vector

#define BOXLANES \
	MOVD LEN(R8), R7;                 \
	MOVD (R8), R0; MOVD 24(R8), R1;   \
	MOVD 48(R8), R2; MOVD 72(R8), R3; \
	MOVD 96(R8), R4; MOVD 120(R8), R5

#define SPHERELANES \
	MOVD LEN(R8), R7;                \
	MOVD (R8), R0; MOVD 24(R8), R1;  \
	MOVD 48(R8), R2; MOVD 72(R8), R3

#define BOXLOAD(LOAD) LOAD(R0, F0); LOAD(R1, F1); LOAD(R2, F2); LOAD(R3, F3); LOAD(R4, F4); LOAD(R5, F5)
#define SPHERELOAD(LOAD) LOAD(R0, F0); LOAD(R1, F1); LOAD(R2, F2); LOAD(R3, F3)

// A wall is X, Y, Z, D, the magnitudes of X, Y and Z, and the length of the normal: in V24
// to V27. V7 becomes d, then d + r.
#define BOX32 \
	FLDPQ.P 32(R8), (F24, F25);              \
	MULE(0, 24, 0, 7);                       \
	MULE(1, 24, 1, 16); ADD(16, 7, 7);       \
	MULE(2, 24, 2, 16); ADD(16, 7, 7);       \
	VDUP    V24.S[3], V16.S4; ADD(16, 7, 7); \
	MULE(0, 25, 3, 17);                      \
	MULE(1, 25, 4, 16); ADD(16, 17, 17);     \
	MULE(2, 25, 5, 16); ADD(16, 17, 17);     \
	ADD(17, 7, 7)

#define SPHERE32 \
	FLDPQ.P 32(R8), (F24, F25);              \
	MULE(0, 24, 0, 7);                       \
	MULE(1, 24, 1, 16); ADD(16, 7, 7);       \
	MULE(2, 24, 2, 16); ADD(16, 7, 7);       \
	VDUP    V24.S[3], V16.S4; ADD(16, 7, 7); \
	MULE(3, 25, 3, 16); ADD(16, 7, 7)

#define BOX64 \
	FLDPQ.P 32(R8), (F24, F25);              \
	FLDPQ.P 32(R8), (F26, F27);              \
	MULE(0, 24, 0, 7);                       \
	MULE(1, 24, 1, 16); ADD(16, 7, 7);       \
	MULE(0, 25, 2, 16); ADD(16, 7, 7);       \
	VDUP    V25.D[1], V16.D2; ADD(16, 7, 7); \
	MULE(0, 26, 3, 17);                      \
	MULE(1, 26, 4, 16); ADD(16, 17, 17);     \
	MULE(0, 27, 5, 16); ADD(16, 17, 17);     \
	ADD(17, 7, 7)

#define SPHERE64 \
	FLDPQ.P 32(R8), (F24, F25);              \
	FLDPQ.P 32(R8), (F26, F27);              \
	MULE(0, 24, 0, 7);                       \
	MULE(1, 24, 1, 16); ADD(16, 7, 7);       \
	MULE(0, 25, 2, 16); ADD(16, 7, 7);       \
	VDUP    V25.D[1], V16.D2; ADD(16, 7, 7); \
	MULE(1, 27, 3, 16); ADD(16, 7, 7)

// INSIDE does so many rows: LOADED loads them, WALL is one of the above.
#define INSIDE(LOADED, WALL, bits, rows, loop, plane, more) \
loop:  \
	LOADED;                          \
	MOVD   walls+32(FP), R8;         \
	MOVD   planes+40(FP), R9;        \
	VCMEQ  V6.B16, V6.B16, V6.B16;   \
	plane:                           \
	WALL;                            \
	CMGE(31, 7, 7);                  \
	VAND   V7.B16, V6.B16, V6.B16;   \
	SUBS   $1, R9;                   \
	BNE    plane;                    \
	VAND   bits.B16, V6.B16, V6.B16; \
	VADDV  V6.S4, V6;                \
	FMOVS  F6, R10;                  \
	ORR    R10, R12;                 \
	ROR    $rows, R12;               \
	ADDS   $rows, R13;               \
	TST    $63, R13;                 \
	BNE    more;                     \
	MOVD.P R12, 8(R6);               \
	MOVD   $0, R12;                  \
	more:                            \
	SUBS   $rows, R7;                \
	BGE    loop

#define INPLANES(view, LANES, LOADROWS, WALL) \
	MOVD  mask_base+0(FP), R6;                                 \
	MOVD  view, R8;                                            \
	LANES;                                                     \
	VEOR  V31.B16, V31.B16, V31.B16;                           \
	MOVD  $0, R12;                                             \
	MOVD  $0, R13;                                             \
	SUBS  $ROWS, R7;                                           \
	BLT   tail;                                                \
	INSIDE(LOADROWS(LD), WALL, V30, ROWS, loop, plane, more);  \
	tail:                                                      \
	ADDS  $(ROWS-1), R7;                                       \
	BLT   word;                                                \
	INSIDE(LOADROWS(LD1), WALL, V29, 1, loop1, plane1, more1); \
	word:                                                      \
	ANDS  $63, R13;                                            \
	BEQ   done;                                                \
	EOR   $63, R13;                                            \
	ADDS  $1, R13;                                             \
	ROR   R13, R12;                                            \
	MOVD  R12, (R6);                                           \
	done:                                                      \
	RET

// Boxes of moved boxes. A column of the matrices at R10 becomes lanes in V16, V17 and
// V18; x, y, z gather in V0, V1, V2, their half sizes in V3, V4, V5. The rows left are
// left to Go.
//
//	R0-R5  b              R6-R9, R11, R12  local
//	R10    m, advanced    R13  rows left

#define COLUMN32(k) \
	FMOVQ (16*k)(R10), F16; FMOVQ (16*k+64)(R10), F17;          \
	FMOVQ (16*k+128)(R10), F18; FMOVQ (16*k+192)(R10), F19;     \
	VTRN1 V17.S4, V16.S4, V20.S4; VTRN1 V19.S4, V18.S4, V21.S4; \
	VTRN2 V17.S4, V16.S4, V22.S4; VTRN2 V19.S4, V18.S4, V23.S4; \
	VZIP1 V21.D2, V20.D2, V16.D2; VZIP1 V23.D2, V22.D2, V17.D2; \
	VZIP2 V21.D2, V20.D2, V18.D2

#define COLUMN64(k) \
	FMOVQ (32*k)(R10), F20; FMOVQ (32*k+16)(R10), F21;          \
	FMOVQ (32*k+128)(R10), F22; FMOVQ (32*k+144)(R10), F23;     \
	VZIP1 V22.D2, V20.D2, V16.D2; VZIP2 V22.D2, V20.D2, V17.D2; \
	VZIP1 V23.D2, V21.D2, V18.D2

#define FIRST(p, h) \
	LD(p, F6); LD(h, F7);                        \
	MUL(6, 16, 0); MUL(6, 17, 1); MUL(6, 18, 2); \
	ABS(16, 16); ABS(17, 17); ABS(18, 18);       \
	MUL(7, 16, 3); MUL(7, 17, 4); MUL(7, 18, 5)

#define NEXT(p, h) \
	LD(p, F6); LD(h, F7);                  \
	MUL(6, 16, 24); ADD(24, 0, 0);         \
	MUL(6, 17, 25); ADD(25, 1, 1);         \
	MUL(6, 18, 26); ADD(26, 2, 2);         \
	ABS(16, 16); ABS(17, 17); ABS(18, 18); \
	MUL(7, 16, 24); ADD(24, 3, 3);         \
	MUL(7, 17, 25); ADD(25, 4, 4);         \
	MUL(7, 18, 26); ADD(26, 5, 5)

#define TRANSFORM(COLUMN) \
	MOVD  b+0(FP), R0;                                                       \
	MOVD  m+8(FP), R10;                                                      \
	MOVD  local+16(FP), R6;                                                  \
	MOVD  LEN(R0), R13;                                                      \
	MOVD  (R10), R10;                                                        \
	MOVD  120(R0), R5; MOVD 96(R0), R4; MOVD 72(R0), R3; VEC3(R0, R1, R2);   \
	MOVD  120(R6), R12; MOVD 96(R6), R11; MOVD 72(R6), R9; VEC3(R6, R7, R8); \
	SUBS  $ROWS, R13;                                                        \
	BLT   done;                                                              \
	loop:                                                                    \
	COLUMN(0); FIRST(R6, R9);                                                \
	COLUMN(1); NEXT(R7, R11);                                                \
	COLUMN(2); NEXT(R8, R12);                                                \
	COLUMN(3);                                                               \
	ADD(16, 0, 0); ADD(17, 1, 1); ADD(18, 2, 2);                             \
	ST(F0, R0); ST(F1, R1); ST(F2, R2);                                      \
	ST(F3, R3); ST(F4, R4); ST(F5, R5);                                      \
	ADDS  $(16*SIZE*ROWS), R10;                                              \
	SUBS  $ROWS, R13;                                                        \
	BGE   loop;                                                              \
	done:                                                                    \
	RET

// Around boxes: the lowest and highest places of eight rows at a time, taken into those of
// the array at R7. The rows left are left to Go.
//
//	R0-R5  lanes, advanced    R6  mask, R8 bytes of it at a time (none without a mask)
//	R12    rows left          R10 bits of eight rows, also in V26
//	V0-V2  lowest, V3-V5 highest; V6 zero; V7 rows that count; V20-V23 the bits of a vector's rows

// KEEP takes V24 for lo, whose register is v, where V25 says so and the row counts.
#define KEEP(v) VAND V7.B16, V25.B16, V25.B16; VBSL v.B16, V24.B16, V25.B16; VORR V25.B16, V25.B16, v.B16
#define AXIS(x, h, lo, LO, hi, HI) \
	SUB(h, x, 24); CMGT(24, lo, 25); KEEP(LO); \
	ADD(h, x, 24); CMGT(hi, 24, 25); KEEP(HI)

#define AROUND(bits, word, rows) \
	VCMTST bits, word, rows;                                    \
	LD(R3, F19); CMGE(6, 19, 24); VAND V24.B16, V7.B16, V7.B16; \
	LD(R4, F27); CMGE(6, 27, 24); VAND V24.B16, V7.B16, V7.B16; \
	LD(R5, F28); CMGE(6, 28, 24); VAND V24.B16, V7.B16, V7.B16; \
	LD(R0, F16); LD(R1, F17); LD(R2, F18);                      \
	AXIS(16, 19, 0, V0, 3, V3);                                 \
	AXIS(17, 27, 1, V1, 4, V4);                                 \
	AXIS(18, 28, 2, V2, 5, V5)

DATA allBits<>+0(SB)/8, $-1
GLOBL allBits<>(SB), RODATA|NOPTR, $8

#define UNION(EIGHT) \
	MOVD   e+0(FP), R7;                                                     \
	MOVD   b+8(FP), R0;                                                     \
	MOVD   mask_base+16(FP), R6;                                            \
	MOVD   LEN(R0), R12;                                                    \
	MOVD   120(R0), R5; MOVD 96(R0), R4; MOVD 72(R0), R3; VEC3(R0, R1, R2); \
	MOVD   $1, R8;                                                          \
	CBNZ   R6, given;                                                       \
	MOVD   $allBits<>(SB), R6;                                              \
	MOVD   $0, R8;                                                          \
	given:                                                                  \
	FLDPQ  (R7), (F0, F1); FLDPQ 32(R7), (F2, F3); FLDPQ 64(R7), (F4, F5);  \
	VEOR   V6.B16, V6.B16, V6.B16;                                          \
	SUBS   $8, R12;                                                         \
	BLT    done;                                                            \
	loop8:                                                                  \
	MOVBU  (R6), R10;                                                       \
	ADDS   R8, R6;                                                          \
	EIGHT;                                                                  \
	SUBS   $8, R12;                                                         \
	BGE    loop8;                                                           \
	done:                                                                   \
	FSTPQ  (F0, F1), (R7); FSTPQ (F2, F3), 32(R7); FSTPQ (F4, F5), 64(R7);  \
	RET

#define EIGHT32 \
	VDUP R10, V26.S4;              \
	AROUND(V20.S4, V26.S4, V7.S4); \
	AROUND(V21.S4, V26.S4, V7.S4)

#define EIGHT64 \
	VDUP R10, V26.D2;              \
	AROUND(V20.D2, V26.D2, V7.D2); \
	AROUND(V21.D2, V26.D2, V7.D2); \
	AROUND(V22.D2, V26.D2, V7.D2); \
	AROUND(V23.D2, V26.D2, V7.D2)

DATA bitOf32<>+0(SB)/8, $0x0000000200000001
DATA bitOf32<>+8(SB)/8, $0x0000000800000004
DATA bitOf32<>+16(SB)/8, $0x0000002000000010
DATA bitOf32<>+24(SB)/8, $0x0000008000000040
GLOBL bitOf32<>(SB), RODATA|NOPTR, $32
DATA bitOf64<>+0(SB)/8, $1
DATA bitOf64<>+8(SB)/8, $2
DATA bitOf64<>+16(SB)/8, $4
DATA bitOf64<>+24(SB)/8, $8
DATA bitOf64<>+32(SB)/8, $16
DATA bitOf64<>+40(SB)/8, $32
DATA bitOf64<>+48(SB)/8, $64
DATA bitOf64<>+56(SB)/8, $128
GLOBL bitOf64<>(SB), RODATA|NOPTR, $64

#include "neon_f32_arm64.h"

// func boxesInPlanesF32NEON(mask []uint64, b *Boxes[float32], walls *walls32, planes int)
TEXT ·boxesInPlanesF32NEON(SB), NOSPLIT, $0-48
	MOVD $0x0000000200000001, R8
	MOVD $0x0000000800000004, R9
	VMOV R8, V30.D[0]
	VMOV R9, V30.D[1]
	MOVD $1, R8
	VEOR V29.B16, V29.B16, V29.B16
	VMOV R8, V29.D[0]
	INPLANES(b+24(FP), BOXLANES, BOXLOAD, BOX32)

// func spheresInPlanesF32NEON(mask []uint64, s *Spheres[float32], walls *walls32, planes int)
TEXT ·spheresInPlanesF32NEON(SB), NOSPLIT, $0-48
	MOVD $0x0000000200000001, R8
	MOVD $0x0000000800000004, R9
	VMOV R8, V30.D[0]
	VMOV R9, V30.D[1]
	MOVD $1, R8
	VEOR V29.B16, V29.B16, V29.B16
	VMOV R8, V29.D[0]
	INPLANES(s+24(FP), SPHERELANES, SPHERELOAD, SPHERE32)

// func boxesTransformF32NEON(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32])
TEXT ·boxesTransformF32NEON(SB), NOSPLIT, $0-24
	TRANSFORM(COLUMN32)

// func boxesUnionF32NEON(e *[6][4]float32, b *Boxes[float32], mask []uint64)
TEXT ·boxesUnionF32NEON(SB), NOSPLIT, $0-40
	MOVD $bitOf32<>(SB), R10
	VLD1 (R10), [V20.B16, V21.B16]
	UNION(EIGHT32)

#include "neon_f64_arm64.h"

// func boxesInPlanesF64NEON(mask []uint64, b *Boxes[float64], walls *walls64, planes int)
TEXT ·boxesInPlanesF64NEON(SB), NOSPLIT, $0-48
	MOVD $1, R8
	MOVD $2, R9
	VMOV R8, V30.D[0]
	VMOV R9, V30.D[1]
	VEOR V29.B16, V29.B16, V29.B16
	VMOV R8, V29.D[0]
	INPLANES(b+24(FP), BOXLANES, BOXLOAD, BOX64)

// func spheresInPlanesF64NEON(mask []uint64, s *Spheres[float64], walls *walls64, planes int)
TEXT ·spheresInPlanesF64NEON(SB), NOSPLIT, $0-48
	MOVD $1, R8
	MOVD $2, R9
	VMOV R8, V30.D[0]
	VMOV R9, V30.D[1]
	VEOR V29.B16, V29.B16, V29.B16
	VMOV R8, V29.D[0]
	INPLANES(s+24(FP), SPHERELANES, SPHERELOAD, SPHERE64)

// func boxesTransformF64NEON(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64])
TEXT ·boxesTransformF64NEON(SB), NOSPLIT, $0-24
	TRANSFORM(COLUMN64)

// func boxesUnionF64NEON(e *[6][2]float64, b *Boxes[float64], mask []uint64)
TEXT ·boxesUnionF64NEON(SB), NOSPLIT, $0-40
	MOVD $bitOf64<>(SB), R10
	VLD1 (R10), [V20.B16, V21.B16, V22.B16, V23.B16]
	UNION(EIGHT64)
