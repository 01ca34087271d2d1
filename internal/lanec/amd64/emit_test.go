package amd64

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// negate returns x[i] = -x[i].
func negate(width int) *ir.Kernel {
	b := ir.Build("negate", width)
	x := &ir.Stream{Name: "x", Expr: "x"}
	k := b.Kernel
	k.Streams = []*ir.Stream{x}
	k.Rows = b.Loop()
	k.Rows.Body = ir.NewRegion(k.Entry, k.Rows)
	b.Region = k.Rows.Body
	v := b.Op(ir.Neg, ir.Float, b.Put(&ir.Value{Op: ir.Load, Stream: x}))
	b.Put(&ir.Value{Op: ir.Store, Args: []*ir.Value{v}, Stream: x})
	b.Close(k.Rows, k.Entry)
	k.Tidy()
	return k
}

// TestEmit checks that the loop over whole vectors is as short as handwritten code.
func TestEmit(t *testing.T) {
	for _, c := range []struct {
		path  *Path
		width int
		want  string
	}{
		{AVX2, 4, "loop8:\n\tVMOVUPS (BX)(CX*4), Y0                  // x\n\tVXORPS  lanec32_80000000<>(SB), Y0, Y0\n\tVMOVUPS Y0, (BX)(CX*4)                  // x\n\tADDQ    $8, CX\n"},
		{AVX2, 8, "loop4:\n\tVMOVUPD (BX)(CX*8), Y0                          // x\n\tVXORPS  lanec64_8000000000000000<>(SB), Y0, Y0\n"},
		{AVX512, 4, "loop16:\n\tVMOVUPS      (BX)(CX*4), Z0                  // x\n\tVPXORD.BCST  lanec32_80000000<>(SB), Z0, Z0\n"},
	} {
		var text asm.Text
		Emit(negate(c.width), c.path, &text, &asm.Constants{Bytes: 32}, "lanecNegate")
		if got := text.String(); !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(c.want), " ")) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestPairs checks that a kernel computes two vectors per iteration if it has a long chain of
// operations, and otherwise one vector.
func TestPairs(t *testing.T) {
	for roots, want := range map[int]bool{2: false, 40: true} {
		b := ir.Build("roots", 4)
		x := &ir.Stream{Name: "x", Expr: "x"}
		k := b.Kernel
		k.Streams = []*ir.Stream{x}
		k.Rows = b.Loop()
		k.Rows.Body = ir.NewRegion(k.Entry, k.Rows)
		b.Region = k.Rows.Body
		v := b.Put(&ir.Value{Op: ir.Load, Stream: x})
		for range roots {
			v = b.Op(ir.Sqrt, ir.Float, b.Op(ir.Neg, ir.Float, v))
		}
		b.Put(&ir.Value{Op: ir.Store, Args: []*ir.Value{v}, Stream: x})
		b.Close(k.Rows, k.Entry)
		k.Tidy()
		var text asm.Text
		Emit(k, AVX2, &text, &asm.Constants{Bytes: 32}, "lanecRoots")
		if got := strings.Contains(text.String(), "loop16:"); got != want {
			t.Errorf("%d roots: two vectors per iteration: %v, want %v", roots, got, want)
		}
	}
}
