// Macros of reductions, NEON: the sixteen accumulators and their sum.

#define ZERO16 \
	VEOR V0.B16, V0.B16, V0.B16;    \
	VEOR V1.B16, V1.B16, V1.B16;    \
	VEOR V2.B16, V2.B16, V2.B16;    \
	VEOR V3.B16, V3.B16, V3.B16;    \
	VEOR V4.B16, V4.B16, V4.B16;    \
	VEOR V5.B16, V5.B16, V5.B16;    \
	VEOR V6.B16, V6.B16, V6.B16;    \
	VEOR V7.B16, V7.B16, V7.B16;    \
	VEOR V8.B16, V8.B16, V8.B16;    \
	VEOR V9.B16, V9.B16, V9.B16;    \
	VEOR V10.B16, V10.B16, V10.B16; \
	VEOR V11.B16, V11.B16, V11.B16; \
	VEOR V12.B16, V12.B16, V12.B16; \
	VEOR V13.B16, V13.B16, V13.B16; \
	VEOR V14.B16, V14.B16, V14.B16; \
	VEOR V15.B16, V15.B16, V15.B16

// LOAD16 and STORE16 take the accumulators from and to R0, and spoil R6.
#define LOAD16 \
	MOVD   R0, R6;                                      \
	VLD1.P 64(R6), [V0.B16, V1.B16, V2.B16, V3.B16];    \
	VLD1.P 64(R6), [V4.B16, V5.B16, V6.B16, V7.B16];    \
	VLD1.P 64(R6), [V8.B16, V9.B16, V10.B16, V11.B16];  \
	VLD1.P 64(R6), [V12.B16, V13.B16, V14.B16, V15.B16]

#define STORE16 \
	MOVD   R0, R6;                                      \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R6);    \
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R6);    \
	VST1.P [V8.B16, V9.B16, V10.B16, V11.B16], 64(R6);  \
	VST1.P [V12.B16, V13.B16, V14.B16, V15.B16], 64(R6)

// FOLD16 folds V0 to V15 to the elements of V0.
#define FOLD16(OP) \
	OP(8, 0, 0);  \
	OP(9, 1, 1);  \
	OP(10, 2, 2); \
	OP(11, 3, 3); \
	OP(12, 4, 4); \
	OP(13, 5, 5); \
	OP(14, 6, 6); \
	OP(15, 7, 7); \
	OP(4, 0, 0);  \
	OP(5, 1, 1);  \
	OP(6, 2, 2);  \
	OP(7, 3, 3);  \
	OP(2, 0, 0);  \
	OP(3, 1, 1);  \
	OP(1, 0, 0)
