// Choices between vectors of 8 float32, and constants of that type.

#ifdef CHOOSE
#include "unchoose_amd64.h"
#endif

// IFLESS says for which rows a < b, IFGREATER a > b, IFEQUAL a == b: in Y12. A
// NaN is none of them. CHOOSE takes yes for those rows, no for the others.
#define IFLESS(a, b)         VCMPPS $17, b, a, Y12
#define IFGREATER(a, b)      VCMPPS $30, b, a, Y12
#define IFEQUAL(a, b)        VCMPPS $0, b, a, Y12
#define CHOOSE(yes, no, out) VBLENDVPS Y12, yes, no, out

// IFATMOST says a <= b, ANDATMOST leaves those of them that have another a <= b too
// and spoils Y11, UNLESSALL leaves for stop if a row is missing and spoils R12.
#define IFATMOST(a, b)  VCMPPS $18, b, a, Y12
#define ANDATMOST(a, b) VCMPPS $18, b, a, Y11; VANDPS Y11, Y12, Y12
#define UNLESSALL       VMOVMSKPS Y12, R12; CMPL R12, $0xff; JNE stop

// For those rows KEEP takes m, else 0, and SWAP exchanges a and b. FLIP changes
// their sign and spoils Y12. SWAP spoils Y11.
#define KEEP(m, out) VANDPS m, Y12, out
#define SWAP(a, b)   VXORPS a, b, Y11; VANDPS Y12, Y11, Y11; VXORPS Y11, a, a; VXORPS Y11, b, b
#define FLIP(v)      VANDPS SIGNBIT, Y12, Y12; VXORPS Y12, v, v

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
