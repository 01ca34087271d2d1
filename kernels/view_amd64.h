// What the files of kernels on columns share. It comes before the first header of
// vector words.
//
// R14 counts up to zero: each lane pointer stands at the end of the rows that
// fill whole vectors. V15 and K1 hold the mask of the rows left over. The first
// argument of a kernel on views is a pointer to the headers of its destination's
// lanes: the first of them says how many rows there are.

// Where a view holds its lanes, and how many rows they have.
#define LANEX 0
#define LANEY 24
#define LANEZ 48
#define LANEW 72
#define LEN   8

// AT is the current row of a lane.
#define AT(p) (p)(R14*1)

// END moves a lane's pointer to the end of the whole vectors.
#define END(p) ADDQ R14, p

// VEC1 to VEC4 replace the pointer to a view by those of its lanes.
#define VEC1(x) MOVQ LANEX(x), x; END(x)
#define VEC2(x, y) MOVQ LANEY(x), y; END(y); VEC1(x)
#define VEC3(x, y, z) MOVQ LANEZ(x), z; END(z); VEC2(x, y)
#define VEC4(x, y, z, w) MOVQ LANEW(x), w; END(w); VEC3(x, y, z)

// BYTES turns R14 from the number of rows into the bytes of their whole vectors, ROWS
// sets it to those of the view at AX.
#define BYTES ANDQ FULL, R14; SHLQ SHIFT, R14
#define ROWS MOVQ LEN(AX), R14; BYTES

// COUNTVIEW sets n to the number of rows where a kernel's first argument is a view,
// COUNTSLICE where it is a slice.
#define COUNTVIEW(n) MOVQ v+0(FP), n; MOVQ LEN(n), n
#define COUNTSLICE(n) MOVQ v_len+8(FP), n

// EACH runs a body on all rows of views, the whole vectors first, EACHOF does so on
// rows counted another way. Their labels get names of their own, because a kernel may
// have several loops.
//
// Before it R14 is the bytes of the whole vectors of a lane (BYTES), and every pointer stands
// at their end (END), where the rest of the rows begins. In the loop R14 is minus the bytes
// that are left, so that pointer + R14 is the next vector, and the addition that brings R14 to
// zero is also the test. For the rest R14 is zero: pointer + R14 is its first row, and the mask
// keeps loads and stores within the slice.
#define EACH(BODY, loop, tail, done) EACHOF(COUNTVIEW, BODY, loop, tail, done)
#define EACHOF(COUNT, BODY, loop, tail, done) \
	NEGQ R14            \
	JZ   tail           \
loop:                       \
	BODY(LD, ST)        \
	ADDQ WIDTH, R14     \
	JNZ  loop           \
tail:                       \
	COUNT(R14)          \
	ANDQ REST, R14      \
	JZ   done           \
	MASK(R14)           \
	XORL R14, R14       \
	BODY(LDM, STM)      \
done:

#define RETURN VZEROUPPER; RET

// RUN is all of a kernel but the reading of its arguments: LANES takes the lanes of
// its views, BODY runs on all rows.
#define RUN(LANES, BODY) \
	ROWS                         \
	LANES                        \
	EACH(BODY, loop, tail, done) \
	RETURN

// RUNUPTO is RUN for a body that leaves for stop at a vector it cannot do: the kernel
// returns the number of rows done in ret, all, or those before that vector.
#define RUNUPTO(LANES, BODY, ret) \
	ROWS                         \
	LANES                        \
	EACH(BODY, loop, tail, done) \
	RETURNROWS(COUNTVIEW, ret)

// RETURNROWS is the end of such a kernel.
#define RETURNROWS(COUNT, ret) \
	COUNT(AX)       \
	MOVQ AX, ret    \
	RETURN          \
stop:                   \
	COUNT(AX)       \
	ANDQ FULL, AX   \
	SARQ SHIFT, R14 \
	ADDQ R14, AX    \
	MOVQ AX, ret    \
	RETURN

// The operands of kernels on rows: v at AX, BX, CX, DX, x at SI, DI, R8, R9 and in V0
// to V3, y at R10 to R13 and in V4 to V7. TAKEV1 and its sisters take so many lanes of
// one of them, from the pointer to its view.
#define TAKEV1 VEC1(AX)
#define TAKEV2 VEC2(AX, BX)
#define TAKEV3 VEC3(AX, BX, CX)
#define TAKEV4 VEC4(AX, BX, CX, DX)
#define TAKEX2 VEC2(SI, DI)
#define TAKEX3 VEC3(SI, DI, R8)
#define TAKEX4 VEC4(SI, DI, R8, R9)
#define TAKEY2 VEC2(R10, R11)
#define TAKEY3 VEC3(R10, R11, R12)
#define TAKEY4 VEC4(R10, R11, R12, R13)
#define LOADX2(LOAD) LOAD(AT(SI), V0); LOAD(AT(DI), V1)
#define LOADX3(LOAD) LOADX2(LOAD); LOAD(AT(R8), V2)
#define LOADX4(LOAD) LOADX3(LOAD); LOAD(AT(R9), V3)
#define LOADY2(LOAD) LOAD(AT(R10), V4); LOAD(AT(R11), V5)
#define LOADY3(LOAD) LOADY2(LOAD); LOAD(AT(R12), V6)
#define LOADY4(LOAD) LOADY3(LOAD); LOAD(AT(R13), V7)
#define V2TO(STORE) STORE(V0, AT(AX)); STORE(V1, AT(BX))
#define V3TO(STORE) V2TO(STORE); STORE(V2, AT(CX))
#define V4TO(STORE) V3TO(STORE); STORE(V3, AT(DX))

// DOT sets V8 to x·y, SQUARE to x·x. They spoil V9.
#define DOT2 MUL V4, V0, V8; MUL V5, V1, V9; ADD V9, V8, V8
#define DOT3 DOT2; MUL V6, V2, V9; ADD V9, V8, V8
#define DOT4 DOT3; MUL V7, V3, V9; ADD V9, V8, V8
#define SQUARE2 MUL V0, V0, V8; MUL V1, V1, V9; ADD V9, V8, V8
#define SQUARE3 SQUARE2; MUL V2, V2, V9; ADD V9, V8, V8
#define SQUARE4 SQUARE3; MUL V3, V3, V9; ADD V9, V8, V8

// TIMES sets x to x*V8.
#define TIMES2 MUL V8, V0, V0; MUL V8, V1, V1
#define TIMES3 TIMES2; MUL V8, V2, V2
#define TIMES4 TIMES3; MUL V8, V3, V3

// UNIT4 brings V0 to V3 to length 1. It needs ones in V14 and spoils V8 and V9.
#define UNIT4 \
	SQUARE4                      \
	SQRT V8, V8; DIV V8, V14, V8 \
	TIMES4

// The numbers 0, 1, 2, … that masks are made from, and 1.
DATA rowNumbers32<>+0(SB)/8, $0x0000000100000000
DATA rowNumbers32<>+8(SB)/8, $0x0000000300000002
DATA rowNumbers32<>+16(SB)/8, $0x0000000500000004
DATA rowNumbers32<>+24(SB)/8, $0x0000000700000006
DATA rowNumbers32<>+32(SB)/8, $0x0000000900000008
DATA rowNumbers32<>+40(SB)/8, $0x0000000b0000000a
DATA rowNumbers32<>+48(SB)/8, $0x0000000d0000000c
DATA rowNumbers32<>+56(SB)/8, $0x0000000f0000000e
GLOBL rowNumbers32<>(SB), RODATA|NOPTR, $64
DATA rowNumbers64<>+0(SB)/8, $0
DATA rowNumbers64<>+8(SB)/8, $1
DATA rowNumbers64<>+16(SB)/8, $2
DATA rowNumbers64<>+24(SB)/8, $3
DATA rowNumbers64<>+32(SB)/8, $4
DATA rowNumbers64<>+40(SB)/8, $5
DATA rowNumbers64<>+48(SB)/8, $6
DATA rowNumbers64<>+56(SB)/8, $7
GLOBL rowNumbers64<>(SB), RODATA|NOPTR, $64
DATA one32<>+0(SB)/4, $0x3f800000
GLOBL one32<>(SB), RODATA|NOPTR, $4
DATA one64<>+0(SB)/8, $0x3ff0000000000000
GLOBL one64<>(SB), RODATA|NOPTR, $8

// A constant is its value in every element of a vector of 64 bytes.
#define SPLAT64(name, v) \
	DATA  name+0(SB)/8, v; DATA name+8(SB)/8, v; DATA name+16(SB)/8, v; DATA name+24(SB)/8, v   \
	DATA  name+32(SB)/8, v; DATA name+40(SB)/8, v; DATA name+48(SB)/8, v; DATA name+56(SB)/8, v \
	GLOBL name(SB), RODATA|NOPTR, $64

// Products of matrices, one row after the other: m at AX, parent at BX or R9, local at
// CX. MATRIX sets the matrix at m to that at p times that at l.

// EACHROW runs a product on all rows of DX.
#define EACHROW(MATRIX, bytes) \
	MOVQ   LEN(AX), DX \
	MOVQ   (AX), AX    \
	MOVQ   (BX), BX    \
	MOVQ   (CX), CX    \
	TESTQ  DX, DX      \
	JZ     done        \
	loop1:             \
	MATRIX(BX, CX, AX) \
	ADDQ   $bytes, AX  \
	ADDQ   $bytes, BX  \
	ADDQ   $bytes, CX  \
	DECQ   DX          \
	JNZ    loop1       \
	done:              \
	RETURN

// EACHCHILD does so with the parents that the index names: SI is how many there
// are, DI the end of the index, DX minus the rows left. It leaves at the first
// index that is too large or negative.
#define EACHCHILD(MATRIX, bytes, shift) \
	MOVQ    LEN(BX), SI          \
	MOVQ    (AX), AX             \
	MOVQ    (BX), BX             \
	MOVQ    (CX), CX             \
	LEAQ    (DI)(DX*4), DI       \
	NEGQ    DX                   \
	JZ      done                 \
	loop1:                       \
	MOVLQSX (DI)(DX*4), R9       \
	CMPQ    R9, SI               \
	JCC     done                 \
	SHLQ    $shift, R9           \
	ADDQ    BX, R9               \
	MATRIX(R9, CX, AX)           \
	ADDQ    $bytes, AX           \
	ADDQ    $bytes, CX           \
	INCQ    DX                   \
	JNZ     loop1                \
	done:                        \
	ADDQ    index_len+24(FP), DX \
	MOVQ    DX, ret+48(FP)       \
	RETURN
