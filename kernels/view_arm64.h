// What the files of NEON kernels on columns share.
//
// A kernel's first argument is a pointer to the headers of its destination's
// lanes; R12 holds the rows left. The lanes of v or q are at R0 to R3, those of x
// or a at R4 to R7 and in V0 to V3, those of y or b at R8 to R11 and in V4 to V7.
// Rows that remain go through the same instructions, one in a vector.
// Operands stand in the assembler's order, sources first: SUB(m, n, d) is
// d = n - m on the registers of these numbers.

// Where a view holds its lanes, and how many rows they have.
#define LANEX 0
#define LANEY 24
#define LANEZ 48
#define LANEW 72
#define LEN   8

// VEC1 to VEC4 replace the pointer to a view by those of its lanes.
#define VEC1(x) MOVD LANEX(x), x
#define VEC2(x, y) MOVD LANEY(x), y; VEC1(x)
#define VEC3(x, y, z) MOVD LANEZ(x), z; VEC2(x, y)
#define VEC4(x, y, z, w) MOVD LANEW(x), w; VEC3(x, y, z)

// EACH runs a body on all rows, so many at a time. Its labels get names of their
// own, because a kernel may have several loops.
#define EACH(BODY, LOAD, STORE, LOADONE, STOREONE, rows, loop, tail, loop1, done) \
	SUBS $rows, R12;         \
	BLT  tail;               \
loop:                     \
	BODY(LOAD, STORE);       \
	SUBS $rows, R12;         \
	BGE  loop;               \
tail:                    \
	ADDS $rows, R12;         \
	BEQ  done;               \
loop1:                   \
	BODY(LOADONE, STOREONE); \
	SUBS $1, R12;            \
	BNE  loop1;              \
done:

#define ALL(BODY, loop, tail, loop1, done) EACH(BODY, LD, ST, LD1, ST1, ROWS, loop, tail, loop1, done)

// EACHROWS runs WHOLE on so many rows at a time and ONE on each row left, for kernels
// with the number of rows left in n; EACHPAIR does so for two rows at a time.
#define EACHROWS(n, rows, WHOLE, ONE) \
	SUBS $rows, n; \
	BLT  tail;     \
loop:           \
	WHOLE;         \
	SUBS $rows, n; \
	BGE  loop;     \
tail:           \
	ADDS $rows, n; \
	BEQ  done;     \
loop1:          \
	ONE;           \
	SUBS $1, n;    \
	BNE  loop1;    \
done:

#define EACHPAIR(n, WHOLE, ONE) \
	SUBS $2, n; \
	BLT  tail;  \
loop:        \
	WHOLE;      \
	SUBS $2, n; \
	BGE  loop;  \
tail:        \
	ADDS $2, n; \
	BEQ  done;  \
	ONE;        \
done:

// RUN is all of a kernel but the reading of its arguments: LANES takes the lanes of
// its views, BODY runs on all rows.
#define RUN(LANES, BODY) \
	MOVD LEN(R0), R12;                  \
	LANES;                              \
	ALL(BODY, loop, tail, loop1, done); \
	RET

// EACHANGLE runs a body that may stop on all rows, or those before the rows that
// it leaves to Go, with the number of rows left in R12. The kernel goes on at done.
#define EACHANGLE(BODY) \
	SUBS   $ROWS, R12;    \
	BLT    tail;          \
	loop:                 \
	BODY(LD, ST, stop);   \
	SUBS   $ROWS, R12;    \
	BGE    loop;          \
	tail:                 \
	ADDS   $ROWS, R12;    \
	BEQ    done;          \
	loop1:                \
	BODY(LD1, ST1, done); \
	SUBS   $1, R12;       \
	BNE    loop1;         \
	B      done;          \
	stop:                 \
	ADDS   $ROWS, R12

// TAKEV1 and its sisters take so many lanes of v, x or y, from the pointer to its view,
// LOADX2 and its sisters rows of them.
#define TAKEV1 VEC1(R0)
#define TAKEV2 VEC2(R0, R1)
#define TAKEV3 VEC3(R0, R1, R2)
#define TAKEV4 VEC4(R0, R1, R2, R3)
#define TAKEX2 VEC2(R4, R5)
#define TAKEX3 VEC3(R4, R5, R6)
#define TAKEX4 VEC4(R4, R5, R6, R7)
#define TAKEY2 VEC2(R8, R9)
#define TAKEY3 VEC3(R8, R9, R10)
#define TAKEY4 VEC4(R8, R9, R10, R11)
#define LOADX2(LOAD) LOAD(R4, F0); LOAD(R5, F1)
#define LOADX3(LOAD) LOADX2(LOAD); LOAD(R6, F2)
#define LOADX4(LOAD) LOADX3(LOAD); LOAD(R7, F3)
#define LOADY2(LOAD) LOAD(R8, F4); LOAD(R9, F5)
#define LOADY3(LOAD) LOADY2(LOAD); LOAD(R10, F6)
#define LOADY4(LOAD) LOADY3(LOAD); LOAD(R11, F7)
#define STORE2(STORE) STORE(F0, R0); STORE(F1, R1)
#define STORE3(STORE) STORE2(STORE); STORE(F2, R2)
#define STORE4(STORE) STORE3(STORE); STORE(F3, R3)

// DOT sets V16 to x·y, SQUARE to x·x. They spoil V17. TIMES sets x to x*V16.
#define DOT2 MUL(4, 0, 16); MUL(5, 1, 17); ADD(17, 16, 16)
#define DOT3 DOT2; MUL(6, 2, 17); ADD(17, 16, 16)
#define DOT4 DOT3; MUL(7, 3, 17); ADD(17, 16, 16)
#define SQUARE2 MUL(0, 0, 16); MUL(1, 1, 17); ADD(17, 16, 16)
#define SQUARE3 SQUARE2; MUL(2, 2, 17); ADD(17, 16, 16)
#define SQUARE4 SQUARE3; MUL(3, 3, 17); ADD(17, 16, 16)
#define TIMES2 MUL(16, 0, 0); MUL(16, 1, 1)
#define TIMES3 TIMES2; MUL(16, 2, 2)
#define TIMES4 TIMES3; MUL(16, 3, 3)

// The number 1, for SPLAT.
DATA one32<>+0(SB)/4, $1.0
GLOBL one32<>(SB), RODATA|NOPTR, $4
DATA one64<>+0(SB)/8, $1.0
GLOBL one64<>(SB), RODATA|NOPTR, $8
