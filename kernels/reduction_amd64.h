// Macros of reductions, AVX2 and AVX-512: the accumulators and the steps around the
// loop. BX has the address of the accumulators or nil, and CX counts bytes.

// ZERO8 and ZERO4 begin.
#define ZERO8 \
	VXORPS X0, X0, X0 \
	VXORPS X1, X1, X1 \
	VXORPS X2, X2, X2 \
	VXORPS X3, X3, X3 \
	VXORPS X4, X4, X4 \
	VXORPS X5, X5, X5 \
	VXORPS X6, X6, X6 \
	VXORPS X7, X7, X7

#define ZERO4 \
	VXORPS X0, X0, X0 \
	VXORPS X1, X1, X1 \
	VXORPS X2, X2, X2 \
	VXORPS X3, X3, X3

// LOAD and STORE take the accumulators from and to BX.
#define LOAD8 \
	VMOVUPS (BX), Y0    \
	VMOVUPS 32(BX), Y1  \
	VMOVUPS 64(BX), Y2  \
	VMOVUPS 96(BX), Y3  \
	VMOVUPS 128(BX), Y4 \
	VMOVUPS 160(BX), Y5 \
	VMOVUPS 192(BX), Y6 \
	VMOVUPS 224(BX), Y7

#define STORE8 \
	VMOVUPS Y0, (BX)    \
	VMOVUPS Y1, 32(BX)  \
	VMOVUPS Y2, 64(BX)  \
	VMOVUPS Y3, 96(BX)  \
	VMOVUPS Y4, 128(BX) \
	VMOVUPS Y5, 160(BX) \
	VMOVUPS Y6, 192(BX) \
	VMOVUPS Y7, 224(BX)

#define LOAD4 \
	VMOVUPS (BX), Z0    \
	VMOVUPS 64(BX), Z1  \
	VMOVUPS 128(BX), Z2 \
	VMOVUPS 192(BX), Z3

#define STORE4 \
	VMOVUPS Z0, (BX)    \
	VMOVUPS Z1, 64(BX)  \
	VMOVUPS Z2, 128(BX) \
	VMOVUPS Z3, 192(BX)

// FOLD8 folds Y0 to Y7 to the four or two elements of X0.
#define FOLD8(OP) \
	OP           Y4, Y0, Y0 \
	OP           Y5, Y1, Y1 \
	OP           Y6, Y2, Y2 \
	OP           Y7, Y3, Y3 \
	OP           Y2, Y0, Y0 \
	OP           Y3, Y1, Y1 \
	OP           Y1, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	OP           X1, X0, X0

// FOLD4 folds Z0 to Z3 to the four or two elements of X0.
#define FOLD4(OP) \
	OP            Z2, Z0, Z0 \
	OP            Z3, Z1, Z1 \
	OP            Z1, Z0, Z0 \
	VEXTRACTF64X4 $1, Z0, Y1 \
	OP            Y1, Y0, Y0 \
	VEXTRACTF128  $1, Y0, X1 \
	OP            X1, X0, X0

// LAST4 and LAST2 fold the elements of X0.
#define LAST4(OP, OP1) \
	VMOVHLPS  X0, X0, X1 \
	OP        X1, X0, X0 \
	VMOVSHDUP X0, X1     \
	OP1       X1, X0, X0

#define LAST2(OP1) \
	VUNPCKHPD X0, X0, X1 \
	OP1       X1, X0, X0

// REST says in R8 how many bytes there are after the last whole vector.
#define REST(vector) \
	MOVQ CX, R8        \
	ANDQ $vector-1, R8

// MASK8 makes Y9 the mask of those rows, MASK4 K1, for rows of 1<<shift bytes. They
// spoil AX.
#define MASK8 \
	LEAQ    lanes<>+32(SB), AX \
	SUBQ    R8, AX             \
	VMOVUPS (AX), Y9

#define MASK4(shift) \
	SHRQ  shift, R8  \
	MOVL  $-1, AX    \
	BZHIL R8, AX, AX \
	KMOVW AX, K1

// TAKE goes on with the next vector if it is whole, else with the rest.
#define TAKE(bytes, rest) \
	CMPQ CX, $bytes \
	JLT  rest

// BEGIN is the way from the number of rows in CX to the first whole block, or to tail
// if there is none.
#define BEGIN(shift, ZERO) \
	SHLQ   $shift, CX \
	TESTQ  BX, BX     \
	JNZ    resume     \
	ZERO              \
	begin:            \
	SUBQ   $256, CX   \
	JLT    tail

// FINISH is the way from the accumulators to the result.
#define FINISH(FOLD, LAST, MOV1, ret) \
fold:  \
	TESTQ   BX, BX  \
	JNZ     save    \
	result:         \
	FOLD            \
	LAST            \
	MOV1    X0, ret \
	VZEROUPPER      \
	RET

// RESUME is where BEGIN and FINISH go where t is not nil.
#define RESUME(LOAD, STORE) \
resume:  \
	LOAD      \
	JMP begin \
	save:        \
	STORE        \
	JMP   result

// AFTER is where TAKE goes for the rest: ADDREST adds it, if there is one.
#define AFTER(rest, ADDREST) \
rest:  \
	TESTQ R8, R8 \
	JZ    fold   \
	ADDREST      \
	JMP   fold
