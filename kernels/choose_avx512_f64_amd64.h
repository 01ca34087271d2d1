// Choices between vectors of 8 float64, and constants of that type.

#ifdef CHOOSE
#include "unchoose_amd64.h"
#endif

// IFLESS says for which rows a < b, IFGREATER a > b, IFEQUAL a == b: in K2. A
// NaN is none of them. CHOOSE takes yes for those rows, no for the others.
#define IFLESS(a, b)         VCMPPD $17, b, a, K2
#define IFGREATER(a, b)      VCMPPD $30, b, a, K2
#define IFEQUAL(a, b)        VCMPPD $0, b, a, K2
#define CHOOSE(yes, no, out) VBLENDMPD yes, no, K2, out

// IFATMOST says a <= b, ANDATMOST leaves those of them that have another a <= b
// too, UNLESSALL leaves for stop if a row is missing.
#define IFATMOST(a, b)  VCMPPD $18, b, a, K2
#define ANDATMOST(a, b) VCMPPD $18, b, a, K2, K2
#define UNLESSALL       KORTESTB K2, K2; JCC stop

// For those rows KEEP takes m, else 0, SWAP exchanges a and b, FLIP changes the
// sign. SWAP spoils Z11.
#define KEEP(m, out) VMOVUPD.Z m, K2, out
#define SWAP(a, b)   VMOVAPS a, Z11; VMOVAPD b, K2, a; VMOVAPD Z11, K2, b
#define FLIP(v)      VXORPD SIGNBIT, v, K2, v

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
