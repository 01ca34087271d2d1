// The words of kernels_amd64.s for vectors of 16 float32.

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

#define WIDTH $64 // bytes of a vector
#define FULL  $-16 // n&FULL is the rows of whole vectors
#define REST  $15  // n&REST is the rows left over
#define SHIFT $2  // rows to bytes

#define V0  Z0
#define V1  Z1
#define V2  Z2
#define V3  Z3
#define V4  Z4
#define V5  Z5
#define V6  Z6
#define V7  Z7
#define V8  Z8
#define V9  Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14

// Whole vectors, and those of which K1 chooses the first rows.
#define LD(m, v)  VMOVUPS m, v
#define ST(v, m)  VMOVUPS v, m
#define LDM(m, v) VMOVUPS.Z m, K1, v
#define STM(v, m) VMOVUPS v, K1, m

// MASK chooses the first n rows. It spoils Z15.
#define MASK(n) VPBROADCASTD n, Z15; VPCMPGTD rowNumbers32<>(SB), Z15, K1

// BEYOND leaves for stop unless V5 <= limit in every row. It spoils K2.
#define BEYOND(limit) VCMPPS $18, limit, V5, K2; KORTESTW K2, K2; JCC stop
