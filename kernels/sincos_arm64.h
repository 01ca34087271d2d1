// Sine and cosine on vectors, for angles that are ordinary: the steps of sincos32
// and sincos64.

// The constants of consts.go in the order in which they are loaded.
DATA sincosF32<>+0(SB)/4, $0x1.45f306p-1 // twoOverPi32
DATA sincosF32<>+4(SB)/4, $0x1.92p+0 // halfPi32A
DATA sincosF32<>+8(SB)/4, $0x1.fb4p-12 // halfPi32B
DATA sincosF32<>+12(SB)/4, $0x1.444p-24 // halfPi32C
DATA sincosF32<>+16(SB)/4, $0x1.68c234p-39 // halfPi32D
DATA sincosF32<>+20(SB)/4, $(-0x1.991c28p-13) // sin32C
DATA sincosF32<>+24(SB)/4, $0x1.99e714p-16 // cos32C
DATA sincosF32<>+28(SB)/4, $0.5 // half
DATA sincosF32<>+32(SB)/4, $0x1.8p+23 // roundInt32
DATA sincosF32<>+36(SB)/4, $0x1.1106c6p-7 // sin32B
DATA sincosF32<>+40(SB)/4, $(-0x1.555544p-3) // sin32A
DATA sincosF32<>+44(SB)/4, $(-0x1.6c0c26p-10) // cos32B
DATA sincosF32<>+48(SB)/4, $0x1.55554ap-5 // cos32A
DATA sincosF32<>+52(SB)/4, $12800.0 // ordinary32
GLOBL sincosF32<>(SB), RODATA|NOPTR, $56

// SINCOS32CONSTANTS loads what SINCOS32 needs: V8, V9, V11 to V15 and V28 to V31.
// It spoils R14 and R15.
#define SINCOS32CONSTANTS \
	MOVD    $sincosF32<>(SB), R14;   \
	VLD1.P  32(R14), [V8.S4, V9.S4]; \
	VLD1R.P 4(R14), [V11.S4];        \
	VLD1R.P 4(R14), [V12.S4];        \
	VLD1R.P 4(R14), [V13.S4];        \
	VLD1R.P 4(R14), [V14.S4];        \
	VLD1R.P 4(R14), [V15.S4];        \
	VLD1R   (R14), [V28.S4];         \
	MOVD    $1, R15;                 \
	VDUP    R15, V29.S4;             \
	VSHL    $31, V29.S4, V30.S4;     \
	FMOVS   $1.0, F31;               \
	VDUP    V31.S[0], V31.S4

// SINCOS32 sets V19 to the sine and V7 to the cosine of V4. It spoils V4 and V16
// to V22.
#define SINCOS32 \
	VFMULE4S(0, 8, 4, 16);            \
	VFADD4S(11, 16, 16);              \ // f = x*twoOverPi + roundInt, its last bits are k
	VFSUB4S(11, 16, 17);              \ // f - roundInt
	VFMULE4S(1, 8, 17, 18);           \
	VFSUB4S(18, 4, 4);                \ // r = x - f*quarterA
	VFMULE4S(2, 8, 17, 18);           \
	VFSUB4S(18, 4, 4);                \ // … - f*quarterB
	VFMULE4S(3, 8, 17, 18);           \
	VFSUB4S(18, 4, 4);                \ // … - f*quarterC
	VFMULE4S(0, 9, 17, 18);           \
	VFSUB4S(18, 4, 4);                \ // … - f*quarterD
	VFMUL4S(4, 4, 18);                \ // z = r*r
	VFMULE4S(1, 9, 18, 19);           \ // sinC*z
	VFMULE4S(2, 9, 18, 7);            \ // cosC*z
	VFADD4S(12, 19, 19);              \ // … + sinB
	VFADD4S(14, 7, 7);                \ // … + cosB
	VFMUL4S(18, 19, 19);              \ // (…)*z
	VFMUL4S(18, 7, 7);                \ // (…)*z
	VFADD4S(13, 19, 19);              \ // … + sinA
	VFADD4S(15, 7, 7);                \ // … + cosA
	VFMUL4S(18, 18, 20);              \ // z*z
	VFMULE4S(3, 9, 18, 21);           \ // 0.5*z
	VFMUL4S(18, 19, 19);              \ // (…)*z
	VFMUL4S(20, 7, 7);                \ // (…)*(z*z)
	VFMUL4S(4, 19, 19);               \ // (…)*r
	VFSUB4S(21, 7, 7);                \ // … - 0.5*z
	VFADD4S(4, 19, 19);               \ // s = … + r
	VFADD4S(31, 7, 7);                \ // c = … + 1
	VBIT   V30.B16, V4.B16, V19.B16;  \ // with the sign of r, which the sum of a zero has lost
	VCMTST V29.S4, V16.S4, V21.S4;    \ // k is odd
	VMOV   V19.B16, V22.B16;          \
	VBIT   V21.B16, V7.B16, V19.B16;  \ // s = c
	VBIT   V21.B16, V22.B16, V7.B16;  \ // c = s
	VSHL   $30, V16.S4, V21.S4;       \
	VADD   V29.S4, V16.S4, V22.S4;    \
	VAND   V30.B16, V21.B16, V21.B16; \
	VSHL   $30, V22.S4, V22.S4;       \
	VEOR   V21.B16, V19.B16, V19.B16; \ // s negated by bit 1 of k
	VAND   V30.B16, V22.B16, V22.B16; \
	VEOR   V22.B16, V7.B16, V7.B16    // c negated by bit 1 of k+1

// The same for float64; those of the polynomials stand in both lanes.
DATA sincosF64<>+0(SB)/8, $0x1.45f306dc9c883p-1 // twoOverPi64
DATA sincosF64<>+8(SB)/8, $0x1.921fb54440000p+0 // halfPi64A
DATA sincosF64<>+16(SB)/8, $0x1.68c234c4c0000p-39 // halfPi64B
DATA sincosF64<>+24(SB)/8, $0x1.98a2e03707345p-77 // halfPi64C
DATA sincosF64<>+32(SB)/8, $0.5 // half
DATA sincosF64<>+40(SB)/8, $0.5 // half
DATA sincosF64<>+48(SB)/8, $0x1.8p+52 // roundInt64
DATA sincosF64<>+56(SB)/8, $51200.0 // ordinary64
DATA sincosF64<>+64(SB)/8, $0x1.5d8b55747c738p-33 // sin64F
DATA sincosF64<>+72(SB)/8, $0x1.5d8b55747c738p-33 // sin64F
DATA sincosF64<>+80(SB)/8, $(-0x1.8f99cbbc1e8edp-37) // cos64F
DATA sincosF64<>+88(SB)/8, $(-0x1.8f99cbbc1e8edp-37) // cos64F
DATA sincosF64<>+96(SB)/8, $(-0x1.ae5e4b83a119ap-26) // sin64E
DATA sincosF64<>+104(SB)/8, $(-0x1.ae5e4b83a119ap-26) // sin64E
DATA sincosF64<>+112(SB)/8, $0x1.1ee9c335d594cp-29 // cos64E
DATA sincosF64<>+120(SB)/8, $0x1.1ee9c335d594cp-29 // cos64E
DATA sincosF64<>+128(SB)/8, $0x1.71de35552b277p-19 // sin64D
DATA sincosF64<>+136(SB)/8, $0x1.71de35552b277p-19 // sin64D
DATA sincosF64<>+144(SB)/8, $(-0x1.27e4f7cd31ec0p-22) // cos64D
DATA sincosF64<>+152(SB)/8, $(-0x1.27e4f7cd31ec0p-22) // cos64D
DATA sincosF64<>+160(SB)/8, $(-0x1.a01a019be9216p-13) // sin64C
DATA sincosF64<>+168(SB)/8, $(-0x1.a01a019be9216p-13) // sin64C
DATA sincosF64<>+176(SB)/8, $0x1.a01a019c5c396p-16 // cos64C
DATA sincosF64<>+184(SB)/8, $0x1.a01a019c5c396p-16 // cos64C
DATA sincosF64<>+192(SB)/8, $0x1.111111110f730p-7 // sin64B
DATA sincosF64<>+200(SB)/8, $0x1.111111110f730p-7 // sin64B
DATA sincosF64<>+208(SB)/8, $(-0x1.6c16c16c14e00p-10) // cos64B
DATA sincosF64<>+216(SB)/8, $(-0x1.6c16c16c14e00p-10) // cos64B
DATA sincosF64<>+224(SB)/8, $(-0x1.5555555555548p-3) // sin64A
DATA sincosF64<>+232(SB)/8, $(-0x1.5555555555548p-3) // sin64A
DATA sincosF64<>+240(SB)/8, $0x1.555555555554ap-5 // cos64A
DATA sincosF64<>+248(SB)/8, $0x1.555555555554ap-5 // cos64A
GLOBL sincosF64<>(SB), RODATA|NOPTR, $256

// SINCOS64CONSTANTS loads what SINCOS64 needs: V8, V9, V11, V14, V15, V29 to V31,
// and R14, where the polynomials are. It spoils R15.
#define SINCOS64CONSTANTS \
	MOVD    $sincosF64<>(SB), R14;   \
	VLD1.P  32(R14), [V8.D2, V9.D2]; \
	VLD1.P  16(R14), [V11.D2];       \
	VLD1R.P 8(R14), [V14.D2];        \
	VLD1R.P 8(R14), [V15.D2];        \
	MOVD    $1, R15;                 \
	VDUP    R15, V29.D2;             \
	VSHL    $63, V29.D2, V30.D2;     \
	FMOVD   $1.0, F31;               \
	VDUP    V31.D[0], V31.D2

// SINCOS64 sets V19 to the sine and V7 to the cosine of V4. It spoils V4 to V6
// and V16 to V22.
#define SINCOS64 \
	VFMULE2D(0, 8, 4, 16);            \
	VFADD2D(14, 16, 16);              \ // f = x*twoOverPi + roundInt, its last bits are k
	VFSUB2D(14, 16, 17);              \ // f - roundInt
	VFMULE2D(1, 8, 17, 18);           \
	VFMULE2D(0, 9, 17, 19);           \ // b = f*quarterB
	VFSUB2D(18, 4, 18);               \ // a = x - f*quarterA
	VFMULE2D(1, 9, 17, 22);           \ // f*quarterC
	VFSUB2D(19, 18, 20);              \ // r = a - b
	VFSUB2D(20, 18, 21);              \ // a - r
	VFSUB2D(19, 21, 21);              \ // (a - r) - b
	VFSUB2D(21, 22, 22);              \ // t = f*quarterC - (…)
	VFSUB2D(22, 20, 4);               \ // high = r - t
	VFSUB2D(4, 20, 5);                \ // r - high
	VFSUB2D(22, 5, 5);                \ // low = (…) - t
	VFMUL2D(4, 4, 6);                 \ // z = high*high
	FLDPQ  (R14), (F20, F21);         \ // sinF, cosF
	VFMUL2D(20, 6, 17);               \
	VFMUL2D(21, 6, 18);               \
	FLDPQ  32(R14), (F20, F21);       \ // sinE, cosE
	VFADD2D(20, 17, 17);              \
	VFADD2D(21, 18, 18);              \
	VFMUL2D(6, 17, 17);               \
	VFMUL2D(6, 18, 18);               \
	FLDPQ  64(R14), (F20, F21);       \ // sinD, cosD
	VFADD2D(20, 17, 17);              \
	VFADD2D(21, 18, 18);              \
	VFMUL2D(6, 17, 17);               \
	VFMUL2D(6, 18, 18);               \
	FLDPQ  96(R14), (F20, F21);       \ // sinC, cosC
	VFADD2D(20, 17, 17);              \
	VFADD2D(21, 18, 18);              \
	VFMUL2D(6, 17, 17);               \
	VFMUL2D(6, 18, 18);               \
	FLDPQ  128(R14), (F20, F21);      \ // sinB, cosB
	VFADD2D(20, 17, 17);              \
	VFADD2D(21, 18, 18);              \
	VFMUL2D(6, 17, 17);               \
	VFMUL2D(6, 18, 18);               \
	FLDPQ  160(R14), (F20, F21);      \ // sinA, cosA
	VFADD2D(20, 17, 17);              \
	VFADD2D(21, 18, 18);              \
	VFMUL2D(6, 6, 20);                \ // z*z
	VFMUL2D(6, 17, 17);               \ // p = z*(…)
	VFMULE2D(0, 11, 6, 21);           \ // h = 0.5*z
	VFMUL2D(20, 18, 18);              \ // q = z*z*(…)
	VFSUB2D(21, 31, 22);              \ // v = 1 - h
	VFMUL2D(5, 4, 7);                 \ // high*low
	VFSUB2D(22, 31, 20);              \ // 1 - v
	VFSUB2D(7, 18, 7);                \ // q - high*low
	VFSUB2D(21, 20, 20);              \ // (1 - v) - h
	VFADD2D(7, 20, 7);                \ // (…) + (q - high*low)
	VFADD2D(7, 22, 7);                \ // c = v + (…)
	VFMUL2D(22, 5, 20);               \ // low*v
	VFMUL2D(17, 4, 21);               \ // high*p
	VFADD2D(21, 20, 19);              \ // low*v + high*p
	VFADD2D(19, 4, 19);               \ // s = high + (…)
	VBIT   V30.B16, V4.B16, V19.B16;  \ // with the sign of high, which the sum of a zero has lost
	VCMTST V29.D2, V16.D2, V21.D2;    \ // k is odd
	VMOV   V19.B16, V22.B16;          \
	VBIT   V21.B16, V7.B16, V19.B16;  \ // s = c
	VBIT   V21.B16, V22.B16, V7.B16;  \ // c = s
	VSHL   $62, V16.D2, V21.D2;       \
	VADD   V29.D2, V16.D2, V22.D2;    \
	VAND   V30.B16, V21.B16, V21.B16; \
	VSHL   $62, V22.D2, V22.D2;       \
	VEOR   V21.B16, V19.B16, V19.B16; \ // s negated by bit 1 of k
	VAND   V30.B16, V22.B16, V22.B16; \
	VEOR   V22.B16, V7.B16, V7.B16    // c negated by bit 1 of k+1
