// What the kernels on slices choose the rows left over with on the AVX2 path:
// masks_gen_amd64.s, reduction_amd64.s.

// The 32 bytes from lanes+32-n on are the mask of the first n bytes of a vector.
DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $64
