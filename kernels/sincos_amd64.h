// Sine and cosine on vectors, for angles that are ordinary, with the constants of
// consts.go under their names there. It needs ones in V14.

SPLAT64(twoOverPi32<>, $0x3f22f9833f22f983)
SPLAT64(roundInt32<>, $0x4b4000004b400000)
SPLAT64(halfPi32A<>, $0x3fc900003fc90000)
SPLAT64(halfPi32B<>, $0x39fda00039fda000)
SPLAT64(halfPi32C<>, $0x33a2200033a22000)
SPLAT64(halfPi32D<>, $0x2c34611a2c34611a)
SPLAT64(ordinary32<>, $0x4648000046480000)
SPLAT64(sin32A<>, $0xbe2aaaa2be2aaaa2)
SPLAT64(sin32B<>, $0x3c0883633c088363)
SPLAT64(sin32C<>, $0xb94c8e14b94c8e14)
SPLAT64(cos32A<>, $0x3d2aaaa53d2aaaa5)
SPLAT64(cos32B<>, $0xbab60613bab60613)
SPLAT64(cos32C<>, $0x37ccf38a37ccf38a)
SPLAT64(half32<>, $0x3f0000003f000000)
SPLAT64(signBit32<>, $0x8000000080000000)
SPLAT64(magnitude32<>, $0x7fffffff7fffffff)
SPLAT64(int32One<>, $0x0000000100000001)
SPLAT64(int32Two<>, $0x0000000200000002)
SPLAT64(twoOverPi64<>, $0x3fe45f306dc9c883)
SPLAT64(roundInt64<>, $0x4338000000000000)
SPLAT64(halfPi64A<>, $0x3ff921fb54440000)
SPLAT64(halfPi64B<>, $0x3d868c234c4c0000)
SPLAT64(halfPi64C<>, $0x3b298a2e03707345)
SPLAT64(ordinary64<>, $0x40e9000000000000)
SPLAT64(sin64A<>, $0xbfc5555555555548)
SPLAT64(sin64B<>, $0x3f8111111110f730)
SPLAT64(sin64C<>, $0xbf2a01a019be9216)
SPLAT64(sin64D<>, $0x3ec71de35552b277)
SPLAT64(sin64E<>, $0xbe5ae5e4b83a119a)
SPLAT64(sin64F<>, $0x3de5d8b55747c738)
SPLAT64(cos64A<>, $0x3fa555555555554a)
SPLAT64(cos64B<>, $0xbf56c16c16c14e00)
SPLAT64(cos64C<>, $0x3efa01a019c5c396)
SPLAT64(cos64D<>, $0xbe927e4f7cd31ec0)
SPLAT64(cos64E<>, $0x3e21ee9c335d594c)
SPLAT64(cos64F<>, $0xbda8f99cbbc1e8ed)
SPLAT64(half64<>, $0x3fe0000000000000)
SPLAT64(signBit64<>, $0x8000000000000000)
SPLAT64(magnitude64<>, $0x7fffffffffffffff)
SPLAT64(int64One<>, $0x0000000000000001)
SPLAT64(int64Two<>, $0x0000000000000002)

// POLYNOMIALS32 sets V8 and V9 to the sine and cosine of r in V4, at most an eighth
// of a turn. It spoils V7 and V10.
#define POLYNOMIALS32 \
	/* s = ((C*z + B)*z + A)*z*r + r */                         \
	MUL V4, V4, V7                                              \
	MUL sin32C<>(SB), V7, V8; ADD sin32B<>(SB), V8, V8          \
	MUL V7, V8, V8; ADD sin32A<>(SB), V8, V8                    \
	MUL V7, V8, V8; MUL V4, V8, V8; ADD V4, V8, V8              \
	/* c = (((C*z + B)*z + A)*(z*z) - z/2) + 1 */               \
	MUL cos32C<>(SB), V7, V9; ADD cos32B<>(SB), V9, V9          \
	MUL V7, V9, V9; ADD cos32A<>(SB), V9, V9                    \
	MUL V7, V7, V10; MUL V10, V9, V9                            \
	MUL half32<>(SB), V7, V10; SUB V10, V9, V9; ADD V14, V9, V9

// SINCOS32 sets V8 and V9 to the sine and cosine of V4. It spoils V4 to V7, V10
// and V11.
#define SINCOS32 \
	/* k quarter turns; r = h - k*π/2 in four parts */                                              \
	MUL  twoOverPi32<>(SB), V4, V5; ADD roundInt32<>(SB), V5, V5                                    \
	SUB  roundInt32<>(SB), V5, V6                                                                   \
	MUL  halfPi32A<>(SB), V6, V7; SUB V7, V4, V4                                                    \
	MUL  halfPi32B<>(SB), V6, V7; SUB V7, V4, V4                                                    \
	MUL  halfPi32C<>(SB), V6, V7; SUB V7, V4, V4                                                    \
	MUL  halfPi32D<>(SB), V6, V7; SUB V7, V4, V4                                                    \
	POLYNOMIALS32                                                                                   \
	AND  signBit32<>(SB), V4, V10; OR V10, V8, V8 /* of r, where it is 0 */                         \
	/* an odd k swaps them */                                                                       \
	AND  int32One<>(SB), V5, V10; XOR V11, V11, V11; ISUB V10, V11, V10                             \
	XOR  V8, V9, V11; AND V10, V11, V11; XOR V11, V8, V8; XOR V11, V9, V9                           \
	/* k&2 changes the sign of s, k+1&2 that of c */                                                \
	AND  int32Two<>(SB), V5, V10; ISHL $30, V10, V10; XOR V10, V8, V8                               \
	IADD int32One<>(SB), V5, V10; AND int32Two<>(SB), V10, V10; ISHL $30, V10, V10; XOR V10, V9, V9

// QUARTER32 does so, to the same bits, for angles from +0 to a quarter turn, where k
// is 0 or 1. It needs the choices between vectors and spoils what SINCOS32 does.
#define QUARTER32 \
	MUL twoOverPi32<>(SB), V4, V5; IFGREATER(V5, half32<>(SB)) \
	KEEP(halfPi32A<>(SB), V5); SUB V5, V4, V4                  \
	KEEP(halfPi32B<>(SB), V5); SUB V5, V4, V4                  \
	KEEP(halfPi32C<>(SB), V5); SUB V5, V4, V4                  \
	KEEP(halfPi32D<>(SB), V5); SUB V5, V4, V4                  \
	POLYNOMIALS32                                              \
	SWAP(V8, V9)                                               \
	FLIP(V9)

// POLYNOMIALS64 sets V8 and V9 to the sine and cosine of V4 + V6, of which the first
// is at most an eighth of a turn and the second very small. It spoils V6, V7, V10 and
// V11.
#define POLYNOMIALS64 \
	/* p, q: the polynomials of sine and cosine */                  \
	MUL V4, V4, V7                                                  \
	MUL sin64F<>(SB), V7, V8; ADD sin64E<>(SB), V8, V8              \
	MUL V7, V8, V8; ADD sin64D<>(SB), V8, V8                        \
	MUL V7, V8, V8; ADD sin64C<>(SB), V8, V8                        \
	MUL V7, V8, V8; ADD sin64B<>(SB), V8, V8                        \
	MUL V7, V8, V8; ADD sin64A<>(SB), V8, V8                        \
	MUL V7, V8, V8                                                  \
	MUL cos64F<>(SB), V7, V9; ADD cos64E<>(SB), V9, V9              \
	MUL V7, V9, V9; ADD cos64D<>(SB), V9, V9                        \
	MUL V7, V9, V9; ADD cos64C<>(SB), V9, V9                        \
	MUL V7, V9, V9; ADD cos64B<>(SB), V9, V9                        \
	MUL V7, V9, V9; ADD cos64A<>(SB), V9, V9                        \
	MUL V7, V7, V10; MUL V10, V9, V9                                \
	/* c = v + (((1-v) - z/2) + (q - high*low)), v = 1 - z/2 */     \
	MUL V6, V4, V10; SUB V10, V9, V9                                \
	MUL half64<>(SB), V7, V10; SUB V10, V14, V11                    \
	SUB V11, V14, V7; SUB V10, V7, V7                               \
	ADD V9, V7, V9; ADD V9, V11, V9                                 \
	/* s = high + (low*v + high*p) */                               \
	MUL V11, V6, V6; MUL V4, V8, V8; ADD V8, V6, V8; ADD V8, V4, V8

// SINCOS64 sets V8 and V9 to the sine and cosine of V4. It spoils V4 to V7, V10
// and V11.
#define SINCOS64 \
	/* k quarter turns; r + t = h - k*π/2 in three parts */                                         \
	MUL  twoOverPi64<>(SB), V4, V5; ADD roundInt64<>(SB), V5, V5                                    \
	SUB  roundInt64<>(SB), V5, V6                                                                   \
	MUL  halfPi64A<>(SB), V6, V7; SUB V7, V4, V4                                                    \
	MUL  halfPi64B<>(SB), V6, V7; SUB V7, V4, V8                                                    \
	MUL  halfPi64C<>(SB), V6, V6                                                                    \
	HIGHLOW64                                                                                       \
	POLYNOMIALS64                                                                                   \
	AND  signBit64<>(SB), V4, V10; OR V10, V8, V8 /* of high, where it is 0 */                      \
	/* an odd k swaps them */                                                                       \
	AND  int64One<>(SB), V5, V10; XOR V11, V11, V11; ISUB V10, V11, V10                             \
	XOR  V8, V9, V11; AND V10, V11, V11; XOR V11, V8, V8; XOR V11, V9, V9                           \
	/* k&2 changes the sign of s, k+1&2 that of c */                                                \
	AND  int64Two<>(SB), V5, V10; ISHL $62, V10, V10; XOR V10, V8, V8                               \
	IADD int64One<>(SB), V5, V10; AND int64Two<>(SB), V10, V10; ISHL $62, V10, V10; XOR V10, V9, V9

// HIGHLOW64 sets V4 and V6 to the high and low part of the angle that is left: V8 is
// V4 - V7, rounded, V6 what goes off besides. It spoils V8.
#define HIGHLOW64 \
	SUB V8, V4, V4; SUB V7, V4, V4; SUB V4, V6, V6 \
	SUB V6, V8, V4; SUB V4, V8, V8; SUB V6, V8, V6

// QUARTER64 does so, to the same bits, for angles from +0 to a quarter turn, where k
// is 0 or 1. It needs the choices between vectors and spoils what SINCOS64 does.
#define QUARTER64 \
	MUL twoOverPi64<>(SB), V4, V5; IFGREATER(V5, half64<>(SB)) \
	KEEP(halfPi64A<>(SB), V7); SUB V7, V4, V4                  \
	KEEP(halfPi64B<>(SB), V7); SUB V7, V4, V8                  \
	KEEP(halfPi64C<>(SB), V6)                                  \
	HIGHLOW64                                                  \
	POLYNOMIALS64                                              \
	SWAP(V8, V9)                                               \
	FLIP(V9)

// RUNSLICES is all of a kernel on the slices at AX, SI and DI but the reading of its
// arguments. Where the body leaves for stop it leaves the rows from there on to the
// generic body: the kernel returns the number of rows done.
#define RUNSLICES(BODY) \
	COUNTSLICE(R14)                            \
	SPLAT ONE, V14                             \
	BYTES                                      \
	END(AX)                                    \
	END(SI)                                    \
	END(DI)                                    \
	EACHOF(COUNTSLICE, BODY, loop, tail, done) \
	RETURNROWS(COUNTSLICE, ret+72(FP))
