// The words of kernels_amd64.s for vectors of 4 float64.

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

#define WIDTH $32 // bytes of a vector
#define FULL  $-4 // n&FULL is the rows of whole vectors
#define REST  $3  // n&REST is the rows left over
#define SHIFT $3  // rows to bytes

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
#define LD(m, v)  VMOVUPD m, v
#define ST(v, m)  VMOVUPD v, m
#define LDM(m, v) VMASKMOVPD m, Y15, v
#define STM(v, m) VMASKMOVPD v, Y15, m

// MASK chooses the first n rows. It needs no other register.
#define MASK(n) VMOVQ n, X15; VPBROADCASTQ X15, Y15; VPCMPGTQ rowNumbers64<>(SB), Y15, Y15

// BEYOND leaves for stop unless V5 <= limit in every row. It spoils V5 and R12.
#define BEYOND(limit) VCMPPD $18, limit, V5, V5; VMOVMSKPD V5, R12; CMPL R12, $0xf; JNE stop
