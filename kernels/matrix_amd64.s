//go:build !purego

#include "textflag.h"
#include "view_amd64.h"

// Kernels on matrices: the AVX2 and AVX-512 paths. Operands stand in the
// assembler's order, sources first: SUB a, b, c is c = b - a.
//
// Those on lanes have more of them than there are registers: they keep pointers
// to the headers and take a lane's address from there each time. DI, SI and DX
// are at the headers of the destination and of the operands, R14 is the current
// row in bytes, R8 a lane. The macros hold the arithmetic, in the order of the
// generic bodies; after them every kernel stands four times, for two widths and
// two types.

// IN loads lane k of the operand at p, OUT stores it. They spoil R8.
#define IN(LOAD, p, k, v) MOVQ (24*k)(p), R8; LOAD(AT(R8), v)
#define OUT(STORE, v, p, k) MOVQ (24*k)(p), R8; STORE(v, AT(R8))

#define IN3(LOAD, p, k, x, y, z) IN(LOAD, p, k, x); IN(LOAD, p, (k+1), y); IN(LOAD, p, (k+2), z)
#define OUT3(STORE, x, y, z, p, k) OUT(STORE, x, p, k); OUT(STORE, y, p, (k+1)); OUT(STORE, z, p, (k+2))

// ALL runs a body on all rows, the whole vectors first. It spoils R12 and R13.
#define ALL(BODY) \
	MOVQ  LEN(DI), R13; MOVQ R13, R12 \
	ANDQ  FULL, R12; SHLQ SHIFT, R12  \
	XORL  R14, R14                    \
	CMPQ  R14, R12                    \
	JEQ   tail                        \
	loop:                             \
	BODY(LD, ST)                      \
	ADDQ  WIDTH, R14                  \
	CMPQ  R14, R12                    \
	JLT   loop                        \
	tail:                             \
	ANDQ  REST, R13                   \
	JZ    done                        \
	MASK(R13)                         \
	BODY(LDM, STM)                    \
	done:                             \
	RETURN

// COMPOSE_LANES gives the ten lanes of pos, rot and scale registers, from the pointers to
// the views in AX, CX and R11. More are not free.
#define COMPOSE_LANES \
	MOVQ LANEY(AX), BX; MOVQ LANEZ(AX), R13; MOVQ LANEX(AX), AX                    \
	MOVQ LANEY(CX), DX; MOVQ LANEZ(CX), SI; MOVQ LANEW(CX), R9; MOVQ LANEX(CX), CX \
	MOVQ LANEX(R11), R10; MOVQ LANEZ(R11), R12; MOVQ LANEY(R11), R11

#define COMPOSE_BODY(LOAD, STORE) \
	LOAD(AT(CX), V0); LOAD(AT(DX), V1); LOAD(AT(SI), V2); LOAD(AT(R9), V3) \
	ADD   V0, V0, V4; ADD V1, V1, V5; ADD V2, V2, V6                       \
	MUL   V4, V3, V7; MUL V5, V3, V8; MUL V6, V3, V9 /* wx wy wz */        \
	MUL   V4, V0, V10; MUL V5, V0, V11; MUL V6, V0, V12 /* xx xy xz */     \
	MUL   V5, V1, V13; MUL V6, V1, V14; MUL V6, V2, V0 /* yy yz zz */      \
	SPLAT ONE, V3                                                          \
	ADD   V0, V13, V1; SUB V1, V3, V1 /* 1 - (yy+zz) */                    \
	ADD   V0, V10, V5; SUB V5, V3, V5 /* 1 - (xx+zz) */                    \
	ADD   V13, V10, V10; SUB V10, V3, V10 /* 1 - (xx+yy) */                \
	ADD   V9, V11, V2; SUB V9, V11, V4 /* xy+wz, xy-wz */                  \
	SUB   V8, V12, V3; ADD V8, V12, V8 /* xz-wy, xz+wy */                  \
	ADD   V7, V14, V6; SUB V7, V14, V9 /* yz+wx, yz-wx */                  \
	LOAD(AT(R10), V0); LOAD(AT(R11), V7); LOAD(AT(R12), V11)               \
	MUL   V0, V1, V1; MUL V0, V2, V2; MUL V0, V3, V3                       \
	MUL   V7, V4, V4; MUL V7, V5, V5; MUL V7, V6, V6                       \
	MUL   V11, V8, V8; MUL V11, V9, V9; MUL V11, V10, V10                  \
	OUT3(STORE, V1, V2, V3, DI, 0); OUT3(STORE, V4, V5, V6, DI, 3)         \
	OUT3(STORE, V8, V9, V10, DI, 6)                                        \
	LOAD(AT(AX), V1); LOAD(AT(BX), V2); LOAD(AT(R13), V3)                  \
	OUT3(STORE, V1, V2, V3, DI, 9)

// COMPOSE_ALL is ALL without a register to spare.
#define COMPOSE_ALL \
	MOVQ  LEN(DI), R14               \
	ANDQ  FULL, R14; SHLQ SHIFT, R14 \
	MOVQ  R14, end-8(SP)             \
	XORL  R14, R14                   \
	CMPQ  R14, end-8(SP)             \
	JEQ   tail                       \
	loop:                            \
	COMPOSE_BODY(LD, ST)             \
	ADDQ  WIDTH, R14                 \
	CMPQ  R14, end-8(SP)             \
	JLT   loop                       \
	tail:                            \
	MOVQ  LEN(DI), R8                \
	ANDQ  REST, R8                   \
	JZ    done                       \
	MASK(R8)                         \
	COMPOSE_BODY(LDM, STM)           \
	done:                            \
	RETURN

// TIMES_LOCAL sets V12 to one row (a, b, c) of the parent times the column of the
// local in V9 to V11. It spoils V13.
#define TIMES_LOCAL(a, b, c) \
	MUL V9, a, V12                     \
	MUL V10, b, V13; ADD V13, V12, V12 \
	MUL V11, c, V13; ADD V13, V12, V12

#define PRODUCT_COLUMN(LOAD, STORE, k) \
	IN3(LOAD, DX, k, V9, V10, V11)                      \
	TIMES_LOCAL(V0, V3, V6); OUT(STORE, V12, DI, k)     \
	TIMES_LOCAL(V1, V4, V7); OUT(STORE, V12, DI, (k+1)) \
	TIMES_LOCAL(V2, V5, V8); OUT(STORE, V12, DI, (k+2))

// MOVED_LOCAL is one row of the last column.
#define MOVED_LOCAL(LOAD, STORE, a, b, c, k) \
TIMES_LOCAL(a, b, c); IN(LOAD, SI, k, V13); ADD V13, V12, V12; OUT(STORE, V12, DI, k)

#define PRODUCT_BODY(LOAD, STORE) \
	IN3(LOAD, SI, 0, V0, V1, V2); IN3(LOAD, SI, 3, V3, V4, V5); IN3(LOAD, SI, 6, V6, V7, V8) \
	PRODUCT_COLUMN(LOAD, STORE, 0)                                                           \
	PRODUCT_COLUMN(LOAD, STORE, 3)                                                           \
	PRODUCT_COLUMN(LOAD, STORE, 6)                                                           \
	IN3(LOAD, DX, 9, V9, V10, V11)                                                           \
	MOVED_LOCAL(LOAD, STORE, V0, V3, V6, 9)                                                  \
	MOVED_LOCAL(LOAD, STORE, V1, V4, V7, 10)                                                 \
	MOVED_LOCAL(LOAD, STORE, V2, V5, V8, 11)

// CROSS sets (x, y, z) to a × b. It spoils t.
#define CROSS(ax, ay, az, bx, by, bz, x, y, z, t) \
	MUL bz, ay, x; MUL by, az, t; SUB t, x, x \
	MUL bx, az, y; MUL bz, ax, t; SUB t, y, y \
	MUL by, ax, z; MUL bx, ay, t; SUB t, z, z

// INVERSE_ROW scales the row in V9 to V11 by V14, stores it as row k and sets out
// to what stands at its end. It spoils t.
#define INVERSE_ROW(LOAD, STORE, k, out, t) \
	MUL V14, V9, V9; OUT(STORE, V9, DI, k)              \
	MUL V14, V10, V10; OUT(STORE, V10, DI, (k+3))       \
	MUL V14, V11, V11; OUT(STORE, V11, DI, (k+6))       \
	IN(LOAD, SI, 9, out); MUL V9, out, out              \
	IN(LOAD, SI, 10, t); MUL V10, t, t; ADD t, out, out \
	IN(LOAD, SI, 11, t); MUL V11, t, t; ADD t, out, out \
	XOR SIGNBIT, out, out

#define INVERSE_BODY(LOAD, STORE) \
	IN3(LOAD, SI, 0, V0, V1, V2); IN3(LOAD, SI, 3, V3, V4, V5); IN3(LOAD, SI, 6, V6, V7, V8) \
	CROSS(V3, V4, V5, V6, V7, V8, V9, V10, V11, V12)                                         \
	MUL   V9, V0, V12; MUL V10, V1, V13; ADD V13, V12, V12                                   \
	MUL   V11, V2, V13; ADD V13, V12, V12                                                    \
	SPLAT ONE, V13; DIV V12, V13, V14 /* 1 / determinant */                                  \
	INVERSE_ROW(LOAD, STORE, 0, V12, V13)                                                    \
	CROSS(V6, V7, V8, V0, V1, V2, V9, V10, V11, V13)                                         \
	INVERSE_ROW(LOAD, STORE, 1, V6, V13)                                                     \
	CROSS(V0, V1, V2, V3, V4, V5, V9, V10, V11, V13)                                         \
	INVERSE_ROW(LOAD, STORE, 2, V7, V13)                                                     \
	OUT3(STORE, V12, V6, V7, DI, 9)

// UNIT divides (x, y, z) by its length, which it leaves in s. It needs zeros in
// V13 and spoils t and V12.
#define UNIT(x, y, z, s, t) \
	MUL   x, x, s; MUL y, y, t; ADD t, s, s; MUL z, z, t; ADD t, s, s \
	IFEQUAL(s, V13)                                                   \
	SQRT  s, s                                                        \
	SPLAT ONE, t; DIV s, t, t                                         \
	CHOOSE(V13, t, t)                                                 \
	MUL   t, x, x; MUL t, y, y; MUL t, z, z

#define DECOMPOSE_BODY(LOAD, STORE) \
	IN3(LOAD, SI, 9, V0, V1, V2); OUT3(STORE, V0, V1, V2, DI, 0)                                         \
	XOR      V13, V13, V13                                                                               \
	IN3(LOAD, SI, 3, V3, V4, V5); UNIT(V3, V4, V5, V9, V10); OUT(STORE, V9, DI, 8)                       \
	IN3(LOAD, SI, 6, V6, V7, V8); UNIT(V6, V7, V8, V9, V10); OUT(STORE, V9, DI, 9)                       \
	IN3(LOAD, SI, 0, V0, V1, V2); UNIT(V0, V1, V2, V9, V10)                                              \
	/* the sign bit in V10 where the matrix mirrors */                                                   \
	CROSS(V3, V4, V5, V6, V7, V8, V10, V11, V14, V12)                                                    \
	MUL      V10, V0, V10; MUL V11, V1, V11; ADD V11, V10, V10; MUL V14, V2, V14; ADD V14, V10, V10      \
	IFLESS(V10, V13); MOV SIGNBIT, V11; CHOOSE(V11, V13, V10)                                            \
	XOR      V10, V0, V0; XOR V10, V1, V1; XOR V10, V2, V2; XOR V10, V9, V9; OUT(STORE, V9, DI, 7)       \
	/* V9, V10, V11: sums, V3, V2, V1: differences of the elements across the diagonal */                \
	ADD      V3, V1, V9; SUB V3, V1, V1                                                                  \
	ADD      V6, V2, V10; SUB V2, V6, V2                                                                 \
	ADD      V7, V5, V11; SUB V7, V5, V3                                                                 \
	/* V6, V7, V5, V13: those that are large in turn */                                                  \
	SPLAT    ONE, V5; ADD V0, V5, V6; SUB V0, V5, V5; ADD V8, V4, V7; SUB V8, V4, V14                    \
	ADD      V7, V6, V13; SUB V7, V6, V6; ADD V14, V5, V7; SUB V14, V5, V5                               \
	/* c.z < 0: V6, V7, V14, V9 */                                                                       \
	IFGREATER(V0, V4); CHOOSE(V6, V9, V6); CHOOSE(V9, V7, V7); CHOOSE(V10, V11, V14); CHOOSE(V3, V2, V9) \
	/* otherwise: V0, V4, V5, V13 */                                                                     \
	XOR      SIGNBIT, V4, V4                                                                             \
	IFLESS(V0, V4); CHOOSE(V10, V3, V0); CHOOSE(V11, V2, V4); CHOOSE(V5, V1, V5); CHOOSE(V1, V13, V13)   \
	XOR      V10, V10, V10                                                                               \
	IFLESS(V8, V10); CHOOSE(V6, V0, V0); CHOOSE(V7, V4, V1); CHOOSE(V14, V5, V2); CHOOSE(V9, V13, V3)    \
	SQUARE4; SQRT V8, V8; SPLAT ONE, V9; DIV V8, V9, V8; TIMES4                                          \
	OUT3(STORE, V0, V1, V2, DI, 3); OUT(STORE, V3, DI, 6)

// The two layouts. R14 is the current row of the lanes in bytes, SI the matrix it
// is in. The last rows, if they do not fill a vector, are done with some of those
// before them once more.

// TURN runs a body on so many rows at a time, each of size bytes in a lane, after
// R12 has been set to the number of rows, at least as many. It spoils R13.
#define TURN(BODY, rows, shift) \
	XORL  R13, R13              \
	loop:                       \
	MOVQ  R13, R14              \
	SHLQ  $shift, R14           \
	BODY                        \
	ADDQ  $rows, R13            \
	ADDQ  $(rows*16<<shift), SI \
	LEAQ  rows(R13), R14        \
	CMPQ  R14, R12              \
	JLE   loop                  \
	CMPQ  R13, R12              \
	JEQ   done                  \
	SUBQ  R12, R14              \
	SUBQ  R14, R13              \
	SHLQ  $(shift+4), R14       \
	SUBQ  R14, SI               \
	JMP   loop                  \
	done:  \
	RETURN

// APART32 does column j of eight matrices.
#define APART32(j) \
	VMOVUPS   (16*j)(SI), X0; VINSERTF128 $1, (16*j+256)(SI), Y0, Y0          \
	VMOVUPS   (16*j+64)(SI), X1; VINSERTF128 $1, (16*j+320)(SI), Y1, Y1       \
	VMOVUPS   (16*j+128)(SI), X2; VINSERTF128 $1, (16*j+384)(SI), Y2, Y2      \
	VMOVUPS   (16*j+192)(SI), X3; VINSERTF128 $1, (16*j+448)(SI), Y3, Y3      \
	VUNPCKLPS Y1, Y0, Y4; VUNPCKLPS Y3, Y2, Y5 /* x0 x1 y0 y1, x2 x3 y2 y3 */ \
	VUNPCKHPS Y1, Y0, Y6; VUNPCKHPS Y3, Y2, Y7 /* z0 z1 w0 w1, z2 z3 w2 w3 */ \
	VUNPCKLPD Y5, Y4, Y0; VUNPCKHPD Y5, Y4, Y1; VUNPCKLPD Y7, Y6, Y2          \
	OUT3(ST, Y0, Y1, Y2, DI, (3*j))

#define APART8 APART32(0); APART32(1); APART32(2); APART32(3)

// TOGETHER32 does columns j and j+1 of four matrices; Y14 stands below them.
#define TOGETHER32(j) \
	MOVQ      (72*j)(DI), R8; VMOVUPS AT(R8), X0                               \
	MOVQ      (72*j+72)(DI), R8; VINSERTF128 $1, AT(R8), Y0, Y0                \
	MOVQ      (72*j+24)(DI), R8; VMOVUPS AT(R8), X1                            \
	MOVQ      (72*j+96)(DI), R8; VINSERTF128 $1, AT(R8), Y1, Y1                \
	MOVQ      (72*j+48)(DI), R8; VMOVUPS AT(R8), X2                            \
	MOVQ      (72*j+120)(DI), R8; VINSERTF128 $1, AT(R8), Y2, Y2               \
	VUNPCKLPS Y1, Y0, Y4; VUNPCKLPS Y14, Y2, Y5 /* x0 y0 x1 y1, z0 w0 z1 w1 */ \
	VUNPCKHPS Y1, Y0, Y6; VUNPCKHPS Y14, Y2, Y7 /* x2 y2 x3 y3, z2 w2 z3 w3 */ \
	VUNPCKLPD Y5, Y4, Y0; VMOVUPS Y0, (16*j)(SI)                               \
	VUNPCKHPD Y5, Y4, Y0; VMOVUPS Y0, (16*j+64)(SI)                            \
	VUNPCKLPD Y7, Y6, Y0; VMOVUPS Y0, (16*j+128)(SI)                           \
	VUNPCKHPD Y7, Y6, Y0; VMOVUPS Y0, (16*j+192)(SI)

#define TOGETHER4X32 \
	VMOVAPS Y12, Y14; TOGETHER32(0) \
	VMOVAPS Y13, Y14; TOGETHER32(2)

// APART64 does column j of four matrices.
#define APART64(j) \
	VMOVUPD    (32*j)(SI), Y0; VMOVUPD (32*j+128)(SI), Y1                      \
	VMOVUPD    (32*j+256)(SI), Y2; VMOVUPD (32*j+384)(SI), Y3                  \
	VUNPCKLPD  Y1, Y0, Y4; VUNPCKLPD Y3, Y2, Y5 /* x0 x1 z0 z1, x2 x3 z2 z3 */ \
	VUNPCKHPD  Y1, Y0, Y6; VUNPCKHPD Y3, Y2, Y7 /* y0 y1 w0 w1, y2 y3 w2 w3 */ \
	VPERM2F128 $0x20, Y5, Y4, Y0; VPERM2F128 $0x20, Y7, Y6, Y1                 \
	VPERM2F128 $0x31, Y5, Y4, Y2                                               \
	OUT3(ST, Y0, Y1, Y2, DI, (3*j))

#define APART4 APART64(0); APART64(1); APART64(2); APART64(3)

// TOGETHER64 does column j of four matrices; below stands under it.
#define TOGETHER64(j, below) \
	IN3(LD, DI, (3*j), Y0, Y1, Y2)                                                \
	VUNPCKLPD  Y1, Y0, Y4; VUNPCKLPD below, Y2, Y5 /* x0 y0 x2 y2, z0 w0 z2 w2 */ \
	VUNPCKHPD  Y1, Y0, Y6; VUNPCKHPD below, Y2, Y7 /* x1 y1 x3 y3, z1 w1 z3 w3 */ \
	VPERM2F128 $0x20, Y5, Y4, Y0; VMOVUPD Y0, (32*j)(SI)                          \
	VPERM2F128 $0x20, Y7, Y6, Y0; VMOVUPD Y0, (32*j+128)(SI)                      \
	VPERM2F128 $0x31, Y5, Y4, Y0; VMOVUPD Y0, (32*j+256)(SI)                      \
	VPERM2F128 $0x31, Y7, Y6, Y0; VMOVUPD Y0, (32*j+384)(SI)

#define TOGETHER4X64 TOGETHER64(0, Y12); TOGETHER64(1, Y12); TOGETHER64(2, Y12); TOGETHER64(3, Y13)

// ACROSS turns four registers of four blocks of 128 bits into the first blocks of
// all, the second ones, and so on. It spoils Z4 to Z7.
#define ACROSS(a, b, c, d, o0, o1, o2, o3) \
	VSHUFF32X4 $0x44, b, a, Z4; VSHUFF32X4 $0xee, b, a, Z5     \
	VSHUFF32X4 $0x44, d, c, Z6; VSHUFF32X4 $0xee, d, c, Z7     \
	VSHUFF32X4 $0x88, Z6, Z4, o0; VSHUFF32X4 $0xdd, Z6, Z4, o1 \
	VSHUFF32X4 $0x88, Z7, Z5, o2; VSHUFF32X4 $0xdd, Z7, Z5, o3

// FOUR sets x, y and z to the components of four matrices at m, a block for each
// column. It spoils Z0 to Z7.
#define FOUR(m, x, y, z) \
	VMOVUPS   0+m, Z0; VMOVUPS 64+m, Z1; VMOVUPS 128+m, Z2; VMOVUPS 192+m, Z3 \
	VUNPCKLPS Z1, Z0, Z4; VUNPCKLPS Z3, Z2, Z5                                \
	VUNPCKHPS Z1, Z0, Z6; VUNPCKHPS Z3, Z2, Z7                                \
	VUNPCKLPD Z5, Z4, x; VUNPCKHPD Z5, Z4, y; VUNPCKLPD Z7, Z6, z

// LANES4 does one component, k, of the four columns of sixteen matrices.
#define LANES4(k, a, b, c, d) \
	ACROSS(a, b, c, d, Z0, Z1, Z2, Z3)                                                         \
	OUT(ST, Z0, DI, k); OUT(ST, Z1, DI, (k+3)); OUT(ST, Z2, DI, (k+6)); OUT(ST, Z3, DI, (k+9))

#define APART16 \
	FOUR(0(SI), Z8, Z12, Z16)     \
	FOUR(256(SI), Z9, Z13, Z17)   \
	FOUR(512(SI), Z10, Z14, Z18)  \
	FOUR(768(SI), Z11, Z15, Z19)  \
	LANES4(0, Z8, Z9, Z10, Z11)   \
	LANES4(1, Z12, Z13, Z14, Z15) \
	LANES4(2, Z16, Z17, Z18, Z19)

// COLUMNS4 is LANES4 the other way.
#define COLUMNS4(k, a, b, c, d) \
	IN(LD, DI, k, Z0); IN(LD, DI, (k+3), Z1); IN(LD, DI, (k+6), Z2); IN(LD, DI, (k+9), Z3) \
	ACROSS(Z0, Z1, Z2, Z3, a, b, c, d)

// STOREFOUR is FOUR the other way; Z20 stands below the columns.
#define STOREFOUR(x, y, z, m) \
	VUNPCKLPS y, x, Z0; VUNPCKLPS Z20, z, Z1                                  \
	VUNPCKHPS y, x, Z2; VUNPCKHPS Z20, z, Z3                                  \
	VUNPCKLPD Z1, Z0, Z4; VUNPCKHPD Z1, Z0, Z5                                \
	VUNPCKLPD Z3, Z2, Z6; VUNPCKHPD Z3, Z2, Z7                                \
	VMOVUPS   Z4, 0+m; VMOVUPS Z5, 64+m; VMOVUPS Z6, 128+m; VMOVUPS Z7, 192+m

#define TOGETHER16 \
	COLUMNS4(0, Z8, Z9, Z10, Z11)     \
	COLUMNS4(1, Z12, Z13, Z14, Z15)   \
	COLUMNS4(2, Z16, Z17, Z18, Z19)   \
	STOREFOUR(Z8, Z12, Z16, 0(SI))    \
	STOREFOUR(Z9, Z13, Z17, 256(SI))  \
	STOREFOUR(Z10, Z14, Z18, 512(SI)) \
	STOREFOUR(Z11, Z15, Z19, 768(SI))

// HALF8 does two columns, from lane k on, of eight matrices at m, two rows in each
// block.
#define HALF8(m, k) \
	VMOVUPD    0+m, Z0; VMOVUPD 128+m, Z1; VUNPCKLPD Z1, Z0, Z8; VUNPCKHPD Z1, Z0, Z12    \
	VMOVUPD    256+m, Z0; VMOVUPD 384+m, Z1; VUNPCKLPD Z1, Z0, Z9; VUNPCKHPD Z1, Z0, Z13  \
	VMOVUPD    512+m, Z0; VMOVUPD 640+m, Z1; VUNPCKLPD Z1, Z0, Z10; VUNPCKHPD Z1, Z0, Z14 \
	VMOVUPD    768+m, Z0; VMOVUPD 896+m, Z1; VUNPCKLPD Z1, Z0, Z11; VUNPCKHPD Z1, Z0, Z15 \
	ACROSS(Z8, Z9, Z10, Z11, Z0, Z1, Z2, Z3) /* x z x z */                                \
	VSHUFF64X2 $0x88, Z13, Z12, Z4; VSHUFF64X2 $0x88, Z15, Z14, Z5                        \
	VSHUFF64X2 $0x88, Z5, Z4, Z6; VSHUFF64X2 $0xdd, Z5, Z4, Z7 /* y y */                  \
	OUT3(ST, Z0, Z6, Z1, DI, k); OUT3(ST, Z2, Z7, Z3, DI, (k+3))

#define APART8X64 HALF8(0(SI), 0); HALF8(64(SI), 6)

// STOREHALF8 is HALF8 the other way; below0 and below1 stand below the columns.
#define STOREHALF8(k, below0, below1, m) \
	IN3(LD, DI, k, Z0, Z12, Z1); IN3(LD, DI, (k+3), Z2, Z13, Z3)                       \
	ACROSS(Z0, Z1, Z2, Z3, Z8, Z9, Z10, Z11)                                           \
	ACROSS(Z12, below0, Z13, below1, Z0, Z1, Z2, Z3)                                   \
	VUNPCKLPD Z0, Z8, Z4; VMOVUPD Z4, 0+m; VUNPCKHPD Z0, Z8, Z4; VMOVUPD Z4, 128+m     \
	VUNPCKLPD Z1, Z9, Z4; VMOVUPD Z4, 256+m; VUNPCKHPD Z1, Z9, Z4; VMOVUPD Z4, 384+m   \
	VUNPCKLPD Z2, Z10, Z4; VMOVUPD Z4, 512+m; VUNPCKHPD Z2, Z10, Z4; VMOVUPD Z4, 640+m \
	VUNPCKLPD Z3, Z11, Z4; VMOVUPD Z4, 768+m; VUNPCKHPD Z3, Z11, Z4; VMOVUPD Z4, 896+m

#define TOGETHER8X64 STOREHALF8(0, Z20, Z20, 0(SI)); STOREHALF8(6, Z20, Z21, 64(SI))

// Products of whole matrices.

// COLUMNS32 sets out to the parent, each of its columns twice in Y0 to Y3, times
// the two columns in l. It spoils Y9.
#define COLUMNS32(l, out) \
	VPERMILPS $0x00, l, out; VMULPS out, Y0, out /* p0*l[0,j] */                     \
	VPERMILPS $0x55, l, Y9; VMULPS Y9, Y1, Y9; VADDPS Y9, out, out /* + p1*l[1,j] */ \
	VPERMILPS $0xaa, l, Y9; VMULPS Y9, Y2, Y9; VADDPS Y9, out, out /* + p2*l[2,j] */ \
	VPERMILPS $0xff, l, Y9; VMULPS Y9, Y3, Y9; VADDPS Y9, out, out                   // + p3*l[3,j]

#define MATRIX32(p, l, m) \
	VBROADCASTF128 (p), Y0; VBROADCASTF128 16(p), Y1   \
	VBROADCASTF128 32(p), Y2; VBROADCASTF128 48(p), Y3 \
	VMOVUPS        (l), Y4; VMOVUPS 32(l), Y5          \
	COLUMNS32(Y4, Y6)                                  \
	COLUMNS32(Y5, Y7)                                  \
	VMOVUPS        Y6, (m); VMOVUPS Y7, 32(m)

#define MATRIX32X512(p, l, m) \
	VBROADCASTF32X4 (p), Z0; VBROADCASTF32X4 16(p), Z1                  \
	VBROADCASTF32X4 32(p), Z2; VBROADCASTF32X4 48(p), Z3                \
	VMOVUPS         (l), Z4                                             \
	VPERMILPS       $0x00, Z4, Z5; VMULPS Z5, Z0, Z5                    \
	VPERMILPS       $0x55, Z4, Z6; VMULPS Z6, Z1, Z6; VADDPS Z6, Z5, Z5 \
	VPERMILPS       $0xaa, Z4, Z6; VMULPS Z6, Z2, Z6; VADDPS Z6, Z5, Z5 \
	VPERMILPS       $0xff, Z4, Z6; VMULPS Z6, Z3, Z6; VADDPS Z6, Z5, Z5 \
	VMOVUPS         Z5, (m)

// COLUMN64 sets out to the parent, its columns in Y0 to Y3, times the column at l.
// It spoils Y8.
#define COLUMN64(l, out) \
	VBROADCASTSD 0+l, out; VMULPD out, Y0, out                    \
	VBROADCASTSD 8+l, Y8; VMULPD Y8, Y1, Y8; VADDPD Y8, out, out  \
	VBROADCASTSD 16+l, Y8; VMULPD Y8, Y2, Y8; VADDPD Y8, out, out \
	VBROADCASTSD 24+l, Y8; VMULPD Y8, Y3, Y8; VADDPD Y8, out, out

#define MATRIX64(p, l, m) \
	VMOVUPD (p), Y0; VMOVUPD 32(p), Y1; VMOVUPD 64(p), Y2; VMOVUPD 96(p), Y3 \
	COLUMN64(0(l), Y4)                                                       \
	COLUMN64(32(l), Y5)                                                      \
	COLUMN64(64(l), Y6)                                                      \
	COLUMN64(96(l), Y7)                                                      \
	VMOVUPD Y4, (m); VMOVUPD Y5, 32(m); VMOVUPD Y6, 64(m); VMOVUPD Y7, 96(m)

// COLUMNS64 does the same with the parent's columns twice in Z0 to Z3 and two
// columns in l. It spoils Z9.
#define COLUMNS64(l, out) \
	VPERMPD $0x00, l, out; VMULPD out, Z0, out                   \
	VPERMPD $0x55, l, Z9; VMULPD Z9, Z1, Z9; VADDPD Z9, out, out \
	VPERMPD $0xaa, l, Z9; VMULPD Z9, Z2, Z9; VADDPD Z9, out, out \
	VPERMPD $0xff, l, Z9; VMULPD Z9, Z3, Z9; VADDPD Z9, out, out

#define MATRIX64X512(p, l, m) \
	VBROADCASTF64X4 (p), Z0; VBROADCASTF64X4 32(p), Z1   \
	VBROADCASTF64X4 64(p), Z2; VBROADCASTF64X4 96(p), Z3 \
	VMOVUPD         (l), Z4; VMOVUPD 64(l), Z5           \
	COLUMNS64(Z4, Z6)                                    \
	COLUMNS64(Z5, Z7)                                    \
	VMOVUPD         Z6, (m); VMOVUPD Z7, 64(m)

SPLAT64(signBit32<>, $0x8000000080000000)
SPLAT64(signBit64<>, $0x8000000000000000)

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func mat3x4ComposeF32AVX2(m *Mat3x4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32])
// Requires: AVX2.
TEXT ·mat3x4ComposeF32AVX2(SB), NOSPLIT, $8-32
	MOVQ m+0(FP), DI
	MOVQ pos+8(FP), AX
	MOVQ rot+16(FP), CX
	MOVQ scale+24(FP), R11
	COMPOSE_LANES
	COMPOSE_ALL

// func mat3x4MulF32AVX2(m, parent, local [][]float32)
// Requires: AVX2.
TEXT ·mat3x4MulF32AVX2(SB), NOSPLIT, $0-72
	MOVQ m_base+0(FP), DI
	MOVQ parent_base+24(FP), SI
	MOVQ local_base+48(FP), DX
	ALL(PRODUCT_BODY)

// func mat3x4InverseF32AVX2(m, x [][]float32)
// Requires: AVX2.
TEXT ·mat3x4InverseF32AVX2(SB), NOSPLIT, $0-48
	MOVQ m_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	ALL(INVERSE_BODY)

// func mat3x4DecomposeF32AVX2(parts, m [][]float32)
// Requires: AVX2.
TEXT ·mat3x4DecomposeF32AVX2(SB), NOSPLIT, $0-48
	MOVQ parts_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	ALL(DECOMPOSE_BODY)

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

// func mat3x4ComposeF64AVX2(m *Mat3x4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64])
// Requires: AVX2.
TEXT ·mat3x4ComposeF64AVX2(SB), NOSPLIT, $8-32
	MOVQ m+0(FP), DI
	MOVQ pos+8(FP), AX
	MOVQ rot+16(FP), CX
	MOVQ scale+24(FP), R11
	COMPOSE_LANES
	COMPOSE_ALL

// func mat3x4MulF64AVX2(m, parent, local [][]float64)
// Requires: AVX2.
TEXT ·mat3x4MulF64AVX2(SB), NOSPLIT, $0-72
	MOVQ m_base+0(FP), DI
	MOVQ parent_base+24(FP), SI
	MOVQ local_base+48(FP), DX
	ALL(PRODUCT_BODY)

// func mat3x4InverseF64AVX2(m, x [][]float64)
// Requires: AVX2.
TEXT ·mat3x4InverseF64AVX2(SB), NOSPLIT, $0-48
	MOVQ m_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	ALL(INVERSE_BODY)

// func mat3x4DecomposeF64AVX2(parts, m [][]float64)
// Requires: AVX2.
TEXT ·mat3x4DecomposeF64AVX2(SB), NOSPLIT, $0-48
	MOVQ parts_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	ALL(DECOMPOSE_BODY)

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

// func mat3x4ComposeF32AVX512(m *Mat3x4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32])
// Requires: AVX-512.
TEXT ·mat3x4ComposeF32AVX512(SB), NOSPLIT, $8-32
	MOVQ m+0(FP), DI
	MOVQ pos+8(FP), AX
	MOVQ rot+16(FP), CX
	MOVQ scale+24(FP), R11
	COMPOSE_LANES
	COMPOSE_ALL

// func mat3x4MulF32AVX512(m, parent, local [][]float32)
// Requires: AVX-512.
TEXT ·mat3x4MulF32AVX512(SB), NOSPLIT, $0-72
	MOVQ m_base+0(FP), DI
	MOVQ parent_base+24(FP), SI
	MOVQ local_base+48(FP), DX
	ALL(PRODUCT_BODY)

// func mat3x4InverseF32AVX512(m, x [][]float32)
// Requires: AVX-512.
TEXT ·mat3x4InverseF32AVX512(SB), NOSPLIT, $0-48
	MOVQ m_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	ALL(INVERSE_BODY)

// func mat3x4DecomposeF32AVX512(parts, m [][]float32)
// Requires: AVX-512.
TEXT ·mat3x4DecomposeF32AVX512(SB), NOSPLIT, $0-48
	MOVQ parts_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	ALL(DECOMPOSE_BODY)

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

// func mat3x4ComposeF64AVX512(m *Mat3x4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64])
// Requires: AVX-512.
TEXT ·mat3x4ComposeF64AVX512(SB), NOSPLIT, $8-32
	MOVQ m+0(FP), DI
	MOVQ pos+8(FP), AX
	MOVQ rot+16(FP), CX
	MOVQ scale+24(FP), R11
	COMPOSE_LANES
	COMPOSE_ALL

// func mat3x4MulF64AVX512(m, parent, local [][]float64)
// Requires: AVX-512.
TEXT ·mat3x4MulF64AVX512(SB), NOSPLIT, $0-72
	MOVQ m_base+0(FP), DI
	MOVQ parent_base+24(FP), SI
	MOVQ local_base+48(FP), DX
	ALL(PRODUCT_BODY)

// func mat3x4InverseF64AVX512(m, x [][]float64)
// Requires: AVX-512.
TEXT ·mat3x4InverseF64AVX512(SB), NOSPLIT, $0-48
	MOVQ m_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	ALL(INVERSE_BODY)

// func mat3x4DecomposeF64AVX512(parts, m [][]float64)
// Requires: AVX-512.
TEXT ·mat3x4DecomposeF64AVX512(SB), NOSPLIT, $0-48
	MOVQ parts_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	ALL(DECOMPOSE_BODY)

#include "avx2_f32_amd64.h"

// func deinterleaveF32AVX2(lanes [][]float32, m [][16]float32)
// Requires: AVX2, 8 rows.
TEXT ·deinterleaveF32AVX2(SB), NOSPLIT, $0-48
	MOVQ lanes_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	MOVQ m_len+32(FP), R12
	TURN(APART8, 8, 2)

// func interleaveF32AVX2(m [][16]float32, lanes [][]float32)
// Requires: AVX2, 4 rows.
//
//	Y12, Y13  what stands below columns 0 and 1, 2 and 3
TEXT ·interleaveF32AVX2(SB), NOSPLIT, $0-48
	MOVQ         m_base+0(FP), SI
	MOVQ         m_len+8(FP), R12
	MOVQ         lanes_base+24(FP), DI
	VXORPS       Y12, Y12, Y12
	VBROADCASTSS one32<>(SB), Y13
	VBLENDPS     $0xf0, Y13, Y12, Y13
	TURN(TOGETHER4X32, 4, 2)

#include "avx512_f32_amd64.h"

// func deinterleaveF32AVX512(lanes [][]float32, m [][16]float32)
// Requires: AVX-512, 16 rows.
TEXT ·deinterleaveF32AVX512(SB), NOSPLIT, $0-48
	MOVQ lanes_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	MOVQ m_len+32(FP), R12
	TURN(APART16, 16, 2)

// func interleaveF32AVX512(m [][16]float32, lanes [][]float32)
// Requires: AVX-512, 16 rows.
//
//	Z20  what stands below the columns: 0, 0, 0, 1
TEXT ·interleaveF32AVX512(SB), NOSPLIT, $0-48
	MOVQ           m_base+0(FP), SI
	MOVQ           m_len+8(FP), R12
	MOVQ           lanes_base+24(FP), DI
	MOVL           $0xf000, R8
	KMOVW          R8, K2
	VBROADCASTSS.Z one32<>(SB), K2, Z20
	TURN(TOGETHER16, 16, 2)

#include "avx2_f64_amd64.h"

// func deinterleaveF64AVX2(lanes [][]float64, m [][16]float64)
// Requires: AVX2, 4 rows.
TEXT ·deinterleaveF64AVX2(SB), NOSPLIT, $0-48
	MOVQ lanes_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	MOVQ m_len+32(FP), R12
	TURN(APART4, 4, 3)

// func interleaveF64AVX2(m [][16]float64, lanes [][]float64)
// Requires: AVX2, 4 rows.
//
//	Y12, Y13  0, 1
TEXT ·interleaveF64AVX2(SB), NOSPLIT, $0-48
	MOVQ         m_base+0(FP), SI
	MOVQ         m_len+8(FP), R12
	MOVQ         lanes_base+24(FP), DI
	VXORPD       Y12, Y12, Y12
	VBROADCASTSD one64<>(SB), Y13
	TURN(TOGETHER4X64, 4, 3)

#include "avx512_f64_amd64.h"

// func deinterleaveF64AVX512(lanes [][]float64, m [][16]float64)
// Requires: AVX-512, 8 rows.
TEXT ·deinterleaveF64AVX512(SB), NOSPLIT, $0-48
	MOVQ lanes_base+0(FP), DI
	MOVQ m_base+24(FP), SI
	MOVQ m_len+32(FP), R12
	TURN(APART8X64, 8, 3)

// func interleaveF64AVX512(m [][16]float64, lanes [][]float64)
// Requires: AVX-512, 8 rows.
//
//	Z20, Z21  0, 1
TEXT ·interleaveF64AVX512(SB), NOSPLIT, $0-48
	MOVQ         m_base+0(FP), SI
	MOVQ         m_len+8(FP), R12
	MOVQ         lanes_base+24(FP), DI
	VPXORQ       Z20, Z20, Z20
	VBROADCASTSD one64<>(SB), Z21
	TURN(TOGETHER8X64, 8, 3)

// func mat4MulFullF32AVX2(m, parent, local *Mat4s[float32])
// Requires: AVX2.
TEXT ·mat4MulFullF32AVX2(SB), NOSPLIT, $0-24
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ local+16(FP), CX
	EACHROW(MATRIX32, 64)

// func mat4MulFullByParentF32AVX2(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int
// Requires: AVX2. It returns the number of rows done.
TEXT ·mat4MulFullByParentF32AVX2(SB), NOSPLIT, $0-56
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ index_base+16(FP), DI
	MOVQ index_len+24(FP), DX
	MOVQ local+40(FP), CX
	EACHCHILD(MATRIX32, 64, 6)

// func mat4MulFullF32AVX512(m, parent, local *Mat4s[float32])
// Requires: AVX-512.
TEXT ·mat4MulFullF32AVX512(SB), NOSPLIT, $0-24
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ local+16(FP), CX
	EACHROW(MATRIX32X512, 64)

// func mat4MulFullByParentF32AVX512(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int
// Requires: AVX-512. It returns the number of rows done.
TEXT ·mat4MulFullByParentF32AVX512(SB), NOSPLIT, $0-56
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ index_base+16(FP), DI
	MOVQ index_len+24(FP), DX
	MOVQ local+40(FP), CX
	EACHCHILD(MATRIX32X512, 64, 6)

// func mat4MulFullF64AVX2(m, parent, local *Mat4s[float64])
// Requires: AVX2.
TEXT ·mat4MulFullF64AVX2(SB), NOSPLIT, $0-24
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ local+16(FP), CX
	EACHROW(MATRIX64, 128)

// func mat4MulFullByParentF64AVX2(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int
// Requires: AVX2. It returns the number of rows done.
TEXT ·mat4MulFullByParentF64AVX2(SB), NOSPLIT, $0-56
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ index_base+16(FP), DI
	MOVQ index_len+24(FP), DX
	MOVQ local+40(FP), CX
	EACHCHILD(MATRIX64, 128, 7)

// func mat4MulFullF64AVX512(m, parent, local *Mat4s[float64])
// Requires: AVX-512.
TEXT ·mat4MulFullF64AVX512(SB), NOSPLIT, $0-24
	MOVQ m+0(FP), AX
	MOVQ parent+8(FP), BX
	MOVQ local+16(FP), CX
	EACHROW(MATRIX64X512, 128)
