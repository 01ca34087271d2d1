package lanec

import "testing"

// TestBound checks the bound of each path for short lists of instructions, for which the busiest
// unit can be found by hand.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		path, want string
		lines      []string
	}{
		{"AVX2", "-", nil},
		{"AVX2", "1.0 products", []string{"VMULPS Y1, Y2, Y3", "VMULPS (SI)(CX*4), Y2, Y3 // x", "VADDPS Y1, Y2, Y3"}},
		{"AVX2", "1.5 sums", []string{"VMINPS Y1, Y2, Y3", "VADDPS Y1, Y2, Y3", "VCMPPS $17, Y1, Y2, Y3"}},
		{"AVX2", "1.0 loads", []string{"VMOVUPS (SI)(CX*4), Y2 // x", "VMOVUPS lanec32_1<>(SB), Y3", "CMPQ CX, 8(SP)", "LEAQ x<>(SB), AX"}},
		{"AVX2", "0.5 stores", []string{"VMOVUPS Y2, (SI)(CX*4)"}},
		{"AVX512", "2.0 stores", []string{"VMOVUPS Z2, (SI)", "VMOVUPS Z2, K1, 8(SI)"}},
		{"AVX2", "6.5 divisions and roots", []string{"VDIVPD Y1, Y2, Y3"}},
		{"AVX512", "14.0 divisions and roots", []string{"VDIVPS Z1, Z2, Z3", "VSQRTPS Z1, Z2"}},
		{"AVX2", "2.7 loads", []string{"VGATHERDPS Y14, (SI)(Y1*4), Y2 // x"}},
		{"AVX512", "4.0 loads", []string{"VGATHERQPD (SI)(Z1*8), K1, Z2"}},
		{"AVX2", "1.0 shifts and choices", []string{"VBLENDVPS Y1, Y2, Y3, Y4", "VPSRLD $3, Y1, Y2"}},
		{"AVX2", "1.0 instructions", []string{"ADDQ $8, CX", "CMPQ CX, DX", "JLT loop8", "INCQ R8", "INCQ R8", "INCQ R8", "INCQ R8", "INCQ R8"}},
		{"NEON", "0.5 vectors", []string{"LFADD4S(1,2,3)", "VDUP V1.S[0], V1.S4"}},
		{"NEON", "0.7 loads", []string{"LLDRQ(1,4,3)", "FMOVQ 16(RSP), F3"}},
		{"NEON", "1.0 stores", []string{"LSTRQ(1,4,3)", "FMOVQ F3, 16(RSP)"}},
		{"NEON", "8.0 divisions and roots", []string{"LFDIV4S(1,2,3)", "LFSQRT2D(1,2)"}},
	} {
		if got := boundOf(c.lines, c.path).String(); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.path, c.lines, got, c.want)
		}
	}
}
