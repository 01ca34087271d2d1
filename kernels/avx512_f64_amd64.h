// The words of kernels_amd64.s for vectors of 8 float64.

#ifdef ADD
#include "undefine_amd64.h"
#endif

#define ADD   VADDPD
#define SUB   VSUBPD
#define MUL   VMULPD
#define DIV   VDIVPD
#define SQRT  VSQRTPD
#define AND   VANDPD
#define OR    VORPD
#define XOR   VXORPD
#define MOV   VMOVUPD
#define IADD  VPADDQ
#define ISUB  VPSUBQ
#define ISHL  VPSLLQ
#define SPLAT VBROADCASTSD

#define WIDTH $64 // bytes of a vector
#define FULL  $-8 // n&FULL is the rows of whole vectors
#define REST  $7  // n&REST is the rows left over
#define SHIFT $3  // rows to bytes

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
#define LD(m, v)  VMOVUPD m, v
#define ST(v, m)  VMOVUPD v, m
#define LDM(m, v) VMOVUPD.Z m, K1, v
#define STM(v, m) VMOVUPD v, K1, m

// MASK chooses the first n rows. It spoils Z15.
#define MASK(n) VPBROADCASTQ n, Z15; VPCMPGTQ rowNumbers64<>(SB), Z15, K1

// BEYOND leaves for stop unless V5 <= limit in every row. It spoils K2.
#define BEYOND(limit) VCMPPD $18, limit, V5, K2; KORTESTB K2, K2; JCC stop
