// The words of the NEON kernels on columns for vectors of 2 float64.

#ifdef ADD
#include "undefine_arm64.h"
#endif

#define ADD(m, n, d)     VFADD2D(m, n, d)
#define SUB(m, n, d)     VFSUB2D(m, n, d)
#define MUL(m, n, d)     VFMUL2D(m, n, d)
#define DIV(m, n, d)     VFDIV2D(m, n, d)
#define SQRT(n, d)       VFSQRT2D(n, d)
#define ABS(n, d)        VFABS2D(n, d)
#define NEG(n, d)        VFNEG2D(n, d)
#define CMGT(m, n, d)    VFCMGT2D(m, n, d)
#define CMGE(m, n, d)    VFCMGE2D(m, n, d)
#define CMEQ(m, n, d)    VFCMEQ2D(m, n, d)
#define MULE(i, m, n, d) VFMULE2D(i, m, n, d)

#define ROWS 2 // in a vector
#define PAIR 4 // in two
#define SIZE 8 // bytes of an element

// A vector, one row, a pair of vectors and one row in the first of a pair; the
// pointers move on.
#define LD(p, f)      FMOVQ.P 16(p), f
#define ST(f, p)      FMOVQ.P f, 16(p)
#define LD1(p, f)     FMOVD.P 8(p), f
#define ST1(f, p)     FMOVD.P f, 8(p)
#define LD2(p, f, h)  FLDPQ.P 32(p), (f, h)
#define ST2(f, h, p)  FSTPQ.P (f, h), 32(p)
#define LD21(p, f, h) FMOVD.P 8(p), f
#define ST21(f, h, p) FMOVD.P f, 8(p)

// SPLAT fills v with the element at p.
#define SPLAT(p, v) VLD1R (p), [v.D2]

// A vector and one row, without moving on.
#define PEEK(p, f)  FMOVQ (p), f
#define PEEK1(p, f) FMOVD (p), f

// A vector and one row at n plus m, by numbers.
#define LDX(m, n, t)  VLDRQ(m, n, t)
#define STX(m, n, t)  VSTRQ(m, n, t)
#define LDX1(m, n, t) VLDRD(m, n, t)
#define STX1(m, n, t) VSTRD(m, n, t)

// HALVE, SINCOS and ORDINARY need the constants of sincos_arm64.h. ORDINARY sets
// V16 where the angle in V4 is ordinary; UNLESS leaves for stop unless V16 is set
// everywhere. They spoil R15.
#define SINCOS SINCOS64
#define HALVE(n, d) VFMULE2D(0, 11, n, d)
#define ORDINARY VFACGE2D(4, 15, 16)
#define UNLESS(stop) VUZP1 V16.S4, V16.S4, V16.S4; FMOVD F16, R15; CMN $1, R15; BNE stop
#define BEYOND(stop) ORDINARY; UNLESS(stop)
