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

// TestFunction checks the function of a kernel that is not in package kernels: its variables cannot be parameters, lanes may have integers, and
// Go computes a vector in which an index is out of range.
func TestFunction(t *testing.T) {
	k := kernel(4, ir.IntAdd, ir.Int)
	k.Frame, k.Streams[0].Type = nil, "int32"
	text, err := Emit(k, Function{Name: "f", Params: "x []int32, n int", Rest: "g", Args: "x, n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"func f(n_ int, x []int32, n int) {",
		"v0_ := archsimd.LoadInt32x4Array((*[4]int32)(p0_[i_:])).ToBits()",
		"v2_.BitsToInt32().StoreArray((*[4]int32)(p0_[i_:]))",
		"if i_ < n_ {\ng(i_, n_, x, n)\n}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}

	k = lookup(1)
	if _, err := Emit(k, Function{}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "elements one by one") {
		t.Errorf("a loop that only looks up elements: %v", err)
	}
	text, err = Emit(k, Function{Name: "f", Params: "x, y []float32", Rest: "g", Args: "x, y", Slow: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rows_:\nfor ;", "g(i_, i_+4, x, y)\ncontinue rows_\n", ".SetElem(3, y[k_.GetElem(3)])"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	if _, err := Emit(lookup(4), Function{}); err != nil {
		t.Errorf("a loop with four operations for each element that is looked up: %v", err)
	}
	k.Streams[0].Type = "metre"
	if _, err := Emit(k, Function{Slow: true}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "elements of type metre") {
		t.Errorf("lanes of a named type: %v", err)
	}
}

// lookup returns a kernel that looks up the element of y whose index is the bits of x[i], and doubles it some times.
func lookup(times int) *ir.Kernel {
	b := ir.Build("lookup", 4)
	x := &ir.Stream{Name: "x", Expr: "x", Type: "float32"}
	y := &ir.Stream{Name: "y", Expr: "y", Type: "float32", ByLoop: true}
	k := b.Kernel
	k.Streams, k.Number = []*ir.Stream{x, y}, "len(x)"
	k.Rows = b.Loop()
	k.Rows.Body = ir.NewRegion(k.Entry, k.Rows)
	b.Region = k.Rows.Body
	index := b.Op(ir.Cast, ir.Int, b.Put(&ir.Value{Op: ir.Load, Stream: x}))
	rows := b.Op(ir.Rows, ir.Mask)
	n := b.Put(&ir.Value{Op: ir.Param, Kind: ir.Int, Scalar: &ir.Scalar{Name: "n", Expr: "len(y)", Type: "int32"}})
	last := b.Op(ir.IntSub, ir.Int, n, b.Const(ir.Int, 1))
	outside := b.Op(ir.IntGreater, ir.Mask, b.Const(ir.Int, 0), b.Op(ir.Or, ir.Int, index, b.Op(ir.IntSub, ir.Int, last, index)))
	b.Put(&ir.Value{Op: ir.Guard, Args: []*ir.Value{b.And(rows, outside)}})
	v := b.Put(&ir.Value{Op: ir.Gather, Args: []*ir.Value{index, rows}, Stream: y})
	for range times {
		v = b.Op(ir.Add, ir.Float, v, v)
	}
	b.Put(&ir.Value{Op: ir.Store, Args: []*ir.Value{v}, Stream: x})
	b.Close(k.Rows, k.Entry)
	k.Tidy()
	return k
}

// TestJoin checks that a load and the conversion after it become one statement only if nothing is written between them.
func TestJoin(t *testing.T) {
	for _, written := range []ir.Op{ir.Const, ir.Store, ir.Scatter} { // a constant writes nothing
		b := ir.Build("join", 8)
		x := &ir.Stream{Name: "x", Expr: "x", Elem: ir.Float | ir.Half, Type: "float32"}
		y := &ir.Stream{Name: "y", Expr: "y", Type: "float64"}
		b.Kernel.Rows = b.Loop()
		b.Region = ir.NewRegion(b.Kernel.Entry, b.Kernel.Rows)
		b.Kernel.Rows.Body = b.Region
		load := b.Put(&ir.Value{Op: ir.Load, Kind: x.Elem, Stream: x})
		b.Put(&ir.Value{Op: written, Stream: y})
		wide := b.Put(&ir.Value{Op: ir.Widen, Args: []*ir.Value{load}})
		b.Put(&ir.Value{Op: ir.Store, Args: []*ir.Value{wide}, Stream: y})
		b.Close(b.Kernel.Rows, b.Kernel.Entry)
		if got, want := newEmitter(b.Kernel).joined[load], written == ir.Const; got != want {
			t.Errorf("%v between the load and the conversion: joined is %v, want %v", written, got, want)
		}
	}
}

// TestUnsupported checks that a kernel without a fast instruction for an operation is refused.
func TestUnsupported(t *testing.T) {
	for _, k := range []*ir.Kernel{
		kernel(4, ir.ShlBy, ir.Float),   // WebAssembly shifts all elements by one number
		kernel(4, ir.Smaller, ir.Float), // an operation of other CPUs
	} {
		if text, err := EmitFrame(k, ""); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
