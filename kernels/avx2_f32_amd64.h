// The words of kernels_amd64.s for vectors of 8 float32.

#ifdef ADD
#include "undefine_amd64.h"
#endif

#define ADD   VADDPS
#define SUB   VSUBPS
#define MUL   VMULPS
#define DIV   VDIVPS
#define SQRT  VSQRTPS
#define AND   VANDPS
#define OR    VORPS
#define XOR   VXORPS
#define MOV   VMOVUPS
#define IADD  VPADDD
#define ISUB  VPSUBD
#define ISHL  VPSLLD
#define SPLAT VBROADCASTSS

#define WIDTH $32 // bytes of a vector
#define FULL  $-8 // n&FULL is the rows of whole vectors
#define REST  $7  // n&REST is the rows left over
#define SHIFT $2  // rows to bytes

#define V0  Y0
#define V1  Y1
#define V2  Y2
#define V3  Y3
#define V4  Y4
#define V5  Y5
#define V6  Y6
#define V7  Y7
#define V8  Y8
#define V9  Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14

// Whole vectors, and those of which Y15 chooses the first rows.
#define LD(m, v)  VMOVUPS m, v
#define ST(v, m)  VMOVUPS v, m
#define LDM(m, v) VMASKMOVPS m, Y15, v
#define STM(v, m) VMASKMOVPS v, Y15, m

// MASK chooses the first n rows. It needs no other register.
#define MASK(n) VMOVQ n, X15; VPBROADCASTD X15, Y15; VPCMPGTD rowNumbers32<>(SB), Y15, Y15

// BEYOND leaves for stop unless V5 <= limit in every row. It spoils V5 and R12.
#define BEYOND(limit) VCMPPS $18, limit, V5, V5; VMOVMSKPS V5, R12; CMPL R12, $0xff; JNE stop
