//go:build !purego

#include "textflag.h"
#include "view_amd64.h"

// Boxes and spheres against planes, boxes of moved boxes and around boxes: the AVX2
// and AVX-512 paths. Operands stand in the assembler's order, sources first: SUB a, b, c
// is c = b - a.

// Against planes: four vectors of rows at a time, plane after plane, whose numbers
// stay in V0 to V6 meanwhile; then the rows left, a vector at a time, whose lanes stay
// in registers. V10 is zero, V11 to V14 or K4 to K7 say which rows are inside.
//
//	AX, BX, CX, SI, DI, R8  lanes
//	R9   mask, advanced     R14  the current row in bytes
//	R10  walls              R11  how many
//	DX   rows left          R12, R13  work

#define BOXLANES \
	MOVQ LEN(R12), DX                   \
	MOVQ (R12), AX; MOVQ 24(R12), BX    \
	MOVQ 48(R12), CX; MOVQ 72(R12), SI  \
	MOVQ 96(R12), DI; MOVQ 120(R12), R8

#define SPHERELANES \
	MOVQ LEN(R12), DX                  \
	MOVQ (R12), AX; MOVQ 24(R12), BX   \
	MOVQ 48(R12), CX; MOVQ 72(R12), SI

// A wall is X, Y, Z, D, the magnitudes of X, Y and Z, and the length of the normal.
#define NORMAL    SPLAT (0*SIZE)(R13), V0; SPLAT (1*SIZE)(R13), V1; SPLAT (2*SIZE)(R13), V2; SPLAT (3*SIZE)(R13), V3
#define BOXWALL    NORMAL; SPLAT (4*SIZE)(R13), V4; SPLAT (5*SIZE)(R13), V5; SPLAT (6*SIZE)(R13), V6
#define SPHEREWALL NORMAL; SPLAT (7*SIZE)(R13), V4

// The rows at so many bytes behind the current one: V7 is d, then d + r.
#define FROM(off, p) off(p)(R14*1)
#define HEIGHT(off) \
	MUL FROM(off, AX), V0, V7                 \
	MUL FROM(off, BX), V1, V8; ADD V8, V7, V7 \
	MUL FROM(off, CX), V2, V8; ADD V8, V7, V7 \
	ADD V3, V7, V7

#define BOXSTEP(off, in) \
	HEIGHT(off)                               \
	MUL FROM(off, SI), V4, V9                 \
	MUL FROM(off, DI), V5, V8; ADD V8, V9, V9 \
	MUL FROM(off, R8), V6, V8; ADD V8, V9, V9 \
	ADD V9, V7, V7                            \
	INSIDE(in)

#define SPHERESTEP(off, in) \
	HEIGHT(off)                               \
	MUL FROM(off, SI), V4, V8; ADD V8, V7, V7 \
	INSIDE(in)

// The rows left: lanes in V0 to V5, V6 a number of the plane.
#define BOXLOAD \
	LDM(AT(AX), V0); LDM(AT(BX), V1); LDM(AT(CX), V2) \
	LDM(AT(SI), V3); LDM(AT(DI), V4); LDM(AT(R8), V5)

#define SPHERELOAD \
	LDM(AT(AX), V0); LDM(AT(BX), V1); LDM(AT(CX), V2); LDM(AT(SI), V3)

#define HEIGHTLEFT \
	SPLAT (0*SIZE)(R13), V6; MUL V0, V6, V7                 \
	SPLAT (1*SIZE)(R13), V6; MUL V1, V6, V6; ADD V6, V7, V7 \
	SPLAT (2*SIZE)(R13), V6; MUL V2, V6, V6; ADD V6, V7, V7 \
	SPLAT (3*SIZE)(R13), V6; ADD V6, V7, V7

#define BOXLEFT \
	HEIGHTLEFT                                              \
	SPLAT (4*SIZE)(R13), V6; MUL V3, V6, V9                 \
	SPLAT (5*SIZE)(R13), V6; MUL V4, V6, V6; ADD V6, V9, V9 \
	SPLAT (6*SIZE)(R13), V6; MUL V5, V6, V6; ADD V6, V9, V9 \
	ADD   V9, V7, V7

#define SPHERELEFT \
	HEIGHTLEFT                                              \
	SPLAT (7*SIZE)(R13), V6; MUL V3, V6, V6; ADD V6, V7, V7

// INPLANES is a whole kernel. Where rows are left, their bits come into R10 from above,
// a vector's at a time, and are turned back at the end.
#define INPLANES(view, LANES, WALL, STEP, LOAD, LEFT) \
	MOVQ    mask_base+0(FP), R9 \
	MOVQ    view, R12           \
	MOVQ    walls+32(FP), R10   \
	MOVQ    planes+40(FP), R11  \
	LANES                       \
	XOR     V10, V10, V10       \
	XORL    R14, R14            \
	SUBQ    $(4*VROWS), DX      \
	JLT     tail                \
	block:                      \
	EVERYROW                    \
	MOVQ    R10, R13            \
	MOVQ    R11, R12            \
	plane:                      \
	WALL                        \
	STEP(0, IN0)                \
	STEP(VBYTES, IN1)           \
	STEP(2*VBYTES, IN2)         \
	STEP(3*VBYTES, IN3)         \
	ADDQ    $(8*SIZE), R13      \
	DECQ    R12                 \
	JNZ     plane               \
	WORDOFBITS                  \
	STOREBITS(R12)              \
	ADDQ    $(VROWS/2), R9      \
	ADDQ    $(4*VBYTES), R14    \
	SUBQ    $(4*VROWS), DX      \
	JGE     block               \
	tail:                       \
	ADDQ    $(4*VROWS), DX      \
	JZ      done                \
	XORL    R10, R10            \
	XORL    R11, R11            \
	vector:                     \
	MASK(DX)                    \
	LOAD                        \
	ROWSLEFT                    \
	MOVQ    walls+32(FP), R13   \
	MOVQ    planes+40(FP), R12  \
	left:                       \
	LEFT                        \
	INSIDE(IN0)                 \
	ADDQ    $(8*SIZE), R13      \
	DECQ    R12                 \
	JNZ     left                \
	BITSOF(IN0, R12)            \
	ORQ     R12, R10            \
	RORQ    $VROWS, R10         \
	ADDQ    $VROWS, R11         \
	ADDQ    $VBYTES, R14        \
	SUBQ    $VROWS, DX          \
	JGT     vector              \
	MOVQ    R11, CX             \
	ROLQ    CX, R10             \
	STOREBITS(R10)              \
	done:                       \
	RETURN

#define BOXESINPLANES INPLANES(b+24(FP), BOXLANES, BOXWALL, BOXSTEP, BOXLOAD, BOXLEFT)
#define SPHERESINPLANES INPLANES(s+24(FP), SPHERELANES, SPHEREWALL, SPHERESTEP, SPHERELOAD, SPHERELEFT)

// The four registers of bits as one word.
#define WORDOFBITS \
	BITSOF(IN3, R12)                                 \
	SHLQ $VROWS, R12; BITSOF(IN2, R13); ORQ R13, R12 \
	SHLQ $VROWS, R12; BITSOF(IN1, R13); ORQ R13, R12 \
	SHLQ $VROWS, R12; BITSOF(IN0, R13); ORQ R13, R12

// Boxes of moved boxes. A column of the matrices at R10 becomes lanes in Y6, Y7 and Y8;
// x, y, z gather in Y0, Y1, Y2, their half sizes in Y3, Y4, Y5.
//
//	DI  headers of b       SI   headers of local
//	R10 m, advanced        R13  rows left
//	R14 the current row    R8   a lane
//	Y15 the bits of a magnitude

#define OF(p, k) MOVQ (24*k)(p), R8
#define TO(STORE, v, k) OF(DI, k); STORE v, AT(R8)

// FIRST and NEXT add column k, COLUMN(k), times what local has of it.
#define FIRST(LOAD, MULx, ANDx, v0, v1, v2, v3, v4, v5, v6, v7, v8, v13, v14, v15) \
	OF(SI, 0); LOAD AT(R8), v13                          \
	OF(SI, 3); LOAD AT(R8), v14                          \
	MULx v13, v6, v0; MULx v13, v7, v1; MULx v13, v8, v2 \
	ANDx v15, v6, v6; ANDx v15, v7, v7; ANDx v15, v8, v8 \
	MULx v14, v6, v3; MULx v14, v7, v4; MULx v14, v8, v5

#define NEXT(k, LOAD, MULx, ADDx, ANDx, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v13, v14, v15) \
	OF(SI, k); LOAD AT(R8), v13                          \
	OF(SI, (k+3)); LOAD AT(R8), v14                      \
	MULx v13, v6, v9; ADDx v9, v0, v0                    \
	MULx v13, v7, v9; ADDx v9, v1, v1                    \
	MULx v13, v8, v9; ADDx v9, v2, v2                    \
	ANDx v15, v6, v6; ANDx v15, v7, v7; ANDx v15, v8, v8 \
	MULx v14, v6, v9; ADDx v9, v3, v3                    \
	MULx v14, v7, v9; ADDx v9, v4, v4                    \
	MULx v14, v8, v9; ADDx v9, v5, v5

#define FIRSTY(LOAD) FIRST(LOAD, MUL, AND, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y13, Y14, Y15)
#define NEXTY(k, LOAD) NEXT(k, LOAD, MUL, ADD, AND, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y13, Y14, Y15)

// Column k of eight matrices of float32, of four of float64.
#define COLUMN32(k) \
	VMOVUPS   (16*k)(R10), X6; VINSERTF128 $1, (16*k+256)(R10), Y6, Y6                     \
	VMOVUPS   (16*k+64)(R10), X7; VINSERTF128 $1, (16*k+320)(R10), Y7, Y7                  \
	VMOVUPS   (16*k+128)(R10), X8; VINSERTF128 $1, (16*k+384)(R10), Y8, Y8                 \
	VMOVUPS   (16*k+192)(R10), X9; VINSERTF128 $1, (16*k+448)(R10), Y9, Y9                 \
	VUNPCKLPS Y7, Y6, Y10; VUNPCKHPS Y7, Y6, Y11                                           \
	VUNPCKLPS Y9, Y8, Y12; VUNPCKHPS Y9, Y8, Y9                                            \
	VSHUFPS   $0x44, Y12, Y10, Y6; VSHUFPS $0xee, Y12, Y10, Y7; VSHUFPS $0x44, Y9, Y11, Y8

#define COLUMN64(k) \
	VMOVUPD    (32*k)(R10), Y6; VMOVUPD (32*k+128)(R10), Y7                                       \
	VMOVUPD    (32*k+256)(R10), Y8; VMOVUPD (32*k+384)(R10), Y9                                   \
	VUNPCKLPD  Y7, Y6, Y10; VUNPCKHPD Y7, Y6, Y11                                                 \
	VUNPCKLPD  Y9, Y8, Y12; VUNPCKHPD Y9, Y8, Y9                                                  \
	VPERM2F128 $0x20, Y12, Y10, Y6; VPERM2F128 $0x20, Y9, Y11, Y7; VPERM2F128 $0x31, Y12, Y10, Y8

#define MOVED(COLUMN) \
	COLUMN(0); FIRSTY(MOV)                         \
	COLUMN(1); NEXTY(1, MOV)                       \
	COLUMN(2); NEXTY(2, MOV)                       \
	COLUMN(3)                                      \
	ADD Y6, Y0, Y0; ADD Y7, Y1, Y1; ADD Y8, Y2, Y2 \
	TO(MOV, Y0, 0); TO(MOV, Y1, 1); TO(MOV, Y2, 2) \
	TO(MOV, Y3, 3); TO(MOV, Y4, 4); TO(MOV, Y5, 5)

// One row: a column is a vector, so that v0 and v3 hold the three results.
#define ONEROW(v0, v3, v6, v9, v13, v14, v15) \
	MOV (R10), v6                                                                  \
	OF(SI, 0); SPLAT AT(R8), v13; MUL v13, v6, v0                                  \
	AND v15, v6, v6; OF(SI, 3); SPLAT AT(R8), v14; MUL v14, v6, v3                 \
	MOV (4*SIZE)(R10), v6                                                          \
	OF(SI, 1); SPLAT AT(R8), v13; MUL v13, v6, v9; ADD v9, v0, v0                  \
	AND v15, v6, v6; OF(SI, 4); SPLAT AT(R8), v14; MUL v14, v6, v9; ADD v9, v3, v3 \
	MOV (8*SIZE)(R10), v6                                                          \
	OF(SI, 2); SPLAT AT(R8), v13; MUL v13, v6, v9; ADD v9, v0, v0                  \
	AND v15, v6, v6; OF(SI, 5); SPLAT AT(R8), v14; MUL v14, v6, v9; ADD v9, v3, v3 \
	MOV (12*SIZE)(R10), v6; ADD v6, v0, v0

#define APART3X32(v, k) \
	OF(DI, k); VMOVSS v, AT(R8)             \
	OF(DI, (k+1)); VEXTRACTPS $1, v, AT(R8) \
	OF(DI, (k+2)); VEXTRACTPS $2, v, AT(R8)

#define APART3X64(x, y, k) \
	OF(DI, k); VMOVSD x, AT(R8)      \
	OF(DI, (k+1)); VMOVHPD x, AT(R8) \
	VEXTRACTF128 $1, y, x            \
	OF(DI, (k+2)); VMOVSD x, AT(R8)

#define TRANSFORM(COLUMN, ONE) \
	MOVQ     b+0(FP), DI           \
	MOVQ     m+8(FP), R10          \
	MOVQ     local+16(FP), SI      \
	MOVQ     LEN(DI), R13          \
	MOVQ     (R10), R10            \
	XORL     R14, R14              \
	VPCMPEQD Y15, Y15, Y15         \
	HALVE(Y15)                     \
	SUBQ     $VROWS, R13           \
	JLT      tail                  \
	loop:                          \
	MOVED(COLUMN)                  \
	ADDQ     $(16*SIZE*VROWS), R10 \
	ADDQ     $VBYTES, R14          \
	SUBQ     $VROWS, R13           \
	JGE      loop                  \
	tail:                          \
	ADDQ     $VROWS, R13           \
	JZ       done                  \
	loop1:                         \
	ONE                            \
	ADDQ     $(16*SIZE), R10       \
	ADDQ     $SIZE, R14            \
	DECQ     R13                   \
	JNZ      loop1                 \
	done:                          \
	RETURN

// Around boxes: the lowest and highest places of the whole vectors, UROWS rows at a time,
// go to the array at DI. A row that does not count is made NaN, which MIN and MAX pass over;
// in 512 bits K2 leaves it out.
//
//	AX, BX, CX, SI, R10, R8  lanes    R9   mask, R11 bytes at a time (none without a mask)
//	DX   rows left                    R14  the current row in bytes
//	V0-V2 lowest, V3-V5 highest; V6 zero; V7 bits of the mask that the rows have; V8 rows that do not count

#define AXIS(p, h, lo, hi) \
	MOV AT(p), V12                                       \
	SUB h, V12, V13; OR V8, V13, V13; VMINx(lo, V13, lo) \
	ADD h, V12, V13; OR V8, V13, V13; VMAXx(hi, V13, hi)

#define AROUND \
	VPAND V7, V8, V8; EQUALx(V6, V8, V8)                               \
	MOV   AT(SI), V9; BELOWx(V9, V12); OR V12, V8, V8                  \
	MOV   AT(R10), V10; BELOWx(V10, V12); OR V12, V8, V8               \
	MOV   AT(R8), V11; BELOWx(V11, V12); OR V12, V8, V8                \
	AXIS(AX, V9, V0, V3); AXIS(BX, V10, V1, V4); AXIS(CX, V11, V2, V5)

#define AXIS512(p, h, lo, hi) \
	MOV AT(p), V12                          \
	SUB h, V12, V13; VMINx(lo, V13, K2, lo) \
	ADD h, V12, V13; VMAXx(hi, V13, K2, hi)

#define AROUND512 \
	MOV AT(SI), V9; COUNTx(V9)                                                  \
	MOV AT(R10), V10; COUNTx(V10)                                               \
	MOV AT(R8), V11; COUNTx(V11)                                                \
	AXIS512(AX, V9, V0, V3); AXIS512(BX, V10, V1, V4); AXIS512(CX, V11, V2, V5)

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
DATA allBits<>+0(SB)/8, $-1
GLOBL allBits<>(SB), RODATA|NOPTR, $8

#define UNIONARGS \
	MOVQ   e+0(FP), DI                                                        \
	MOVQ   b+8(FP), R12                                                       \
	MOVQ   mask_base+16(FP), R9                                               \
	MOVQ   LEN(R12), DX                                                       \
	MOVQ   (R12), AX; MOVQ 24(R12), BX                                        \
	MOVQ   48(R12), CX; MOVQ 72(R12), SI                                      \
	MOVQ   96(R12), R10; MOVQ 120(R12), R8                                    \
	MOVL   $1, R11                                                            \
	TESTQ  R9, R9                                                             \
	JNZ    given                                                              \
	LEAQ   allBits<>(SB), R9                                                  \
	XORL   R11, R11                                                           \
	given:                                                                    \
	MOV    (0*VBYTES)(DI), V0; MOV (1*VBYTES)(DI), V1; MOV (2*VBYTES)(DI), V2 \
	MOV    (3*VBYTES)(DI), V3; MOV (4*VBYTES)(DI), V4; MOV (5*VBYTES)(DI), V5 \
	XOR    V6, V6, V6                                                         \
	XORL   R14, R14                                                           \
	SUBQ   $UROWS, DX                                                         \
	JLT    done

#define UNIONRESULT \
done:  \
	MOV V0, (0*VBYTES)(DI); MOV V1, (1*VBYTES)(DI); MOV V2, (2*VBYTES)(DI) \
	MOV V3, (3*VBYTES)(DI); MOV V4, (4*VBYTES)(DI); MOV V5, (5*VBYTES)(DI) \
	RETURN

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

#define VBYTES 32
#define VROWS 8
#define INSIDE(in) VCMPPS $29, V10, V7, V7; AND V7, in, in
#define IN0 V11
#define IN1 V12
#define IN2 V13
#define IN3 V14
#define EVERYROW VPCMPEQD V11, V11, V11; VPCMPEQD V12, V12, V12; VPCMPEQD V13, V13, V13; VPCMPEQD V14, V14, V14
#define ROWSLEFT MOV Y15, IN0
#define BITSOF(in, bits) VMOVMSKPS in, bits
#define STOREBITS(bits) MOVL bits, (R9)

// func boxesInPlanesF32AVX2(mask []uint64, b *Boxes[float32], walls *walls32, planes int)
// Requires: AVX2.
TEXT ·boxesInPlanesF32AVX2(SB), NOSPLIT, $0-48
	BOXESINPLANES

// func spheresInPlanesF32AVX2(mask []uint64, s *Spheres[float32], walls *walls32, planes int)
// Requires: AVX2.
TEXT ·spheresInPlanesF32AVX2(SB), NOSPLIT, $0-48
	SPHERESINPLANES

#define HALVE(v) VPSRLD $1, v, v
#define VMINx(b, a, c) VMINPS b, a, c
#define VMAXx(b, a, c) VMAXPS b, a, c
#define BELOWx(v, out) VCMPPS $25, V6, v, out // not v >= 0
#define EQUALx(a, b, c) VPCMPEQD a, b, c
#define UROWS 8

// func boxesTransformF32AVX2(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32])
// Requires: AVX2.
TEXT ·boxesTransformF32AVX2(SB), NOSPLIT, $0-24
	TRANSFORM(COLUMN32, ONEROW(X0, X3, X6, X9, X13, X14, X15); APART3X32(X0, 0); APART3X32(X3, 3))

// func boxesUnionF32AVX2(e *[6][8]float32, b *Boxes[float32], mask []uint64)
// Requires: AVX2.
TEXT ·boxesUnionF32AVX2(SB), NOSPLIT, $0-40
	UNIONARGS

	VMOVUPS bitOf32<>(SB), V7

loop8:
	VPBROADCASTB (R9), V8
	ADDQ         R11, R9
	AROUND
	ADDQ         $32, R14
	SUBQ         $UROWS, DX
	JGE          loop8

	UNIONRESULT

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

#undef VBYTES
#undef VROWS
#undef INSIDE
#undef IN0
#undef IN1
#undef IN2
#undef IN3
#undef EVERYROW
#undef ROWSLEFT
#undef BITSOF
#undef STOREBITS
#define VBYTES 32
#define VROWS 4
#define INSIDE(in) VCMPPD $29, V10, V7, V7; AND V7, in, in
#define IN0 V11
#define IN1 V12
#define IN2 V13
#define IN3 V14
#define EVERYROW VPCMPEQD V11, V11, V11; VPCMPEQD V12, V12, V12; VPCMPEQD V13, V13, V13; VPCMPEQD V14, V14, V14
#define ROWSLEFT MOV Y15, IN0
#define BITSOF(in, bits) VMOVMSKPD in, bits
#define STOREBITS(bits) MOVW bits, (R9)

// func boxesInPlanesF64AVX2(mask []uint64, b *Boxes[float64], walls *walls64, planes int)
// Requires: AVX2.
TEXT ·boxesInPlanesF64AVX2(SB), NOSPLIT, $0-48
	BOXESINPLANES

// func spheresInPlanesF64AVX2(mask []uint64, s *Spheres[float64], walls *walls64, planes int)
// Requires: AVX2.
TEXT ·spheresInPlanesF64AVX2(SB), NOSPLIT, $0-48
	SPHERESINPLANES

#undef HALVE
#undef VMINx
#undef VMAXx
#undef BELOWx
#undef EQUALx
#undef UROWS
#define HALVE(v) VPSRLQ $1, v, v
#define VMINx(b, a, c) VMINPD b, a, c
#define VMAXx(b, a, c) VMAXPD b, a, c
#define BELOWx(v, out) VCMPPD $25, V6, v, out // not v >= 0
#define EQUALx(a, b, c) VPCMPEQQ a, b, c
#define UROWS 8

// func boxesTransformF64AVX2(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64])
// Requires: AVX2.
TEXT ·boxesTransformF64AVX2(SB), NOSPLIT, $0-24
	TRANSFORM(COLUMN64, ONEROW(Y0, Y3, Y6, Y9, Y13, Y14, Y15); APART3X64(X0, Y0, 0); APART3X64(X3, Y3, 3))

// func boxesUnionF64AVX2(e *[6][4]float64, b *Boxes[float64], mask []uint64)
// Requires: AVX2.
TEXT ·boxesUnionF64AVX2(SB), NOSPLIT, $0-40
	UNIONARGS

loop8:
	VPBROADCASTB (R9), V8
	VMOVUPD      bitOf64<>+0(SB), V7
	AROUND
	ADDQ         $32, R14
	VPBROADCASTB (R9), V8
	ADDQ         R11, R9
	VMOVUPD      bitOf64<>+32(SB), V7
	AROUND
	ADDQ         $32, R14
	SUBQ         $UROWS, DX
	JGE          loop8

	UNIONRESULT

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

#undef VBYTES
#undef VROWS
#undef INSIDE
#undef IN0
#undef IN1
#undef IN2
#undef IN3
#undef EVERYROW
#undef ROWSLEFT
#undef BITSOF
#undef STOREBITS
#define VBYTES 64
#define VROWS 16
#define INSIDE(in) VCMPPS $29, V10, V7, in, in
#define IN0 K4
#define IN1 K5
#define IN2 K6
#define IN3 K7
#define EVERYROW KXNORW K4, K4, K4; KXNORW K5, K5, K5; KXNORW K6, K6, K6; KXNORW K7, K7, K7
#define ROWSLEFT KMOVW K1, IN0
#define BITSOF(in, bits) KMOVW in, bits
#define STOREBITS(bits) MOVQ bits, (R9)

// func boxesInPlanesF32AVX512(mask []uint64, b *Boxes[float32], walls *walls32, planes int)
// Requires: AVX-512.
TEXT ·boxesInPlanesF32AVX512(SB), NOSPLIT, $0-48
	BOXESINPLANES

// func spheresInPlanesF32AVX512(mask []uint64, s *Spheres[float32], walls *walls32, planes int)
// Requires: AVX-512.
TEXT ·spheresInPlanesF32AVX512(SB), NOSPLIT, $0-48
	SPHERESINPLANES

#undef VMINx
#undef VMAXx
#undef UROWS
#define VMINx(b, a, k, c) VMINPS b, a, k, c
#define VMAXx(b, a, k, c) VMAXPS b, a, k, c
#define COUNTx(h) VCMPPS $29, V6, h, K2, K2
#define UROWS 16

// func boxesUnionF32AVX512(e *[6][16]float32, b *Boxes[float32], mask []uint64)
// Requires: AVX-512.
TEXT ·boxesUnionF32AVX512(SB), NOSPLIT, $0-40
	UNIONARGS
	SHLQ $1, R11 // two bytes of the mask

loop16:
	KMOVW (R9), K2
	ADDQ  R11, R9
	AROUND512
	ADDQ  $64, R14
	SUBQ  $UROWS, DX
	JGE   loop16

	UNIONRESULT

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

#undef VBYTES
#undef VROWS
#undef INSIDE
#undef IN0
#undef IN1
#undef IN2
#undef IN3
#undef EVERYROW
#undef ROWSLEFT
#undef BITSOF
#undef STOREBITS
#define VBYTES 64
#define VROWS 8
#define INSIDE(in) VCMPPD $29, V10, V7, in, in
#define IN0 K4
#define IN1 K5
#define IN2 K6
#define IN3 K7
#define EVERYROW KXNORW K4, K4, K4; KXNORW K5, K5, K5; KXNORW K6, K6, K6; KXNORW K7, K7, K7
#define ROWSLEFT KMOVW K1, IN0
#define BITSOF(in, bits) KMOVB in, bits
#define STOREBITS(bits) MOVL bits, (R9)

// func boxesInPlanesF64AVX512(mask []uint64, b *Boxes[float64], walls *walls64, planes int)
// Requires: AVX-512.
TEXT ·boxesInPlanesF64AVX512(SB), NOSPLIT, $0-48
	BOXESINPLANES

// func spheresInPlanesF64AVX512(mask []uint64, s *Spheres[float64], walls *walls64, planes int)
// Requires: AVX-512.
TEXT ·spheresInPlanesF64AVX512(SB), NOSPLIT, $0-48
	SPHERESINPLANES

#undef VMINx
#undef VMAXx
#undef UROWS
#undef COUNTx
#define VMINx(b, a, k, c) VMINPD b, a, k, c
#define VMAXx(b, a, k, c) VMAXPD b, a, k, c
#define COUNTx(h) VCMPPD $29, V6, h, K2, K2
#define UROWS 8

// func boxesUnionF64AVX512(e *[6][8]float64, b *Boxes[float64], mask []uint64)
// Requires: AVX-512.
TEXT ·boxesUnionF64AVX512(SB), NOSPLIT, $0-40
	UNIONARGS

loop8:
	KMOVB (R9), K2
	ADDQ  R11, R9
	AROUND512
	ADDQ  $64, R14
	SUBQ  $UROWS, DX
	JGE   loop8

	UNIONRESULT
