package arm64

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

// TestEmit checks that the loop over whole vectors is as short as handwritten code, and checks its
// macros.
func TestEmit(t *testing.T) {
	var text asm.Text
	Emit(negate(4), &text, &asm.Constants{Bytes: 16}, "lanecNegate")
	const want = "loop4:\n\tLLDRQ4S(1,4,0)\n\tLFNEG4S(0,0)\n\tLSTRQ4S(1,4,0)\n\tADD $16, R1\n"
	if got := text.String(); !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	header := Header(text.String())
	for _, name := range []string{"LLDRQ4S(m, n, d) WORD $(0X3CE06800", "LLDR4S(", "LFNEG4S(n, d)", "LSTR4S("} {
		if !strings.Contains(header, "#define "+name) {
			t.Errorf("%s\nwant %s", header, name)
		}
	}
	if n := strings.Count(header, "#define"); n != 5 {
		t.Errorf("%d macros, 5 are used", n)
	}
}
