package simulate

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

const head = "TEXT ·f(SB), NOSPLIT, $64-8\n\tMOVQ a+0(FP), DI\n\tMOVQ 8(DI), BX // x\n\tMOVQ 16(DI), SI // y\n"

// run executes a body whose x is at BX and whose y is at SI. It returns y and the text of the panic.
func run(t *testing.T, body string, x []byte) (y []byte, said string) {
	t.Helper()
	p, err := Parse("DATA one<>+0(SB)/8, $0x3f8000003f800000\n" + head + body + "\n\tVZEROUPPER\n\tRET\n")
	if err != nil {
		t.Fatal(err)
	}
	y = make([]byte, 64)
	defer func() {
		if e := recover(); e != nil {
			said = fmt.Sprint(e)
		}
	}()
	p.Run("f", make([]byte, 24), Lane{Segment{Name: "x", Bytes: x, Fixed: true}, 8}, Lane{Segment{Name: "y", Bytes: y}, 16})
	return y, ""
}

func words(b []byte) (w []float32) {
	for i := 0; i < len(b); i += 4 {
		w = append(w, math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
	}
	return w
}

func lane(x ...float32) (b []byte) {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// TestInstructions checks, against the manual, instructions that are easily misunderstood.
func TestInstructions(t *testing.T) {
	nan, zero := float32(math.NaN()), float32(math.Copysign(0, -1))
	const mask = "\tMOVL $5, AX\n\tKMOVW AX, K1\n"
	for _, c := range []struct {
		name, body string
		want       []float32
	}{
		{"merging", mask + "VBROADCASTSS one<>(SB), Z1\nVADDPS (BX), Z1, K1, Z1\nVMOVUPS Z1, (SI)", []float32{2, 1, 4, 1}},
		{"zeroing", mask + "VBROADCASTSS one<>(SB), Z1\nVMOVUPS.Z (BX), K1, Z1\nVMOVUPS Z1, (SI)", []float32{1, 0, 3, 0}},
		{"stores in rows", mask + "VMOVUPS (BX), Z1\nVMOVUPS Z1, K1, (SI)", []float32{1, 0, 3, 0}},
		{"a choice", mask + "VBROADCASTSS one<>(SB), Z1\nVBLENDMPS (BX), Z1, K1, Z2\nVMOVUPS Z2, (SI)", []float32{1, 1, 3, 1}},
		{"one for all", "VMOVUPS (BX), Z1\nVPANDD.BCST (SI), Z1, Z1\nVMOVUPS Z1, (SI)", []float32{0, 0, 0, 0}},
		{"b from a", "VMOVUPS (BX), Z1\nVBROADCASTSS one<>(SB), Z2\nVSUBPS Z2, Z1, Z3\nVMOVUPS Z3, (SI)", []float32{0, 1, 2, nan}},
		{"the second of NaN", "VMOVUPS (BX), Z1\nVBROADCASTSS one<>(SB), Z2\nVMINPS Z2, Z1, Z3\nVMOVUPS Z3, (SI)", []float32{1, 1, 1, 1}},
		{"the number beside NaN", "VMOVUPS (BX), Z1\nVBROADCASTSS one<>(SB), Z2\nVRANGEPS $5, Z2, Z1, Z3\nVMOVUPS Z3, (SI)", []float32{1, 2, 3, 1}},
		{"a half clears the rest", "VMOVUPS (BX), Z1\nVMOVUPS (BX), X1\nVMOVUPS Z1, (SI)", []float32{1, 2, 3, nan, 0}},
		{"not equal, or NaN", "VMOVUPS (BX), Z1\nVCMPPS $4, Z1, Z1, K2\nVMOVUPS Z1, K2, (SI)", []float32{0, 0, 0, nan}},
		{"a comparison in rows", mask + "VMOVUPS (BX), Z1\nVBROADCASTSS one<>(SB), Z2\nVCMPPS $30, Z2, Z1, K1, K2\nVMOVUPS Z1, K2, (SI)", []float32{0, 0, 3, 0}},
		{"the larger zero", "VXORPS Z2, Z2, Z2\nVMOVUPS 16(BX), Z1\nVRANGEPS $5, Z2, Z1, Z3\nVMOVUPS Z3, (SI)", []float32{0}},
		{"an element at a number", "MOVL $1, AX\nKMOVW AX, K1\nVPXORD Z1, Z1, Z1\nVPXORD Z2, Z2, Z2\nVGATHERDPS 4(BX)(Z1*4), K1, Z2\nVMOVUPS Z2, (SI)\nVMOVUPS Z1, K1, (SI)", []float32{2, 0}},
		{"a jump that is taken", "XORL CX, CX\nDECQ CX\nJLT less\nVMOVUPS (BX), Z1\nVMOVUPS Z1, (SI)\n\nless:", []float32{0}},
	} {
		got, said := run(t, c.body, append(lane(1, 2, 3, nan, zero), make([]byte, 64)...))
		same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }
		if said != "" || !slices.EqualFunc(words(got)[:len(c.want)], c.want, same) {
			t.Errorf("%s: %v %s, want %v", c.name, words(got), said, c.want)
		}
	}
}

// TestFaults checks that forbidden actions of a kernel are reported.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"behind a lane", "VMOVUPS 8(BX), X1", "line 6: VMOVUPS 8(BX), X1: 4 bytes at 20 of x, which has 20"},
		{"before a lane", "VMOVUPS -4(BX), X1", "4 bytes at -4 of x"},
		{"behind a constant", "VMOVUPS one<>(SB), Z1", "4 bytes at 8 of one<>"},
		{"behind the frame", "MOVQ 60(SP), AX", "8 bytes at 60 of the frame, which has 64"},
		{"a lane that is read", "MOVL AX, (BX)", "x is written, which is to be read alone"},
		{"nowhere", "MOVQ (CX), AX", "no memory at 0xa5a5"},
		{"a lane after a yield", "CALL ·lanecYield(SB)\nMOVQ (BX), AX", "no memory at 0xa5a5"},
		{"upper halves in a call", "VMOVUPS (SI), Z1\nCALL ·lanecYield(SB)", "the upper halves of registers are not clear"},
		{"a rounding with exceptions", "VRNDSCALEPS $1, Z1, Z1", "a rounding of 1"},
	} {
		if _, said := run(t, c.body, lane(1, 2, 3, 4, 5)); !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
	}
}

// TestUnknown checks that instructions that are not in the table, and impossible operands, are
// refused.
func TestUnknown(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"VFMADD231PS Z1, Z2, Z3", "unknown"},
		{"VRCP14PS Z1, Z2", "unknown"},
		{"VRSQRT14PD Z1, Z2", "unknown"},
		{"VADDPS.RN_SAE Z1, Z2, Z3", "this suffix"},
		{"VADDPS Z1, Z2", "other operands"},
		{"VADDPS Z1, Z2, K0, Z3", "other operands"},
		{"VADDPS AX, Z2, Z3", "other operands"},
		{"VBLENDMPS Z1, Z2, Z3", "other operands"},
		{"VMOVUPS.Z (SI), Z3", "other operands"},
		{"VGATHERDPS (SI)(CX*4), K1, Z3", "other operands"},
		{"VRNDSCALEPS Z1, Z3", "it has an immediate"},
		{"MOVQ R15, AX", "operand R15"},
		{"MOVQ BP, AX", "operand BP"},
		{"MOVQ AX", "2 operands"},
		{"JMP nowhere", "operand nowhere"},
		{"CALL ·other(SB)", "operand ·other(SB)"},
		{"VMOVUPS two<>(SB), Z1", "operand two<>(SB)"},
	} {
		if _, err := Parse(head + c.text + "\n"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
