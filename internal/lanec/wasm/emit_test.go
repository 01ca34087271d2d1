package wasm

import (
	"errors"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// kernel returns a kernel that replaces each element of x by the result of an operation on it.
func kernel(width int, op ir.Op, kind ir.Kind) *ir.Kernel {
	b := ir.Build("known", width)
	x := &ir.Stream{Name: "x", Expr: "x", Elem: kind, Type: "float32"}
	k := b.Kernel
	k.Streams, k.Number = []*ir.Stream{x}, "len(x)"
	k.Rows = b.Loop()
	k.Rows.Body = ir.NewRegion(k.Entry, k.Rows)
	b.Region = k.Rows.Body
	v := b.Put(&ir.Value{Op: ir.Load, Kind: kind, Stream: x})
	y := b.Op(op, kind, v, b.Const(kind, 0x80000000))
	b.Put(&ir.Value{Op: ir.Store, Kind: kind, Args: []*ir.Value{y}, Stream: x})
	b.Close(k.Rows, k.Entry)
	k.Tidy()
	k.Frame = &ir.Frame{Symbol: "knownF32", Go: "(x []float32)"}
	x.Place = ir.Place{Name: "x", Kind: ir.Slice}
	return k
}

// TestEmit checks the generated code of one kernel: the code for whole vectors, the sign of a
// constant, and the code for the remaining rows.
func TestEmit(t *testing.T) {
	text, err := EmitFrame(kernel(4, ir.Add, ir.Float), "knownGeneric(x[i:n])")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	for _, want := range []string{
		"func knownF32SIMD(x []float32) {",
		"for ; i <= n-16; i += 16 {", // four vectors
		"archsimd.LoadFloat32x4Array((*[4]float32)(p0[i+12:]))",
		".Add(archsimd.BroadcastUint32x4(0x80000000).BitsToFloat32())", // -0 is no constant of Go
		"if i < n {\nknownGeneric(x[i:n])\n}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
}

// TestUnsupported checks that a kernel without a fast instruction for an operation is refused.
func TestUnsupported(t *testing.T) {
	for _, k := range []*ir.Kernel{
		kernel(4, ir.ShlBy, ir.Float), // WebAssembly shifts all elements by one number
		kernel(4, ir.IntAdd, ir.Int),  // lanes of integers
	} {
		if text, err := EmitFrame(k, ""); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
