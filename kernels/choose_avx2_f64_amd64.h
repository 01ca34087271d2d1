// Choices between vectors of 4 float64, and constants of that type.

#ifdef CHOOSE
#include "unchoose_amd64.h"
#endif

// IFLESS says for which rows a < b, IFGREATER a > b, IFEQUAL a == b: in Y12. A
// NaN is none of them. CHOOSE takes yes for those rows, no for the others.
#define IFLESS(a, b)         VCMPPD $17, b, a, Y12
#define IFGREATER(a, b)      VCMPPD $30, b, a, Y12
#define IFEQUAL(a, b)        VCMPPD $0, b, a, Y12
#define CHOOSE(yes, no, out) VBLENDVPD Y12, yes, no, out

// IFATMOST says a <= b, ANDATMOST leaves those of them that have another a <= b too
// and spoils Y11, UNLESSALL leaves for stop if a row is missing and spoils R12.
#define IFATMOST(a, b)  VCMPPD $18, b, a, Y12
#define ANDATMOST(a, b) VCMPPD $18, b, a, Y11; VANDPD Y11, Y12, Y12
#define UNLESSALL       VMOVMSKPD Y12, R12; CMPL R12, $0xf; JNE stop

// For those rows KEEP takes m, else 0, and SWAP exchanges a and b. FLIP changes
// their sign and spoils Y12. SWAP spoils Y11.
#define KEEP(m, out) VANDPD m, Y12, out
#define SWAP(a, b)   VXORPD a, b, Y11; VANDPD Y12, Y11, Y11; VXORPD Y11, a, a; VXORPD Y11, b, b
#define FLIP(v)      VANDPD SIGNBIT, Y12, Y12; VXORPD Y12, v, v

// MIN sets c to a < b ? a : b.
#define MIN(a, b, c) VMINPD b, a, c

#define SIZE      8 // bytes of an element
#define ONE       one64<>(SB)
#define HALF      half64<>(SB)
#define SIGNBIT   signBit64<>(SB)
#define MAGNITUDE magnitude64<>(SB)
#define ORDINARY  ordinary64<>(SB)
#define AGAINST   against64<>(SB)
#define HALFPI    halfPi64<>(SB)
#define SINCOS    SINCOS64
#define QUARTER   QUARTER64
#define SERIES    SERIES64
