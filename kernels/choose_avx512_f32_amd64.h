// Choices between vectors of 16 float32, and constants of that type.

#ifdef CHOOSE
#include "unchoose_amd64.h"
#endif

// IFLESS says for which rows a < b, IFGREATER a > b, IFEQUAL a == b: in K2. A
// NaN is none of them. CHOOSE takes yes for those rows, no for the others.
#define IFLESS(a, b)         VCMPPS $17, b, a, K2
#define IFGREATER(a, b)      VCMPPS $30, b, a, K2
#define IFEQUAL(a, b)        VCMPPS $0, b, a, K2
#define CHOOSE(yes, no, out) VBLENDMPS yes, no, K2, out

// IFATMOST says a <= b, ANDATMOST leaves those of them that have another a <= b
// too, UNLESSALL leaves for stop if a row is missing.
#define IFATMOST(a, b)  VCMPPS $18, b, a, K2
#define ANDATMOST(a, b) VCMPPS $18, b, a, K2, K2
#define UNLESSALL       KORTESTW K2, K2; JCC stop

// For those rows KEEP takes m, else 0, SWAP exchanges a and b, FLIP changes the
// sign. SWAP spoils Z11.
#define KEEP(m, out) VMOVUPS.Z m, K2, out
#define SWAP(a, b)   VMOVAPS a, Z11; VMOVAPS b, K2, a; VMOVAPS Z11, K2, b
#define FLIP(v)      VXORPS SIGNBIT, v, K2, v

// MIN sets c to a < b ? a : b.
#define MIN(a, b, c) VMINPS b, a, c

#define SIZE      4 // bytes of an element
#define ONE       one32<>(SB)
#define HALF      half32<>(SB)
#define SIGNBIT   signBit32<>(SB)
#define MAGNITUDE magnitude32<>(SB)
#define ORDINARY  ordinary32<>(SB)
#define AGAINST   against32<>(SB)
#define HALFPI    halfPi32<>(SB)
#define SINCOS    SINCOS32
#define QUARTER   QUARTER32
#define SERIES    SERIES32
