// Instructions of Advanced SIMD that the Go 1.26 assembler cannot spell.
//
// Operands stand in Go's order, sources first: VFSUB4S(m, n, d) is d = n - m,
// on the registers of these numbers. 4S is four float32 or int32, 2D is two
// float64 or int64. Above each macro stands the instruction as the manual
// writes it (Arm Architecture Reference Manual for A-profile, DDI 0487, section
// C7.2, under the title in quotation marks); above each group its encoding
// class (section C4.1, Advanced SIMD). neon_test.go decodes every macro and
// compares.
//
// FMLA, FMLS and the estimates FRECPE, FRSQRTE are left out on purpose: kernels
// round every product and sum by itself. FMAX and FMIN are left out because
// they keep NaN and order the zeros; a minimum here is a < b ? a : b, which is
// FCMGT and VBSL.

// Three registers of one type: 0 Q U 01110 size 1 Rm opcode 1 Rn Rd.

// "FADD (vector)": FADD Vd.4S, Vn.4S, Vm.4S
#define VFADD4S(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))

// "FADD (vector)": FADD Vd.2D, Vn.2D, Vm.2D
#define VFADD2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))

// "FSUB (vector)": FSUB Vd.4S, Vn.4S, Vm.4S
#define VFSUB4S(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))

// "FSUB (vector)": FSUB Vd.2D, Vn.2D, Vm.2D
#define VFSUB2D(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))

// "FMUL (vector)": FMUL Vd.4S, Vn.4S, Vm.4S
#define VFMUL4S(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))

// "FMUL (vector)": FMUL Vd.2D, Vn.2D, Vm.2D
#define VFMUL2D(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))

// "FDIV (vector)": FDIV Vd.4S, Vn.4S, Vm.4S
#define VFDIV4S(m, n, d) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))

// "FDIV (vector)": FDIV Vd.2D, Vn.2D, Vm.2D
#define VFDIV2D(m, n, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d))

// "FCMEQ (register)": FCMEQ Vd.4S, Vn.4S, Vm.4S
#define VFCMEQ4S(m, n, d) WORD $(0x4E20E400 | (m)<<16 | (n)<<5 | (d))

// "FCMEQ (register)": FCMEQ Vd.2D, Vn.2D, Vm.2D
#define VFCMEQ2D(m, n, d) WORD $(0x4E60E400 | (m)<<16 | (n)<<5 | (d))

// "FCMGE (register)": FCMGE Vd.4S, Vn.4S, Vm.4S
#define VFCMGE4S(m, n, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d))

// "FCMGE (register)": FCMGE Vd.2D, Vn.2D, Vm.2D
#define VFCMGE2D(m, n, d) WORD $(0x6E60E400 | (m)<<16 | (n)<<5 | (d))

// "FCMGT (register)": FCMGT Vd.4S, Vn.4S, Vm.4S
#define VFCMGT4S(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))

// "FCMGT (register)": FCMGT Vd.2D, Vn.2D, Vm.2D
#define VFCMGT2D(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))

// "FACGE": FACGE Vd.4S, Vn.4S, Vm.4S
#define VFACGE4S(m, n, d) WORD $(0x6E20EC00 | (m)<<16 | (n)<<5 | (d))

// "FACGE": FACGE Vd.2D, Vn.2D, Vm.2D
#define VFACGE2D(m, n, d) WORD $(0x6E60EC00 | (m)<<16 | (n)<<5 | (d))

// "MUL (vector)": MUL Vd.4S, Vn.4S, Vm.4S
#define VMUL4S(m, n, d) WORD $(0x4EA09C00 | (m)<<16 | (n)<<5 | (d))

// "CMGT (register)": CMGT Vd.4S, Vn.4S, Vm.4S
#define VCMGT4S(m, n, d) WORD $(0x4EA03400 | (m)<<16 | (n)<<5 | (d))

// "CMGT (register)": CMGT Vd.2D, Vn.2D, Vm.2D
#define VCMGT2D(m, n, d) WORD $(0x4EE03400 | (m)<<16 | (n)<<5 | (d))

// "BIC (vector, register)": BIC Vd.16B, Vn.16B, Vm.16B
#define VBIC16B(m, n, d) WORD $(0x4E601C00 | (m)<<16 | (n)<<5 | (d))

// Three registers of different types: 0 Q U 01110 size 1 Rm opcode 00 Rn Rd.

// "UMULL, UMULL2 (vector)": UMULL Vd.2D, Vn.2S, Vm.2S
#define VUMULL2D(m, n, d) WORD $(0x2EA0C000 | (m)<<16 | (n)<<5 | (d))

// "UMULL, UMULL2 (vector)": UMULL2 Vd.2D, Vn.4S, Vm.4S
#define VUMULL22D(m, n, d) WORD $(0x6EA0C000 | (m)<<16 | (n)<<5 | (d))

// Two registers: 0 Q U 01110 size 10000 opcode 10 Rn Rd.

// "FSQRT (vector)": FSQRT Vd.4S, Vn.4S
#define VFSQRT4S(n, d) WORD $(0x6EA1F800 | (n)<<5 | (d))

// "FSQRT (vector)": FSQRT Vd.2D, Vn.2D
#define VFSQRT2D(n, d) WORD $(0x6EE1F800 | (n)<<5 | (d))

// "FABS (vector)": FABS Vd.4S, Vn.4S
#define VFABS4S(n, d) WORD $(0x4EA0F800 | (n)<<5 | (d))

// "FABS (vector)": FABS Vd.2D, Vn.2D
#define VFABS2D(n, d) WORD $(0x4EE0F800 | (n)<<5 | (d))

// "FNEG (vector)": FNEG Vd.4S, Vn.4S
#define VFNEG4S(n, d) WORD $(0x6EA0F800 | (n)<<5 | (d))

// "FNEG (vector)": FNEG Vd.2D, Vn.2D
#define VFNEG2D(n, d) WORD $(0x6EE0F800 | (n)<<5 | (d))

// "FCVTL, FCVTL2": FCVTL Vd.2D, Vn.2S
#define VFCVTL2D(n, d) WORD $(0x0E617800 | (n)<<5 | (d))

// "FCVTL, FCVTL2": FCVTL2 Vd.2D, Vn.4S
#define VFCVTL22D(n, d) WORD $(0x4E617800 | (n)<<5 | (d))

// "FCVTN, FCVTN2": FCVTN Vd.2S, Vn.2D
#define VFCVTN2S(n, d) WORD $(0x0E616800 | (n)<<5 | (d))

// "FCVTN, FCVTN2": FCVTN2 Vd.4S, Vn.2D
#define VFCVTN24S(n, d) WORD $(0x4E616800 | (n)<<5 | (d))

// "FRINTM (vector)": FRINTM Vd.4S, Vn.4S
#define VFRINTM4S(n, d) WORD $(0x4E219800 | (n)<<5 | (d))

// "FRINTM (vector)": FRINTM Vd.2D, Vn.2D
#define VFRINTM2D(n, d) WORD $(0x4E619800 | (n)<<5 | (d))

// "FRINTN (vector)": FRINTN Vd.4S, Vn.4S
#define VFRINTN4S(n, d) WORD $(0x4E218800 | (n)<<5 | (d))

// "FRINTN (vector)": FRINTN Vd.2D, Vn.2D
#define VFRINTN2D(n, d) WORD $(0x4E618800 | (n)<<5 | (d))

// "FRINTP (vector)": FRINTP Vd.4S, Vn.4S
#define VFRINTP4S(n, d) WORD $(0x4EA18800 | (n)<<5 | (d))

// "FRINTP (vector)": FRINTP Vd.2D, Vn.2D
#define VFRINTP2D(n, d) WORD $(0x4EE18800 | (n)<<5 | (d))

// "FRINTZ (vector)": FRINTZ Vd.4S, Vn.4S
#define VFRINTZ4S(n, d) WORD $(0x4EA19800 | (n)<<5 | (d))

// "FRINTZ (vector)": FRINTZ Vd.2D, Vn.2D
#define VFRINTZ2D(n, d) WORD $(0x4EE19800 | (n)<<5 | (d))

// "SCVTF (vector, integer)": SCVTF Vd.4S, Vn.4S
#define VSCVTF4S(n, d) WORD $(0x4E21D800 | (n)<<5 | (d))

// "SCVTF (vector, integer)": SCVTF Vd.2D, Vn.2D
#define VSCVTF2D(n, d) WORD $(0x4E61D800 | (n)<<5 | (d))

// "NOT": MVN Vd.16B, Vn.16B
#define VMVN16B(n, d) WORD $(0x6E205800 | (n)<<5 | (d))

// A shift by no bits: 0 Q U 011110 immh immb 10100 1 Rn Rd.

// "SXTL, SXTL2": SXTL Vd.2D, Vn.2S
#define VSXTL2D(n, d) WORD $(0x0F20A400 | (n)<<5 | (d))

// A register by one element of another: 0 Q U 01111 size L M Rm opcode H 0 Rn
// Rd; the element is H:L or H.

// "FMUL (by element)": FMUL Vd.4S, Vn.4S, Vm.S[i]
#define VFMULE4S(i, m, n, d) WORD $(0x4F809000 | ((i)&1)<<21 | ((i)&2)<<10 | (m)<<16 | (n)<<5 | (d))

// "FMUL (by element)": FMUL Vd.2D, Vn.2D, Vm.D[i]
#define VFMULE2D(i, m, n, d) WORD $(0x4FC09000 | (i)<<11 | (m)<<16 | (n)<<5 | (d))

// Memory at one general register plus another, which the assembler has only for
// registers of 64 bits and less, by names: size 111 1 00 opc 1 Rm option S 10 Rn Rt.

// "LDR (register, SIMD&FP)": LDR Qt, [Xn,Xm]
#define VLDRQ(m, n, t) WORD $(0x3CE06800 | (m)<<16 | (n)<<5 | (t))

// "LDR (register, SIMD&FP)": LDR Dt, [Xn,Xm]
#define VLDRD(m, n, t) WORD $(0xFC606800 | (m)<<16 | (n)<<5 | (t))

// "LDR (register, SIMD&FP)": LDR St, [Xn,Xm]
#define VLDRS(m, n, t) WORD $(0xBC606800 | (m)<<16 | (n)<<5 | (t))

// "STR (register, SIMD&FP)": STR Qt, [Xn,Xm]
#define VSTRQ(m, n, t) WORD $(0x3CA06800 | (m)<<16 | (n)<<5 | (t))

// "STR (register, SIMD&FP)": STR Dt, [Xn,Xm]
#define VSTRD(m, n, t) WORD $(0xFC206800 | (m)<<16 | (n)<<5 | (t))

// "STR (register, SIMD&FP)": STR St, [Xn,Xm]
#define VSTRS(m, n, t) WORD $(0xBC206800 | (m)<<16 | (n)<<5 | (t))
