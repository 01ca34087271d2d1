//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"

// Kernels on matrices: the NEON path, in the order of matrix_amd64.s. Those on
// lanes have more of them than there are registers: those of one matrix are in R4
// to R15, for the others they keep pointers to the headers, R1 and R2, and take a
// lane's address from there each time. R16 is the current row in bytes, R17 the
// rows left. The macros hold the arithmetic, in the order of the generic bodies;
// after them every kernel stands twice, for two types.

// TENLANES and TWELVELANES take the lanes of the matrix at p into R4 to R15.
#define TENLANES(p) \
	MOVD 0(p), R4; MOVD 24(p), R5; MOVD 48(p), R6; MOVD 72(p), R7; MOVD 96(p), R8;          \
	MOVD 120(p), R9; MOVD 144(p), R10; MOVD 168(p), R11; MOVD 192(p), R12; MOVD 216(p), R13

#define TWELVELANES(p) TENLANES(p); MOVD 240(p), R14; MOVD 264(p), R15

// IN loads lane k of the operand at p and spoils R3. OUT stores lane k
// of the matrix in R4 to R15.
#define IN(LOAD, p, k, f) MOVD (24*k)(p), R3; LOAD(16, 3, f)
#define OUT(STORE, f, k) STORE(16, ((k)+4), f)

#define IN3(LOAD, p, k, x, y, z) IN(LOAD, p, k, x); IN(LOAD, p, (k+1), y); IN(LOAD, p, (k+2), z)
#define OUT3(STORE, x, y, z, k) OUT(STORE, x, k); OUT(STORE, y, (k+1)); OUT(STORE, z, (k+2))

// EACHMATRIX runs a body on all rows, the whole vectors first.
#define EACHMATRIX(LANES, BODY) \
	MOVD   LEN(R0), R17; \
	LANES(R0);           \
	MOVD   ZR, R16;      \
	SUBS   $ROWS, R17;   \
	BLT    tail;         \
	loop:                \
	BODY(LDX, STX);      \
	ADDS   $16, R16;     \
	SUBS   $ROWS, R17;   \
	BGE    loop;         \
	tail:                \
	ADDS   $ROWS, R17;   \
	BEQ    done;         \
	loop1:               \
	BODY(LDX1, STX1);    \
	ADDS   $SIZE, R16;   \
	SUBS   $1, R17;      \
	BNE    loop1;        \
	done:                \
	RET

// COMPOSE_BODY needs ones in V31.
#define COMPOSE_BODY(LOAD, STORE) \
	IN3(LOAD, R1, 3, 0, 1, 2); IN(LOAD, R1, 6, 3);     \
	ADD(0, 0, 4); ADD(1, 1, 5); ADD(2, 2, 6);          \
	MUL(4, 3, 7); MUL(5, 3, 8); MUL(6, 3, 9);          \ // wx wy wz
	MUL(4, 0, 10); MUL(5, 0, 11); MUL(6, 0, 12);       \ // xx xy xz
	MUL(5, 1, 13); MUL(6, 1, 14); MUL(6, 2, 15);       \ // yy yz zz
	IN3(LOAD, R1, 7, 0, 1, 2);                         \
	ADD(15, 13, 16); SUB(16, 31, 16); MUL(0, 16, 16);  \ // (1-(yy+zz))*s.x
	ADD(9, 11, 17); MUL(0, 17, 17);                    \ // (xy+wz)*s.x
	SUB(8, 12, 18); MUL(0, 18, 18);                    \ // (xz-wy)*s.x
	OUT3(STORE, 16, 17, 18, 0);                        \
	SUB(9, 11, 19); MUL(1, 19, 19);                    \ // (xy-wz)*s.y
	ADD(15, 10, 20); SUB(20, 31, 20); MUL(1, 20, 20);  \ // (1-(xx+zz))*s.y
	ADD(7, 14, 21); MUL(1, 21, 21);                    \ // (yz+wx)*s.y
	OUT3(STORE, 19, 20, 21, 3);                        \
	ADD(8, 12, 22); MUL(2, 22, 22);                    \ // (xz+wy)*s.z
	SUB(7, 14, 23); MUL(2, 23, 23);                    \ // (yz-wx)*s.z
	ADD(13, 10, 24); SUB(24, 31, 24); MUL(2, 24, 24);  \ // (1-(xx+yy))*s.z
	OUT3(STORE, 22, 23, 24, 6);                        \
	IN3(LOAD, R1, 0, 0, 1, 2); OUT3(STORE, 0, 1, 2, 9)

// TIMES_LOCAL sets out to one row (a, b, c) of the parent times the column of the
// local in V12 to V14. It spoils V19.
#define TIMES_LOCAL(a, b, c, out) \
	MUL(12, a, out);                   \
	MUL(13, b, 19); ADD(19, out, out); \
	MUL(14, c, 19); ADD(19, out, out)

#define PRODUCT_COLUMN(LOAD, k) \
	IN3(LOAD, R2, k, 12, 13, 14);                                                \
	TIMES_LOCAL(0, 3, 6, 16); TIMES_LOCAL(1, 4, 7, 17); TIMES_LOCAL(2, 5, 8, 18)

#define PRODUCT_BODY(LOAD, STORE) \
	IN3(LOAD, R1, 0, 0, 1, 2); IN3(LOAD, R1, 3, 3, 4, 5);                      \
	IN3(LOAD, R1, 6, 6, 7, 8); IN3(LOAD, R1, 9, 9, 10, 11);                    \
	PRODUCT_COLUMN(LOAD, 0); OUT3(STORE, 16, 17, 18, 0);                       \
	PRODUCT_COLUMN(LOAD, 3); OUT3(STORE, 16, 17, 18, 3);                       \
	PRODUCT_COLUMN(LOAD, 6); OUT3(STORE, 16, 17, 18, 6);                       \
	PRODUCT_COLUMN(LOAD, 9); ADD(9, 16, 16); ADD(10, 17, 17); ADD(11, 18, 18); \
	OUT3(STORE, 16, 17, 18, 9)

// CROSS sets (x, y, z) to a × b. It spoils V19.
#define CROSS(ax, ay, az, bx, by, bz, x, y, z) \
	MUL(bz, ay, x); MUL(by, az, 19); SUB(19, x, x); \
	MUL(bx, az, y); MUL(bz, ax, 19); SUB(19, y, y); \
	MUL(by, ax, z); MUL(bx, ay, 19); SUB(19, z, z)

// INVERSE_ROW scales the row in V12 to V14 by V18 and sets out to what stands at
// its end: x3 is in V9 to V11. It spoils V19.
#define INVERSE_ROW(STORE, k, out) \
	MUL(18, 12, 12); MUL(18, 13, 13); MUL(18, 14, 14);                                       \
	OUT(STORE, 12, k); OUT(STORE, 13, (k+3)); OUT(STORE, 14, (k+6));                         \
	MUL(9, 12, out); MUL(10, 13, 19); ADD(19, out, out); MUL(11, 14, 19); ADD(19, out, out); \
	NEG(out, out)

// INVERSE_BODY needs ones in V31.
#define INVERSE_BODY(LOAD, STORE) \
	IN3(LOAD, R1, 0, 0, 1, 2); IN3(LOAD, R1, 3, 3, 4, 5);           \
	IN3(LOAD, R1, 6, 6, 7, 8); IN3(LOAD, R1, 9, 9, 10, 11);         \
	CROSS(3, 4, 5, 6, 7, 8, 12, 13, 14);                            \
	MUL(12, 0, 18); MUL(13, 1, 19); ADD(19, 18, 18);                \
	MUL(14, 2, 19); ADD(19, 18, 18); DIV(18, 31, 18);               \ // 1 / determinant
	INVERSE_ROW(STORE, 0, 15);                                      \
	CROSS(6, 7, 8, 0, 1, 2, 12, 13, 14); INVERSE_ROW(STORE, 1, 16); \
	CROSS(0, 1, 2, 3, 4, 5, 12, 13, 14); INVERSE_ROW(STORE, 2, 17); \
	OUT3(STORE, 15, 16, 17, 9)

// UNIT divides (x, y, z) by its length, which it leaves in s. It needs zeros in
// V30 and ones in V31 and spoils V18 and V19.
#define UNIT(x, y, z, s) \
	MUL(x, x, s); MUL(y, y, 19); ADD(19, s, s); MUL(z, z, 19); ADD(19, s, s); \
	CMEQ(30, s, 18);                                                          \
	SQRT(s, s);                                                               \
	DIV(s, 31, 19);                                                           \
	VBIT V18.B16, V30.B16, V19.B16;                                           \
	MUL(19, x, x); MUL(19, y, y); MUL(19, z, z)

// OR_IF puts yes where the mask is set.
#define OR_IF(mask, yes, out) VBIT mask.B16, yes.B16, out.B16

// DECOMPOSE_BODY needs zeros in V30 and ones in V31.
#define DECOMPOSE_BODY(LOAD, STORE) \
	IN3(LOAD, R1, 9, 0, 1, 2); OUT3(STORE, 0, 1, 2, 0);                                    \
	IN3(LOAD, R1, 0, 0, 1, 2); UNIT(0, 1, 2, 9);                                           \
	IN3(LOAD, R1, 3, 3, 4, 5); UNIT(3, 4, 5, 10); OUT(STORE, 10, 8);                       \
	IN3(LOAD, R1, 6, 6, 7, 8); UNIT(6, 7, 8, 10); OUT(STORE, 10, 9);                       \
	CROSS(3, 4, 5, 6, 7, 8, 10, 11, 12);                                                   \
	MUL(10, 0, 10); MUL(11, 1, 11); ADD(11, 10, 10); MUL(12, 2, 12); ADD(12, 10, 10);      \
	CMGT(10, 30, 10);                                                                      \ // the matrix mirrors
	NEG(0, 11); OR_IF(V10, V11, V0); NEG(1, 11); OR_IF(V10, V11, V1);                      \
	NEG(2, 11); OR_IF(V10, V11, V2); NEG(9, 11); OR_IF(V10, V11, V9);                      \
	OUT(STORE, 9, 7);                                                                      \
	ADD(3, 1, 9); ADD(6, 2, 10); ADD(7, 5, 11);                                            \ // sums across the diagonal
	SUB(7, 5, 12); SUB(2, 6, 13); SUB(3, 1, 14);                                           \ // differences
	ADD(0, 31, 15); SUB(0, 31, 17); ADD(8, 4, 19); SUB(8, 4, 18);                          \ // 1+a.x 1-a.x b.y+c.z b.y-c.z
	SUB(19, 15, 16); ADD(19, 15, 15); SUB(18, 17, 20); ADD(18, 17, 17);                    \ // V16, V17, V20, V15: large in turn
	CMGT(4, 0, 19); NEG(4, 21); CMGT(0, 21, 21);                                           \ // a.x > b.y, a.x < -b.y
	VMOV V12.B16, V22.B16; OR_IF(V21, V10, V22);                                           \ // c.z >= 0: V22 to V25
	VMOV V13.B16, V23.B16; OR_IF(V21, V11, V23);                                           \
	VMOV V14.B16, V24.B16; OR_IF(V21, V20, V24);                                           \
	VMOV V15.B16, V25.B16; OR_IF(V21, V14, V25);                                           \
	OR_IF(V19, V9, V17); OR_IF(V19, V16, V9); OR_IF(V19, V10, V11); OR_IF(V19, V12, V13);  \
	CMGT(8, 30, 21);                                                                       \ // c.z < 0: V9, V17, V11, V13
	OR_IF(V21, V9, V22); OR_IF(V21, V17, V23); OR_IF(V21, V11, V24); OR_IF(V21, V13, V25); \
	MUL(22, 22, 18); MUL(23, 23, 19); ADD(19, 18, 18);                                     \
	MUL(24, 24, 19); ADD(19, 18, 18); MUL(25, 25, 19); ADD(19, 18, 18);                    \
	SQRT(18, 18); DIV(18, 31, 18);                                                         \
	MUL(18, 22, 22); MUL(18, 23, 23); MUL(18, 24, 24); MUL(18, 25, 25);                    \
	OUT3(STORE, 22, 23, 24, 3); OUT(STORE, 25, 6)

// The two layouts. The lanes are in R4 to R15, R1 is at the matrix of the current
// row; the lanes move on by R16 bytes.

// TURN runs a body on vectors of rows, after R0 has been set to the headers and R2
// to the number of rows, at least as many. If the last do not fill a vector, the
// one before them moves on by less, and some rows are done once more. R17 is the
// rows below the vector, R3 those to move on by.
#define TURN(BODY, shift) \
	TWELVELANES(R0);       \
	SUBS  $ROWS, R2, R17;  \
	MOVD  $ROWS, R2;       \
	loop:                  \
	CMP   R2, R17;         \
	CSEL  LT, R17, R2, R3; \
	LSL   $shift, R3, R16; \
	BODY;                  \
	ADDS  R16<<4, R1, R1;  \
	SUBS  R3, R17, R17;    \
	CBNZ  R3, loop;        \
	RET

// ACROSS4S turns the columns a to d of four matrices into the lanes x, y and z in
// a, b and c. It spoils V28 to V31.
#define ACROSS4S(a, b, c, d) \
	VZIP1 b.S4, a.S4, V28.S4;   \
	VZIP1 d.S4, c.S4, V29.S4;   \
	VZIP2 b.S4, a.S4, V30.S4;   \
	VZIP2 d.S4, c.S4, V31.S4;   \
	VZIP1 V29.D2, V28.D2, a.D2; \
	VZIP2 V29.D2, V28.D2, b.D2; \
	VZIP1 V31.D2, V30.D2, c.D2

// APART32 does the columns at byte at of four matrices and after it, whose lanes
// are at p to u. VST1 costs some cores less than FMOVQ.
#define APART32(at, p, q, r, s, t, u) \
	FLDPQ  at(R1), (F0, F4);                                                      \
	FLDPQ  (at+64)(R1), (F1, F5);                                                 \
	FLDPQ  (at+128)(R1), (F2, F6);                                                \
	FLDPQ  (at+192)(R1), (F3, F7);                                                \
	ACROSS4S(V0, V1, V2, V3);                                                     \
	VST1.P [V0.S4], (p)(R16); VST1.P [V1.S4], (q)(R16); VST1.P [V2.S4], (r)(R16); \
	ACROSS4S(V4, V5, V6, V7);                                                     \
	VST1.P [V4.S4], (s)(R16); VST1.P [V5.S4], (t)(R16); VST1.P [V6.S4], (u)(R16)

#define APART4 APART32(0, R4, R5, R6, R7, R8, R9); APART32(32, R10, R11, R12, R13, R14, R15)

// COLUMNS4S sets a to d to a column of four matrices from the lanes a to c at p, q
// and r, and from below, which stands under them. It spoils V28 to V31.
#define COLUMNS4S(p, q, r, below, a, b, c, d) \
	VLD1.P (p)(R16), [a.S4];       \
	VLD1.P (q)(R16), [b.S4];       \
	VLD1.P (r)(R16), [c.S4];       \
	VZIP1  c.S4, a.S4, V28.S4;     \
	VZIP2  c.S4, a.S4, V29.S4;     \
	VZIP1  below.S4, b.S4, V30.S4; \
	VZIP2  below.S4, b.S4, V31.S4; \
	VZIP1  V30.S4, V28.S4, a.S4;   \
	VZIP2  V30.S4, V28.S4, b.S4;   \
	VZIP1  V31.S4, V29.S4, c.S4;   \
	VZIP2  V31.S4, V29.S4, d.S4

// TOGETHER32 does what APART32 does, from lanes; below stands under the second
// column, V16 under the first.
#define TOGETHER32(at, p, q, r, s, t, u, below) \
	COLUMNS4S(p, q, r, V16, V0, V1, V2, V3);   \
	COLUMNS4S(s, t, u, below, V4, V5, V6, V7); \
	FSTPQ (F0, F4), at(R1);                    \
	FSTPQ (F1, F5), (at+64)(R1);               \
	FSTPQ (F2, F6), (at+128)(R1);              \
	FSTPQ (F3, F7), (at+192)(R1)

#define TOGETHER4 TOGETHER32(0, R4, R5, R6, R7, R8, R9, V16); TOGETHER32(32, R10, R11, R12, R13, R14, R15, V17)

// APART64 does the column at byte at of two matrices, whose lanes are at p to r.
#define APART64(at, p, q, r) \
	FLDPQ  at(R1), (F0, F1);                                                     \
	FLDPQ  (at+128)(R1), (F2, F3);                                               \
	VZIP1  V2.D2, V0.D2, V4.D2;                                                  \
	VZIP2  V2.D2, V0.D2, V5.D2;                                                  \
	VZIP1  V3.D2, V1.D2, V6.D2;                                                  \
	VST1.P [V4.D2], (p)(R16); VST1.P [V5.D2], (q)(R16); VST1.P [V6.D2], (r)(R16)

#define APART2 APART64(0, R4, R5, R6); APART64(32, R7, R8, R9); APART64(64, R10, R11, R12); APART64(96, R13, R14, R15)

// TOGETHER64 does so from lanes; below stands under them.
#define TOGETHER64(at, p, q, r, below) \
	VLD1.P (p)(R16), [V0.D2]; VLD1.P (q)(R16), [V1.D2]; VLD1.P (r)(R16), [V2.D2]; \
	VZIP1  V1.D2, V0.D2, V4.D2;                                                   \
	VZIP1  below.D2, V2.D2, V5.D2;                                                \
	VZIP2  V1.D2, V0.D2, V6.D2;                                                   \
	VZIP2  below.D2, V2.D2, V7.D2;                                                \
	FSTPQ  (F4, F5), at(R1);                                                      \
	FSTPQ  (F6, F7), (at+128)(R1)

#define TOGETHER2 \
	TOGETHER64(0, R4, R5, R6, V16); TOGETHER64(32, R7, R8, R9, V16);       \
	TOGETHER64(64, R10, R11, R12, V16); TOGETHER64(96, R13, R14, R15, V17)

// Products of whole matrices, one row after the other: m at R0, parent at R1 or
// R7, local at R2. MATRIX sets the matrix at R0 to that at p times that at R2, and
// moves R0 and R2 on.

// COLUMN4S sets out to the parent in V0 to V3 times the column l. It spoils V20.
#define COLUMN4S(l, out) \
	VFMULE4S(0, l, 0, out);                       \
	VFMULE4S(1, l, 1, 20); VFADD4S(20, out, out); \
	VFMULE4S(2, l, 2, 20); VFADD4S(20, out, out); \
	VFMULE4S(3, l, 3, 20); VFADD4S(20, out, out)

#define MATRIX32(p) \
	FLDPQ   (p), (F0, F1);            \
	FLDPQ   32(p), (F2, F3);          \
	FLDPQ   32(R2), (F6, F7);         \
	FLDPQ.P 64(R2), (F4, F5);         \
	COLUMN4S(4, 16); COLUMN4S(5, 17); \
	COLUMN4S(6, 18); COLUMN4S(7, 19); \
	FSTPQ   (F18, F19), 32(R0);       \
	FSTPQ.P (F16, F17), 64(R0)

// HALF2D sets out to half a column of the parent's, a to d, times the column in
// the registers xy and zw. It spoils V24.
#define HALF2D(a, b, c, d, xy, zw, out) \
	VFMULE2D(0, xy, a, out);                       \
	VFMULE2D(1, xy, b, 24); VFADD2D(24, out, out); \
	VFMULE2D(0, zw, c, 24); VFADD2D(24, out, out); \
	VFMULE2D(1, zw, d, 24); VFADD2D(24, out, out)

#define COLUMN2D(xy, zw, top, bottom) \
HALF2D(0, 2, 4, 6, xy, zw, top); HALF2D(1, 3, 5, 7, xy, zw, bottom)

#define MATRIX64(p) \
	FLDPQ   (p), (F0, F1);                              \
	FLDPQ   32(p), (F2, F3);                            \
	FLDPQ   64(p), (F4, F5);                            \
	FLDPQ   96(p), (F6, F7);                            \
	FLDPQ   32(R2), (F18, F19);                         \
	FLDPQ   64(R2), (F20, F21);                         \
	FLDPQ   96(R2), (F22, F23);                         \
	FLDPQ.P 128(R2), (F16, F17);                        \
	COLUMN2D(16, 17, 8, 9); COLUMN2D(18, 19, 10, 11);   \
	COLUMN2D(20, 21, 12, 13); COLUMN2D(22, 23, 14, 15); \
	FSTPQ   (F10, F11), 32(R0);                         \
	FSTPQ   (F12, F13), 64(R0);                         \
	FSTPQ   (F14, F15), 96(R0);                         \
	FSTPQ.P (F8, F9), 128(R0)

// EACHROW runs a product on all rows.
#define EACHROW(MATRIX, bytes) \
	MOVD   LEN(R0), R3; \
	MOVD   (R0), R0;    \
	MOVD   (R1), R1;    \
	MOVD   (R2), R2;    \
	CBZ    R3, done;    \
	loop1:              \
	MATRIX(R1);         \
	ADDS   $bytes, R1;  \
	SUBS   $1, R3;      \
	BNE    loop1;       \
	done:               \
	RET

// EACHCHILD does so with the parents that the index at R6 names, which are R5, up
// to the first that is too large or negative. R3 is the rows left, R4 all.
#define EACHCHILD(MATRIX, shift) \
	MOVD   LEN(R1), R5;       \
	MOVD   LEN(R0), R4;       \
	MOVD   (R0), R0;          \
	MOVD   (R1), R1;          \
	MOVD   (R2), R2;          \
	MOVD   R4, R3;            \
	CBZ    R3, done;          \
	loop1:                    \
	MOVW.P 4(R6), R7;         \
	CMP    R5, R7;            \
	BHS    done;              \
	ADDS   R7<<shift, R1, R7; \
	MATRIX(R7);               \
	SUBS   $1, R3;            \
	BNE    loop1;             \
	done:                     \
	SUBS   R3, R4, R4;        \
	MOVD   R4, ret+48(FP);    \
	RET

#include "neon_f32_arm64.h"

// func mat3x4ComposeF32NEON(m, parts [][]float32)
TEXT ·mat3x4ComposeF32NEON(SB), NOSPLIT, $0-48
	MOVD m_base+0(FP), R0
	MOVD parts_base+24(FP), R1
	MOVD $one32<>(SB), R3
	SPLAT(R3, V31)
	EACHMATRIX(TWELVELANES, COMPOSE_BODY)

// func mat3x4MulF32NEON(m, parent, local [][]float32)
TEXT ·mat3x4MulF32NEON(SB), NOSPLIT, $0-72
	MOVD m_base+0(FP), R0
	MOVD parent_base+24(FP), R1
	MOVD local_base+48(FP), R2
	EACHMATRIX(TWELVELANES, PRODUCT_BODY)

// func mat3x4InverseF32NEON(m, x [][]float32)
TEXT ·mat3x4InverseF32NEON(SB), NOSPLIT, $0-48
	MOVD m_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD $one32<>(SB), R3
	SPLAT(R3, V31)
	EACHMATRIX(TWELVELANES, INVERSE_BODY)

// func mat3x4DecomposeF32NEON(parts, m [][]float32)
TEXT ·mat3x4DecomposeF32NEON(SB), NOSPLIT, $0-48
	MOVD parts_base+0(FP), R0
	MOVD m_base+24(FP), R1
	VEOR V30.B16, V30.B16, V30.B16
	MOVD $one32<>(SB), R3
	SPLAT(R3, V31)
	EACHMATRIX(TENLANES, DECOMPOSE_BODY)

// func deinterleaveF32NEON(lanes [][]float32, m [][16]float32)
// It needs 4 rows.
TEXT ·deinterleaveF32NEON(SB), NOSPLIT, $0-48
	MOVD lanes_base+0(FP), R0
	MOVD m_base+24(FP), R1
	MOVD m_len+32(FP), R2
	TURN(APART4, 2)

// func interleaveF32NEON(m [][16]float32, lanes [][]float32)
// It needs 4 rows.
//
//	V16, V17  0, 1
TEXT ·interleaveF32NEON(SB), NOSPLIT, $0-48
	MOVD m_base+0(FP), R1
	MOVD m_len+8(FP), R2
	MOVD lanes_base+24(FP), R0
	VEOR V16.B16, V16.B16, V16.B16
	MOVD $one32<>(SB), R3
	SPLAT(R3, V17)
	TURN(TOGETHER4, 2)

// func mat4MulFullF32NEON(m, parent, local *Mat4s[float32])
TEXT ·mat4MulFullF32NEON(SB), NOSPLIT, $0-24
	MOVD m+0(FP), R0
	MOVD parent+8(FP), R1
	MOVD local+16(FP), R2
	EACHROW(MATRIX32, 64)

// func mat4MulFullByParentF32NEON(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int
// It returns the number of rows done.
TEXT ·mat4MulFullByParentF32NEON(SB), NOSPLIT, $0-56
	MOVD m+0(FP), R0
	MOVD parent+8(FP), R1
	MOVD index_base+16(FP), R6
	MOVD local+40(FP), R2
	EACHCHILD(MATRIX32, 6)

#include "neon_f64_arm64.h"

// func mat3x4ComposeF64NEON(m, parts [][]float64)
TEXT ·mat3x4ComposeF64NEON(SB), NOSPLIT, $0-48
	MOVD m_base+0(FP), R0
	MOVD parts_base+24(FP), R1
	MOVD $one64<>(SB), R3
	SPLAT(R3, V31)
	EACHMATRIX(TWELVELANES, COMPOSE_BODY)

// func mat3x4MulF64NEON(m, parent, local [][]float64)
TEXT ·mat3x4MulF64NEON(SB), NOSPLIT, $0-72
	MOVD m_base+0(FP), R0
	MOVD parent_base+24(FP), R1
	MOVD local_base+48(FP), R2
	EACHMATRIX(TWELVELANES, PRODUCT_BODY)

// func mat3x4InverseF64NEON(m, x [][]float64)
TEXT ·mat3x4InverseF64NEON(SB), NOSPLIT, $0-48
	MOVD m_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD $one64<>(SB), R3
	SPLAT(R3, V31)
	EACHMATRIX(TWELVELANES, INVERSE_BODY)

// func mat3x4DecomposeF64NEON(parts, m [][]float64)
TEXT ·mat3x4DecomposeF64NEON(SB), NOSPLIT, $0-48
	MOVD parts_base+0(FP), R0
	MOVD m_base+24(FP), R1
	VEOR V30.B16, V30.B16, V30.B16
	MOVD $one64<>(SB), R3
	SPLAT(R3, V31)
	EACHMATRIX(TENLANES, DECOMPOSE_BODY)

// func deinterleaveF64NEON(lanes [][]float64, m [][16]float64)
// It needs 2 rows.
TEXT ·deinterleaveF64NEON(SB), NOSPLIT, $0-48
	MOVD lanes_base+0(FP), R0
	MOVD m_base+24(FP), R1
	MOVD m_len+32(FP), R2
	TURN(APART2, 3)

// func interleaveF64NEON(m [][16]float64, lanes [][]float64)
// It needs 2 rows.
//
//	V16, V17  0, 1
TEXT ·interleaveF64NEON(SB), NOSPLIT, $0-48
	MOVD m_base+0(FP), R1
	MOVD m_len+8(FP), R2
	MOVD lanes_base+24(FP), R0
	VEOR V16.B16, V16.B16, V16.B16
	MOVD $one64<>(SB), R3
	SPLAT(R3, V17)
	TURN(TOGETHER2, 3)

// func mat4MulFullF64NEON(m, parent, local *Mat4s[float64])
TEXT ·mat4MulFullF64NEON(SB), NOSPLIT, $0-24
	MOVD m+0(FP), R0
	MOVD parent+8(FP), R1
	MOVD local+16(FP), R2
	EACHROW(MATRIX64, 128)

// func mat4MulFullByParentF64NEON(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int
// It returns the number of rows done.
TEXT ·mat4MulFullByParentF64NEON(SB), NOSPLIT, $0-56
	MOVD m+0(FP), R0
	MOVD parent+8(FP), R1
	MOVD index_base+16(FP), R6
	MOVD local+40(FP), R2
	EACHCHILD(MATRIX64, 7)
