// The words of the NEON kernels on columns for vectors of 4 float32.

#ifdef ADD
#include "undefine_arm64.h"
#endif

#define ADD(m, n, d)     VFADD4S(m, n, d)
#define SUB(m, n, d)     VFSUB4S(m, n, d)
#define MUL(m, n, d)     VFMUL4S(m, n, d)
#define DIV(m, n, d)     VFDIV4S(m, n, d)
#define SQRT(n, d)       VFSQRT4S(n, d)
#define ABS(n, d)        VFABS4S(n, d)
#define NEG(n, d)        VFNEG4S(n, d)
#define CMGT(m, n, d)    VFCMGT4S(m, n, d)
#define CMGE(m, n, d)    VFCMGE4S(m, n, d)
#define CMEQ(m, n, d)    VFCMEQ4S(m, n, d)
#define MULE(i, m, n, d) VFMULE4S(i, m, n, d)

#define ROWS 4 // in a vector
#define PAIR 8 // in two
#define SIZE 4 // bytes of an element

// A vector, one row, a pair of vectors and one row in the first of a pair; the
// pointers move on.
#define LD(p, f)      FMOVQ.P 16(p), f
#define ST(f, p)      FMOVQ.P f, 16(p)
#define LD1(p, f)     FMOVS.P 4(p), f
#define ST1(f, p)     FMOVS.P f, 4(p)
#define LD2(p, f, h)  FLDPQ.P 32(p), (f, h)
#define ST2(f, h, p)  FSTPQ.P (f, h), 32(p)
#define LD21(p, f, h) FMOVS.P 4(p), f
#define ST21(f, h, p) FMOVS.P f, 4(p)

// SPLAT fills v with the element at p.
#define SPLAT(p, v) VLD1R (p), [v.S4]

// A vector and one row, without moving on.
#define PEEK(p, f)  FMOVQ (p), f
#define PEEK1(p, f) FMOVS (p), f

// A vector and one row at n plus m, by numbers.
#define LDX(m, n, t)  VLDRQ(m, n, t)
#define STX(m, n, t)  VSTRQ(m, n, t)
#define LDX1(m, n, t) VLDRS(m, n, t)
#define STX1(m, n, t) VSTRS(m, n, t)

// HALVE, SINCOS and ORDINARY need the constants of sincos_arm64.h. ORDINARY sets
// V16 where the angle in V4 is ordinary; UNLESS leaves for stop unless V16 is set
// everywhere. They spoil R15.
#define SINCOS SINCOS32
#define HALVE(n, d) VFMULE4S(3, 9, n, d)
#define ORDINARY VFACGE4S(4, 28, 16)
#define UNLESS(stop) VUZP1 V16.H8, V16.H8, V16.H8; FMOVD F16, R15; CMN $1, R15; BNE stop
#define BEYOND(stop) ORDINARY; UNLESS(stop)
